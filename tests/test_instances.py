"""Instances: means, closed neighbourhoods, and one sentence for each mistake."""

import itertools
import math

import numpy as np
import pytest

import rankone
from rankone import theory
from rankone.instances import why_not_unimodal


def test_rank_one_is_the_outer_product_row_by_row():
    instance = rankone.rank_one(u=[0.75, 0.25, 0.5], v=[0.6, 0.3])
    assert instance.shape == (3, 2)
    assert instance.arms == 6
    assert instance.means.dtype == np.float64
    for i, u in enumerate([0.75, 0.25, 0.5]):
        for j, v in enumerate([0.6, 0.3]):
            assert instance.means[i * 2 + j] == u * v
    assert instance.best == 0
    np.testing.assert_array_equal(instance.gaps, instance.means[0] - instance.means)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (4, 1), (2, 3), (4, 4), (7, 5)])
def test_neighbours_share_a_row_or_a_column(rows, columns):
    rng = np.random.default_rng(rows)
    instance = rankone.rank_one(rng.random(rows), rng.random(columns))
    assert instance.starts.dtype == instance.neighbours.dtype == np.int64
    for arm in range(rows * columns):
        i, j = divmod(arm, columns)
        expected = [
            k for k in range(rows * columns) if k // columns == i or k % columns == j
        ]  # ascending, the arm itself included
        assert instance.neighbourhood(arm).tolist() == expected


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4), (1, 3, 2), (2, 2, 2, 3)])
def test_neighbours_in_a_tensor_differ_in_one_coordinate(shape):
    rng = np.random.default_rng(1)
    factors = [rng.random(size) for size in shape]
    instance = rankone.tensor(*factors)
    assert instance.shape == shape
    places = list(itertools.product(*(range(size) for size in shape)))
    for arm, place in enumerate(places):
        mean = math.prod(factor[i] for factor, i in zip(factors, place, strict=True))
        assert instance.means[arm] == pytest.approx(mean, rel=1e-15)
        near = [
            k
            for k, other in enumerate(places)
            if sum(i != j for i, j in zip(place, other, strict=True)) <= 1
        ]
        assert instance.neighbourhood(arm).tolist() == near


def test_two_factors_are_the_matrix_that_they_always_were():
    u, v = [0.75, 0.25, 0.5], [0.6, 0.3]
    assert rankone.tensor(u, v).content == rankone.rank_one(u, v).content
    # its runs are seeded by this, so it must never change
    assert rankone.rank_one(u, v).digest.startswith("4b408596d5704001")


def test_only_a_matrix_has_rows_and_columns():
    cube = rankone.tensor([0.9, 0.2], [0.8, 0.3], [0.7, 0.4, 0.1])
    assert (cube.rows, cube.columns) == (0, 0)
    matrix = rankone.rank_one([0.9, 0.2, 0.1], [0.8, 0.3])
    assert (matrix.rows, matrix.columns) == (3, 2)


def test_graph_takes_edges_both_ways_and_once():
    instance = rankone.graph([0.1, 0.9, 0.4, 0.2], [(1, 0), (0, 1), (1, 2), (3, 2)])
    around = [instance.neighbourhood(k).tolist() for k in range(4)]
    assert around == [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]]
    assert instance.shape is None
    assert instance.best == 1


def test_a_graph_without_edges_is_possible_if_it_is_meant():
    instance = rankone.graph([0.1, 0.9], [], unimodal=False)
    assert [instance.neighbourhood(k).tolist() for k in range(2)] == [[0], [1]]


