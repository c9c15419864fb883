"""Bands: from runs to the mean, standard error and percentiles of the regret over time.

Figures, tables and claims are made from one table: instance, policy, t, runs, mean, se, p10, p50,
p90, one row per checkpoint t.
"""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from rankone.runs import Batches, Runs

PERCENTILES = (10, 50, 90)
BINS = 1024  # into which an interval is cut in one pass over the runs
ROWS = 4096  # that are added up at a time

# What the options of figures, tables and claims are checked as, before any job starts.
PolicyName = str
InstanceName = str


def of(runs: Runs | Batches) -> pd.DataFrame:
    """One row per checkpoint; a single run has no standard error.

    Batches are gone through several times, one in memory at a time, and the result is the same to
    the bit however the runs are cut: sums are taken in the order of the runs, and percentiles are
    found by counting (`_order_statistics`), not estimated.
    """
    batches = [runs] if isinstance(runs, Runs) else runs
    checkpoints, low, high = _ends(batches)
    count, mean, error = mean_and_error(lambda batch: batch.regret, batches)
    columns = {"t": checkpoints, "runs": count, "mean": mean, "se": error}
    percentiles = _percentiles(batches, count, low, high)
    return pd.DataFrame(
        columns | {f"p{p}": row for p, row in zip(PERCENTILES, percentiles, strict=True)}
    )


def _ends(batches: Iterable[Runs]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The checkpoints, and the smallest and largest regret there."""
    checkpoints, low, high = np.empty(0, dtype=np.int64), np.full(1, np.inf), np.full(1, -np.inf)
    for batch in batches:
        checkpoints = batch.checkpoints
        low = np.minimum(low, batch.regret.min(axis=0))
        high = np.maximum(high, batch.regret.max(axis=0))
    return checkpoints, low, high


def mean_and_error(
    of: Callable[[Runs], np.ndarray], batches: Iterable[Runs]
) -> tuple[int, np.ndarray, np.ndarray]:
    """How many runs, and over these the mean of each column and its standard error.

    `of` gives the columns of a batch, one row per run. The batches are gone through twice; a single
    run has no standard error.
    """
    count, total = 0, np.zeros(1)
    for batch in batches:
        count, total = count + len(batch), _add_rows(total, of(batch))
    mean = total / count
    if count == 1:
        return count, mean, np.full(len(mean), np.nan)
    total = np.zeros(1)
    for batch in batches:
        total = _add_rows(total, (of(batch) - mean) ** 2)
    return count, mean, np.asarray(np.sqrt(total / (count - 1)) / np.sqrt(count))


def _add_rows(total: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """total + first row + second row + ..., in this order; `sum` may group them otherwise."""
    for start in range(0, len(rows), ROWS):
        block = rows[start : start + ROWS].copy()
        block[0] += total
        total = np.add.accumulate(block, axis=0, out=block)[-1].copy()
    return total


def _percentiles(
    batches: Iterable[Runs], count: int, low: np.ndarray, high: np.ndarray
) -> list[np.ndarray]:
    """What np.percentile gives: on the line between the two runs around each percentile."""
    places = [(count - 1) * (p / 100) for p in PERCENTILES]
    below = [math.floor(place) for place in places]
    ranks = sorted({min(rank + step, count - 1) for rank in below for step in (0, 1)})
    found = dict(zip(ranks, _order_statistics(batches, ranks, low, high), strict=True))
    rows = []
    for place, rank in zip(places, below, strict=True):
        first, second, part = found[rank], found[min(rank + 1, count - 1)], place - rank
        step = second - first
        # from the nearer end, as NumPy does it
        rows.append(first + step * part if part < 0.5 else second - step * (1 - part))
    return rows


def _order_statistics(
    batches: Iterable[Runs], ranks: Sequence[int], low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """The regret of the run at each rank (0: the smallest), one column per checkpoint; exact.

    Each value is known to lie in an interval, at first from the smallest to the largest. One pass
    over the batches cuts all intervals into bins and counts the runs in these, with the smallest
    and largest one in each. The bin that holds the rank is the next interval, until it has shrunk
    to one value. A pass divides by BINS, so a million runs need two or three. Memory: one batch and
    the counts.
    """
    lower, upper = np.tile(low, (len(ranks), 1)), np.tile(high, (len(ranks), 1))
    while (unknown := np.argwhere(lower < upper)).size:
        ends = upper[*unknown.T]
        edges = np.linspace(lower[*unknown.T], ends, BINS + 1, axis=1)
        edges = np.minimum(edges, ends[:, None])  # rounding may lead beyond the end
        edges[:, -1] = ends
        counts, smallest, largest = _count(batches, unknown[:, 1], edges)
        for case, (row, column) in enumerate(unknown):
            place = np.searchsorted(counts[case], ranks[row], side="right")
            if place == 0:  # no smaller than the first edge, and not above it
                upper[row, column] = lower[row, column]
            else:
                lower[row, column] = smallest[case, place - 1]
                upper[row, column] = largest[case, place - 1]
    return lower


def _count(
    batches: Iterable[Runs], columns: np.ndarray, edges: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each case, a column of the regrets and edges in it: how many runs are up to each edge,
    and the smallest and the largest one between two edges."""
    counts = np.zeros(edges.shape, dtype=np.int64)
    smallest = np.full((len(edges), BINS), np.inf)
    largest = -smallest
    for batch in batches:
        for column in np.unique(columns):
            values = np.sort(batch.regret[:, column])
            for case in np.flatnonzero(columns == column):
                ends = np.searchsorted(values, edges[case], side="right")
                counts[case] += ends
                filled = np.flatnonzero(ends[1:] > ends[:-1])
                least, most = values[ends[filled]], values[ends[filled + 1] - 1]
                smallest[case, filled] = np.minimum(smallest[case, filled], least)
                largest[case, filled] = np.maximum(largest[case, filled], most)
    return counts, smallest, largest


def table(cells: Iterable[tuple[InstanceName, PolicyName, Runs | Batches]]) -> pd.DataFrame:
    """The bands of every policy on every instance; `cells` may be read one at a time."""
    tables = []
    for instance, policy, runs in cells:
        rows = of(runs)
        rows.insert(0, "instance", instance)
        rows.insert(1, "policy", policy)
        tables.append(rows)
    return pd.concat(tables, ignore_index=True)


def curve(bands: pd.DataFrame, instance: InstanceName, policy: PolicyName) -> pd.DataFrame:
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


def final(bands: pd.DataFrame, instance: InstanceName, policy: PolicyName) -> pd.Series:
    """The row at the horizon."""
    return curve(bands, instance, policy).iloc[-1]
