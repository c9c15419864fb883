"""Local slopes of the regret between two rounds far apart, taken inside each run.

A difference of two rounds of the same run is free of what happened before the first of them, so its
spread is that of the late pulls alone.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankone.simulation import Runs
from rankone.stats import intervals
from rankone.stats.bands import read
from rankone.stats.intervals import Mean

Window = Sequence[int]  # the two rounds


def pace(t: float, c: float) -> float:
    """f(t) = ln t + c ln ln t, what the regret of an index policy grows with; c = 0: ln t."""
    return math.log(t) + c * math.log(max(1.0, math.log(t)))


def local(runs: Runs, window: Window, c: float = 0.0) -> np.ndarray:
    """(R(T2) - R(T1)) / (f(T2) - f(T1)) for each run."""
    first, last = (_place(runs.checkpoints, t) for t in window)
    rise = runs.regret[:, last] - runs.regret[:, first]
    return np.asarray(rise / (pace(window[1], c) - pace(window[0], c)))


def summary(runs: Runs, early: Window, late: Window, c: float = 0.0) -> dict[str, float]:
    """Mean and standard error of both slopes, of their paired change and sum, and in ln T."""
    before, after = local(runs, early, c), local(runs, late, c)
    columns = {
        "early": before,
        "late": after,
        "change": after - before,
        "sum": after + before,
        "late_in_log": local(runs, late),
    }
    row: dict[str, float] = {"runs": len(after), "c": c}
    for name, values in columns.items():
        row[name] = float(values.mean())
        row[f"{name}_se"] = float(values.std(ddof=1) / math.sqrt(len(values)))
    return row


def decades(cells: Iterable[tuple[str, str, Runs]], level: float) -> pd.DataFrame:
    """The slope in ln T over each decade, with Student's interval: (instance, policy, runs) in."""
    rows: list[dict[str, Any]] = []
    for instance, policy, runs in cells:
        powers = [10**k for k in range(2, 19) if 10**k in runs.checkpoints]
        for window in itertools.pairwise(powers):
            values = local(runs, window)
            se = float(values.std(ddof=1) / math.sqrt(len(values)))
            mean = Mean(float(values.mean()), se, len(values))
            slope, low, high = intervals.of_mean(mean, level)
            row = {"instance": instance, "policy": policy, "t": window[1], "runs": len(values)}
            rows.append(row | {"slope": slope, "low": low, "high": high})
    return pd.DataFrame(rows)


def study(
    files: Iterable[str | Path], early: Window, late: Window, loglog: Mapping[str, float]
) -> pd.DataFrame:
    """One row a policy on an instance, from files .../<instance>/<policy>/<batch>.npz.

    `loglog` gives the c of each policy that has one.
    """
    cells: dict[tuple[str, str], list[Runs]] = {}
    for file in map(Path, files):
        instance, policy = file.parts[-3:-1]
        cells.setdefault((instance, policy), []).append(read(file))
    rows: list[dict[str, Any]] = []
    for (instance, policy), batches in cells.items():
        regret = np.concatenate([batch.regret for batch in batches])
        runs = Runs(batches[0].checkpoints, regret, batches[0].pulls)
        place = {"instance": instance, "policy": policy}
        rows.append({**place, **summary(runs, early, late, float(loglog.get(policy, 0.0)))})
    return pd.DataFrame(rows)


def _place(checkpoints: np.ndarray, t: int) -> int:
    place = int(np.searchsorted(checkpoints, t))
    if place == len(checkpoints) or checkpoints[place] != t:
        raise ValueError(f"round {t:,} was not recorded; allowed: a checkpoint of the study.")
    return place
