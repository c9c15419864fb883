"""The figures: bands in, drawings out. Nothing here knows a policy, an instance or a result.

`bands` has the columns instance, policy, t, runs, mean, se, p10, p50, p90. `policies` is the
configuration's list of {name, label, draw}; a policy's look comes from its place in that list.
`panels` lists {name, label} of instances. Each function returns a figure for `save`.
"""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rankone import theory
from rankone.instances import Instance
from rankone.show import panels as parts
from rankone.show import style
from rankone.show.panels import Entry
from rankone.show.style import save
from rankone.stats.bands import final

__all__ = ["comparison", "figure1", "figure2", "figure4", "save", "speed"]

FLAT = 6.0  # the highest regret over the lowest from which the lowest curves look flat


def figure1(instance: Instance, arm: int) -> Figure:
    """Figure 1: the neighbours of an arm, and an increasing path from it to the best arm."""

    def name(k: int) -> str:
        row, column = parts.cell(instance, k)
        return f"({row + 1}, {column + 1})"

    neighbours = [int(k) for k in instance.neighbourhood(arm) if k != arm]
    path = theory.increasing_path(instance, arm)
    if path is None:
        raise ValueError(f"no increasing path leads from {name(arm)} to {name(instance.best)}.")
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.75), layout="constrained")
        left, right = figure.subplots(1, 2)
        parts.matrix_panel(left, instance, neighbours, arm)
        left.set_title(f"(a) The {len(neighbours)} neighbours of {name(arm)}")
        parts.matrix_panel(right, instance, path[1:], arm)
        for start, end in itertools.pairwise(path):
            parts.arrow(right, instance, start, end)
        right.set_title("(b) An increasing path: " + " → ".join(map(name, path)))
    return figure


