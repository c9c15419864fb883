"""An experiment on ties: what UTS gains if the leader among equal means is the first by index.

The paper is silent on ties and the package breaks them at random. The best arm of the paper's
matrices is the first one, so a program that takes the first index favours it.
"""

import itertools
import math

import numpy as np
import pandas as pd

from rankone import instances
from rankone.engine import seeds
from rankone.paper import uts_in_view

GAMMA = 2.0  # the paper's choice


def tie_breaking(bandit: instances.Instance, seed: int, *, horizon: int, runs: int) -> pd.DataFrame:
    """The final regret of UTS: {best_arm, ties, warm_up, runs, mean, se}.

    One row for each place of the best arm (first, or last with the matrix turned), each way to
    break ties between leaders (random, or first index), with and without warm-up.
    """
    rows = []
    places = (("first", bandit), ("last", _turned(bandit)))
    ways = (("random", False), ("first index", True))
    for (place, one), warm_up, (ties, first) in itertools.product(places, (True, False), ways):
        settings = uts_in_view.Settings(GAMMA, warm_up, first)
        entropy = seeds.stream(seed, one, f"ties {ties} {warm_up}")
        generators = (seeds.generator(entropy, run) for run in range(int(runs)))
        found = [_final_regret(one, settings, int(horizon), rng) for rng in generators]
        row = {"best_arm": place, "ties": ties, "warm_up": warm_up, "runs": int(runs)}
        row |= {"mean": np.mean(found), "se": np.std(found, ddof=1) / math.sqrt(len(found))}
        rows.append(row)
    return pd.DataFrame(rows)


def _final_regret(
    instance: instances.Instance,
    settings: uts_in_view.Settings,
    horizon: int,
    rng: np.random.Generator,
) -> float:
    state = uts_in_view.start(instance)
    uts_in_view.play(state, settings, horizon, instance.means, rng)
    return float(sum(state.pulls * instance.gaps))


def _turned(instance: instances.Instance) -> instances.Instance:
    """The same matrix with its rows and columns in the opposite order."""
    if not instance.rows:
        raise ValueError("the instance is a graph; allowed: a matrix.")
    means = instance.means.reshape(instance.rows, instance.columns)
    return instances.matrix(means[::-1, ::-1], unimodal=instance.unimodal)
