"""Guarded blocks have the law of rounds played one by one."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import chance
from scipy import stats

from rankone.engine.binomial import TABLES, new_tables
from rankone.engine.blocks import (
    LOG_RISK,
    calm_block,
    few_wins,
    pull,
    safe_block,
    safe_slack,
    until_loss,
)
from rankone.engine.compiled import entry
from rankone.engine.loop import Commitment
from rankone.engine.memory import as_argument

# mean, floor, slope, rounds: from the guard's foot, far above it, drifting to it, away from it
WALKS = [
    (0.56, -0.1, 0.55, 400),
    (0.56, -3.0, 0.57, 3_000),
    (0.56, -30.0, 0.6, 5_000),
    (0.56, -150.0, 0.58, 100_000),
    (0.56, -20.0, 0.54, 20_000),
    (0.03, -2.0, 0.04, 2_000),
    (0.97, -5.0, 0.975, 5_000),
    (0.97, -0.3, 0.99, 5_000),
    (0.995, -0.05, 1.0, 1_000),
    (0.95, -3.0, 1.02, 500),
    (0.995, -120.0, 0.996, 200_000),  # by calm blocks, towards the guard
    (0.999, -60.0, 0.9988, 300_000),  # and away from it
    (0.5, -12.0, 0.01, 4_000),
]


def walks(*walk):
    return guarded_walks(as_argument(new_tables()), *walk)


@entry
def guarded_walks(tables, mean, floor, slope, rounds, runs, rng):
    means = np.array([mean])
    seen = np.empty((runs, 2), np.int64)
    for i in range(runs):
        seen[i] = pull(means, tables, Commitment(0, rounds, floor, slope), rounds, rng)
    return seen


@entry
def walks_round_by_round(mean, floor, slope, rounds, runs, rng):
    seen = np.empty((runs, 2), np.int64)
    for i in range(runs):
        played, wins = 0, 0
        while played < rounds and wins >= floor + slope * played:
            played += 1
            wins += rng.random() < mean
        seen[i] = played, wins
    return seen


def p_values(one, other):
    """Of the rounds played, of the wins, and of whether the guard was broken."""
    last = max(one[:, 0].max(), other[:, 0].max())
    ended = [int((walk[:, 0] < last).sum()) for walk in (one, other)]
    table = [[ended[0], len(one) - ended[0]], [ended[1], len(other) - ended[1]]]
    yield 1.0 if 0 in np.sum(table, axis=0) else stats.chi2_contingency(table).pvalue
    for column in (0, 1):
        yield stats.ks_2samp(one[:, column], other[:, column], method="asymp").pvalue


@pytest.mark.parametrize("walk", WALKS)
def test_guarded_walk_has_the_law_of_single_rounds(walk):
    ours = walks(*walk, 4_000, np.random.default_rng(chance.seed(11)))
    theirs = walks_round_by_round(*walk, 4_000, np.random.default_rng(chance.seed(12)))
    chance.assert_likely(list(p_values(ours, theirs)))
    # wins and rounds together: how far below the guard a broken walk ends up
    _, floor, slope, rounds = walk
    for seen in (ours, theirs):
        beyond = seen[:, 1] - floor - slope * seen[:, 0]
        assert np.all(beyond[seen[:, 0] < rounds] < 0)
        assert np.all(beyond >= -slope - 1e-9)


@entry
def runs_until_loss(mean, rounds, runs, rng):
    seen = np.empty((runs, 2), np.int64)
    for i in range(runs):
        seen[i] = until_loss(mean, rounds, rng)
    return seen


def test_wins_before_a_loss_are_geometric():
    runs, mean = 100_000, 0.92
    seen = runs_until_loss(mean, 10, runs, np.random.default_rng(chance.seed(9)))
    lost = seen[seen[:, 1] < seen[:, 0]]
    assert np.all(lost[:, 0] == lost[:, 1] + 1)
    assert seen[:, 0].max() == 10
    counts = np.bincount(lost[:, 1], minlength=11)[:10]
    expected = runs * mean ** np.arange(10) * (1 - mean)
    unbroken = runs * mean**10
    surprise = np.sum((counts - expected) ** 2 / expected)
    surprise += (runs - len(lost) - unbroken) ** 2 / unbroken
    chance.assert_likely(stats.chi2.sf(surprise, 10))


@pytest.mark.parametrize(
    ("floor", "slope", "rounds", "broken"),
    [(-1.05, 0.1, 20, 11), (-0.05, 0.1, 10, 1), (-0.95, 0.1, 3000, 10), (-2.05, 0.1, 20, 20)],
)
def test_an_arm_that_only_loses_breaks_the_guard_when_it_is_due(floor, slope, rounds, broken):
    """Also where the guard never gets above a single win."""
    commitment = Commitment(0, rounds, floor, slope)
    seen = pull(np.array([0.0]), new_tables(), commitment, rounds, np.random.default_rng(1))
    assert seen == (broken, 0)


@pytest.mark.parametrize("floor", [-math.inf, -5.0, 0.0])
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_a_flat_guard_is_never_broken(floor, mean):
    """There is no slope to divide by; such are all commitments without a guard."""
    commitment = Commitment(0, 1000, floor, 0.0)
    seen = pull(np.array([mean]), new_tables(), commitment, 1000, np.random.default_rng(1))
    assert seen == (1000, 1000 * mean)


def test_a_guard_that_rises_by_more_than_a_win_is_broken_when_it_is_due():
    """Sixty wins in a row do not keep up with a slope of 3: after 15 rounds 45 would be needed."""
    commitment = Commitment(0, 60, -30.0, 3.0)
    seen = pull(np.array([1.0]), new_tables(), commitment, 60, np.random.default_rng(1))
    assert seen == (16, 16)


def test_a_round_is_won_below_the_mean_only():
    """So an arm of mean 0 never wins, not even when a uniform draw is 0."""
    assert few_wins(8, 0.0, SimpleNamespace(random=lambda: 0.0)) == 0
    assert few_wins(8, 0.25, SimpleNamespace(random=lambda: 0.25)) == 0
    assert few_wins(8, 0.25, SimpleNamespace(random=lambda: 0.2499)) == 8


@pytest.mark.parametrize(("drawn", "seen"), [(0.8749, (3, 2)), (0.875, (3, 3)), (0.8751, (3, 3))])
def test_a_loss_after_the_last_round_is_none(drawn, seen):
    """With a mean of a half, 1 - 2^-3 is the draw of exactly three wins before a loss."""
    assert until_loss(0.5, 3, SimpleNamespace(random=lambda: drawn)) == seen


@pytest.mark.parametrize("floor", [-1e-9, -1.29, -5.0])
@pytest.mark.parametrize("slope", [1.0 - 1e-12, 1.0 - 1e-9, 1.0])
def test_a_sure_arm_is_pulled_to_the_end_at_once(floor, slope):
    rounds = 10**12
    commitment = Commitment(0, rounds, floor, slope)
    seen = pull(np.array([1.0]), new_tables(), commitment, rounds, np.random.default_rng(1))
    assert seen == (rounds, rounds)


def test_a_walk_that_looks_too_late_is_told_apart():
    mean, floor, slope, rounds = WALKS[1]
    late = walks(mean, floor - 0.5, slope, rounds, 4_000, np.random.default_rng(11))
    theirs = walks_round_by_round(mean, floor, slope, rounds, 4_000, np.random.default_rng(12))
    assert min(p_values(late, theirs)) < chance.LEVEL


def chance_of_a_dip(mean, slack, slope, rounds):
    """P(the walk gets below its guard), exactly: the distribution of the wins, round by round."""
    chances, dipped = np.array([1.0]), 0.0
    for played in range(1, rounds + 1):
        grown = np.zeros(played + 1)
        grown[1:] += chances * mean
        grown[:-1] += chances * (1 - mean)
        below = np.arange(played + 1) < slope * played - slack
        dipped += grown[below].sum()
        grown[below] = 0.0
        chances = grown
    return dipped


@pytest.mark.parametrize("mean", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("drift", [-0.2, -0.01, 0.0, 0.02])
@pytest.mark.parametrize("slack", [30.0, 80.0])
def test_skipped_rounds_are_safe(mean, drift, slack):
    slope = mean - drift
    block = int(min(safe_block(slack, drift), 1_500))
    assert chance_of_a_dip(mean, slack, slope, block) <= math.exp(-LOG_RISK)
    for i in range(TABLES - 2):
        rounds = 1 << i
        need = safe_slack(rounds, slope, drift)
        assert chance_of_a_dip(mean, need, slope, rounds) <= math.exp(-LOG_RISK)


@pytest.mark.parametrize("mean", [0.91, 0.99, 0.9995])
@pytest.mark.parametrize("drift", [-0.01, -0.0003, 0.0, 0.0002])
@pytest.mark.parametrize("slack", [27.0, 50.0, 90.0])
def test_calm_blocks_are_safe(mean, drift, slack):
    block = int(min(calm_block(slack, mean, drift), 2_000))
    assert block > 0 or slack < 60.0
    assert chance_of_a_dip(mean, slack, mean - drift, block) <= math.exp(-LOG_RISK)


def test_a_calm_block_three_times_as_long_would_not_be_safe():
    block = calm_block(60.0, 0.91, 0.0)
    assert 0 < block < 1000
    assert chance_of_a_dip(0.91, 60.0, 0.91, int(3 * block)) > math.exp(-LOG_RISK)


def test_an_arm_that_hardly_loses_is_pulled_by_blocks():
    """10^15 rounds with 10^9 losses, of which not one is drawn apart while it is far from them."""
    drawn = []

    class Counting:
        def __init__(self):
            self.rng = np.random.default_rng(1)

        def __getattr__(self, name):
            drawn.append(name)
            return getattr(self.rng, name)

    mean, rounds = 1.0 - 1e-6, 10**15
    slope = mean - 2.0 * math.sqrt(1e-6 / rounds)
    commitment = Commitment(0, rounds, -2.0 * math.sqrt(1e-6 * rounds), slope)
    played, wins = pull(np.array([mean]), new_tables(), commitment, rounds, Counting())
    assert played > 10**13
    assert wins <= played
    assert len(drawn) < 2000


def test_a_bound_that_is_a_third_too_large_would_not_be_safe():
    # the inequality is not so generous that an error in it could hide
    block = safe_block(40.0, 0.0)
    assert chance_of_a_dip(0.5, 40.0, 0.5, int(block / 0.75)) > math.exp(-LOG_RISK)
