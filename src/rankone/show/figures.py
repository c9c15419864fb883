"""The kinds of figures: each public function takes data and returns a matplotlib Figure.

An entry under `figures:` of a configuration names one of them; the pipeline fills in the data and
passes the entry's other keys as they are. Nothing here knows a particular policy, instance or
result. `bands` has the columns instance, policy, t, runs, mean, se, p10, p50, p90; `policies` and
`instances` are the configuration's entries, {name, label, draw, ...} and {name, label, shape, ...};
`constants` has the lower bounds' slopes, `unimodal` and `lai_robbins`, for each instance name.
"""

import functools
import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rankone import theory
from rankone.instances import Instance
from rankone.show import formats, panels, selection, style
from rankone.show.panels import Entry
from rankone.stats import bands as bands_of

__all__ = [
    "close_curves",
    "comparison",
    "distribution",
    "increasing_path",
    "league",
    "log_time",
    "scaling",
    "sensitivity",
    "slopes_by_decade",
    "speed",
    "sweep",
]


def increasing_path(bandit: Instance, arm: Sequence[int]) -> Figure:
    """Figure 1: the neighbours of an arm, and an increasing path from it to the best arm.

    `arm` is its row and column, counted from 1.
    """

    def name(k: int) -> str:
        row, column = panels.cell(bandit, k)
        return f"({row + 1}, {column + 1})"

    start = panels.arm_at(bandit, arm)
    neighbours = [int(k) for k in bandit.neighbourhood(start) if k != start]
    path = theory.increasing_path(bandit, start)
    if path is None:
        raise ValueError(f"no increasing path leads from {name(start)} to {name(bandit.best)}.")
    with style.applied():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.75), layout="constrained")
        left, right = figure.subplots(1, 2)
        panels.matrix_panel(left, bandit, neighbours, start)
        left.set_title(f"(a) The {len(neighbours)} neighbours of {name(start)}")
        panels.matrix_panel(right, bandit, path[1:], start)
        for begin, end in itertools.pairwise(path):
            panels.arrow(right, bandit, begin, end)
        right.set_title("(b) An increasing path: " + " → ".join(map(name, path)))
    return figure


def close_curves(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instance: Entry,
    *,
    rename: Mapping[str, str] | None = None,
) -> Figure:
    """Figure 2: curves that nearly coincide, with their spread and differences enlarged.

    `rename` gives the labels that some policies have in this figure alone.
    """
    chosen, looks = (
        selection.renamed(selection.drawn(policies), rename or {}),
        selection.looks(policies, bands),
    )
    name = instance["name"]
    with style.applied():
        figure = _wide(2.65, chosen)
        shares = (2.5, 1.1, 2.6) if len(chosen) > 1 else (2.5, 1.1)
        curves, ends, *rest = figure.subplots(1, len(shares), width_ratios=shares)
        ends.sharey(curves)
        shade = 1 - 0.75 ** (1 / len(chosen))  # bands on top of each other stay light together
        panels.regret_panel(curves, bands, name, chosen, looks, log=True, shade=shade)
        curves.set(title="(a) Mean, 10th–90th percentile", ylabel=panels.REGRET)
        panels.end_panel(ends, bands, name, chosen, looks)
        for axes in rest:
            panels.difference_panel(axes, bands, name, chosen, looks)
        panels.legend(figure, chosen, looks)
    return figure


def comparison(
    bands: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry]
) -> Figure:
    """Figures 3, 5 and 6: one panel for each instance, linear axes, and below it an enlargement.

    The enlargement holds the policies that a policy far above them would press flat.
    """
    return _regret(bands, policies, instances, None)


def log_time(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
) -> Figure:
    """Figure 4: regret on a log time axis with both lower bounds, and enlargements as in figure 3.

    A bound is the line constant * ln t: its slope is to be compared, not its height.
    """
    return _regret(bands, policies, instances, constants)


