"""Unimodal Thompson Sampling, UTS(gamma): Algorithm 1 of Trinh et al. (2020).

Each round has a leader L(t), the arm with the best empirical mean. Every gamma-th time an arm leads
it is pulled; in the other rounds Thompson Sampling plays in its neighbourhood:

    theta_k ~ Beta(S_k + 1, N_k - S_k + 1) for k in N+(L(t)),   pull argmax theta_k.

gamma = inf never forces the leader; gamma = "degree" is the size of the leader's closed
neighbourhood, as in Paladino et al. (2017), who proposed the algorithm.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.engine.parameters import leader_period, truth
from rankone.instances import Problem


class Parameters(NamedTuple):
    gamma: float  # 0: the size of the leader's closed neighbourhood
    warm_up: bool


class State(NamedTuple):
    problem: Problem
    parameters: Parameters
    counts: Counts
    leads: np.ndarray  # l_k, how often arm k has been the leader
    samples: np.ndarray  # theta_k, room for one neighbourhood


def configure(problem: Problem, gamma: float | str = 2, warm_up: bool = True) -> Parameters:
    return Parameters(leader_period(gamma), truth("warm_up", warm_up))


def start(problem, parameters):
    samples = np.empty(np.max(np.diff(problem.starts)))
    leads = np.zeros(problem.arms, np.int64)
    return State(problem, parameters, no_counts(problem.arms), leads, samples)


@kernel
def decide(state, t, rng):
    problem, counts = state.problem, state.counts
    if state.parameters.warm_up and t < problem.arms:
        return once(t)
    leader = best_of(counts.means, rng)
    state.leads[leader] += 1
    around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
    gamma = state.parameters.gamma or float(len(around))
    if state.leads[leader] % gamma == 0:
        return once(leader)
    samples = state.samples[: len(around)]
    for position, k in enumerate(around):
        samples[position] = rng.beta(counts.wins[k] + 1.0, counts.pulls[k] - counts.wins[k] + 1.0)
    return once(around[best_of(samples, rng)])


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)
