"""Rank1Elim with doubling commits, within a horizon, once a single cell is left."""

import numpy as np
import pytest
from helpers import chance
from helpers.versions import LINE, TENSOR, assert_same_law

import rankone

INSTANCES = {
    "3 x 2": rankone.rank_one([0.95, 0.2, 0.1], [0.9, 0.1]),
    "2 x 3": rankone.rank_one([0.1, 0.9], [0.3, 0.95, 0.2]),
    "one arm": rankone.rank_one([0.4], [0.7]),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_while_there_is_a_choice(name):
    """To the bit: both draw the same partners until a single cell is left."""
    fast, plain = (
        rankone.simulate(
            "rank1elim_doubling", INSTANCES[name], 1500, 5, exact=exact, checkpoints=[256, 1500]
        )
        for exact in ("fast", "plain")
    )
    np.testing.assert_array_equal(fast.regret, plain.regret)
    np.testing.assert_array_equal(fast.pulls, plain.pulls)


@pytest.mark.parametrize("name", ["3 x 2", "2 x 3"])
def test_the_law_is_that_of_the_plain_version(name):
    """Beyond 2^16 rounds, where it has committed and begun anew."""
    assert_same_law("rank1elim_doubling", INSTANCES[name], 80_000, 480, visible=0.05)


def test_it_begins_anew_at_its_horizons():
    """No regret at the end of the window that 2^16 ends, and some right after it."""
    instance = rankone.rank_one([0.95, 0.2], [0.9, 0.1])
    checkpoints = [60_000, 65_536, 65_636, 10**9]
    runs = rankone.simulate("rank1elim_doubling", instance, 10**9, 20, checkpoints=checkpoints)
    assert (runs.regret[:, 1] == runs.regret[:, 0]).all()
    assert (runs.regret[:, 2] > runs.regret[:, 1] + 20).all()


def test_it_knows_no_horizon():
    instance = rankone.rank_one([0.95, 0.2], [0.9, 0.1])
    seen = [
        rankone.simulate(
            "rank1elim_doubling",
            instance,
            horizon,
            400,
            chance.seed(horizon),
            checkpoints=[200, horizon],
        )
        for horizon in (1000, 100_000)
    ]
    chance.assert_same_law(*(runs.regret[:, 0] for runs in seen))


def test_it_refuses_what_is_no_matrix():
    for instance in (LINE, TENSOR):
        with pytest.raises(ValueError, match="eliminates rows and columns"):
            rankone.simulate("rank1elim_doubling", instance, 100)
