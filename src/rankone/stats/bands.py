"""From runs to bands: mean, standard error and percentiles of the regret at each checkpoint."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from rankone.simulation import Runs

PERCENTILES = (10, 50, 90)


def bands(batches: Sequence[Runs]) -> pd.DataFrame:
    """One row a checkpoint t over the runs of all batches; one run alone has no standard error."""
    checkpoints = batches[0].checkpoints
    if any(not np.array_equal(batch.checkpoints, checkpoints) for batch in batches):
        raise ValueError("the batches were recorded at different checkpoints; allowed: the same.")
    regret = np.concatenate([batch.regret for batch in batches])
    runs = len(regret)
    spread = regret.std(axis=0, ddof=1) if runs > 1 else np.full(len(checkpoints), np.nan)
    columns = {
        "t": checkpoints,
        "runs": runs,
        "mean": regret.mean(axis=0),
        "se": spread / np.sqrt(runs),
    }
    percentiles = np.percentile(regret, PERCENTILES, axis=0)
    return pd.DataFrame(
        columns | {f"p{p}": row for p, row in zip(PERCENTILES, percentiles, strict=True)}
    )


def study(files: Iterable[str | Path]) -> pd.DataFrame:
    """The bands of every policy on every instance, from files .../<instance>/<policy>/<batch>.npz.

    The batches of a cell are joined in the order of their runs, so cutting them changes no bit.
    """
    cells: dict[Path, list[Path]] = {}
    for file in map(Path, files):
        cells.setdefault(file.parent, []).append(file)
    tables = []
    for cell, batches in cells.items():
        table = bands([read(file) for file in sorted(batches, key=_first_run)])
        table.insert(0, "instance", cell.parent.name)
        table.insert(1, "policy", cell.name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def read(file: Path) -> Runs:
    """The runs that `python -m rankone simulate --out` wrote."""
    with np.load(file) as arrays:
        return Runs(**{name: arrays[name] for name in Runs._fields})


def _first_run(file: Path) -> int:
    return int(file.stem.split("-")[0])


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
