"""The plain and the leaping engine of IMED, on all arms or around the leaders.

IMED pulls the arm with the smallest I_k = N_k kl(m_k, m*) + ln N_k, where m* is the best of the
empirical means m_k. An arm that leads alone has I = ln N. With its own pulls alone the others' I_k
change only through m*, and they do not fall when m* rises: while its mean is at least r, nobody
else gets below min_k I_k(r), and it is pulled as long as ln N is less than that. The guard is a
line along which r rises with ln N (docs/exact-and-fast.md).

As N kl(m, q) = S ln m + F ln(1 - m) - S ln q - F ln(1 - q), all I_k for one q cost two logarithms
and two products each. What is computed in this way (the screen) decides only where rounding could
make no difference; if it could, I_k is computed as the plain engine does it.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of, uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.kl import kl
from rankone.engine.loop import Commitment, for_sure, once
from rankone.fast import Engine
from rankone.fast.tournament import Tournament, holder, second, top, tournament, update
from rankone.instances import Problem

SCREEN = 2e-15  # a screened index is this close to the plain one, relative to N (1 + weights)
CLOSE = 1e-13  # and this close, relative to 1 + |index|
ROUNDING = 1e-15  # a line of guard is off by at most this, per pull
AHEAD = 1.2  # a guard reaches so many times as far as the arm is expected to win
NEVER = 1e300  # the weight of a win at q = 0, and of a loss at q = 1


@kernel
def divergence_index(pulls, wins, best):
    """I = N kl(S / N, best) + ln N."""
    return pulls * kl(wins / pulls, best) + math.log(pulls)


class Plain(NamedTuple):
    problem: Problem
    counts: Counts
    values: np.ndarray  # -I_k; -inf where an arm does not compete


def plain(around_leader):
    def start(problem, settings):
        return Plain(problem, no_counts(problem.arms), np.empty(problem.arms))

    @kernel
    def decide(state, t, rng):
        if t < state.problem.arms:
            return once(t)
        if around_leader:
            return once(smallest_around_leaders(state, rng))
        return once(smallest_of_all(state, rng))

    @kernel
    def observe(state, arm, rounds, wins):
        record(state.counts, arm, rounds, wins)

    return Engine(start, decide, observe)


@kernel
def best_mean(counts):
    best = counts.means[0]
    for mean in counts.means:
        best = max(best, mean)
    return best


@kernel
def smallest_of_all(state, rng):
    """The arm with the smallest index, ties at random."""
    counts, values = state.counts, state.values
    best = best_mean(counts)
    for k in range(len(values)):
        values[k] = -divergence_index(counts.pulls[k], counts.wins[k], best)
    return best_of(values, rng)


@kernel
def smallest_around_leaders(state, rng):
    """The same among the leaders and their neighbours."""
    problem, counts, values = state.problem, state.counts, state.values
    best = best_mean(counts)
    values[:] = -math.inf
    for leader in range(len(values)):
        if counts.means[leader] == best:
            for k in problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]:
                values[k] = -divergence_index(counts.pulls[k], counts.wins[k], best)
    return best_of(values, rng)


class Leaping(NamedTuple):
    problem: Problem
    counts: Counts
    values: np.ndarray
    ranking: Tournament  # of the empirical means
    everyone: np.ndarray  # all arms, ascending
    constant: np.ndarray  # of the screen: S ln m + F ln(1 - m) + ln N
    wins: np.ndarray  # as floating-point numbers
    losses: np.ndarray


class Screen(NamedTuple):
    """I_k = constant_k + S_k win + F_k loss for one q, less what rounding could add."""

    win: float
    loss: float
    error: float  # per pull


@kernel
def screen_at(q):
    win = -math.log(q) if q > 0.0 else NEVER
    loss = -math.log1p(-q) if q < 1.0 else NEVER
    error = SCREEN * (1.0 + (win if win < NEVER else 0.0) + (loss if loss < NEVER else 0.0))
    return Screen(win - error, loss - error, error)


@kernel
def lowest_rival(state, members, leader, screen):
    """The smallest index of all members but the leader, from below, and whose it is."""
    constant, wins, losses, values = state.constant, state.wins, state.losses, state.values
    lowest, arm = math.inf, -1
    for position, k in enumerate(members):
        value = constant[k] + wins[k] * screen.win + losses[k] * screen.loss
        values[position] = value
        if value < lowest and k != leader:
            lowest, arm = value, k
    return lowest - CLOSE * (1.0 + abs(lowest)), arm


@kernel
def smallest(state, members, best, limit, rng):
    """The member with the smallest index and how many share it; `values` has the screen's.

    Only members that may be below the limit are looked at.
    """
    counts, values = state.counts, state.values
    pulls, wins, value = -1, -1, 0.0
    least, ties = math.inf, 0
    for position, k in enumerate(members):
        if values[position] > limit:
            values[position] = math.inf
            continue
        if counts.pulls[k] != pulls or counts.wins[k] != wins:
            pulls, wins = counts.pulls[k], counts.wins[k]
            value = divergence_index(pulls, wins, best)
        values[position] = value
        if value < least:
            least, ties = value, 1
        elif value == least:
            ties += 1
    skip = uniform_index(ties, rng) if ties > 1 else 0
    for position, k in enumerate(members):
        if values[position] == least:
            if skip == 0:
                return k
            skip -= 1
    return members[0]  # unreachable


@kernel
def tangents(state, members, leader, mean, level):
    """A mean down to which all rivals' indices are at least a level, by their tangents at `mean`.

    They are convex in the mean, so above their tangents; `values` has them at `mean`. On a guard
    the mean is linear in 1 / N, so a tangent less ln N is concave there: its ends decide.
    """
    wins, losses, values = state.wins, state.losses, state.values
    up, down = 1.0 / mean, 1.0 / (1.0 - mean)
    needed = 0.0
    for position, k in enumerate(members):
        if k != leader:
            slope = losses[k] * down - wins[k] * up
            needed = max(needed, mean - (values[position] - level) / slope)
    return needed


@kernel
def vouch(state, members, leader, lowest, most):
    """Commit to an arm that leads alone for as long as nobody else can get below ln N.

    `lowest` bounds the others' indices at its mean: if that stays, it takes `gain` rounds until ln
    N gets there. The guard is a line from the mean that the arm needs now to the one that it needs
    after twice as many.
    """
    counts = state.counts
    pulls, wins, mean = counts.pulls[leader], counts.wins[leader], counts.means[leader]
    if mean >= 1.0:
        return Commitment(leader, most, 0.0, 1.0)
    gain = pulls * math.expm1(min(lowest - math.log(pulls), 40.0))
    rounds = int(min(AHEAD * gain + 2.0, float(most)))
    ahead = second(state.ranking, leader) * (1.0 + ROUNDING)
    first = max(tangents(state, members, leader, mean, log_above(pulls)), ahead)
    last = max(tangents(state, members, leader, mean, log_above(pulls + rounds)), ahead)
    floor = first * pulls - wins + ROUNDING * (pulls + rounds)
    if floor > 0.0 or rounds == 1:
        return once(leader)
    return Commitment(leader, rounds, floor, (last * (pulls + rounds) - first * pulls) / rounds)


@kernel
def log_above(pulls):
    """ln N, and what rounding could add to it and to an index that is compared with it."""
    log = math.log(pulls)
    return log + CLOSE * (1.0 + log)


def leaping(around_leader):
    def start(problem, settings):
        arms = problem.arms
        counts = no_counts(arms)
        return Leaping(
            problem,
            counts,
            np.empty(arms),
            tournament(counts.means),
            np.arange(arms),
            np.zeros(arms),
            np.zeros(arms),
            np.zeros(arms),
        )

    @kernel
    def decide(state, t, rng):
        problem, counts, ranking = state.problem, state.counts, state.ranking
        if t < problem.arms:
            return once(t)
        alone = ranking.ties[1] == 1
        if around_leader and not alone:
            return once(smallest_around_leaders(state, rng))
        best, leader = top(ranking), holder(ranking, 1, 0)
        members = state.everyone
        if around_leader:
            members = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
        screen = screen_at(best)
        lowest, rival = lowest_rival(state, members, leader, screen)
        most = max(problem.horizon - t, 1)
        if rival < 0:  # there is one arm only
            return for_sure(leader, most)
        own = math.log(counts.pulls[leader])
        if alone and lowest > own:
            return vouch(state, members, leader, lowest, most)
        limit = min(own, lowest + 2.0 * screen.error * counts.pulls[rival])
        return once(smallest(state, members, best, limit + 4.0 * CLOSE * (1.0 + abs(limit)), rng))

    @kernel
    def observe(state, arm, rounds, wins):
        record(state.counts, arm, rounds, wins)
        pulls, won, mean = state.counts.pulls[arm], state.counts.wins[arm], state.counts.means[arm]
        update(state.ranking, arm, mean)
        constant = math.log(pulls)
        if 0 < won < pulls:
            constant += won * math.log(mean) + (pulls - won) * math.log((pulls - won) / pulls)
        state.constant[arm] = constant
        state.wins[arm], state.losses[arm] = won, pulls - won

    return Engine(start, decide, observe)
