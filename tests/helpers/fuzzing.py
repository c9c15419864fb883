"""Try a function on many cases that hypothesis makes up, and count what became of them.

A case survives if the call succeeds, or is refused with one sentence that says what is allowed.
Anything else loses it: another exception, a refusal in several lines, a file left behind, no end.

What a property is trying stands in a file of its own, and a case that is lost is noted in another
one at once, with the seed: neither a time limit nor a crash can take the case with it.
"""

import dataclasses
import datetime
import faulthandler
import fractions
import math
import os
import re
import secrets
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

SHORT = 60  # cases of each property in `make test`,
LONG = 2_000  # and in `make test-long`: the same ones each time,
CHOICE = os.getenv("RANKONE_FUZZ", "")  # or others: `fresh`, or the seed of an earlier run
PATIENCE = 300.0  # seconds on a clock for one case, most of which take milliseconds
NOTES = Path(__file__).parents[2] / "results" / "fuzzing"
CASES = [SHORT, pytest.param(LONG, marks=pytest.mark.long)]
LONGEST = 700  # characters of a sentence

NUMBERS = [
    math.nan, math.inf, -math.inf, 0, -0.0, -1, 1, 2, 3, 0.5, 1.5, 1e-320, 5e-324, 1e308, -1e308,
    0.1 + 0.2, 1.0000000000000002, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**20, -(10**20),
    10**400, True, False, fractions.Fraction(1, 3), 1j,
    np.float32(0.25), np.float16("nan"), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True),
]  # fmt: skip
WORDS = [
    "", " ", "nan", "inf", "-1", "1e999", "0x10", "1_0", "true", "null", "~", "None", "uts", "all",
    "../up", "..", ".", "/", "/etc/passwd", "a/b", "a\\b", "C:\\x", "a\nb", "a\0b", "\r", "\t",
    "$(touch pwned)", "`touch pwned`", "; touch pwned", "| touch pwned", "--help", "-h", "--", "-",
    "{}", "{wildcard}", "{0}", "%s", "*", "?", "[x]", "'", '"', "é", "\u202e", "\ud800", "😀",
    "x" * 300, "CON", "__class__", "__proto__", "results", "sketch.py", "./nothing.py", "~/x.py",
]  # fmt: skip
THINGS = [
    None, b"bytes", [], (), {}, set(), [[]], [[0.5]], {"a": 1}, [None], ["a"], [math.nan], object,
    object(), len, datetime.date(2020, 2, 30 - 1), np.zeros(0), np.zeros((2, 2, 2)),
    np.array(["a"]), np.array([0.5, None], dtype=object), np.array(0.5), range(3),
    np.ma.masked_array([0.5, 0.1], [True, False]), "0.5,0.1", [0.9, [0.1]], [1j, 0.5],
    [10**400, 0.5], [True, False], iter([0.9, 0.1]), {0.9: 1, 0.1: 2},
]  # fmt: skip


def nasty() -> st.SearchStrategy[Any]:
    """A value that few functions expect."""
    return st.one_of(
        st.sampled_from(NUMBERS),
        st.sampled_from(WORDS),
        st.sampled_from(THINGS),
        st.floats(),
        st.integers(),
        st.text(max_size=20),
        st.lists(st.one_of(st.floats(), st.sampled_from(NUMBERS), st.none()), max_size=4),
    )


def spoiled(sound: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Sound arguments with up to three of them replaced by something nasty."""
    names = st.lists(st.sampled_from(sorted(sound)), max_size=3, unique=True)
    return names.flatmap(
        lambda chosen: st.fixed_dictionaries({name: nasty() for name in chosen})
    ).map(lambda changed: {**sound, **changed})


def without_notes(told: str) -> str:
    """What is told, but not that something is being compiled, which depends on the machine."""
    return re.sub(r"^Compiling .*, once \.\.\.\n", "", told, flags=re.MULTILINE)


def assert_one_sentence(told: str) -> None:
    """One line, not too long, with what is allowed, needed or missing."""
    told = without_notes(told)
    assert told.strip(), "the refusal says nothing"
    assert "\n" not in told.strip(), f"several lines: {told!r}"
    assert len(told) <= LONGEST, f"{len(told)} characters: {told[:200]!r}..."
    assert told.rstrip().endswith((".", "?")), f"no sentence: {told!r}"
    words = r"allowed|needs|missing|there is no|no such|not valid|cannot|unknown|Usage|interrupted"
    assert re.search(words, told, re.IGNORECASE), f"it does not say what is allowed: {told!r}"


def refused_or_done(call: Callable[[], Any]) -> bool:
    """Whether the call succeeded; a ValueError of one sentence is the only other way to end."""
    try:
        call()
    except ValueError as error:
        assert_one_sentence(str(error))
        return False
    return True


@dataclasses.dataclass
class Tally:
    """What became of the cases of one property."""

    tried: int = 0
    done: int = 0  # the others were refused
    lost: int = 0

    def properties(self) -> Iterator[tuple[str, int]]:
        yield from ((f"fuzz {name}", value) for name, value in dataclasses.asdict(self).items())


class Notes:
    """Files that tell what a property is trying, and what it has lost."""

    def __init__(self, name: str, chosen: str) -> None:
        self.chosen = chosen
        self.begins = f"{name}, {chosen}\n"
        NOTES.mkdir(parents=True, exist_ok=True)
        safe = re.sub(r"[^\w.-]+", "_", name)
        self.now = (NOTES / f"{safe}.trying").open("w", encoding="utf-8")
        self.lost = NOTES / f"{safe}.lost"
        self.lost.unlink(missing_ok=True)

    def trying(self, case: Any) -> None:
        """If the case does not end, the process does, and the stacks of its threads follow here."""
        self.now.seek(0)
        self.now.write(self.begins + _shown(case) + "\n")
        self.now.truncate()
        self.now.flush()
        faulthandler.dump_traceback_later(PATIENCE, exit=True, file=self.now)

    def lose(self, case: Any, error: BaseException) -> None:
        told = "".join(traceback.format_exception(error))
        with self.lost.open("a", encoding="utf-8") as file:
            file.write(f"{self.begins}{_shown(case)}\n{told}\n")

    def close(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        self.now.close()
        Path(self.now.name).unlink()


def _shown(case: Any) -> str:
    return repr(case).encode("utf-8", "backslashreplace").decode()


def survive(
    cases: int,
    strategy: st.SearchStrategy[Any],
    attempt: Callable[[Any], bool],
    record: Callable[[str, Any], None],
) -> Tally:
    """Try many cases; `attempt` says whether one was done or refused, and fails if it is lost."""
    tally = Tally()
    number = secrets.randbits(64) if CHOICE == "fresh" else int(CHOICE or 0)
    name = os.environ["PYTEST_CURRENT_TEST"].partition("::")[2].removesuffix(" (call)")
    notes = Notes(name, f"RANKONE_FUZZ={number}" if CHOICE else "the fixed cases")

    @settings(
        max_examples=cases,
        derandomize=not CHOICE,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def look(case: Any) -> None:
        tally.tried += 1
        notes.trying(case)
        try:
            tally.done += bool(attempt(case))
        except BaseException as error:
            tally.lost += 1
            notes.lose(case, error)
            raise

    try:
        (seed(number)(look) if CHOICE else look)()
    except Exception as error:
        error.add_note(f"{notes.chosen}: all cases that were lost are in {notes.lost}")
        raise
    finally:
        notes.close()
        for name, value in tally.properties():
            record(name, value)
    return tally
