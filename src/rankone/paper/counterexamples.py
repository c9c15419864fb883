"""Experiments that look for counterexamples: unimodality of matrices, and leader exploration.

Each also tries cases in which the statement must fail, so that a test which cannot fail is noticed.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from rankone import instances, theory
from rankone.paper import uts_in_view

SIDES = (1, 9)  # the least number of rows or columns, and the first that is too large


def unimodality(seed: int, *, matrices: int) -> pd.DataFrame:
    """One row per random rank-one matrix: {K, L, positive, unimodal, longest}.

    Zeros are put into neither vector, into one, or into both; `positive` says whether u > 0 or
    v > 0. `longest` is the largest number of steps on the shortest increasing path from an arm to
    the best one; it is missing where some arm has no increasing path.
    """
    rows = []
    for u, v in _vectors(int(matrices), np.random.default_rng(seed)):
        instance = instances.rank_one(u.tolist(), v.tolist(), unimodal=False)
        paths = [theory.increasing_path(instance, arm) for arm in range(instance.arms)]
        stuck = any(path is None for path in paths)
        longest = max(len(path) - 1 for path in paths if path is not None)
        row: dict[str, Any] = {"K": len(u), "L": len(v)}
        row |= {"positive": bool(u.all() or v.all()), "unimodal": theory.is_unimodal(instance)}
        rows.append(row | {"longest": math.nan if stuck else longest})
    return pd.DataFrame(rows)


def _vectors(cases: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Vectors with a unique best arm: continuous, or with many equal entries, with zeros or not."""
    for case in range(cases):
        pair = []
        for zeros in ((case // 2) % 2, (case // 4) % 2):
            size = int(rng.integers(*SIDES))
            a, b = rng.uniform(0.5, 3.0, 2)
            values = rng.beta(a, b, size) * 0.9
            if case % 2:
                values = np.ceil(values * 4) / 5  # 0.2, 0.4, 0.6 or 0.8: many equal entries
            top = int(rng.integers(size))
            if zeros and size > 1:
                others = np.delete(np.arange(size), top)
                values[rng.choice(others, int(rng.integers(1, size)), replace=False)] = 0.0
            values[top] = 1.0 - 0.1 * rng.random()
            pair.append(values)
        yield pair[0], pair[1]


def leader_exploration(seed: int, *, matrices: int, horizon: int) -> pd.DataFrame:
    """Two runs of UTS per random matrix: {arms, gamma, warm_up, forced, slack}.

    `slack` is the least N_k(t) - floor(l_k(t) / gamma) over all arms and rounds. In one run the
    leader is forced every gamma-th time; in the other, the control, it never is (gamma = inf), and
    nothing keeps the slack from becoming negative.
    """
    rng, rounds = np.random.default_rng(seed), int(horizon)
    rows: list[dict[str, Any]] = []
    for _ in range(int(matrices)):
        period, warm_up = int(rng.integers(2, 11)), bool(rng.integers(2))
        instance = _close_matrix(rng)
        for gamma in (float(period), math.inf):
            settings = uts_in_view.Settings(gamma, warm_up, first_index=False)
            state = uts_in_view.start(instance)
            means = instance.means
            slack = uts_in_view.least_slack(state, settings, rounds, means, period, rng)
            row = {"arms": instance.arms, "gamma": period, "warm_up": warm_up}
            rows.append(row | {"forced": gamma == period, "slack": int(slack)})
    return pd.DataFrame(rows)


def _close_matrix(rng: np.random.Generator) -> instances.Instance:
    """Arms with means so near to each other that the leader changes often."""
    u, v = (rng.uniform(0.45, 0.55, int(rng.integers(2, 7))) for _ in range(2))
    return instances.rank_one(u.tolist(), v.tolist())
