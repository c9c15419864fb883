"""The tables about this paper: verdicts on its claims, and published numbers beside ours.

Each function is a kind of table that a config can ask for: plain data in, a `Table` out.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankone.paper import published as numbers
from rankone.show import formats
from rankone.show.tables import Table

Record = Mapping[str, Any]  # a claim with its verdict: `verdicts.record`


def claims(verdicts: Sequence[Record]) -> Table:
    """One short line per claim: the comparison that decides it, and the verdict."""
    data = _flat(verdicts)
    shown: dict[str, Iterable[Any]] = {
        "No.": _numbered(data),
        "Claim": data["statement"],
        "Decided by": data["decided_by"],
        "Verdict": data["verdict"],
    }
    return Table(data, formats.columns(shown))


def claims_in_full(verdicts: Sequence[Record]) -> Table:
    """The claims with their place in the paper and the reasons of the verdicts."""
    data = _flat(verdicts)
    ends = zip(data["low"], data["high"], strict=True)
    shown: dict[str, Iterable[Any]] = {
        "No.": _numbered(data),
        "Claim": data["statement"],
        "Place": data["place"],
        "Verdict": data["verdict"],
        "Statistic": [formats.number(x, 4) for x in data["statistic"]],
        "Interval": [f"{formats.number(x, 4)} to {formats.number(y, 4)}" for x, y in ends],
        "Reason": data["reason"],
    }
    return Table(data, formats.columns(shown))


def published(compared: pd.DataFrame, *, limit: float = numbers.LIMIT) -> Table:
    """Every published number beside that of the variant which our figures show.

    `beyond` says whether they are further apart than `limit` combined standard errors.
    """
    data = compared[compared["main"]].reset_index(drop=True)
    data = data.assign(beyond=data["z"].abs() > limit)
    theirs = np.hypot(data["theirs_se"], data["reading_error"])
    shown: dict[str, Iterable[Any]] = {
        "Experiment": map(numbers.place, data["source"], data["experiment"]),
        "Size": map(_size, data["K"], data["L"]),
        "t": [f"{t:,}" for t in data["t"]],
        "Policy": data["variant_label"],
        "Statistic": data["statistic"],
        "Published ± error": map(_with_error, data["published"], theirs),
        "Ours ± s.e.": map(_with_error, data["ours"], data["ours_se"]),
        "z": map(_z, data["z"]),
        f"Beyond ±{limit:g}": ["yes" if beyond else "no" for beyond in data["beyond"]],
    }
    return Table(data, formats.columns(shown))


def variants(compared: pd.DataFrame, *, limit: float = numbers.LIMIT) -> Table:
    """How far each variant of a policy is from the numbers published for it."""
    data = numbers.summary(compared, limit)
    shown: dict[str, Iterable[Any]] = {
        "Experiment": map(numbers.place, data["source"], data["experiment"]),
        "Policy": map(numbers.spoken, data["policy"]),
        "Variant": data["variant_label"],
        "Shown in the figures": ["yes" if main else "no" for main in data["main"]],
        "Numbers": data["numbers"].astype(str),
        "Mean z": map(_z, data["mean_z"]),
        "Root mean square z": map(_z, data["rms_z"]),
        "Largest z": map(_z, data["largest_z"]),
        f"Beyond ±{limit:g}": data["beyond"].astype(str),
    }
    return Table(data, formats.columns(shown))


def tie_breaking(cases: pd.DataFrame) -> Table:
    """The final regret of UTS by how ties between leaders are broken."""
    shown: dict[str, Iterable[Any]] = {
        "Best arm": cases["best_arm"],
        "Warm-up": ["yes" if warm_up else "no" for warm_up in cases["warm_up"]],
        "Ties": cases["ties"],
        "Runs": [f"{runs:,}" for runs in cases["runs"]],
        "Mean ± s.e.": map(_with_error, cases["mean"], cases["se"]),
    }
    return Table(cases, formats.columns(shown))


def _flat(verdicts: Sequence[Record]) -> pd.DataFrame:
    """The records without the lists in them, by their numbers; claims without one come last."""
    keys = ("number", "name", "statement", "place", "verdict", "decided_by", "statistic", "reason")
    rows = []
    for record in verdicts:
        low, high = record["interval"]
        row = {key: record[key] for key in keys}
        rows.append(row | {"low": low, "high": high, "comparisons": len(record["comparisons"])})
    columns = [*keys[:-1], "low", "high", "comparisons", "reason"]
    types: dict[str, Any] = {"number": "Int64", "statistic": float, "low": float, "high": float}
    table = pd.DataFrame(rows, columns=columns).astype(types)
    return table.sort_values("number", kind="stable", ignore_index=True)


def _numbered(data: pd.DataFrame) -> list[str]:
    return ["" if pd.isna(number) else f"{number}" for number in data["number"]]


def _size(rows: Any, columns: Any) -> str:
    return "graph" if pd.isna(rows) else f"{rows} × {columns}"


def _with_error(value: float, error: float) -> str:
    """Few runs may have no finite standard error of a percentile: then the value alone."""
    return formats.value_and_error(value, error if math.isfinite(error) else math.nan)


def _z(z: float) -> str:
    return formats.number(z, 2).replace("-", "−")
