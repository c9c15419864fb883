"""Number formats, and tables as files: .csv at full precision, .md, .tex and .html as text."""

import html
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from rankone.engine import intact

NOTHING = "–"  # stands for a missing number
LONG = 32  # letters: a column of text with a longer cell is broken into lines


class Table(NamedTuple):
    """What a table holds, and how it is shown."""

    data: pd.DataFrame  # all columns at full precision
    shown: pd.DataFrame  # the cells as text, under the headings that are shown
    tex: str = ""  # its LaTeX, where that is not a tabular of what is shown


GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "η": "eta",
    "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ρ": "rho", "σ": "sigma", "τ": "tau",
}  # fmt: skip
_LATEX = str.maketrans(
    {
        **{character: "\\" + character for character in "&%$#_{}"},
        **{letter: f"$\\{name}$" for letter, name in GREEK.items()},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "∞": r"$\infty$",
        "±": r"$\pm$",
        "×": r"$\times$",
        "≥": r"$\geq$",
        "≤": r"$\leq$",
        "−": "$-$",
        "–": "--",
        "\n": " ",
    }
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #111; margin: 1.5rem; }}
table {{ border-collapse: collapse; border-top: 2px solid #111; border-bottom: 2px solid #111; }}
caption {{ text-align: left; padding-bottom: .6rem; max-width: 60rem; }}
th, td {{ padding: .25rem .8rem; text-align: left; vertical-align: top; }}
th {{ border-bottom: 1px solid #111; vertical-align: bottom; }}
td.n {{ white-space: nowrap; }}
.n {{ text-align: right; font-variant-numeric: tabular-nums; }}
.w {{ min-width: 11rem; }}
.g td {{ border-top: 1px solid #ccc; }}
.text {{ max-width: 60rem; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def number(value: float, digits: int = 3) -> str:
    """At least `digits` significant digits, never fewer than the whole part has."""
    if pd.isna(value) or not math.isfinite(value):
        return NOTHING
    return f"{value:,.{_decimals(value, digits)}f}"


def value_and_error(value: float, error: float, digits: int = 2) -> str:
    """The error with `digits` significant digits and the value to the same place."""
    if pd.isna(value) or pd.isna(error) or error <= 0:
        return number(value)
    places = _decimals(error, digits)
    return f"{value:,.{places}f} ± {error:,.{places}f}"


def interval(low: float, high: float) -> str:
    """Both ends to the same place."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return NOTHING
    places = _decimals(low if low > 0 else high, 3)
    return f"{low:,.{places}f}–{high:,.{places}f}"


def macro(*labels: str) -> str:
    """A name for a LaTeX macro from labels: letters alone, numbers in words.

    >>> macro("UTS", "K = 4"), macro("Rank1ElimKL", "K = 16, close means")
    ('rankoneUTSfour', 'rankoneRankoneElimKLsixteenclosemeans')
    """
    found = "rankone"
    for label in labels:
        text = label.translate({ord(letter): name for letter, name in GREEK.items()})
        text = text.replace("∞", "infinity").removeprefix("K = ")
        found += re.sub("[^A-Za-z]", "", re.sub(r"\d+", lambda m: _in_words(int(m[0])), text))
    return found


def _in_words(value: int) -> str:
    """128 as onehundredtwentyeight; from a thousand on digit by digit."""
    if value < 20:
        return _SMALL[value]
    if value < 100:
        return _TENS[value // 10] + (_SMALL[value % 10] if value % 10 else "")
    if value < 1000:
        rest = _in_words(value % 100) if value % 100 else ""
        return f"{_SMALL[value // 100]}hundred{rest}"
    return "".join(_SMALL[int(digit)] for digit in str(value))


_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = [
    "zero",
    "ten",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
]


def columns(shown: Mapping[str, Iterable[Any]]) -> pd.DataFrame:
    """Columns of text by their headings."""
    return pd.DataFrame({heading: list(cells) for heading, cells in shown.items()})


def write(table: Table, paths: Iterable[str | Path], caption: str = "") -> None:
    """Write a table's data as .csv, and what it shows as .md, .tex or .html."""
    formats = {".md": markdown, ".tex": latex, ".html": page}
    for path in map(Path, paths):
        if path.suffix not in (".csv", *formats):
            raise ValueError(f"cannot write {path.name}; allowed: .csv, {', '.join(formats)}.")
        if path.suffix == ".csv":
            text = table.data.to_csv(index=False, lineterminator="\n")
        elif path.suffix == ".tex" and table.tex:
            text = f"% {' '.join(caption.split())}\n{table.tex}"
        else:
            text = formats[path.suffix](table.shown, caption)
        intact.write(path, text)


def markdown(shown: pd.DataFrame, caption: str = "") -> str:
    """A Markdown table, the caption above it."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    marks = ["---:" if kind == "n" else "---" for kind in kinds(shown)]
    lines = [line(shown.columns), "|" + "|".join(marks) + "|", *map(line, _rows(shown))]
    return "\n".join([caption, ""] * bool(caption) + lines) + "\n"


def latex(shown: pd.DataFrame, caption: str = "") -> str:
    """A tabular for the package booktabs, to be read in by \\input; long texts are broken."""

    def line(cells: Iterable[str]) -> str:
        return " & ".join(cell.translate(_LATEX) for cell in cells) + r" \\"

    layout = "".join({"n": "r", "t": "l", "w": "p{5cm}"}[kind] for kind in kinds(shown))
    lines = [f"% {' '.join(caption.split())}"] * bool(caption)
    lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", line(shown.columns), r"\midrule"]
    for first, cells in _grouped(shown):
        lines += [r"\addlinespace"] * first + [line(cells)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def page(shown: pd.DataFrame, caption: str = "") -> str:
    """A page of its own with nothing to load; long texts are broken, numbers are not."""
    classes = ["" if kind == "t" else f' class="{kind}"' for kind in kinds(shown)]

    def line(tag: str, cells: Iterable[str]) -> str:
        pairs = zip(classes, cells, strict=True)
        return "".join(f"<{tag}{kind}>{html.escape(cell)}</{tag}>" for kind, cell in pairs)

    rows = {True: '<tr class="g">', False: "<tr>"}
    body = [rows[first] + line("td", cells) + "</tr>" for first, cells in _grouped(shown)]
    note = f"<caption>{html.escape(caption)}</caption>\n" if caption else ""
    head = f"<thead><tr>{line('th', shown.columns)}</tr></thead>"
    table = ["<table>", f"{note}{head}", "<tbody>", *body, "</tbody>", "</table>"]
    return document(caption or "Table", "\n".join(table))


def document(title: str, body: str) -> str:
    """An HTML page of its own with nothing to load."""
    return _PAGE.format(title=html.escape(title), body=body)


def _decimals(value: float, digits: int) -> int:
    if value == 0:
        return 0
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))


def _rows(shown: pd.DataFrame) -> Iterable[list[str]]:
    return (list(map(str, cells)) for cells in shown.itertuples(index=False, name=None))


def _grouped(shown: pd.DataFrame) -> Iterable[tuple[bool, list[str]]]:
    """The rows, each with whether it starts a new group of equal first cells."""
    rows = list(_rows(shown))
    groups = [row[0] for row in rows]
    several = len(set(groups)) < len(groups)
    return [(several and k > 0 and groups[k] != groups[k - 1], row) for k, row in enumerate(rows)]


_NUMBER = re.compile(r"[\d\s.,±–−+×%/()\[\]-]*")


def kinds(shown: pd.DataFrame) -> list[str]:
    """The kind of each column: n, numbers only; w, text with long cells; t, other text."""
    return [_kind([str(cell) for cell in column]) for _, column in shown.items()]


def _kind(cells: list[str]) -> str:
    if cells and any(cells) and all(_NUMBER.fullmatch(cell) for cell in cells):
        return "n"
    return "w" if any(len(cell) > LONG for cell in cells) else "t"
