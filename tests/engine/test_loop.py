"""The loop: it counts every round, records regret, and can be left after any decision."""

from typing import NamedTuple

import numpy as np
import pytest
from helpers import chance

from rankone.engine import seeds
from rankone.engine.compiled import kernel
from rankone.engine.games import Kernels, Session
from rankone.engine.loop import Commitment, for_sure, once
from rankone.instances import graph


# A policy for the tests: 7 rounds of arm 0, then arm 1 until it loses, then one round of arm 2.
class State(NamedTuple):
    seen: np.ndarray  # rounds and wins of each arm; the last row: commitments seen


def start(problem, settings):
    return State(np.zeros((4, 2), np.int64))


@kernel
def decide(state, t, rng):
    turn = state.seen[3, 0] % 3
    if turn == 0:
        return for_sure(0, 7)
    return Commitment(1, 50, -0.5, 1.0) if turn == 1 else once(2)


@kernel
def observe(state, arm, rounds, wins):
    state.seen[arm, 0] += rounds
    state.seen[arm, 1] += wins
    state.seen[3, 0] += 1


KERNELS = Kernels(start, decide, observe)


def played(checkpoints, seed=1, slices=10**9, kernels=KERNELS):
    """Regret and pulls of one run, left and resumed after every so many decisions."""
    instance = graph([0.5, 0.9, 0.2], [(0, 1), (1, 2)])
    grid = np.array(checkpoints)
    starts = seeds.starts(np.arange(6, dtype=np.uint32), seed, 1)
    session = Session(kernels, instance.means, instance.problem(int(grid[-1])), None, grid, starts)
    while not session.advance(slices):
        pass
    return session.game.regret[0], session.game.pulls[0]


@pytest.mark.parametrize("horizon", [1, 7, 8, 100, 101])
def test_play_stops_at_the_horizon_and_counts_every_round(horizon):
    regret, pulls = played([horizon])
    assert pulls.sum() == horizon
    assert regret[-1] == pytest.approx(0.4 * pulls[0] + 0.7 * pulls[2])


def test_regret_at_a_checkpoint_is_that_of_the_rounds_before_it():
    # rounds 1 to 7 are of arm 0, whatever the seed; a commitment may run across checkpoints
    regret, _ = played([1, 3, 6, 7, 8, 500])
    assert regret[:5] == pytest.approx([0.4, 1.2, 2.4, 2.8, 2.8])
    assert np.all(np.diff(regret) >= 0)


def test_checkpoints_do_not_change_the_law():
    # a guard may break in the very round of a checkpoint
    last = [
        [played(grid, chance.seed(seed))[1] for seed in range(400)]
        for grid in ([300], range(1, 301))
    ]
    for arm in range(3):
        one, other = (np.array(pulls)[:, arm] for pulls in last)
        chance.assert_same_law(one, other)


@pytest.mark.parametrize("slices", [1, 7])
def test_a_run_left_and_resumed_is_the_same_run(slices):
    grid = [1, 10, 100, 1000]
    for whole, cut in zip(played(grid), played(grid, slices=slices), strict=True):
        np.testing.assert_array_equal(whole, cut)


@kernel
def bare_arm(state, t, rng):
    return t % 2


def test_a_bare_arm_is_pulled_once():
    _, pulls = played([10], kernels=KERNELS._replace(decide=bare_arm))
    assert pulls.tolist() == [5, 5, 0]


@kernel
def no_such_arm(state, t, rng):
    return 3 if t == 5 else 0


@kernel
def no_rounds(state, t, rng):
    return for_sure(1, 0)


@pytest.mark.parametrize(
    ("decide", "sentence"),
    [
        (no_such_arm, "decide returned arm 3 for 1 rounds; allowed: an arm from 0 to 2 and"),
        (no_rounds, "decide returned arm 1 for 0 rounds; allowed: an arm from 0 to 2 and"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(decide, sentence):
    with pytest.raises(ValueError, match=sentence):
        played([10], kernels=KERNELS._replace(decide=decide))
