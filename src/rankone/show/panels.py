"""The parts that figures are made of: each function draws one panel, or what ties panels together.

A policy here is the configuration's {name, label, ...}; its look comes from `style.looks`.
"""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch, FancyArrowPatch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from rankone.instances import Instance
from rankone.show import style
from rankone.stats.bands import curve, final

Entry = dict[str, Any]  # also for keyword arguments of matplotlib
Looks = dict[str, style.Look]
EndLabel = tuple[float, str, str, str]  # height, text, colour, marker or ""

REGRET = "Regret (reward lost)"
UNITS = {1e12: "trillions of ", 1e9: "billions of ", 1e6: "millions of ", 1e3: "thousands of "}
STEPS = [1, 2, 2.5, 5, 10]  # between ticks
LINE = 0.125  # inches: a line of label text with air


def regret_panel(
    axes: Axes,
    bands: pd.DataFrame,
    instance: str,
    policies: Sequence[Entry],
    looks: Looks,
    *,
    log: bool = False,
    shade: float = 0.16,
    unmarked: Sequence[Entry] = (),
) -> None:
    """Mean regret of each policy with its band from the 10th to the 90th percentile.

    `unmarked` policies have neither markers nor edges on their bands: another panel shows them.
    """
    first, horizon = np.inf, 0.0
    for position, policy in enumerate(policies):
        rows, look = curve(bands, instance, policy["name"]), looks[policy["name"]]
        if log:
            rows = rows[rows["t"] >= min(10, rows["t"].max())]  # before that nothing is learnt
        t, marked = rows["t"].to_numpy(), policy not in unmarked
        axes.fill_between(t, rows["p10"], rows["p90"], color=look.colour, alpha=shade, linewidth=0)
        for edge in ("p10", "p90") if marked else ():
            axes.plot(t, rows[edge], color=look.colour, linewidth=0.4, alpha=0.7)
        spots = _spaced(np.log(t) if log else t, position / len(policies)) if marked else []
        pen: Entry = {"color": look.colour, "linestyle": look.dashes, "marker": look.marker}
        axes.plot(t, rows["mean"], markevery=spots, **pen)
        first, horizon = min(first, t[0]), max(horizon, t[-1])
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    axes.yaxis.set_major_formatter(style.thousands())
    if log:
        _log_time(axes, first, horizon)
    else:
        _linear_time(axes, horizon)


def end_panel(
    axes: Axes, bands: pd.DataFrame, instance: str, policies: Sequence[Entry], looks: Looks
) -> None:
    """Mean, two standard errors and percentiles at the horizon, one column a policy."""
    for place, policy in enumerate(policies):
        last, look = final(bands, instance, policy["name"]), looks[policy["name"]]
        axes.plot([place] * 2, [last["p10"], last["p90"]], color=look.colour, linewidth=0.8)
        pen: Entry = {"color": look.colour, "marker": look.marker}
        axes.errorbar(place, last["mean"], 2 * last["se"], elinewidth=2.6, **pen)
    axes.set_xlim(-0.7, len(policies) - 0.3)
    axes.set_xticks([])
    axes.tick_params(labelleft=False)
    axes.set_title(f"(b) At t = {_short(int(last['t']))}")
    axes.set_xlabel("thick: ±2 s.e.\nthin: 10th–90th pct.", fontsize=6.5)


def difference_panel(
    axes: Axes, bands: pd.DataFrame, instance: str, policies: Sequence[Entry], looks: Looks
) -> None:
    """Mean regret minus that of the first policy, with two standard errors of the difference."""
    first, *others = policies
    base = curve(bands, instance, first["name"]).set_index("t")
    times = _round_times(base.index.to_numpy())
    places, width = np.arange(len(times)), 0.7 / len(others)
    for column, policy in enumerate(others):
        rows, look = curve(bands, instance, policy["name"]).set_index("t"), looks[policy["name"]]
        gap = (rows["mean"] - base["mean"]).loc[times]
        error = np.hypot(rows["se"], base["se"]).loc[times]
        pen: Entry = {
            "color": look.colour,
            "marker": look.marker,
            "linestyle": "none",
            "capsize": 1.5,
        }
        shift = width * (column - (len(others) - 1) / 2)
        axes.errorbar(places + shift, gap, 2 * error, elinewidth=0.9, **pen)
    axes.axhline(0, color=looks[first["name"]].colour, linestyle=looks[first["name"]].dashes)
    axes.set_xticks(places, [_short(t) for t in times])
    axes.set_xlim(-0.6, len(times) - 0.4)
    axes.set_xlabel("Time t (rounds)")
    axes.set_ylabel(f"Regret minus that of {first['label']}")
    axes.yaxis.set_major_formatter(style.thousands())
    axes.set_title("(c) Difference of means, ±2 s.e.")


