"""A user's policy that fails in any way is named in a sentence, and costs no other result."""

import resource
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from helpers.fuzzing import assert_one_sentence

import rankone
from rankone import contract
from rankone.__main__ import main

TYPED = ["--u", ".8,.3", "--v", ".9,.4", "--horizon", "60", "--runs", "2"]
SKETCH = """
class Policy:
    def __init__(self, problem, power=1):
        self.arms = problem.arms
        {init}

    def choose(self, t, rng):
        {choose}

    def update(self, arm, reward):
        {update}
"""
KERNELS = """
from typing import NamedTuple

import numpy as np


class State(NamedTuple):
    counts: np.ndarray


def start(problem, settings):
    {start}
    return State(np.zeros(problem.arms))


def decide(state, t, rng):
    {decide}


def observe(state, arm, rounds, wins):
    {observe}
"""


def sketch(init: str = "pass", choose: str = "return t % self.arms", update: str = "pass") -> str:
    return SKETCH.format(init=init, choose=choose, update=update)


def kernels(start: str = "pass", decide: str = "return 0", observe: str = "pass") -> str:
    return KERNELS.format(start=start, decide=decide, observe=observe)


# the file, and words that the sentence must have
BROKEN = {
    "crash in choose": (sketch(choose="return 1 // 0"), ["mine.py, line 8, in choose", "ZeroDiv"]),
    "crash in update": (sketch(update="self.nothing"), ["mine.py, line 11, in update", "nothing"]),
    "crash in init": (sketch(init="[][1]"), ["mine.py, line 5, in __init__", "IndexError"]),
    "a ValueError of NumPy": (
        sketch(choose="import numpy as np; return np.ones(2) @ np.ones(3)"),
        ["mine.py, line 8", "ValueError"],
    ),
    "no arm": (sketch(choose="return None"), ["choose returned None", "number of an arm"]),
    "half an arm": (sketch(choose="return 0.5"), ["choose returned 0.5"]),
    "nan": (sketch(choose="return float('nan')"), ["choose returned nan"]),
    "an arm too far": (sketch(choose="return self.arms"), ["returned arm 4", "from 0 to 3"]),
    "an arm below": (sketch(choose="return -1"), ["returned arm -1", "from 0 to 3"]),
    "an arm beyond 64 bits": (sketch(choose="return 10**30"), ["OverflowError"]),
    "all memory": (sketch(init="self.x = bytearray(2**60)"), ["line 5", "MemoryError"]),
    "the stack": (sketch(choose="return self.choose(t, rng)"), ["RecursionError"]),
    "syntax": ("def f(:\n", ["mine.py, line 1", "SyntaxError"]),
    "crash on import": ("import nothing_of_that_name\n", ["mine.py, line 1", "ModuleNotFound"]),
    "exit": ("raise SystemExit(3)\n", ["mine.py, line 1", "SystemExit"]),
    "null bytes": ("x = 1\0\n", ["mine.py", "null bytes"]),
    "not a policy": ("x = 1\n", ["has no start", "allowed"]),
    "no problem": ("class Policy:\n    def choose(self): ...\n", ["the problem"]),
    "configure fails": (
        "def configure(problem):\n    return 1 // 0\n" + kernels(),
        ["mine.py, line 2, in configure", "ZeroDiv"],
    ),
    "supports fails": (
        "def supports(instance):\n    return 1 // 0\n" + kernels(),
        ["mine.py, line 2, in supports"],
    ),
    "start fails": (kernels(start="problem.nothing"), ["mine.py, line 12, in start", "nothing"]),
    "compiled arm too far": (kernels(decide="return 9"), ["returned arm 9", "from 0 to 3"]),
    "cannot be compiled": (kernels(decide="return {}"), ["mine.py"]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, words = BROKEN[name]
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(text)
    assert main(["simulate", "./mine.py", *TYPED, "--out", "runs.npz"]) == 2
    told = capsys.readouterr().err
    assert_one_sentence(told)
    for word in words:
        assert word in told, told
    assert not Path("runs.npz").exists()
    # what was played before the error may be kept, to go on from
    assert {p.name for p in tmp_path.iterdir()} <= {"mine.py", "runs.npz.partial"}


def test_the_cause_is_kept_for_python(tmp_path: Path) -> None:
    """In Python the whole traceback is of use: it is the cause of the error."""
    file = tmp_path / "mine.py"
    file.write_text(BROKEN["crash in choose"][0])
    with pytest.raises(ValueError, match=r"mine\.py, line 8") as caught:
        rankone.simulate(file, rankone.rank_one([0.8, 0.3], [0.9, 0.4]), 60, 2)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


LOOPS = {
    "sketch": sketch(choose="while True: pass"),
    "kernel": kernels(decide="k = 0\n    while t >= 0:\n        k += 1\n    return k"),
    "on import": "while True: pass\n",
}


@pytest.mark.parametrize("name", LOOPS)
def test_check_finds_a_policy_that_does_not_end(name: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(LOOPS[name])
    command = [sys.executable, "-m", "rankone", "check", str(file), "--patience", "5"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 1, result.stderr
    assert "FAIL  it ends: no answer for 5 seconds" in result.stdout
    assert "Traceback" not in result.stderr


CRASHES = {
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "killed": "import os; os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("name", CRASHES)
def test_check_finds_a_policy_that_takes_python_with_it(name: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(sketch(choose=textwrap.indent(CRASHES[name], "").strip()))
    command = [sys.executable, "-m", "rankone", "check", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 1, result.stderr
    assert "ok    it can be loaded" in result.stdout
    assert "FAIL  it ends: Python was ended by signal" in result.stdout


HOG = """
kept = []


class Policy:
    def __init__(self, problem):
        self.arms = problem.arms

    def choose(self, t, rng):
        kept.append(bytearray(2**26))
        return t % self.arms

    def update(self, arm, reward):
        pass
"""


def test_check_names_a_policy_that_takes_more_and_more_memory(tmp_path: Path) -> None:
    """Here more than the 3 GiB that the process may have; elsewhere more than is free."""
    file = tmp_path / "mine.py"
    file.write_text(HOG)
    command = [sys.executable, "-m", "rankone", "check", str(file)]
    limit = (3 * 2**30, 3 * 2**30)
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )  # fmt: skip
    assert result.returncode == 1, result.stderr
    assert "mine.py, line 10, in choose, failed with MemoryError" in result.stdout


def test_check_asks_for_little_more_memory_than_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"SC_PAGE_SIZE": 4096, "SC_AVPHYS_PAGES": 2**18}
    monkeypatch.setattr(contract.os, "sysconf", sizes.__getitem__)
    set_to: list[tuple[int, int]] = []
    monkeypatch.setattr(contract.resource, "setrlimit", lambda _, both: set_to.append(both))
    for most, limit in ((resource.RLIM_INFINITY, 5 * 2**30), (2**30, 2**30), (2**40, 5 * 2**30)):
        monkeypatch.setattr(contract.resource, "getrlimit", lambda _, most=most: (0, most))
        contract.limit_memory()
        assert set_to.pop() == (limit, most)


CAMPAIGN = """
seed: 1
instances:
  square: {u: [0.9, 0.1], v: [0.8, 0.2]}
policies:
  uts: {label: UTS}
  mine: {policy: ./mine.py}
studies:
  regret: {horizon: 60, runs: 4, instances: [square]}
tables:
  final_regret: {study: regret}
"""


@pytest.mark.workflow
def test_the_workflow_keeps_all_other_results(tmp_path: Path) -> None:
    """With --keep-going the sound policy is simulated, and the log of the other names its line."""
    (tmp_path / "mine.py").write_text(BROKEN["crash in update"][0])
    (tmp_path / "tiny.yaml").write_text(CAMPAIGN)
    snakefile = Path(__file__).parents[2] / "Snakefile"
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--keep-going"]
    command += ["-s", str(snakefile), "--configfile", "tiny.yaml"]
    result = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert result.returncode == 1, result.stderr
    assert "mine.py, line 11, in update" in result.stdout + result.stderr
    runs = tmp_path / "results/tiny/runs/regret/square"
    assert [file.name for file in (runs / "uts").iterdir()] == ["0-3.npz"]
    assert not list(runs.glob("mine/*.npz"))
