"""The parts that figures are made of: each function draws one panel, or what ties panels together.

A policy here is the configuration's {name, label, ...}; its look comes from `style.looks`.
"""

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch, FancyArrowPatch, Rectangle
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from rankone.instances import Instance
from rankone.show import style
from rankone.stats.bands import curve, final

Entry = Mapping[str, Any]
Options = dict[str, Any]  # keyword arguments of matplotlib
Looks = Mapping[str, style.Look]

REGRET = "Regret (reward lost)"
UNITS = {1e12: "trillions of ", 1e9: "billions of ", 1e6: "millions of ", 1e3: "thousands of "}
STEPS = [1, 2, 2.5, 5, 10]  # between ticks
HOLLOW: Options = {  # how a plain run differs from a fast one
    "linewidth": 0.6,
    "markersize": 3.4,
    "markerfacecolor": "white",
    "markeredgewidth": 0.7,
}
FLAT = 6.0  # the highest regret over the lowest from which the lowest curves look flat


def pen(look: style.Look, **options: Any) -> Options:
    """A policy's look as keyword arguments of `Axes.plot` and `Axes.errorbar`."""
    return {"color": look.colour, "linestyle": look.dashes, "marker": look.marker} | options


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
        spots = spaced(np.log(t) if log else t, position / len(policies)) if marked else []
        axes.plot(t, rows["mean"], **pen(look, markevery=spots))
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
    """Mean, two standard errors and percentiles at the horizon, one column for each policy."""
    for place, policy in enumerate(policies):
        last, look = final(bands, instance, policy["name"]), looks[policy["name"]]
        axes.plot([place] * 2, [last["p10"], last["p90"]], color=look.colour, linewidth=0.8)
        axes.errorbar(place, last["mean"], 2 * last["se"], **pen(look, elinewidth=2.6))
    axes.set_xlim(-0.7, len(policies) - 0.3)
    axes.set_xticks([])
    axes.tick_params(labelleft=False)
    axes.set_title(f"(b) At t = {power(int(last['t']))}")
    axes.set_xlabel("thick: ±2 s.e.\nthin: 10th–90th pct.", fontsize=style.SMALL)


def difference_panel(
    axes: Axes, bands: pd.DataFrame, instance: str, policies: Sequence[Entry], looks: Looks
) -> None:
    """Mean regret minus that of the first policy, with two standard errors of the difference."""
    first, *others = policies
    base = curve(bands, instance, first["name"]).set_index("t")
    times = round_times(base.index.to_numpy())
    places, width = np.arange(len(times)), 0.7 / len(others)
    for column, policy in enumerate(others):
        rows, look = curve(bands, instance, policy["name"]).set_index("t"), looks[policy["name"]]
        gap = (rows["mean"] - base["mean"]).loc[times]
        error = np.hypot(rows["se"].loc[times], base["se"].loc[times])
        shift = width * (column - (len(others) - 1) / 2)
        bars = pen(look, linestyle="none", capsize=1.5, elinewidth=0.9)
        axes.errorbar(places + shift, gap, 2 * error, **bars)
    axes.axhline(0, color=looks[first["name"]].colour, linestyle=looks[first["name"]].dashes)
    axes.set_xticks(places, [power(t) for t in times])
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
    below.set_title("enlarged", fontsize=style.SMALL, color=style.GREY, pad=2)
    line: Options = {"color": "#b5b5b5", "linewidth": 0.6, "linestyle": ":"}
    for end in (0, 1):
        ends = (end, height), (end, 1), top.get_yaxis_transform(), below.transAxes
        edge = ConnectionPatch(*ends, **line)
        edge.set_in_layout(False)
        top.figure.add_artist(edge)


def lower_group(
    bands: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry]
) -> list[Entry]:
    """The policies below the widest gap between final regrets, or none where all can be seen.

    The gap is measured over all panels together, so that each panel enlarges the same policies.
    """

    def height(policy: str) -> float:
        ends = [final(bands, instance["name"], policy)["mean"] for instance in instances]
        return float(np.mean(np.log(np.maximum(1.0, ends))))

    heights = {policy["name"]: height(policy["name"]) for policy in policies}
    order = sorted(heights, key=heights.__getitem__)
    gaps = np.diff([heights[name] for name in order])
    if gaps.sum() < np.log(FLAT):
        return []
    below = order[: int(np.argmax(gaps)) + 1]
    return [policy for policy in policies if policy["name"] in below]


