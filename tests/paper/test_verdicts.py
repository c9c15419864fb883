"""Verdicts from comparisons: what refutes, leaves open or qualifies a claim, and its record."""

import json
import math

import pytest

from rankone.paper import verdicts
from rankone.paper.verdicts import FAILS, HOLDS, OPEN, REMARK, Comparisons, Part
from rankone.stats.intervals import Interval


def part(low: float, high: float, what: str = "it") -> Part:
    return Part(what, Interval((low + high) / 2, low, high), 0.0, 1.0)


INSIDE, ACROSS, OUTSIDE = part(0.2, 0.4), part(0.9, 1.1), part(1.2, 1.4)


@pytest.mark.parametrize(
    ("comparisons", "verdict", "decisive"),
    [
        (Comparisons([INSIDE]), HOLDS, INSIDE),
        (Comparisons([INSIDE, ACROSS]), OPEN, ACROSS),
        (Comparisons([INSIDE, ACROSS, OUTSIDE]), FAILS, OUTSIDE),
        (Comparisons([INSIDE], [ACROSS]), REMARK, ACROSS),
        (Comparisons([INSIDE], [INSIDE]), HOLDS, INSIDE),
        (Comparisons([INSIDE], [OUTSIDE], [ACROSS]), OPEN, ACROSS),  # the control shows nothing
        (Comparisons([OUTSIDE], [], [OUTSIDE]), FAILS, OUTSIDE),
        (Comparisons([INSIDE], [], [INSIDE]), HOLDS, INSIDE),
    ],
)
def test_judge(comparisons: Comparisons, verdict: str, decisive: Part) -> None:
    assert verdicts.judge(comparisons) == (verdict, decisive)


def test_the_ends_of_a_range_belong_to_it() -> None:
    assert part(0.0, 1.0).inside
    assert not part(0.0, 1.0 + 1e-15).inside
    assert not part(1.0, 1.5).outside
    assert not part(-0.5, 0.0).outside


def test_ranges_in_words() -> None:
    estimate = Interval(0.972, 0.963, 0.982)
    assert (
        Part("it", estimate, 0.95, 1.05).line() == "it: 0.972 [0.963, 0.982], required 0.95 to 1.05"
    )
    assert Part("it", estimate, least=20).range() == "at least 20"
    assert Part("it", estimate, most=math.sqrt(2)).range() == "at most 1.41"


def test_a_count_has_no_interval_in_words() -> None:
    assert Part("runs", Interval(3, 3, 3), most=0).line() == "runs: 3, required at most 0"


@pytest.mark.parametrize(
    ("comparisons", "words"),
    [
        (Comparisons([INSIDE]), "Of 1 comparisons, all inside"),
        (Comparisons([INSIDE], [OUTSIDE]), "Remark: so and so"),
        (Comparisons([INSIDE], [ACROSS]), "Remark (which more runs may remove): so and so"),
        (Comparisons([OUTSIDE]), "Outside its range is it: 1.30"),
        (Comparisons([ACROSS]), "More runs are needed"),
    ],
)
def test_reasons_are_sentences(comparisons: Comparisons, words: str) -> None:
    reason = verdicts.conclude("this was found", comparisons, "so and so").reason
    assert reason.startswith("This was found. ")
    assert reason.endswith(".")
    assert words in reason


def test_two_halves_keep_all_comparisons_and_the_worse_verdict() -> None:
    one = verdicts.conclude("one", Comparisons([INSIDE], [INSIDE]))
    two = verdicts.conclude("two", Comparisons([OUTSIDE], (), [INSIDE]))
    for found in (verdicts.both(one, two), verdicts.both(two, one)):
        assert (found.verdict, found.decisive) == (FAILS, OUTSIDE)
        assert [len(role) for role in found.comparisons] == [2, 1, 1]
        assert "One." in found.reason
        assert "Two." in found.reason


def test_a_record_lists_every_comparison_and_no_infinite_number() -> None:
    unbounded = Part("that", Interval(1.0, -math.inf, 2.0), least=0.0)
    found = verdicts.conclude("summary", Comparisons([unbounded], [INSIDE], [OUTSIDE]))
    entry = {"name": "n", "number": 1, "statement": "s", "place": "p", "kind": "k", "least": 3}
    row = json.loads(json.dumps(verdicts.record(entry, found, ["a.csv"]), allow_nan=False))
    assert (row["number"], row["name"], row["statement"], row["place"]) == (1, "n", "s", "p")
    assert (row["verdict"], row["statistic"], row["interval"]) == (OPEN, 1.0, [None, 2.0])
    assert row["decided_by"] == "that: 1.00 [–, 2.00], required at least 0"
    assert row["files"] == ["a.csv"]
    assert [one["role"] for one in row["comparisons"]] == ["part", "remark", "control"]
    first = {"what": "that", "role": "part", "value": 1.0, "low": None, "high": 2.0}
    assert row["comparisons"][0] == first | {"least": 0.0, "most": None, "inside": False}


def test_number_and_place_may_be_missing() -> None:
    found = verdicts.conclude("summary", Comparisons([INSIDE]))
    row = verdicts.record({"name": "n", "statement": "s"}, found, [])
    assert (row["number"], row["place"]) == (None, "")
