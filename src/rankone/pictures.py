"""The pictures of verdicts: published numbers beside ours, slopes, and studies beyond the paper.

Data frames in, drawings out, in the house style of `style` and `panels`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from rankone import panels as parts
from rankone import style

Entry = dict[str, Any]


def published(table: pd.DataFrame, limit: float) -> Figure:
    """Each published number as a multiple of ours, one panel an experiment.

    `table` is that of `published.compare`. A bar is `limit` combined standard errors long either
    way: one that does not reach the line at 1 is a number beyond the limit, and is drawn filled.
    """
    table = table.assign(
        group=table["experiment"].str.split().str[0]
    )  # the cells of a table together
    experiments = list(dict.fromkeys(zip(table["source"], table["group"], strict=True)))
    policies = [{"name": name, "label": name} for name in dict.fromkeys(table["policy"])]
    looks = style.looks(policies)
    columns = 3
    rows = -(-len(experiments) // columns)
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 0.5 + 1.9 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, (source, group) in zip(grid, experiments, strict=False):
            here = table[(table["source"] == source) & (table["group"] == group)]
            _beside(axes, here, looks, limit)
            axes.set_title(f"{group}\n{source}", fontsize=7)
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
    for place, (_, row) in zip(places, order.iterrows(), strict=True):
        look, far = looks[row["policy"]], abs(row["z"]) > limit
        ratio, bar = row["published"] / row["ours"], limit * row["combined_se"] / row["ours"]
        pen: Entry = {"color": look.colour, "elinewidth": 1.2 if far else 0.7, "markersize": 3.2}
        fill = look.colour if far else "white"
        axes.errorbar(place, ratio, bar, marker=look.marker, markerfacecolor=fill, **pen)
    axes.axhline(1, color="black", linewidth=0.8, zorder=1)
    axes.set_xlim(-1, len(order))
    axes.set_xticks([])
    within = int((order["z"].abs() <= limit).sum())
    axes.set_xlabel(f"{within} of {len(order)} within {limit:g} standard errors", fontsize=6.5)


def slopes(table: pd.DataFrame, policies: Sequence[Entry], panels: Sequence[Entry]) -> Figure:
    """Local slopes of the regret over the constant of the policy, from decade to decade.

    `table` has the columns instance, policy, t (the end of the window), share, low, high.
    """
    looks = style.looks(policies)
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.6), layout="constrained")
        grid = figure.subplots(1, len(panels), sharey=True, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=True):
            for policy in policies:
                rows = table[
                    (table["instance"] == panel["name"]) & (table["policy"] == policy["name"])
                ]
                look = looks[policy["name"]]
                pen: Entry = {"color": look.colour, "linestyle": look.dashes, "marker": look.marker}
                reach = [rows["share"] - rows["low"], rows["high"] - rows["share"]]
                axes.errorbar(rows["t"], rows["share"], reach, elinewidth=0.8, **pen)
            axes.axhline(1, color=style.GREY, linewidth=1)
            axes.set_title(panel["label"])
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(numticks=6))
            axes.xaxis.set_major_formatter(style.powers())
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlabel("T, the end of the decade")
        grid[0].set_ylabel("slope of the regret / constant")
        parts.legend(figure, policies, looks)
    return figure