def slopes_by_decade(
    slopes: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
    level: float,
) -> Figure:
    """Slopes of the regret in ln T from window to window, with both lower bounds' constants.

    The slopes are on a log scale, on which the same distance is the same ratio to a constant.
    `slopes` has the columns instance, policy, last, runs, in_log, in_log_se; the bars are Student's
    intervals at the confidence level.
    """
    chosen, looks = selection.drawn(policies), selection.looks(policies, slopes)
    bounds = _bound_samples(instances)
    with style.applied():
        figure, grid = _figure(len(instances), 2.2, [*(p["label"] for p in chosen), *bounds])
        for (axes,), instance in zip(grid, instances, strict=True):
            for policy in chosen:
                rows = selection.windows(slopes, instance["name"], policy["name"], level)
                ends = (rows[column].to_numpy() for column in ("slope", "low", "high"))
                pen = panels.pen(looks[policy["name"]], elinewidth=0.8, markersize=3.5)
                axes.errorbar(rows["last"], rows["slope"], selection.reach(*ends), **pen)
            panels.slope_lines(axes, selection.bound_slopes(constants, instance))
            axes.set(title=instance["label"], xscale="log", xlabel="T, the end of the window")
            panels.log_axis(axes.xaxis, ticks=style.powers())
            panels.positive_axis(axes)
        _left(grid, "Slope of the regret in ln T")
        panels.legend(figure, chosen, looks, [(line, name) for name, line in bounds.items()])
    return figure


def scaling(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
    horizon: int,
) -> Figure:
    """Regret at the horizon against the size, on log axes: mean, two standard errors, the bound."""
    chosen, looks = selection.drawn(policies), selection.looks(policies, bands)
    sizes, meaning = selection.sizes(instances)
    bound = style.bound_label("unimodal", instances)
    labels = [*(policy["label"] for policy in chosen), bound]
    with style.applied():
        width = style.ONE_COLUMN * 1.3
        height = 2.6 + panels.legend_height(labels, width)
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        axes.set(yscale="log", xlabel=meaning, ylabel=panels.REGRET)
        panels.size_axis(axes, sizes)
        for policy in chosen:
            ends = [bands_of.final(bands, one["name"], policy["name"]) for one in instances]
            pen = panels.pen(looks[policy["name"]], elinewidth=0.8, markersize=3.5)
            axes.errorbar(
                sizes, [row["mean"] for row in ends], [2 * row["se"] for row in ends], **pen
            )
        line = selection.bound_heights(constants, instances, horizon)
        dashes = style.BOUND_DASHES["unimodal"]
        axes.plot(sizes, line, color=style.GREY, linestyle=dashes, linewidth=1.6, zorder=1.5)
        panels.log_axis(axes.yaxis, ticks=style.thousands())
        panels.legend(figure, chosen, looks, [(style.bound_sample("unimodal"), bound)])
    return figure


def sweep(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
    horizon: int,
) -> Figure:
    """Regret at the horizon against what is swept: a policy's parameter, or an instance's size.

    A line for each instance, or for each policy: the mean with two standard errors, and a band from
    the 10th to the 90th percentile. The values are evenly spaced. Sizes have the lower bound, too.
    """
    shown = selection.sweep(bands, policies, instances)
    bound = style.bound_label("unimodal", instances)
    with style.applied():
        labels = [*(one["label"] for one in shown.lines), bound]
        width = style.ONE_COLUMN * 1.3
        height = 2.6 + panels.legend_height(labels, width)
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        spots = np.arange(len(shown.swept))
        for line, ends in zip(shown.lines, shown.ends, strict=True):
            panels.line_with_band(axes, spots, ends, shown.looks[line["name"]])
        more = []
        if not shown.of_policies:
            heights = selection.bound_heights(constants, shown.swept, horizon)
            dashes = style.BOUND_DASHES["unimodal"]
            axes.plot(spots, heights, color=style.GREY, linestyle=dashes, linewidth=1.6, zorder=1.5)
            more = [(style.bound_sample("unimodal"), bound)]
            axes.set_yscale("log")
            panels.log_axis(axes.yaxis, ticks=style.thousands())
        else:
            axes.set_ylim(bottom=0)
        axes.set_xticks(spots, [one["sweep"]["text"] for one in shown.swept])
        axes.set(xlabel=shown.swept[0]["sweep"]["symbol"], ylabel=panels.REGRET)
        panels.legend(figure, shown.lines, shown.looks, more)
        note = f"T = {horizon:,}; bars: mean ±2 s.e.; bands: 10th–90th percentile"
        figure.supxlabel(note, fontsize=style.SMALL, color=style.GREY)
    return figure


