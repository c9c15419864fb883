"""Bands: from runs to the mean, standard error and percentiles of the regret over time.

Figures, tables and claims are made from one table: instance, policy, t, runs, mean, se, p10, p50,
p90, one row per checkpoint t.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from rankone.runs import Runs

PERCENTILES = (10, 50, 90)

# What the options of figures, tables and claims are checked as, before any job starts.
PolicyName = str
InstanceName = str


def of(runs: Runs) -> pd.DataFrame:
    """One row per checkpoint; a single run has no standard error."""
    count = len(runs)
    alone = np.full(len(runs.checkpoints), np.nan)
    spread = runs.regret.std(axis=0, ddof=1) if count > 1 else alone
    columns = {
        "t": runs.checkpoints,
        "runs": count,
        "mean": runs.regret.mean(axis=0),
        "se": spread / np.sqrt(count),
    }
    percentiles = np.percentile(runs.regret, PERCENTILES, axis=0)
    return pd.DataFrame(
        columns | {f"p{p}": row for p, row in zip(PERCENTILES, percentiles, strict=True)}
    )


def table(cells: Iterable[tuple[InstanceName, PolicyName, Runs]]) -> pd.DataFrame:
    """The bands of every policy on every instance; `cells` may be read one at a time."""
    tables = []
    for instance, policy, runs in cells:
        rows = of(runs)
        rows.insert(0, "instance", instance)
        rows.insert(1, "policy", policy)
        tables.append(rows)
    return pd.concat(tables, ignore_index=True)


def curve(bands: pd.DataFrame, instance: InstanceName, policy: PolicyName) -> pd.DataFrame:
    """The rows of one policy on one instance, in time order."""
    here = bands[bands["instance"] == instance]
    if here.empty:
        known = ", ".join(sorted(bands["instance"].unique()))
        raise ValueError(f"the bands hold no instance {instance!r}; they hold: {known}.")
    rows = here[here["policy"] == policy].sort_values("t")
    if rows.empty:
        known = ", ".join(sorted(here["policy"].unique()))
        raise ValueError(
            f"the bands of {instance!r} hold no policy {policy!r}; they hold: {known}."
        )
    return rows


def final(bands: pd.DataFrame, instance: InstanceName, policy: PolicyName) -> pd.Series:
    """The row at the horizon."""
    return curve(bands, instance, policy).iloc[-1]
