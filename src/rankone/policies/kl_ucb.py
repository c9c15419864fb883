"""KL-UCB of Cappe, Garivier, Maillard, Munos and Stoltz (2013), blind to the graph.

Each arm once, then the arm with the largest index

    U_k(t) = max{q : N_k kl(S_k / N_k, q) <= f(t)},   f(t) = ln t + c ln ln t,

where t counts the pulls made so far and ln ln t is 0 until t = e. Theory asks for c = 3, its
authors simulate with c = 0. `width` > 0 finds the index by a bisection that stops at that width.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.kl import exploration, index
from rankone.engine.loop import once
from rankone.engine.parameters import not_negative
from rankone.instances import Problem


class Parameters(NamedTuple):
    c: float
    width: float


class State(NamedTuple):
    parameters: Parameters
    counts: Counts
    indices: np.ndarray


def configure(problem: Problem, c: float = 3, width: float = 0) -> Parameters:
    return Parameters(not_negative("c", c), not_negative("width", width))


def start(problem, parameters):
    return State(parameters, no_counts(problem.arms), np.empty(problem.arms))


@kernel
def decide(state, t, rng):
    counts, parameters, indices = state.counts, state.parameters, state.indices
    if t < len(indices):
        return once(t)
    level = exploration(t, parameters.c)
    for k in range(len(indices)):
        indices[k] = index(counts.pulls[k], counts.wins[k], level, parameters.width)
    return once(best_of(indices, rng))


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)
