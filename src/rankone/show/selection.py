"""What a figure shows of its data: which policies, windows, sizes and places.

Drawn by matplotlib (`show/figures.py`) or by plotly.js (`report/`), a figure shows the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankone.show import style
from rankone.show.panels import Entry, Looks
from rankone.stats import bands as bands_of
from rankone.stats import intervals, standings
from rankone.stats.league import RANDOM

FIRST_DECADE = 10_000  # before it ends, the slope is mostly that of finding the best arm


def drawn(policies: Sequence[Entry]) -> list[Entry]:
    """The policies with a curve: all but those with `draw: false`."""
    chosen = [policy for policy in policies if policy.get("draw", True)]
    if not chosen:
        raise ValueError("no policy is left to draw; allowed: at least one with draw: true.")
    return chosen


def renamed(policies: Sequence[Entry], labels: Mapping[str, str]) -> list[Entry]:
    names = [policy["name"] for policy in policies]
    for name in labels:
        if name not in names:
            raise ValueError(f"cannot rename {name!r}; allowed: {', '.join(names)}.")
    return [{**policy, "label": labels.get(policy["name"], policy["label"])} for policy in policies]


def with_cases(policies: Sequence[Entry], cases: pd.DataFrame, column: str) -> list[Entry]:
    """The policies that played in the experiment, whose cases have the column."""
    if column not in cases:
        raise ValueError(f"column is {column!r}; allowed: {', '.join(map(str, cases))}.")
    played = set(cases["policy"])
    chosen = [policy for policy in policies if policy["name"] in played]
    if not chosen:
        names = ", ".join(sorted(played))
        raise ValueError(f"the cases hold none of the policies asked for; they hold: {names}.")
    return chosen


def looks(policies: Sequence[Entry], data: pd.DataFrame) -> dict[str, style.Look]:
    """Looks of all policies in the data, so that leaving one out does not change the others'."""
    names = [{"name": name} for name in data["policy"].unique()]
    return style.looks([*names, *policies])


def bound_slopes(constants: pd.DataFrame, instance: Entry) -> dict[str, float]:
    """The slopes of an instance's lower bounds, by the names of these."""
    (row,) = constants.loc[[instance["name"]]].to_dict("records")
    return {str(bound): float(slope) for bound, slope in row.items()}


def bound_heights(constants: pd.DataFrame, instances: Sequence[Entry], horizon: int) -> list[float]:
    """The unimodal lower bound at the horizon, constant * ln T, on each instance."""
    slopes = (constants.loc[one["name"], "unimodal"] for one in instances)
    return [slope * np.log(horizon) for slope in slopes]


def windows(slopes: pd.DataFrame, instance: str, policy: str, level: float) -> pd.DataFrame:
    """{last, runs, slope, low, high} of one policy on one instance, without the first rounds.

    From `low` to `high` is Student's interval at the confidence level.
    """
    rows = slopes[(slopes["instance"] == instance) & (slopes["policy"] == policy)]
    rows = rows[rows["last"] >= FIRST_DECADE].sort_values("last")
    if rows.empty:
        raise ValueError(
            f"there are no slopes of {policy!r} on {instance!r} that end at round "
            f"{FIRST_DECADE:,} or later."
        )
    means = map(intervals.Mean, rows["in_log"], rows["in_log_se"], rows["runs"])
    found = np.array([intervals.of_mean(mean, level) for mean in means])
    names = dict(zip(("slope", "low", "high"), found.T, strict=True))
    return rows[["last", "runs"]].assign(**names)


def reach(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Lengths of error bars either way; none where an end is infinite."""
    found = np.array([value - low, high - value])
    return np.where(np.isfinite(found), found, 0.0)


def sizes(instances: Sequence[Entry]) -> tuple[list[int], str]:
    """The sizes of the instances and what they are: sides of square matrices, or arms."""
    shapes = [instance.get("shape") or (0, _arms(instance)) for instance in instances]
    if all(rows == columns for rows, columns in shapes):
        return [rows for rows, _ in shapes], "Rows and columns of the matrix, K = L"
    return [max(1, rows) * columns for rows, columns in shapes], "Number of arms"


def _arms(instance: Entry) -> int:
    return int(instance.get("arms") or len(instance["means"]))


class Sweep(NamedTuple):
    """Regret at the horizon against what is swept: `ends` has a row of rows for each line."""

    swept: Sequence[Entry]
    lines: Sequence[Entry]
    looks: Looks
    ends: list[list[pd.Series]]
    of_policies: bool


def sweep(bands: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry]) -> Sweep:
    """A line for each instance where policies are swept, or for each policy where instances are."""
    chosen = drawn(policies)
    of_policies = all(policy.get("sweep") for policy in chosen)
    swept, lines = (chosen, instances) if of_policies else (instances, chosen)
    if (
        not all(one.get("sweep") for one in swept)
        or len({one["sweep"]["of"] for one in swept}) != 1
    ):
        raise ValueError(
            "nothing is swept, or more than one thing; allowed: policies, or instances, that come "
            "from one list in the config."
        )
    ends = []
    for line in lines:
        pairs = [(line, one) if of_policies else (one, line) for one in swept]
        ends.append([bands_of.final(bands, place["name"], p["name"]) for place, p in pairs])
    styles = style.looks(lines) if of_policies else looks(policies, bands)
    return Sweep(swept, lines, styles, ends, of_policies)


class Standings(NamedTuple):
    """A league as a matrix: policies from the best down, and the groups of cases."""

    order: pd.DataFrame  # of stats.standings.overall
    names: list[str]  # labels of the policies
    heads: list[str]  # labels of the groups
    cells: list[list[dict[Any, Any] | None]]  # rows of `by_group`; None: it cannot play there


def league(
    cases: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry], level: float
) -> Standings:
    """Standings of the policies that are drawn."""
    labels = {policy["name"]: policy["label"] for policy in drawn(policies)}
    chosen = cases[cases["policy"].isin(labels)]
    order, found = standings.overall(chosen, level), standings.by_group(chosen, level)
    places = {one["name"]: one["label"] for one in instances}
    groups = [name for name in [*places, RANDOM] if name in found["group"].unique()]
    matrices = int(chosen.loc[chosen["group"] == RANDOM, "case"].nunique())
    rows = {(row["group"], row["policy"]): row for row in found.to_dict("records") if row["plays"]}
    return Standings(
        order,
        [labels[name] for name in order["policy"]],
        [places.get(name, f"{matrices} random\nmatrices") for name in groups],
        [[rows.get((group, policy)) for group in groups] for policy in order["policy"]],
    )


def tied(cell: Mapping[Any, Any]) -> bool:
    """Whether a policy is not surely worse than the best one there."""
    return bool(cell["behind_low"] <= 0)
