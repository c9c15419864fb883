"""The numbers that the screen of KL indices relies on, against 50 digits."""

import math

import mpmath
import numba
import pytest

from rankone.engine import kl
from rankone.engine.counts import no_counts, record
from rankone.engine.kl import exploration
from rankone.fast import kl_screen
from rankone.fast.index_screen import CLOSE, new_screen, set_bar, survey, wake_up

# Numbers, against 50 digits.


def exactly(p, q):
    """kl(p, q) in 50 digits."""
    p, q = mpmath.mpf(p), mpmath.mpf(q)
    left = p * mpmath.log(p / q) if p > 0 else mpmath.mpf(0)
    return left + ((1 - p) * mpmath.log((1 - p) / (1 - q)) if p < 1 else 0)


EXTREMES = [
    (n, round(n * mean))
    for n in (1, 2, 7, 100, 10**4, 10**8, 10**12)
    for mean in (0.0, 1e-6, 0.01, 0.3, 0.5625, 0.9, 0.999, 1.0)
]


@pytest.mark.parametrize("f", [0.7, 8.0, 37.6])
def test_indices_are_as_close_as_the_screen_relies_on(f):
    with mpmath.workdps(50):
        for pulls, wins in EXTREMES:
            index = kl_screen.index(pulls, wins, f)
            mean = mpmath.mpf(wins) / pulls
            # the deviance changes sign between the two ends of the allowed error
            low, high = mpmath.mpf(index) - CLOSE / 4, mpmath.mpf(index) + CLOSE / 4
            if low > mean:
                assert pulls * exactly(mean, low) < f
            if high < 1:
                assert pulls * exactly(mean, high) > f


@pytest.mark.parametrize("q", [1e-3, 0.2, 0.5626, 0.99, 1 - 1e-9])
def test_wake_ups_are_never_late(q):
    with mpmath.workdps(50):
        for pulls, wins in EXTREMES:
            counts, screen = no_counts(1), new_screen(1, 1)
            record(counts, 0, pulls, wins)
            screen.constant[0] = kl_screen.constant(pulls, wins)
            wakes = wake_up(screen, counts, 0, kl_screen.bar(q))
            mean = mpmath.mpf(wins) / pulls
            if mean >= q:
                assert wakes <= 0
            else:
                truth = pulls * exactly(mean, q)
                assert wakes <= truth
                assert wakes >= truth - 1e-13 * pulls - 1e-12


@pytest.mark.parametrize("q", [1e-3, 0.2, 0.5626, 0.99])
def test_least_means_are_on_the_safe_side(q):
    with mpmath.workdps(50):
        for d in (1e-11, 1e-6, 1e-3, 0.05, 0.5, 4.0):
            for mean in (0.0, 0.9 * q, q - math.sqrt(d * q * (1 - q)), q):
                p = kl_screen.least_mean(q, d, max(mean, 0.0))
                assert 0 <= p < q
                assert exactly(p, q) <= d * (1 + 1e-9)
                if p > 0:
                    assert exactly(p, q) >= d * (1 - 1e-7)


def test_an_index_of_one_has_a_guard():
    for d in (1e-11, 1e-6, 1e-3, 0.05, 0.5):
        for q in (1.0 - 1e-13, 1.0 - 1e-16, 1.0):
            assert 0.0 < kl_screen.least_mean(q, d, 1.0) < 1.0


@pytest.mark.parametrize("c", [0.0, 3.0])
def test_exploration_keeps_to_its_pace(c):
    for t in (3, 10, 10**4, 10**12):
        for m in (1, t // 2, 10 * t):
            bound = exploration(t, c) + m / kl_screen.pace(t, c)
            assert exploration(t + m, c) <= bound + 1e-13


@numba.njit
def surveyed(screen, counts, q, f):
    """Who has the largest index when the bar was left at q."""
    set_bar(screen, counts, q, kl_screen.bar)
    found, _, largest, _ = survey(screen, counts, f, kl_screen.index, kl_screen.bar)
    return found, largest


def test_a_leader_that_rounding_keeps_awake_below_the_bar_is_found():
    # else each of the next million rounds would be decided on its own
    f, leader = 36.9, (500_000_000_000, 281_250_000_000)
    counts, screen = no_counts(9), new_screen(9, 9)
    for arm in range(9):
        pulls, wins = leader if arm == 0 else (80, 8)
        record(counts, arm, pulls, wins)
        screen.constant[arm] = kl_screen.constant(pulls, wins)
    screen.size[0] = 9
    index = kl_screen.index(*leader, f)
    for above in (1e-12, 1e-11, 1e-10):
        found, largest = surveyed(screen, counts, index + above, f)
        assert found >= 1
        assert largest == index
        assert screen.bar[0] < index


@pytest.mark.parametrize("f", [8.0, 22.2, 33.4, 37.6])
def test_an_index_next_to_one_is_exact_to_the_last_bit(f):
    """1 - q by bisection of ln(1 - q), in 50 digits, for young arms and for old ones that lost."""
    states = [(n, s) for n in range(1, 13) for s in range(n)]
    states += [(10**e, 10**e - lost) for e in (4, 6, 8, 10, 12) for lost in (1, 2, 3, 5, 10, 40)]
    seen = 0
    with mpmath.workdps(50):
        for pulls, wins in states:
            index = kl_screen.index(pulls, wins, f)
            if index > 1.0 - kl_screen.NEAR_ONE:
                p = mpmath.mpf(wins) / pulls
                low, high = mpmath.mpf(-200), mpmath.log(1 - p)
                for _ in range(120):
                    middle = (low + high) / 2
                    above = pulls * exactly(p, 1 - mpmath.exp(middle)) > f
                    low, high = (middle, high) if above else (low, middle)
                assert abs(index - (1 - mpmath.exp(low))) < 5.6e-17  # half of the last bit
                y = kl.distance_from_one(pulls, wins, f)
                assert abs(mpmath.log(y) - low) < kl_screen.MARGIN / 10
                # a level that is a margin lower moves it by more than that
                lower = kl.distance_from_one(pulls, wins, f - kl_screen.MARGIN * (pulls - wins))
                assert mpmath.log(lower) - low > kl_screen.MARGIN / 2
                seen += 1
    assert seen > 5
