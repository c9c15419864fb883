"""How a claim is decided: comparisons with intervals, the ranges they must lie in, what follows.

A claim is split into *parts*: each is an estimate with an interval, and the range that the interval
must lie in. An interval outside its range refutes the claim; one that crosses an end of its range
leaves the claim undecided. *Remarks* are comparisons of a stricter or a wider reading: they never
refute a claim, they qualify it. *Controls* show that the test could have failed: without them
nothing is decided.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from rankone.show.formats import number
from rankone.stats import intervals
from rankone.stats.bands import final
from rankone.stats.intervals import Interval, Mean

HOLDS, REMARK, FAILS, OPEN = "holds", "holds with a remark", "does not hold", "undecided"
WORST_FIRST = (FAILS, OPEN, REMARK, HOLDS)


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
        value, low, high = self.estimate
        if low == high:  # counted, not estimated
            return f"{self.what}: {_exact(value)}"
        return f"{self.what}: {number(value)} [{number(low)}, {number(high)}]"

    def range(self) -> str:
        """The range in words."""
        if self.least == -math.inf:
            return f"at most {_exact(self.most)}"
        if self.most == math.inf:
            return f"at least {_exact(self.least)}"
        return f"{_exact(self.least)} to {_exact(self.most)}"

    def line(self) -> str:
        """The estimate, its interval and its range on one line."""
        return f"{self}, required {self.range()}"


class Comparisons(NamedTuple):
    """All that a verdict rests on, by role."""

    parts: Sequence[Part]
    remarks: Sequence[Part] = ()
    controls: Sequence[Part] = ()

    def joined(self, other: "Comparisons") -> "Comparisons":
        pairs = zip(self, other, strict=True)
        return Comparisons(*([*mine, *others] for mine, others in pairs))


class Verdict(NamedTuple):
    """What was found, the sentences that say why, and every comparison behind it."""

    verdict: str
    decisive: Part  # the comparison that the verdict hangs on
    reason: str
    comparisons: Comparisons

    def decided_by(self) -> str:
        """The decisive comparison on one line; a remark's range is that of the stricter reading."""
        return self.decisive.line() + (" for no remark" if self.verdict == REMARK else "")


def weakest(parts: Sequence[Part]) -> Part:
    """The part whose interval is nearest to leaving its range, or furthest outside."""
    return min(parts, key=lambda part: part.slack)


def judge(comparisons: Comparisons) -> tuple[str, Part]:
    """The verdict, and the comparison that it hangs on."""
    parts, remarks, controls = comparisons
    if against := [part for part in parts if part.outside]:
        return FAILS, weakest(against)
    if not all(part.inside for part in parts):
        return OPEN, weakest(parts)
    if idle := [control for control in controls if not control.inside]:
        return OPEN, weakest(idle)
    if all(part.inside for part in remarks):
        return HOLDS, weakest(parts)
    return REMARK, weakest(remarks)


def conclude(summary: str, comparisons: Comparisons, remark: str = "") -> Verdict:
    """The verdict with its reason: the summary, then the comparison that decides.

    `remark` is the sentence for the case that only the remarks are not all inside their ranges.
    """
    verdict, part = judge(comparisons)
    parts = comparisons.parts
    margin = f"Of {len(parts)} comparisons, all inside their ranges, the one closest to a limit is "
    margin += f"{weakest(parts).line()}."
    # an interval that only crosses a limit may come to lie inside with more runs
    certain = "Remark" if part.outside else "Remark (which more runs may remove)"
    ends = {
        HOLDS: margin,
        REMARK: f"{margin} {certain}: {remark}; the furthest from its range is {part.line()}.",
        FAILS: f"Outside its range is {part.line()}.",
        OPEN: f"More runs are needed to decide on {part.line()}.",
    }
    return Verdict(verdict, part, f"{_sentence(summary)} {ends[verdict]}", comparisons)


def both(one: Verdict, other: Verdict) -> Verdict:
    """The verdict on a claim of two halves: the worse of them, with the reasons of both."""
    worse = min(one, other, key=lambda half: WORST_FIRST.index(half.verdict))
    return Verdict(
        worse.verdict,
        worse.decisive,
        f"{one.reason} {other.reason}",
        one.comparisons.joined(other.comparisons),
    )


def record(entry: Mapping[str, Any], verdict: Verdict, files: Sequence[str]) -> dict[str, Any]:
    """A claim with its verdict as plain data for claims.json; null where a number is not finite.

    `entry` is the claim's entry in the config with its name; `files` are those it was decided from.
    """
    value, low, high = verdict.decisive.estimate
    roles = zip(("part", "remark", "control"), verdict.comparisons, strict=True)
    return {
        "number": entry.get("number"),
        "name": entry["name"],
        "statement": entry["statement"],
        "place": entry.get("place", ""),
        "verdict": verdict.verdict,
        "decided_by": verdict.decided_by(),
        "statistic": _plain(value),
        "interval": [_plain(low), _plain(high)],
        "reason": verdict.reason,
        "comparisons": [_comparison(role, part) for role, parts in roles for part in parts],
        "files": list(files),
    }


def _comparison(role: str, part: Part) -> dict[str, Any]:
    numbers = {**part.estimate._asdict(), "least": part.least, "most": part.most}
    plain = {name: _plain(x) for name, x in numbers.items()}
    return {"what": part.what, "role": role, **plain, "inside": bool(part.inside)}


def part(comparison: Mapping[str, Any]) -> Part:
    """A comparison of claims.json as it was when it was decided on."""

    def number(name: str, missing: float) -> float:
        return missing if comparison[name] is None else float(comparison[name])

    estimate = Interval(
        number("value", math.nan), number("low", -math.inf), number("high", math.inf)
    )
    return Part(comparison["what"], estimate, number("least", -math.inf), number("most", math.inf))


def _plain(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None


def _exact(x: float) -> str:
    """A limit or a count, without the trailing zeros of a measured number."""
    text = number(x)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


@dataclass(frozen=True)
class Finals:
    """The regret at the horizon of each policy on each instance, and comparisons at one level."""

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
