"""The figures about this paper alone: published numbers beside ours.

As in `rankone.show.figures`, each public function is a kind that a configuration can ask for.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rankone.paper import published as numbers
from rankone.show import panels, style

__all__ = ["published"]

COLUMNS = 2
CROWDED = 48  # letters of tick labels, with spaces, from which on they are written upwards


class _Spot(NamedTuple):
    """What a published number is about: all numbers of one spot stand side by side."""

    group: str  # the instance
    t: int
    statistic: str


def published(compared: pd.DataFrame, *, limit: float = numbers.LIMIT) -> Figure:
    """Each published number as a multiple of ours, one panel for each published figure or table.

    `compared` is what `published.compare` returns; only the main variants are shown. A bar reaches
    `limit` combined standard errors either way: where it misses the line at 1, the number is beyond
    the limit and its mark is filled.
    """
    table = compared[compared["main"]]
    if table.empty:
        raise ValueError("no published number was simulated; allowed: at least one.")
    words = [name.partition(" ") for name in table["experiment"]]  # "table1", " ", "p=(.7;.7) ..."
    table = table.assign(part=[word[0] for word in words], detail=[word[2] for word in words])
    looks = style.looks([{"name": name} for name in table["variant"].unique()])
    parts = list(table.groupby(["source", "part"], sort=False))
    rows = -(-len(parts) // COLUMNS)
    with style.applied():
        size = (style.TWO_COLUMNS, 1.0 + 2.1 * rows)
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
        for axes, (key, here) in zip(grid, parts, strict=False):
            _panel(axes, here, looks, limit)
            source, part = map(str, key)
            _title(axes, numbers.place(source, part), here, limit)
        for axes in grid[len(parts) :]:
            axes.remove()
        for axes in grid[::COLUMNS]:
            axes.set_ylabel("published / ours")
        panels.legend(figure, *_entries(table, looks), _meanings(limit))
    return figure


def _panel(axes: Axes, table: pd.DataFrame, looks: Mapping[str, style.Look], limit: float) -> None:
    """The numbers of one published figure or table, those of one instance together."""
    groups, common = _groups(table)
    spots = list(map(_Spot, groups, table["t"], table["statistic"]))
    order = sorted(set(spots), key=lambda spot: (groups.index(spot.group), *_by_time(spot)))
    rank = {name: place for place, name in enumerate(looks)}
    for place, spot in enumerate(order):
        here = table[[other == spot for other in spots]]
        here = here.sort_values("variant", key=lambda names: names.map(rank), kind="stable")
        for number, (_, row) in enumerate(here.iterrows()):
            shift = 0.7 * ((number + 0.5) / len(here) - 0.5)
            _mark(axes, place + shift, row, looks[row["variant"]], limit)
    axes.axhline(1, color="black", linewidth=0.8, zorder=1)
    axes.set_xlim(-0.6, len(order) - 0.4)
    _name_spots(axes, order, common)


def _mark(axes: Axes, place: float, row: pd.Series, look: style.Look, limit: float) -> None:
    """One number: published / ours with a bar of `limit` combined standard errors either way."""
    far = abs(row["z"]) > limit
    fill = look.colour if far else "white"
    pen = panels.pen(look, linestyle="none", markersize=3.6, markeredgewidth=0.7)
    pen |= {"markerfacecolor": fill, "elinewidth": 1.2 if far else 0.7}
    bar = limit * row["combined_se"] / row["ours"]
    axes.errorbar(place, row["published"] / row["ours"], bar, **pen)


def _name_spots(axes: Axes, order: Sequence[_Spot], common: str) -> None:
    """Tick labels, and above them the groups where each has several spots."""
    groups = list(dict.fromkeys(spot.group for spot in order))
    horizon = max(spot.t for spot in order)
    at = f"t = {panels.power(horizon)}"
    alone = len(groups) == len(order)
    several_times = len({spot.t for spot in order}) > 1
    names = [s.group if alone else _condition(s, horizon, several_times) for s in order]
    turned = 90 if sum(len(name) + 1 for name in names) > CROWDED else 0
    axes.set_xticks(range(len(order)), names, rotation=turned, fontsize=style.SMALL)
    note = "mean at round t" if several_times else f"mean at {at}"
    if any(spot.statistic.startswith("p") for spot in order):
        note += f"; p10, p90: percentiles at {at}"
    axes.set_xlabel(note + common, fontsize=style.SMALL, color=style.GREY)
    if alone:
        return
    for group in groups:
        places = [place for place, spot in enumerate(order) if spot.group == group]
        if places[0]:
            axes.axvline(places[0] - 0.5, color="#b5b5b5", linewidth=0.6)
        above: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "ha": "center"}
        axes.text(float(np.mean(places)), 1.0, group, va="bottom", fontsize=style.SMALL, **above)


def _groups(table: pd.DataFrame) -> tuple[list[str], str]:
    """A short name of each row's instance, and what the names leave out.

    An instance is described by its size and by words such as p=(.7;.7) d=(.2;.2); what most rows
    have in common is left out.
    """
    square = (table["K"] == table["L"]).fillna(False).all()
    sizes = [
        "graph" if pd.isna(rows) else f"K = {rows}" if square else f"{rows} × {columns}"
        for rows, columns in zip(table["K"], table["L"], strict=True)
    ]
    words = [re.sub(r"\b0\.", ".", detail).replace(";", ", ") for detail in table["detail"]]
    details = pd.DataFrame([re.findall(r"\w+=\([^)]*\)", line) for line in words])
    if not details.shape[1]:
        return sizes, ""
    parts = details.assign(size=sizes)
    usual = parts.mode().iloc[0]
    names = [" ".join(row[row != usual]) or usual["size"] for _, row in parts.iterrows()]
    return names, "; unless named: " + ", ".join(usual[["size", *details]])


def _by_time(spot: _Spot) -> tuple[Any, ...]:
    return spot.statistic.startswith("p"), spot.t, spot.statistic


def _condition(spot: _Spot, horizon: int, several_times: bool) -> str:
    if not spot.statistic.startswith("p"):
        return panels.power(spot.t) if several_times else "mean"
    return spot.statistic if spot.t == horizon else f"{spot.statistic}, {panels.power(spot.t)}"


def _title(axes: Axes, text: str, table: pd.DataFrame, limit: float) -> None:
    within = int((table["z"].abs() <= limit).sum())
    axes.set_title(f"{text}: {within} of {len(table)} within ±{limit:g} s.e.", pad=13, fontsize=7)


def _entries(
    table: pd.DataFrame, looks: Mapping[str, style.Look]
) -> tuple[list[dict[str, str]], dict[str, style.Look]]:
    """The policies of the legend with their looks: variants that look the same are one entry."""
    found: dict[style.Look, dict[str, str]] = {}
    for _, row in table.iterrows():
        same = table.loc[table["policy"] == row["policy"], "variant"]
        one_look = len({looks[variant] for variant in same}) == 1
        label = numbers.spoken(row["policy"]) if one_look else row["variant_label"]
        found.setdefault(looks[row["variant"]], {"name": row["variant"], "label": label})
    return list(found.values()), {entry["name"]: look for look, entry in found.items()}


def _meanings(limit: float) -> list[tuple[Line2D, str]]:
    """What filled and hollow marks and the bars mean, for the legend."""
    mark: dict[str, Any] = {"color": style.GREY, "linestyle": "none", "marker": "o"}
    hollow = Line2D([], [], markerfacecolor="white", **mark)
    bar = Line2D([], [], color=style.GREY, linestyle="none", marker="|", markersize=8)
    return [
        (Line2D([], [], **mark), f"filled: beyond ±{limit:g} s.e."),
        (hollow, f"hollow: within ±{limit:g} s.e."),
        (bar, f"bar: ±{limit:g} combined s.e."),
    ]
