"""UCB1 of Auer, Cesa-Bianchi and Fischer (2002), blind to the graph.

Each arm once, then the arm with the largest S_k / N_k + sqrt(2 ln t / N_k), where t counts the
pulls made so far.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.instances import Problem


class Parameters(NamedTuple):
    arms: int


class State(NamedTuple):
    counts: Counts
    indices: np.ndarray


def configure(problem: Problem) -> Parameters:
    return Parameters(problem.arms)


def start(problem, parameters):
    return State(no_counts(problem.arms), np.empty(problem.arms))


@kernel
def decide(state, t, rng):
    counts, indices = state.counts, state.indices
    if t < len(indices):
        return once(t)
    for k in range(len(indices)):
        indices[k] = counts.means[k] + math.sqrt(2.0 * math.log(t) / counts.pulls[k])
    return once(best_of(indices, rng))


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)
