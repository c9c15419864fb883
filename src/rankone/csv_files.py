"""Instances from CSV files: a matrix of means, a list of means and neighbours, or a click log.

Which of them a file is shows in its first line. Empty lines and lines that begin with # are left
out. Mistakes are a ValueError of one sentence with the file and the line.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rankone.engine.parameters import file_path, one_sentence, shown
from rankone.instances import Instance, graph, matrix

# Files that are part of the package, by the word that stands for them.
SHIPPED = {"example_clicks": Path(__file__).parent / "data" / "clicks.csv"}
GRAPH = ("mean", "neighbours")


class Line(NamedTuple):
    """A line of a file, cut into cells."""

    place: str  # "mine.csv, line 3", for messages
    cells: list[str]


def from_csv(file: str | Path, *, unimodal: bool = True) -> Instance:
    """The instance in a CSV file:

    - numbers only: a matrix of means, one row a line, with neighbours in rows and columns;
    - columns `mean` and `neighbours`, and perhaps `arm`: a graph, one arm a line. `neighbours` are
      names of arms, with spaces between them; an edge may be named at one of its ends or at both.
      Without a column `arm` their names are 0, 1, 2, ...;
    - columns `item`, `position` and `click`, or `shown` and `clicks`: a click log, of which the
      position-based model is fitted (`rankone.fit_clicks` reports the fit).
    """
    found = lines(file)
    head = [cell.lower() for cell in found[0].cells]
    if "item" in head or "position" in head:
        from rankone import clicks

        return clicks.fit_clicks(file).instance(unimodal=unimodal)
    if "mean" in head or "neighbours" in head:
        return _graph(found, head, unimodal)
    return _matrix(found, unimodal)


def lines(file: str | Path) -> list[Line]:
    """The lines of a file that hold something; at least one."""
    path = SHIPPED.get(str(file)) or file_path("file", file)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ValueError(one_sentence(f"{file} cannot be read: {reason}.")) from None
    name = one_sentence(path.name)
    reader = csv.reader(text.splitlines())
    found = []
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped) and not stripped[0].startswith("#"):
                found.append(Line(f"{name}, line {reader.line_num}", stripped))
    except csv.Error as error:  # a cell without an end, for example
        raise ValueError(f"{name}, line {reader.line_num} cannot be read: {error}.") from None
    if not found:
        raise ValueError(f"{name} is empty; allowed: a matrix, a graph or a click log.")
    return found


def columns(found: Sequence[Line], wanted: Sequence[str]) -> dict[str, list[str]]:
    """The cells of the wanted columns, by the headings in the first line."""
    head = [cell.lower() for cell in found[0].cells]
    for name in wanted:
        if head.count(name) != 1:
            raise ValueError(
                f"{found[0].place}: the columns are {shown(head)}; "
                f"allowed: {', '.join(wanted)}, each once."
            )
    for line in found[1:]:
        if len(line.cells) != len(head):
            raise ValueError(
                f"{line.place}: there are {len(line.cells)} cells; allowed: {len(head)}, as in the "
                "first line."
            )
    return {name: [line.cells[head.index(name)] for line in found[1:]] for name in wanted}


def number(line: Line, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ValueError(f"{line.place}: {shown(cell)} is no number; allowed: numbers.") from None


def _matrix(found: Sequence[Line], unimodal: bool) -> Instance:
    rows = [[_mean(line, cell) for cell in line.cells] for line in found]
    for line in found:
        if len(line.cells) != len(found[0].cells):
            raise ValueError(
                f"{line.place}: there are {len(line.cells)} numbers; allowed: "
                f"{len(found[0].cells)}, as in the first line."
            )
    return matrix(rows, unimodal=unimodal)


def _mean(line: Line, cell: str) -> float:
    value = number(line, cell)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{line.place}: the mean is {shown(cell)}; allowed: numbers in [0, 1].")
    return value


def _graph(found: Sequence[Line], head: Sequence[str], unimodal: bool) -> Instance:
    named = "arm" in head
    cells = columns(found, [*GRAPH, "arm"] if named else GRAPH)
    body = found[1:]
    means = [_mean(line, cell) for line, cell in zip(body, cells["mean"], strict=True)]
    names = cells["arm"] if named else [str(arm) for arm in range(len(body))]
    arms: dict[str, int] = {}
    for line, name in zip(body, names, strict=True):
        if name in arms:
            raise ValueError(f"{line.place}: arm {shown(name)} is there twice; allowed: once.")
        arms[name] = len(arms)
    edges = []
    for line, name, near in zip(body, names, cells["neighbours"], strict=True):
        for other in near.split():
            if other not in arms or other == name:
                raise ValueError(
                    f"{line.place}: {shown(other)} cannot be next to {shown(name)}; allowed: other "
                    f"arms, such as {shown(next(a for a in [*arms, '1'] if a != name))}."
                )
            edges.append((arms[name], arms[other]))
    return graph(means, edges, unimodal=unimodal)
