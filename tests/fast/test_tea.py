"""TEA commits to a single active arm until an atom comes back."""

import math

import pytest
from helpers.versions import LINE, MATRIX, TENSOR, assert_same_arms, assert_same_law

import rankone
from rankone.fast import tea as fast

INSTANCES = {
    "3 x 2": MATRIX,
    "2 x 5": rankone.rank_one([0.9, 0.6], [0.9, 0.5, 0.4, 0.3, 0.3]),
    "tensor": TENSOR,
    "four factors": rankone.tensor([0.95, 0.5], [0.9, 0.5], [0.9, 0.5], [0.3, 0.9]),
    "one factor": rankone.tensor([0.9, 0.5, 0.4]),
    "one row": rankone.rank_one([0.9], [0.3, 0.6, 0.5]),
    "one arm": rankone.rank_one([0.4], [0.7]),
}


@pytest.mark.parametrize("constant", [0.02, 0.5, 12])
@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_as_the_plain_version(name, constant):
    """Atoms are set aside and come back many times with a small constant."""
    assert_same_arms("tea", INSTANCES[name], 6000, constant=constant)


def test_most_rounds_are_not_decided():
    assert assert_same_arms("tea", MATRIX, 60_000, constant=0.5) > 0.9


@pytest.mark.parametrize("name", ["3 x 2", "2 x 5", "tensor", "four factors"])
def test_the_law_is_that_of_the_plain_version(name):
    assert_same_law("tea", INSTANCES[name], 3000, 3600, visible=0.08, constant=0.5)


def test_a_commitment_ends_where_the_level_is_reached():
    state = fast.start(MATRIX.problem(10**9), fast.configure(MATRIX.problem(10**9)))
    for t in (1, 50, 10**6):
        for height in (30.0, 150.0, 300.0):
            rounds = fast.rounds_below(state, 0, t, height, 10**9 - t)
            assert rounds == 0 or fast.level(state, 0, t + rounds - 1) < height
            assert rounds == 10**9 - t or fast.level(state, 0, t + rounds) >= height
    assert fast.rounds_below(state, 0, 5, math.inf, 77) == 77
    levels = [fast.level(state, 0, t) for t in range(20, 60)]
    for most in range(1, 40):
        for height in (levels[0], levels[12], levels[13], levels[38], levels[39], 1e3):
            below = sum(level < height for level in levels[:most])
            assert fast.rounds_below(state, 0, 20, height, most) == below


def test_it_refuses_what_has_no_factors():
    with pytest.raises(ValueError, match="atoms of factors"):
        rankone.simulate("tea", LINE, 100)
    with pytest.raises(ValueError, match="constant is 0; allowed: a number above 0"):
        rankone.simulate("tea", MATRIX, 100, constant=0)
