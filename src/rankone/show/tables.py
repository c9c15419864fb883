"""The kinds of tables: each public function takes data and returns a Table.

An entry under `tables:` of a configuration names one of them; the pipeline fills in the data and
passes the entry's other keys as they are. `bands` has the columns instance, policy, t, runs, mean,
se, p10, p50, p90; `policies` and `instances` are the configuration's entries. A policy's
`published` is its name in the published numbers; an instance's `published` lists the experiments
that used it, the preferred one first. Both are optional.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankone.show import formats
from rankone.show.formats import Table, write
from rankone.stats import bands as bands_of
from rankone.stats import intervals, standings
from rankone.stats.bands import PolicyName

__all__ = [
    "Table",
    "final_regret",
    "growth",
    "league",
    "league_by_instance",
    "lower_bounds",
    "numbers",
    "plain",
    "ratio_to",
    "speed",
    "speed_summary",
    "starts",
    "write",
]

Entry = Mapping[str, Any]


def final_regret(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    published: pd.DataFrame | None = None,
    *,
    drawn_only: bool = False,
) -> Table:
    """Regret at the horizon of each policy on each instance, beside the published value.

    `drawn_only` leaves out the policies with `draw: false`.
    """
    data = _finals(bands, _chosen(policies, drawn_only), instances, published)
    shown: dict[str, Iterable[Any]] = {
        "Instance": data["instance_label"],
        "Policy": data["label"],
        "Runs": [f"{runs:,}" for runs in data["runs"]],
        "Mean ± s.e.": map(formats.value_and_error, data["mean"], data["se"]),
        "10th–90th pct.": map(formats.interval, data["p10"], data["p90"]),
        "Published ± error": [
            formats.value_and_error(value, error, digits=1)
            for value, error in zip(data["published_mean"], data["published_error"], strict=True)
        ],
        "Published 10th–90th pct.": map(
            formats.interval, data["published_p10"], data["published_p90"]
        ),
        "Source": data["published_source"].fillna(""),
    }
    return Table(data, formats.columns(shown))


def lower_bounds(instances: Sequence[Entry], constants: pd.DataFrame, horizon: int) -> Table:
    """The lower bounds' slopes in ln T, and slope * ln T at the horizon.

    `constants` has the columns unimodal and lai_robbins, and one row for each instance name.
    """
    rows = [
        {
            "instance": instance["name"],
            "instance_label": instance["label"],
            "t": horizon,
            "slope": slopes["unimodal"],
            "at_t": slopes["unimodal"] * np.log(horizon),
            "lai_robbins_slope": slopes["lai_robbins"],
            "lai_robbins_at_t": slopes["lai_robbins"] * np.log(horizon),
        }
        for instance, slopes in ((one, constants.loc[one["name"]]) for one in instances)
    ]
    data = pd.DataFrame(rows)
    shown: dict[str, Iterable[Any]] = {
        "Instance": data["instance_label"],
        "Lower bound: slope in ln T": [formats.number(x, 5) for x in data["slope"]],
        f"at T = {horizon:,}": [formats.number(x, 5) for x in data["at_t"]],
        "Lai & Robbins: slope in ln T": [formats.number(x, 5) for x in data["lai_robbins_slope"]],
        f"at T = {horizon:,} (Lai & Robbins)": [
            formats.number(x, 5) for x in data["lai_robbins_at_t"]
        ],
    }
    return Table(data, formats.columns(shown))


def growth(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    published: pd.DataFrame | None = None,
) -> Table:
    """How the final mean regret grows from an instance to the next one if that is K to 2K."""
    ends = _finals(bands, policies, instances, published).set_index(["instance", "policy"])
    steps = [pair for pair in itertools.pairwise(instances) if _doubles(*pair)]
    rows = []
    for policy, (small, large) in itertools.product(policies, steps):
        below, above = (ends.loc[(one["name"], policy["name"])] for one in (small, large))
        ratio, error = _ratio(above["mean"], above["se"], below["mean"], below["se"])
        names = ["published_mean", "published_error"]
        told, reading = _ratio(*above[names], *below[names])
        row = {"policy": policy["name"], "label": policy["label"]}
        row |= {"from": small["label"], "to": large["label"], "ratio": ratio, "se": error}
        rows.append(row | {"published_ratio": told, "published_error": reading})
    columns = ("policy", "label", "from", "to", "ratio", "se", "published_ratio", "published_error")
    data = pd.DataFrame(rows, columns=list(columns))
    shown: dict[str, Iterable[Any]] = {
        "Policy": data["label"],
        "From": data["from"],
        "To": data["to"],
        "Ratio ± s.e.": map(formats.value_and_error, data["ratio"], data["se"]),
        "Published ± reading error": map(
            formats.value_and_error, data["published_ratio"], data["published_error"]
        ),
    }
    return Table(data, formats.columns(shown))


def ratio_to(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    *,
    reference: PolicyName,
    level: float = 0.95,
) -> Table:
    """The final mean regret of the reference policy over that of each other policy.

    The interval is Welch's on the log scale, so it never reaches below zero.
    """
    known = {policy["name"]: policy["label"] for policy in policies}
    if reference not in known:
        raise ValueError(f"reference is {reference!r}; allowed: {', '.join(known)}.")
    others = [policy for policy in policies if policy["name"] != reference]
    rows = []
    for instance, policy in itertools.product(instances, others):
        top = bands_of.final(bands, instance["name"], reference)
        own = bands_of.final(bands, instance["name"], policy["name"])
        ratio, error = _ratio(top["mean"], top["se"], own["mean"], own["se"])
        means = [intervals.Mean(row["mean"], row["se"], int(row["runs"])) for row in (top, own)]
        _, low, high = intervals.of_ratio(means[:1], means[1:], level)
        row = {"instance": instance["name"], "instance_label": instance["label"]}
        row |= {"policy": policy["name"], "label": policy["label"], "reference": known[reference]}
        rows.append(row | {"ratio": ratio, "se": error, "level": level, "low": low, "high": high})
    columns = ("instance", "instance_label", "policy", "label", "reference", "ratio", "se", "level")
    data = pd.DataFrame(rows, columns=[*columns, "low", "high"])
    shown: dict[str, Iterable[Any]] = {
        "Instance": data["instance_label"],
        "Policy": data["label"],
        f"{known[reference]} / policy": [formats.number(x) for x in data["ratio"]],
        f"{100 * level:g} % interval": map(formats.interval, data["low"], data["high"]),
    }
    return Table(data, formats.columns(shown))


def league(
    cases: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry], level: float
) -> Table:
    """The standings of a league, the best policy first; see `stats/standings.py`."""
    labels = {policy["name"]: policy["label"] for policy in policies}
    data = standings.overall(cases[cases["policy"].isin(labels)], level)
    data.insert(1, "label", data["policy"].map(labels))
    total = cases["group"].nunique()
    told = f"{100 * level:g} %"
    shown: dict[str, Any] = {
        "Policy": data["label"],
        "Mean rank": [f"{x:.1f}" for x in data["rank"]],
        "Regret / best": [f"{x:.2f}" for x in data["factor"]],
        f"Matrices won ({told})": [
            formats.NOTHING
            if np.isnan(won)
            else f"{100 * won:.0f} % [{100 * a:.0f}, {100 * b:.0f}]"
            for won, a, b in zip(data["won"], data["won_low"], data["won_high"], strict=True)
        ],
        f"Behind the best on them ({told})": [
            _signed(*ends)
            for ends in zip(data["behind"], data["behind_low"], data["behind_high"], strict=True)
        ],
        "Regret / (constant · ln T)": [f"{x:.2f}" for x in data["share"]],
        "CPU per run (ms)": map(formats.number, data["cpu_ms"]),
        "Plays on": [f"{count} of {total}" for count in data["groups"]],
    }
    return Table(data, formats.columns(shown))


def league_by_instance(
    cases: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry], level: float
) -> Table:
    """Every policy on every instance of a league: mean regret, and the difference to the best."""
    labels = {policy["name"]: policy["label"] for policy in policies}
    places = {one["name"]: one["label"] for one in instances}
    data = standings.by_group(cases[cases["policy"].isin(labels)], level)
    data = data.sort_values(["group", "mean"], kind="stable", key=_in_order([*places]))
    data.insert(1, "instance_label", data["group"].map(places).fillna("random matrices"))
    data.insert(3, "label", data["policy"].map(labels))
    told = f"{100 * level:g} %"
    shown: dict[str, Any] = {
        "Instance": data["instance_label"],
        "Policy": data["label"],
        "Runs": [f"{int(n):,}" if n == n else formats.NOTHING for n in data["runs"]],
        f"Mean regret ({told})": [
            f"{formats.number(m)} [{formats.number(a)}, {formats.number(b)}]"
            if p
            else "cannot play"
            for p, m, a, b in zip(
                data["plays"], data["mean"], data["low"], data["high"], strict=True
            )
        ],
        f"Behind the best ({told})": [
            _signed(*ends)
            for ends in zip(data["behind"], data["behind_low"], data["behind_high"], strict=True)
        ],
        "Regret / best": [f"{x:.2f}" if x == x else formats.NOTHING for x in data["ratio"]],
        "Regret / (constant · ln T)": [
            f"{x:.2f}" if x == x else formats.NOTHING for x in data["share"]
        ],
        "CPU per run (ms)": map(formats.number, data["cpu_ms"]),
    }
    return Table(data, formats.columns(shown))


def _in_order(names: list[str]) -> Any:
    """A sort key: groups in the order of the instances, and numbers as they are."""
    places = {name: place for place, name in enumerate(names)}
    return lambda column: column.map(
        lambda x: places.get(x, len(places)) if isinstance(x, str) else x
    )


def _signed(value: float, low: float, high: float) -> str:
    """A difference to the best with its interval; the best itself is that."""
    if np.isnan(value):
        return formats.NOTHING
    if value == low == high == 0:
        return "best"
    return f"+{formats.number(value)} [{formats.number(low)}, {formats.number(high)}]"


def speed(times: pd.DataFrame, policies: Sequence[Entry]) -> Table:
    """What a run costs, fast and plain, by policy, size and horizon.

    `times` has the columns policy, size, horizon, fast_ms, plain_ms and events, the pulls of arms
    other than the most pulled one: what a trajectory consists of, and what a fast run pays for.
    """
    rank = {policy["name"]: place for place, policy in enumerate(policies)}
    labels = {policy["name"]: policy["label"] for policy in policies}
    data = times[times["policy"].isin(rank)]
    data = data.assign(
        plain_over_fast=data["plain_ms"] / data["fast_ms"],
        fast_us_per_event=1e3 * data["fast_ms"] / data["events"],
        label=data["policy"].map(labels),
        rank=data["policy"].map(rank),
    )
    data = data.sort_values(["rank", "size", "horizon"], kind="stable", ignore_index=True)
    data = data.drop(columns="rank")
    shown: dict[str, Iterable[Any]] = {
        "Policy": data["label"],
        "K": data["size"].astype(str),
        "T": [f"{t:,}" for t in data["horizon"]],
        "Fast (ms per run)": map(formats.number, data["fast_ms"]),
        "Plain (ms per run)": map(formats.number, data["plain_ms"]),
        "Plain / fast": map(formats.number, data["plain_over_fast"]),
        "Pulls of other arms": map(formats.number, data["events"]),
        "Fast (µs per such pull)": map(formats.number, data["fast_us_per_event"]),
    }
    return Table(data, formats.columns(shown))


def speed_summary(times: pd.DataFrame, policies: Sequence[Entry]) -> Table:
    """One row per policy: two sizes of the paper at its horizon, and a horizon of 1e12."""
    cost = times.set_index(["size", "horizon", "policy"]).sort_index()
    names = [policy["name"] for policy in policies]
    data = pd.DataFrame({"policy": names, "label": [policy["label"] for policy in policies]})
    headings = {"label": "Policy"}
    for size in (4, 16):
        cell = cost.xs((size, 3 * 10**5)).reindex(names).reset_index(drop=True)
        data[f"K{size}_plain_ms"], data[f"K{size}_fast_ms"] = cell["plain_ms"], cell["fast_ms"]
        data[f"K{size}_plain_over_fast"] = cell["plain_ms"] / cell["fast_ms"]
        headings[f"K{size}_plain_ms"] = f"K = {size}: plain (ms)"
        headings[f"K{size}_fast_ms"] = f"K = {size}: fast (ms)"
        headings[f"K{size}_plain_over_fast"] = f"K = {size}: plain / fast"
    longest = cost.xs((4, 10**12)).reindex(names).reset_index(drop=True)
    data["K4_T1e12_fast_ms"] = longest["fast_ms"]
    data["K4_T1e12_fast_us_per_event"] = 1e3 * longest["fast_ms"] / longest["events"]
    headings["K4_T1e12_fast_ms"] = "K = 4, T = 1e12: fast (ms)"
    headings["K4_T1e12_fast_us_per_event"] = "µs per pull of another arm"
    return Table(data, _as_text(data[list(headings)]).rename(columns=headings))


def starts(starts: pd.DataFrame) -> Table:
    """What a job and a whole campaign cost with an empty cache of compiled code and a full one."""
    shown: dict[str, Iterable[Any]] = {
        "What": starts["what"],
        "Cache": starts["cache"],
        "Clock (s)": map(formats.number, starts["seconds"]),
        "CPU (s)": map(formats.number, starts["cpu_seconds"]),
        "Largest process (MB)": map(formats.number, starts["largest_process_mb"]),
    }
    return Table(starts, formats.columns(shown))


def numbers(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
    horizon: int,
) -> Table:
    """Numbers for the text of a paper, as LaTeX macros: \\rankoneUTSfour, \\rankoneUTSfourError.

    The mean regret of each policy on each instance and its standard error, the lower bounds'
    constants (\\rankoneBoundfour, \\rankoneLaiRobbinsfour), and the horizon.
    """
    rows: list[tuple[str, str, str]] = [
        (formats.macro("Horizon"), f"{horizon:,}", "rounds"),
    ]
    for instance in instances:
        where = instance["label"]
        for bound, word, meaning in (
            ("unimodal", "Bound", "slope of the lower bound in ln T"),
            ("lai_robbins", "LaiRobbins", "slope of the bound of Lai and Robbins in ln T"),
        ):
            slope = constants[bound].to_dict()[instance["name"]]
            name, value = formats.macro(word, where), formats.number(slope, 4)
            rows.append((name, value, f"{meaning}, {where}"))
        for policy in policies:
            last = bands_of.final(bands, instance["name"], policy["name"])
            mean, *error = formats.value_and_error(last["mean"], last["se"]).split(" ± ")
            name, meaning = formats.macro(policy["label"], where), f"{policy['label']}, {where}"
            rows.append((name, mean, f"mean regret of {meaning}"))
            rows += [(f"{name}Error", text, "its standard error") for text in error]
    data = pd.DataFrame(rows, columns=["macro", "value", "meaning"])
    if (twice := data.loc[data["macro"].duplicated(), "macro"]).size:
        raise ValueError(f"two numbers would be \\{twice.iloc[0]}; allowed: labels that differ.")
    shown: dict[str, Iterable[Any]] = {
        "Macro": [f"\\{name}" for name in data["macro"]],
        "Value": data["value"],
        "Meaning": data["meaning"],
    }
    lines = [
        rf"\newcommand{{\{name}}}{{{value.replace(',', '{,}')}}} % {meaning}"
        for name, value, meaning in rows
    ]
    return Table(data, formats.columns(shown), "\n".join(lines) + "\n")


def plain(cases: pd.DataFrame) -> Table:
    """The cases of an experiment as they are, with the columns' names as headings."""
    return Table(cases, _as_text(cases).rename(columns=lambda name: str(name).replace("_", " ")))


