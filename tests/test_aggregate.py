"""Bands worked out by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest

from rankone.simulation import Runs
from rankone.stats import bands as aggregate


def batch(*rows: list[float], checkpoints: tuple[int, ...] = (1, 10)) -> Runs:
    return Runs(np.array(checkpoints), np.array(rows), np.zeros((len(rows), 2), dtype=np.int64))


def test_bands_by_hand() -> None:
    # at t = 10 the regrets are 0, 2, 4, 6, 8: mean 4, variance 10, percentiles on the line 0 to 8
    runs = batch([1.0, 8.0], [1.0, 0.0], [1.0, 4.0], [1.0, 2.0], [1.0, 6.0])
    table = aggregate.bands([runs])
    assert table.columns.tolist() == ["t", "runs", "mean", "se", "p10", "p50", "p90"]
    assert table["t"].tolist() == [1, 10]
    assert table["runs"].tolist() == [5, 5]
    assert table.loc[0, ["mean", "se", "p10", "p50", "p90"]].tolist() == [1, 0, 1, 1, 1]
    assert table.loc[1, "mean"] == 4
    assert table.loc[1, "se"] == pytest.approx(np.sqrt(10 / 5), rel=1e-15)
    assert table.loc[1, ["p10", "p50", "p90"]].tolist() == pytest.approx([0.8, 4.0, 7.2])


def test_one_run_has_no_standard_error() -> None:
    table = aggregate.bands([batch([1.0, 3.0])])
    assert table["mean"].tolist() == [1, 3]
    assert table["se"].isna().all()


def test_batches_with_other_checkpoints_are_refused() -> None:
    with pytest.raises(ValueError, match="different checkpoints"):
        aggregate.bands([batch([1.0, 2.0]), batch([1.0, 2.0], checkpoints=(1, 20))])


def test_cutting_into_batches_changes_no_bit(tmp_path) -> None:
    rng = np.random.default_rng(1)
    regret = rng.exponential(size=(23, 2)) * 1e3  # sums that depend on the order of their terms
    tables = []
    for name, cuts in {"whole": [0, 23], "cut": [0, 2, 9, 10, 23]}.items():
        files = []
        for first, end in itertools.pairwise(cuts):
            files.append(tmp_path / name / "K4" / "uts" / f"{first}-{end - 1}.npz")
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            np.savez(files[-1], **batch(*regret[first:end].tolist())._asdict())
        # given in any order: "10-22" sorts before "2-8" as text
        tables.append(aggregate.study(sorted(files, reverse=True)))
    pd.testing.assert_frame_equal(*tables, check_exact=True)
    assert tables[0].columns.tolist()[:2] == ["instance", "policy"]
    assert tables[0]["instance"].unique().tolist() == ["K4"]
    assert tables[0]["policy"].unique().tolist() == ["uts"]
