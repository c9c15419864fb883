"""Slopes inside each run, by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

from rankone.__main__ import save
from rankone.simulation import Runs
from rankone.stats import slopes

TIMES = np.array([10, 100, 1000, 10_000])
EARLY, LATE = (10, 100), (1000, 10_000)


def runs(*rows: list[float]) -> Runs:
    return Runs(TIMES, np.array(rows), np.zeros((len(rows), 1), dtype=np.int64))


def test_a_straight_line_in_ln_t_has_its_slope_in_every_run() -> None:
    lines = runs(*[[a + 7 * math.log(t) for t in TIMES] for a in (0.0, 5.0, 100.0)])
    assert slopes.local(lines, LATE) == pytest.approx([7, 7, 7])


def test_a_regret_that_grows_with_f_has_a_larger_slope_in_ln_t() -> None:
    f = [math.log(t) + 3 * math.log(math.log(t)) for t in TIMES]
    row = slopes.summary(runs([7 * x for x in f], [1 + 7 * x for x in f]), EARLY, LATE, c=3)
    assert row["early"] == pytest.approx(7)
    assert row["late"] == pytest.approx(7)
    assert row["late_in_log"] > 7
    assert row["change"] == pytest.approx(0)
    assert row["late_se"] == pytest.approx(0)


def test_the_change_is_paired() -> None:
    unit = math.log(10)
    row = slopes.summary(runs([0, unit, 0, 2 * unit], [0, 5 * unit, 0, 6 * unit]), EARLY, LATE)
    assert (row["early"], row["late"]) == pytest.approx((3, 4))
    assert row["early_se"] == pytest.approx(2)
    assert (row["change"], row["change_se"]) == pytest.approx((1, 0))
    assert (row["sum"], row["sum_se"]) == pytest.approx((2 * row["early"] + 1, 4))


def test_a_study_joins_the_batches_and_takes_the_c_of_each_policy(tmp_path: Path) -> None:
    one, two = runs([0, 1, 2, 3]), runs([0, 1, 2, 5])
    files = [tmp_path / "K4" / name for name in ("a/0-0.npz", "a/1-1.npz", "b/0-1.npz")]
    for file, batch in zip(files, (one, two, runs([0, 1, 2, 3], [0, 1, 2, 5])), strict=True):
        save(batch, file)
    table = slopes.study(files, EARLY, LATE, {"b": 3}).set_index("policy")
    assert table.loc["a", "late"] == pytest.approx(2 / math.log(10))
    assert table.loc["a", "runs"] == 2
    assert table.loc["b", "c"] == 3
    assert table.loc["b", "late_in_log"] == pytest.approx(table.loc["a", "late"])


def test_a_round_that_was_not_recorded_is_refused() -> None:
    with pytest.raises(ValueError, match=r"round 500 was not recorded"):
        slopes.local(runs([0, 1, 2, 3]), (500, 1000))