def sensitivity(
    bands: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry]
) -> Figure:
    """Regret at the horizon of many variants, one row each: mean, two standard errors, the band."""
    chosen, looks = selection.drawn(policies), selection.looks(policies, bands)
    places = np.arange(len(chosen))[::-1]
    with style.applied():
        size = (style.TWO_COLUMNS, 0.75 + 0.17 * len(chosen))
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(1, len(instances), sharey=True, squeeze=False).ravel()
        for axes, instance in zip(grid, instances, strict=True):
            for place, policy in zip(places, chosen, strict=True):
                panels.row_of_end(
                    axes,
                    place,
                    bands_of.final(bands, instance["name"], policy["name"]),
                    looks[policy["name"]],
                )
            axes.set(title=instance["label"], xscale="log", xlabel=panels.REGRET)
            panels.log_axis(axes.xaxis, ticks=style.thousands(), subs=(1.0, 3.0))
            axes.grid(axis="x")
        grid[0].set_ylim(-0.7, len(chosen) - 0.3)
        grid[0].set_yticks(places, [policy["label"] for policy in chosen])
        note = "mark and thick bar: mean ±2 s.e.; thin bar: 10th–90th percentile"
        figure.supxlabel(note, fontsize=style.SMALL, color=style.GREY)
    return figure


def distribution(
    cases: pd.DataFrame, policies: Sequence[Entry], *, column: str, x: str, y: str, title: str
) -> Figure:
    """What the cases of an experiment give, one box for each policy in each group.

    `column` is what is shown; `x`, `y` and `title` say it in words. Where every group has one case
    there are points with two standard errors (column `se`).
    """
    chosen = selection.with_cases(selection.drawn(policies), cases, column)
    looks = selection.looks(policies, cases)
    groups = list(dict.fromkeys(cases["group"]))
    width = 0.8 / len(chosen)
    with style.applied():
        figure = _wide(2.55, chosen)
        axes = figure.subplots()
        for place, policy in enumerate(chosen):
            own = cases[cases["policy"] == policy["name"]]
            spots = np.arange(len(groups)) + width * (place - (len(chosen) - 1) / 2)
            look = looks[policy["name"]]
            panels.spread_of_groups(axes, own, groups, column, spots, 0.8 * width, look)
        axes.set_xticks(range(len(groups)), [panels.short(group) for group in groups])
        axes.set_xlim(-0.6, len(groups) - 0.4)
        axes.set(yscale="log", xlabel=x, ylabel=y, title=title)
        panels.log_axis(axes.yaxis, ticks=style.thousands(), subs=(1.0, 2.0, 5.0))
        panels.legend(figure, chosen, looks)
    return figure


def league(
    cases: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry], level: float
) -> Figure:
    """The regret of each policy over that of the best one, on each instance of a league.

    One row per policy, the best first, and one column per instance; the darker, the worse. The
    first column is the geometric mean of the row, the last the share of random matrices won.
    """
    found = selection.league(cases, policies, instances, level)
    order = found.order
    ratios = np.array(
        [[math.nan if one is None else one["ratio"] for one in row] for row in found.cells]
    )
    tied = np.array(
        [[one is not None and selection.tied(one) for one in row] for row in found.cells]
    )
    ratios = np.column_stack([order["factor"], ratios])
    tied = np.column_stack([np.zeros(len(order), bool), tied])
    won = [formats.NOTHING if np.isnan(x) else f"{100 * x:.0f} %" for x in order["won"]]
    with style.applied():
        height = 1.5 + 0.19 * len(order)
        figure = Figure(figsize=(style.TWO_COLUMNS, height), layout="constrained")
        axes = figure.subplots()
        last = ("of these\nwon", won)
        panels.heat_map(axes, ratios, tied, found.names, ["geometric\nmean", *found.heads], last)
        horizon = int(cases["t"].max())
        axes.set_title(f"Regret at T = {horizon:,} as a multiple of the best policy's", pad=6)
        told = f"green: not surely worse than the best ({100 * level:g} %); ×: cannot play there"
        figure.supxlabel(told, fontsize=style.SMALL, color=style.GREY)
    return figure


