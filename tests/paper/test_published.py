"""Published numbers beside ours: which belong together, and how far apart they are."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankone.paper import published
from rankone.runs import Runs

NORMAL = np.random.default_rng(1).normal(100, 10, 100_000)


def told(**changes: Any) -> pd.DataFrame:
    row = {"source": "s", "experiment": "figure3", "K": 4, "L": 4, "t": 1000, "runs": 100}
    row |= {"policy": "THEM", "statistic": "mean", "value": 103.0, "error": 0.0}
    return pd.DataFrame([row | changes]).astype({"K": "Int64", "L": "Int64"})


def cell(sample: np.ndarray = NORMAL, **policy: Any) -> published.Cell:
    instance = {"name": "K4", "label": "K = 4", "shape": (4, 4), "published": ("figure3",)}
    entry = {"name": "us", "label": "Us", "published": "THEM", "draw": True} | policy
    return published.Cell(instance, entry, np.array([10, 1000]), np.stack([sample] * 2, axis=1))


def z(table: pd.DataFrame, *cells: published.Cell) -> float:
    return float(published.compare(table, cells or [cell()])["z"].iloc[0])


def test_the_z_of_a_mean_counts_their_runs_ours_and_the_reading() -> None:
    assert z(told()) == pytest.approx(3.0, abs=0.1)  # sd 10, 100 runs: an error of 1
    assert z(told(runs=400)) == pytest.approx(6.0, abs=0.2)
    assert z(told(error=2.0)) == pytest.approx(3 / math.sqrt(5), abs=0.1)
    few = published.compare(told(), [cell(NORMAL[:100])])["combined_se"].iloc[0]
    assert few == pytest.approx(math.sqrt(2) * NORMAL[:100].std(ddof=1) / 10)


def test_the_z_of_a_percentile() -> None:
    truth = 100 + 10 * 1.2816
    spread = math.sqrt(0.09 / 100) / (math.exp(-(1.2816**2) / 2) / math.sqrt(2 * math.pi)) * 10
    table = told(statistic="p90", value=truth + 2 * spread)
    assert z(table) == pytest.approx(2, rel=0.1)


def test_a_table_prints_its_own_standard_error() -> None:
    table = told(experiment="table1 of theirs", error=0.5)
    other = cell()
    other.instance["published"] = ("table1 of theirs",)  # type: ignore[index]
    assert z(table, other) == pytest.approx(6, abs=0.3)


def test_a_regret_over_log_t() -> None:
    table = told(statistic="mean/log(T)", value=103 / math.log(1000), error=math.nan)
    assert z(table) == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize(
    "changes",
    [
        {"K": 8},
        {"K": pd.NA, "L": pd.NA},
        {"t": 500},
        {"policy": "OTHER"},
        {"experiment": "figure9"},
    ],
)
def test_what_was_not_simulated_is_left_out(changes: dict[str, Any]) -> None:
    assert published.compare(told(**changes), [cell()]).empty


def test_variants_are_rows_of_their_own_and_the_main_one_has_the_most_runs() -> None:
    cells = [cell(NORMAL[:500]), cell(), cell(name="v", label="V", draw=False)]
    table = published.compare(told(), cells)
    assert table["main"].tolist() == [True, False]
    assert table["ours_runs"].tolist() == [len(NORMAL)] * 2


def test_the_summary_counts_what_is_beyond_the_limit() -> None:
    table = pd.concat([told(value=100.0), told(value=110.0), told(value=97.0)])
    row = published.summary(published.compare(table, [cell()]), limit=3.5).iloc[0]
    assert (row["numbers"], row["beyond"]) == (3, 1)
    assert row["largest_z"] == pytest.approx(10, abs=0.2)


def test_the_data_are_complete() -> None:
    table = published.load()
    assert len(table) == 152
    counts = table.groupby("source").size()
    assert counts["katariya2017-aistats"] == 27
    assert counts["combes2014-icml"] == 15
    assert table["value"].notna().all()


def test_the_place_of_a_number_reads_well() -> None:
    places = set(published.load()["place"])
    assert "Trinh et al. (2020), figure 3" in places
    assert "Katariya et al. (2017), table 1 p=(.7,.7) d=(.2,.2)" in places
    assert published.spoken("UTS(gamma=inf;no warm-up)") == "UTS(γ = ∞, no warm-up)"


def test_a_cell_holds_the_published_rounds_of_all_batches() -> None:
    times = np.array([10, 100, 1000])
    batches = [
        Runs(times, np.full((2, 3), k) + times, np.zeros((2, 1), dtype=np.int64)) for k in (1, 2)
    ]
    found = published.cell({"name": "x"}, {"name": "p"}, batches, [1000, 10, 500])
    assert found.checkpoints.tolist() == [10, 1000]
    assert found.regret.tolist() == [[11, 1001]] * 2 + [[12, 1002]] * 2


def test_a_number_is_not_exact_where_all_our_runs_agree() -> None:
    """It was rounded when it was printed: to a tenth here."""
    ours = cell(np.full(20, 5.0))
    ours.instance["published"] = ("table1 of theirs",)  # type: ignore[index]
    table = told(experiment="table1 of theirs", error=float("nan"), value=5.1)
    assert z(table, ours) == pytest.approx(12**0.5)
