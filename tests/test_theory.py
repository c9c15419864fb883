"""Lower bounds and unimodality, as the paper states them."""

import itertools
import math

import numpy as np
import pytest

import rankone
from rankone import theory


def paper(size):
    line = [0.75] + [0.25] * (size - 1)
    return rankone.rank_one(line, line)


@pytest.mark.parametrize(
    ("size", "rank_one", "lai_robbins"),
    [(4, 7.5763, 15.373), (8, 17.6780, 60.126), (16, 37.8814, 232.795)],
)
def test_constants_of_the_papers_instances(size, rank_one, lai_robbins):
    assert theory.unimodal_constant(paper(size)) == pytest.approx(rank_one, abs=5e-5)
    assert theory.lai_robbins_constant(paper(size)) == pytest.approx(lai_robbins, abs=5e-4)


def test_constants_by_hand():
    """Best arm 1/2; a neighbour of mean 1/4 costs 1/4 / kl(1/4, 1/2), one of mean 0 1/2 / ln 2."""
    quarter = 0.25 / (0.25 * math.log(0.5) + 0.75 * math.log(1.5))
    zero = 0.5 / math.log(2)
    line = rankone.line([0.25, 0.5, 0.0, 0.25], unimodal=False)
    assert theory.unimodal_constant(line) == pytest.approx(quarter + zero, rel=1e-12)
    assert theory.lai_robbins_constant(line) == pytest.approx(2 * quarter + zero, rel=1e-12)


def test_a_sure_win_costs_nothing_in_the_long_run():
    assert theory.unimodal_constant(rankone.rank_one([1.0, 0.5], [1.0, 0.2])) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_rank_one_with_u_or_v_positive_is_unimodal(seed):
    """The proposition: zeros on one side do no harm, and two steps always suffice."""
    rng = np.random.default_rng(seed)
    u, v = rng.random(4), rng.random(3)
    v[rng.random(3) < 0.4] = 0.0
    v[0] = 0.5
    for instance in (rankone.rank_one(u, v), rankone.rank_one(v, u)):
        assert theory.is_unimodal(instance)
        for arm in range(instance.arms):
            path = theory.increasing_path(instance, arm)
            assert path[0] == arm
            assert path[-1] == instance.best
            assert len(path) <= 3
            assert np.all(np.diff(instance.means[path]) > 0)
            for a, b in itertools.pairwise(path):
                assert b in instance.neighbourhood(a)


def test_zeros_on_both_sides_break_it():
    """Arm (1, 1) has mean 0 like all its neighbours: no path leads up from it."""
    instance = rankone.rank_one([0.5, 0.0], [0.5, 0.0], unimodal=False)
    assert not theory.is_unimodal(instance)
    assert theory.increasing_path(instance, 3) is None
    assert theory.increasing_path(instance, 1) == [1, 0]


def test_two_peaks_are_not_unimodal():
    valley = rankone.graph([0.5, 0.1, 0.9], [(0, 1), (1, 2)], unimodal=False)
    assert not theory.is_unimodal(valley)
    assert theory.increasing_path(valley, 0) is None
    assert theory.increasing_path(valley, 2) == [2]


def test_the_bounds_of_a_tensor_are_sums_over_one_coordinate():
    u, v, w = [0.9, 0.4], [0.8, 0.6, 0.1], [0.7, 0.5]
    best = 0.9 * 0.8 * 0.7
    near = [0.4 * 0.8 * 0.7, 0.9 * 0.6 * 0.7, 0.9 * 0.1 * 0.7, 0.9 * 0.8 * 0.5]
    every = [a * b * c for a, b, c in itertools.product(u, v, w)][1:]

    def cost(mean):
        kl = mean * math.log(mean / best) + (1 - mean) * math.log((1 - mean) / (1 - best))
        return (best - mean) / kl

    bound = rankone.tensor(u, v, w).lower_bound
    assert bound.unimodal == pytest.approx(sum(map(cost, near)), rel=1e-9)
    assert bound.lai_robbins == pytest.approx(sum(map(cost, every)), rel=1e-9)
    assert theory.constants(rankone.tensor(u, v, w)) == bound._asdict()


def test_with_two_best_arms_only_the_blind_bound_is_known():
    tied = rankone.graph([0.5, 0.5, 0.25], [(0, 1), (1, 2)], unimodal=False)
    quarter = 0.25 / (0.25 * math.log(0.5) + 0.75 * math.log(1.5))
    assert math.isnan(tied.lower_bound.unimodal)
    assert tied.lower_bound.lai_robbins == pytest.approx(quarter)
