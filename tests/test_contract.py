"""The contract: sound policies pass all of it, and each way to break it is found and named."""

import textwrap
from pathlib import Path
from typing import Any

import pytest
from helpers import chance

from rankone import contract
from rankone.__main__ import main
from rankone.loading import load, names

SKETCH = """
    class Policy:
        def __init__(self, problem, eager=False):
            self.arms, self.last = problem.arms, 0

        def choose(self, t, rng):
            return {choice}

        def update(self, arm, reward):
            self.last = arm
"""
INDEX = """
    import math

    from rankone.policy import index_policy, kernel

    @kernel
    def index(pulls, wins, level):
        return {index}

    @kernel
    def level(t):
        return {level}

    policy = index_policy(index, level)
"""
RISK = 4e-6  # that two sound versions are told apart, on one instance: there are many policies
UCB1 = {"index": "wins / pulls + math.sqrt(2.0 * level / pulls)", "level": "math.log(t)"}


def findings(folder: Path, text: str, **parameters: Any) -> dict[str, contract.Finding]:
    file = folder / "mine.py"
    file.write_text(textwrap.dedent(text))
    return {finding.what: finding for finding in contract.check(file, **parameters)}


def failures(found: dict[str, contract.Finding]) -> list[str]:
    return [f"{name}: {f.detail}" for name, f in found.items() if f.passed is False]


@pytest.mark.parametrize("policy", names())
def test_every_policy_of_the_package_keeps_it(policy: str, monkeypatch) -> None:
    monkeypatch.setattr(contract, "SECONDS", 1.0)
    monkeypatch.setattr(contract, "SEEDS", (chance.seed(11), chance.seed(12)))
    monkeypatch.setattr(contract, "RISK", RISK)
    found = list(contract.check(policy))
    for finding in found:
        if "agree in law" in finding.what:  # it holds its least p-value against the risk itself
            chance.assert_likely(0.0 if finding.passed is False else 1.0, RISK)
    assert [str(finding) for finding in found if finding.passed is False] == []
    leaps = load(policy).leaps
    assert any("agree in law" in finding.what for finding in found) == leaps


def test_a_sketch_plays_round_by_round(tmp_path) -> None:
    found = findings(tmp_path, SKETCH.format(choice="int(rng.integers(self.arms))"), eager=True)
    assert failures(found) == []
    assert "round by round" in found["it leaps"].detail
    assert "sketch" in found["it can be loaded"].detail


def test_a_declared_policy_leaps(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(contract, "SECONDS", 1.0)
    found = findings(tmp_path, INDEX.format(**UCB1))
    assert failures(found) == []
    assert any("would be seen with probability 99%" in f.detail for f in found.values())
    assert found["its index rises with the wins"].passed


BROKEN = {
    "arm out of range": (SKETCH.format(choice="self.arms"), "allowed: an arm from 0"),
    "an error of its own": (SKETCH.format(choice="1 / 0"), "ZeroDivisionError"),
    "chance from elsewhere": (
        "import random\n" + textwrap.dedent(SKETCH.format(choice="random.randrange(self.arms)")),
        "come out differently",
    ),
    "nothing in it": ("x = 1\n", "has no start"),
    "not Python": ("def f(:\n", "SyntaxError"),
    "index that falls with the wins": (
        INDEX.format(**UCB1 | {"index": "-wins / pulls + math.sqrt(2.0 * level / pulls)"}),
        "index(",
    ),
    "index that rises with the pulls": (
        INDEX.format(**UCB1 | {"index": "wins / pulls + math.sqrt(level * pulls)"}),
        "the same mean",
    ),
    "level that falls": (INDEX.format(**UCB1 | {"level": "10.0 / t"}), "level("),
    "an array in a kernel": (
        "import numpy as np\n"
        + textwrap.dedent(INDEX.format(**UCB1 | {"level": "np.zeros(3)[0]"})),
        "a kernel makes no arrays",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_it_is_named(tmp_path, monkeypatch, name: str) -> None:
    monkeypatch.setattr(contract, "SECONDS", 0.1)
    text, words = BROKEN[name]
    found = failures(findings(tmp_path, text))
    assert found
    assert any(words in failure for failure in found), found


def test_the_command_tells_and_its_exit_code_too(tmp_path, capsys) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(textwrap.dedent(SKETCH.format(choice="(t * 7) % self.arms")))
    bad.write_text(textwrap.dedent(SKETCH.format(choice="-1")))
    assert main(["check", str(good)]) == 0
    assert "note  it leaps: no" in capsys.readouterr().out
    assert main(["check", str(bad)]) == 1
    assert "FAIL  it plays every round" in capsys.readouterr().out
