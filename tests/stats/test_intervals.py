"""Intervals: against scipy's tests on raw samples, and by how often they hold the truth."""

import math

import numpy as np
import pytest
from helpers import chance
from scipy import stats

from rankone.stats import intervals
from rankone.stats.intervals import Mean


def mean(sample: np.ndarray) -> Mean:
    return Mean(sample.mean(), sample.std(ddof=1) / math.sqrt(len(sample)), len(sample))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(chance.seed(5))


def test_the_interval_of_a_mean_is_students(rng: np.random.Generator) -> None:
    sample = rng.normal(3, 2, 12)
    expected = stats.ttest_1samp(sample, 0).confidence_interval(0.99)
    found = intervals.of_mean(mean(sample), 0.99)
    assert found == pytest.approx((sample.mean(), expected.low, expected.high))


def test_the_interval_of_a_difference_is_welchs(rng: np.random.Generator) -> None:
    one, two = rng.normal(3, 2, 12), rng.normal(1, 5, 30)
    expected = stats.ttest_ind(one, two, equal_var=False).confidence_interval(0.99)
    _, low, high = intervals.of_difference(mean(one), mean(two), 0.99)
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_the_interval_of_a_ratio_holds_the_truth_as_often_as_it_says(
    rng: np.random.Generator,
) -> None:
    held = 0
    for _ in range(2000):
        one, two = rng.normal(10, 2, 40), rng.normal(5, 1, 20)
        _, low, high = intervals.of_ratio([mean(one)], [mean(two)], 0.95)
        held += low <= 2.0 <= high
    chance.assert_likely(stats.binomtest(held, 2000, 0.95).pvalue)


def test_a_ratio_of_products(rng: np.random.Generator) -> None:
    a, b, c = Mean(8.0, 0.1, 50), Mean(3.0, 0.1, 50), Mean(6.0, 0.1, 50)
    found = intervals.of_ratio([a, b], [c, c], 0.99)
    assert found.value == pytest.approx(8 * 3 / 36)
    error = math.sqrt((0.1 / 8) ** 2 + (0.1 / 3) ** 2 + 2 * (0.1 / 6) ** 2)
    assert math.log(found.high / found.low) == pytest.approx(2 * 2.6 * error, rel=0.05)


def test_the_share_is_clopper_pearsons() -> None:
    found = intervals.of_share(0, 100, 0.95)
    assert found == pytest.approx((0.0, 0.0, 1 - 0.025 ** (1 / 100)))


def test_a_percentile_lies_between_order_statistics(rng: np.random.Generator) -> None:
    sample, held = rng.normal(size=100), 0
    _, low, high = intervals.of_percentile(sample, 90, 0.99)
    assert low in sample
    assert high in sample
    for _ in range(500):
        _, low, high = intervals.of_percentile(rng.normal(size=100), 90, 0.95)
        held += low <= stats.norm.ppf(0.9) <= high
    # order statistics hold at least as often as they say
    chance.assert_likely(stats.binomtest(held, 500, 0.95, alternative="less").pvalue)


def test_too_small_a_sample_has_no_end_for_a_percentile(rng: np.random.Generator) -> None:
    assert intervals.of_percentile(rng.normal(size=10), 90, 0.99).high == math.inf


def test_the_spread_of_a_percentile_is_that_of_samples_of_that_size(
    rng: np.random.Generator,
) -> None:
    population = rng.exponential(size=100_000)
    seen = [np.percentile(rng.exponential(size=100), 90) for _ in range(3000)]
    found = intervals.spread_of_percentile(population, 90, 100)
    assert found == pytest.approx(np.std(seen), rel=0.1)


def test_several_intervals_together() -> None:
    assert intervals.joint(0.999, 10) == pytest.approx(0.9999)
    assert intervals.joint(0.999, 1) == pytest.approx(0.999)


def test_one_run_has_no_interval_and_equal_runs_no_doubt() -> None:
    assert intervals.of_mean(Mean(5.0, math.nan, 1), 0.99) == (5.0, -math.inf, math.inf)
    assert intervals.of_mean(Mean(5.0, 0.0, 1), 0.99) == (5.0, -math.inf, math.inf)
    assert intervals.of_mean(Mean(5.0, 0.0, 10), 0.99) == (5.0, 5.0, 5.0)
    one, several = Mean(5.0, math.nan, 1), Mean(5.0, 1.0, 9)
    assert intervals.of_difference(one, several, 0.99).high == math.inf
    assert intervals.of_ratio([one], [several], 0.99).high == math.inf


def test_no_case_says_nothing_about_a_share() -> None:
    value, low, high = intervals.of_share(0, 0, 0.99)
    assert math.isnan(value)
    assert (low, high) == (0.0, 1.0)
