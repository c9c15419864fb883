"""The house style: widths, fonts, and a look for each policy that survives black and white."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter
from scipy.optimize import isotonic_regression

ONE_COLUMN = 3.3  # inches
TWO_COLUMNS = 6.8

RULES: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # shipped with matplotlib: the same letters on every machine
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "text.parse_math": False,  # a label with dollar signs is a label, not a formula
    "savefig.dpi": 300,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "rankone",  # else every drawing has new random ids
}

# Dark enough for text on white, and apart from each other for colour-blind readers.
COLOURS = ("#005B96", "#C65300", "#00805F", "#882255", "#000000")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (5, 1.4, 1, 1.4)),
    (0, (1.2, 1.2)),
    (0, (9, 2)),
    (0, (4, 1.4, 1, 1.4, 1, 1.4)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p", "h")
GREY = "#5a5a5a"
TINT = "#f1f1f1"

METADATA: dict[str, dict[str, None]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
}


class Look(NamedTuple):
    """How the curve of one policy is drawn."""

    colour: str
    dashes: Any
    marker: str


def house() -> Any:
    """The house style as a context manager or decorator, whatever the user's own settings are."""
    return matplotlib.style.context(["default", RULES])


def looks(policies: Iterable[dict[str, Any]]) -> dict[str, Look]:
    """A look for each drawn policy, by its place in the list; 60 before one comes again."""
    drawn = [policy["name"] for policy in policies if policy.get("draw", True)]
    return {
        name: Look(COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)])
        for i, name in enumerate(drawn)
    }


def sample(look: Look) -> Line2D:
    """The piece of curve that stands in a legend."""
    return Line2D(
        [], [], color=look.colour, linestyle=look.dashes, marker=look.marker, markersize=4
    )


def spread(
    positions: Sequence[float] | np.ndarray, heights: Sequence[float], low: float, high: float
) -> np.ndarray:
    """Centres for labels that do not overlap within [low, high], as near to `positions` as can be.

    In sorted order a centre minus the room the labels below it need must not decrease: least
    squares under that is isotonic regression. Labels too tall for the range are squeezed evenly.
    """
    wanted, tall = np.asarray(positions, dtype=float), np.asarray(heights, dtype=float)
    if not len(wanted):
        return wanted
    tall = tall * min(1.0, (high - low) / tall.sum())
    order = np.argsort(wanted, kind="stable")
    below = np.cumsum(tall[order]) - tall[order] / 2
    slack = isotonic_regression(wanted[order] - below).x
    centres = np.empty(len(wanted))
    centres[order] = np.clip(slack, low, high - tall.sum()) + below
    return centres


def thousands() -> FuncFormatter:
    """1234567 as 1,234,567; decimals only where the number has them."""
    return FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "\u2212"))


def powers() -> FuncFormatter:
    """1000 as 10 with a raised 3, in plain letters."""
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return FuncFormatter(lambda value, _: "10" + f"{np.log10(value):.0f}".translate(raised))


def save(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write the figure once for each path; the suffix decides the format, no byte the date."""
    for path in map(Path, paths):
        if path.suffix not in METADATA:
            raise ValueError(f"cannot write {path.name}; allowed: {', '.join(METADATA)}.")
        path.parent.mkdir(parents=True, exist_ok=True)
        with house():
            figure.savefig(path, metadata=METADATA[path.suffix])