def speed(times: pd.DataFrame, policies: Sequence[Entry]) -> Figure:
    """What a run costs against the horizon and against the size, fast and round by round.

    `times` has the columns policy, size, horizon, fast_ms, plain_ms.
    """
    looks, fixed = selection.looks(policies, times), {"size": 4, "horizon": 300_000}
    with style.applied():
        figure = _wide(3.0, policies)
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, across, other in ((left, "horizon", "size"), (right, "size", "horizon")):
            for policy in policies:
                rows = times[times["policy"].eq(policy["name"]) & times[other].eq(fixed[other])]
                panels.cost_lines(axes, rows.sort_values(across), across, looks[policy["name"]])
        left.set(xscale="log", yscale="log", xlabel="Horizon T (rounds), K = 4")
        panels.log_axis(left.xaxis, ticks=style.powers())
        panels.log_axis(left.yaxis, ticks=style.thousands())
        left.set_ylabel("CPU time of a run (ms)")
        panels.size_axis(right, times["size"].unique())
        right.set_xlabel("Size K of the matrix, T = 300,000")
        how = [
            (Line2D([], [], color=style.GREY, marker="o"), "filled: fast"),
            (Line2D([], [], color=style.GREY, marker="o", **panels.HOLLOW), "hollow: plain"),
        ]
        panels.legend(figure, policies, looks, how)
    return figure


def _regret(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame | None,
) -> Figure:
    """One panel for each instance, over its enlargement where there is one.

    With `constants` the time axis is logarithmic and the lower bounds are drawn.
    """
    chosen, looks = selection.drawn(policies), selection.looks(policies, bands)
    lower = panels.lower_group(bands, chosen, instances)
    log = constants is not None
    bounds = _bound_samples(instances) if log else {}
    labels = [*(policy["label"] for policy in chosen), *bounds]
    with style.applied():
        figure, grid = _figure(len(instances), 1.75, labels, deep=2 if lower else 1)
        for (top, *below), instance in zip(grid, instances, strict=True):
            draw = functools.partial(
                panels.regret_panel, bands=bands, instance=instance["name"], looks=looks, log=log
            )
            draw(top, policies=chosen, unmarked=lower)
            top.set_title(instance["label"])
            for axes in below:
                draw(axes, policies=lower)
            if constants is not None:
                slopes = selection.bound_slopes(constants, instance)
                panels.bound_lines(top, slopes, fit=["unimodal", "lai_robbins"])
                panels.bound_title(top, instance["label"], slopes)
                for axes in below:
                    panels.bound_lines(axes, slopes, fit=["unimodal"])
            for axes in below:
                panels.enlarge(top, axes)
        _left(grid, panels.REGRET)
        panels.legend(figure, chosen, looks, [(line, name) for name, line in bounds.items()])
    return figure


def _figure(
    count: int, height: float, labels: Sequence[str], deep: int = 1
) -> tuple[Figure, np.ndarray]:
    """A figure with room for a legend and `count` panels; its axes in the shape (count, deep)."""
    columns = panels.columns_of(count)
    width = style.TWO_COLUMNS if columns > 1 else style.ONE_COLUMN
    rows = deep * -(-count // columns)
    tall = (
        0.3 + panels.legend_height(labels, width) + rows * (height if columns > 1 else 1.2 * height)
    )
    figure = Figure(figsize=(width, tall), layout="constrained")
    return figure, panels.grid(figure, count, deep)


def _wide(height: float, policies: Sequence[Entry]) -> Figure:
    """A figure as wide as a page, with room for a legend of the policies."""
    legend = panels.legend_height([policy["label"] for policy in policies], style.TWO_COLUMNS)
    return Figure(figsize=(style.TWO_COLUMNS, height + legend), layout="constrained")


def _left(grid: np.ndarray, label: str) -> None:
    """The label of the vertical axis, at the left of each row only."""
    for axes in grid.flat:
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel(label)
    grid.flat[0].figure.align_ylabels()


def _bound_samples(instances: Sequence[Entry]) -> dict[str, Line2D]:
    """Both lower bounds' lines for a legend, by label."""
    return {style.bound_label(b, instances): style.bound_sample(b) for b in style.BOUND_DASHES}
