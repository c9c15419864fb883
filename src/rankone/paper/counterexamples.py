"""Statements that can be tried case by case: unimodality of matrices, and leader exploration.

Both also try cases in which the statement must fail, so that a check that cannot fail is noticed.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from rankone import theory
from rankone.engine.compiled import entry
from rankone.engine.memory import as_argument
from rankone.instances import Instance, rank_one
from rankone.policies import uts

SIDES = (1, 9)  # the least and the first too large number of rows or columns


def unimodality(cases: int, seed: int) -> pd.DataFrame:
    """Random rank-one matrices, each with the length of its longest shortest increasing path.

    Zeros are put into neither vector, into one, or into both; `longest` is missing where some arm
    has no increasing path to the best one.
    """
    rows = []
    for u, v in _vectors(cases, np.random.default_rng(seed)):
        instance = rank_one(u.tolist(), v.tolist())
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
                values = np.ceil(values * 4) / 5  # 0.2, 0.4, 0.6 or 0.8: entries that are equal
            top = int(rng.integers(size))
            if zeros and size > 1:
                others = np.delete(np.arange(size), top)
                values[rng.choice(others, int(rng.integers(1, size)), replace=False)] = 0.0
            values[top] = 1.0 - 0.1 * rng.random()
            pair.append(values)
        yield pair[0], pair[1]


@entry
def least_slack(state, means, problem, period, rng):
    """The least N_k(t) - floor(l_k(t) / period) over all arms and rounds of one run of UTS."""
    slack = problem.horizon
    for t in range(problem.horizon):
        commitment = uts.decide(state, t, rng)
        uts.observe(state, commitment.arm, 1, int(rng.random() < means[commitment.arm]))
        for k in range(problem.arms):
            slack = min(slack, state.counts.pulls[k] - state.leads[k] // period)
    return slack


def leader_exploration(cases: int, horizon: int, seed: int) -> pd.DataFrame:
    """Runs of UTS on random matrices, each with its least slack N_k(t) - floor(l_k(t) / gamma).

    Every case is played twice: with the leader forced every gamma-th time, and as a control without
    (gamma = inf), where nothing keeps the slack from being negative.
    """
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    while len(rows) < 2 * cases:
        period, warm_up = int(rng.integers(2, 11)), bool(rng.integers(2))
        instance = _close_matrix(rng)
        problem = instance.problem(horizon)
        for gamma in (period, math.inf):
            parameters = uts.configure(problem, gamma, warm_up)
            slack = least_slack(
                as_argument(uts.start(problem, parameters)),
                instance.means,
                as_argument(problem),
                period,
                rng,
            )
            row = {"arms": instance.arms, "gamma": period, "warm_up": warm_up}
            rows.append(row | {"forced": gamma == period, "slack": int(slack)})
    return pd.DataFrame(rows)


def _close_matrix(rng: np.random.Generator) -> Instance:
    """Arms with means so near to each other that the leader changes often."""
    u, v = (rng.uniform(0.45, 0.55, int(rng.integers(2, 7))) for _ in range(2))
    return rank_one(u.tolist(), v.tolist())
