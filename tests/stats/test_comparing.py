"""Two sets of runs compared, by hand and by chance."""

import numpy as np
import pytest
from helpers import chance
from scipy import stats

import rankone
from rankone.runs import Origin, Runs
from rankone.stats.comparing import compare


def made(values, instance="a", t=10) -> Runs:
    regret = np.column_stack([np.zeros(len(values)), values]).astype(float)
    origin = Origin("uts", {}, instance, 1, "fast")
    return Runs(np.array([1, t]), regret, np.zeros((len(values), 1), np.int64), origin)


def test_by_hand():
    found = compare(made([4, 6, 8]), made([1, 2, 3]), level=0.9)
    assert (found.one.value, found.other.value, found.t) == (6, 2, 10)
    expected = stats.ttest_ind([4, 6, 8], [1, 2, 3], equal_var=False).confidence_interval(0.9)
    assert found.difference.value == 4
    assert (found.difference.low, found.difference.high) == pytest.approx(tuple(expected))
    assert found.ratio.value == pytest.approx(3)
    assert found.decided
    assert "more regret" in str(found)


def test_equal_policies_are_told_apart_as_often_as_the_level_says():
    rng = np.random.default_rng(chance.seed(3))
    told = sum(
        compare(made(rng.gamma(4, 1, 30)), made(rng.gamma(4, 1, 40)), level=0.9).decided
        for _ in range(1000)
    )
    chance.assert_likely(stats.binomtest(told, 1000, 0.1).pvalue)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"other": made([1, 2], "b")}, "two instances"),
        ({"t": 7}, "round 7 was not recorded"),
        ({"level": 1.5}, "level is 1.5; allowed: a number between 0 and 1"),
    ],
)
def test_what_cannot_be_compared(arguments, words):
    given = {"other": made([1, 2])} | arguments
    with pytest.raises(ValueError, match=words):
        compare(made([1, 2]), **given)


def test_of_real_runs():
    instance = rankone.rank_one([0.75, 0.25], [0.75, 0.25])
    few = rankone.simulate("uts", instance, 2000, 50)
    many = rankone.simulate("ucb1", instance, 2000, 50)
    assert rankone.compare(few, many).difference.high < 0
    assert "less regret" in str(rankone.compare(few, many))


def test_a_single_run_has_no_interval_and_two_runs_have_one():
    assert not compare(made([3.0]), made([1.0, 2.0])).decided
    found = compare(made([3.0, 5.0]), made([1.0, 2.0]), level=0.9).difference
    expected = stats.ttest_ind([3, 5], [1, 2], equal_var=False).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
