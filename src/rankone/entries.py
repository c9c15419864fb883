"""Instances as plain data: what a config entry and the options of the command line say.

An entry has one of these forms:

    {u: [...], v: [...]}                 a rank-one matrix
    {factors: [[...], [...], [...]]}     a rank-one tensor
    {means: [...], edges: [[0, 1], ..]}  a graph by its edges
    {means: [...], graph: line}          a graph by its name; GRAPHS has the names
    {matrix: [[...], ...]}               any matrix of means
    {csv: file}                          any of these from a file
    {random: {arms: 20, seed: 1}}        a random tree; with edges: 30 a random graph

and may have unimodal: false. `resolved` turns the last three forms into the others.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankone import csv_files, graphs
from rankone.instances import Instance, graph, matrix, product, rank_one, tensor

FORMS = {
    "u": ("u", "v"),
    "factors": ("factors",),
    "means": ("means", "edges", "graph"),
    "matrix": ("matrix",),
    "csv": ("csv",),
    "random": ("random",),
}
# The words after `graph:`, with what follows the colon.
GRAPHS = ("line", "cycle", "complete", "tree", "tree:3", "grid:3x4", "product:3x4")
ALLOWED = "u and v; factors; means with edges or graph; matrix; csv; or random"


def form(entry: Mapping[str, Any]) -> str:
    """Which form an entry has: its first key in FORMS; a ValueError unless it is exactly one."""
    found = [name for name, keys in FORMS.items() if any(key in entry for key in keys)]
    name = found[0] if found else ""
    clear = len(found) == 1 and name in entry
    if name == "u":
        clear = clear and "v" in entry
    if name == "means":
        clear = clear and ("edges" in entry) != ("graph" in entry)
    if not clear:
        given = [key for keys in FORMS.values() for key in keys if key in entry]
        raise ValueError(f"the instance has {', '.join(given) or 'nothing'}; allowed: {ALLOWED}.")
    return name


def build(entry: Mapping[str, Any]) -> Instance:
    """The playable instance of an entry."""
    kind, meant = form(entry), bool(entry.get("unimodal", True))
    if kind == "u":
        return rank_one(entry["u"], entry["v"], unimodal=meant)
    if kind == "factors":
        return tensor(*entry["factors"], unimodal=meant)
    if kind == "matrix":
        return matrix(entry["matrix"], unimodal=meant)
    if kind == "csv":
        return csv_files.from_csv(entry["csv"], unimodal=meant)
    if kind == "random":
        asked = dict(entry["random"])
        asked.setdefault("edges", asked.get("arms", 1) - 1)
        return graphs.random_graph(**asked)
    if "edges" in entry:
        return graph(entry["means"], entry["edges"], unimodal=meant)
    return _named(entry["means"], str(entry["graph"]), meant)


def resolved(entry: Mapping[str, Any], folder: Path = Path()) -> dict[str, Any]:
    """The same entry as vectors, or as means with edges or a graph, whatever form it had.

    A CSV file is looked for from the folder, unless it is one of the package.
    """
    kind = form(entry)
    rest = {key: value for key, value in entry.items() if key not in FORMS[kind]}
    if kind == "csv" and entry["csv"] not in csv_files.SHIPPED:
        entry = {**entry, "csv": folder / entry["csv"]}
    if kind not in ("matrix", "csv", "random"):
        return dict(entry)
    bandit = build(entry)
    if kind == "csv" and _is_click_log(entry["csv"]):
        from rankone import clicks

        fit = clicks.fit_clicks(entry["csv"])
        return rest | {"u": fit.attraction.tolist(), "v": fit.examination.tolist()}
    rest["means"] = bandit.means.tolist()
    if bandit.shape is not None:
        return rest | {"graph": "product:" + "x".join(map(str, bandit.shape))}
    pairs = ((arm, int(k)) for arm in range(bandit.arms) for k in bandit.neighbourhood(arm))
    return rest | {"edges": [(a, b) for a, b in pairs if a < b]}


def shape(entry: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The sizes of the factors of a resolved entry; None if its arms are no product."""
    if "u" in entry:
        return len(entry["u"]), len(entry["v"])
    if "factors" in entry:
        return tuple(len(factor) for factor in entry["factors"])
    name, _, sizes = str(entry.get("graph", "")).partition(":")
    return tuple(map(int, sizes.split("x"))) if name == "product" else None


def arms(entry: Mapping[str, Any]) -> int:
    """How many arms a resolved entry has."""
    return len(entry["means"]) if "means" in entry else math.prod(shape(entry) or ())


def _is_click_log(file: str | Path) -> bool:
    return "item" in [cell.lower() for cell in csv_files.lines(file)[0].cells]


def _named(means: Any, words: str, meant: bool) -> Instance:
    """A graph by its name: line, tree:3, grid:3x4, product:3x4."""
    name, _, text = words.partition(":")
    parts = text.split("x") if text else []
    takes_sizes = name in ("grid", "product")
    known = name in graphs.BY_NAME or name == "product"
    fits = bool(parts) == takes_sizes or (name == "tree" and len(parts) == 1)
    if not (known and fits and all(part.isdecimal() and int(part) > 0 for part in parts)):
        raise ValueError(f"graph is {words!r}; allowed: {', '.join(GRAPHS)}.")
    sizes = [int(part) for part in parts]
    if not takes_sizes:
        more = {"branching": sizes[0]} if sizes else {}
        return graphs.BY_NAME[name](means, unimodal=meant, **more)
    array = np.array(means, dtype=object).ravel()
    if array.size != math.prod(sizes):
        raise ValueError(
            f"graph is {words!r} with {array.size} means; allowed: {math.prod(sizes)} means."
        )
    make = product if name == "product" else graphs.grid
    return make(array.reshape(sizes).tolist(), unimodal=meant)
