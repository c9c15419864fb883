"""The experiment `league`: one policy on every instance of a campaign and on many random matrices.

It gives one row per instance: {group, case, policy, label, plays, reason, t, runs, mean, se, bound,
cpu_ms}. A group is the name of an instance, or "random" for the matrices; `bound` is the unimodal
lower bound's constant times ln T; `cpu_ms` is the CPU time of a run. Where the policy cannot play
there is a row that says why.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankone import simulation
from rankone.instances import Instance, rank_one
from rankone.stats.bands import PolicyName

RANDOM = "random"  # the group of the random matrices


def league(
    policy: Mapping[str, Any],
    bandits: Mapping[str, Instance],
    seed: int,
    *,
    horizon: int,
    runs: int,
    matrices: int,
    sides: Sequence[int],
    matrix_runs: int,
    fewer: Mapping[PolicyName, int] | None = None,
) -> pd.DataFrame:
    """`runs` runs on each instance, and `matrix_runs` on each of so many random rank-one matrices.

    The entries of u and v of a random matrix of size `sides` are uniform on [0, 1]. `fewer` are the
    runs, at most, of policies that take long.
    """
    most = (fewer or {}).get(policy["name"], max(runs, matrix_runs))
    places = [(name, one, min(runs, most)) for name, one in bandits.items()]
    drawn = _matrices(seed, int(matrices), sides)
    places += [(RANDOM, one, min(matrix_runs, most)) for one in drawn]
    rows = []
    for number, (group, instance, count) in enumerate(places):
        row = {"group": group, "case": number, "policy": policy["name"], "label": policy["label"]}
        row |= {"arms": instance.arms, "t": int(horizon)}
        rows.append(row | _played(policy, instance, int(horizon), int(count), seed))
    return pd.DataFrame(rows)


def _matrices(seed: int, count: int, sides: Sequence[int]) -> Iterator[Instance]:
    rng = np.random.default_rng([seed, *sides])
    for _ in range(count):
        u, v = (rng.uniform(0.0, 1.0, size) for size in sides)
        yield rank_one(u.tolist(), v.tolist())


def _played(
    policy: Mapping[str, Any], instance: Instance, horizon: int, runs: int, seed: int
) -> dict[str, Any]:
    bound = instance.lower_bound.unimodal * math.log(horizon)
    reason = simulation.load(policy["policy"]).supports(instance)
    if reason:
        nothing = {"runs": 0, "mean": math.nan, "se": math.nan, "bound": bound, "cpu_ms": math.nan}
        return {"plays": False, "reason": reason, **nothing}
    begin = time.process_time()
    regret = simulation.simulate(
        policy["policy"],
        instance,
        horizon,
        runs,
        seed,
        checkpoints=[horizon],
        **policy.get("parameters", {}),
    ).regret[:, -1]
    cost = (time.process_time() - begin) / runs
    return {
        "plays": True,
        "reason": "",
        "runs": runs,
        "mean": regret.mean(),
        "se": regret.std(ddof=1) / math.sqrt(runs) if runs > 1 else math.nan,
        "bound": bound,
        "cpu_ms": 1e3 * cost,
    }
