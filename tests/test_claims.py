"""Verdicts on made-up results whose truth is known: true, false, and too noisy to tell."""

import json
import math
from typing import Any

import pandas as pd
import pytest

from rankone.paper import claims, verdicts
from rankone.paper.verdicts import FAILS, HOLDS, OPEN, REMARK, Part, Verdict
from rankone.stats import intervals

LEVEL = 0.999
LABELS = {name: name.upper() for name in ("a", "b", "c", "d", "e", "f", "x", "y", "z")}
EVERY: dict[str, Any] = {"labels": LABELS, "level": LEVEL}
Means = dict[tuple[str, str], float]


def bands(means: Means, noise: float = 0.001, runs: int = 1000) -> pd.DataFrame:
    """Final regrets of (instance, policy) with a relative standard error."""
    rows = [
        {"instance": i, "policy": p, "t": 1000, "runs": runs, "mean": mean, "se": noise * mean}
        for (i, p), mean in means.items()
    ]
    return pd.DataFrame(rows)


def table(early: float, late: float, noise: float = 0.001, in_log: float | None = None) -> Any:
    """Slopes of policy a on instance x."""
    row = {"instance": "x", "policy": "a", "runs": 1000, "early": early, "late": late}
    row |= {"change": late - early, "sum": late + early}
    row |= {"late_in_log": late if in_log is None else in_log}
    errors = {f"{key}_se": noise for key in ("early", "late", "change", "sum", "late_in_log")}
    return pd.DataFrame([row | errors])


def slope(rows: pd.DataFrame) -> Verdict:
    cells = [claims.Cell("x", "a", 1.0)]
    late = [10**9, 10**12]
    return claims.slope(rows, cells, late, tolerance=0.05, arrived=0.02, **EVERY)


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (table(0.93, 0.97), HOLDS),  # below, and approaching
        (table(1.07, 1.03), HOLDS),  # above, and approaching
        (table(1.001, 0.999), HOLDS),  # has been there all the time
        (table(1.0, 1.0, in_log=1.12), REMARK),  # there in f, not in ln T
        (table(1.1, 1.1), FAILS),  # another constant
        (table(0.5, 0.6), FAILS),
        (table(0.99, 0.96), FAILS),  # near, and moving away
        (table(0.99, 1.045), FAILS),  # moving away on the other side
        (table(1.01, 0.955), FAILS),
        (table(0.90, 1.03), HOLDS),  # beyond it, and nearer
        (table(1.10, 0.97), HOLDS),
        (table(0.93, 0.97, noise=0.01), OPEN),
        (table(1.0, 1.0, noise=0.1), OPEN),
    ],
)
def test_slopes(rows: pd.DataFrame, verdict: str) -> None:
    assert slope(rows).verdict == verdict


def test_the_slope_claims_hang_on_the_worst_of_several_cells() -> None:
    rows = pd.concat([table(0.93, 0.97), table(1.2, 1.2).assign(instance="y")])
    cells = [claims.Cell("x", "a", 1.0), claims.Cell("y", "a", 1.0)]
    late = [10**9, 10**12]
    found = claims.slope(rows, cells, late, tolerance=0.05, arrived=0.02, **EVERY)
    assert found.verdict == FAILS
    assert found.statistic == pytest.approx(1.2)
    assert "on Y" in found.reason


RISING: Means = {("x", "a"): 70, ("x", "b"): 75, ("x", "c"): 76}


@pytest.mark.parametrize(
    ("means", "noise", "verdict"),
    [
        (RISING, 0.001, HOLDS),
        (RISING | {("x", "c"): 74}, 0.001, FAILS),
        (RISING | {("x", "c"): 75}, 0.001, OPEN),
        (RISING, 0.1, OPEN),
    ],
)
def test_ordered_offsets(means: Means, noise: float, verdict: str) -> None:
    found = claims.ordered(bands(means, noise), ["x"], ["a", "b", "c"], **EVERY)
    assert found.verdict == verdict