def test_matrix_on_the_same_graph():
    instance = rankone.matrix(np.array([[0.5, 0.2], [0.6, 0.9]]))
    assert instance.shape == (2, 2)
    assert instance.best == 3
    assert instance.neighbourhood(3).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rankone.rank_one([0.5, 1.5], [0.5]), ["u[1]", "1.5", "[0, 1]"]),
        (lambda: rankone.rank_one([0.5], [-0.1]), ["v[0]", "-0.1", "[0, 1]"]),
        (lambda: rankone.rank_one([math.nan], [0.5]), ["u[0]", "nan", "[0, 1]"]),
        (lambda: rankone.rank_one([], [0.5]), ["u is", "[]", "non-empty"]),
        (lambda: rankone.rank_one([[0.5]], [0.5]), ["u is", "numbers in [0, 1]"]),
        (lambda: rankone.rank_one([0.5, 0.5], [0.3]), ["arms 0, 1", "0.15", "one best arm"]),
        (lambda: rankone.rank_one([0.0], [0.5, 0.2]), ["arms 0, 1", "one best arm"]),
        (lambda: rankone.tensor(), ["no factor", "one vector"]),
        (lambda: rankone.tensor([0.5], [0.5], [2.0]), ["w[0]", "2", "[0, 1]"]),
        (lambda: rankone.tensor(*[[0.5]] * 4, [-1.0]), ["factors[4][0]", "-1", "[0, 1]"]),
        (lambda: rankone.matrix([0.5, 0.2]), ["(2,)", "rows and columns"]),
        (lambda: rankone.graph([0.5, 2.0], []), ["means[1]", "2", "[0, 1]"]),
        (lambda: rankone.graph([0.5, 0.5], []), ["arms 0, 1", "0.5", "one best arm"]),
        (lambda: rankone.graph([0.5, 0.6], [(0, 2)]), ["(0, 2)", "arm 2", "0 to 1"]),
        (lambda: rankone.graph([0.5, 0.6], [(-1, 0)]), ["(-1, 0)", "arm -1", "0 to 1"]),
        (lambda: rankone.graph([0.5, 0.6], [(0, 1, 0)]), ["(0, 1, 0)", "3 ends", "two"]),
        (lambda: rankone.graph([0.5, 0.6], [0, 1]), ["(0)", "1 ends", "two"]),
        (lambda: rankone.graph([0.5, 0.6], ["01"]), ["(01)", "1 ends", "two"]),
        (lambda: rankone.graph([0.5, 0.6], [(0, 1.0)]), ["(0, 1.0)", "1.0", "whole numbers"]),
        (lambda: rankone.graph([0.5, 0.6], [(0, True)]), ["True", "whole numbers"]),
        (lambda: rankone.graph([0.5, 0.6], [(1, 1)]), ["(1, 1)", "with itself"]),
        (lambda: rankone.graph(["a", 0.6], [(0, 1)]), ["means is ['a', 0.6]", "numbers"]),
        (lambda: rankone.matrix([[0.5, 0.2], [0.1]]), ["means is", "numbers"]),
        (lambda: rankone.matrix([[0.5, 1.2]]), ["means[1]", "1.2"]),
    ],
)
def test_a_mistake_is_one_sentence(make, words):
    with pytest.raises(ValueError, match=r"^[^\n]+\.$") as caught:
        make()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda **meant: rankone.graph([0.2, 0.9], [], **meant), ["no edges", "arm 0"]),
        (
            lambda **meant: rankone.graph([0.2, 0.9, 0.4, 0.3], [(0, 1), (2, 3)], **meant),
            ["not connected", "from arm 2 to the best arm 1"],
        ),
        (
            lambda **meant: rankone.graph([0.5, 0.1, 0.9], [(0, 1), (1, 2)], **meant),
            ["arm 0 of mean 0.5", "no increasing path", "arm 2, the best"],
        ),
        (  # a plateau has no strictly increasing path
            lambda **meant: rankone.graph([0.3, 0.3, 0.9], [(0, 1), (1, 2)], **meant),
            ["arm 0 of mean 0.3"],
        ),
        (
            lambda **meant: rankone.rank_one([0.5, 0.0], [0.5, 0.0], **meant),
            ["arm 3 = (1, 1) of mean 0", "arm 0 = (0, 0), the best"],
        ),
        (
            lambda **meant: rankone.matrix([[0.9, 0.1], [0.2, 0.8]], **meant),
            ["arm 3 = (1, 1) of mean 0.8"],
        ),
        (
            lambda **meant: rankone.tensor([0.5, 0.0], [0.5, 0.0], [0.5, 0.2], **meant),
            ["arm 6 = (1, 1, 0)"],
        ),
        (lambda **meant: rankone.rank_one([0.5, 0.5], [0.3], **meant), ["arms 0, 1 share"]),
    ],
)
def test_what_is_not_unimodal_is_refused_unless_it_is_meant(make, words):
    with pytest.raises(ValueError, match=r"^[^\n]+unimodal=False, if this is meant\.$") as caught:
        make()
    for word in words:
        assert word in str(caught.value)
    assert not make(unimodal=False).unimodal


@pytest.mark.parametrize("seed", range(30))
def test_unimodal_is_what_paths_say(seed):
    """Against a search for an increasing path from every arm, on graphs that may be anything."""
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(2, 9))
    pairs = [pair for pair in itertools.combinations(range(arms), 2) if rng.random() < 0.6]
    means = rng.permutation(arms) / arms if seed % 2 else rng.integers(0, 5, arms) / 5
    instance = rankone.graph(means, pairs, unimodal=False)
    paths = [theory.increasing_path(instance, arm) for arm in range(arms)]
    assert instance.unimodal == all(path is not None for path in paths)
    assert bool(why_not_unimodal(instance)) != instance.unimodal


def test_problem_holds_no_means():
    problem = rankone.rank_one([0.9, 0.1], [0.8, 0.3]).problem(100)
    assert (problem.arms, problem.rows, problem.columns, problem.horizon) == (4, 2, 2, 100)
    assert problem.shape == (2, 2)
    cube = rankone.tensor([0.9, 0.1], [0.8, 0.3], [0.5, 0.2, 0.1]).problem(100)
    assert (cube.arms, cube.rows, cube.columns, cube.shape) == (12, 0, 0, (2, 2, 3))
    assert rankone.graph([0.2, 0.9], [(0, 1)]).problem(100).shape == ()
    assert not any("mean" in field for field in problem._fields)


def test_short_words_for_an_instance():
    matrix = rankone.rank_one([0.75, 0.25, 0.25], [0.3, 0.6])
    line = rankone.graph([0.1, 0.5, 0.9], [(0, 1), (1, 2)])
    cube = rankone.tensor(*[[0.2, 0.9]] * 3)
    assert repr(matrix) == "<3 x 2 matrix of 6 arms, the best one (0, 1) with mean 0.45>"
    assert repr(line) == "<graph of 3 arms, the best one 2 with mean 0.9>"
    assert repr(cube) == "<2 x 2 x 2 product of 8 arms, the best one (1, 1, 1) with mean 0.729>"
    page = matrix._repr_html_()
    assert page.count("<tr>") == 3
    assert "<td>0.225</td><td><b>0.45</b></td>" in page
    large = rankone.rank_one([0.75, *[0.25] * 15], [0.75, 0.25])
    assert "<table>" not in large._repr_html_() + line._repr_html_()
