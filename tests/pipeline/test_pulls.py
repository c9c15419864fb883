"""Pulls by gap, and the digest of all runs."""

import numpy as np
import pytest

import rankone
from rankone.pipeline.pulls import of_cell

BANDIT = rankone.rank_one([0.8, 0.4, 0.4], [0.5, 0.5 / 2])


@pytest.fixture(scope="module")
def runs():
    return rankone.simulate("uts", BANDIT, 500, 9)


def test_arms_of_a_gap_are_taken_together(runs):
    rows = of_cell(BANDIT.gaps, [runs])
    assert [row["gap"] for row in rows] == [0.0, 0.2, 0.3]
    assert [row["arms"] for row in rows] == [1, 3, 2]
    assert sum(row["mean"] for row in rows) == pytest.approx(500)
    best = runs.pulls[:, 0]
    assert rows[0]["mean"] == best.mean()
    assert rows[0]["se"] == pytest.approx(best.std(ddof=1) / 3)


def test_the_digest_is_that_of_every_run_however_they_are_cut(runs):
    parts = [
        rankone.simulate("uts", BANDIT, 500, size, first_run=first)
        for first, size in ((0, 4), (4, 1), (5, 4))
    ]
    assert of_cell(BANDIT.gaps, parts) == of_cell(BANDIT.gaps, [runs])


@pytest.mark.parametrize("array", ["regret", "pulls"])
def test_one_bit_of_one_run_changes_the_digest(runs, array):
    before = of_cell(BANDIT.gaps, [runs])[0]["digest"]
    other = rankone.simulate("uts", BANDIT, 500, 9)
    values = getattr(other, array)
    values[8, 1] = np.nextafter(values[8, 1], 1e9) if array == "regret" else values[8, 1] + 1
    assert of_cell(BANDIT.gaps, [other])[0]["digest"] != before
