"""LSE commits to whole turns, and pulls the arms of the plain version."""

import numpy as np
import pytest
from helpers.versions import LINE, MATRIX, TENSOR, assert_same_arms, assert_same_law

import rankone
from rankone.policies import lse

LONG_LINE = rankone.graph(
    [0.9 - 0.05 * abs(k - 11) for k in range(17)], [(k, k + 1) for k in range(16)]
)


@pytest.mark.parametrize("parameters", [{}, {"slope": 0.5}, {"slope": 1, "samples": 0.3}], ids=str)
@pytest.mark.parametrize("line", [LINE, LONG_LINE], ids=["short", "long"])
def test_the_same_arms_as_the_plain_version(line, parameters):
    saved = assert_same_arms("lse", line, 20_000, **parameters)
    assert saved > 0.8 or parameters


def test_the_law_is_that_of_the_plain_version():
    assert_same_law("lse", LONG_LINE, 5000, slope=0.9, samples=1, visible=0.05)


def test_equal_means_are_never_told_apart():
    """Both inner points come to lie beside the best arm; turns grow, so a long run has few."""
    means = [0.9 - 0.1 * abs(k - 8) for k in range(17)]
    line = rankone.graph(means, [(k, k + 1) for k in range(16)])
    runs = rankone.simulate("lse", line, 10**12, 20)
    assert np.median(runs.pulls[:, 8]) == 0
    assert np.median(runs.pulls[:, [7, 9]].sum(axis=1)) > 0.99 * 10**12


@pytest.mark.parametrize(
    ("around", "order"),
    [
        ([[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]], [0, 1, 2, 3]),
        ([[0, 2, 3], [1, 3], [0, 2], [0, 1, 3]], [1, 3, 0, 2]),
        ([[0, 1, 3], [0, 1, 2], [1, 2, 3], [0, 2, 3]], []),  # a cycle
        ([[0, 1, 2, 3], [0, 1], [0, 2], [0, 3]], []),  # a star
        ([[0, 1], [0, 1], [2, 3], [2, 3]], []),  # two lines
        ([[0, 1], [0, 1], [2, 3, 4], [2, 3, 4], [2, 3, 4]], []),  # a line and a triangle
        ([[0]], [0]),
        ([[0], [1]], []),
    ],
)
def test_lines_are_told_from_other_graphs(around, order):
    starts = np.cumsum([0, *map(len, around)])
    assert lse.along_the_line(starts, np.concatenate(around)) == order


def test_it_refuses_what_is_no_line():
    for instance in (MATRIX, TENSOR):
        with pytest.raises(ValueError, match="searches along a line"):
            rankone.simulate("lse", instance, 100)
    for wrong in ({"slope": 0}, {"slope": 1.5}, {"samples": -1}, {"samples": "two"}):
        with pytest.raises(ValueError, match="allowed: a number above 0"):
            rankone.simulate("lse", LINE, 100, **wrong)