def _finals(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    published: pd.DataFrame | None,
) -> pd.DataFrame:
    """One row per instance and policy: the regret at the horizon and what was published."""
    rows = []
    for instance, policy in itertools.product(instances, policies):
        last = bands_of.final(bands, instance["name"], policy["name"])
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
            return found | {"published_source": mean["place"]}
    return found


def _same_shape(published: pd.DataFrame, shape: Sequence[int] | None) -> pd.Series:
    if shape is None:
        return published["K"].isna()
    return ((published["K"] == shape[0]) & (published["L"] == shape[1])).fillna(False)


def _known(published: pd.DataFrame, column: str, value: str, owner: str) -> None:
    allowed = published[column].unique()
    if value not in allowed:
        raise ValueError(f"published of {owner} is {value!r}; allowed: {', '.join(allowed)}.")


def _chosen(policies: Sequence[Entry], drawn_only: bool) -> list[Entry]:
    chosen = [policy for policy in policies if policy.get("draw", True) or not drawn_only]
    if not chosen:
        raise ValueError("no policy is left to show; allowed: at least one with draw: true.")
    return chosen


def _doubles(small: Entry, large: Entry) -> bool:
    one, two = small.get("shape"), large.get("shape")
    return one is not None and two is not None and [2 * side for side in one] == list(two)


def _ratio(top: float, top_se: float, bottom: float, bottom_se: float) -> tuple[float, float]:
    """A ratio of independent means and its standard error by the delta method."""
    if bottom <= 0:
        return np.nan, np.nan
    ratio = top / bottom
    return float(ratio), float(np.hypot(top_se, ratio * bottom_se) / bottom)


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers with four digits, truth values as yes or no, and everything else as it is."""

    def text(value: Any) -> str:
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if isinstance(value, float):
            return formats.number(value, 4)
        return f"{value:,}" if isinstance(value, int | np.integer) else str(value)

    return table.map(text)