@pytest.mark.parametrize(
    ("top", "noise", "verdict"),
    [
        (1200, 0.001, HOLDS),
        (700, 0.001, REMARK),  # an order of magnitude, but no factor of ten
        (200, 0.001, FAILS),
        (1200, 0.5, OPEN),
    ],
)
def test_an_order_of_magnitude(top: float, noise: float, verdict: str) -> None:
    rows = bands({("x", "a"): top, ("x", "b"): 100}, noise)
    rule = {"least": math.sqrt(10), "literal": 10}
    assert claims.times_larger(rows, ["x"], "a", ["b"], **rule, **EVERY).verdict == verdict


def test_further_instances_only_qualify() -> None:
    rows = bands({("x", "a"): 3000, ("x", "b"): 100, ("y", "a"): 1000, ("y", "b"): 100})
    rule = {"least": 20, "literal": 20, "further": ["y"]}
    found = claims.times_larger(rows, ["x"], "a", ["b"], **rule, **EVERY)
    assert found.verdict == REMARK
    assert found.statistic == pytest.approx(10)


GROWN: Means = {("x", "a"): 100, ("y", "a"): 200, ("x", "b"): 100, ("y", "b"): 400}


@pytest.mark.parametrize(
    ("changed", "noise", "verdict"),
    [
        ({}, 0.001, HOLDS),
        ({("y", "a"): 260}, 0.001, REMARK),
        ({("y", "a"): 320}, 0.001, FAILS),
        ({("y", "b"): 200}, 0.001, FAILS),
        ({}, 0.5, OPEN),
    ],
)
def test_growth(changed: Means, noise: float, verdict: str) -> None:
    rows, factors, bound = bands(GROWN | changed, noise), {"a": 2, "b": 4}, {"x": 3.0, "y": 7.0}
    found = claims.growth(rows, ["x", "y"], factors, bound, within=0.25, **EVERY)
    assert found.verdict == verdict


CROSSING: Means = {
    ("x", "a"): 30,
    ("y", "a"): 60,
    ("z", "a"): 120,  # the newcomer
    ("x", "b"): 20,
    ("y", "b"): 50,
    ("z", "b"): 200,  # its rival
    ("x", "c"): 90,
    ("y", "c"): 180,
    ("z", "c"): 360,  # its ancestor
    ("x", "d"): 40,
    ("y", "d"): 160,
    ("z", "d"): 500,  # the yardstick
    ("x", "e"): 20,
    ("y", "e"): 50,
    ("z", "e"): 200,  # another variant of the rival
}


@pytest.mark.parametrize(
    ("changed", "noise", "verdict"),
    [
        ({}, 0.001, HOLDS),
        ({("y", "b"): 70}, 0.001, FAILS),  # beaten on a smaller instance too
        ({("z", "b"): 100}, 0.001, FAILS),  # never beaten
        ({("x", "c"): 10}, 0.001, FAILS),  # the ancestor was better
        ({("y", "d"): 70, ("z", "d"): 80}, 0.001, FAILS),  # the yardstick grows less
        ({("y", "e"): 70}, 0.001, REMARK),
        ({}, 0.3, OPEN),
    ],
)
def test_crossing(changed: Means, noise: float, verdict: str) -> None:
    rows, roles = bands(CROSSING | changed, noise), {"newcomer": "a", "rival": "b"}
    roles |= {"ancestor": "c", "yardstick": "d"}
    found = claims.crossing(rows, ["x", "y", "z"], **roles, variants=[("a", "e")], **EVERY)
    assert found.verdict == verdict


APPENDIX: Means = {("x", "a"): 100, ("x", "b"): 90, ("x", "c"): 200, ("x", "d"): 300}


@pytest.mark.parametrize(
    ("changed", "noise", "verdict"),
    [
        ({}, 0.001, HOLDS),
        ({("x", "c"): 80}, 0.001, FAILS),  # a loser wins
        ({("x", "b"): 130}, 0.001, FAILS),  # leaving out the warm-up harms
        ({("x", "b"): 104}, 0.001, REMARK),
        ({}, 0.3, OPEN),
    ],
)
def test_beats_everywhere(changed: Means, noise: float, verdict: str) -> None:
    rule = {"winners": ["a", "b"], "losers": ["c", "d"], "warm": "a", "cold": "b", "harm": 0.1}
    found = claims.beats_everywhere(bands(APPENDIX | changed, noise), ["x"], **rule, **EVERY)
    assert found.verdict == verdict


