"""Bands worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from rankone.runs import Runs
from rankone.stats import bands


def made(*rows: list[float], checkpoints: tuple[int, ...] = (1, 10)) -> Runs:
    return Runs(np.array(checkpoints), np.array(rows), np.zeros((len(rows), 2), dtype=np.int64))


def test_bands_by_hand() -> None:
    # at t = 10 the regrets are 0, 2, 4, 6, 8: mean 4, variance 10, percentiles on the line 0 to 8
    table = bands.of(made([1.0, 8.0], [1.0, 0.0], [1.0, 4.0], [1.0, 2.0], [1.0, 6.0]))
    assert table.columns.tolist() == ["t", "runs", "mean", "se", "p10", "p50", "p90"]
    assert table["t"].tolist() == [1, 10]
    assert table["runs"].tolist() == [5, 5]
    assert table.loc[0, ["mean", "se", "p10", "p50", "p90"]].tolist() == [1, 0, 1, 1, 1]
    assert table.loc[1, "mean"] == 4
    assert table.loc[1, "se"] == pytest.approx(np.sqrt(10 / 5), rel=1e-15)
    assert table.loc[1, ["p10", "p50", "p90"]].tolist() == pytest.approx([0.8, 4.0, 7.2])


def test_one_run_has_no_standard_error() -> None:
    table = bands.of(made([1.0, 3.0]))
    assert table["mean"].tolist() == [1, 3]
    assert table["se"].isna().all()


def test_a_table_holds_every_cell_in_its_order() -> None:
    cells = [("K8", "uts", made([1.0, 2.0])), ("K4", "ts", made([3.0, 4.0]))]
    table = bands.table(iter(cells))
    assert table.columns.tolist()[:3] == ["instance", "policy", "t"]
    assert table["instance"].tolist() == ["K8", "K8", "K4", "K4"]
    assert bands.curve(table, "K4", "ts")["mean"].tolist() == [3, 4]
    assert bands.final(table, "K8", "uts")["mean"] == 2


@pytest.mark.parametrize(
    ("instance", "policy", "words"),
    [("K5", "uts", "no instance 'K5'; they hold: K4"), ("K4", "x", "no policy 'x'; they hold: ts")],
)
def test_a_cell_that_is_not_there_is_named(instance: str, policy: str, words: str) -> None:
    table = bands.table([("K4", "ts", made([3.0, 4.0]))])
    with pytest.raises(ValueError, match=words):
        bands.curve(table, instance, policy)


def test_curves_are_in_time_order() -> None:
    rows = bands.table([("K4", "ts", made([3.0, 4.0]))])
    mixed = pd.concat([rows.iloc[[1]], rows.iloc[[0]]])
    assert bands.curve(mixed, "K4", "ts")["t"].tolist() == [1, 10]
