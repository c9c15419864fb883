"""The command line on words that nobody meant: it works, or ends with 2 and one sentence."""

import os
from pathlib import Path
from typing import Any

import pytest
from helpers.fuzzing import CASES, WORDS, assert_one_sentence, survive, without_notes
from hypothesis import strategies as st

from rankone.__main__ import main

SKETCH = """
class Policy:
    def __init__(self, problem, power=1):
        self.arms = problem.arms

    def choose(self, t, rng):
        return t % self.arms

    def update(self, arm, reward):
        pass
"""
INSTANCES = [
    ["--u", "--v"], ["--u", "--v"], ["--means", "--edges"], ["--means", "--graph"], ["--csv"],
    ["--factor", "--factor", "--factor"], ["--random"], ["--random", "--instance-seed"], [],
]  # fmt: skip
PLAYING = ["--horizon", "--runs", "--seed", "--cores", "--plain", "--quiet", "--not-unimodal"]
# How many policies each command takes, and its options besides those of an instance.
COMMANDS = {
    "simulate": (1, [*PLAYING, "--first-run", "--checkpoints", "--out", "--gamma", "--c"]),
    "compare": (2, [*PLAYING, "--level"]),
    "plot": (2, [*PLAYING, "--picture", "--no-bound", "--linear", "--title"]),
    "bound": (0, ["--horizon", "--not-unimodal"]),
    "clicks": (0, []),
    "policies": (0, []),
    "compile": (1, ["--plain"]),
    "fly": (0, []),
}
OPTIONS = {
    "--u": ".8,.3*2",
    "--v": ".9,.4",
    "--factor": ".9,.4",
    "--means": ".2,.9,.5",
    "--edges": "0-1,1-2",
    "--graph": "line",
    "--csv": "matrix.csv",
    "--random": "4",
    "--instance-seed": "3",
    "--horizon": "60",
    "--runs": "2",
    "--seed": "5",
    "--cores": "1",
    "--first-run": "1",
    "--checkpoints": "10,50",
    "--out": "runs.npz",
    "--picture": "regret.png",
    "--title": "Regret",
    "--level": "0.9",
    "--gamma": "2",
    "--c": "0",
    "--no-such": "1",
    **dict.fromkeys(["--plain", "--quiet", "--not-unimodal", "--no-bound", "--linear"]),
}
POLICIES = ["uts", "osub:c=0", "rank1elim", "uts:gamma=inf,warm_up=false", "./sketch.py", "nope"]
NUMBERS = [
    "nan", "inf", "-inf", "-1", "0", "1", "1.5", "1e999", "9" * 400, "1e-400", "0x10", "1_000", "١",
    ".5,.5", ",", ",,", ".5,", "2,.1", "-.1,.5", "nan,.5", ".25*", "*3", ".25*-1", ".25*0",
    ".1*1e9",
    ".25*1000000000", ".25*99999999999999999999", "0-1-2", "0-0", "0-9", "0+1", "-1-1", "0-1,1-0",
    "1e20", "99999999999999999999", "9007199254740993", "1e5", "100000",
]  # fmt: skip


def typed() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(NUMBERS), st.sampled_from(WORDS), st.text(max_size=10))


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command with policies and options, most of them sound."""
    command = draw(st.sampled_from(sorted(COMMANDS)))
    policies, own = COMMANDS[command]
    sound = st.sampled_from(POLICIES)
    words = [draw(st.one_of(sound, sound, sound, typed())) for _ in range(policies)]
    if command == "clicks":
        words.append(draw(st.one_of(st.just("example_clicks"), typed())))
    named = []
    if len(own) > 1:  # it plays, or is about an instance
        named = [*draw(st.sampled_from(INSTANCES)), *own[:2]]
    others = st.sampled_from([*own, *own, *own, *own, *own, *sorted(OPTIONS)])
    named += draw(st.lists(others, max_size=3))
    most = draw(st.sampled_from([0, 1, 1, 2])) if named else 0
    spoiled = draw(st.sets(st.sampled_from(named), max_size=most)) if most else set()
    for name in named:
        words.append(name.replace("picture", "out"))
        if OPTIONS[name] is not None:
            words.append(draw(typed()) if name in spoiled else str(OPTIONS[name]))
    if draw(st.integers(0, 9)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(typed()))
    return [command, *words]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in a folder: whatever is written next to it was written outside."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "sketch.py").write_text(SKETCH)
    (inside / "matrix.csv").write_text(".9,.5\n.5,.1\n")
    monkeypatch.chdir(inside)
    return inside


@pytest.mark.parametrize("cases", CASES)
def test_typed(
    cases: int, workplace: Path, capsys: pytest.CaptureFixture[str], record_property: Any
) -> None:
    def attempt(words: list[str]) -> bool:
        code = main(words)
        out, err = capsys.readouterr()
        assert code in (0, 2), f"the exit code is {code}"
        assert "Traceback" not in out + err
        if code == 2:
            assert_one_sentence(err)
        else:
            assert not without_notes(err)
        assert os.listdir(workplace.parent) == ["inside"], "something was written outside"
        return code == 0

    survive(cases, lines(), attempt, record_property)
    assert not (workplace / "pwned").exists()
