"""Confidence intervals for what the runs estimate; every quantile comes from scipy.

Each function returns (value, low, high). A mean comes with its standard error and number of runs.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # whose parts are loaded where they are used: a figure without intervals needs none


class Mean(NamedTuple):
    """A mean over independent runs."""

    value: float
    se: float  # standard error
    runs: int


class Interval(NamedTuple):
    """An estimate with the ends of its confidence interval."""

    value: float
    low: float
    high: float


def of_mean(mean: Mean, level: float) -> Interval:
    """Student's interval for one mean."""
    return _student(mean.value, mean.se, mean.runs - 1, level)


def of_difference(one: Mean, two: Mean, level: float) -> Interval:
    """Welch's interval for the difference of two independent means."""
    se = math.hypot(one.se, two.se)
    freedom = _welch([(one.se, one.runs), (two.se, two.runs)])
    return _student(one.value - two.value, se, freedom, level)


def of_ratio(tops: Sequence[Mean], bottoms: Sequence[Mean], level: float) -> Interval:
    """Welch's interval, on the log scale, for a product of independent means over another one."""
    means = [*tops, *bottoms]
    if any(mean.value <= 0 for mean in means):
        return Interval(math.nan, -math.inf, math.inf)
    shares = [(mean.se / mean.value, mean.runs) for mean in means]
    log = sum(math.log(mean.value) for mean in tops) - sum(math.log(mean.value) for mean in bottoms)
    se = math.hypot(*(share for share, _ in shares))
    return Interval(*map(_exp, _student(log, se, _welch(shares), level)))


def of_share(count: int, cases: int, level: float) -> Interval:
    """The exact interval of Clopper and Pearson for a probability; no case leaves it open."""
    if cases == 0:
        return Interval(math.nan, 0.0, 1.0)
    found = scipy.stats.binomtest(count, cases).proportion_ci(
        confidence_level=level, method="exact"
    )
    return Interval(count / cases, float(found.low), float(found.high))


def of_percentile(sample: np.ndarray, percent: float, level: float) -> Interval:
    """Order statistics around a percentile; where the sample is too small an end is infinite."""
    value = float(np.percentile(sample, percent))
    found = scipy.stats.quantile_test(sample, q=value, p=percent / 100).confidence_interval(level)
    low = -math.inf if math.isnan(found.low) else float(found.low)
    high = math.inf if math.isnan(found.high) else float(found.high)
    return Interval(value, low, high)


def spread_of_percentile(sample: np.ndarray, percent: float, runs: int) -> float:
    """The standard error of a percentile of that many runs, estimated from our sample.

    The rank of the percentile p among n runs has a standard deviation of sqrt(p (1 - p) / n). The
    result is half the distance between the percentiles of our sample that far below and above p.
    """
    share = percent / 100
    rank = math.sqrt(share * (1 - share) / runs)
    ends = np.clip([share - rank, share + rank], 0, 1)
    low, high = np.quantile(sample, ends)
    return float(high - low) / 2


def joint(level: float, parts: int) -> float:
    """The level that each of several intervals needs for all to hold together (Bonferroni)."""
    return 1 - (1 - level) / max(1, parts)


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf


def _student(value: float, se: float, freedom: float, level: float) -> Interval:
    if not (se > 0 and freedom > 0):  # one run has no interval, equal runs one of no width
        reach = 0.0 if se == 0 and freedom > 0 else math.inf
        return Interval(float(value), value - reach, value + reach)
    reach = se * float(scipy.special.stdtrit(freedom, (1 + level) / 2))
    return Interval(float(value), value - reach, value + reach)


def _welch(errors: list[tuple[float, int]]) -> float:
    """Degrees of freedom of Welch and Satterthwaite, from (standard error, runs) of each mean."""
    if any(runs < 2 for _, runs in errors):
        return 0.0
    total = sum(se**2 for se, _ in errors)
    parts = sum(se**4 / (runs - 1) for se, runs in errors)
    return total**2 / parts if parts > 0 else float(min(runs for _, runs in errors) - 1)