def enlarge(top: Axes, below: Axes) -> None:
    """Tint the strip that the panel below enlarges, and tie the two together."""
    height = below.get_ylim()[1]
    top.set_xlabel("")
    top.tick_params(labelbottom=False)
    top.axhspan(0, height, color=style.TINT, zorder=0, linewidth=0)
    below.set_facecolor(style.TINT)
    below.grid(color="white")
    below.set_title("enlarged", fontsize=6.5, color=style.GREY, pad=2)
    pen: Entry = {"color": "#b5b5b5", "linewidth": 0.6, "linestyle": ":"}
    for end in (0, 1):
        ends = (end, height), (end, 1), top.get_yaxis_transform(), below.transAxes
        edge = ConnectionPatch(*ends, **pen)
        edge.set_in_layout(False)
        top.figure.add_artist(edge)


BOUND_DASHES = ((0, (7, 2)), (0, (1.5, 1.5)), (0, (4, 1.5, 1, 1.5)))


def bound_lines(axes: Axes, bounds: Sequence[Entry]) -> list[EndLabel]:
    """The lines constant * ln t across the panel; returns what `end_labels` needs of them."""
    t, labels = np.array(axes.get_xlim()), []
    for place, bound in enumerate(bounds):
        line = bound["constant"] * np.log(t)
        pen: Entry = {
            "color": style.GREY,
            "linestyle": BOUND_DASHES[place % len(BOUND_DASHES)],
            "linewidth": 1.6,
        }
        axes.plot(t, line, zorder=1.5, **pen)
        text = f"{wrap(bound['label'])}\n{bound['constant']:,.2f} ln t"
        labels.append((float(line[-1]), text, style.GREY, ""))
    axes.set_ylim(0, max([axes.get_ylim()[1], *(1.04 * height for height, *_ in labels)]))
    return labels


def cost_lines(axes: Axes, rows: pd.DataFrame, across: str, look: style.Look) -> None:
    """What a run costs, fast as a full line, plain as a thin dotted one with hollow markers."""
    axes.plot(rows[across], rows["fast_ms"], color=look.colour, marker=look.marker)
    thin: Entry = {"linestyle": ":", "linewidth": 0.9, "markersize": 3, "markerfacecolor": "white"}
    thin |= {"markeredgewidth": 0.6, "color": look.colour, "marker": look.marker}
    axes.plot(rows[across], rows["plain_ms"], **thin)


def cost_axes(axes: Axes, label: str, ticks: FuncFormatter) -> None:
    """Two log axes: a straight line up is a cost that grows like a power."""
    axes.set(xscale="log", yscale="log", xlabel=label)
    axes.xaxis.set_major_formatter(ticks)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(style.thousands())


def wrap(label: str) -> str:
    """A label in lines short enough to stand beside a panel."""
    return textwrap.fill(label, 16, break_on_hyphens=False)


def end_labels(axes: Axes, labels: Sequence[EndLabel]) -> None:
    """Labels right of the axes, tied to where the lines end and spread so that none overlap."""
    figure: Any = axes.figure
    write: Entry = {"fontsize": 7, "va": "center", "linespacing": 1.05}
    write["transform"] = axes.transAxes
    texts = [axes.text(1.1, 0.5, text, color=colour, **write) for _, text, colour, _ in labels]
    figure.draw_without_rendering()  # the layout must be known to know how tall a label is
    inches = axes.get_window_extent().height / figure.dpi
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = [to_axes.transform((axes.get_xlim()[1], height))[1] for height, *_ in labels]
    heights = [LINE * (text.count("\n") + 1) / inches for _, text, _, _ in labels]
    places = style.spread(ends, heights, -0.02, 1.05)
    for text, end, place, (_, _, colour, marker) in zip(texts, ends, places, labels, strict=True):
        text.set_y(place)
        tie = Line2D([1.0, 1.06], [end, place], color=colour, linewidth=0.7, clip_on=False)
        tie.set(transform=axes.transAxes, marker=marker or "none", markevery=[1], markersize=3.5)
        axes.add_line(tie)