def matrices(covered: int, broken: int = 0, long: int = 0, rest: int = 50, lucky: int = 0) -> Any:
    sorts = [
        (covered, True, True, 2.0),
        (broken, True, False, math.nan),
        (long, True, True, 3.0),
        (rest, False, False, math.nan),
        (lucky, False, True, 2.0),
    ]
    columns = ["positive", "unimodal", "longest"]
    return pd.DataFrame([row for n, *row in sorts for _ in range(n)], columns=columns)


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [
        (matrices(2000), HOLDS),
        (matrices(2000, broken=1), FAILS),
        (matrices(2000, long=1), FAILS),
        (matrices(2000, lucky=1), FAILS),  # the condition would not be needed
        (matrices(2000, rest=0), OPEN),  # nothing shows that it is
        (matrices(20), OPEN),
    ],
)
def test_unimodal(cases: pd.DataFrame, verdict: str) -> None:
    assert claims.unimodal(cases, risk=0.01, level=LEVEL).verdict == verdict


@pytest.mark.parametrize(
    ("forced", "free", "verdict"),
    [
        ([0] * 500, [-3, 0], HOLDS),
        ([0] * 500 + [-1], [-3, 0], FAILS),
        ([0] * 5, [-3, 0], OPEN),
        ([0] * 500, [0, 0], OPEN),  # the control shows nothing
    ],
)
def test_leader_explored(forced: list[int], free: list[int], verdict: str) -> None:
    rows = [(True, slack) for slack in forced] + [(False, slack) for slack in free]
    cases = pd.DataFrame(rows, columns=["forced", "slack"])
    assert claims.leader_explored(cases, risk=0.05, level=LEVEL).verdict == verdict


def test_reasons_are_sentences_with_numbers() -> None:
    found = [
        slope(table(0.93, 0.97)),
        claims.ordered(bands(RISING), ["x"], ["a", "b", "c"], **EVERY),
        claims.unimodal(matrices(2000), risk=0.01, level=LEVEL),
    ]
    for verdict in found:
        claim = {"id": 1, "statement": "s", "place": "p"}
        reason = claims.record(claim, verdict)["reason"]
        assert reason[0].isupper() or reason[0].isdigit()
        assert reason.endswith(".")
        assert any(letter.isdigit() for letter in reason)
        assert "nan" not in reason


def test_a_record_has_the_keys_of_claims_json_and_no_infinite_number() -> None:
    found = Verdict(1.0, (-math.inf, 2.0), OPEN, "because.")
    row = claims.record({"id": 1, "statement": "s", "place": "p", "more": 0}, found)
    assert list(row) == list(claims.KEYS)
    assert json.loads(json.dumps(row, allow_nan=False))["interval"] == [None, 2.0]


def test_every_claim_has_a_statement_and_a_place() -> None:
    found = claims.statements()
    assert [claim["id"] for claim in found] == list(range(1, 12))
    assert all(claim["statement"] and claim["place"] for claim in found)


def test_one_run_alone_decides_nothing() -> None:
    rows = bands(RISING, noise=math.nan, runs=1)
    assert claims.ordered(rows, ["x"], ["a", "b", "c"], **EVERY).verdict == OPEN


def test_parts() -> None:
    def part(low: float, high: float) -> Part:
        return Part("it", intervals.Interval((low + high) / 2, low, high), 0.0, 1.0)

    inside, across, outside = part(0.2, 0.4), part(0.9, 1.1), part(1.2, 1.4)
    assert verdicts.judge([inside]) == (HOLDS, inside)
    assert verdicts.judge([inside, across]) == (OPEN, across)
    assert verdicts.judge([inside, across, outside]) == (FAILS, outside)
    assert verdicts.judge([inside], [across]) == (REMARK, across)
    assert verdicts.judge([inside], [inside]) == (HOLDS, inside)
