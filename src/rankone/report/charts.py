"""Figures to point at: the kinds of `show/figures.py` and `paper/figures.py` for plotly.js.

A public function takes what the kind of its name takes and returns a `Chart`: panels as plain data
for plotly.js, and the keys of the legend. Colours are those of a light page; the page's script puts
others in their places when it is dark (`style.DARK`, and the words that begin with @).
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.markers import MarkerStyle

from rankone import theory
from rankone.instances import Instance
from rankone.paper import published as numbers
from rankone.show import panels, style
from rankone.show.formats import number
from rankone.show.panels import Entry
from rankone.stats.bands import curve, final

Trace = dict[str, Any]  # one curve, or one set of marks, of plotly.js

INK, MARKED, CELL = "@ink", "@marked", "@cell"  # colours that the page knows
WIDTH = 2.0  # pixels of a curve
GAP = 3.0  # lines between two published figures or tables
SHADE = 0.17  # opacity of a band
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
    data: pd.DataFrame | None = None  # what it shows, where that is in no file


def increasing_path(bandit: Instance, arm: Sequence[int]) -> Chart:
    """Figure 1: the neighbours of an arm, and an increasing path from it to the best arm."""
    start = panels.arm_at(bandit, arm)
    path = theory.increasing_path(bandit, start) or [start]
    neighbours = [int(k) for k in bandit.neighbourhood(start) if k != start]
    words = [_arm(bandit, k) for k in path]
    left = f"The {len(neighbours)} neighbours of {_arm(bandit, start)}"
    right = "An increasing path: " + " → ".join(words)
    steps = [_step(bandit, one, two) for one, two in itertools.pairwise(path)]
    cells = [panels.cell(bandit, k) for k in range(bandit.arms)]
    data = pd.DataFrame(cells, columns=["row", "column"]) + 1
    return Chart(
        [
            Panel(f"(a) {left}", left, *_matrix(bandit, neighbours, start, [])),
            Panel(f"(b) {right}", right, *_matrix(bandit, path[1:], start, steps)),
        ],
        data=data.assign(mean=bandit.means),
    )


def close_curves(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instance: Entry,
    *,
    rename: Mapping[str, str] | None = None,
) -> Chart:
    """Figure 2: curves that nearly coincide, their ends, and their differences."""
    names = rename or {}
    chosen = [{**p, "label": names.get(p["name"], p["label"])} for p in _drawn(policies)]
    looks = _looks(chosen, bands)
    shade = 1 - 0.75 ** (1 / len(chosen))  # bands on top of each other stay light together
    shown = [
        _curves("(a) Mean, 10th–90th percentile", bands, instance, chosen, looks, shade=shade),
        _ends(bands, instance, chosen, looks),
    ]
    if len(chosen) > 1:
        shown.append(_differences(bands, instance, chosen, looks))
    return Chart(shown, legend(chosen, looks), x="log", wide=(2.4, 1.2, 2.2)[: len(shown)])


def comparison(
    bands: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry]
) -> Chart:
    """Figures 3, 5 and 6: a panel for each instance, and below it the lower curves enlarged."""
    return _regret(bands, policies, instances, None)


def log_time(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame,
) -> Chart:
    """Figure 4: the same on a logarithmic time axis, with both lower bounds."""
    return _regret(bands, policies, instances, constants)


def speed(times: pd.DataFrame, policies: Sequence[Entry]) -> Chart:
    """What a run costs against the horizon and against the size, fast and round by round."""
    looks, fixed = _looks(policies, times), {"size": 4, "horizon": 300_000}
    shown = []
    for across, other, title in (
        ("horizon", "size", "Against the horizon T, K = 4"),
        ("size", "horizon", "Against the size K of the matrix, T = 300,000"),
    ):
        here, data, fastest = times[times[other] == fixed[other]], [], []
        for policy in policies:
            rows = here[here["policy"] == policy["name"]].sort_values(across)
            if rows.empty:
                continue
            data += [_cost(policy, looks, rows, across, how) for how in ("fast", "plain")]
            last = rows.iloc[-1]
            fastest.append(f"{policy['label']} {number(last['fast_ms'])} ms")
        words = {"horizon": "Horizon T (rounds)", "size": "Size K"}[across]
        layout = {"xaxis": {"title": words}, "yaxis": {"title": "CPU time of a run (ms)"}}
        if across == "size":
            ticks = sorted({int(x) for x in here["size"]})
            layout["xaxis"] |= {"tickvals": ticks, "ticktext": [f"{x}" for x in ticks]}
        alt = f"{title}. At the right end, fast: {'; '.join(fastest)}."
        shown.append(Panel(title, alt, data, layout, switched=True))
    how = Key("plain", "hollow, thin: round by round", style.GREY, "", _outline("o"))
    names = ("Horizon and size", "CPU time")
    return Chart(shown, [*legend(policies, looks), how], x="log", y="log", axes=names)


def published(compared: pd.DataFrame, *, limit: float = numbers.LIMIT) -> Chart:
    """Each published number as a multiple of ours, one row for each published figure or table."""
    table = compared[compared["main"]]
    words = [name.partition(" ")[0] for name in table["experiment"]]
    places = [numbers.place(s, w) for s, w in zip(table["source"], words, strict=True)]
    table = table.assign(where=places)
    parts = dict(list(table.groupby("where", sort=False)))
    line, tops, lines = 0.0, {}, {}  # each number has a line of its own, counted downwards
    for where, part in parts.items():
        tops[where] = line
        lines |= {index: line - place for place, index in enumerate(part.index)}
        line -= len(part) + GAP
    entries = [
        {"name": name, "label": group["variant_label"].iloc[0]}
        for name, group in table.groupby("variant", sort=False)
    ]
    looks = _looks(entries, table.rename(columns={"policy": "said", "variant": "policy"}))
    data = [
        _beside(rows, entry, looks[entry["name"]], [lines[index] for index in rows.index], limit)
        for entry in entries
        for rows in [table[table["variant"] == entry["name"]]]
    ]
    layout: dict[str, Any] = {
        "xaxis": {"title": "published / ours", "zeroline": False},
        "yaxis": {
            "range": [line + 1, GAP],
            "showgrid": False,
            "showticklabels": False,
            "zeroline": False,
        },
        "shapes": [_line(x=1.0)],
        "annotations": [_heading(where, top + GAP / 2) for where, top in tops.items()],
        "margin": {"l": 8},
    }
    within = int((table["z"].abs() <= limit).sum())
    title = f"{within} of {len(table)} published numbers are within ±{limit:g} standard errors"
    panel = Panel("", title, data, layout, tall=0.3 + 0.022 * -line)
    return Chart([panel], legend(entries, looks))


# --- regret against time -----------------------------------------------------------------------


def _regret(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame | None,
) -> Chart:
    """A panel for each instance; with `constants` on a log time axis with the lower bounds."""
    chosen = _drawn(policies)
    looks = _looks(chosen, bands)
    lower = panels.lower_group(bands, chosen, instances)
    shown = []
    for instance in instances:
        slopes = None if constants is None else constants.loc[instance["name"]]
        shown.append(_curves(instance["label"], bands, instance, chosen, looks, slopes))
        if lower:
            title = f"{instance['label']}, enlarged"
            fit = None if slopes is None else slopes[["unimodal"]]
            shown.append(_curves(title, bands, instance, lower, looks, fit))
    entries = legend(chosen, looks)
    if constants is not None:
        entries += [_bound_key(bound, instances) for bound in style.BOUND_DASHES]
    log = "linear" if constants is None else "log"
    return Chart(shown, entries, deep=2 if lower else 1, x=log)


def _curves(
    title: str,
    bands: pd.DataFrame,
    instance: Entry,
    policies: Sequence[Entry],
    looks: panels.Looks,
    slopes: pd.Series | None = None,
    shade: float = SHADE,
) -> Panel:
    """Mean regret and band of each policy, and the lines of lower bounds."""
    below, above, ends, horizon = [], [], [], 0
    for place, policy in enumerate(policies):
        rows = curve(bands, instance["name"], policy["name"])
        look = looks[policy["name"]]
        below += _band(rows, policy, look, shade)
        above.append(_mean(rows, policy, look, place / len(policies)))
        last = rows.iloc[-1]
        ends.append(f"{policy['label']} {number(last['mean'])}")
        horizon = max(horizon, int(last["t"]))
    first = min(10, horizon)
    note = ""
    if slopes is not None:
        below += [_bound(name, slope, first, horizon) for name, slope in slopes.items()]
        note = "bounds: " + " and ".join(f"{slope:,.2f} ln t" for slope in slopes)
    layout = {
        "xaxis": {"title": "Time t (rounds)"},
        "yaxis": {"title": "Regret"},
        "meta": {"time": [first, horizon]},
    }
    alt = f"Regret on {title} at round {horizon:,}: {'; '.join(ends)}."
    return Panel(title, alt, [*below, *above], layout, switched=True, note=note)


def _band(rows: pd.DataFrame, policy: Entry, look: style.Look, shade: float) -> list[Trace]:
    """From the 10th to the 90th percentile; a logarithmic axis has no zero."""
    least = _low(rows) / 100
    edge: Trace = {
        "x": _plain(rows["t"]),
        "mode": "lines",
        "line": {"width": 0.5, "color": look.colour + "66"},
        "hoverinfo": "skip",
        "meta": {"policy": policy["name"]},
    }
    low = edge | {"y": _plain(rows["p10"].clip(lower=least))}
    high = edge | {"y": _plain(rows["p90"].clip(lower=least))}
    return [low, high | {"fill": "tonexty", "fillcolor": f"{look.colour}{round(255 * shade):02x}"}]


def _mean(rows: pd.DataFrame, policy: Entry, look: style.Look, phase: float) -> Trace:
    t = rows["t"].to_numpy()
    late = np.flatnonzero(t >= min(10, t[-1]))
    log = [int(late[k]) for k in panels.spaced(np.log(t[late]), phase)]
    return {
        "x": _plain(t),
        "y": _plain(rows["mean"]),
        "customdata": [*zip(*(_plain(rows[c]) for c in ("se", "p10", "p90", "runs")), strict=True)],
        "mode": "lines+markers",
        "line": _pen(look),
        "marker": _marks(look),
        "hovertemplate": f"<b>{policy['label']}</b><br>round %{{x:,}}<br>regret %{{y:,.4~r}}"
        " ± %{customdata[0]:.2~r} s.e.<br>10th–90th pct. %{customdata[1]:,.4~r} to"
        " %{customdata[2]:,.4~r}<br>%{customdata[3]:,} runs<extra></extra>",
        "meta": {
            "policy": policy["name"],
            "marks": {"linear": panels.spaced(t, phase), "log": log},
            "top": float(rows["p90"].max()),
            "low": _low(rows),
        },
    }


def _bound(bound: str, slope: float, first: int, horizon: int) -> Trace:
    """The line slope * ln t of a lower bound."""
    t = np.geomspace(max(first, 2), horizon, 60)
    line = slope * np.log(t)
    dashes = [f"{2 * length:g}px" for length in style.BOUND_DASHES[bound][1]]
    return {
        "x": _plain(t),
        "y": _plain(line),
        "mode": "lines",
        "line": {"color": style.GREY, "width": WIDTH, "dash": ",".join(dashes)},
        "hovertemplate": f"<b>{slope:,.2f} ln t</b><br>round %{{x:,.4~r}}<br>%{{y:,.4~r}}"
        "<br>only its slope counts<extra></extra>",
        "meta": {"policy": bound, "top": float(line[-1]), "low": float(line[0])},
    }


def _ends(
    bands: pd.DataFrame, instance: Entry, policies: Sequence[Entry], looks: panels.Looks
) -> Panel:
    """Mean, two standard errors and percentiles at the horizon."""
    data, words = [], []
    for place, policy in enumerate(policies):
        last, look = final(bands, instance["name"], policy["name"]), looks[policy["name"]]
        common = {"meta": {"policy": policy["name"]}}
        line = {"color": look.colour, "width": 1}
        spread = {"x": [place] * 2, "y": _plain([last["p10"], last["p90"]]), "mode": "lines"}
        data.append(spread | {"line": line, "hoverinfo": "skip"} | common)
        told = (
            f"<b>{policy['label']}</b><br>regret {number(last['mean'])} ± {number(last['se'], 2)} "
            f"s.e.<br>10th–90th pct. {number(last['p10'])} to {number(last['p90'])}<br>"
            f"{last['runs']:,} runs<extra></extra>"
        )
        bar = _error(look, _plain([2 * last["se"]]), 4)
        spot = {"x": [place], "y": _plain([last["mean"]]), "mode": "markers", "error_y": bar}
        data.append(spot | {"marker": _marks(look), "hovertemplate": told} | common)
        words.append(f"{policy['label']} {number(last['mean'])}")
    title = f"(b) At t = {panels.power(int(last['t']))}"
    places = {"tickvals": [*range(len(policies))], "ticktext": [p["label"] for p in policies]}
    layout = {"xaxis": {**places, "tickangle": -90}, "yaxis": {"title": "Regret"}}
    note = "thick: ±2 s.e.; thin: 10th–90th pct."
    return Panel(title, f"Regret at the horizon: {'; '.join(words)}.", data, layout, note=note)


def _differences(
    bands: pd.DataFrame, instance: Entry, policies: Sequence[Entry], looks: panels.Looks
) -> Panel:
    """Mean regret minus that of the first policy, with two standard errors of the difference."""
    first, *others = policies
    base = curve(bands, instance["name"], first["name"]).set_index("t")
    times = panels.round_times(base.index.to_numpy())
    data, words = [], []
    for place, policy in enumerate(others):
        rows = curve(bands, instance["name"], policy["name"]).set_index("t").loc[times]
        gap = rows["mean"] - base.loc[times, "mean"]
        error = 2 * np.hypot(rows["se"], base.loc[times, "se"])
        shift = 0.7 * ((place + 0.5) / len(others) - 0.5)
        look = looks[policy["name"]]
        data.append(
            {
                "x": [k + shift for k in range(len(times))],
                "y": _plain(gap),
                "customdata": [[t, bar] for t, bar in zip(times, _plain(error), strict=True)],
                "mode": "markers",
                "marker": _marks(look),
                "error_y": _error(look, _plain(error), 1.5),
                "hovertemplate": f"<b>{policy['label']} − {first['label']}</b><br>"
                "round %{customdata[0]:,}<br>%{y:,.3~r} ± %{customdata[1]:.2~r} (2 s.e.)"
                "<extra></extra>",
                "meta": {"policy": policy["name"]},
            }
        )
        words.append(f"{policy['label']} {number(gap.iloc[-1])}")
    ticks = {"tickvals": [*range(len(times))], "ticktext": [panels.power(t) for t in times]}
    layout = {
        "xaxis": {**ticks, "title": "Time t (rounds)", "range": [-0.6, len(times) - 0.4]},
        "yaxis": {"title": f"Regret minus that of {first['label']}"},
        "shapes": [_line(y=0.0)],
    }
    alt = f"Regret minus that of {first['label']} at the horizon: {'; '.join(words)}."
    return Panel("(c) Difference of means, ±2 s.e.", alt, data, layout)


# --- other panels ------------------------------------------------------------------------------


def _matrix(
    bandit: Instance, marked: Sequence[int], arm: int, arrows: list[dict[str, Any]]
) -> tuple[list[Trace], dict[str, Any]]:
    """The matrix of means with some cells shaded, one framed, and a star in the best."""
    rows, columns = bandit.shape or (1, bandit.arms)
    means = np.reshape(bandit.means, (rows, columns))
    shade = np.zeros(bandit.arms)
    shade[list(marked)] = 1
    sides = {"x": [*range(1, columns + 1)], "y": [*range(1, rows + 1)]}
    cells: Trace = {
        "type": "heatmap",
        **sides,
        "z": shade.reshape(rows, columns).tolist(),
        "zmin": 0,
        "zmax": 1,
        "text": [[f"{mean:.4g}" for mean in line] for line in means],
        "texttemplate": "%{text}" if max(rows, columns) <= 12 else "",
        "colorscale": [[0, CELL], [1, MARKED]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hovertemplate": "arm (%{y}, %{x})<br>mean reward %{text}<extra></extra>",
    }
    i, j = panels.cell(bandit, bandit.best)
    star: Trace = {
        "x": [j + 1.33],
        "y": [i + 0.68],
        "mode": "markers",
        "marker": {"symbol": "star", "size": 13, "color": INK},
        "hovertemplate": "the best arm<extra></extra>",
    }
    i, j = panels.cell(bandit, arm)
    frame = {"x0": j + 0.5, "x1": j + 1.5, "y0": i + 0.5, "y1": i + 1.5}
    line = {"color": style.ORANGE, "width": 3}
    layout = {
        "xaxis": {"title": "column j", "dtick": 1, "showgrid": False, "zeroline": False},
        "yaxis": {"title": "row i", "dtick": 1, "autorange": "reversed", "showgrid": False},
        "shapes": [{"type": "rect", **frame, "line": line}],
        "annotations": arrows,
    }
    return [cells, star], layout


def _step(bandit: Instance, start: int, end: int) -> dict[str, Any]:
    """An arrow from one arm to another, where it crosses no number."""
    (i, j), (k, m) = panels.cell(bandit, start), panels.cell(bandit, end)
    ends = {"ax": j + 1.33, "ay": i + 0.68, "x": m + 1.33, "y": k + 0.68}
    return ends | {
        **{"xref": "x", "yref": "y", "axref": "x", "ayref": "y"},
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 2.5,
        "arrowcolor": style.ORANGE,
        "standoff": 8,
    }


def _cost(
    policy: Entry, looks: panels.Looks, rows: pd.DataFrame, across: str, how: str
) -> Trace:
    """What a run costs, fast or round by round; the latter hollow and thin."""
    look, plain = looks[policy["name"]], how == "plain"
    rows = rows.dropna(subset=[f"{how}_ms"])
    marks = _marks(look)
    if plain:
        marks |= {"symbol": f"{marks['symbol']}-open", "size": 7}
    word = "round by round" if plain else "fast"
    return {
        "x": _plain(rows[across]),
        "y": _plain(rows[f"{how}_ms"]),
        "mode": "lines+markers",
        "line": _pen(look) | ({"width": 1} if plain else {}),
        "marker": marks,
        "hovertemplate": f"<b>{policy['label']}</b>, {word}<br>{across} %{{x:,}}<br>"
        "%{y:,.3~r} ms<extra></extra>",
        "meta": {"policy": policy["name"]} | ({"also": "plain"} if plain else {}),
    }


def _beside(
    rows: pd.DataFrame, entry: Entry, look: style.Look, lines: list[float], limit: float
) -> Trace:
    """The numbers published for one policy, each on its line; filled where it is far from ours."""
    told = []
    for _, row in rows.iterrows():
        size = "a graph" if pd.isna(row["K"]) else f"{row['K']} × {row['L']}"
        told.append(
            f"<b>{entry['label']}</b> on {size}<br>{row['experiment']}, {row['statistic']} at "
            f"t = {row['t']:,}<br>published {number(row['published'])} "
            f"({row['published_runs']:,} runs)<br>ours {number(row['ours'])} ± "
            f"{number(row['ours_se'], 2)} s.e. ({row['ours_runs']:,} runs)<br>z = {row['z']:.2f}"
        )
    marks = _marks(look)
    far = rows["z"].abs() > limit
    marks["symbol"] = [marks["symbol"] + ("" if beyond else "-open") for beyond in far]
    return {
        "x": _plain(rows["published"] / rows["ours"]),
        "y": lines,
        "text": told,
        "mode": "markers",
        "marker": marks,
        "error_x": _error(look, _plain(limit * rows["combined_se"] / rows["ours"]), 1),
        "hovertemplate": "%{text}<extra></extra>",
        "meta": {"policy": entry["name"]},
    }


# --- small parts -------------------------------------------------------------------------------


def _arm(bandit: Instance, k: int) -> str:
    row, column = panels.cell(bandit, k)
    return f"({row + 1}, {column + 1})"


def _drawn(policies: Sequence[Entry]) -> list[Entry]:
    return [policy for policy in policies if policy.get("draw", True)]


def _looks(policies: Iterable[Entry], data: pd.DataFrame) -> dict[str, style.Look]:
    """Looks of all policies in the data, as in the figures."""
    return style.looks([*({"name": name} for name in data["policy"].unique()), *policies])


def _pen(look: style.Look) -> dict[str, Any]:
    return {"color": look.colour, "width": WIDTH, "dash": _dashes(look.dashes) or "solid"}


def _dashes(dashes: Any) -> str:
    """Dashes of matplotlib, in line widths, as those of SVG."""
    if isinstance(dashes, str):
        return ""
    return ",".join(f"{WIDTH * length:g}px" for length in dashes[1])


def _marks(look: style.Look) -> dict[str, Any]:
    return {"symbol": SYMBOLS[look.marker], "color": look.colour, "size": 8, "opacity": 1}


def _error(look: style.Look, reach: list[Any], width: float) -> dict[str, Any]:
    bar = {"type": "data", "array": reach, "color": look.colour}
    return bar | {"thickness": width, "width": 0}


def _heading(text: str, y: float) -> dict[str, Any]:
    """A line of text at the left of a panel."""
    place = {"xref": "paper", "x": 0, "xanchor": "left", "y": y, "yanchor": "middle"}
    return {"text": f"<b>{text}</b>", **place, "showarrow": False, "font": {"size": 12}}


def _line(x: float | None = None, y: float | None = None) -> dict[str, Any]:
    """A line across the whole panel."""
    pen = {"color": style.GREY, "width": 1}
    if y is None:
        ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"}
    else:
        ends = {"x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y}
    return {"type": "line", **ends, "line": pen, "layer": "below"}


def legend(policies: Iterable[Entry], looks: panels.Looks) -> list[Key]:
    found = []
    for policy in policies:
        look = looks[policy["name"]]
        shape = _dashes(look.dashes), _outline(look.marker)
        found.append(Key(policy["name"], policy["label"], look.colour, *shape))
    return found


def _bound_key(bound: str, instances: Iterable[Entry]) -> Key:
    dashes = _dashes(style.BOUND_DASHES[bound])
    return Key(bound, style.bound_label(bound, instances), style.GREY, dashes)


def _outline(marker: str) -> str:
    """A marker of matplotlib as an SVG path, about 9 units high."""
    shape = MarkerStyle(marker)
    path = shape.get_transform().transform_path(shape.get_path())
    lines = [
        "M" + " L".join(f"{9 * x:.2f},{-9 * y:.2f}" for x, y in polygon) + " Z"
        for polygon in path.to_polygons()
    ]
    return " ".join(lines)


def _low(rows: pd.DataFrame) -> float:
    """The smallest regret that a logarithmic axis should show."""
    late = rows.loc[rows["t"] >= min(10, rows["t"].max()), "mean"]
    above = late[late > 0]
    return float(above.min()) if len(above) else 1.0


def _plain(values: Iterable[Any]) -> list[Any]:
    """Numbers for JSON, to six digits, which is more than a screen shows."""
    return [_short(value) for value in values]


def _short(value: Any) -> Any:
    value = float(value)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else float(f"{value:.6g}")
