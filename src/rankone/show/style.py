"""The look of all figures: widths, fonts, and one colour, dash and marker for each policy.

A policy's look depends on its name alone, so that it is the same in every figure. The names of the
configurations are in the table LOOKS; any other name gets the first look that is still free.
"""

import io
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from rankone.engine import intact

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
    "ytick.minor.width": 0.4,
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
    "svg.hashsalt": "rankone",  # otherwise every drawing has new random ids
}
SMALL = 6.5  # points: notes inside a figure

# Dark enough for text on white, and apart from each other for colour-blind readers.
BLUE, ORANGE, GREEN, WINE, BLACK = "#005B96", "#C65300", "#00805F", "#882255", "#000000"
VIOLET, BROWN, CRIMSON, NAVY, SLATE = "#8A2BE2", "#5A3600", "#D8004E", "#0A0A78", "#6D6A8A"
COLOURS = (VIOLET, BROWN, CRIMSON, NAVY, BLACK, SLATE, BLUE, ORANGE, GREEN, WINE)

# The same colours on a dark page: each with its hue, and as far apart for colour-blind readers.
DARK_PAGE = "#16181D"
GREY = "#5a5a5a"  # lower bounds and notes
DARK = {
    BLUE: "#37ABEF", ORANGE: "#DA9A4B", GREEN: "#07EFC9", WINE: "#D46482", BLACK: "#FFFFFF",
    VIOLET: "#DABEF8", BROWN: "#E6C993", CRIMSON: "#F83157", NAVY: "#6F77EA", SLATE: "#7D84B2",
    GREY: "#A6A6A6",
}  # fmt: skip

SOLID = "-"
DASHED = (0, (5, 1.6))
DASH_DOT = (0, (5, 1.4, 1, 1.4))
DOTTED = (0, (1.2, 1.2))
LONG = (0, (7.5, 2.5))
DASH_DOT_DOT = (0, (4, 1.4, 1, 1.4, 1, 1.4))
DASHES: tuple[Any, ...] = (DASH_DOT_DOT, LONG, SOLID, DASHED, DASH_DOT, DOTTED)
MARKERS = ("*", "X", "p", ">", "P", "<", "v", "h", "d", "D", "o", "^", "s")

TINT = "#f1f1f1"  # the background of an enlargement
BEST = "#bfe3d0"  # the ground of the best in a column
BOUND_DASHES: dict[str, Any] = {"unimodal": (0, (7, 2)), "lai_robbins": (0, (1.5, 1.5))}

METADATA: dict[str, dict[str, None]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
}


class Look(NamedTuple):
    """How one policy is drawn; dash and marker alone tell it apart in black and white."""

    colour: str
    dashes: Any
    marker: str


# Policies that are drawn side by side as curves differ in colour; a variant that only has rows of
# its own (in a table, or in the figure `sensitivity`) has the colour of its family.
LOOKS: dict[str, Look] = {
    "uts": Look(BLUE, SOLID, "o"),
    "uts_gamma5": Look(CRIMSON, DASHED, "v"),
    "uts_gamma10": Look(BROWN, DASH_DOT, "P"),
    "uts_gamma15": Look(SLATE, LONG, "h"),
    "uts_gamma20": Look(VIOLET, DOTTED, "X"),
    "uts_gamma30": Look(NAVY, DASH_DOT_DOT, "<"),
    "uts_inf": Look(BLACK, LONG, "*"),
    "uts_degree": Look(BLUE, DASHED, "D"),
    "uts_cold": Look(VIOLET, LONG, "p"),
    "osub": Look(ORANGE, DASHED, "s"),
    "osub_c0": Look(ORANGE, SOLID, "v"),
    "osub_c1": Look(ORANGE, DOTTED, "^"),
    "osub_c2": Look(ORANGE, LONG, "<"),
    "osub_gamma2": Look(ORANGE, SOLID, "D"),
    "osub_cold": Look(ORANGE, DASH_DOT, "p"),
    "osub_clock": Look(ORANGE, DOTTED, "h"),
    "osub_bisection": Look(ORANGE, LONG, "X"),
    "osub_coded": Look(ORANGE, DASH_DOT, "o"),
    "osub_coded_c0": Look(ORANGE, DOTTED, "o"),
    "osub_coded_bisection": Look(ORANGE, LONG, "o"),
    "osub_line": Look(BROWN, SOLID, "s"),
    "osub_line_3": Look(BROWN, DASHED, "<"),
    "osub_line_c3": Look(BROWN, DOTTED, "P"),
    "osub_line_warm": Look(BROWN, LONG, "D"),
    "kl_ucb": Look(GREEN, DASH_DOT, "^"),
    "kl_ucb_c0": Look(GREEN, SOLID, "*"),
    "kl_ucb_c1": Look(GREEN, DASHED, "P"),
    "kl_ucb_c2": Look(GREEN, LONG, "v"),
    "kl_ucb_bisection": Look(GREEN, DOTTED, "s"),
    "rank1elim_kl": Look(WINE, DOTTED, "D"),
    "rank1elim_kl_paper": Look(WINE, SOLID, "<"),
    "rank1elim_kl_trinh": Look(WINE, DASHED, "h"),
    "rank1elim": Look(CRIMSON, LONG, ">"),
    "rank1elim_doubling": Look(CRIMSON, DOTTED, ">"),
    "ucb1": Look(SLATE, DASHED, "X"),
    "ts": Look(BLACK, DASH_DOT_DOT, "v"),
    # Policies of the literature around the paper.
    "imed": Look(NAVY, SOLID, "P"),
    "imed_ub": Look(NAVY, DASH_DOT, "X"),
    "klucb_ub": Look(BROWN, DOTTED, "*"),
    "kl_ucb_plus": Look(VIOLET, DASH_DOT, "<"),
    "kl_ucb_h_plus": Look(VIOLET, SOLID, "p"),
    "kl_ucb_pp": Look(CRIMSON, SOLID, "d"),
    "moss": Look(SLATE, SOLID, "h"),
    "moss_anytime": Look(SLATE, DASHED, "p"),
    "sw_osub": Look(BROWN, DASH_DOT_DOT, "D"),
    "ossb": Look(BLACK, DASHED, "o"),
    "ossb_rank_one": Look(BLACK, DASH_DOT_DOT, "o"),
    "ucb_alpha": Look(BLUE, DASHED, "*"),
    "ucb_u": Look(ORANGE, DASH_DOT_DOT, "p"),
    "lse": Look(GREEN, LONG, "s"),
    "lse_line": Look(GREEN, LONG, "P"),
    "glse": Look(GREEN, DOTTED, "p"),
    "tea": Look(WINE, DASHED, ">"),
    "pair_elim": Look(BLUE, DASH_DOT_DOT, ">"),
    "epsilon_greedy": Look(GREEN, DASH_DOT_DOT, "d"),
    "bayes_ucb": Look(ORANGE, DASH_DOT_DOT, "h"),
    "etc": Look(WINE, DASH_DOT_DOT, "P"),
}
SAME = {"uts_gamma2": "uts", "uts_gamma_inf": "uts_inf"}  # one policy under two names
LOOKS |= {name: LOOKS[other] for name, other in SAME.items()}

