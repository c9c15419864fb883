"""Files that nobody meant: they are read, or a ValueError says in one sentence why not."""

from pathlib import Path
from typing import Any

import pytest
from helpers.fuzzing import CASES, WORDS, nasty, refused_or_done, survive
from hypothesis import strategies as st

import rankone

MATRIX = ".9,.5,.4\n.5,.3,.2\n"
GRAPH = "arm,mean,neighbours\na,.9,b c\nb,.5,a\nc,.4,\n"
LOG = "item,position,shown,clicks\nA,1,100,30\nA,2,100,20\nB,1,50,10\nB,2,80,11\n"
SINGLE = "item,position,click\n" + "A,1,1\nA,1,0\nA,2,1\nB,1,0\nB,2,1\n" * 3
CELLS = [
    "", " ", '"', '"a', "'", "#", "nan", "inf", "-1", "1e999", "9" * 5000, "1e12", "1e15", "1e300",
    "0", "1", "0.5", "1.5", "a", "b", "A", "item", "mean", "x" * 200_000, "\0", "é", "\ufeff", "١",
]  # fmt: skip


def cells() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(CELLS), st.sampled_from(WORDS), st.text(max_size=10))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A sound file with a few cells or lines changed."""
    sound = draw(st.sampled_from([MATRIX, GRAPH, LOG, SINGLE]))
    table = [line.split(",") for line in sound.splitlines()]
    for _ in range(draw(st.integers(1, 3))):
        row = draw(st.sampled_from(table))
        change = draw(st.sampled_from(["replace", "replace", "drop", "add", "again", "gone"]))
        place = draw(st.integers(0, max(0, len(row) - 1)))
        if change == "replace" and row:
            row[place] = draw(cells())
        elif change == "drop" and row:
            del row[place]
        elif change == "add":
            row.insert(place, draw(cells()))
        elif change == "again":
            table.append(list(row))
        elif len(table) > 1:
            table.remove(row)
    text = draw(st.sampled_from(["\n", "\r\n", "\n\n"])).join(map(",".join, table))
    return text + draw(st.sampled_from(["", "\n", "\n#", "\0", '"']))


@pytest.mark.parametrize("cases", CASES)
def test_csv(cases: int, tmp_path: Path, record_property: Any) -> None:
    file = tmp_path / "mine.csv"

    def attempt(text: str) -> bool:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        read = refused_or_done(lambda: rankone.from_csv(file))
        fitted = refused_or_done(lambda: str(rankone.fit_clicks(file)))
        return read or fitted

    survive(cases, texts(), attempt, record_property)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("cases", CASES)
def test_names_of_files(
    cases: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Any
) -> None:
    """Whatever stands for the name of a file; what cannot be opened is an OSError of Python's."""
    (inside := tmp_path / "inside").mkdir()
    monkeypatch.chdir(inside)
    runs = rankone.simulate("uts", rankone.rank_one([0.8, 0.3], [0.9, 0.4]), 50, 2)

    def opened(call: Any) -> bool:
        try:
            return refused_or_done(call)
        except OSError:
            return False

    def attempt(name: Any) -> bool:
        done = refused_or_done(lambda: rankone.from_csv(name))
        done |= refused_or_done(lambda: rankone.fit_clicks(name))
        return done | opened(lambda: rankone.Runs.load(name))

    survive(cases, st.one_of(st.sampled_from(WORDS), nasty()), attempt, record_property)
    assert not list(inside.iterdir())
    runs.save("runs.npz")
    assert len(rankone.Runs.load("runs.npz")) == 2


@pytest.mark.parametrize("cases", CASES)
def test_spoiled_files_of_runs(cases: int, tmp_path: Path, record_property: Any) -> None:
    """A file that was cut, or of which some bytes are others, is refused or as it was."""
    runs = rankone.simulate("uts", rankone.rank_one([0.8, 0.3], [0.9, 0.4]), 50, 2)
    file = tmp_path / "runs.npz"
    runs.save(file)
    sound = file.read_bytes()

    def attempt(case: tuple[int, list[tuple[int, int]]]) -> bool:
        end, changes = case
        spoiled = bytearray(sound)
        for place, value in changes:
            spoiled[place] = value
        file.write_bytes(spoiled[:end])

        def read() -> None:
            found = rankone.Runs.load(file)
            assert found.regret.tobytes() == runs.regret.tobytes()
            assert found.pulls.tobytes() == runs.pulls.tobytes()
            assert found.origin == runs.origin

        return refused_or_done(read)

    size = len(sound)
    changes = st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, 255)), max_size=3)
    ends = st.one_of(st.just(size), st.integers(0, size))
    survive(cases, st.tuples(ends, changes), attempt, record_property)
