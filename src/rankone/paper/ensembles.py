"""Many instances at a time: random vectors, nearly rank-one matrices, zeros in both vectors.

Each ensemble is a list of cases; `play` gives one row a case and policy, with the mean regret and
its share of the regret that the lower bound's constant times ln T stands for.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankone import theory
from rankone.instances import Instance, matrix, rank_one
from rankone.simulation import simulate


class Case(NamedTuple):
    """An instance under the name of its group."""

    group: str
    instance: Instance


def beta(
    count: int, seed: int, *, sides: Sequence[int], shapes: Sequence[Sequence[float]]
) -> list[Case]:
    """Matrices with the entries of u and v drawn from Beta(a, b), as many for each (a, b)."""
    cases = []
    for a, b in shapes:
        rng = np.random.default_rng([seed, round(1000 * a), round(1000 * b)])
        for _ in range(count):
            u, v = rng.beta(a, b, sides[0]), rng.beta(a, b, sides[1])
            cases.append(Case(f"Beta({a:g}, {b:g})", rank_one(u.tolist(), v.tolist())))
    return cases


def perturbed(
    count: int, seed: int, *, u: Sequence[float], v: Sequence[float], noises: Sequence[float]
) -> list[Case]:
    """A rank-one matrix whose entries are each moved by a uniform amount of at most the noise.

    The same directions are used for every noise, so that only its size differs.
    """
    moves = np.random.default_rng(seed).uniform(-1, 1, (count, len(u), len(v)))
    means = np.outer(u, v)
    return [
        Case(f"{noise:g}", matrix(np.clip(means + noise * move, 0, 1)))
        for noise in noises
        for move in moves[: 1 if noise == 0 else count]
    ]


def zeros(*, first: float, rest: float, size: int, most: int) -> list[Case]:
    """u = v with none to `most` of their entries put to zero, from the last on."""
    cases = []
    for gone in range(most + 1):
        side = [first] + [rest] * (size - 1 - gone) + [0.0] * gone
        cases.append(Case(f"{gone}", rank_one(side, side)))
    return cases


def play(
    cases: Sequence[Case], policy: Mapping[str, Any], *, horizon: int, runs: int, seed: int
) -> pd.DataFrame:
    """One row a case: {group, case, arms, unimodal, policy, label, mean, se, p90, share}.

    `share` is the mean regret over the lower bound's constant times ln T.
    """
    rows = []
    for number, (group, instance) in enumerate(cases):
        parameters = policy.get("parameters", {})
        regret = simulate(
            policy["policy"], instance, horizon, runs, seed, checkpoints=[horizon], **parameters
        ).regret[:, -1]
        constant = theory.unimodal_constant(instance)
        row = {"group": group, "case": number, "arms": instance.arms}
        row |= {"unimodal": theory.is_unimodal(instance)}
        row |= {"policy": policy["name"], "label": policy["label"], "runs": runs}
        row |= {"mean": regret.mean(), "se": regret.std(ddof=1) / math.sqrt(runs)}
        rows.append(row | {"p90": np.percentile(regret, 90),
                           "share": regret.mean() / (constant * math.log(horizon))})  # fmt: skip
    return pd.DataFrame(rows)
