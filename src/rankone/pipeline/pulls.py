"""How often arms were pulled, and a digest of all runs of a cell: what `snakemake check` compares.

One row for each gap of an instance: pulls of all arms that have it, in a run.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from rankone.pipeline.campaigns import build, open_cells
from rankone.runs import Runs

KEY = ["study", "instance", "policy", "gap"]


def table(cells: Mapping[str, Iterable[Mapping[str, Any]]]) -> pd.DataFrame:
    """The pulls of all cells of some studies."""
    rows = []
    for study, listed in cells.items():
        for cell, (instance, policy, batches) in zip(listed, open_cells(listed), strict=True):
            gaps = build(cell["bandit"]).gaps
            for row in of_cell(gaps, batches):
                rows.append({"study": study, "instance": instance, "policy": policy, **row})
    return pd.DataFrame(rows)


def of_cell(gaps: np.ndarray, batches: Iterable[Runs]) -> list[dict[str, Any]]:
    """One row per gap: its arms, the runs, mean and standard error of its pulls, the digest."""
    rounded, place = np.unique(np.round(gaps, 12), return_inverse=True)
    digest, parts = hashlib.sha256(), []
    for batch in batches:
        for run in range(len(batch)):  # run by run: the cut into batches changes nothing
            digest.update(batch.regret[run].astype("<f8").tobytes())
            digest.update(batch.pulls[run].astype("<i8").tobytes())
        parts.append(
            [np.bincount(place, weights=row, minlength=len(rounded)) for row in batch.pulls]
        )
    pulls = np.concatenate(parts)
    runs = len(pulls)
    errors = pulls.std(axis=0, ddof=1) / np.sqrt(runs) if runs > 1 else np.zeros(len(rounded))
    return [
        {
            "gap": gap,
            "arms": int(np.sum(place == i)),
            "runs": runs,
            "mean": pulls[:, i].mean(),
            "se": errors[i],
            "digest": digest.hexdigest()[:16],
        }
        for i, gap in enumerate(rounded.tolist())
    ]
