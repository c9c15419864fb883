"""The figures: bands in, drawings out. Nothing here knows a policy, an instance or a result.

`bands` has the columns instance, policy, t, runs, mean, se, p10, p50, p90. `policies` is the
configuration's list of {name, label, draw}; a policy's look comes from its place in that list.
`panels` lists {name, label} of instances. Each function returns a figure for `style.save`.
"""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch, FancyArrowPatch, Rectangle
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullFormatter

from rankone import style, theory
from rankone.instances import Instance

Entry = dict[str, Any]

REGRET = "Regret (expected reward lost)"
UNITS = ((1e12, "trillions of "), (1e9, "billions of "), (1e6, "millions of "), (1e3, "thousands of "))
LINE = 0.125  # inches: a line of label text with air
FAR_APART = 3.0  # a gap between policies that earns the lower ones an enlargement


def curve(bands: pd.DataFrame, instance: str, policy: str) -> pd.DataFrame:
    """The rows of one policy on one instance, in time order."""
    here = bands[bands["instance"] == instance]
    rows = here[here["policy"] == policy].sort_values("t")
    if rows.empty:
        column, wanted = ("policy", policy) if len(here) else ("instance", instance)
        known = ", ".join(sorted((here if len(here) else bands)[column].unique()))
        where = f" on instance {instance!r}" if len(here) else ""
        raise ValueError(f"the bands hold no {column} {wanted!r}{where}; they hold: {known}.")
    return rows


def drawn(policies: Iterable[Entry], omit: Sequence[str] = ()) -> list[Entry]:
    """The policies with a curve; `omit` leaves out some and keeps the looks of the others."""
    chosen = [p for p in policies if p.get("draw", True) and p["name"] not in omit]
    if not chosen:
        raise ValueError("no policy is left to draw; allowed: at least one with draw: true.")
    return chosen


def regret_panel(
    axes: Axes,
    bands: pd.DataFrame,
    instance: str,
    policies: Sequence[Entry],
    looks: dict[str, style.Look],
    *,
    log: bool = False,
) -> None:
    """Mean regret of each policy with its band from the 10th to the 90th percentile."""
    horizon, first = 0, np.inf
    for position, policy in enumerate(policies):
        rows, look = curve(bands, instance, policy["name"]), looks[policy["name"]]
        if log:
            rows = rows[rows["t"] >= min(10, rows["t"].max())]  # before that nothing is learnt
        t, mean = rows["t"].to_numpy(), rows["mean"].to_numpy()
        axes.fill_between(t, rows["p10"], rows["p90"], color=look.colour, alpha=0.16, linewidth=0)
        for edge in ("p10", "p90"):
            axes.plot(t, rows[edge], color=look.colour, linewidth=0.4, alpha=0.7)
        marks = _spaced(np.log(t) if log else t, position / len(policies))
        axes.plot(
            t, mean, color=look.colour, linestyle=look.dashes, marker=look.marker, markevery=marks
        )
        horizon, first = max(horizon, t[-1]), min(first, t[0])
    _regret_axis(axes)
    _time_axis(axes, first, horizon, log)


def figure1(instance: Instance, arm: int) -> Figure:
    """Figure 1: the neighbours of an arm, and an increasing path from it to the best arm."""
    if instance.shape is None:
        raise ValueError("figure 1 needs a matrix of arms; this instance is a graph.")
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.75), layout="constrained")
        left, right = figure.subplots(1, 2)
        neighbours = [int(k) for k in instance.neighbourhood(arm) if k != arm]
        path = [int(k) for k in theory.increasing_path(instance, arm)]
        _matrix(left, instance, neighbours, arm)
        left.set_title(f"(a) The {len(neighbours)} neighbours of {_cell_name(instance, arm)}")
        _matrix(right, instance, path[1:], arm)
        for start, end in zip(path, path[1:], strict=False):
            _arrow(right, instance, start, end)
        names = " → ".join(_cell_name(instance, k) for k in path)
        right.set_title(f"(b) An increasing path: {names}")
    return figure


