"""How a claim is decided: parts with intervals, the ranges they must lie in, and what follows.

A claim is cut into parts, each an estimate with an interval and the range that it must lie in. An
interval outside its range refutes the claim, one across an end of it leaves the claim undecided.
Remarks are parts of a stricter or a wider reading: they never refute a claim, they qualify it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from rankone.show.text import number
from rankone.stats import intervals
from rankone.stats.bands import final
from rankone.stats.intervals import Interval, Mean

HOLDS, REMARK, FAILS, OPEN = "holds", "holds with a remark", "does not hold", "undecided"


@dataclass(frozen=True)
class Part:
    """An estimate, and the range that its whole interval must lie in."""

    what: str
    estimate: Interval
    least: float = -math.inf
    most: float = math.inf

    @property
    def inside(self) -> bool:
        return self.estimate.low >= self.least and self.estimate.high <= self.most

    @property
    def outside(self) -> bool:
        return self.estimate.high < self.least or self.estimate.low > self.most

    @property
    def slack(self) -> float:
        """How far the interval is from leaving its range, as a share of the estimate."""
        value, low, high = self.estimate
        room = min(low - self.least, self.most - high)
        return room / max(abs(value), 1e-9) if math.isfinite(room) else -math.inf

    def __str__(self) -> str:
        value, low, high = (number(x) for x in self.estimate)
        return f"{self.what} {value} [{low}, {high}]"

    def range(self) -> str:
        """The range in words."""
        if self.least == -math.inf:
            return f"below {number(self.most)}"
        if self.most == math.inf:
            return f"above {number(self.least)}"
        return f"between {number(self.least)} and {number(self.most)}"


class Verdict(NamedTuple):
    """What was found, and the sentence that says why."""

    statistic: float
    interval: tuple[float, float]
    verdict: str
    reason: str


def weakest(parts: Sequence[Part]) -> Part:
    """The part whose interval is nearest to leaving its range, or furthest outside."""
    return min(parts, key=lambda part: part.slack)


def judge(parts: Sequence[Part], remarks: Sequence[Part] = ()) -> tuple[str, Part]:
    """The verdict, and the part that it hangs on."""
    if against := [part for part in parts if part.outside]:
        return FAILS, weakest(against)
    if not all(part.inside for part in parts):
        return OPEN, weakest(parts)
    if all(part.inside for part in remarks):
        return HOLDS, weakest(parts)
    return REMARK, weakest(remarks)


def conclude(
    summary: str, parts: Sequence[Part], remarks: Sequence[Part] = (), remark: str = ""
) -> Verdict:
    """The verdict with its reason: the summary, then what decides; `remark` says what qualifies."""
    verdict, part = judge(parts, remarks)
    tightest = weakest(parts)
    margin = f"the tightest of {len(parts)} comparisons is {tightest}, which had to lie "
    margin += tightest.range()
    perhaps = "" if part.outside else "perhaps "  # a remark that more runs might take away
    ends = {
        HOLDS: margin,
        REMARK: f"{margin}; {perhaps}{remark}: {part}",
        FAILS: f"against it speaks {part}, which had to lie {part.range()}",
        OPEN: f"more runs are needed for {part}, which has to lie {part.range()}",
    }
    value, low, high = part.estimate
    return Verdict(value, (low, high), verdict, f"{summary}; {ends[verdict]}.")


def both(one: Verdict, other: Verdict) -> Verdict:
    """The verdict on a claim of two halves: the worse of them, with the reasons of both."""
    worse = min(one, other, key=lambda half: (FAILS, OPEN, REMARK, HOLDS).index(half.verdict))
    second = other.reason[0].upper() + other.reason[1:]
    return worse._replace(reason=f"{one.reason} {second}")


@dataclass(frozen=True)
class Finals:
    """The regret at the horizon of a study, and comparisons of it at one level."""

    bands: pd.DataFrame
    labels: Mapping[str, str]
    level: float

    def mean(self, instance: str, policy: str) -> Mean:
        last = final(self.bands, instance, policy)
        return Mean(float(last["mean"]), float(last["se"]), int(last["runs"]))

    def ratio(self, instance: str, top: str, bottom: str, **limits: float) -> Part:
        """The regret of one policy over that of another."""
        means = [self.mean(instance, top)], [self.mean(instance, bottom)]
        what = f"{self.labels[top]} / {self.labels[bottom]} on {self.labels[instance]}"
        return Part(what, intervals.of_ratio(*means, self.level), **limits)

    def growth(self, small: str, large: str, policy: str, **limits: float) -> Part:
        """The regret of a policy on a large instance over that on a small one."""
        means = [self.mean(large, policy)], [self.mean(small, policy)]
        what = f"{self.labels[policy]} from {self.labels[small]} to {self.labels[large]}"
        return Part(what, intervals.of_ratio(*means, self.level), **limits)
