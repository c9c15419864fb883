"""The usual graphs: who is next to whom, and random means that are unimodal."""

import itertools

import numpy as np
import pytest

import rankone
from rankone import theory


def around(instance):
    """The open neighbourhoods."""
    return [[k for k in instance.neighbourhood(a) if k != a] for a in range(instance.arms)]


def test_a_line_and_a_cycle():
    means = [0.1, 0.5, 0.9, 0.3]
    assert around(rankone.line(means)) == [[1], [0, 2], [1, 3], [2]]
    assert around(rankone.cycle(means)) == [[1, 3], [0, 2], [1, 3], [0, 2]]
    assert rankone.line(means).shape is None
    edges = [(0, 1), (1, 2), (2, 3)]
    assert rankone.line(means).content == rankone.graph(means, edges).content


def test_a_complete_graph():
    assert around(rankone.complete([0.2, 0.7, 0.4])) == [[1, 2], [0, 2], [0, 1]]
    # it tells nothing: both bounds are the same
    bound = rankone.complete([0.2, 0.7, 0.4]).lower_bound
    assert bound.unimodal == bound.lai_robbins


def test_a_tree_by_levels_or_by_parents():
    means = [0.9, 0.5, 0.6, 0.1, 0.2, 0.3]
    binary = rankone.tree(means)
    assert around(binary) == [[1, 2], [0, 3, 4], [0, 5], [1], [1], [2]]
    assert around(rankone.tree(means, branching=5))[0] == [1, 2, 3, 4, 5]
    assert rankone.tree(means, [0, 0, 1, 1, 2]).content == binary.content


@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (2, 3, 2)])
def test_a_grid_steps_by_one(shape):
    places = list(itertools.product(*(range(size) for size in shape)))
    means = np.array([0.9 - 0.1 * sum(place) for place in places]).reshape(shape)
    instance = rankone.grid(means.tolist())
    assert instance.means.tolist() == means.ravel().tolist()
    for arm, place in enumerate(places):
        near = [
            k
            for k, other in enumerate(places)
            if sum(abs(i - j) for i, j in zip(place, other, strict=True)) == 1
        ]
        assert around(instance)[arm] == near
    assert instance.shape is None  # its rows are in an order, those of a product are not


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_are_connected_unimodal_and_repeatable(seed):
    arms = 2 + seed
    for edges in {arms - 1, min(2 * arms, arms * (arms - 1) // 2), arms * (arms - 1) // 2}:
        one = rankone.random_graph(arms, edges, seed, low=0.2, high=0.7)
        assert len(one.neighbours) == arms + 2 * edges
        assert all(theory.increasing_path(one, arm) for arm in range(arms))
        assert 0.2 <= one.means.min() <= one.means.max() <= 0.7
        assert one.content == rankone.random_graph(arms, edges, seed, low=0.2, high=0.7).content
        assert one.content != rankone.random_graph(arms, edges, seed + 1).content
    tree = rankone.random_tree(arms, seed)
    assert tree.content == rankone.random_graph(arms, arms - 1, seed).content


def test_the_best_arm_of_a_random_tree_is_anywhere():
    best = [rankone.random_tree(4, seed).best for seed in range(200)]
    assert np.bincount(best).min() > 25


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rankone.cycle([0.1, 0.2]), ["cycle of 2", "at least 3"]),
        (lambda: rankone.tree([0.9, 0.2], branching=0), ["branching is 0"]),
        (lambda: rankone.tree([0.9, 0.2], [0, 0]), ["parents are [0, 0]", "2 arms"]),
        (lambda: rankone.tree([0.9, 0.2, 0.1], [0, 3]), ["(3, 2)", "arm 3", "0 to 2"]),
        (lambda: rankone.tree([0.9, 0.2, 0.1], [0, 2]), ["(2, 2)", "itself"]),
        (lambda: rankone.line([0.9, 0.2, 0.5]), ["arm 2", "0.5", "no increasing path"]),
        (lambda: rankone.grid([[0.9, 0.2], [0.5]]), ["means is", "numbers in [0, 1]"]),
        (lambda: rankone.random_tree(0, 1), ["arms is 0"]),
        (lambda: rankone.random_graph(4, 7, 1), ["edges is 7", "3 to 6"]),
        (lambda: rankone.random_graph(4, 4, -1), ["seed is -1"]),
        (lambda: rankone.random_tree(4, 1, low=0.5, high=0.5), ["low and high", "0.5"]),
    ],
)
def test_a_mistake_is_one_sentence(make, words):
    with pytest.raises(ValueError, match=r"^[^\n]+\.$") as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_means_that_are_meant():
    assert not rankone.line([0.9, 0.2, 0.5], unimodal=False).unimodal
    for shape in (rankone.cycle, rankone.complete, rankone.tree):
        assert len(shape([0.5, 0.5, 0.1], unimodal=False).best_arms) == 2
