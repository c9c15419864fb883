"""UTS whose leader, among equal empirical means, is the first by index: a variant for one study.

The paper is silent on ties and the package breaks them at random. As the best arm of the paper's
matrices is the first, a program that takes the first index would favour it.
"""

import math

import numpy as np
import pandas as pd

from rankone.engine import seeds
from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.loop import once
from rankone.instances import Instance, matrix
from rankone.simulation import load, play


@kernel
def decide(state, t, rng):
    """As UTS, but for the choice of the leader."""
    problem, counts = state.problem, state.counts
    if state.parameters.warm_up and t < problem.arms:
        return once(t)
    leader = np.argmax(counts.means)
    state.leads[leader] += 1
    if state.leads[leader] % state.parameters.gamma == 0:
        return once(leader)
    around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
    samples = state.samples[: len(around)]
    for position, k in enumerate(around):
        samples[position] = rng.beta(counts.wins[k] + 1.0, counts.pulls[k] - counts.wins[k] + 1.0)
    return once(around[best_of(samples, rng)])


def study(instance: Instance, *, horizon: int, runs: int, seed: int) -> pd.DataFrame:
    """Final regret with ties at random and by first index, the best arm being first or last."""
    rows, grid = [], np.array([horizon])
    random = load("uts")
    rules = {"random": random, "first index": random._replace(decide=decide)}
    for place, one in (("first", instance), ("last", turned(instance))):
        for warm_up in (True, False):
            parameters = {"gamma": 2, "warm_up": warm_up}
            for ties, policy in rules.items():
                starts = seeds.starts(seeds.stream(seed, one, f"ties {ties} {warm_up}"), 0, runs)
                found = play(policy, one, grid, starts, parameters).regret[:, -1]
                row = {"best_arm": place, "ties": ties, "warm_up": warm_up, "runs": runs}
                row |= {"mean": np.mean(found), "se": np.std(found, ddof=1) / math.sqrt(runs)}
                rows.append(row)
    return pd.DataFrame(rows)


def turned(instance: Instance) -> Instance:
    """The same matrix with its rows and columns in the opposite order."""
    return matrix(instance.means.reshape(instance.shape)[::-1, ::-1])
