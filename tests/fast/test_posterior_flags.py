"""Windows of flags: opened only where their bounds hold, and closed without a trace."""

import math

import numpy as np
from scipy import special

from rankone.engine.counts import no_counts, record
from rankone.fast import posterior_flags as flags
from rankone.fast import posterior_tails as tails

UNIFORM = tails.make_prior(1.0, 1.0)
FAR = 1.0  # pulls * (guard - level)
COUNT = 0.25  # pulls * guard * (1 - guard)


def test_windows_keep_to_the_conditions():
    """What flags.open_window accepts is what test_posterior_tails.py has looked at."""
    rng = np.random.default_rng(1)
    around = np.arange(2)
    opened = 0
    for _ in range(3000):
        pulls = int(10 ** rng.uniform(0, 12))
        wins = int(rng.binomial(pulls, rng.choice([rng.random(), 0.001, 0.03, 0.999])))
        least = rng.choice([0.0, wins / pulls * rng.random(), wins / pulls - 1e-9])
        counts, window = no_counts(2), flags.closed_window(2, 2, UNIFORM)
        record(counts, 0, pulls, wins)
        if flags.open_window(window, counts, 0, around, least):
            opened += 1
            guard, level = window.guard[0], window.level[0]
            assert least <= guard < wins / pulls
            assert pulls * (guard - level) >= FAR
            assert pulls * guard * (1.0 - guard) >= COUNT
            assert level >= min(0.01, 0.1 * guard)
            flag = -math.expm1(-window.rates[len(window.rates) // 2 + 1])
            assert flag >= tails.tail_bound(guard * pulls, (1.0 - guard) * pulls, level)
            assert flag >= special.betainc(guard * pulls + 1, (1 - guard) * pulls + 1, level)
    assert opened > 1000


def test_a_closed_window_has_no_reference_and_no_arms():
    counts, window = no_counts(3), flags.closed_window(3, 3, UNIFORM)
    record(counts, 0, 10_000, 6_000)
    record(counts, 1, 500, 100)
    record(counts, 2, 500, 100)
    assert flags.open_window(window, counts, 0, np.arange(3), 0.3)
    assert flags.is_open(window, counts, 0)
    assert not flags.is_open(window, counts, 1)
    flags.close(window)
    assert window.reference[0] == -1
    assert np.all(window.position == -1)
    assert not flags.is_open(window, counts, 0)


def test_a_reference_that_has_never_lost_gets_a_window():
    """Else a sure arm would be sampled round by round for ever."""
    for pulls in (100, 10**4, 10**9):
        counts, window = no_counts(3), flags.closed_window(3, 3, UNIFORM)
        record(counts, 0, pulls, pulls)
        record(counts, 1, 20, 4)
        record(counts, 2, 20, 5)
        assert flags.open_window(window, counts, 0, np.arange(3), 0.25)