def bound_lines(axes: Axes, slopes: Mapping[str, float], *, fit: Sequence[str]) -> None:
    """The lines slope * ln t of the lower bounds; the axes grow to hold those named in `fit`."""
    first, last = axes.get_xlim()
    straight = axes.get_xscale() == "log"
    t = np.array([first, last]) if straight else np.geomspace(1.0, last, 200)
    top = axes.get_ylim()[1]
    for bound, slope in slopes.items():
        line = slope * np.log(t)
        dashes = style.BOUND_DASHES[bound]
        axes.plot(t, line, color=style.GREY, linestyle=dashes, linewidth=1.6, zorder=1.5)
        top = max(top, 1.04 * line[-1]) if bound in fit else top
    axes.set_ylim(0, top)


def bound_title(axes: Axes, label: str, slopes: Mapping[str, float]) -> None:
    """A panel's title with the formulas of both lower bounds below it."""
    axes.set_title(label, pad=14)
    text = " and ".join(f"{slopes[bound]:,.2f} ln t" for bound in style.BOUND_DASHES)
    place: Options = {"transform": axes.transAxes, "ha": "center", "va": "bottom"}
    axes.text(0.5, 1.02, f"bounds: {text}", fontsize=style.SMALL, color=style.GREY, **place)


def slope_lines(axes: Axes, slopes: Mapping[str, float]) -> None:
    """The slopes of the lower bounds as level lines."""
    for bound, slope in slopes.items():
        dashes = style.BOUND_DASHES[bound]
        axes.axhline(slope, color=style.GREY, linestyle=dashes, linewidth=1.6, zorder=1.5)


def cost_lines(axes: Axes, rows: pd.DataFrame, across: str, look: style.Look) -> None:
    """What a run costs: fast in the policy's look, plain thin with hollow markers."""
    axes.plot(rows[across], rows["fast_ms"], **pen(look))
    axes.plot(rows[across], rows["plain_ms"], **pen(look, **HOLLOW))


def heat_map(
    axes: Axes,
    ratios: np.ndarray,
    best: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    last: tuple[str, Sequence[str]],
) -> None:
    """Ratios of at least 1 as numbers on a grey ground, darker the larger; and a column of text.

    Those in `best` have a ground of their own, cells without a number a cross; the first column is
    set apart.
    """
    shades = np.clip(np.log(ratios) / np.log(10.0), 0.0, 1.0)
    width = len(columns)
    for row, column in np.ndindex(*ratios.shape):
        value, shade = ratios[row, column], shades[row, column]
        if np.isnan(value):
            axes.text(column, row, "×", ha="center", va="center", color="#aaaaaa", fontsize=7)
            continue
        ground = style.BEST if best[row, column] else (1 - 0.75 * shade,) * 3
        axes.add_patch(Rectangle((column - 0.49, row - 0.47), 0.98, 0.94, color=ground))
        text = ratio_text(float(value))
        ink = "white" if shade > 0.6 and not best[row, column] else "black"
        weight = "bold" if best[row, column] or column == 0 else "normal"
        axes.text(column, row, text, ha="center", va="center", color=ink, weight=weight, fontsize=7)
    for row, text in enumerate(last[1]):
        axes.text(width + 0.1, row, text, ha="center", va="center", fontsize=7)
    axes.axvline(0.5, color="black", linewidth=0.6)
    axes.set(xlim=(-0.5, width + 0.7), ylim=(len(rows) - 0.5, -0.5))
    axes.set_xticks([*range(width), width + 0.1], [*columns, last[0]])
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)


def ratio_text(ratio: float) -> str:
    """A ratio of at least 1 to three digits or more."""
    return f"{ratio:,.{2 if ratio < 9.995 else 1 if ratio < 99.95 else 0}f}"


