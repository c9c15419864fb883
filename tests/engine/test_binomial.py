"""Tables of binomial blocks give binomial wins."""

import numpy as np
import pytest
from helpers import chance
from scipy import stats

from rankone.engine.binomial import CELLS, TABLES, draw_wins, forget, new_tables, offset
from rankone.engine.compiled import entry
from rankone.engine.memory import as_argument


@entry
def counts_of_wins(tables, i, mean, runs, rng):
    count = np.zeros((1 << i) + 1, np.int64)
    for _ in range(runs):
        count[draw_wins(tables, i, 0, mean, rng)] += 1
    return count


@pytest.mark.parametrize("i", [0, 3, TABLES - 1])
@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.07, 0.5625, 0.999, 1.0])
def test_tables_are_binomial(i, mean):
    runs, rounds = 100_000, 1 << i
    tables = as_argument(new_tables())
    seen = counts_of_wins(tables, i, mean, runs, np.random.default_rng(chance.seed(3)))
    expected = runs * stats.binom.pmf(np.arange(rounds + 1), rounds, mean)
    often = expected >= 5
    assert not seen[expected < 1e-9].any()
    # what is rarer counts with the most frequent: a share of little would upset the sum of squares
    rest = [x[~often].sum() for x in (seen, expected)]
    seen, expected = seen[often].astype(float), expected[often]
    seen[np.argmax(expected)] += rest[0]
    expected[np.argmax(expected)] += rest[1]
    surprise = np.sum((seen - expected) ** 2 / expected)
    chance.assert_likely(stats.chi2.sf(surprise, max(len(seen) - 1, 1)))


def test_tables_follow_the_arm():
    rng, tables = np.random.default_rng(5), new_tables()
    assert draw_wins(tables, 4, 0, 1.0, rng) == 16
    assert draw_wins(tables, 4, 1, 0.0, rng) == 0
    assert draw_wins(tables, 4, 0, 1.0, rng) == 16


def test_a_table_is_filled_once_it_is_in_demand():
    rng, tables = np.random.default_rng(5), new_tables()
    for request in range(1, 5):  # 32 rounds: filled at the fourth request
        draw_wins(tables, 5, 2, 0.5, rng)
        assert tables.arm[5] == (2 if request == 4 else -1)
    first = tables.below[offset(5) : offset(6)]
    np.testing.assert_allclose(first, stats.binom.cdf(np.arange(33), 32, 0.5), rtol=1e-12)
    cell = int(first[12] * CELLS)
    assert tables.first[5, cell] == 12


def test_a_forgotten_table_is_filled_anew():
    rng, tables = np.random.default_rng(5), new_tables()
    assert draw_wins(tables, 2, 0, 1.0, rng) == 4
    forget(tables)
    assert np.all(tables.arm == -1)
    assert draw_wins(tables, 2, 0, 0.0, rng) == 0