# Looks for other names: neighbours in this list differ in colour, in dash and in marker.
_SPARE = [
    look
    for look in (
        Look(COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)])
        for i in range(len(COLOURS) * len(DASHES) * len(MARKERS) // 2)  # then they repeat
    )
    if look not in LOOKS.values()
]


def looks(policies: Iterable[Mapping[str, Any]]) -> dict[str, Look]:
    """A look for each policy, by name: from LOOKS, or for a new name the first free one.

    Free is a look whose dash and marker no other policy of the list has, and if there is one
    also its colour.
    """
    names = list(dict.fromkeys(policy["name"] for policy in policies))
    found = {name: LOOKS[name] for name in names if name in LOOKS}
    for name in names:
        if name not in found:
            found[name] = _first_free(found.values())
    return found


def _first_free(taken: Iterable[Look]) -> Look:
    taken = list(taken)
    colours = Counter(look.colour for look in taken)
    shapes = Counter((look.dashes, look.marker) for look in taken)

    def crowded(look: Look) -> tuple[bool, int, int]:
        shape = shapes[look.dashes, look.marker]
        return look in taken, shape, colours[look.colour]

    return min(_SPARE, key=crowded)  # the first of several


def bound_label(bound: str, instances: Iterable[Mapping[str, Any]]) -> str:
    """The name of a lower bound: Proposition 1 is about rank-one matrices, not about graphs."""
    if bound == "lai_robbins":
        return "Lai and Robbins"
    rank_one = all("u" in instance or instance.get("shape") for instance in instances)
    return "Lower bound (Prop. 1)" if rank_one else "Lower bound (unimodal)"


def applied() -> Any:
    """The rules above as a context manager, whatever the user's own settings are."""
    return matplotlib.style.context(["default", RULES])


def sample(look: Look) -> Line2D:
    """The piece of curve that stands in a legend."""
    return Line2D(
        [], [], color=look.colour, linestyle=look.dashes, marker=look.marker, markersize=4
    )


def bound_sample(bound: str) -> Line2D:
    """The piece of a lower bound's line that stands in a legend."""
    return Line2D([], [], color=GREY, linestyle=BOUND_DASHES[bound], linewidth=1.6)


def thousands() -> FuncFormatter:
    """1234567 as 1,234,567; decimals only where the number has them."""
    return FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "\u2212"))


def powers() -> FuncFormatter:
    """1000 as 10 with a raised 3, in plain letters."""
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return FuncFormatter(lambda value, _: "10" + f"{np.log10(value):.0f}".translate(raised))


def save(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write the figure to each path, in the format of its suffix; no file holds a date."""
    for path in map(Path, paths):
        if path.suffix not in METADATA:
            raise ValueError(f"cannot write {path.name}; allowed: {', '.join(METADATA)}.")
        drawn = io.BytesIO()
        with applied():
            figure.savefig(drawn, format=path.suffix[1:], metadata=METADATA[path.suffix])
        intact.write(path, drawn.getvalue())
