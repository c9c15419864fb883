"""OSSB, committing to its leader for as long as all competitors surely have enough evidence.

Competitors are not pulled meanwhile, so that their evidence depends on the leader's mean alone and
rises with it: there is a mean from which on it is enough until the end of the commitment. The guard
keeps the leader above that mean and above the best other arm's.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from rankone.engine.compiled import kernel
from rankone.engine.counts import record
from rankone.engine.loop import Commitment, once
from rankone.fast import Engine
from rankone.fast.leader import ROUNDING
from rankone.fast.tournament import Tournament, champion, second, tournament, update
from rankone.policies import _ossb
from rankone.policies._ossb import explore, largest, level

# A level is raised by these, relatively and per pull, for what rounding does to N kl(., .).
LEVEL_SLIP, KL_SLIP = 1e-12, 1e-15

# How much of the time until some evidence would be too small, at the present mean, is committed to.
SHARE = 0.5


class State(NamedTuple):
    plain: _ossb.State
    ranking: Tournament  # of the empirical means


def start(problem, settings):
    plain = _ossb.start(problem, settings)
    return State(plain, tournament(plain.counts.means))


@kernel
def observe(state, arm, rounds, wins):
    counts = state.plain.counts
    record(counts, arm, rounds, wins)
    update(state.ranking, arm, counts.means[arm])


@kernel
def rounds_left(t, evidence, settings, horizon):
    """For how many rounds to commit if the least evidence is this."""
    last = evidence / (1.0 + settings.g)
    if last >= math.log(horizon):
        return horizon - t
    return max(int(SHARE * (math.exp(last) - t)), 1)


def leaping(weigh: Callable, enough_from: Callable) -> Engine:
    """The engine of a form of OSSB.

    weigh(state, leader) is that of the plain policy, after which
    enough_from(state, position, level, mean) is the least mean of the leader, not below `mean`,
    from which on a competitor's evidence is at least the level.
    """

    @kernel
    def decide(state, t, rng):
        plain = state.plain
        counts, settings, horizon = plain.counts, plain.settings, plain.problem.horizon
        if t < plain.problem.arms:
            return once(t)
        leader = champion(state.ranking, rng)
        size = weigh(plain, leader)
        evidence = -largest(plain.lack[:size])
        needed = level(t, settings)
        if not evidence >= needed:
            return once(explore(plain, leader, size, needed, rng))
        rounds = rounds_left(t, evidence, settings, horizon)
        pulls, wins = counts.pulls[leader], counts.wins[leader]
        mean = second(state.ranking, leader) * (1.0 + ROUNDING)
        if rounds == 1 or mean * pulls > wins:
            return once(leader)
        needed = level(t + rounds, settings) * (1.0 + LEVEL_SLIP)
        for position in range(size):
            slip = KL_SLIP * counts.pulls[plain.competitors[position]]
            mean = enough_from(plain, position, needed + slip, mean)
        mean = max(mean * (1.0 + ROUNDING), 0.0)
        if wins == pulls and evidence == math.inf:
            mean = min(mean, 1.0)  # without a loss its mean stays one, and so does all else
        if mean * pulls > wins:
            return once(leader)
        return Commitment(leader, rounds, mean * pulls - wins, mean)

    return Engine(start, decide, observe)
