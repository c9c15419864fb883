"""Figures to point at: the kinds of `show/figures.py` and `paper/figures.py` for plotly.js.

A public function takes what the kind of its name takes and returns a `Chart`: panels as plain data
for plotly.js, and the keys of the legend.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankone import theory
from rankone.instances import Instance
from rankone.paper import published as numbers
from rankone.report import traces
from rankone.report.traces import Chart, Key, Panel, Trace
from rankone.show import panels, selection, style
from rankone.show.formats import number
from rankone.show.panels import Entry
from rankone.stats.bands import curve, final

__all__ = ["close_curves", "comparison", "increasing_path", "log_time", "published", "speed"]

GAP = 3.0  # lines between two published figures or tables
SHADE = 0.17  # opacity of a band


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
    chosen = selection.renamed(selection.drawn(policies), rename or {})
    looks = selection.looks(policies, bands)
    shade = 1 - 0.75 ** (1 / len(chosen))  # bands on top of each other stay light together
    shown = [
        _curves("(a) Mean, 10th–90th percentile", bands, instance, chosen, looks, shade=shade),
        _ends(bands, instance, chosen, looks),
    ]
    if len(chosen) > 1:
        shown.append(_differences(bands, instance, chosen, looks))
    return Chart(shown, traces.legend(chosen, looks), x="log", wide=(2.4, 1.2, 2.2)[: len(shown)])


def comparison(bands: pd.DataFrame, policies: Sequence[Entry], instances: Sequence[Entry]) -> Chart:
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
    looks, fixed = selection.looks(policies, times), {"size": 4, "horizon": 300_000}
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
        layout: dict[str, Any] = {
            "xaxis": {"title": words},
            "yaxis": {"title": "CPU time of a run (ms)"},
        }
        if across == "size":
            ticks = sorted({int(x) for x in here["size"]})
            layout["xaxis"] |= {"tickvals": ticks, "ticktext": [f"{x}" for x in ticks]}
        alt = f"{title}. At the right end, fast: {'; '.join(fastest)}."
        shown.append(Panel(title, alt, data, layout, switched=True))
    how = Key("plain", "hollow, thin: round by round", style.GREY, "", traces.outline("o"))
    names = ("Horizon and size", "CPU time")
    return Chart(shown, [*traces.legend(policies, looks), how], x="log", y="log", axes=names)


def published(compared: pd.DataFrame, *, limit: float = numbers.LIMIT) -> Chart:
    """Each published number as a multiple of ours, one row for each published figure or table."""
    table = compared[compared["main"]]
    words = [name.partition(" ")[0] for name in table["experiment"]]
    places = [numbers.place(s, w) for s, w in zip(table["source"], words, strict=True)]
    table = table.assign(where=places)
    line = 0.0  # each number has a line of its own, counted downwards
    tops: dict[str, float] = {}
    lines: dict[Any, float] = {}
    for where, part in table.groupby("where", sort=False):
        tops[str(where)] = line
        lines |= {index: line - place for place, index in enumerate(part.index)}
        line -= len(part) + GAP
    entries = [
        {"name": name, "label": group["variant_label"].iloc[0]}
        for name, group in table.groupby("variant", sort=False)
    ]
    looks = selection.looks(entries, table.rename(columns={"policy": "said", "variant": "policy"}))
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
        "shapes": [traces.line_across(x=1.0)],
        "annotations": [traces.heading(where, top + GAP / 2) for where, top in tops.items()],
        "margin": {"l": 8},
    }
    within = int((table["z"].abs() <= limit).sum())
    title = f"{within} of {len(table)} published numbers are within ±{limit:g} standard errors"
    panel = Panel("", title, data, layout, tall=0.3 + 0.022 * -line)
    return Chart([panel], traces.legend(entries, looks))


# --- regret against time -----------------------------------------------------------------------


def _regret(
    bands: pd.DataFrame,
    policies: Sequence[Entry],
    instances: Sequence[Entry],
    constants: pd.DataFrame | None,
) -> Chart:
    """A panel for each instance; with `constants` on a log time axis with the lower bounds."""
    chosen, looks = selection.drawn(policies), selection.looks(policies, bands)
    lower = panels.lower_group(bands, chosen, instances)
    shown = []
    for instance in instances:
        slopes: dict[str, float] | None = None
        if constants is not None:
            slopes = selection.bound_slopes(constants, instance)
        shown.append(_curves(instance["label"], bands, instance, chosen, looks, slopes))
        if lower:
            title = f"{instance['label']}, enlarged"
            fit = None if slopes is None else {"unimodal": slopes["unimodal"]}
            shown.append(_curves(title, bands, instance, lower, looks, fit))
    entries = traces.legend(chosen, looks)
    if constants is not None:
        entries += traces.bound_keys(instances)
    log = "linear" if constants is None else "log"
    return Chart(shown, entries, deep=2 if lower else 1, x=log)


def _curves(
    title: str,
    bands: pd.DataFrame,
    instance: Entry,
    policies: Sequence[Entry],
    looks: panels.Looks,
    slopes: Mapping[str, float] | None = None,
    shade: float = SHADE,
) -> Panel:
    """Mean regret and band of each policy, and the lines of lower bounds."""
    below, above, ends, horizon = [], [], [], 0
    for place, policy in enumerate(policies):
        rows = curve(bands, instance["name"], policy["name"])
        look = looks[policy["name"]]
        least = _low(rows) / 100  # a logarithmic axis has no zero
        low, high = rows["p10"].clip(lower=least), rows["p90"].clip(lower=least)
        below += traces.band(rows["t"], low, high, policy["name"], look, shade)
        above.append(_mean(rows, policy, look, place / len(policies)))
        last = rows.iloc[-1]
        ends.append(f"{policy['label']} {number(last['mean'])}")
        horizon = max(horizon, int(last["t"]))
    first = min(10, horizon)
    note = ""
    if slopes is not None:
        below += [_bound(name, slope, first, horizon) for name, slope in slopes.items()]
        note = "bounds: " + " and ".join(f"{slope:,.2f} ln t" for slope in slopes.values())
    layout = {
        "xaxis": {"title": "Time t (rounds)"},
        "yaxis": {"title": "Regret"},
        "meta": {"time": [first, horizon]},
    }
    alt = f"Regret on {title} at round {horizon:,}: {'; '.join(ends)}."
    return Panel(title, alt, [*below, *above], layout, switched=True, note=note)


def _mean(rows: pd.DataFrame, policy: Entry, look: style.Look, phase: float) -> Trace:
    t = rows["t"].to_numpy()
    late = np.flatnonzero(t >= min(10, t[-1]))
    log = [int(late[k]) for k in panels.spaced(np.log(t[late]), phase)]
    more = (traces.plain(rows[column]) for column in ("se", "p10", "p90", "runs"))
    return {
        "x": traces.plain(t),
        "y": traces.plain(rows["mean"]),
        "customdata": list(zip(*more, strict=True)),
        "mode": "lines+markers",
        "line": traces.pen(look),
        "marker": traces.marks(look),
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


def _bound(name: str, slope: float, first: int, horizon: int) -> Trace:
    """The line slope * ln t of a lower bound."""
    t = np.geomspace(max(first, 2), horizon, 60)
    line = slope * np.log(t)
    found = traces.bound(name, t, line, f"{slope:,.2f} ln t", "only its slope counts")
    found["meta"] |= {"top": float(line[-1]), "low": float(line[0])}
    return found


def _ends(
    bands: pd.DataFrame, instance: Entry, policies: Sequence[Entry], looks: panels.Looks
) -> Panel:
    """Mean, two standard errors and percentiles at the horizon."""
    data, words = [], []
    for place, policy in enumerate(policies):
        last, look = final(bands, instance["name"], policy["name"]), looks[policy["name"]]
        common = {"meta": {"policy": policy["name"]}}
        line = {"color": look.colour, "width": 1}
        spread = {"x": [place] * 2, "y": traces.plain([last["p10"], last["p90"]]), "mode": "lines"}
        data.append(spread | {"line": line, "hoverinfo": "skip"} | common)
        told = (
            f"<b>{policy['label']}</b><br>regret {number(last['mean'])} ± {number(last['se'], 2)} "
            f"s.e.<br>10th–90th pct. {number(last['p10'])} to {number(last['p90'])}<br>"
            f"{last['runs']:,} runs<extra></extra>"
        )
        bar = traces.error_bar(look, traces.plain([2 * last["se"]]), 4)
        spot = {"x": [place], "y": traces.plain([last["mean"]]), "mode": "markers", "error_y": bar}
        data.append(spot | {"marker": traces.marks(look), "hovertemplate": told} | common)
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
                "y": traces.plain(gap),
                "customdata": [[t, bar] for t, bar in zip(times, traces.plain(error), strict=True)],
                "mode": "markers",
                "marker": traces.marks(look),
                "error_y": traces.error_bar(look, traces.plain(error), 1.5),
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
        "shapes": [traces.line_across(y=0.0)],
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
        "colorscale": [[0, traces.CELL], [1, traces.MARKED]],
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
        "marker": {"symbol": "star", "size": 13, "color": traces.INK},
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
        **dict.fromkeys(("xref", "axref"), "x"),
        **dict.fromkeys(("yref", "ayref"), "y"),
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 2.5,
        "arrowcolor": style.ORANGE,
        "standoff": 8,
    }


def _cost(policy: Entry, looks: panels.Looks, rows: pd.DataFrame, across: str, how: str) -> Trace:
    """What a run costs, fast or round by round; the latter hollow and thin."""
    look, plain = looks[policy["name"]], how == "plain"
    rows = rows.dropna(subset=[f"{how}_ms"])
    marks = traces.marks(look)
    if plain:
        marks |= {"symbol": f"{marks['symbol']}-open", "size": 7}
    word = "round by round" if plain else "fast"
    return {
        "x": traces.plain(rows[across]),
        "y": traces.plain(rows[f"{how}_ms"]),
        "mode": "lines+markers",
        "line": traces.pen(look) | ({"width": 1} if plain else {}),
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
    marks, reach = traces.marks(look), limit * rows["combined_se"] / rows["ours"]
    far = rows["z"].abs() > limit
    marks["symbol"] = [marks["symbol"] + ("" if beyond else "-open") for beyond in far]
    return {
        "x": traces.plain(rows["published"] / rows["ours"]),
        "y": lines,
        "text": told,
        "mode": "markers",
        "marker": marks,
        "error_x": traces.error_bar(look, traces.plain(reach), 1),
        "hovertemplate": "%{text}<extra></extra>",
        "meta": {"policy": entry["name"]},
    }


def _arm(bandit: Instance, k: int) -> str:
    row, column = panels.cell(bandit, k)
    return f"({row + 1}, {column + 1})"


def _low(rows: pd.DataFrame) -> float:
    """The smallest regret that a logarithmic axis should show."""
    late = rows.loc[rows["t"] >= min(10, rows["t"].max()), "mean"]
    above = late[late > 0]
    return float(above.min()) if len(above) else 1.0
