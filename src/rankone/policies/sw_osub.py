"""SW-OSUB of Combes and Proutiere (2014): OSUB with a sliding window, for means that may change.

OSUB(gamma) with the statistics of the last tau + 1 rounds alone: N_k, S_k and the mean are those of
the last tau + 1 pulls, and l counts how often the leader has led in the last tau + 1 rounds, this
one included. The leader is pulled whenever l is 1 modulo gamma; else the largest index in N+(L) is:

    max{q : N_k kl(S_k / N_k, q) <= f(l)},   f(l) = ln l + c ln ln l.

As in its paper there is no warm-up: an arm without a pull in the window has mean 0 and index 1.
gamma = "degree" is the size of the largest closed neighbourhood. The paper ties tau to the speed at
which the means change; the default of 10,000 rounds was chosen here. It plays round by round.
"""

from typing import NamedTuple

import numpy as np

from rankone.policy import (
    Counts,
    Problem,
    best_of,
    exploration,
    is_number,
    kernel,
    kl_index,
    leader_period,
    no_counts,
    not_negative,
    once,
    shown,
)

ONE_BEST = True  # its theory needs a single best arm


class Settings(NamedTuple):
    window: int  # tau + 1
    c: float
    period: float


class State(NamedTuple):
    problem: Problem
    settings: Settings
    counts: Counts  # in the window
    leads: np.ndarray  # of each arm in the window
    arms: np.ndarray  # (window,): the arm of each of the last rounds, at its round modulo the size,
    wins: np.ndarray  # its reward,
    leaders: np.ndarray  # and the leader; -1 before there was one
    pulls: np.ndarray  # (1,): pulls made so far
    indices: np.ndarray


def configure(
    problem: Problem, tau: float = 10_000, gamma: float | str = "degree", c: float = 3
) -> Settings:
    if not is_number(tau) or not (1 <= tau < 1e9 and float(tau).is_integer()):
        raise ValueError(f"tau is {shown(tau)}; allowed: a whole number of at least 1, below 1e9.")
    period = leader_period(gamma) or float(max(2, np.max(np.diff(problem.starts))))
    return Settings(int(tau) + 1, not_negative("c", c), period)


def start(problem, settings):
    window = min(settings.window, problem.horizon)  # a longer one is never full
    return State(
        problem,
        settings,
        no_counts(problem.arms),
        np.zeros(problem.arms, np.int64),
        np.full(window, -1),
        np.zeros(window, np.int64),
        np.full(window, -1),
        np.zeros(1, np.int64),
        np.empty(problem.arms),
    )


@kernel
def decide(state, t, rng):
    problem, settings, counts = state.problem, state.settings, state.counts
    leader = best_of(counts.means, rng)
    slot = t % len(state.leaders)
    if state.leaders[slot] >= 0:
        state.leads[state.leaders[slot]] -= 1
    state.leaders[slot] = leader
    state.leads[leader] += 1
    lead = state.leads[leader]
    if lead % settings.period == 1:
        return once(leader)
    around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
    f = exploration(lead, settings.c)
    indices = state.indices[: len(around)]
    for position, k in enumerate(around):
        indices[position] = kl_index(counts.pulls[k], counts.wins[k], f, 0.0)
    return once(around[best_of(indices, rng)])


@kernel
def observe(state, arm, rounds, wins):
    slot = state.pulls[0] % len(state.arms)
    if state.arms[slot] >= 0:
        count(state.counts, state.arms[slot], -1, -state.wins[slot])
    state.arms[slot], state.wins[slot] = arm, wins
    state.pulls[0] += 1
    count(state.counts, arm, 1, wins)


@kernel
def count(counts, arm, pulls, wins):
    """Add or take away pulls; without any the mean is 0."""
    counts.pulls[arm] += pulls
    counts.wins[arm] += wins
    counts.means[arm] = counts.wins[arm] / max(counts.pulls[arm], 1)
