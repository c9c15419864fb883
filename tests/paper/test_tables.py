"""The tables about the paper: their cells, and that the data keep every digit."""

from typing import Any

import numpy as np
import pandas as pd

from rankone.paper import published, tables, verdicts
from rankone.paper.verdicts import Comparisons, Part
from rankone.show.tables import Table
from rankone.stats.intervals import Interval


def record(number: int | None, value: float = 0.5) -> dict[str, Any]:
    part = Part("a share", Interval(value, value - 0.1, value + 0.1), 0.0, 1.0)
    entry = {"name": f"claim{number}", "number": number, "statement": "This is so.", "place": "p"}
    found = verdicts.conclude("it was counted", Comparisons([part, part]))
    return verdicts.record(entry, found, ["bands.csv"])


def test_claims_have_one_short_line_each() -> None:
    table = tables.claims([record(2), record(None), record(1, 0.123456789)])
    assert isinstance(table, Table)
    assert list(table.shown) == ["No.", "Claim", "Decided by", "Verdict"]
    assert table.shown["No."].tolist() == ["1", "2", ""]
    first = table.shown.iloc[0]
    assert first["Decided by"] == "a share: 0.123 [0.0235, 0.223], required 0 to 1"
    assert first["Verdict"] == "holds"
    assert table.data["statistic"].iloc[0] == 0.123456789
    assert table.data["comparisons"].tolist() == [2, 2, 2]


def test_claims_in_full_give_reasons() -> None:
    shown = tables.claims_in_full([record(1)]).shown.iloc[0]
    assert shown["Interval"] == "0.4000 to 0.6000"
    assert shown["Reason"].startswith("It was counted. Of 2 comparisons")


def compared() -> pd.DataFrame:
    sample = np.random.default_rng(1).normal(100, 10, (1000, 1))
    told = {"source": "s", "experiment": "figure3", "K": 4, "L": 4, "t": 1000, "runs": 100}
    told |= {"policy": "THEM", "statistic": "mean", "error": 0.0}
    values = pd.DataFrame([told | {"value": value} for value in (100.0, 150.0)])
    instance = {"shape": (4, 4), "published": ("figure3",)}
    policy = {"name": "us", "label": "Us", "published": "THEM", "draw": True}
    variant = policy | {"name": "v", "label": "Other", "draw": False}
    cells = [published.Cell(instance, one, np.array([1000]), sample) for one in (policy, variant)]
    return published.compare(values.astype({"K": "Int64", "L": "Int64"}), cells)


def test_published_numbers_stand_beside_the_main_variant() -> None:
    table = tables.published(compared())
    assert table.shown["Policy"].tolist() == ["Us", "Us"]
    assert table.shown["Size"].tolist() == ["4 × 4"] * 2
    assert table.shown["Beyond ±3.5"].tolist() == ["no", "yes"]
    assert table.data["beyond"].tolist() == [False, True]
    assert tables.published(compared(), limit=1000).data["beyond"].tolist() == [False, False]


def test_a_standard_error_that_is_not_finite_is_left_out() -> None:
    table = tables.published(compared().assign(ours=20.0, ours_se=np.inf))
    assert table.shown["Ours ± s.e."].tolist() == ["20.0"] * 2


def test_variants_are_summed_up() -> None:
    shown = tables.variants(compared()).shown
    assert shown["Variant"].tolist() == ["Us", "Other"]
    assert shown["Shown in the figures"].tolist() == ["yes", "no"]
    assert shown["Beyond ±3.5"].tolist() == ["1", "1"]


def test_ties() -> None:
    row = {"best_arm": "first", "ties": "random", "warm_up": True, "runs": 1000}
    shown = tables.tie_breaking(pd.DataFrame([row | {"mean": 41.68, "se": 1.66}])).shown
    assert shown.iloc[0].tolist() == ["first", "yes", "random", "1,000", "41.7 ± 1.7"]
