"""Figures to point at, of studies that go further than the paper: sweeps, distributions, a league.

As in `report/charts.py` a public function takes what the kind of its name in `show/figures.py`
takes, and returns a `Chart` for plotly.js.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankone.report import traces
from rankone.report.traces import Chart, Panel, Trace
from rankone.show import panels, selection, style
from rankone.show.formats import number
from rankone.show.panels import Entry
from rankone.stats.bands import final

__all__ = ["distribution", "league", "scaling", "sensitivity", "slopes_by_decade", "sweep"]

HARDLY = 10.0  # ratios from here on have the same shade


def slopes_by_decade(
    slopes: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
    level: float,
) -> Chart:
    """Slopes of the regret in ln T from window to window, with both lower bounds' constants."""
    chosen, looks = selection.drawn(policies), selection.looks(policies, slopes)
    shown, lowest = [], math.inf
    for instance in instances:
        data, words = [], []
        for policy in chosen:
            rows = selection.windows(slopes, instance["name"], policy["name"], level)
            lowest = min(lowest, float(rows["slope"].min()))
            words.append(f"{policy['label']} {number(rows['slope'].iloc[-1])}")
            data.append(_slopes_of(policy, looks[policy["name"]], rows, level))
        ends = [float(rows["last"].min()), float(rows["last"].max())]
        lines = selection.bound_slopes(constants, instance)
        data += [traces.bound(b, ends, [slope] * 2, f"{slope:,.2f}") for b, slope in lines.items()]
        layout = {
            "xaxis": {"title": "T, the end of the window"},
            "yaxis": {"title": "Slope of the regret in ln T"},
        }
        alt = f"Slope in ln T on {instance['label']}, last window: {'; '.join(words)}."
        shown.append(Panel(instance["label"], alt, data, layout, switched=True))
    keys = [*traces.legend(chosen, looks), *traces.bound_keys(instances)]
    upwards = "log" if lowest > 0 else "linear"
    return Chart(shown, keys, x="log", y=upwards, axes=("Time", "Slope"))


def _slopes_of(policy: Entry, look: style.Look, rows: pd.DataFrame, level: float) -> Trace:
    value, low, high = (rows[column].to_numpy() for column in ("slope", "low", "high"))
    below, above = selection.reach(value, low, high)
    return {
        **_line(policy, look, rows["last"], rows["slope"]),
        "customdata": _columns(low, high, rows["runs"]),
        "error_y": traces.error_bar(look, traces.plain(above), 1.5)
        | {"symmetric": False, "arrayminus": traces.plain(below)},
        "hovertemplate": f"<b>{policy['label']}</b><br>up to round %{{x:,}}<br>"
        f"%{{y:,.4~r}} ln T, {100 * level:g} %: %{{customdata[0]:,.4~r}} to "
        "%{customdata[1]:,.4~r}<br>%{customdata[2]:,} runs<extra></extra>",
    }


def scaling(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
    horizon: int,
) -> Chart:
    """Regret at the horizon against the size, with the lower bound."""
    chosen, looks = selection.drawn(policies), selection.looks(policies, bands)
    sizes, meaning = selection.sizes(instances)
    places = [instance["label"] for instance in instances]
    data, words = [], []
    for policy in chosen:
        ends = [final(bands, one["name"], policy["name"]) for one in instances]
        data.append(_final_line(policy, looks[policy["name"]], sizes, places, ends))
        words.append(f"{policy['label']} {number(ends[-1]['mean'])}")
    heights = selection.bound_heights(constants, instances, horizon)
    data.append(traces.bound("unimodal", sizes, heights, f"constant · ln {horizon:,}"))
    ticks = {"tickvals": sizes, "ticktext": [f"{size:,}" for size in sizes]}
    layout = {"xaxis": {"title": meaning, **ticks}, "yaxis": {"title": "Regret"}}
    alt = f"Regret at T = {horizon:,} at the largest size: {'; '.join(words)}."
    keys = [*traces.legend(chosen, looks), traces.bound_keys(instances)[0]]
    panel = Panel("", alt, data, layout, switched=True)
    return Chart([panel], keys, x="log", y="log", axes=("Size", "Regret"))


