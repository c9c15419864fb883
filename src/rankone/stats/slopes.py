"""Local slopes of the regret between two rounds far apart, taken inside each run.

The difference between two rounds of the same run does not depend on what happened before the first
of them, so its spread is that of the late pulls alone.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankone.runs import Batches, Runs
from rankone.stats.bands import InstanceName, PolicyName, mean_and_error

Window = Sequence[int]  # the two rounds

COLUMNS = (
    "instance", "policy", "runs", "c", "first", "last", "slope", "slope_se", "in_log", "in_log_se",
    "change", "change_se", "sum", "sum_se",
)  # fmt: skip


def pace(t: float, c: float) -> float:
    """f(t) = ln t + c ln ln t, what the regret of an index policy grows with; c = 0: ln t."""
    return math.log(t) + c * math.log(max(1.0, math.log(t)))


def local(runs: Runs, window: Window, c: float = 0.0) -> np.ndarray:
    """(R(T2) - R(T1)) / (f(T2) - f(T1)) for each run."""
    first, last = window
    rise = runs.at(last) - runs.at(first)
    return np.asarray(rise / (pace(last, c) - pace(first, c)))


def decades(checkpoints: np.ndarray) -> list[Window]:
    """The windows between successive powers of ten among the checkpoints, from 100 on."""
    return list(itertools.pairwise(10**k for k in range(2, 19) if 10**k in checkpoints))


def windows(
    runs: Runs | Batches, windows: Sequence[Window], c: float = 0.0
) -> list[dict[str, Any]]:
    """One row per window: mean and standard error of the slopes of all runs.

    `slope` is in f(T), `in_log` in ln T. `change` and `sum` are the slope minus, and plus, that of
    the window before in the same run; they are missing in the first window.
    """
    if not windows:
        return []
    batches = [runs] if isinstance(runs, Runs) else runs
    count, means, errors = mean_and_error(lambda batch: _columns(batch, windows, c), batches)
    rows: list[dict[str, Any]] = []
    for k, (first, last) in enumerate(windows):
        row: dict[str, Any] = {"runs": count, "c": float(c), "first": int(first), "last": int(last)}
        for name, mean, error in zip(
            COLUMNS[6::2], means[k :: len(windows)], errors[k :: len(windows)], strict=True
        ):
            row |= {name: float(mean), f"{name}_se": float(error)}
        rows.append(row)
    return rows


def _columns(runs: Runs, windows: Sequence[Window], c: float) -> np.ndarray:
    """What is averaged, one row per run: all slopes, then in_log, change and sum of all windows."""
    slopes = np.array([local(runs, window, c) for window in windows])
    before = np.vstack([np.full((1, len(runs)), np.nan), slopes[:-1]])
    in_log = np.array([local(runs, window) for window in windows])
    return np.vstack([slopes, in_log, slopes - before, slopes + before]).T


def table(
    cells: Iterable[tuple[InstanceName, PolicyName, Runs | Batches]],
    within: Sequence[Window] = (),
    c: Mapping[PolicyName, float] | None = None,
) -> pd.DataFrame:
    """One row per instance, policy and window, from cells (instance, policy, runs).

    `within` gives the windows, in order of time; the decades among the checkpoints unless given.
    `c` gives the constant of f(T) = ln T + c ln ln T for each policy that has one.
    """
    rows: list[dict[str, Any]] = []
    for instance, policy, runs in cells:
        chosen = within or decades(
            next(iter([runs] if isinstance(runs, Runs) else runs)).checkpoints
        )
        found = windows(runs, chosen, float((c or {}).get(policy, 0.0)))
        rows += [{"instance": instance, "policy": policy, **row} for row in found]
    return pd.DataFrame(rows, columns=list(COLUMNS))
