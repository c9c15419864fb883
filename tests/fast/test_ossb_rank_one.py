"""OSSB's rank-one form: the arms and the law of the plain version, and what its guard rests on."""

import numpy as np
import pytest
from helpers.versions import LINE, MATRIX, assert_same_arms, assert_same_law

import rankone
from rankone.engine.kl import kl
from rankone.fast import ossb_rank_one as fast
from rankone.policies import ossb_rank_one as plain

INSTANCES = {
    "3 x 2": MATRIX,
    "2 x 5": rankone.rank_one([0.9, 0.6], [0.9, 0.5, 0.4, 0.3, 0.3]),
    "one row": rankone.rank_one([0.9], [0.3, 0.6, 0.5]),
    "a sure arm": rankone.rank_one([1.0, 0.9], [1.0, 0.4, 0.3]),
    "close": rankone.rank_one([0.52, 0.5, 0.5], [0.52, 0.5]),
    "rare": rankone.rank_one([0.1, 0.05], [0.1, 0.02, 0.0]),
}


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("parameters", [{}, {"g": 0.3, "eps": 0.05}, {"settle": False}], ids=str)
def test_the_same_arms_as_the_plain_version(name, parameters):
    assert_same_arms("ossb_rank_one", INSTANCES[name], **parameters)


def test_most_rounds_are_not_decided():
    assert assert_same_arms("ossb_rank_one", MATRIX, 60_000) > 0.9


@pytest.mark.parametrize("name", ["3 x 2", "2 x 5"])
def test_the_law_is_that_of_the_plain_version(name):
    assert_same_law("ossb_rank_one", INSTANCES[name], runs=4800, visible=0.08)


def test_evidence_is_certain_at_every_larger_mean():
    """On a grid of means of the leader, for random counts of a competitor and its row."""
    rng = np.random.default_rng(4)
    grid = np.linspace(0.001, 1.0, 400)
    rising = 0
    for _ in range(300):
        pulls = int(10 ** rng.uniform(0, 4))
        wins = int(rng.binomial(pulls, rng.random()))
        squares = float(pulls * 10 ** rng.uniform(-3, 2))
        products = squares * rng.random() * rng.choice([0.0, 0.1, 1.0, 2.0])
        shares = np.array([plain.share(pulls, wins, products, squares, x) for x in grid])
        rising += shares.argmax() > 0
        evidence = [
            pulls * kl(rho * x, x) if rho < 1 else 0.0 for rho, x in zip(shares, grid, strict=True)
        ]
        for place in range(0, 400, 20):
            certain = fast.certain(pulls, wins, products, squares, grid[place])
            assert certain <= min(evidence[place:]) * (1 + 1e-9) + pulls * 1e-15
            assert fast.largest_share(pulls, wins, products, squares, grid[place]) >= (
                shares[place:].max() * (1 - 1e-12)
            )
    assert rising > 30, "rho fell all the way in nearly all cases"


def test_the_fit_is_near_the_weighted_least_squares():
    """One step from the leader's cross, against alternating least squares to convergence."""
    truth = np.outer([0.9, 0.5, 0.4], [0.8, 0.5, 0.3, 0.2])
    rng = np.random.default_rng(5)
    pulls = np.full((3, 4), 4)
    pulls[0], pulls[:, 0] = 60, 60
    pulls[0, 0] = 10_000
    wins = rng.binomial(pulls, truth)
    means = wins / pulls
    u, v = means[:, 0].copy(), means[0] / means[0, 0]
    for _ in range(2000):
        u = (wins * v).sum(1) / (pulls * v**2).sum(1)
        v = (wins * u[:, None]).sum(0) / (pulls * u[:, None] ** 2).sum(0)
    nearest = np.outer(u, v)
    state = plain.start(rankone.rank_one([0.9, 0.5, 0.4], [0.8, 0.5, 0.3, 0.2]).problem(100), ())
    for k, (n, w) in enumerate(zip(pulls.ravel(), wins.ravel(), strict=True)):
        plain.observe(state, k, n, w)
    for k in (1, 2, 3, 4, 8):
        ours = means[0, 0] * plain.share(
            pulls.ravel()[k], wins.ravel()[k], *plain.fit(state, 0, k), means[0, 0]
        )
        assert ours == pytest.approx(nearest.ravel()[k], abs=0.01)


def test_it_refuses_what_is_no_matrix():
    with pytest.raises(ValueError, match="fits a rank-one matrix"):
        rankone.simulate("ossb_rank_one", LINE, 100)
    with pytest.raises(ValueError, match="fits a rank-one matrix"):
        rankone.simulate("ossb_rank_one", rankone.tensor([0.9, 0.5], [0.9, 0.5], [0.9, 0.5]), 100)