def sweep(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
    horizon: int,
) -> Chart:
    """Regret at the horizon against what is swept: a policy's parameter, or an instance's size."""
    found = selection.sweep(bands, policies, instances)
    places = [str(one["sweep"]["text"]) for one in found.swept]
    symbol, spots = str(found.swept[0]["sweep"]["symbol"]), [*range(len(places))]
    told = [f"{symbol} = {place}" for place in places]
    data, words = [], []
    for line, ends in zip(found.lines, found.ends, strict=True):
        look = found.looks[line["name"]]
        low, high = (pd.Series([row[column] for row in ends]) for column in ("p10", "p90"))
        data += traces.band(spots, low, high, line["name"], look, 0.12)
        data.append(_final_line(line, look, spots, told, ends))
        least = int(np.argmin([row["mean"] for row in ends]))
        words.append(f"{line['label']} {number(ends[least]['mean'])} at {told[least]}")
    keys = traces.legend(found.lines, found.looks)
    if not found.of_policies:
        heights = selection.bound_heights(constants, found.swept, horizon)
        data.append(traces.bound("unimodal", spots, heights, f"constant · ln {horizon:,}"))
        keys.append(traces.bound_keys(instances)[0])
    layout = {
        "xaxis": {"title": symbol, "tickvals": spots, "ticktext": places},
        "yaxis": {"title": f"Regret at T = {horizon:,}"},
    }
    panel = Panel("", f"The least regret: {'; '.join(words)}.", data, layout, switched=True)
    upwards = "linear" if found.of_policies else "log"
    return Chart([panel], keys, y=upwards, axes=("", "Regret"))


def sensitivity(
    bands: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry]
) -> Chart:
    """Regret at the horizon of many variants, one row each: mean, two standard errors, the band."""
    chosen, looks = selection.drawn(policies), selection.looks(policies, bands)
    rows = [*range(len(chosen) - 1, -1, -1)]
    shown = []
    for instance in instances:
        data, words = [], []
        for row, policy in zip(rows, chosen, strict=True):
            last, look = final(bands, instance["name"], policy["name"]), looks[policy["name"]]
            spread = {"x": traces.plain([last["p10"], last["p90"]]), "y": [row] * 2}
            line = {"color": look.colour, "width": 1}
            data.append(spread | {"mode": "lines", "line": line, "hoverinfo": "skip"})
            spot = _final_line(policy, look, [row], [instance["label"]], [last], flat=True)
            data.append(spot | {"mode": "markers"})
            words.append(f"{policy['label']} {number(last['mean'])}")
        names = {"tickvals": rows, "ticktext": [policy["label"] for policy in chosen]}
        layout = {
            "xaxis": {"title": "Regret", "type": "log", "dtick": "D2"},
            "yaxis": {
                **names,
                "range": [-0.7, len(chosen) - 0.3],
                "showgrid": False,
                "zeroline": False,
            },
        }
        alt = f"Regret at the horizon on {instance['label']}: {'; '.join(words)}."
        note = "thick: mean ±2 s.e.; thin: 10th–90th pct."
        tall = 0.3 + 0.08 * len(chosen)
        shown.append(Panel(instance["label"], alt, data, layout, tall=tall, note=note))
    return Chart(shown)


