"""What panels for plotly.js are made of: pens, marks, lines and the keys of a legend.

Colours are those of a light page; the page's script puts others in their places when it is dark
(`style.DARK`, and the words that begin with @).
"""

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.markers import MarkerStyle

from rankone.show import style
from rankone.show.panels import Entry, Looks

Trace = dict[str, Any]  # one curve, or one set of marks, of plotly.js

# Colours that the page knows.
INK, MARKED, CELL, BEST, WORST = "@ink", "@marked", "@cell", "@range", "@worst"
WIDTH = 2.0  # pixels of a curve
SYMBOLS = {
    "o": "circle", "s": "square", "D": "diamond", "d": "diamond-tall", "^": "triangle-up",
    "v": "triangle-down", "<": "triangle-left", ">": "triangle-right", "P": "cross", "X": "x",
    "*": "star", "p": "pentagon", "h": "hexagon",
}  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """One set of axes. `alt` says what it shows to those who cannot see it."""

    title: str
    alt: str
    data: list[Trace]
    layout: dict[str, Any]
    switched: bool = False  # whether its axes can be made linear or logarithmic
    tall: float = 1.0  # its height, in units of a usual panel
    note: str = ""


@dataclass(frozen=True)
class Key:
    """A line of the legend, which can be switched off: what it stands for and how it looks."""

    name: str
    label: str
    colour: str
    dashes: str = ""
    marker: str = ""  # the outline of its mark, as an SVG path around (0, 0)


@dataclass(frozen=True)
class Chart:
    """Panels, `deep` of them below each other in each column, with one legend."""

    panels: list[Panel]
    keys: list[Key] = field(default_factory=list)
    deep: int = 1
    x: str = "linear"
    y: str = "linear"
    axes: tuple[str, str] = ("Time", "Regret")  # what can be made linear or logarithmic
    wide: tuple[float, ...] = ()  # shares of the columns' widths, if they differ
    data: pd.DataFrame | None = None  # what it shows, where that is in no single file


def pen(look: style.Look) -> dict[str, Any]:
    return {"color": look.colour, "width": WIDTH, "dash": dashes(look.dashes) or "solid"}


def dashes(given: Any) -> str:
    """Dashes of matplotlib, in line widths, as those of SVG."""
    if isinstance(given, str):
        return ""
    return ",".join(f"{WIDTH * length:g}px" for length in given[1])


def marks(look: style.Look) -> dict[str, Any]:
    return {"symbol": SYMBOLS[look.marker], "color": look.colour, "size": 8, "opacity": 1}


def error_bar(look: style.Look, reach: list[Any], width: float) -> dict[str, Any]:
    bar = {"type": "data", "array": reach, "color": look.colour}
    return bar | {"thickness": width, "width": 0}


def heading(text: str, y: float) -> dict[str, Any]:
    """A line of text at the left of a panel."""
    place = {"xref": "paper", "x": 0, "xanchor": "left", "y": y, "yanchor": "middle"}
    return {"text": f"<b>{text}</b>", **place, "showarrow": False, "font": {"size": 12}}


def line_across(x: float | None = None, y: float | None = None) -> dict[str, Any]:
    """A line across the whole panel."""
    pen = {"color": style.GREY, "width": 1}
    if y is None:
        ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"}
    else:
        ends = {"x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y}
    return {"type": "line", **ends, "line": pen, "layer": "below"}


def band(
    x: Iterable[Any], low: pd.Series, high: pd.Series, name: str, look: style.Look, shade: float
) -> list[Trace]:
    """The area from `low` to `high`."""
    edge: Trace = {
        "x": plain(x),
        "mode": "lines",
        "line": {"width": 0.5, "color": look.colour + "66"},
        "hoverinfo": "skip",
        "meta": {"policy": name},
    }
    fill = {"fill": "tonexty", "fillcolor": f"{look.colour}{round(255 * shade):02x}"}
    return [edge | {"y": plain(low)}, edge | {"y": plain(high)} | fill]


def bound(name: str, x: Iterable[Any], y: Iterable[Any], formula: str, more: str = "") -> Trace:
    """The line of a lower bound."""
    dashes = ",".join(f"{2 * length:g}px" for length in style.BOUND_DASHES[name][1])
    return {
        "x": plain(x),
        "y": plain(y),
        "mode": "lines",
        "line": {"color": style.GREY, "width": WIDTH, "dash": dashes},
        "hovertemplate": f"<b>{formula}</b><br>at %{{x:,.4~r}}: %{{y:,.4~r}}"
        + (f"<br>{more}" if more else "")
        + "<extra></extra>",
        "meta": {"policy": name},
    }


def bound_keys(instances: Iterable[Entry]) -> list[Key]:
    """Both lower bounds in a legend."""
    shapes = style.BOUND_DASHES.items()
    label = functools.partial(style.bound_label, instances=list(instances))
    return [Key(name, label(name), style.GREY, dashes(shape)) for name, shape in shapes]


def legend(policies: Iterable[Entry], looks: Looks) -> list[Key]:
    found = []
    for policy in policies:
        look = looks[policy["name"]]
        shape = dashes(look.dashes), outline(look.marker)
        found.append(Key(policy["name"], policy["label"], look.colour, *shape))
    return found


def outline(marker: str) -> str:
    """A marker of matplotlib as an SVG path, about 9 units high."""
    shape = MarkerStyle(marker)
    path = shape.get_transform().transform_path(shape.get_path())
    polygons: list[Any] = list(path.to_polygons())
    lines = [
        "M" + " L".join(f"{9 * x:.2f},{-9 * y:.2f}" for x, y in polygon) + " Z"
        for polygon in polygons
    ]
    return " ".join(lines)


def plain(values: Iterable[Any]) -> list[Any]:
    """Numbers for JSON, to six digits, which is more than a screen shows."""
    return [_short(value) for value in values]


def _short(value: Any) -> Any:
    value = float(value)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else float(f"{value:.6g}")