def legend_columns(policies: Sequence[Entry], width: float) -> int:
    """How many entries fit beside each other, in rows of equal length."""
    # an entry: its letters at about 0.6 of the font size, the sample and the space around
    entry = (0.6 * max(len(policy["label"]) for policy in policies) + 5.5) * 7.5 / 72
    rows = -(-len(policies) // max(1, int(width / entry)))
    return -(-len(policies) // rows)


def legend(
    figure: Figure, policies: Sequence[Entry], looks: Looks, bounds: Entry | None = None
) -> None:
    """A legend above all panels, where it hides nothing; `bounds` are grey lines by label."""
    samples = [style.sample(looks[policy["name"]]) for policy in policies]
    entries = [*policies, *({"label": label} for label in bounds or {})]
    samples += [Line2D([], [], color=style.GREY, linestyle=d) for d in (bounds or {}).values()]
    columns = legend_columns(entries, figure.get_figwidth())
    place: Entry = {"loc": "outside upper center", "handlelength": 3.2}
    figure.legend(samples, [entry["label"] for entry in entries], ncols=columns, **place)


def cell(instance: Instance, arm: int) -> tuple[int, int]:
    """Row and column of an arm, from 0."""
    if instance.shape is None:
        raise ValueError("this figure needs a matrix of arms; the instance is a graph.")
    return divmod(arm, instance.shape[1])


def matrix_panel(axes: Axes, instance: Instance, marked: Sequence[int], arm: int) -> None:
    """The matrix of means with some cells shaded, one framed, and a star in the best."""
    rows, columns = cell(instance, instance.arms)[0], cell(instance, instance.arms - 1)[1] + 1
    size = min(7, 30 / max(rows, columns))  # so that a number fits its cell
    centred: Entry = {"ha": "center", "va": "center", "fontsize": size}
    for k in range(instance.arms):
        row, column = cell(instance, k)
        shade, bold = ("#cfe3f2" if k in marked else "white"), k in marked or k == arm
        axes.add_patch(Rectangle((column, row), 1, 1, fc=shade, ec="#8a8a8a", lw=0.6))
        weight = "bold" if bold else "normal"
        axes.text(column + 0.43, row + 0.62, f"{instance.means[k]:.4g}", weight=weight, **centred)
    row, column = cell(instance, arm)
    axes.add_patch(Rectangle((column, row), 1, 1, fill=False, ec=style.COLOURS[1], lw=2))
    axes.plot(*_corner(instance, instance.best), marker="*", color="black", markersize=7, zorder=5)
    axes.set(xlim=(-0.05, columns + 0.05), ylim=(rows + 0.05, -0.05), aspect="equal")
    axes.set_xticks(np.arange(columns) + 0.5, [str(j + 1) for j in range(columns)])
    axes.set_yticks(np.arange(rows) + 0.5, [str(i + 1) for i in range(rows)])
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set(xlabel="column j   (★ best entry)", ylabel="row i")


def arrow(axes: Axes, instance: Instance, start: int, end: int) -> None:
    """A step of a path, drawn where it crosses no number."""
    ends, colour = (_corner(instance, start), _corner(instance, end)), style.COLOURS[1]
    axes.plot(*ends[0], marker="o", color=colour, markersize=4)
    step = FancyArrowPatch(*ends, arrowstyle="-|>", shrinkA=0, shrinkB=4, mutation_scale=10)
    step.set(color=colour, linewidth=1.6)
    axes.add_patch(step)


def _corner(instance: Instance, arm: int) -> tuple[float, float]:
    row, column = cell(instance, arm)
    return column + 0.88, row + 0.22


def _spaced(positions: np.ndarray, phase: float, count: int = 6) -> list[int]:
    """Indices of points evenly spaced along the axis, shifted by `phase` so markers do not meet."""
    low, high = positions[0], positions[-1]
    wanted = low + (high - low) * (np.arange(count) + 0.15 + 0.7 * phase) / count
    return sorted({int(np.abs(positions - place).argmin()) for place in wanted})


def _log_time(axes: Axes, first: float, horizon: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(first, max(horizon, first * 1.01))
    axes.xaxis.set_major_locator(LogLocator(numticks=8))
    axes.xaxis.set_major_formatter(style.powers())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Time t (rounds, log scale)")


def _linear_time(axes: Axes, horizon: float) -> None:
    """Time in a unit that keeps the tick labels short."""
    unit = next((size for size in UNITS if horizon >= size), 1.0)
    ticks = MaxNLocator(4, steps=STEPS).tick_values(0, horizon / unit)
    write = style.thousands()
    axes.set_xlim(0, horizon)
    axes.xaxis.set_major_locator(FixedLocator([unit * k for k in ticks if unit * k <= horizon]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda t, place: write(t / unit, place)))
    axes.set_xlabel(f"Time t ({UNITS.get(unit, '')}rounds)")


def _round_times(times: np.ndarray) -> list[int]:
    """The horizon and powers of ten among the checkpoints from 100 on, six times at most."""
    powers = {10**k for k in range(2, 19)} & {int(t) for t in times}
    chosen = sorted(powers | {int(times[-1])})
    stride = math.ceil(len(chosen) / 6)
    return chosen[::-stride][::-1]  # counted from the horizon, which always stays


def _short(t: int) -> str:
    """300000 as 3 times a power of ten, in plain letters."""
    power = len(str(t)) - 1
    factor = t / 10**power
    return ("" if factor == 1 else f"{factor:.3g}·") + style.powers()(10**power, 0)
