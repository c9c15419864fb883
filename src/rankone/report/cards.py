"""Claims as cards: the verdict, the comparison that decides, and strips of all comparisons.

A strip is a row of marks on one scale: all comparisons of a claim that have to lie in the same
range. Positions are percentages of its width, so that it fits any page.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankone.paper import verdicts
from rankone.paper.verdicts import Part
from rankone.show.formats import number

SIGNS = {verdicts.HOLDS: "✓", verdicts.REMARK: "≈", verdicts.FAILS: "✗", verdicts.OPEN: "?"}
CLASSES = {
    verdicts.HOLDS: "holds",
    verdicts.REMARK: "remark",
    verdicts.FAILS: "fails",
    verdicts.OPEN: "open",
}
ROLES = {
    "part": "required",
    "remark": "for no remark, required",
    "control": "control, required",
}
WIDE = 20.0  # the largest number over the smallest from which on a scale is logarithmic
ROOM = 0.06  # of the scale, left free at its ends


@dataclass(frozen=True)
class Mark:
    """A comparison: its interval from `left` to `right` with its value `at`, in percent."""

    at: float
    left: float
    right: float
    inside: bool
    decides: bool
    told: str


@dataclass(frozen=True)
class Strip:
    """Comparisons with one range, which reaches from `least` to `most`, in percent."""

    title: str
    least: float
    most: float
    marks: list[Mark]
    limits: list[tuple[float, str]]
    alt: str


@dataclass(frozen=True)
class Card:
    """A claim as it is shown."""

    number: Any
    statement: str
    place: str
    verdict: str
    sign: str
    style: str
    what: str
    value: str
    interval: str
    required: str
    reason: str
    strips: list[Strip]
    comparisons: list[tuple[str, Part]]
    files: list[str]


def card(record: Mapping[str, Any]) -> Card:
    """The card of a claim in claims.json."""
    parts = [(c["role"], verdicts.part(c)) for c in record["comparisons"]]
    decisive = _decisive(record, [part for _, part in parts])
    _, low, high = decisive.estimate
    remark = record["verdict"] == verdicts.REMARK
    groups: dict[tuple[str, float, float, str], list[Part]] = {}
    for role, part in parts:
        groups.setdefault((role, part.least, part.most, _unit(part)), []).append(part)
    return Card(
        number=record["number"],
        statement=record["statement"],
        place=record["place"],
        verdict=record["verdict"],
        sign=SIGNS[record["verdict"]],
        style=CLASSES[record["verdict"]],
        what=decisive.what,
        value=number(decisive.estimate.value),
        interval="" if low == high else f"[{number(low)}, {number(high)}]",
        required=decisive.range() + (" for no remark" if remark else ""),
        reason=record["reason"],
        strips=[_strip(role, found, decisive) for (role, *_), found in groups.items()],
        comparisons=parts,
        files=record["files"],
    )


def counts(cards: Iterable[Card]) -> list[dict[str, Any]]:
    """How many claims got each verdict, the best first."""
    found = [card.verdict for card in cards]
    return [
        {"verdict": word, "count": found.count(word), "style": CLASSES[word], "sign": SIGNS[word]}
        for word in reversed(verdicts.WORST_FIRST)
        if word in found
    ]


def _decisive(record: Mapping[str, Any], parts: Sequence[Part]) -> Part:
    """The comparison that the verdict hangs on: the one that its line was written from."""
    line = record["decided_by"]
    return next(part for part in parts if line.startswith(part.line()))


def _unit(part: Part) -> str:
    """What is measured: the first word, of ratios of policies none."""
    word = part.what.split()[0]
    return word if word.islower() else ""


def _common(names: Sequence[str]) -> str:
    """The words that all names begin with."""
    lists = [name.split() for name in names]
    same = [set(column) for column in zip(*lists, strict=False)]
    words = [word for word, *_ in itertools.takewhile(lambda column: len(column) == 1, same)]
    return " ".join(words) + (" …" if 0 < len(words) < len(lists[0]) else "")


def _strip(role: str, parts: Sequence[Part], decisive: Part) -> Strip:
    least, most = parts[0].least, parts[0].most
    limits = [x for x in (least, most) if math.isfinite(x)]
    known = [x for part in parts for x in part.estimate if math.isfinite(x)]
    place = _scale([*known, *limits])
    marks = []
    for part in parts:
        value, low, high = part.estimate
        told = f"{part.line()}: {_where(part)}"
        marks.append(
            Mark(place(value), place(low), place(high), part.inside, part is decisive, told)
        )
    inside = sum(part.inside for part in parts)
    common = _common([part.what for part in parts]) or "ratios"
    several = f" ({len(parts)})" if len(parts) > 1 else ""
    title = f"{common}{several}, {ROLES[role]} {parts[0].range()}"
    alt = f"{inside} of {len(parts)} comparisons inside the range: {title}."
    named = [(place(x), number(x).rstrip("0").rstrip(".") or "0") for x in limits]
    return Strip(title, place(least), place(most), marks, named, alt)


def _where(part: Part) -> str:
    if part.inside:
        return "inside"
    return "outside" if part.outside else "crosses the limit"


def _scale(values: Sequence[float]) -> Callable[[float], float]:
    """A function from numbers to percent of a strip's width; beyond the ends is at the ends."""
    low, high = min(values), max(values)
    log = low > 0 and high / low > WIDE

    def along(x: float) -> float:
        return math.log(x) if log and x > 0 else x

    start, span = along(low), (along(high) - along(low)) or 1.0

    def place(x: float) -> float:
        if x == -math.inf or (log and x <= 0):
            return 0.0
        if x == math.inf:
            return 100.0
        return round(100 * (ROOM + (1 - 2 * ROOM) * (along(x) - start) / span), 2)

    return place
