"""The pictures of verdicts: published numbers beside ours, slopes, and studies beyond the paper.

Data frames in, drawings out, in the house style of `style` and `panels`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from rankone.paper.published import place, spoken
from rankone.show import panels as parts
from rankone.show import style
from rankone.stats.bands import final

Entry = dict[str, Any]

# What the pictures of ensembles show, and how it is called.
ENSEMBLES: dict[str, Entry] = {
    "beta": {
        "column": "share",
        "labels": {
            "x": "distribution of the entries of u and v",
            "y": "mean regret / (constant · ln T)",
            "title": "Random matrices",
        },
    },
    "perturbed": {
        "column": "mean",
        "labels": {
            "x": "largest move of an entry",
            "y": "mean regret",
            "title": "Nearly rank one",
        },
    },
    "zeros": {
        "column": "mean",
        "labels": {
            "x": "zeros in each of u and v",
            "y": "mean regret",
            "title": "Zeros in both vectors",
        },
    },
}
# The lines of both lower bounds, as they are dashed.
BOUNDS: Entry = dict(
    zip(("lower bound (Prop. 1)", "Lai and Robbins"), parts.BOUND_DASHES, strict=False)
)
FIRST_DECADE = 10_000  # before that the slope is that of learning the graph, not of the bound


def published(table: pd.DataFrame, limit: float) -> Figure:
    """Each published number as a multiple of ours, one panel an experiment.

    `table` is that of `published.compare`. A bar is `limit` combined standard errors long either
    way: one that does not reach the line at 1 is a number beyond the limit, and is drawn filled.
    """
    table = table.assign(
        group=table["experiment"].str.split().str[0]
    )  # the cells of a table together
    experiments = list(dict.fromkeys(zip(table["source"], table["group"], strict=True)))
    names = dict.fromkeys(table["policy"])
    policies = [{"name": name, "label": spoken(name)} for name in names]
    looks = style.looks(policies)
    columns = 3
    rows = -(-len(experiments) // columns)
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 0.5 + 1.9 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, (source, group) in zip(grid, experiments, strict=False):
            here = table[(table["source"] == source) & (table["group"] == group)]
            _beside(axes, here, looks, limit)
            axes.set_title(place(source, group), fontsize=7)
        for axes in grid[len(experiments) :]:
            axes.remove()
        for axes in grid[::columns]:
            axes.set_ylabel("published / ours")
        parts.legend(figure, policies, looks)
    return figure


def _beside(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, style.Look], limit: float) -> None:
    """One panel: the numbers side by side, those of a policy together."""
    order = rows.sort_values(["policy", "K", "t", "statistic"], kind="stable")
    places = np.arange(len(order))
    for spot, (_, row) in zip(places, order.iterrows(), strict=True):
        look, far = looks[row["policy"]], abs(row["z"]) > limit
        ratio, bar = row["published"] / row["ours"], limit * row["combined_se"] / row["ours"]
        pen: Entry = {"color": look.colour, "elinewidth": 1.2 if far else 0.7, "markersize": 3.8}
        pen["markeredgewidth"] = 0.6
        fill = look.colour if far else "white"
        axes.errorbar(spot, ratio, bar, marker=look.marker, markerfacecolor=fill, **pen)
    axes.axhline(1, color="black", linewidth=0.8, zorder=1)
    axes.set_xlim(-1, len(order))
    axes.set_xticks([])
    within = int((order["z"].abs() <= limit).sum())
    axes.set_xlabel(f"{within} of {len(order)} within {limit:g} standard errors", fontsize=6.5)


def slopes(table: pd.DataFrame, policies: Sequence[Entry], panels: Sequence[Entry]) -> Figure:
    """Slopes of the regret in ln T from decade to decade, with both lower bounds' constants.

    `table` is that of `slopes.decades`; a panel has the keys name, label, unimodal, lai_robbins.
    """
    looks = style.looks(policies)
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.7), layout="constrained")
        grid = figure.subplots(1, len(panels), squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=True):
            for policy in policies:
                here = (table["instance"] == panel["name"]) & (table["policy"] == policy["name"])
                rows = table[here & (table["t"] >= FIRST_DECADE)]
                reach = [rows["slope"] - rows["low"], rows["high"] - rows["slope"]]
                axes.errorbar(rows["t"], rows["slope"], reach, **_pen(looks[policy["name"]]))
            for name, dashes in zip(("unimodal", "lai_robbins"), BOUNDS.values(), strict=True):
                axes.axhline(panel[name], color=style.GREY, linestyle=dashes, zorder=1)
            axes.set(title=panel["label"], xscale="log", xlabel="T (end of a decade)")
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(LogLocator(numticks=6))
            axes.xaxis.set_major_formatter(style.powers())
            axes.xaxis.set_minor_formatter(NullFormatter())
        grid[0].set_ylabel("slope of the regret in ln T")
        parts.legend(figure, policies, looks, BOUNDS)
    return figure


def scaling(bands: pd.DataFrame, policies: Sequence[Entry], panels: Sequence[Entry]) -> Figure:
    """Final regret against the size of the matrix, both on log axes, with the lower bound.

    A panel has the keys name, size and bound, the value of the lower bound's line at the horizon.
    """
    looks, sizes = style.looks(policies), [panel["size"] for panel in panels]
    with style.house():
        figure = Figure(figsize=(style.ONE_COLUMN * 1.3, 3.1), layout="constrained")
        axes = figure.subplots()
        for policy in policies:
            ends = [final(bands, panel["name"], policy["name"]) for panel in panels]
            means, errors = [row["mean"] for row in ends], [2 * row["se"] for row in ends]
            axes.errorbar(sizes, means, errors, **_pen(looks[policy["name"]]))
        bound, dashes = next(iter(BOUNDS.items()))
        axes.plot(sizes, [p["bound"] for p in panels], color=style.GREY, linestyle=dashes)
        axes.set(xscale="log", yscale="log", xlabel="K = L", ylabel=parts.REGRET)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(style.thousands())
        parts.legend(figure, policies, looks, {bound: dashes})
    return figure


def sensitivity(bands: pd.DataFrame, policies: Sequence[Entry], panels: Sequence[Entry]) -> Figure:
    """Final regret of many variants, one line each: mean with two standard errors, and the band."""
    places = np.arange(len(policies))[::-1]
    with style.house():
        size = (style.TWO_COLUMNS, 0.6 + 0.19 * len(policies))
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(1, len(panels), sharey=True, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=True):
            for place, policy in zip(places, policies, strict=True):
                row = final(bands, panel["name"], policy["name"])
                axes.plot([row["p10"], row["p90"]], [place] * 2, color="#9a9a9a", linewidth=1)
                pen: Entry = {"color": style.COLOURS[0], "marker": "o", "markersize": 3.5}
                axes.errorbar(row["mean"], place, xerr=2 * row["se"], **pen)
            axes.set(title=panel["label"], xscale="log", xlabel=parts.REGRET)
            axes.xaxis.set_major_formatter(style.thousands())
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.grid(axis="x")
        grid[0].set_yticks(places, [policy["label"] for policy in policies])
    return figure


def ensembles(table: pd.DataFrame, policies: Sequence[Entry], column: str, labels: Entry) -> Figure:
    """The distribution over the cases of each group, one box a policy.

    `column` is what is shown; `labels` has x, y and title. Groups of one case are points, with two
    standard errors.
    """
    groups, looks = list(dict.fromkeys(table["group"])), style.looks(policies)
    width = 0.8 / len(policies)
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.8), layout="constrained")
        axes = figure.subplots()
        for place, policy in enumerate(policies):
            look = looks[policy["name"]]
            chosen = table[table["policy"] == policy["name"]]
            values = [chosen.loc[chosen["group"] == group, column] for group in groups]
            spots = np.arange(len(groups)) + width * (place - (len(policies) - 1) / 2)
            if len(chosen) == len(groups):
                pen: Entry = {"color": look.colour, "marker": look.marker, "linestyle": "none"}
                axes.errorbar(spots, chosen[column], 2 * chosen["se"], markersize=4, **pen)
                continue
            box: Entry = {"color": look.colour, "linewidth": 0.9}
            dots: Entry = {"marker": look.marker, "markersize": 2.5, "markeredgecolor": look.colour}
            axes.boxplot(values, positions=spots, widths=0.8 * width, boxprops=box, medianprops=box,
                         whiskerprops=box, capprops=box, flierprops=dots)  # fmt: skip
        axes.set_xticks(range(len(groups)), groups)
        axes.set(yscale="log", xlabel=labels["x"], ylabel=labels["y"], title=labels["title"])
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(style.thousands())
        axes.yaxis.set_minor_formatter(NullFormatter())
        parts.legend(figure, policies, looks)
    return figure


def _pen(look: style.Look) -> Entry:
    pen: Entry = {"color": look.colour, "linestyle": look.dashes, "marker": look.marker}
    return pen | {"elinewidth": 0.8, "markersize": 3.5}
