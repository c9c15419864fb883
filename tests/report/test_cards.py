"""Cards: the comparison that decides, and strips on which every mark is at its place."""

import json
from pathlib import Path

import pytest
from helpers import made_up_results

from rankone.paper import verdicts
from rankone.report import cards


@pytest.fixture
def found(tmp_path: Path) -> dict[str, cards.Card]:
    made_up_results.write(tmp_path, "claims")
    records = json.loads((tmp_path / "results/claims/claims.json").read_text())
    return {record["verdict"]: cards.card(record) for record in records}


def test_a_card_says_what_decided(found):
    card = found[verdicts.FAILS]
    assert (card.what, card.value, card.interval) == ("A / B on K = 16", "3.25", "[2.93, 3.58]")
    assert card.required == "at least 10"
    assert found[verdicts.REMARK].required == "at most 5 for no remark"


def test_marks_keep_the_order_of_their_numbers(found):
    (strip,) = found[verdicts.FAILS].strips
    low, high = strip.marks
    assert low.left < low.at < low.right < strip.least < high.left < high.right < strip.most == 100
    assert [mark.inside for mark in strip.marks] == [False, True]
    assert [mark.decides for mark in strip.marks] == [True, False]
    assert strip.limits == [(strip.least, "10")]
    assert "3.25 [2.93, 3.58], required at least 10: outside" in low.told


def test_one_strip_for_each_role_and_unit(found):
    assert [strip.title for strip in found[verdicts.OPEN].strips] == [
        "rise, required at least 1",
        "rounds, control, required at least 1",
    ]
    assert len(found[verdicts.REMARK].strips) == 2


def test_counts_begin_with_the_best(found):
    assert [one["verdict"] for one in cards.counts(found.values())] == [
        verdicts.HOLDS, verdicts.REMARK, verdicts.OPEN, verdicts.FAILS,
    ]  # fmt: skip
    assert all(one["count"] == 1 for one in cards.counts(found.values()))


def test_numbers_far_apart_are_on_a_logarithmic_scale():
    place = cards._scale([0.01, 0.1, 1.0])
    assert place(0.1) == pytest.approx(50)
    assert (place(0.0), place(float("-inf")), place(float("inf"))) == (0, 0, 100)
    linear = cards._scale([1.0, 2.0, 3.0])
    assert linear(2.0) == pytest.approx(50)
    assert cards._scale([5.0])(5.0) == 6  # a single number
