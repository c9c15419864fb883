"""Thompson Sampling (Thompson 1933) with a uniform prior on every arm, blind to the graph.

theta_k ~ Beta(S_k + 1, N_k - S_k + 1) for every arm, pull argmax theta_k.
"""

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
    samples: np.ndarray


def configure(problem: Problem) -> Parameters:
    return Parameters(problem.arms)


def start(problem, parameters):
    return State(no_counts(problem.arms), np.empty(problem.arms))


@kernel
def decide(state, t, rng):
    counts, samples = state.counts, state.samples
    for k in range(len(samples)):
        samples[k] = rng.beta(counts.wins[k] + 1.0, counts.pulls[k] - counts.wins[k] + 1.0)
    return once(best_of(samples, rng))


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)
