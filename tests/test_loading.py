"""Policies from anywhere: a name, a path, a module, a class, an object."""

import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import rankone
from rankone import loading
from rankone.policies import ts

FOUR = rankone.rank_one([0.9, 0.3], [0.8, 0.2])
SOURCE = Path(rankone.__file__).parents[1]

ROUND_ROBIN = """\
from typing import NamedTuple

import numpy as np

from beside import step
from rankone.policy import kernel


class State(NamedTuple):
    arms: int
    last: np.ndarray


def configure(problem, stride=1):
    return stride


def start(problem, stride):
    return State(problem.arms, np.full(1, -stride))


def decide(state, t, rng):
    return step(t) % state.arms
"""
BESIDE = "from rankone.policy import kernel\n\n\n@kernel\ndef step(t):\n    return t\n"


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(ROUND_ROBIN)
    (tmp_path / "beside.py").write_text(BESIDE)
    return tmp_path / "mine.py"


class Greedy:
    """A sketch: the arm with the best mean, and now and then another."""

    def __init__(self, problem, rate=0.1):
        self.rate = rate
        self.pulls, self.wins = np.zeros(problem.arms), np.zeros(problem.arms)

    def choose(self, t, rng):
        if t < len(self.pulls):
            return t
        if rng.random() < self.rate:
            return rng.integers(len(self.pulls))
        return np.argmax(self.wins / self.pulls)

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.wins[arm] += reward


class Cycle:
    def __init__(self):
        self.seen = 0

    def choose(self, t, rng):
        assert t == self.seen, "an object is copied for each run"
        return t % 4

    def update(self, arm, reward):
        assert reward in (0, 1)
        self.seen += 1


def test_a_file_by_its_path(mine, monkeypatch):
    by_path = rankone.simulate(mine, FOUR, 10, 2)
    assert by_path.pulls.tolist() == [[3, 3, 2, 2]] * 2
    monkeypatch.chdir(mine.parent)
    for way in ("./mine.py", "mine.py", str(mine)):
        np.testing.assert_array_equal(rankone.simulate(way, FOUR, 10, 2).pulls, by_path.pulls)


def test_seeds_follow_the_name_and_not_the_folder(mine, tmp_path):
    text = ROUND_ROBIN.replace("step(t) % state.arms", "int(rng.random() * state.arms)")
    mine.write_text(text)
    other = tmp_path / "folder"
    shutil.copytree(mine.parent, other, ignore=shutil.ignore_patterns("folder", "__pycache__"))
    here, there = (rankone.simulate(file, FOUR, 50, 2).pulls for file in (mine, other / "mine.py"))
    np.testing.assert_array_equal(here, there)
    renamed = other / "yours.py"
    renamed.write_text(text)
    assert not np.array_equal(here, rankone.simulate(renamed, FOUR, 50, 2).pulls)
    assert not np.array_equal(here, rankone.simulate(mine, FOUR, 50, 2, stride=2).pulls)


def test_edits_are_seen_at_once(mine):
    assert rankone.simulate(mine, FOUR, 4, 1).pulls.tolist() == [[1, 1, 1, 1]]
    mine.write_text(ROUND_ROBIN.replace("step(t)", "2 * step(t)"))
    assert rankone.simulate(mine, FOUR, 4, 1).pulls.tolist() == [[2, 0, 2, 0]]
    mine.with_name("beside.py").write_text(BESIDE.replace("return t", "return t + 1"))
    assert rankone.simulate(mine, FOUR, 4, 1).pulls.tolist() == [[2, 0, 2, 0]]
    assert rankone.simulate(mine, FOUR, 3, 1).pulls.tolist() == [[1, 0, 2, 0]]