def distribution(
    cases: pd.DataFrame, policies: Sequence[Entry], *, column: str, x: str, y: str, title: str
) -> Chart:
    """What the cases of an experiment give, one box for each policy in each group."""
    chosen = selection.with_cases(selection.drawn(policies), cases, column)
    looks = selection.looks(policies, cases)
    groups = list(dict.fromkeys(cases["group"]))
    names = [panels.short(group) for group in groups]
    width = 0.8 / len(chosen)
    data, words = [], []
    for place, policy in enumerate(chosen):
        own = cases[cases["policy"] == policy["name"]]
        shift = width * (place - (len(chosen) - 1) / 2)
        spots, look = [k + shift for k in range(len(groups))], looks[policy["name"]]
        if len(own) == len(groups):
            data.append(_points(policy, look, own, groups, column, spots))
        else:
            data.append(_boxes(policy, look, own, groups, column, spots, 0.8 * width))
        words.append(f"{policy['label']} {number(own[column].median())}")
    layout: dict[str, Any] = {
        "xaxis": {
            "title": x,
            "tickvals": [*range(len(groups))],
            "ticktext": names,
            "range": [-0.6, len(groups) - 0.4],
        },
        "yaxis": {"title": y},
    }
    alt = f"{title}, the median of all cases: {'; '.join(words)}."
    panel = Panel(title, alt, data, layout, switched=True)
    return Chart([panel], traces.legend(chosen, looks), y="log", axes=("", "Values"), data=cases)


def _points(
    policy: Entry,
    look: style.Look,
    own: pd.DataFrame,
    groups: list[Any],
    column: str,
    spots: list[float],
) -> Trace:
    """A point with two standard errors for each group, which has one case."""
    rows = own.set_index("group").loc[groups]
    return {
        **_line(policy, look, spots, rows[column]),
        "mode": "markers",
        "customdata": _columns([panels.short(group) for group in groups], 2 * rows["se"]),
        "error_y": traces.error_bar(look, traces.plain(2 * rows["se"]), 1.5),
        "hovertemplate": f"<b>{policy['label']}</b><br>%{{customdata[0]}}<br>%{{y:,.4~r}} ± "
        "%{customdata[1]:.2~r} (2 s.e.)<extra></extra>",
    }


def _boxes(
    policy: Entry,
    look: style.Look,
    own: pd.DataFrame,
    groups: list[Any],
    column: str,
    spots: list[float],
    width: float,
) -> Trace:
    """A box for each group; plotly.js finds the quartiles, and names them where one points."""
    places = dict(zip(groups, spots, strict=True))
    return {
        "type": "box",
        "name": policy["label"],
        "x": traces.plain(own["group"].map(places)),
        "y": traces.plain(own[column]),
        "width": width,
        "line": {"color": look.colour, "width": 1.3},
        "fillcolor": look.colour + "29",
        "marker": traces.marks(look) | {"size": 4},
        "quartilemethod": "linear",
        "hoverinfo": "y+name",
        "hoverlabel": {"namelength": -1},
        "yhoverformat": ",.4~r",
        "meta": {"policy": policy["name"]},
    }


