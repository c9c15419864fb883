"""A policy written by somebody else, with the one import that it needs."""

import re

import numpy as np
import pytest

import rankone
import rankone.policy
from rankone.engine.errors import KernelError

FOUR = rankone.rank_one([0.9, 0.3], [0.8, 0.2])

UCB = """\
import math
from typing import NamedTuple

import numpy as np

from rankone.policy import Counts, best_of, kernel, no_counts, not_negative, record


class Settings(NamedTuple):
    width: float


class State(NamedTuple):
    settings: Settings
    counts: Counts
    indices: np.ndarray


def configure(problem, width=2.0):
    return Settings(not_negative("width", width))


def start(problem, settings):
    return State(settings, no_counts(problem.arms), np.empty(problem.arms))


@kernel
def decide(state, t, rng):
    counts, indices = state.counts, state.indices
    if t < len(indices):
        return t
    for k in range(len(indices)):
        level = state.settings.width * math.log(t)
        indices[k] = counts.means[k] + math.sqrt(level / counts.pulls[k])
    return best_of(indices, rng)


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.py"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_a_file_with_one_import_plays_as_the_package_does(write):
    """With UCB1's width and name, it is UCB1 to the bit: the same draws, and the same seeds."""
    theirs = rankone.simulate("ucb1", FOUR, 2000, 3, exact="plain")
    text = UCB.replace(", width=2.0", "").replace('not_negative("width", width)', "2.0")
    ours = rankone.simulate(write(text, "ucb1.py"), FOUR, 2000, 3)
    np.testing.assert_array_equal(ours.regret, theirs.regret)
    np.testing.assert_array_equal(ours.pulls, theirs.pulls)


def test_every_name_of_the_import_is_there():
    for name in rankone.policy.__all__:
        assert hasattr(rankone.policy, name)


ERRORS = {
    "indices[k] = np.zeros(2)[0]": "a kernel makes no arrays, lists or dicts",
    "indices[k] = [1.0, 2.0][0] + len([k])": "a kernel makes no arrays, lists or dicts",
    "indices[k] = np.random.random()": "draw from the generator",
    "indices[k] = state.nothing": "State has no field 'nothing'",
    "indices[k] = helper(k)": "'helper' is nothing that a kernel can use",
    "indices[k] = rng.no_such_method()": "no method 'no_such_method'",
}


@pytest.mark.parametrize("line", ERRORS)
def test_an_error_of_numba_is_one_sentence_about_the_line(write, line):
    wrong = re.sub(r"indices\[k\] = .*", line, UCB) + "\n\ndef helper(k):\n    return 1.0\n"
    number = wrong.splitlines().index(f"        {line}") + 1
    with pytest.raises(KernelError) as caught:
        rankone.simulate(write(wrong), FOUR, 100, 1)
    sentence = str(caught.value)
    assert sentence.startswith(f"mine.py, line {number}, cannot be compiled ({line}): ")
    assert ERRORS[line] in sentence
    assert "\n" not in sentence
    assert "Failed in nopython mode" in caught.value.details
