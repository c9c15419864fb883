"""Slopes inside each run, by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from rankone.runs import Runs
from rankone.stats import slopes

TIMES = np.array([10, 100, 1000, 10_000])
EARLY, LATE = (10, 100), (1000, 10_000)


def runs(*rows: list[float]) -> Runs:
    return Runs(TIMES, np.array(rows, dtype=float), np.zeros((len(rows), 1), dtype=np.int64))


def test_a_straight_line_in_ln_t_has_its_slope_in_every_run() -> None:
    lines = runs(*[[a + 7 * math.log(t) for t in TIMES] for a in (0.0, 5.0, 100.0)])
    assert slopes.local(lines, LATE) == pytest.approx([7, 7, 7])


def test_a_regret_that_grows_with_f_has_a_larger_slope_in_ln_t() -> None:
    f = [math.log(t) + 3 * math.log(math.log(t)) for t in TIMES]
    batch = runs([7 * x for x in f], [1 + 7 * x for x in f])
    early, late = slopes.windows(batch, [EARLY, LATE], c=3)
    assert (early["slope"], late["slope"]) == pytest.approx((7, 7))
    assert late["in_log"] > 7
    assert late["change"] == pytest.approx(0)
    assert late["slope_se"] == pytest.approx(0)


def test_change_and_sum_are_paired_with_the_window_before() -> None:
    unit = math.log(10)
    batch = runs([0, unit, 0, 2 * unit], [0, 5 * unit, 0, 6 * unit])
    early, late = slopes.windows(batch, [EARLY, LATE])
    assert (early["slope"], late["slope"]) == pytest.approx((3, 4))
    assert early["slope_se"] == pytest.approx(2)
    assert (late["change"], late["change_se"]) == pytest.approx((1, 0))
    assert (late["sum"], late["sum_se"]) == pytest.approx((7, 4))
    assert all(math.isnan(early[key]) for key in ("change", "change_se", "sum", "sum_se"))


def test_the_table_has_one_row_per_window_and_the_c_of_each_policy() -> None:
    batch = runs([0, 1, 2, 3], [0, 1, 2, 5])
    cells = [("K4", "a", batch), ("K4", "b", batch)]
    table = slopes.table(cells, [EARLY, LATE], {"b": 3})
    assert list(table) == list(slopes.COLUMNS)
    assert table[["first", "last"]].values.tolist() == [list(EARLY), list(LATE)] * 2
    a, b = (table[table["policy"] == name].iloc[-1] for name in "ab")
    assert (a["slope"], a["runs"], a["c"]) == (pytest.approx(2 / math.log(10)), 2, 0)
    assert b["c"] == 3
    assert b["slope"] < a["slope"]
    assert b["in_log"] == pytest.approx(a["slope"])


def test_decades_by_default() -> None:
    rows = np.array([[0, 1, 3, 6], [0, 1, 5, 6]]) * math.log(10)
    table = slopes.table([("x", "a", runs(*rows.tolist()))])
    assert table["first"].tolist() == [100, 1000]
    assert table["in_log"].tolist() == pytest.approx([3, 2])


def test_too_few_checkpoints_give_an_empty_table() -> None:
    batch = Runs(np.array([50, 100]), np.zeros((2, 2)), np.zeros((2, 1), dtype=np.int64))
    table = slopes.table([("x", "a", batch)])
    assert table.empty
    assert list(table) == list(slopes.COLUMNS)


def test_one_run_has_no_standard_error() -> None:
    (row,) = slopes.windows(runs([0, 1, 2, 3]), [LATE])
    assert math.isnan(row["slope_se"])


def test_a_round_that_was_not_recorded_is_refused() -> None:
    with pytest.raises(ValueError, match=r"round 500 was not recorded"):
        slopes.local(runs([0, 1, 2, 3]), (500, 1000))


def test_batches_give_the_same_slopes_as_all_runs_at_once() -> None:
    rows = np.random.default_rng(1).normal(size=(50, 4)).cumsum(axis=1)
    all_runs = runs(*rows.tolist())
    parts = [runs(*rows[:7].tolist()), runs(*rows[7:30].tolist()), runs(*rows[30:].tolist())]
    one, cut = (pd.DataFrame(slopes.windows(x, [EARLY, LATE], c=3)) for x in (all_runs, parts))
    pd.testing.assert_frame_equal(one, cut, check_exact=True)