def league(
    cases: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry], level: float
) -> Chart:
    """The regret of each policy over that of the best one, on each instance of a league."""
    found = selection.league(cases, policies, instances, level)
    heads = ["geometric mean", *(" ".join(head.split()) for head in found.heads)]
    shades: list[list[float | None]] = []
    texts: list[list[str]] = []
    told: list[list[str]] = []
    for name, (_, overall), row in zip(
        found.names, found.order.iterrows(), found.cells, strict=True
    ):
        shades.append([_shade(overall["factor"]), *(_cell_shade(cell) for cell in row)])
        ratios = [overall["factor"], *(None if cell is None else cell["ratio"] for cell in row)]
        texts.append(["×" if ratio is None else panels.ratio_text(ratio) for ratio in ratios])
        mean_rank = f"mean rank {overall['rank']:.1f} on {overall['groups']} instances"
        first = f"<b>{name}</b><br>{texts[-1][0]} times the best, geometric mean<br>{mean_rank}"
        rest = [_cell_told(name, *pair, level) for pair in zip(heads[1:], row, strict=True)]
        told.append([first, *rest])
    sides = {"x": [*range(len(heads))], "y": [*range(len(found.names))]}
    grid: Trace = {
        "type": "heatmap",
        **sides,
        "z": shades,
        "zmin": -0.25,
        "zmax": 1,
        "text": texts,
        "customdata": told,
        "texttemplate": "%{text}",
        "textfont": {"size": 11, "color": traces.INK},
        "colorscale": [
            [0, traces.BEST],
            [0.199, traces.BEST],
            [0.2, traces.CELL],
            [1, traces.WORST],
        ],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": True,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    layout: dict[str, Any] = {
        "xaxis": {
            "tickvals": sides["x"],
            "ticktext": heads,
            "tickangle": -90,
            "side": "top",
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {
            "tickvals": sides["y"],
            "ticktext": found.names,
            "autorange": "reversed",
            "showgrid": False,
            "zeroline": False,
        },
        "margin": {"b": 8},
    }
    horizon = int(cases["t"].max())
    first = ", ".join(found.names[:3])
    title = f"Regret at T = {horizon:,} as a multiple of the best policy's"
    note = f"green: not surely worse than the best ({100 * level:g} %); ×: cannot play there"
    alt = f"{title}. First by mean rank: {first}."
    tall = 0.45 + 0.075 * len(found.names)
    return Chart([Panel(title, alt, [grid], layout, tall=tall, note=note)], data=cases)


def _shade(ratio: float) -> float:
    return min(1.0, math.log(ratio) / math.log(HARDLY))


def _cell_shade(cell: dict[Any, Any] | None) -> float | None:
    """Below zero where a policy is not surely worse than the best one."""
    if cell is None:
        return None
    return -0.25 if selection.tied(cell) else _shade(cell["ratio"])


def _cell_told(name: str, place: str, cell: dict[Any, Any] | None, level: float) -> str:
    head = f"<b>{name}</b> on {place}<br>"
    if cell is None:
        return head + "cannot play there"
    behind = "the best there"
    if cell["behind"] > 0:
        behind = (
            f"behind the best by {number(cell['behind'])} ({number(cell['behind_low'])} to "
            f"{number(cell['behind_high'])})"
        )
    return (
        f"{head}regret {number(cell['mean'])}, {100 * level:g} %: {number(cell['low'])} to "
        f"{number(cell['high'])}<br>{panels.ratio_text(cell['ratio'])} times the best<br>{behind}"
        f"<br>{cell['runs']:,} runs"
    )


# --- lines of final regrets --------------------------------------------------------------------


def _line(entry: Entry, look: style.Look, x: Any, y: Any) -> Trace:
    return {
        "x": traces.plain(x),
        "y": traces.plain(y),
        "mode": "lines+markers",
        "line": traces.pen(look),
        "marker": traces.marks(look),
        "meta": {"policy": entry["name"]},
    }


def _final_line(
    entry: Entry,
    look: style.Look,
    spots: Sequence[float],
    told: Sequence[str],
    ends: Sequence[pd.Series],
    flat: bool = False,
) -> Trace:
    """Final regrets with two standard errors; `flat`: the regret is read along the x axis."""
    column = {name: [row[name] for row in ends] for name in ("mean", "se", "p10", "p90", "runs")}
    bar = traces.error_bar(look, traces.plain(2 * se for se in column["se"]), 3 if flat else 1.5)
    x, y = (column["mean"], spots) if flat else (spots, column["mean"])
    value = "x" if flat else "y"
    more = _columns(told, *(column[name] for name in ("se", "p10", "p90", "runs")))
    return {
        **_line(entry, look, x, y),
        "customdata": more,
        f"error_{value}": bar,
        "hovertemplate": f"<b>{entry['label']}</b><br>%{{customdata[0]}}<br>"
        f"regret %{{{value}:,.4~r}} ± %{{customdata[1]:.2~r}} s.e.<br>10th–90th pct. "
        "%{customdata[2]:,.4~r} to %{customdata[3]:,.4~r}<br>%{customdata[4]:,} runs"
        "<extra></extra>",
    }


def _columns(*columns: Any) -> list[list[Any]]:
    """Columns of words or numbers as rows, for the read-out."""
    made = [[v if isinstance(v, str) else traces.plain([v])[0] for v in c] for c in columns]
    return [list(row) for row in zip(*made, strict=True)]
