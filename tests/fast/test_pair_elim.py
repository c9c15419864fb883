"""PairElim commits once a single cell is left, and pulls the arms of the plain version."""

import numpy as np
import pytest
from helpers.versions import LINE, TENSOR, assert_same_arms

import rankone
from rankone.fast import pair_elim

INSTANCES = {
    "4 x 4": rankone.rank_one([0.95, 0.25, 0.25, 0.25], [0.95, 0.25, 0.25, 0.25]),
    "2 x 3": rankone.rank_one([0.9, 0.3], [0.2, 0.9, 0.1]),
    "one row": rankone.rank_one([0.9], [0.2, 0.8]),
    "one arm": rankone.rank_one([0.9], [0.2]),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_as_the_plain_version(name):
    """To the bit: after the last elimination nothing depends on draws."""
    instance = INSTANCES[name]
    fast, plain = (
        rankone.simulate("pair_elim", instance, 30_000, 5, exact=exact)
        for exact in ("fast", "plain")
    )
    assert (fast.regret == plain.regret).all()
    assert (fast.pulls == plain.pulls).all()
    assert fast.pulls[:, instance.best].min() > 10_000


def test_it_refuses_what_is_no_matrix():
    for instance in (LINE, TENSOR):
        with pytest.raises(ValueError, match="eliminates rows and columns"):
            rankone.simulate("pair_elim", instance, 100)


def test_until_then_every_round_is_decided():
    close = rankone.rank_one([0.5, 0.49], [0.5, 0.49])
    assert assert_same_arms("pair_elim", close, 2000) == 0.0


def test_a_single_arm_has_a_line_to_count_on():
    """As Python, where a place outside of an array is an error."""
    problem = rankone.rank_one([0.4], [0.7]).problem(50)
    state = pair_elim.start(problem, pair_elim.configure(problem))
    found = pair_elim.decide(state, 0, np.random.default_rng(1))
    assert (found.arm, found.rounds) == (0, 50)
    pair_elim.observe(state, found.arm, found.rounds, 20)
