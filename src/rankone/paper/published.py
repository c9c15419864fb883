"""The numbers printed in, or read off, the published figures and tables, beside ours.

A z-score is (published - ours) over the combined standard error: that of our mean or percentile,
that of theirs (printed, or else estimated from our runs and their number of runs), and the error
of reading a picture.
"""

import math
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankone.show.text import number, value_and_error, write_table
from rankone.stats import intervals

Entry = Mapping[str, Any]
SOURCES = {
    "trinh2020-pmlr117": "Trinh et al. (2020)",
    "katariya2017-aistats": "Katariya et al. (2017)",
    "combes2014-icml": "Combes and Proutiere (2014)",
}
ONE_SE = math.erf(1 / math.sqrt(2))  # the level of an interval of one standard error either way


class Cell(NamedTuple):
    """What we simulated: a policy on an instance, and its regret at some rounds."""

    instance: Entry  # name, label, shape, published: the experiments that used it
    policy: Entry  # name, label, published: its name there, draw: whether it is the main variant
    checkpoints: np.ndarray
    regret: np.ndarray  # (runs, checkpoints)


def load() -> pd.DataFrame:
    """One row a published number.

    Columns: source, experiment, K, L, t, runs, policy, statistic, value, error. `error` is
    the reading error of a picture or the printed +/-; K and L are missing on a graph.
    """
    with resources.files(__package__).joinpath("data/published.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype={"K": "Int64", "L": "Int64"})


def place(source: str, experiment: str) -> str:
    """Where a number was published, for the eye."""
    spaced = re.sub(r"^(figure|table)(\d)", r"\1 \2", experiment.replace(";", ","))
    return f"{SOURCES.get(source, source)}, {spaced}"


def spoken(policy: str) -> str:
    """A policy of the published numbers, for the eye."""
    for short, long in (("gamma=", "γ = "), ("inf", "∞"), (";", ", "), ("KLUCB", "KL-UCB")):
        policy = policy.replace(short, long)
    return policy


def compare(published: pd.DataFrame, cells: Sequence[Cell]) -> pd.DataFrame:
    """Each published number that some cell simulates, beside ours: one row a variant.

    Of several cells that play the main variant the one with the most runs is taken.
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
        theirs, reading = (reading or theirs), 0.0
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


def _estimate(sample: np.ndarray, statistic: str, runs: int) -> tuple[float, float, float]:
    """Our mean or percentile, its standard error, and that of so many runs of theirs."""
    if statistic.startswith("mean"):
        spread = float(sample.std(ddof=1))
        return float(sample.mean()), spread / math.sqrt(len(sample)), spread / math.sqrt(runs)
    percent = float(statistic.removeprefix("p"))
    value, low, high = intervals.of_percentile(sample, percent, ONE_SE)
    return value, (high - low) / 2, intervals.spread_of_percentile(sample, percent, runs)


def summary(table: pd.DataFrame, limit: float) -> pd.DataFrame:
    """How many numbers of each experiment and variant were compared, and how far apart they are."""
    keys = ["source", "experiment", "policy", "variant", "variant_label", "main"]
    rows = []
    for key, group in table.groupby(keys, sort=False):
        z = group["z"].to_numpy()
        row = {"numbers": len(z), "mean_z": z.mean(), "rms_z": math.sqrt((z**2).mean())}
        row |= {"largest_z": z[np.abs(z).argmax()], "beyond": int((np.abs(z) > limit).sum())}
        rows.append({**dict(zip(keys, key, strict=True)), **row})
    return pd.DataFrame(rows)


def write(table: pd.DataFrame, paths: Sequence[str], caption: str = "") -> None:
    """The comparison as .csv with every column, and for the eye in the other formats."""
    shape = [
        "graph" if pd.isna(height) else f"{height} × {width}"
        for height, width in zip(table["K"], table["L"], strict=True)
    ]
    theirs = np.hypot(table["theirs_se"], table["reading_error"])
    shown = {
        "Experiment": map(place, table["source"], table["experiment"]),
        "Size": shape,
        "t": [f"{t:,}" for t in table["t"]],
        "Policy": table["variant_label"],
        "Statistic": table["statistic"],
        "Published ± error": map(value_and_error, table["published"], theirs),
        "Ours ± s.e.": map(value_and_error, table["ours"], table["ours_se"]),
        "z": map(_z, table["z"]),
    }
    text = pd.DataFrame({heading: list(cells) for heading, cells in shown.items()})
    write_table(table, text, paths, caption)


def write_summary(table: pd.DataFrame, paths: Sequence[str], caption: str = "") -> None:
    """What `summary` gives, as .csv with every column, and for the eye in the other formats."""
    shown = {
        "Experiment": map(place, table["source"], table["experiment"]),
        "Policy": map(spoken, table["policy"]),
        "Variant": table["variant_label"],
        "Shown in the figures": ["yes" if main else "no" for main in table["main"]],
        "Numbers": table["numbers"].astype(str),
        "Mean z": map(_z, table["mean_z"]),
        "Root mean square": map(_z, table["rms_z"]),
        "Largest": map(_z, table["largest_z"]),
        "Beyond the limit": table["beyond"].astype(str),
    }
    text = pd.DataFrame({heading: list(cells) for heading, cells in shown.items()})
    write_table(table, text, paths, caption)


def _z(z: float) -> str:
    return number(z, 2).replace("-", "−")
