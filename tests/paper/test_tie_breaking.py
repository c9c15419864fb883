"""Ties by first index: they favour an arm that is first, ties at random favour none."""

import numpy as np
import pytest

from rankone.instances import graph, rank_one
from rankone.paper import tie_breaking


def test_turning_a_matrix_puts_the_best_arm_last() -> None:
    instance = rank_one([0.75, 0.25], [0.6, 0.3, 0.1])
    turned = tie_breaking._turned(instance)
    assert turned.best == 5
    assert np.array_equal(tie_breaking._turned(turned).means, instance.means)
    with pytest.raises(ValueError, match="is a graph; allowed: a matrix"):
        tie_breaking._turned(graph([0.1, 0.9], [(0, 1)]))


def test_first_index_favours_an_arm_that_is_first() -> None:
    side = [0.75, 0.25, 0.25, 0.25]
    table = tie_breaking.tie_breaking(rank_one(side, side), 1, horizon=300, runs=400)
    means = table.set_index(["best_arm", "ties", "warm_up"])["mean"]
    assert means["first", "first index", False] < means["last", "first index", False] - 8
    same = means["first", "random", False] - means["last", "random", False]
    assert abs(same) < 3
