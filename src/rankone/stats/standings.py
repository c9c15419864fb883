"""From the cases of a league to its standings: who is best where, and by how much.

`cases` are the rows of `stats/league.py`. Policies that cannot play somewhere are left out there.
"""

import math

import numpy as np
import pandas as pd

from rankone.stats import intervals
from rankone.stats.intervals import Interval, Mean
from rankone.stats.league import RANDOM


def by_group(cases: pd.DataFrame, level: float) -> pd.DataFrame:
    """One row per policy and group: its regret, and how far it is from the group's best policy.

    {group, policy, plays, runs, mean, low, high, ratio, behind, behind_low, behind_high, rank,
    share}: `ratio` is the mean regret over the best one; `behind` the difference to it, paired over
    the random matrices, between independent runs elsewhere (Welch); `share` the mean regret over
    constant * ln T. Of the random matrices the rows are means over the matrices.
    """
    rows = []
    for group, part in cases.groupby("group", sort=False):
        playing = part[part["plays"]]
        best = playing.groupby("policy")["mean"].mean().idxmin() if len(playing) else None
        for policy, own in part.groupby("policy", sort=False):
            row = {"group": group, "policy": policy, "plays": bool(own["plays"].all())}
            if row["plays"]:
                rival = playing[playing["policy"] == best]
                row |= _beside(own, rival, policy == best, level)
            rows.append(row)
    found = pd.DataFrame(rows)
    found["rank"] = found.groupby("group")["mean"].rank()
    return found


def _beside(
    own: pd.DataFrame, rival: pd.DataFrame, is_best: bool, level: float
) -> dict[str, float]:
    """A policy's regret in a group, and its distance to the best policy there."""
    mean = _over_cases(own["mean"].to_numpy()) if len(own) > 1 else _mean(own.iloc[0])
    within = intervals.of_mean(mean, level)
    if is_best:
        behind = Interval(0.0, 0.0, 0.0)
    elif len(own) > 1:
        pairs = own.set_index("case")["mean"] - rival.set_index("case")["mean"]
        behind = intervals.of_mean(_over_cases(pairs.to_numpy()), level)
    else:
        behind = intervals.of_difference(mean, _mean(rival.iloc[0]), level)
    return {
        "runs": int(own["runs"].sum()),
        "mean": mean.value,
        "low": within.low,
        "high": within.high,
        "ratio": mean.value / rival["mean"].mean(),
        "behind": behind.value,
        "behind_low": behind.low,
        "behind_high": behind.high,
        "share": own["mean"].mean() / own["bound"].mean(),
        "cpu_ms": float(np.average(own["cpu_ms"], weights=own["runs"])),
    }


def _mean(row: pd.Series) -> Mean:
    return Mean(float(row["mean"]), float(row["se"]), int(row["runs"]))


def _over_cases(values: np.ndarray) -> Mean:
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Mean(float(values.mean()), float(error), len(values))


def overall(cases: pd.DataFrame, level: float) -> pd.DataFrame:
    """One row per policy, the best first.

    {policy, groups, factor, rank, won, won_low, won_high, behind, behind_low, behind_high, share,
    cpu_ms}: `groups` counts where it plays; `rank` is its mean rank there, by which the policies
    are ordered, since a few runs with a huge regret move it little; `factor` the geometric mean,
    over these groups, of its regret over that of the best policy; `won` the share of the random
    matrices on which it had the least regret, `behind` its paired difference there to the policy
    that was best on average; `share` the geometric mean of its regret over constant * ln T.
    """
    groups = by_group(cases, level)
    wins = _wins(cases)
    rows = []
    for policy, own in groups[groups["plays"]].groupby("policy", sort=False):
        drawn = own[own["group"] == RANDOM]
        row = {
            "policy": policy,
            "groups": len(own),
            "factor": _geometric(own["ratio"]),
            "rank": own["rank"].mean(),
            "share": _geometric(own["share"]),
            "cpu_ms": own["cpu_ms"].mean(),
        }
        if len(drawn):
            won = intervals.of_share(int(wins.get(policy, 0)), int(wins.sum()), level)
            row |= {"won": won.value, "won_low": won.low, "won_high": won.high}
            row |= {k: drawn.iloc[0][k] for k in ("behind", "behind_low", "behind_high")}
        rows.append(row)
    names = ["won", "won_low", "won_high", "behind", "behind_low", "behind_high"]
    found = pd.DataFrame(rows).reindex(
        columns=["policy", "groups", "factor", "rank", "share", "cpu_ms", *names]
    )
    return found.sort_values(["rank", "factor"], kind="stable", ignore_index=True)


def _wins(cases: pd.DataFrame) -> pd.Series:
    """On how many random matrices each policy had the least mean regret."""
    drawn = cases[(cases["group"] == RANDOM) & cases["plays"]]
    least = drawn.loc[drawn.groupby("case")["mean"].idxmin()]
    return least["policy"].value_counts()


def _geometric(values: pd.Series) -> float:
    return float(np.exp(np.log(values).mean()))
