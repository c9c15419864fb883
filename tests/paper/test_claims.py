"""Claims on made-up results whose truth is known: true, false, and too noisy to tell."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

from rankone.paper import claims
from rankone.paper.verdicts import FAILS, HOLDS, OPEN, REMARK, Verdict

LEVEL = 0.999
LABELS = {name: name.upper() for name in ("a", "b", "c", "d", "e", "f", "x", "y", "z")}
EVERY: dict[str, Any] = {"labels": LABELS, "level": LEVEL}
Means = dict[tuple[str, str], float]
NOTHING = pd.DataFrame(columns=["instance", "policy", "t", "runs", "mean", "se"])


def bands(means: Means, noise: float = 0.001, runs: int = 1000) -> pd.DataFrame:
    """Final regrets of (instance, policy) with a relative standard error."""
    rows = [
        {"instance": i, "policy": p, "t": 1000, "runs": runs, "mean": mean, "se": noise * mean}
        for (i, p), mean in means.items()
    ]
    return pd.DataFrame(rows)


def windows(early: float, late: float, noise: float = 0.001, in_log: float | None = None) -> Any:
    """Slopes of policy a on instance x in two windows."""
    base = {"instance": "x", "policy": "a", "runs": 1000, "c": 0.0}
    before = {"first": 10**5, "last": 10**8, "slope": early, "in_log": early}
    before |= {"change": math.nan, "sum": math.nan}
    after = {"first": 10**9, "last": 10**12, "slope": late}
    after |= {"in_log": late if in_log is None else in_log}
    after |= {"change": late - early, "sum": late + early}
    errors = {f"{key}_se": noise for key in ("slope", "in_log", "change", "sum")}
    return pd.DataFrame([base | before | errors, base | after | errors])


def constants(unimodal: Mapping[str, float], lai_robbins: float = 9.0) -> pd.DataFrame:
    return pd.DataFrame({"unimodal": pd.Series(unimodal), "lai_robbins": lai_robbins})


ONE = constants({"x": 1.0, "y": 1.0})
NEAR: dict[str, Any] = {"tolerance": 0.05, "arrived": 0.02}


def slopes_reach(slopes: pd.DataFrame, **keys: Any) -> Verdict:
    asked = {"unimodal": ["a"], **NEAR, **keys}
    return claims.slopes_reach(slopes, ONE, **EVERY, **asked)


@pytest.mark.parametrize(
    ("slopes", "verdict"),
    [
        (windows(0.93, 0.97), HOLDS),  # below, and approaching
        (windows(1.07, 1.03), HOLDS),  # above, and approaching
        (windows(1.001, 0.999), HOLDS),  # has been there all the time
        (windows(1.0, 1.0, in_log=1.12), REMARK),  # there in f, not in ln T
        (windows(1.1, 1.1), FAILS),  # another constant
        (windows(0.5, 0.6), FAILS),
        (windows(0.99, 0.96), FAILS),  # near, and moving away
        (windows(0.99, 1.045), FAILS),  # moving away on the other side
        (windows(1.01, 0.955), FAILS),
        (windows(0.90, 1.03), HOLDS),  # beyond it, and nearer
        (windows(1.10, 0.97), HOLDS),
        (windows(0.93, 0.97, noise=0.01), OPEN),
        (windows(1.0, 1.0, noise=0.1), OPEN),
    ],
)
def test_slopes(slopes: pd.DataFrame, verdict: str) -> None:
    assert slopes_reach(slopes).verdict == verdict


def test_the_slope_claims_hang_on_the_worst_of_several_cells() -> None:
    found = slopes_reach(pd.concat([windows(0.93, 0.97), windows(1.2, 1.2).assign(instance="y")]))
    assert found.verdict == FAILS
    assert found.decisive.estimate.value == pytest.approx(1.2)
    assert "on Y" in found.reason


def test_each_policy_has_the_constant_of_its_bound() -> None:
    slopes = windows(8.9, 9.0)
    assert slopes_reach(slopes).verdict == FAILS
    assert slopes_reach(slopes, unimodal=[], lai_robbins=["a"]).verdict == HOLDS


def test_of_several_windows_the_last_two_count() -> None:
    old = windows(0.5, 0.99).iloc[:1].assign(first=10, last=100)
    assert slopes_reach(pd.concat([old, windows(0.99, 0.96)])).verdict == FAILS


def test_slopes_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'b' has no slopes; allowed: a\."):
        slopes_reach(windows(1, 1), unimodal=["a", "b"])
    with pytest.raises(ValueError, match=r"a on x have 1 window; allowed: at least two"):
        slopes_reach(windows(1, 1).iloc[:1])


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
def test_ordered(means: Means, noise: float, verdict: str) -> None:
    found = claims.ordered(bands(means, noise), order=["a", "b", "c"], **EVERY)
    assert found.verdict == verdict


def test_the_order_is_told_with_the_numbers_of_the_first_instance() -> None:
    means: Means = RISING | {("y", "a"): 1, ("y", "b"): 2, ("y", "c"): 3}
    found = claims.ordered(bands(means), order=["a", "b", "c"], **EVERY)
    told = "The regret on X at T = 1e+03 over 1,000 runs is 70.0 (A), 75.0 (B), 76.0 (C)."
    assert found.reason.startswith(told)
    assert len(found.comparisons.parts) == 4


@pytest.mark.parametrize(
    ("means", "slopes", "verdict"),
    [
        (RISING, windows(0.93, 0.97), HOLDS),
        (RISING, windows(1.0, 1.0, in_log=1.12), REMARK),
        (RISING, windows(1.2, 1.2), FAILS),
        (RISING | {("x", "c"): 74}, windows(1.0, 1.0, noise=0.1), FAILS),
        (RISING, windows(1.0, 1.0, noise=0.1), OPEN),
    ],
)
def test_two_halves_are_as_good_as_the_worse_one(
    means: Means, slopes: pd.DataFrame, verdict: str
) -> None:
    asked = {"order": ["a", "b", "c"], "unimodal": ["a"], **NEAR}
    found = claims.ordered_at_the_rate(slopes, ONE, bands(means), **EVERY, **asked)
    assert found.verdict == verdict
    whats = [part.what for part in found.comparisons.parts]
    assert whats[0] == "rise from A to B on X"
    assert "slope / constant of A on X" in whats


@pytest.mark.parametrize(
    ("top", "noise", "verdict"),
    [
        (1200, 0.001, HOLDS),
        (700, 0.001, REMARK),  # an order of magnitude, but no factor of ten
        (200, 0.001, FAILS),
        (1200, 0.5, OPEN),
    ],
)
def test_times_larger(top: float, noise: float, verdict: str) -> None:
    rows = bands({("x", "a"): top, ("x", "b"): 100}, noise)
    rule: dict[str, Any] = {"top": "a", "others": ["b"], "least": math.sqrt(10), "literal": 10}
    assert claims.times_larger(rows, NOTHING, **rule, **EVERY).verdict == verdict


def far_larger() -> Verdict:
    near, far = (
        bands({("x", "a"): 3000, ("x", "b"): 100}),
        bands({("y", "a"): 1000, ("y", "b"): 100}),
    )
    return claims.times_larger(near, far, top="a", others=["b"], least=20, **EVERY)


def test_further_instances_only_qualify() -> None:
    found = far_larger()
    assert found.verdict == REMARK
    assert found.decisive.estimate.value == pytest.approx(10)
    assert found.decided_by().endswith("required at least 20 for no remark")


GROWN: Means = {("x", "a"): 100, ("y", "a"): 200, ("x", "b"): 100, ("y", "b"): 400}


def grows(changed: Means, noise: float = 0.001) -> Verdict:
    rule: dict[str, Any] = {"factors": {"a": 2, "b": 4}, "within": 0.25}
    bound = constants({"x": 3.0, "y": 7.0})
    return claims.grows(bands(GROWN | changed, noise), bound, **rule, **EVERY)


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
def test_grows(changed: Means, noise: float, verdict: str) -> None:
    assert grows(changed, noise).verdict == verdict


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


def overtakes(changed: Means, noise: float = 0.001) -> Verdict:
    roles = {"newcomer": "a", "rival": "b", "ancestor": "c", "yardstick": "d"}
    rows = bands(CROSSING | changed, noise)
    return claims.overtakes(rows, **roles, variants=[["a", "e"]], **EVERY)


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
def test_overtakes(changed: Means, noise: float, verdict: str) -> None:
    assert overtakes(changed, noise).verdict == verdict


APPENDIX: Means = {("x", "a"): 100, ("x", "b"): 90, ("x", "c"): 200, ("x", "d"): 300}


def beats_everywhere(changed: Means, noise: float = 0.001) -> Verdict:
    rule: dict[str, Any] = {"winners": ["a", "b"], "losers": ["c", "d"]}
    rule |= {"instead_of": {"b": "a"}, "harm": 0.1}
    return claims.beats_everywhere(bands(APPENDIX | changed, noise), **rule, **EVERY)


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
    assert beats_everywhere(changed, noise).verdict == verdict


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
def test_matrices_unimodal(cases: pd.DataFrame, verdict: str) -> None:
    assert claims.matrices_unimodal(cases, LEVEL, risk=0.01).verdict == verdict


def leader_explored(forced: list[int], free: list[int]) -> Verdict:
    rows = [(True, slack) for slack in forced] + [(False, slack) for slack in free]
    cases = pd.DataFrame(rows, columns=["forced", "slack"])
    return claims.leader_explored(cases, LEVEL, risk=0.05)


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
    assert leader_explored(forced, free).verdict == verdict


# verdict, statistic and interval as they were before claims became entries of the config
BEFORE = {
    "slopes_below": (HOLDS, 0.97, (0.9663995900211391, 0.9736004099788609)),
    "slopes_above": (HOLDS, 1.03, (1.0263995900211391, 1.033600409978861)),
    "slopes_across": (HOLDS, 1.03, (1.0263995900211391, 1.033600409978861)),
    "slopes_in_log": (REMARK, 1.12, (1.1163995900211392, 1.123600409978861)),
    "slopes_away": (FAILS, -0.03, (-0.033600409978860886, -0.026399590021139167)),
    "ordered": (HOLDS, 1.0, (0.6277296742254983, 1.3722703257745017)),
    "times_larger": (REMARK, 10.0, (9.950815123206734, 10.049427987741975)),
    "grows": (REMARK, 2.6, (2.5872119320337514, 2.6128512768129135)),
    "overtakes": (HOLDS, 1.2, (1.1933631420822761, 1.206673768629532)),
    "beats_everywhere": (REMARK, 1.04, (1.0345343821081352, 1.0454944936638595)),
    "matrices_unimodal": (HOLDS, 0.0, (0.0, 0.0037932386548915355)),
    "leader_explored": (HOLDS, 0.0, (0.0, 0.015086840774094213)),
}


def test_the_numbers_are_those_from_before_claims_were_data() -> None:
    found = {
        "slopes_below": slopes_reach(windows(0.93, 0.97)),
        "slopes_above": slopes_reach(windows(1.07, 1.03)),
        "slopes_across": slopes_reach(windows(0.90, 1.03)),
        "slopes_in_log": slopes_reach(windows(1.0, 1.0, in_log=1.12)),
        "slopes_away": slopes_reach(windows(0.99, 0.96)),
        "ordered": claims.ordered(bands(RISING), order=["a", "b", "c"], **EVERY),
        "times_larger": far_larger(),
        "grows": grows({("y", "a"): 260}),
        "overtakes": overtakes({}),
        "beats_everywhere": beats_everywhere({("x", "b"): 104}),
        "matrices_unimodal": claims.matrices_unimodal(matrices(2000), LEVEL, risk=0.01),
        "leader_explored": leader_explored([0] * 500, [-3, 0]),
    }
    assert found.keys() == BEFORE.keys()
    for name, verdict in found.items():
        sort, value, (low, high) = BEFORE[name]
        assert verdict.verdict == sort, name
        assert verdict.decisive.estimate == pytest.approx((value, low, high), rel=1e-12), name


def test_every_comparison_is_kept() -> None:
    found = overtakes({}).comparisons
    assert len(found.parts) == 3 + 3 + 2  # against the rival, the ancestor, the yardstick
    assert len(found.remarks) == 3
    (control,) = claims.matrices_unimodal(matrices(9, rest=7), LEVEL, risk=0.5).comparisons.controls
    assert control.estimate.value == 7


def test_one_run_alone_decides_nothing() -> None:
    rows = bands(RISING, noise=math.nan, runs=1)
    assert claims.ordered(rows, order=["a", "b", "c"], **EVERY).verdict == OPEN
