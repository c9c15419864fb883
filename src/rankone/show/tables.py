"""The tables: bands in, one data frame a table, and one writer for all formats.

`policies` is the configuration's list of {name, label, published}, `instances` that of
{name, label, shape, published}: a policy's `published` is its name in the published numbers, an
instance's lists the experiments that used it, the preferred one first. Both are optional.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from rankone.paper.published import place
from rankone.show.text import interval, number, value_and_error, write_table
from rankone.stats.bands import final

Entry = dict[str, Any]


class Table(NamedTuple):
    """A table at full precision, and its cells as text."""

    data: pd.DataFrame
    shown: pd.DataFrame


def final_regret(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    published: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Regret at the horizon of each policy on each instance, beside the published value."""
    rows = []
    for instance, policy in itertools.product(instances, policies):
        last = final(bands, instance["name"], policy["name"])
        height, width = instance.get("shape") or (pd.NA, pd.NA)
        row = {
            "instance": instance["name"],
            "instance_label": instance["label"],
            "K": height,
            "L": width,
            "policy": policy["name"],
            "label": policy["label"],
            "t": int(last["t"]),
            "runs": int(last["runs"]),
            **{column: float(last[column]) for column in ("mean", "se", "p10", "p90")},
        }
        rows.append(row | _published(published, instance, policy, row["t"]))
    return pd.DataFrame(rows).astype({"K": "Int64", "L": "Int64", "published_runs": "Int64"})


def lower_bounds(constants: Sequence[Entry], horizon: int) -> pd.DataFrame:
    """Slopes in ln T and their values at the horizon.

    `constants` lists {name, label, unimodal, lai_robbins}, the constants from `theory`.
    """
    rows = [
        {
            "instance": entry["name"],
            "instance_label": entry["label"],
            "t": horizon,
            "slope": entry["unimodal"],
            "at_t": entry["unimodal"] * np.log(horizon),
            "lai_robbins_slope": entry["lai_robbins"],
            "lai_robbins_at_t": entry["lai_robbins"] * np.log(horizon),
        }
        for entry in constants
    ]
    return pd.DataFrame(rows)