def line_with_band(
    axes: Axes, spots: np.ndarray, ends: Sequence[pd.Series], look: style.Look
) -> None:
    """Final regrets as a line: means with two standard errors, over the percentiles' band."""
    low, high = ([row[column] for row in ends] for column in ("p10", "p90"))
    axes.fill_between(spots, low, high, color=look.colour, alpha=0.12, linewidth=0)
    means, errors = [row["mean"] for row in ends], [2 * row["se"] for row in ends]
    axes.errorbar(spots, means, errors, **pen(look, elinewidth=0.8, markersize=3.5))


def row_of_end(axes: Axes, place: float, last: pd.Series, look: style.Look) -> None:
    """One row of a panel: mean, two standard errors and the band at the horizon."""
    axes.plot([last["p10"], last["p90"]], [place] * 2, color=look.colour, linewidth=0.6, alpha=0.6)
    bars = pen(look, linestyle="none", elinewidth=2.0, markersize=3.8)
    axes.errorbar(last["mean"], place, xerr=2 * last["se"], **bars)


def spread_of_groups(
    axes: Axes,
    cases: pd.DataFrame,
    groups: Sequence[Any],
    column: str,
    spots: np.ndarray,
    width: float,
    look: style.Look,
) -> None:
    """A policy's box in each group of cases, or a point where every group has one case."""
    parts = [cases.loc[cases["group"] == group] for group in groups]
    if all(len(part) == 1 for part in parts):
        rows = pd.concat(parts)
        bars = pen(look, linestyle="none", markersize=4)
        axes.errorbar(spots, rows[column], 2 * rows["se"], **bars)
        return
    line: Options = {"color": look.colour, "linewidth": 0.9}
    fill: Options = {"facecolor": to_rgba(look.colour, 0.16), "edgecolor": look.colour}
    dots: Options = {"marker": look.marker, "markersize": 2.5, "markeredgecolor": look.colour}
    axes.boxplot(
        [part[column] for part in parts],
        positions=spots,
        widths=width,
        patch_artist=True,
        boxprops=fill | {"linewidth": 0.9},
        medianprops=line | {"linewidth": 1.6},
        whiskerprops=line,
        capprops=line,
        flierprops=dots,
    )


def short(group: Any) -> str:
    """The name of a group on an axis: numbers without needless zeros."""
    try:
        return f"{float(group):g}"
    except ValueError:
        return str(group)


def log_axis(axis: Any, *, ticks: FuncFormatter, subs: Sequence[float] = (1.0,)) -> None:
    """Labels at the chosen multiples of the powers of ten, and none at the ticks between them."""
    axis.set_major_locator(LogLocator(subs=subs, numticks=8))
    axis.set_major_formatter(ticks)
    axis.set_minor_formatter(NullFormatter())


def positive_axis(axes: Axes) -> None:
    """A log scale upwards where all that is drawn is above zero, and otherwise one from zero."""
    if axes.dataLim.y0 > 0:
        axes.set_yscale("log")
        log_axis(axes.yaxis, ticks=style.thousands(), subs=(1.0, 2.0, 5.0))
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(style.thousands())


