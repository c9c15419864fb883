"""The engine: guarded walks have the law of a walk round by round, and play counts them right."""

import math

import numpy as np
import pytest
from scipy import stats

from rankone.engine.binomial import DICE, new_dice, throw
from rankone.engine.compiled import entry, kernel
from rankone.engine.loop import (
    LOG_RISK,
    Commitment,
    for_sure,
    once,
    play,
    pull,
    safe_block,
    safe_slack,
    until_loss,
)
from rankone.instances import graph

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
    (0.5, -12.0, 0.01, 4_000),
]


def walks(*walk):
    return guarded_walks(new_dice(), *walk)


@entry
def guarded_walks(dice, mean, floor, slope, rounds, runs, rng):
    means = np.array([mean])
    seen = np.empty((runs, 2), np.int64)
    for i in range(runs):
        seen[i] = pull(means, dice, Commitment(0, rounds, floor, slope), rounds, rng)
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
    ours = walks(*walk, 4_000, np.random.default_rng(11))
    theirs = walks_round_by_round(*walk, 4_000, np.random.default_rng(12))
    assert min(p_values(ours, theirs)) > 1e-4
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
    seen = runs_until_loss(mean, 10, runs, np.random.default_rng(9))
    lost = seen[seen[:, 1] < seen[:, 0]]
    assert np.all(lost[:, 0] == lost[:, 1] + 1)
    assert seen[:, 0].max() == 10
    counts = np.bincount(lost[:, 1], minlength=11)[:10]
    expected = runs * mean ** np.arange(10) * (1 - mean)
    unbroken = runs * mean**10
    surprise = np.sum((counts - expected) ** 2 / expected)
    surprise += (runs - len(lost) - unbroken) ** 2 / unbroken
    assert stats.chi2.sf(surprise, 10) > 1e-4


@pytest.mark.parametrize("floor", [-1e-9, -1.29, -5.0])
@pytest.mark.parametrize("slope", [1.0 - 1e-12, 1.0 - 1e-9, 1.0])
def test_a_sure_arm_is_pulled_to_the_end_at_once(floor, slope):
    rounds = 10**12
    commitment = Commitment(0, rounds, floor, slope)
    seen = pull(np.array([1.0]), new_dice(), commitment, rounds, np.random.default_rng(1))
    assert seen == (rounds, rounds)


def test_a_walk_that_looks_too_late_is_told_apart():
    mean, floor, slope, rounds = WALKS[1]
    late = walks(mean, floor - 0.5, slope, rounds, 4_000, np.random.default_rng(11))
    theirs = walks_round_by_round(mean, floor, slope, rounds, 4_000, np.random.default_rng(12))
    assert min(p_values(late, theirs)) < 1e-4


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
    for die in range(DICE - 2):
        rounds = 1 << die
        need = safe_slack(rounds, slope, drift)
        assert chance_of_a_dip(mean, need, slope, rounds) <= math.exp(-LOG_RISK)


def test_a_bound_that_is_a_third_too_large_would_not_be_safe():
    # the inequality is not so generous that an error in it could hide
    block = safe_block(40.0, 0.0)
    assert chance_of_a_dip(0.5, 40.0, 0.5, int(block / 0.75)) > math.exp(-LOG_RISK)


@entry
def throws(dice, die, mean, runs, rng):
    count = np.zeros((1 << die) + 1, np.int64)
    for _ in range(runs):
        count[throw(dice, die, 0, mean, rng)] += 1
    return count


@pytest.mark.parametrize("die", [0, 3, DICE - 1])
@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.07, 0.5625, 0.999, 1.0])
def test_dice_are_binomial(die, mean):
    runs, rounds = 100_000, 1 << die
    seen = throws(new_dice(), die, mean, runs, np.random.default_rng(3))
    expected = runs * stats.binom.pmf(np.arange(rounds + 1), rounds, mean)
    often = expected >= 5
    assert not seen[expected < 1e-9].any()
    seen, expected = (np.append(x[often], x[~often].sum()) for x in (seen, expected))
    assert stats.chi2.sf(np.sum((seen - expected) ** 2 / (expected + 1e-9)), len(seen)) > 1e-5


def test_dice_follow_the_arm():
    rng, dice = np.random.default_rng(5), new_dice()
    assert throw(dice, 4, 0, 1.0, rng) == 16
    assert throw(dice, 4, 1, 0.0, rng) == 0
    assert throw(dice, 4, 0, 1.0, rng) == 16


# A policy for the tests: 7 rounds of arm 0, then arm 1 until it loses, then one round of arm 2.
def start():
    return np.zeros((4, 2), np.int64)  # rounds and wins of each arm; the last row: commitments seen


@kernel
def decide(state, t, rng):
    turn = state[3, 0] % 3
    if turn == 0:
        return for_sure(0, 7)
    return Commitment(1, 50, -0.5, 1.0) if turn == 1 else once(2)


@kernel
def observe(state, arm, rounds, wins):
    state[arm, 0] += rounds
    state[arm, 1] += wins
    state[3, 0] += 1


@entry
def run(state, dice, means, checkpoints, rng):
    return play(decide, observe, pull, state, dice, means, checkpoints, rng)


def played(checkpoints, seed=1):
    instance = graph([0.5, 0.9, 0.2], [(0, 1), (1, 2)])
    grid = np.array(checkpoints)
    rng = np.random.default_rng(seed)
    return run(start(), new_dice(), instance.means, grid, rng)


@pytest.mark.parametrize("horizon", [1, 7, 8, 100, 101])
def test_play_stops_at_the_horizon_and_counts_every_round(horizon):
    regret, pulls = played([horizon])
    assert pulls.sum() == horizon
    assert regret[-1] == pytest.approx(0.4 * pulls[0] + 0.7 * pulls[2])


def test_regret_at_a_checkpoint_is_that_of_the_rounds_before_it():
    # rounds 1 to 7 are of arm 0, whatever the seed; a commitment may run across checkpoints
    regret, _ = played([1, 3, 6, 7, 8, 500])
    assert regret[:5] == pytest.approx([0.4, 1.2, 2.4, 2.8, 2.8])
    assert np.all(np.diff(regret) >= 0)


def test_checkpoints_do_not_change_the_law():
    # a guard may break in the very round of a checkpoint
    last = [[played(grid, seed)[1] for seed in range(400)] for grid in ([300], range(1, 301))]
    for arm in range(3):
        one, other = (np.array(pulls)[:, arm] for pulls in last)
        assert stats.ks_2samp(one, other, method="asymp").pvalue > 1e-4
