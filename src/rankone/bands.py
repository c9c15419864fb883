"""Bands: the table of regret over time that figures, tables and claims are made from.

Columns: instance, policy, t, runs, mean, se, p10, p50, p90.
"""

import pandas as pd


def curve(bands: pd.DataFrame, instance: str, policy: str) -> pd.DataFrame:
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


def final(bands: pd.DataFrame, instance: str, policy: str) -> pd.Series:
    """The row at the horizon."""
    return curve(bands, instance, policy).iloc[-1]
