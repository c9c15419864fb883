"""The tournament tree against a look at all the values."""

import numpy as np
import pytest

from rankone.engine.argmax import best_of
from rankone.fast.tournament import champion, fill, room, second, top, tournament, update, value


@pytest.mark.parametrize("n", [1, 2, 3, 8, 21])
def test_follows_every_change(n):
    rng = np.random.default_rng(n)
    values = rng.integers(0, 4, n) / 4.0  # few levels, so that ties abound
    tree = tournament(values)
    for _ in range(300):
        position = rng.integers(n)
        values[position] = rng.integers(0, 4) / 4.0
        update(tree, position, values[position])
        others = np.delete(values, position)
        assert top(tree) == values.max()
        assert value(tree, position) == values[position]
        assert second(tree, position) == (others.max() if n > 1 else -np.inf)


@pytest.mark.parametrize("n", [1, 2, 5, 16, 21])
def test_breaks_ties_by_the_same_draws_as_best_of(n):
    rng = np.random.default_rng(n)
    for _ in range(200):
        values = rng.integers(0, 3, n) / 2.0
        here, there = np.random.default_rng(7), np.random.default_rng(7)
        assert champion(tournament(values), here) == best_of(values, there)
        assert here.random() == there.random()  # neither has drawn more than the other


def test_refilled_with_fewer_values_forgets_the_others():
    tree = room(9)
    fill(tree, np.arange(9.0))
    fill(tree, np.array([2.0, 1.0, 2.0]))
    rng = np.random.default_rng(1)
    assert top(tree) == 2.0
    assert {champion(tree, rng) for _ in range(50)} == {0, 2}
