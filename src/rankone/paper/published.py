"""The numbers printed in, or read off, the published figures and tables, beside ours.

A z-score is (published - ours) / combined standard error. Three errors are combined: that of our
mean or percentile; that of theirs, which is printed or else estimated from the spread of our runs
and their number of runs; and the error of reading a picture.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankone.runs import Runs
from rankone.stats import intervals

Entry = Mapping[str, Any]
SOURCES = {
    "trinh2020-pmlr117": "Trinh et al. (2020)",
    "katariya2017-aistats": "Katariya et al. (2017)",
    "combes2014-icml": "Combes and Proutiere (2014)",
}
LIMIT = 3.5  # combined standard errors: a z-score beyond it calls for an explanation
ONE_SE = math.erf(1 / math.sqrt(2))  # the level of an interval of one standard error either way


class Cell(NamedTuple):
    """What we simulated: a policy on an instance, and its regret at some rounds."""

    instance: Entry  # name, label, shape, published: the experiments that used it
    policy: Entry  # name, label, published: its name there, draw: whether it is the main variant
    checkpoints: np.ndarray  # as in rankone.Runs
    regret: np.ndarray  # (runs, checkpoints)


def cell(instance: Entry, policy: Entry, batches: Iterable[Runs], rounds: Iterable[int]) -> Cell:
    """The regrets at those of the rounds that were recorded; no others are held in memory."""
    checkpoints, columns = np.empty(0, dtype=np.int64), []
    for batch in batches:
        chosen = np.isin(batch.checkpoints, [*rounds])
        checkpoints = batch.checkpoints[chosen]
        columns.append(batch.regret[:, chosen])
    return Cell(instance, policy, checkpoints, np.concatenate(columns))


def load() -> pd.DataFrame:
    """One row per published number.

    Columns: source, experiment, K, L, t, runs, policy, statistic, value, error, place. `error` is
    the reading error of a picture or the printed +/-; K and L are missing on a graph; `place` is
    source and experiment as they are shown in tables.
    """
    with resources.files(__package__).joinpath("data/published.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, dtype={"K": "Int64", "L": "Int64"})
    return table.assign(place=[*map(place, table["source"], table["experiment"])])


def place(source: str, experiment: str) -> str:
    """Where a number was published, as it is shown in tables."""
    spaced = re.sub(r"^(figure|table)(\d)", r"\1 \2", experiment.replace(";", ","))
    return f"{SOURCES.get(source, source)}, {spaced}"


def spoken(policy: str) -> str:
    """The name of a policy in the published numbers, as it is shown in tables."""
    for short, long in (("gamma=", "γ = "), ("inf", "∞"), (";", ", "), ("KLUCB", "KL-UCB")):
        policy = policy.replace(short, long)
    return policy


def compare(published: pd.DataFrame, cells: Sequence[Cell]) -> pd.DataFrame:
    """Each published number that some cell simulates, beside ours: one row per variant.

    If several cells play the main variant, the one with the most runs is taken.
    """
    rows = []
    for _, told in published.iterrows():
        found = [_beside(told, ours) for ours in cells if matches(told, ours)]
        main = [row for row in found if row["main"]]
        rows += sorted(main, key=lambda row: -row["ours_runs"])[:1]
        rows += [row for row in found if not row["main"]]
    return pd.DataFrame(rows)


def matches(told: pd.Series, ours: Cell) -> bool:
    """Whether a cell simulates what a published number is about."""
    sides = tuple(None if pd.isna(told[side]) else int(told[side]) for side in ("K", "L"))
    return (
        sides == tuple(ours.instance.get("shape") or (None, None))
        and told["experiment"] in ours.instance.get("published", ())
        and told["policy"] == ours.policy.get("published")
        and told["t"] in ours.checkpoints
    )


def _beside(told: pd.Series, ours: Cell) -> dict[str, Any]:
    sample = ours.regret[:, np.searchsorted(ours.checkpoints, told["t"])]
    if told["statistic"] == "mean/log(T)":
        sample = sample / math.log(told["t"])
    value, own, theirs = _estimate(sample, str(told["statistic"]), int(told["runs"]))
    reading = 0.0 if math.isnan(told["error"]) else float(told["error"])
    if not str(told["experiment"]).startswith("figure"):  # a table prints its own standard error
        theirs, reading = max(reading or theirs, _rounding(float(told["value"]))), 0.0
    combined = math.hypot(own, theirs, reading)
    keys = ("source", "experiment", "K", "L", "t", "policy", "statistic")
    return {
        **{key: told[key] for key in keys},
        "published": float(told["value"]),
        "reading_error": reading,
        "published_runs": int(told["runs"]),
        "variant": ours.policy["name"],
        "variant_label": ours.policy["label"],
        "main": bool(ours.policy.get("draw", True)),
        "ours": value,
        "ours_se": own,
        "ours_runs": len(sample),
        "theirs_se": theirs,
        "combined_se": combined,
        "z": (float(told["value"]) - value) / combined,
    }


def _rounding(value: float) -> float:
    """The standard deviation of what was rounded off a printed number.

    It matters where all runs of a policy have the same regret, as those of LSE at first.
    """
    decimals = len(str(value).partition(".")[2])
    return float(10.0**-decimals / math.sqrt(12))


def _estimate(sample: np.ndarray, statistic: str, runs: int) -> tuple[float, float, float]:
    """Our mean or percentile, its standard error, and the one that their number of runs gives."""
    if statistic.startswith("mean"):
        spread = float(sample.std(ddof=1))
        return float(sample.mean()), spread / math.sqrt(len(sample)), spread / math.sqrt(runs)
    percent = float(statistic.removeprefix("p"))
    value, low, high = intervals.of_percentile(sample, percent, ONE_SE)
    return value, (high - low) / 2, intervals.spread_of_percentile(sample, percent, runs)


def summary(compared: pd.DataFrame, limit: float = LIMIT) -> pd.DataFrame:
    """One row per experiment and variant: how many numbers were compared, how far apart they are.

    `beyond` counts the z-scores beyond the limit on either side.
    """
    keys = ["source", "experiment", "policy", "variant", "variant_label", "main"]
    rows = []
    for key, group in compared.groupby(keys, sort=False):
        z = group["z"].to_numpy()
        row = {"numbers": len(z), "mean_z": z.mean(), "rms_z": math.sqrt((z**2).mean())}
        row |= {"largest_z": z[np.abs(z).argmax()], "beyond": int((np.abs(z) > limit).sum())}
        rows.append({**dict(zip(keys, key, strict=True)), **row})
    return pd.DataFrame(rows)