def figure2(bands: pd.DataFrame, policies: Sequence[Entry], instance: str) -> Figure:
    """Figure 2: curves that nearly coincide, with their spread and differences at closer range."""
    with style.house():
        chosen, looks = drawn(policies), style.looks(policies)
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.9), layout="constrained")
        curves, ends, differences = figure.subplots(1, 3, width_ratios=(2.5, 1.1, 2.6))
        regret_panel(curves, bands, instance, chosen, looks, log=True)
        curves.set_title("(a) Mean, 10th–90th percentile")
        _end_panel(ends, bands, instance, chosen, looks)
        ends.set_ylim(curves.get_ylim())
        _difference_panel(differences, bands, instance, chosen, looks)
        curves.set_ylabel(REGRET)
        _legend(figure, chosen, looks)
    return figure


def comparison(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    panels: Sequence[Entry],
    *,
    omit: Sequence[str] = (),
) -> Figure:
    """Figures 3, 5 and 6: one panel an instance, linear axes, and below it an enlargement.

    The enlargement holds the policies that a policy far above them would press flat.
    """
    with style.house():
        chosen, looks = drawn(policies, omit), style.looks(policies)
        lower = lower_group(bands, chosen, panels)
        columns, deep = min(3, len(panels)), 2 if lower else 1
        blocks = -(-len(panels) // columns)
        width = style.TWO_COLUMNS if columns > 1 else style.ONE_COLUMN
        legend = 0.16 * -(-len(chosen) // _legend_columns(chosen, width))
        figure = Figure(figsize=(width, legend + 0.4 + blocks * deep * 1.75), layout="constrained")
        grid = figure.subplots(blocks * deep, columns, squeeze=False)
        for axes in grid.flat[len(panels) :] if deep == 1 else ():
            axes.set_visible(False)
        for place, panel in enumerate(panels):
            row, column = deep * (place // columns), place % columns
            top = grid[row, column]
            regret_panel(top, bands, panel["name"], chosen, looks)
            top.set_title(panel["label"])
            if lower:
                regret_panel(grid[row + 1, column], bands, panel["name"], lower, looks)
                _enlarge(top, grid[row + 1, column])
        figure.supylabel(REGRET, fontsize=7.5)
        _legend(figure, chosen, looks)
    return figure


def figure4(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instance: str,
    bounds: Sequence[Entry],
    *,
    omit: Sequence[str] = (),
) -> Figure:
    """Figure 4: regret on a log time axis with the straight lines constant * ln t of `bounds`.

    `bounds` lists {label, constant}.
    """
    with style.house():
        chosen, looks = drawn(policies, omit), style.looks(policies)
        height = max(2.7, 0.8 + LINE * (len(chosen) + 2 * len(bounds)))
        figure = Figure(figsize=(style.ONE_COLUMN, height), layout="constrained")
        axes = figure.subplots()
        regret_panel(axes, bands, instance, chosen, looks, log=True)
        axes.set_ylabel(REGRET)
        t = np.array(axes.get_xlim())
        labels = []
        for bound, dashes in zip(bounds, _bound_dashes(), strict=False):
            line = bound["constant"] * np.log(t)
            axes.plot(t, line, color=style.GREY, linestyle=dashes, linewidth=1.6, zorder=1.5)
            text = f"{bound['label']}\n{bound['constant']:.2f} ln t"
            labels.append((float(line[-1]), text, style.GREY, ""))
        axes.set_ylim(0, max(axes.get_ylim()[1], *(1.04 * end for end, *_ in labels), 0))
        for policy in chosen:
            end = float(curve(bands, instance, policy["name"])["mean"].iloc[-1])
            look = looks[policy["name"]]
            text = textwrap.fill(policy["label"], 20)
            labels.append((end, text, look.colour, look.marker))
        _end_labels(axes, labels)
    return figure


def lower_group(
    bands: pd.DataFrame, policies: Sequence[Entry], panels: Sequence[Entry]
) -> list[Entry]:
    """The policies under the widest gap between final regrets, or none if no gap is wide.

    The gap is measured over all panels together, so that each panel enlarges the same policies.
    """
    heights = {
        policy["name"]: np.mean(
            [
                np.log(max(1.0, curve(bands, panel["name"], policy["name"])["mean"].iloc[-1]))
                for panel in panels
            ]
        )
        for policy in policies
    }
    order = sorted(heights, key=heights.__getitem__)
    gaps = np.diff([heights[name] for name in order])
    if not len(gaps) or gaps.max() < np.log(FAR_APART):
        return []
    below = order[: int(np.argmax(gaps)) + 1]
    return [policy for policy in policies if policy["name"] in below]


def _spaced(positions: np.ndarray, phase: float, count: int = 6) -> list[int]:
    """Indices of points evenly spaced along the axis, shifted by `phase` so markers do not meet."""
    low, high = positions[0], positions[-1]
    wanted = low + (high - low) * (np.arange(count) + 0.15 + 0.7 * phase) / count
    return sorted({int(np.abs(positions - place).argmin()) for place in wanted})


def _regret_axis(axes: Axes) -> None:
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(style.thousands())


def _time_axis(axes: Axes, first: float, horizon: float, log: bool) -> None:
    if log:
        axes.set_xscale("log")
        axes.set_xlim(first, max(horizon, first * 1.01))
        axes.xaxis.set_major_locator(LogLocator(numticks=8))
        axes.xaxis.set_major_formatter(style.powers())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("Time t (rounds, log scale)")
        return
    unit, name = next(((size, name) for size, name in UNITS if horizon >= size), (1, ""))
    axes.set_xlim(0, horizon)
    axes.xaxis.set_major_locator(FixedLocator(unit * np.array(_ticks(horizon / unit))))
    axes.xaxis.set_major_formatter(_scaled(unit))
    axes.set_xlabel(f"Time t ({name}rounds)")


def _ticks(top: float) -> list[float]:
    return [float(tick) for tick in MaxNLocator(4).tick_values(0, top) if tick <= top * 1.001]


def _scaled(unit: float) -> Callable[[float, int], str]:
    write = style.thousands()
    return lambda value, place: write(value / unit, place)


def _legend_columns(policies: Sequence[Entry], width: float) -> int:
    # an entry: its letters at about 0.6 of the font size, the sample and the space around
    entry = (0.6 * max(len(policy["label"]) for policy in policies) + 5.5) * 7.5 / 72
    return max(1, min(len(policies), int(width / entry)))


def _legend(figure: Figure, policies: Sequence[Entry], looks: dict[str, style.Look]) -> None:
    figure.legend(
        [style.sample(looks[policy["name"]]) for policy in policies],
        [policy["label"] for policy in policies],
        loc="outside upper center",
        ncols=_legend_columns(policies, figure.get_figwidth()),
        handlelength=3.2,
    )


def _enlarge(top: Axes, below: Axes) -> None:
    """Tint the strip that the panel below enlarges, and tie the two together."""
    height = below.get_ylim()[1]
    top.set_xlabel("")
    top.axhspan(0, height, color=style.TINT, zorder=0, linewidth=0)
    below.set_facecolor(style.TINT)
    below.grid(color="white")
    for end in (0, 1):
        edge = ConnectionPatch(
            (end, height), (end, 1), top.get_yaxis_transform(), below.transAxes,
            color="#b5b5b5", linewidth=0.6, linestyle=":",
        )  # fmt: skip
        edge.set_in_layout(False)
        top.figure.add_artist(edge)


def _end_panel(
    axes: Axes,
    bands: pd.DataFrame,
    instance: str,
    policies: Sequence[Entry],
    looks: dict[str, style.Look],
) -> None:
    """Mean, two standard errors and percentiles at the horizon, one column a policy."""
    for place, policy in enumerate(policies):
        last, look = curve(bands, instance, policy["name"]).iloc[-1], looks[policy["name"]]
        axes.plot([place] * 2, [last["p10"], last["p90"]], color=look.colour, linewidth=0.8)
        axes.errorbar(
            place, last["mean"], 2 * last["se"],
            color=look.colour, marker=look.marker, elinewidth=2.6, capsize=0,
        )  # fmt: skip
    axes.set_xlim(-0.7, len(policies) - 0.3)
    axes.set_xticks([])
    axes.tick_params(labelleft=False)
    axes.set_title("(b) At the end")
    axes.set_xlabel(f"t = {int(last['t']):,}")


def _difference_panel(
    axes: Axes,
    bands: pd.DataFrame,
    instance: str,
    policies: Sequence[Entry],
    looks: dict[str, style.Look],
) -> None:
    """Mean regret minus that of the first policy, with two standard errors of the difference."""
    reference = curve(bands, instance, policies[0]["name"]).set_index("t")
    times = _round_times(reference.index.to_numpy())
    width = 0.7 / len(policies)
    for place, policy in enumerate(policies):
        rows, look = curve(bands, instance, policy["name"]).set_index("t"), looks[policy["name"]]
        if place == 0:
            continue
        gap = (rows["mean"] - reference["mean"]).loc[times]
        error = np.sqrt(rows["se"] ** 2 + reference["se"] ** 2).loc[times]
        axes.errorbar(
            np.arange(len(times)) + width * (place - len(policies) / 2), gap, 2 * error,
            color=look.colour, marker=look.marker, linestyle="none", elinewidth=0.9, capsize=1.5,
        )  # fmt: skip
    axes.axhline(0, color=looks[policies[0]["name"]].colour, linewidth=1.3)
    axes.set_xticks(range(len(times)), [_short(t) for t in times])
    axes.set_xlim(-0.6, len(times) - 0.4)
    axes.set_xlabel("Time t (rounds)")
    axes.yaxis.set_major_formatter(style.thousands())
    axes.set_title(f"(c) Above {policies[0]['label']}, ±2 s.e.")


def _round_times(times: np.ndarray) -> list[int]:
    """The powers of ten among the checkpoints from 100 on, and the horizon."""
    powers = {10**k for k in range(2, 19)} & {int(t) for t in times}
    return sorted(powers | {int(times[-1])})


def _short(t: int) -> str:
    power = int(np.floor(np.log10(t) + 1e-9))
    factor = t / 10**power
    return ("" if factor == 1 else f"{factor:.3g}·") + style.powers()(10**power, 0)


def _bound_dashes() -> tuple[Any, ...]:
    return ((0, (7, 2)), (0, (1.5, 1.5)), (0, (4, 1.5, 1, 1.5)), "-")


def _end_labels(axes: Axes, labels: Sequence[tuple[float, str, str, str]]) -> None:
    """Labels right of the axes, tied to where the lines end and spread so that none overlap."""
    to_axes = axes.transData + axes.transAxes.inverted()
    write = {"transform": axes.transAxes, "fontsize": 7, "va": "center", "linespacing": 1.05}
    texts = [axes.text(1.1, 0.5, text, color=colour, **write) for _, text, colour, _ in labels]
    axes.figure.draw_without_rendering()  # the layout must be known to know how tall a label is
    inches = axes.get_window_extent().height / axes.figure.dpi
    ends = [to_axes.transform((axes.get_xlim()[1], end))[1] for end, *_ in labels]
    heights = [LINE * (text.count("\n") + 1) / inches for _, text, _, _ in labels]
    places = style.spread(ends, heights, -0.05, 1.05)
    for text, end, place, (_, _, colour, marker) in zip(texts, ends, places, labels, strict=True):
        text.set_y(place)
        axes.add_line(
            Line2D(
                [1.0, 1.06], [end, place], transform=axes.transAxes, clip_on=False,
                color=colour, linewidth=0.7, marker=marker or None, markevery=[1], markersize=3.5,
            )  # fmt: skip
        )


def _cell_name(instance: Instance, arm: int) -> str:
    row, column = divmod(arm, instance.shape[1])  # type: ignore[index]
    return f"({row + 1}, {column + 1})"


def _matrix(axes: Axes, instance: Instance, marked: Sequence[int], arm: int) -> None:
    """The matrix of means with some cells shaded, one framed, and a star in the best."""
    rows, columns = instance.shape  # type: ignore[misc]
    for k in range(instance.arms):
        row, column = divmod(k, columns)
        shade = "#cfe3f2" if k in marked else "white"
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor=shade, edgecolor="#8a8a8a", lw=0.6))
        text = f"{instance.means[k]:.4g}" + (" ★" if k == instance.best else "")
        weight = "bold" if k in marked or k == arm else "normal"
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", weight=weight)
    row, column = divmod(arm, columns)
    axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor=style.COLOURS[1], lw=2))
    axes.set(xlim=(-0.05, columns + 0.05), ylim=(rows + 0.05, -0.05), aspect="equal")
    axes.set_xticks(np.arange(columns) + 0.5, [f"{j + 1}" for j in range(columns)])
    axes.set_yticks(np.arange(rows) + 0.5, [f"{i + 1}" for i in range(rows)])
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("column j")
    axes.set_ylabel("row i")


def _arrow(axes: Axes, instance: Instance, start: int, end: int) -> None:
    columns = instance.shape[1]  # type: ignore[index]
    centres = [np.array(divmod(k, columns)[::-1]) + 0.5 for k in (start, end)]
    axes.add_patch(
        FancyArrowPatch(
            *centres, arrowstyle="-|>", mutation_scale=11, shrinkA=9, shrinkB=9,
            color=style.COLOURS[1], linewidth=1.6,
        )  # fmt: skip
    )
