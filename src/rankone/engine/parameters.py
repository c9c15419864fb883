"""Checks of what users give: the parameters that several policies have, and room in memory."""

import math
import os
import re
import reprlib
from pathlib import Path
from typing import Any

import numpy as np

LONGEST = 80  # characters of a value in a message,
SENTENCE = 600  # and of all of it
_brief = reprlib.Repr()  # looks at a few items: a value of YAML aliases may unfold to billions
_brief.maxlevel, _brief.maxlist, _brief.maxtuple = 4, 12, 12
_brief.maxstring = _brief.maxlong = _brief.maxother = LONGEST


def shown(value: Any) -> str:
    """A value for a message of one line: its repr, cut where it is long."""
    try:
        text = " ".join(_brief.repr(value).split())
    except Exception:  # a number of more digits than Python prints, or an object that fails
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def one_sentence(told: str) -> str:
    """One line that can be printed, and not a page: names and files may hold anything."""
    line = " ".join(told.split())
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    if len(line) <= SENTENCE:
        return line
    half = SENTENCE // 2
    return f"{line[:half]} ... {line[-half:]}"


def is_number(value: Any) -> bool:
    """Whether it is a real number; a truth value is none."""
    real = int | float | np.integer | np.floating
    return isinstance(value, real) and not isinstance(value, bool)


def of_file(error: OSError) -> str:
    """What went wrong with a file, in one sentence."""
    reason = error.strerror or str(error)
    return f"{error.filename or 'a file'} cannot be read or written: {reason}."


def file_path(name: str, value: Any) -> Path:
    """A path that a file can have; whether there is one is asked later."""
    text = str(value) if isinstance(value, str | Path) else ""
    if not text or not is_text(text):
        raise ValueError(f"{name} is {shown(value)}; allowed: the path of a file.")
    return Path(text)


def is_text(value: Any) -> bool:
    """Whether it can be written down: no null character, and nothing that is not Unicode."""
    return isinstance(value, str) and not re.search("[\0\ud800-\udfff]", value)


def words(name: str, value: Any) -> str:
    """Text for a picture: a font has no glyphs for control characters."""
    if not is_text(value) or not value.replace("\n", " ").replace("\xa0", " ").isprintable():
        raise ValueError(f"{name} is {shown(value)}; allowed: words that can be printed.")
    return str(value)


def as_python(value: Any) -> Any:
    """A number of NumPy as one of Python, which is compared without overflow."""
    return value.item() if isinstance(value, np.generic) else value


def require_memory(what: str, numbers: int) -> None:
    """Refuse what cannot fit into the memory of this machine, before it is asked for."""
    size = 8 * min(numbers, 10**300)  # more is no float
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if size > there:
        raise ValueError(
            f"{what} needs {size / 2**30:,.3g} GiB of memory; allowed: at most "
            f"{there / 2**30:,.3g} GiB, what this machine has."
        )


def leader_period(gamma: Any) -> float:
    """Check gamma: every how many leads the leader is forced; 0 stands for "degree"."""
    if isinstance(gamma, str) and gamma == "degree":
        return 0.0
    number = _float(gamma) if is_number(gamma) else 0.0
    if not (number >= 2 and (number == math.inf or number.is_integer())):
        raise ValueError(
            f"gamma is {shown(gamma)}; allowed: a whole number of at least 2, inf or 'degree'."
        )
    return number


def not_negative(name: str, value: Any) -> float:
    number = _float(value) if is_number(value) else math.nan
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} is {shown(value)}; allowed: a number of at least 0.")
    return number


def positive(name: str, value: Any) -> float:
    number = _float(value) if is_number(value) else math.nan
    if not 0 < number < math.inf:
        raise ValueError(f"{name} is {shown(value)}; allowed: a number above 0.")
    return number


def _float(value: Any) -> float:
    """A whole number that is too large for a float is as good as infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):  # "no" would be true
        raise ValueError(f"{name} is {shown(value)}; allowed: True or False.")
    return value