def size_axis(axes: Axes, sizes: Iterable[int]) -> None:
    """A log axis with one tick for each size."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sorted(sizes)))
    axes.xaxis.set_major_formatter(style.thousands())
    axes.xaxis.set_minor_locator(NullLocator())


def grid(figure: Figure, panels: int, deep: int = 1) -> np.ndarray:
    """Axes of shape (panels, deep): each panel with `deep` axes below each other."""
    columns = columns_of(panels)
    blocks = -(-panels // columns)
    axes = figure.subplots(blocks * deep, columns, squeeze=False)
    places = axes.reshape(blocks, deep, columns).transpose(0, 2, 1).reshape(-1, deep)
    for unused in places[panels:].flat:
        unused.remove()
    return places[:panels]


def columns_of(panels: int) -> int:
    """Panels beside each other: at most three, and four in a square."""
    return 2 if panels == 4 else min(3, panels)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """The most columns of entries that fit into the width."""

    def inches(columns: int) -> float:
        # an entry: its letters at about 0.6 of the font size, the sample and the space around
        parts = np.array_split([0.6 * len(label) + 6.1 for label in labels], columns)
        return float(sum(part.max() for part in parts)) * 7.5 / 72

    fitting = (columns for columns in range(len(labels), 1, -1) if inches(columns) <= width)
    most = next(fitting, 1)
    return -(-len(labels) // -(-len(labels) // most))  # as many rows, but equally long ones


def legend(
    figure: Figure,
    policies: Sequence[Entry],
    looks: Looks,
    further: Sequence[tuple[Line2D, str]] = (),
) -> None:
    """A legend above all panels, where it hides nothing; `further` are other lines and labels."""
    samples = [style.sample(looks[policy["name"]]) for policy in policies]
    labels = [policy["label"] for policy in policies]
    samples += [line for line, _ in further]
    labels += [label for _, label in further]
    columns = legend_columns(labels, figure.get_figwidth())
    place: Options = {"loc": "outside upper center", "handlelength": 3.8}
    figure.legend(samples, labels, ncols=columns, **place)


def legend_height(labels: Sequence[str], width: float) -> float:
    """Inches that a legend with these entries takes."""
    return 0.1 + 0.16 * -(-len(labels) // legend_columns(labels, width))


def arm_at(instance: Instance, place: Sequence[int]) -> int:
    """The arm in a row and a column, both counted from 1 as in the configuration."""
    rows, columns = _sides(instance)
    try:
        row, column = (operator.index(side) for side in place)
        inside = 1 <= row <= rows and 1 <= column <= columns
    except (TypeError, ValueError):
        inside = False
    if not inside:
        raise ValueError(
            f"arm is {place!r}; allowed: [row, column] from [1, 1] to [{rows}, {columns}]."
        )
    return (row - 1) * columns + column - 1


def cell(instance: Instance, arm: int) -> tuple[int, int]:
    """Row and column of an arm, from 0."""
    return divmod(arm, _sides(instance)[1])


def matrix_panel(axes: Axes, instance: Instance, marked: Sequence[int], arm: int) -> None:
    """The matrix of means with some cells shaded, one framed, and a star in the best."""
    rows, columns = _sides(instance)
    size = min(7, 30 / max(rows, columns))  # so that a number fits its cell
    centred: Options = {"ha": "center", "va": "center", "fontsize": size}
    for k in range(instance.arms):
        row, column = cell(instance, k)
        shade, bold = ("#cfe3f2" if k in marked else "white"), k in marked or k == arm
        axes.add_patch(Rectangle((column, row), 1, 1, fc=shade, ec="#8a8a8a", lw=0.6))
        weight = "bold" if bold else "normal"
        axes.text(column + 0.43, row + 0.62, f"{instance.means[k]:.4g}", weight=weight, **centred)
    row, column = cell(instance, arm)
    axes.add_patch(Rectangle((column, row), 1, 1, fill=False, ec=style.ORANGE, lw=2))
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
    ends, colour = (_corner(instance, start), _corner(instance, end)), style.ORANGE
    axes.plot(*ends[0], marker="o", color=colour, markersize=4)
    step = FancyArrowPatch(*ends, arrowstyle="-|>", shrinkA=0, shrinkB=4, mutation_scale=10)
    step.set(color=colour, linewidth=1.6)
    axes.add_patch(step)


def _sides(instance: Instance) -> tuple[int, int]:
    if not instance.rows:
        raise ValueError("this figure needs a matrix of arms; the instance is a graph.")
    return instance.rows, instance.columns


def _corner(instance: Instance, arm: int) -> tuple[float, float]:
    row, column = cell(instance, arm)
    return column + 0.88, row + 0.22


def spaced(positions: np.ndarray, phase: float, count: int = 6) -> list[int]:
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


def round_times(times: np.ndarray) -> list[int]:
    """The horizon and powers of ten among the checkpoints from 100 on, six times at most."""
    powers = {10**k for k in range(2, 19)} & {int(t) for t in times}
    chosen = sorted(powers | {int(times[-1])})
    stride = math.ceil(len(chosen) / 6)
    return chosen[::-stride][::-1]  # counted from the horizon, which always stays


def power(t: int) -> str:
    """300000 as 3 times a power of ten, in plain letters."""
    power = len(str(t)) - 1
    factor = t / 10**power
    return ("" if factor == 1 else f"{factor:.3g}·") + style.powers()(10**power, 0)
