"""What happened between two known ends, against the enumeration and the counting of all orders."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from helpers import chance
from scipy import stats

from rankone.engine import bridges
from rankone.engine.binomial import new_tables
from rankone.engine.compiled import entry
from rankone.engine.memory import as_argument


def chance_of_a_break(won, rounds, slack, slope):
    """P(the wins fall below the guard), all orders of so many wins being equally likely."""
    chances, broken = np.zeros(won + 1), 0.0
    chances[0] = 1.0
    for j in range(1, rounds + 1):
        wins = (won - np.arange(won + 1)) / (rounds - j + 1)
        stepped = chances * (1 - wins)
        stepped[1:] += (chances * wins)[:-1]
        below = slack + np.arange(won + 1) - slope * j < 0
        broken += stepped[below].sum()
        stepped[below] = 0.0
        chances = stepped
    return broken


BRIDGES = [
    (won, rounds, slack, slope)
    for rounds in (4, 16, 100, 256)
    for won in {rounds * part // 10 for part in (1, 4, 5, 7, 9)}
    for slope in (0.05, 0.3, 0.56, 0.9, 1.0, 1.1)
    for slack in (0.6, 1.1, 3.0, 8.0, 20.0)
]


def test_a_bridge_breaks_the_guard_as_rarely_as_is_said():
    tight = 0
    for won, rounds, slack, slope in BRIDGES:
        end = slack + won - slope * rounds
        exponent = bridges.unlikeliness(slack, end, rounds)
        broken = chance_of_a_break(won, rounds, slack, slope)
        assert broken <= math.exp(-exponent) * (1 + 1e-12)
        tight += exponent > 2.0 and broken > math.exp(-1.5 * exponent)
        for luck in (0.0, 5.0):
            i = rounds.bit_length() - 1
            if 1 << i == rounds and bridges.keeps_guard(slack, end, i, rounds - won, slope, luck):
                assert broken <= math.exp(-luck) * (1 + 1e-12)
    assert tight > 5  # an exponent half as large again would be seen


def test_a_bridge_that_cannot_break_the_guard_is_recognised():
    assert bridges.keeps_guard(2.0, 2.0 + 6 - 4, 3, 2, 0.5, 50.0)
    assert not bridges.keeps_guard(0.9, 0.9 + 6 - 4, 3, 2, 0.5, 50.0)
    assert not bridges.keeps_guard(9.0, 9.0 + 8 - 16 * 1.1, 4, 8, 1.1, 0.0)


class Fixed:
    """A generator that always gives the same uniform number."""

    def __init__(self, number):
        self.number = number

    def random(self):
        return self.number

    def standard_exponential(self):
        return -math.log(self.number)


@pytest.mark.parametrize(("i", "won"), [(4, 5), (4, 16), (5, 1), (6, 40), (10, 30), (13, 4100)])
def test_the_first_half_is_hypergeometric(i, won):
    tables, n = new_tables(), 20_000
    drawn = [bridges.first_half(tables, i, won, Fixed((k + 0.5) / n)) for k in range(n)]
    expected = stats.hypergeom(1 << i, won, 1 << (i - 1)).pmf(np.arange(won + 1))
    assert np.abs(np.bincount(drawn, minlength=won + 1) / n - expected).max() < 2 / n


@pytest.mark.parametrize("i", range(4, 13))
def test_the_largest_uniform_number_gives_a_possible_half(i):
    """The probabilities may add up to a bit less than that."""
    tables, half = new_tables(), 1 << (i - 1)
    for won in range(0, 2 * half + 1, max(1, half // 50)):
        first = bridges.first_half(tables, i, won, Fixed(1.0 - 2.0**-53))
        assert 0 <= first <= half
        assert 0 <= won - first <= half


def first_breaks(won, rounds, wins, played, floor, slope):
    """How often a round with so many wins is the first below the guard; (0, 0): none is."""
    seen = Counter()
    for places in itertools.combinations(range(rounds), won):
        first, got = (0, 0), 0
        for j in range(1, rounds + 1):
            got += j - 1 in places
            if first == (0, 0) and wins + got < floor + slope * (played + j):
                first = (j, got)
        seen[first] += 1
    return seen


@pytest.mark.parametrize(
    ("won", "rounds", "wins", "played", "floor", "slope"),
    [
        (5, 11, 7, 10, -1.1, 0.5),
        (3, 12, 0, 0, -2.6, 0.4),
        (9, 12, 50, 70, 1.9, 0.67),
        (8, 8, 0, 0, -1, 0.5),
    ],
)
def test_a_first_break_has_its_law(won, rounds, wins, played, floor, slope):
    mass, orders = np.empty(rounds + 1), math.comb(rounds, won)
    found = Counter(
        bridges.first_break(mass, (k + 0.5) / orders, won, rounds, wins, played, floor, slope)
        for k in range(orders)
    )
    assert found == first_breaks(won, rounds, wins, played, floor, slope)


@entry
def followed(tables, i, won, slack, slope, runs, rng):
    seen = np.empty((runs, 2), np.int64)
    for k in range(runs):
        luck = rng.standard_exponential()
        seen[k] = bridges.follow(tables, i, won, 3, 7, 3.0 - slack - 7 * slope, slope, luck, rng)
    return seen


@entry
def in_any_order(rounds, won, slack, slope, runs, rng):
    seen = np.empty((runs, 2), np.int64)
    for k in range(runs):
        left, played, wins = won, 0, 0
        while played < rounds and wins >= slope * played - slack:
            win = rng.random() * (rounds - played) < left
            left -= win
            wins += win
            played += 1
        seen[k] = played, wins
    return seen


# the slack is such that no path meets the guard exactly, where rounding would decide
@pytest.mark.parametrize(
    ("i", "won", "slack", "slope"),
    [
        (3, 4, 0.9, 0.55),
        (6, 35, 2.513, 0.55),
        (6, 35, 4.413, 0.55),
        (9, 280, 9.013, 0.55),
        (9, 250, 20.013, 0.55),
        (11, 1150, 40.013, 0.57),
        (8, 20, 6.013, 0.1),
        (7, 120, 3.1, 0.96),
    ],
)
def test_a_block_is_followed_by_the_law_of_its_orders(i, won, slack, slope):
    tables = as_argument(new_tables())
    ours = followed(tables, i, won, slack, slope, 20_000, np.random.default_rng(chance.seed(3)))
    theirs = in_any_order(1 << i, won, slack, slope, 20_000, np.random.default_rng(chance.seed(4)))
    broken = [np.mean(seen[:, 0] < 1 << i) for seen in (ours, theirs)]
    assert max(broken) > 0.0
    chance.assert_same_law(ours[:, 0], theirs[:, 0])
    chance.assert_same_law(ours[:, 1], theirs[:, 1])


@pytest.mark.parametrize(
    ("i", "won", "slack", "slope"),
    [(4, 9, 3.013, 0.55), (6, 35, 7.013, 0.55), (7, 66, 10.013, 0.5), (9, 285, 20.013, 0.55)],
)
def test_luck_decides_on_a_rare_break(i, won, slack, slope):
    rounds, tables = 1 << i, new_tables()
    end = slack + won - slope * rounds
    assert bridges.unlikeliness(slack, end, rounds) > bridges.RARE * i
    broken = chance_of_a_break(won, rounds, slack, slope)
    assert broken > 1e-6
    for share, breaks in ((0.01, True), (0.99, True), (1.01, False)):
        luck = -math.log(share * broken)
        played, _ = bridges.follow(tables, i, won, 0, 0, -slack, slope, luck, Fixed(0.5))
        assert (played < rounds) == breaks


@pytest.mark.parametrize(
    ("i", "won", "slack", "slope"),
    [(6, 35, 4.413, 0.55), (7, 70, 5.513, 0.55), (8, 141, 6.013, 0.55), (11, 1126, 20.013, 0.55)],
)
def test_blocks_break_the_guard_with_their_exact_chance(i, won, slack, slope):
    # enough runs to see that the rare breaks in a part of a block are not overlooked
    tables, runs = as_argument(new_tables()), 10**6
    rng = np.random.default_rng(chance.seed(5))
    broken = np.mean(followed(tables, i, won, slack, slope, runs, rng)[:, 0] < 1 << i)
    expected = chance_of_a_break(won, 1 << i, slack, slope)
    chance.assert_normal((broken - expected) / math.sqrt(expected * (1 - expected) / runs))


def test_a_break_that_is_overlooked_in_one_of_ten_is_seen():
    tables = as_argument(new_tables())
    i, won, slack, slope = 9, 280, 9.013, 0.55
    ours = followed(tables, i, won, slack, slope, 20_000, np.random.default_rng(3))
    theirs = in_any_order(1 << i, won, slack, slope, 20_000, np.random.default_rng(4))
    ours[np.random.default_rng(5).random(len(ours)) < 0.1] = 1 << i, won
    assert min(chance.p_values(ours[:, 0], theirs[:, 0])) < chance.LEVEL