def growth(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    published: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """How the final mean regret grows from an instance to the next one if that is K to 2K."""
    table = final_regret(bands, policies, instances, published).set_index(["instance", "policy"])
    rows = []
    steps = [pair for pair in itertools.pairwise(instances) if _doubles(*pair)]
    for policy, (small, large) in itertools.product(policies, steps):
        below, above = (table.loc[(one["name"], policy["name"])] for one in (small, large))
        ratio, error = _ratio(above["mean"], above["se"], below["mean"], below["se"])
        names = ["published_mean", "published_error"]
        told, reading = _ratio(*above[names], *below[names])
        row = {"policy": policy["name"], "label": policy["label"]}
        row |= {"from": small["label"], "to": large["label"], "ratio": ratio, "se": error}
        rows.append(row | {"published_ratio": told, "published_error": reading})
    columns = ("policy", "label", "from", "to", "ratio", "se", "published_ratio", "published_error")
    return pd.DataFrame(rows, columns=list(columns))


def ratio_to(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    reference: str,
    *,
    level: float = 0.95,
) -> pd.DataFrame:
    """How many times a policy's final mean regret goes into the reference policy's.

    The interval is by the delta method for the logarithm, so it never reaches below zero.
    """
    known = {policy["name"]: policy["label"] for policy in policies}
    if reference not in known:
        raise ValueError(f"reference is {reference!r}; allowed: {', '.join(known)}.")
    z, rows = float(norm.ppf(0.5 + level / 2)), []
    for instance, policy in itertools.product(instances, policies):
        if policy["name"] == reference:
            continue
        top = final(bands, instance["name"], reference)
        own = final(bands, instance["name"], policy["name"])
        ratio, error = _ratio(top["mean"], top["se"], own["mean"], own["se"])
        reach = np.exp(z * error / ratio)
        row = {"instance": instance["name"], "instance_label": instance["label"]}
        row |= {"policy": policy["name"], "label": policy["label"], "reference": known[reference]}
        row |= {"ratio": ratio, "se": error, "level": level}
        rows.append(row | {"low": ratio / reach, "high": ratio * reach})
    return pd.DataFrame(rows)


def write(table: pd.DataFrame, paths: Sequence[Any], name: str = "", caption: str = "") -> None:
    """Write a table as .csv (full precision), .md, .tex and .html (for the eye).

    `name` is that of the function that made the table; any other table is shown as it is.
    """
    write_table(table, VIEWS.get(name, _as_it_is)(table), paths, caption)


def _published(
    published: pd.DataFrame | None, instance: Entry, policy: Entry, t: int
) -> dict[str, Any]:
    """The published numbers for one row; missing values where nothing was published."""
    names = ("mean", "error", "p10", "p90", "runs", "source")
    found: dict[str, Any] = {f"published_{name}": np.nan for name in names}
    found |= {"published_runs": pd.NA, "published_source": None}
    if published is None or not policy.get("published") or not instance.get("published"):
        return found
    _known(published, "policy", policy["published"], policy["name"])
    for experiment in instance["published"]:
        _known(published, "experiment", experiment, instance["name"])
        rows = published[
            (published["experiment"] == experiment)
            & (published["policy"] == policy["published"])
            & (published["t"] == t)
            & _same_shape(published, instance.get("shape"))
        ].set_index("statistic")
        if "mean" in rows.index:
            mean = rows.loc["mean"]
            told = [name for name in ("mean", "p10", "p90") if name in rows.index]
            found |= {f"published_{name}": float(rows["value"][name]) for name in told}
            found |= {"published_error": float(mean["error"]), "published_runs": int(mean["runs"])}
            return found | {"published_source": place(mean["source"], experiment)}
    return found


def _same_shape(published: pd.DataFrame, shape: tuple[int, int] | None) -> pd.Series:
    if shape is None:
        return published["K"].isna()
    return ((published["K"] == shape[0]) & (published["L"] == shape[1])).fillna(False)


def _known(published: pd.DataFrame, column: str, value: str, owner: str) -> None:
    allowed = published[column].unique()
    if value not in allowed:
        raise ValueError(f"published of {owner} is {value!r}; allowed: {', '.join(allowed)}.")


def _doubles(small: Entry, large: Entry) -> bool:
    one, two = small.get("shape"), large.get("shape")
    return one is not None and two is not None and [2 * side for side in one] == list(two)


def _ratio(top: float, top_se: float, bottom: float, bottom_se: float) -> tuple[float, float]:
    """A ratio of independent means and its standard error by the delta method."""
    if bottom <= 0:
        return np.nan, np.nan
    ratio = top / bottom
    return float(ratio), float(np.hypot(top_se, ratio * bottom_se) / bottom)


def _show_final_regret(table: pd.DataFrame) -> pd.DataFrame:
    shown = {
        "Instance": table["instance_label"],
        "Policy": table["label"],
        "Runs": [f"{runs:,}" for runs in table["runs"]],
        "Mean ± s.e.": map(value_and_error, table["mean"], table["se"]),
        "10th–90th pct.": map(interval, table["p10"], table["p90"]),
        "Published ± error": [
            value_and_error(value, error, digits=1)
            for value, error in zip(table["published_mean"], table["published_error"], strict=True)
        ],
        "Published 10th–90th pct.": map(interval, table["published_p10"], table["published_p90"]),
        "Source": table["published_source"].fillna(""),
    }
    return pd.DataFrame({heading: list(cells) for heading, cells in shown.items()})


def _show_lower_bounds(table: pd.DataFrame) -> pd.DataFrame:
    when = f"at T = {int(table['t'].iloc[0]):,}" if len(table) else "at T"
    shown = {
        "Instance": table["instance_label"],
        "Lower bound: slope in ln T": [number(x, 5) for x in table["slope"]],
        when: [number(x, 5) for x in table["at_t"]],
        "Lai & Robbins: slope in ln T": [number(x, 5) for x in table["lai_robbins_slope"]],
        f"{when} (Lai & Robbins)": [number(x, 5) for x in table["lai_robbins_at_t"]],
    }
    return pd.DataFrame(shown)


def _show_growth(table: pd.DataFrame) -> pd.DataFrame:
    shown = {
        "Policy": table["label"],
        "From": table["from"],
        "To": table["to"],
        "Ratio ± s.e.": map(value_and_error, table["ratio"], table["se"]),
        "Published ± reading error": map(
            value_and_error, table["published_ratio"], table["published_error"]
        ),
    }
    return pd.DataFrame({heading: list(cells) for heading, cells in shown.items()})


def _show_ratio_to(table: pd.DataFrame) -> pd.DataFrame:
    reference = table["reference"].iloc[0] if len(table) else "reference"
    level = f"{100 * table['level'].iloc[0]:g} % interval" if len(table) else "interval"
    shown = {
        "Instance": table["instance_label"],
        "Policy": table["label"],
        f"{reference} / policy": [number(x) for x in table["ratio"]],
        level: map(interval, table["low"], table["high"]),
    }
    return pd.DataFrame({heading: list(cells) for heading, cells in shown.items()})


def _as_it_is(table: pd.DataFrame) -> pd.DataFrame:
    def text(value: Any) -> str:
        return number(value, 4) if isinstance(value, float) else str(value)

    return table.map(text).rename(columns=lambda name: str(name).replace("_", " "))


VIEWS = {
    "final_regret": _show_final_regret,
    "lower_bounds": _show_lower_bounds,
    "growth": _show_growth,
    "ratio_to": _show_ratio_to,
}