def test_helpers_of_the_same_name_in_two_folders(mine, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.py").write_text(ROUND_ROBIN)
    (other / "beside.py").write_text(BESIDE.replace("return t", "return 3"))
    for _ in range(2):
        assert rankone.simulate(mine, FOUR, 4, 1).pulls.tolist() == [[1, 1, 1, 1]]
        assert rankone.simulate(other / "mine.py", FOUR, 4, 1).pulls.tolist() == [[0, 0, 0, 4]]


@pytest.mark.slow
def test_a_file_is_kept_on_disk_like_the_package(mine):
    """The second process compiles nothing; one after an edit does."""
    cache = mine.parent / "cache"
    code = "import sys, rankone; print(rankone.simulate(sys.argv[1], rankone.rank_one([.9, .3], "
    code += "[.8, .2]), 4, 1).pulls.tolist())"

    def play():
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "NUMBA_CACHE_DIR": str(cache)}
        command = [sys.executable, "-c", code, str(mine)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip(), sorted(str(file) for file in cache.rglob("*.nbc"))

    pulls, kept = play()
    assert pulls == "[[1, 1, 1, 1]]"
    assert [file for file in kept if "/mine-" in file]
    assert play() == (pulls, kept)
    mine.with_name("beside.py").write_text(BESIDE.replace("return t", "return 2 * t"))
    assert play()[0] == "[[2, 0, 2, 0]]"


def test_a_module():
    given = rankone.simulate(ts, FOUR, 200, 3, exact="plain")
    named = rankone.simulate("ts", FOUR, 200, 3, exact="plain")
    np.testing.assert_array_equal(given.regret, named.regret)


def test_a_sketch_plays_with_seeds_and_parameters():
    runs = rankone.simulate(Greedy, FOUR, 200, 3, seed=2)
    assert np.all(runs.pulls.sum(axis=1) == 200)
    np.testing.assert_allclose(runs.regret[:, -1], runs.pulls @ FOUR.gaps)
    last = rankone.simulate(Greedy, FOUR, 200, 1, seed=2, first_run=2)
    np.testing.assert_array_equal(last.regret[0], runs.regret[2])
    other = rankone.simulate(Greedy, FOUR, 200, 3, seed=2, rate=0.5)
    assert not np.array_equal(other.pulls, runs.pulls)
    assert runs.origin.policy == "Greedy"
    assert runs.origin.parameters == {"rate": 0.1}


def test_a_factory_and_an_object():
    def factory(problem):
        return Greedy(problem, 0.0)

    assert rankone.simulate(factory, FOUR, 20, 2).pulls.sum() == 40
    assert rankone.simulate(Cycle(), FOUR, 20, 3).pulls.tolist() == [[5, 5, 5, 5]] * 3


def test_a_sketch_in_a_file(tmp_path):
    file = tmp_path / "sketch.py"
    file.write_text(
        "class Policy:\n"
        "    def __init__(self, problem, arm=0):\n        self.arm = arm\n"
        "    def choose(self, t, rng):\n        return self.arm\n"
        "    def update(self, arm, reward):\n        pass\n"
    )
    assert rankone.simulate(file, FOUR, 7, 1, arm=2).pulls.tolist() == [[0, 0, 7, 0]]


def test_what_a_policy_says_of_itself():
    assert loading.load("ucb1").about.startswith("UCB1 of Auer")
    assert loading.load(Greedy).about.startswith("A sketch: the arm with the best mean")


def test_a_declared_policy_has_two_engines():
    plain, fast = loading.load("ts"), loading.load("ts", "fast")
    module = types.ModuleType("declared")
    module.policy = types.SimpleNamespace(plain=plain, fast=fast)
    assert loading.load(module).decide is plain.decide
    assert loading.load(module, "fast").decide is fast.decide


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (
            "utz",
            r"^policy is 'utz'; allowed: .*kl_ucb, .*, or the path of a file \(\./mine\.py\)\.$",
        ),
        (3, r"^policy is 3; allowed: a name, a path, a module, or a class or an object with"),
        (types.ModuleType("empty"), "^empty has no start and no decide; allowed: start, decide"),
    ],
)
def test_what_cannot_be_loaded(policy, sentence):
    with pytest.raises(ValueError, match=sentence):
        rankone.simulate(policy, FOUR, 10, 1)


def test_a_parameter_without_a_default():
    def factory(problem, power):
        return Cycle()

    with pytest.raises(ValueError, match="needs the parameter 'power', which has no default"):
        rankone.simulate(factory, FOUR, 10, 1)


def test_an_arm_that_is_not_there():
    def factory(problem):
        sketch = Cycle()
        sketch.choose = lambda t, rng: 4
        return sketch

    with pytest.raises(ValueError, match="decide returned arm 4 for 1 rounds; allowed: an arm"):
        rankone.simulate(factory, FOUR, 10, 1)


def test_two_best_arms_are_for_policies_whose_theory_allows_them(tmp_path):
    tied = rankone.graph([0.5, 0.2, 0.5], [(0, 1), (1, 2)], unimodal=False)
    for policy in ("uts", "osub", "imed_ub", "klucb_ub", "ossb", "lse", "glse", "sw_osub"):
        with pytest.raises(ValueError, match=rf"^{policy} cannot play .* arms 0, 2 share .* needs"):
            rankone.simulate(policy, tied, 50, 1)
    for policy in ("ts", "ucb1", "kl_ucb"):
        assert rankone.simulate(policy, tied, 50, 1).pulls.sum() == 50
    file = tmp_path / "careful.py"
    file.write_text(
        "ONE_BEST = True\ndef start(p, s): return ()\ndef decide(state, t, rng): return 0\n"
    )
    with pytest.raises(ValueError, match="its theory needs one best arm"):
        rankone.simulate(str(file), tied, 50, 1)
    assert rankone.simulate(str(file), FOUR, 50, 1).pulls[0, 0] == 50
