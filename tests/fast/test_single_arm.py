"""A single arm: one decision for a whole run, and what a policy refuses it still refuses."""

import numpy as np
import pytest

import rankone
from rankone import simulation
from rankone.engine import seeds
from rankone.loading import load, names

LEAPING = [policy for policy in names() if load(policy).leaps]


def session_of(loaded, instance, horizon):
    """One run, with two checkpoints."""
    starts = seeds.starts(seeds.stream(1, instance, loaded.name), 0, 1)
    return simulation.session(loaded, instance, np.array([7, horizon]), starts, {})


@pytest.mark.parametrize("policy", LEAPING)
@pytest.mark.parametrize("mean", [0.0, 0.3, 1.0])
def test_a_run_is_one_decision(policy, mean):
    instance, horizon = rankone.rank_one([mean], [1.0]), 10**15
    if load(policy).supports(instance):
        pytest.skip("does not play here")
    session = session_of(load(policy, "fast"), instance, horizon)
    assert session.advance(1), "it is not over"
    assert session.game.pulls.tolist() == [[horizon]]
    assert session.game.regret.tolist() == [[0.0, 0.0]]


def test_the_plain_version_is_asked_in_every_round():
    instance = rankone.rank_one([0.3], [1.0])
    session = session_of(load("kl_ucb", "plain"), instance, 100)
    assert not session.advance(99)
    assert session.advance(1)


def test_two_arms_are_not_one():
    session = session_of(load("kl_ucb", "fast"), rankone.rank_one([0.9, 0.1], [1.0]), 100)
    assert not session.advance(2)


REFUSES = """
from rankone.policy import *

def configure(problem, c=1):
    if c < 0:
        raise ValueError("c is negative.")
    return NoSettings()

@kernel
def index(pulls, wins, level):
    return wins / pulls + level / pulls

@kernel
def level(t):
    return 1.0 * t

policy = index_policy(index, level)
"""


def test_refusals_stay(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(REFUSES)
    instance = rankone.rank_one([0.3], [1.0])
    assert rankone.simulate(str(file), instance, 10**12, 2).pulls.tolist() == [[10**12]] * 2
    with pytest.raises(ValueError, match="c is negative"):
        rankone.simulate(str(file), instance, 10**12, 2, c=-1)


def test_start_may_refuse():
    def refuse(problem, settings):
        raise ValueError("not today.")

    loaded = load("kl_ucb", "fast")._replace(start=refuse)
    with pytest.raises(ValueError, match="not today"):
        session_of(loaded, rankone.rank_one([0.3], [1.0]), 100)
