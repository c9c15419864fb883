"""Optimal Sampling for Unimodal Bandits, OSUB(gamma): Combes and Proutiere (2014).

KL-UCB in the neighbourhood of the leader L(t), the arm with the best empirical mean. The leader is
pulled whenever its count of leads l is 1 modulo gamma; else the largest index in N+(L(t)) is:

    max{q : N_k kl(S_k / N_k, q) <= f(l)},   f(l) = ln l + c ln ln l.

clock = "global" puts the number of pulls made so far in the place of l; `forced` is the residue of
l at which the leader is forced, and `width` the width at which a bisection stops (0: none).
gamma = "degree" is the size of the largest closed neighbourhood, K + L - 1 on a matrix.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.kl import exploration, index
from rankone.engine.loop import once
from rankone.engine.parameters import leader_period, not_negative, truth
from rankone.instances import Problem


class Parameters(NamedTuple):
    gamma: float
    c: float
    leader_clock: bool
    forced: int
    warm_up: bool
    width: float


class State(NamedTuple):
    problem: Problem
    parameters: Parameters
    counts: Counts
    leads: np.ndarray  # l_k, how often arm k has been the leader
    indices: np.ndarray  # room for one neighbourhood


def configure(
    problem: Problem,
    gamma: float | str = "degree",
    c: float = 3,
    clock: str = "leader",
    forced: int = 1,
    warm_up: bool = True,
    width: float = 0,
) -> Parameters:
    if clock not in ("leader", "global"):
        raise ValueError(f"clock is {clock!r}; allowed: 'leader' or 'global'.")
    if forced not in (0, 1):
        raise ValueError(f"forced is {forced!r}; allowed: 0 or 1.")
    period = leader_period(gamma) or float(max(2, np.max(np.diff(problem.starts))))
    return Parameters(
        period,
        not_negative("c", c),
        clock == "leader",
        int(forced),
        truth("warm_up", warm_up),
        not_negative("width", width),
    )


def start(problem, parameters):
    indices = np.empty(np.max(np.diff(problem.starts)))
    leads = np.zeros(problem.arms, np.int64)
    return State(problem, parameters, no_counts(problem.arms), leads, indices)


@kernel
def decide(state, t, rng):
    problem, parameters, counts = state.problem, state.parameters, state.counts
    if parameters.warm_up and t < problem.arms:
        return once(t)
    leader = best_of(counts.means, rng)
    state.leads[leader] += 1
    if parameters.gamma < np.inf and state.leads[leader] % parameters.gamma == parameters.forced:
        return once(leader)
    clock = state.leads[leader] if parameters.leader_clock else t
    level = exploration(clock, parameters.c)
    around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
    indices = state.indices[: len(around)]
    for position, k in enumerate(around):
        indices[position] = index(counts.pulls[k], counts.wins[k], level, parameters.width)
    return once(around[best_of(indices, rng)])


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)
