"""The engines of an index policy: each arm once, then the largest index; a leader is forced."""

import numpy as np
import pytest

import rankone
from rankone.engine.compiled import kernel
from rankone.fast import index_engines
from rankone.fast.declared import NoSettings
from rankone.fast.leader import Leader


@kernel
def index(pulls, wins, level, settings):
    return wins / pulls + level / pulls


@kernel
def level(t, settings):
    return 1.0 + t


MATRIX = rankone.rank_one([0.9, 0.2], [0.8, 0.3])


def chosen(engine, settings, wins, rounds=4):
    """The arm that is chosen once each arm was pulled once, with these wins."""
    state = engine.start(MATRIX.problem(100), settings)
    rng = np.random.default_rng(1)
    for arm in range(rounds):
        commitment = engine.decide(state, arm, rng)
        assert (commitment.arm, commitment.rounds) == (arm, 1)
        engine.observe(state, arm, 1, wins[arm])
    return engine.decide(state, rounds, rng).arm


@pytest.mark.parametrize("make", ["plain_on_all_arms", "leaping_on_all_arms"])
@pytest.mark.parametrize("best", range(4))
def test_each_arm_once_and_then_the_largest_index(make, best):
    engine = getattr(index_engines, make)(index, level)
    assert chosen(engine, NoSettings(), [int(arm == best) for arm in range(4)]) == best


@pytest.mark.parametrize("make", ["plain_around_leader", "leaping_around_leader"])
def test_a_forced_leader_is_pulled(make):
    engine = getattr(index_engines, make)(index, level)
    settings = NoSettings(Leader(period=2, residue=1))
    for best in range(4):
        assert chosen(engine, settings, [int(arm == best) for arm in range(4)]) == best
