"""OSUB, committing to the leader for as long as it surely leads and has the largest index around it."""

from typing import NamedTuple

import numpy as np

from rankone.counts import Counts, no_counts, record
from rankone.engine import Commitment, once, play, pull
from rankone.fast import screen as screens
from rankone.fast.kl_ucb import bar, constant, index, least_mean, pace
from rankone.fast.screen import ROUNDING, Screen
from rankone.fast.tournament import Tournament, champion, second, tournament, update
from rankone.instances import Problem
from rankone.jit import entry, kernel, maker
from rankone.policies import osub as plain
from rankone.policies.kl_ucb import exploration
from rankone.policies.osub import Parameters, configure

__all__ = ["configure", "decide", "observe", "run", "start"]


class State(NamedTuple):
    problem: Problem
    parameters: Parameters
    counts: Counts
    leads: np.ndarray  # l_k, how often arm k has been the leader
    indices: np.ndarray  # room for one neighbourhood
    ranking: Tournament  # of the empirical means
    screen: Screen  # of the neighbourhood of...
    centre: np.ndarray  # ... this arm, -1 if out of date
    home: np.ndarray  # its position there
    leader: np.ndarray  # of this round, -1 in the warm-up
    position: np.ndarray  # in the screen, of the arm that is pulled


@maker
def start(problem, parameters):
    most = np.max(np.diff(problem.starts))
    counts = no_counts(problem.arms)
    return State(
        problem,
        parameters,
        counts,
        np.zeros(problem.arms, np.int64),
        np.empty(most),
        tournament(counts.means),
        screens.new_screen(problem.arms, most),
        np.full(1, -1),
        np.full(1, -1),
        np.full(1, -1),
        np.full(1, -1),
    )


@kernel
def turn_to(state, leader):
    """Screen the neighbourhood of the leader."""
    problem, screen = state.problem, state.screen
    first, last = problem.starts[leader], problem.starts[leader + 1]
    screen.size[0] = last - first
    for position in range(last - first):
        screen.members[position] = problem.neighbours[first + position]
        if screen.members[position] == leader:
            state.home[0] = position
    screens.set_bar(screen, state.counts, screen.bar[0], bar)
    state.centre[0] = leader


@kernel
def decide(state, t, rng):
    problem, parameters, counts = state.problem, state.parameters, state.counts
    if parameters.warm_up and t < problem.arms:
        return once(t)
    if parameters.width > 0.0:
        naive = plain.State(problem, parameters, counts, state.leads, state.indices)
        return plain.decide(naive, t, rng)
    leader = champion(state.ranking, rng)
    state.leader[0] = leader
    lead = state.leads[leader] + 1
    if parameters.gamma < np.inf and lead % parameters.gamma == parameters.forced:
        state.centre[0] = leader if state.centre[0] == leader else -1
        state.position[0] = state.home[0]
        return once(leader)
    if state.centre[0] != leader:
        turn_to(state, leader)
    clock = lead if parameters.leader_clock else t
    return best_around(state, leader, clock, rng)


@kernel
def best_around(state, leader, clock, rng):
    """Commit to the arm of the largest index in the leader's neighbourhood."""
    counts, screen, c = state.counts, state.screen, state.parameters.c
    f = exploration(clock, c)
    found = 0
    if clock >= 3:
        found, next_up = screens.survey(screen, counts, f, index, bar)
    if found <= 0:
        state.position[0] = screens.solve_all(screen, counts, f, index, rng)
        return once(screen.members[state.position[0]])
    largest, level = screens.contest(screen, counts, f, found, index, bar)
    state.position[0], ties = screens.pick(screen, found, rng)
    arm = screen.members[state.position[0]]
    if ties > 1 or arm != leader:
        return once(arm)
    commitment = screens.vouch(
        screen, counts, arm, f, pace(clock, c), found, next_up, largest, level, least_mean
    )
    return while_leading(commitment, counts, second(state.ranking, leader))


@kernel
def while_leading(commitment, counts, rival):
    """Raise the guard so that the leader's mean stays above the best other mean, too.

    Two lines are both kept if the line through their higher ends is.
    """
    arm, rounds = commitment.arm, commitment.rounds
    pulls, wins = counts.pulls[arm], counts.wins[arm]
    rival *= 1.0 + ROUNDING
    first = max(commitment.floor, rival * pulls - wins)
    last = max(commitment.floor + commitment.slope * rounds, rival * (pulls + rounds) - wins)
    if rounds == 1 or first > 0.0:
        return once(arm)
    return Commitment(arm, rounds, first, (last - first) / rounds)


@kernel
def observe(state, arm, rounds, wins):
    counts, screen = state.counts, state.screen
    record(counts, arm, rounds, wins)
    screen.constant[arm] = constant(counts.pulls[arm], counts.wins[arm])
    update(state.ranking, arm, counts.means[arm])
    if state.leader[0] >= 0:
        state.leads[state.leader[0]] += rounds
    if state.centre[0] >= 0:
        screens.renew(screen, counts, state.position[0])


@entry
def run(means, problem, parameters, checkpoints, rng):
    return play(start, decide, observe, pull, means, problem, parameters, checkpoints, rng)
