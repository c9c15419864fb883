"""Ties are broken uniformly, and a clear winner costs no draw."""

import numpy as np
from helpers import chance
from scipy import stats

from rankone.engine.argmax import best_of, uniform_index


def test_a_clear_winner_costs_no_draw():
    rng = np.random.default_rng(1)
    assert best_of(np.array([0.1, 0.9, 0.3]), rng) == 1
    assert rng.random() == np.random.default_rng(1).random()


def test_a_tie_costs_one_draw_and_is_uniform():
    rng = np.random.default_rng(chance.seed(2))
    values = np.array([0.5, 0.2, 0.5, 0.1, 0.5])
    seen = np.bincount([best_of(values, rng) for _ in range(3000)], minlength=5)
    assert seen[1] == seen[3] == 0
    chance.assert_likely(stats.chisquare(seen[[0, 2, 4]]).pvalue)
    other = np.random.default_rng(chance.seed(2))
    other.random(3000)
    assert rng.random() == other.random()


def test_uniform_index_covers_its_range():
    rng = np.random.default_rng(3)
    assert {uniform_index(4, rng) for _ in range(200)} == {0, 1, 2, 3}
