"""Experiments on many instances at a time: random vectors, perturbed entries, zeros in the vectors.

Each plays one policy and gives one row per case: {group, case, arms, unimodal, policy, label, runs,
mean, se, p90, share}. A group is what the cases have in common; `share` is the mean regret over the
lower bound's constant times ln T.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankone import instances, simulation, theory

Entry = Mapping[str, Any]


class _Case(NamedTuple):
    """An instance under the name of its group."""

    group: str
    instance: instances.Instance


def random_vectors(
    policy: Entry,
    seed: int,
    *,
    horizon: int,
    runs: int,
    matrices: int,
    sides: Sequence[int],
    shapes: Sequence[Sequence[float]],
) -> pd.DataFrame:
    """Rank-one matrices of size `sides` with the entries of u and v drawn from Beta(a, b): as many
    as `matrices` says for each (a, b) of `shapes`."""
    cases = _random_vectors(seed, int(matrices), sides, shapes)
    return _play(cases, policy, seed, horizon, runs)


def _random_vectors(
    seed: int, matrices: int, sides: Sequence[int], shapes: Sequence[Sequence[float]]
) -> list[_Case]:
    cases = []
    for a, b in shapes:
        rng = np.random.default_rng([seed, round(1000 * a), round(1000 * b)])
        for _ in range(matrices):
            u, v = rng.beta(a, b, sides[0]), rng.beta(a, b, sides[1])
            cases.append(_Case(f"Beta({a:g}, {b:g})", instances.rank_one(u.tolist(), v.tolist())))
    return cases


def perturbed(
    policy: Entry,
    bandit: instances.Instance,
    seed: int,
    *,
    horizon: int,
    runs: int,
    matrices: int,
    noises: Sequence[float],
) -> pd.DataFrame:
    """The instance with each entry moved by a uniform amount of at most the noise, so that it is no
    longer of rank one: as many matrices as `matrices` says for each noise."""
    return _play(_perturbed(bandit, seed, int(matrices), noises), policy, seed, horizon, runs)


def _perturbed(
    bandit: instances.Instance, seed: int, matrices: int, noises: Sequence[float]
) -> list[_Case]:
    """The same directions are used for every noise, so that only its size differs."""
    if not bandit.rows:
        raise ValueError("the instance is a graph; allowed: a matrix.")
    means = bandit.means.reshape(bandit.rows, bandit.columns)
    moves = np.random.default_rng(seed).uniform(-1, 1, (matrices, *means.shape))
    return [
        _Case(f"{noise:g}", _moved(means, noise * move))
        for noise in noises
        for move in moves[: 1 if noise == 0 else matrices]
    ]


def _moved(means: np.ndarray, move: np.ndarray) -> instances.Instance:
    return instances.matrix(np.clip(means + move, 0, 1), unimodal=False)


def zeros(
    policy: Entry,
    seed: int,
    *,
    horizon: int,
    runs: int,
    first: float,
    rest: float,
    size: int,
    most: int,
) -> pd.DataFrame:
    """u = v = (first, rest, ..., rest) with 0, 1, ..., `most` of the last entries put to zero: the
    case that the paper excludes."""
    return _play(_zeros(first, rest, int(size), int(most)), policy, seed, horizon, runs)


def _zeros(first: float, rest: float, size: int, most: int) -> list[_Case]:
    cases = []
    for count in range(most + 1):
        side = [first] + [rest] * (size - 1 - count) + [0.0] * count
        cases.append(_Case(f"{count}", instances.rank_one(side, side, unimodal=False)))
    return cases


def _play(
    cases: Sequence[_Case], policy: Entry, seed: int, horizon: int, runs: int
) -> pd.DataFrame:
    rows = []
    for number, (group, instance) in enumerate(cases):
        regret = simulation.simulate(
            policy["policy"],
            instance,
            horizon,
            runs,
            seed,
            checkpoints=[int(horizon)],
            **policy.get("parameters", {}),
        ).regret[:, -1]
        bound = theory.unimodal_constant(instance) * math.log(horizon)
        rows.append(
            {
                "group": group,
                "case": number,
                "arms": instance.arms,
                "unimodal": theory.is_unimodal(instance),
                "policy": policy["name"],
                "label": policy["label"],
                "runs": len(regret),
                "mean": regret.mean(),
                "se": regret.std(ddof=1) / math.sqrt(len(regret)),
                "p90": np.percentile(regret, 90),
                "share": regret.mean() / bound,
            }
        )
    return pd.DataFrame(rows)
