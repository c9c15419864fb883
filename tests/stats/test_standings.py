"""Standings by hand: ranks, ratios, wins and differences."""

import numpy as np
import pytest
from helpers.league import CASES
from scipy import stats

from rankone.stats import standings


def group(name, policy):
    found = standings.by_group(CASES, 0.95).set_index(["group", "policy"])
    return found.loc[(name, policy)]


def test_ratios_and_ranks_are_to_the_best_of_each_group():
    assert group("square", "good")["ratio"] == 1.0
    assert group("square", "few")["ratio"] == 4.0
    assert group("square", "few")["rank"] == 3.0
    assert group("line", "good")["ratio"] == 2.0
    assert not group("line", "few")["plays"]
    assert group("square", "good")["share"] == 2.0


def test_differences_between_independent_runs_are_welchs():
    found = group("square", "fair")
    reach = stats.t.ppf(0.975, 18) * np.sqrt(2.0)
    assert found["behind"] == 10.0
    assert found["behind_high"] == pytest.approx(10.0 + reach)
    best = group("square", "good")
    assert best["behind"] == best["behind_low"] == best["behind_high"] == 0.0


def test_differences_on_the_random_matrices_are_paired():
    found, pairs = group("random", "fair"), np.array([2.0, 2.0, -1.0])
    reach = stats.t.ppf(0.975, 2) * pairs.std(ddof=1) / np.sqrt(3)
    assert found["behind"] == pytest.approx(1.0)
    assert found["behind_low"] == pytest.approx(1.0 - reach)


def test_the_overall_order_and_the_shares_won():
    found = standings.overall(CASES, 0.95).set_index("policy")
    assert list(found.index) == ["good", "fair", "few"]
    assert found["rank"].tolist() == pytest.approx([4 / 3, 5 / 3, 3.0])
    assert found["won"].tolist() == pytest.approx([2 / 3, 1 / 3, 0.0])
    assert found["groups"].tolist() == [3, 3, 2]
    assert found.loc["good", "factor"] == pytest.approx(2 ** (1 / 3))
    interval = stats.binomtest(2, 3).proportion_ci(0.95)
    assert found.loc["good", "won_high"] == pytest.approx(interval.high)


def test_without_random_matrices_nothing_is_won():
    found = standings.overall(CASES[CASES["group"] != "random"], 0.95)
    assert found["won"].isna().all()