def figure2(bands: pd.DataFrame, policies: Sequence[Entry], instance: str) -> Figure:
    """Figure 2: curves that nearly coincide, with their spread and differences at closer range."""
    chosen, looks = _drawn(policies), style.looks(policies)
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2.9), layout="constrained")
        shares = (2.5, 1.1, 2.6) if len(chosen) > 1 else (2.5, 1.1)
        curves, ends, *rest = figure.subplots(1, len(shares), width_ratios=shares)
        ends.sharey(curves)
        shade = 1 - 0.75 ** (1 / len(chosen))  # bands on top of each other stay light together
        parts.regret_panel(curves, bands, instance, chosen, looks, log=True, shade=shade)
        curves.set(title="(a) Mean, 10th–90th percentile", ylabel=parts.REGRET)
        parts.end_panel(ends, bands, instance, chosen, looks)
        for axes in rest:
            parts.difference_panel(axes, bands, instance, chosen, looks)
        parts.legend(figure, chosen, looks)
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
    chosen, looks = _drawn(policies, omit), style.looks(policies)
    lower = lower_group(bands, chosen, panels)
    columns, deep = min(3, len(panels)), 2 if lower else 1
    blocks = -(-len(panels) // columns)
    width = style.TWO_COLUMNS if columns > 1 else style.ONE_COLUMN
    rows = -(-len(chosen) // parts.legend_columns(chosen, width))
    size = (width, 0.4 + 0.16 * rows + 1.75 * blocks * deep)
    with style.house():
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(blocks * deep, columns, squeeze=False)
        # block by block, a panel above its enlargement
        places = grid.reshape(blocks, deep, columns).transpose(0, 2, 1).reshape(-1, deep)
        for panel, (top, *below) in zip(panels, places, strict=False):
            parts.regret_panel(top, bands, panel["name"], chosen, looks, unmarked=lower)
            top.set_title(panel["label"])
            for axes in below:
                parts.regret_panel(axes, bands, panel["name"], lower, looks)
                parts.enlarge(top, axes)
        for axes in places[len(panels) :].flat:
            axes.remove()
        for axes in grid[:, 0]:
            axes.set_ylabel(parts.REGRET)
        figure.align_ylabels()
        parts.legend(figure, chosen, looks)
    return figure


def figure4(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instance: str,
    bounds: Sequence[Entry],
    *,
    omit: Sequence[str] = (),
) -> Figure:
    """Figure 4: regret on a log time axis with the lines constant * ln t.

    `bounds` lists {label, constant}.
    """
    chosen, looks = _drawn(policies, omit), style.looks(policies)
    lines = [parts.wrap(entry["label"]).count("\n") + 1 for entry in (*chosen, *bounds)]
    height = max(2.7, 0.6 + parts.LINE * (sum(lines) + len(bounds)))
    with style.house():
        figure = Figure(figsize=(style.ONE_COLUMN, height), layout="constrained")
        axes = figure.subplots()
        parts.regret_panel(axes, bands, instance, chosen, looks, log=True)
        axes.set_ylabel(parts.REGRET)
        labels = parts.bound_lines(axes, bounds)
        for policy in chosen:
            end = float(final(bands, instance, policy["name"])["mean"])
            look = looks[policy["name"]]
            labels.append((end, parts.wrap(policy["label"]), look.colour, look.marker))
        parts.end_labels(axes, labels)
    return figure


def speed(times: pd.DataFrame, policies: Sequence[Entry]) -> Figure:
    """What a run costs against the horizon and against the size: fast in full, plain dotted.

    `times` has the columns policy, size, horizon, fast_ms, plain_ms.
    """
    looks = {name: look._replace(dashes="-") for name, look in style.looks(policies).items()}
    plain = {"name": "plain", "label": "round by round"}
    fixed = {"size": 4, "horizon": 300_000}
    with style.house():
        figure = Figure(figsize=(style.TWO_COLUMNS, 3.4), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, across, other in ((left, "horizon", "size"), (right, "size", "horizon")):
            for policy in policies:
                rows = times[times["policy"].eq(policy["name"]) & times[other].eq(fixed[other])]
                parts.cost_lines(axes, rows.sort_values(across), across, looks[policy["name"]])
        parts.cost_axes(left, "Horizon T (rounds, K = 4)", style.powers())
        parts.cost_axes(right, "Size K of the matrix (T = 300,000)", style.thousands())
        right.set_xticks(sorted(times["size"].unique()))
        left.set_ylabel("CPU time of a run (ms)")
        looks["plain"] = style.Look(style.GREY, ":", "none")
        parts.legend(figure, [*policies, plain], looks)
    return figure


def lower_group(
    bands: pd.DataFrame, policies: Sequence[Entry], panels: Sequence[Entry]
) -> list[Entry]:
    """The policies below the widest gap between final regrets, or none where all can be seen.

    The gap is measured over all panels together, so that each panel enlarges the same policies.
    """

    def height(policy: str) -> float:
        ends = [final(bands, panel["name"], policy)["mean"] for panel in panels]
        return float(np.mean(np.log(np.maximum(1.0, ends))))

    heights = {policy["name"]: height(policy["name"]) for policy in policies}
    order = sorted(heights, key=heights.__getitem__)
    gaps = np.diff([heights[name] for name in order])
    if gaps.sum() < np.log(FLAT):
        return []
    below = order[: int(np.argmax(gaps)) + 1]
    return [policy for policy in policies if policy["name"] in below]


def _drawn(policies: Iterable[Entry], omit: Sequence[str] = ()) -> list[Entry]:
    """The policies with a curve; `omit` leaves out some and keeps the looks of the others."""
    names = [policy["name"] for policy in policies if policy.get("draw", True)]
    unknown = set(omit) - {policy["name"] for policy in policies}
    if unknown:
        raise ValueError(f"cannot omit {sorted(unknown)[0]!r}; allowed: {', '.join(names)}.")
    chosen = [p for p in policies if p["name"] in names and p["name"] not in omit]
    if not chosen:
        raise ValueError("no policy is left to draw; allowed: at least one with draw: true.")
    return chosen
