"""Experiments on many instances: which they are, and what is said about each."""

from typing import Any

import numpy as np
import pytest

from rankone.instances import graph, rank_one
from rankone.paper import ensembles

UCB1 = {"name": "u", "label": "U", "policy": "ucb1", "parameters": {}}
SHORT: dict[str, Any] = {"horizon": 200, "runs": 5}


def test_random_matrices_are_the_same_for_the_same_seed() -> None:
    one, two = (ensembles._random_vectors(1, 3, [4, 3], [[1, 1], [5, 2]]) for _ in range(2))
    assert [case.group for case in one] == ["Beta(1, 1)"] * 3 + ["Beta(5, 2)"] * 3
    for left, right in zip(one, two, strict=True):
        assert np.array_equal(left.instance.means, right.instance.means)
    assert one[0].instance.shape == (4, 3)
    assert not np.array_equal(one[0].instance.means, one[1].instance.means)


def test_no_noise_is_the_matrix_itself_and_more_noise_goes_the_same_way() -> None:
    bandit = rank_one([0.75, 0.25], [0.75, 0.25])
    still, *moved = ensembles._perturbed(bandit, 1, 2, [0, 0.01, 0.02])
    means = bandit.means
    assert np.array_equal(still.instance.means, means)
    assert moved[2].instance.means - means == pytest.approx(2 * (moved[0].instance.means - means))
    assert np.abs(moved[3].instance.means - means).max() <= 0.02


def test_a_graph_is_not_perturbed() -> None:
    with pytest.raises(ValueError, match="is a graph; allowed: a matrix"):
        ensembles._perturbed(graph([0.1, 0.9], [(0, 1)]), 1, 2, [0.1])


def test_zeros_come_in_both_vectors() -> None:
    cases = ensembles._zeros(0.75, 0.25, 3, 2)
    assert [case.group for case in cases] == ["0", "1", "2"]
    assert [int((case.instance.means == 0).sum()) for case in cases] == [0, 5, 8]


def test_a_policy_on_all_cases() -> None:
    table = ensembles.zeros(UCB1, 1, first=0.75, rest=0.25, size=2, most=1, **SHORT)
    assert table["unimodal"].tolist() == [True, False]
    assert table["policy"].tolist() == ["u", "u"]
    assert (table["mean"] > 0).all()
    assert table["share"].iloc[0] == pytest.approx(
        table["mean"].iloc[0] / (2 * 0.375 / 0.2969796 * np.log(200)), rel=1e-5
    )


def test_all_kinds_give_the_same_columns() -> None:
    vectors = {"matrices": 2, "sides": [2, 3], "shapes": [[1, 1]]}
    tables = [
        ensembles.random_vectors(UCB1, 1, **vectors, **SHORT),
        ensembles.perturbed(
            UCB1, rank_one([0.75, 0.25], [0.6, 0.3]), 1, matrices=2, noises=[0.0, 0.1], **SHORT
        ),
        ensembles.zeros(UCB1, 1, first=0.75, rest=0.25, size=2, most=0, **SHORT),
    ]
    assert [len(table) for table in tables] == [2, 3, 1]
    assert all(list(table) == list(tables[0]) for table in tables)
