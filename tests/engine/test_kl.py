"""kl and its inverses against mpmath and against closed forms."""

import math

import mpmath
import numpy as np
import pytest

from rankone.engine.kl import exploration, index, kl, kl_lower, kl_upper

mp = mpmath.mp.clone()
mp.dps = 60

MEANS = [1e-12, 1e-5, 0.0625, 0.1875, 0.3, 0.5, 0.5625, 0.9, 1 - 1e-5, 1 - 1e-12]
LEVELS = [1e-20, 1e-15, 1e-9, 1e-4, 0.01, 0.2, 1.0, 3.5, 5.0, 30.0]


def exact_kl(p, q):
    p, q = mp.mpf(p), mp.mpf(q)
    if not 0 < q < 1:
        return mp.inf
    return p * mp.log(p / q) + (1 - p) * mp.log((1 - p) / (1 - q))


def exact_gap(p, d, side):
    """|q - p| of the bound of p on one side (1: upper), by bisection with 60 digits."""
    p = mp.mpf(p)
    inside, outside = mp.mpf(0), (1 - p) if side > 0 else p
    for _ in range(200):
        middle = (inside + outside) / 2
        if exact_kl(p, p + side * middle) <= d:
            inside = middle
        else:
            outside = middle
    return inside


@pytest.mark.parametrize("p", MEANS)
def test_kl(p):
    for q in MEANS:
        # where p and q are next to each other the two terms cancel, to an error of 1e-16
        assert kl(p, q) == pytest.approx(float(exact_kl(p, q)), rel=1e-12, abs=4e-16)


def test_kl_at_the_edges():
    assert kl(0.0, 0.0) == kl(1.0, 1.0) == kl(0.3, 0.3) == 0.0
    assert kl(0.0, 1.0) == kl(1.0, 0.0) == kl(0.3, 1.0) == kl(0.3, 0.0) == math.inf
    assert kl(0.0, 0.3) == pytest.approx(-math.log(0.7), rel=1e-15)
    assert kl(1.0, 0.3) == pytest.approx(-math.log(0.3), rel=1e-15)


def test_kl_is_never_negative():
    rng = np.random.default_rng(1)
    for p in rng.random(2000):
        assert kl(p, np.nextafter(p, 1.0)) >= 0.0


@pytest.mark.parametrize("p", MEANS)
def test_kl_upper(p):
    for d in LEVELS:
        gap = exact_gap(p, d, 1)
        exact = float(mp.mpf(p) + gap)
        assert kl_upper(p, d) == pytest.approx(exact, rel=4e-16, abs=float(1e-15 * gap) + 2e-16)


@pytest.mark.parametrize("p", MEANS)
def test_kl_lower(p):
    for d in LEVELS:
        gap = exact_gap(p, d, -1)
        exact = float(mp.mpf(p) - gap)
        # 1 - p is rounded, which p = 1e-12 feels
        assert kl_lower(p, d) == pytest.approx(exact, rel=4e-16, abs=float(1e-12 * gap) + 3e-16)


@pytest.mark.parametrize("d", LEVELS)
def test_bounds_in_closed_form(d):
    assert kl_upper(0.0, d) == pytest.approx(-math.expm1(-d), rel=1e-15)
    assert kl_lower(1.0, d) == pytest.approx(math.exp(-d), rel=1e-15)
    assert kl_upper(1.0, d) == 1.0
    assert kl_lower(0.0, d) == 0.0
    half = math.sqrt(-math.expm1(-2.0 * d)) / 2.0  # kl(1/2, q) = -ln(4 q (1 - q)) / 2
    assert kl_upper(0.5, d) == pytest.approx(0.5 + half, abs=1e-15)
    assert kl_lower(0.5, d) == pytest.approx(0.5 - half, abs=1e-15)


@pytest.mark.parametrize("p", [0.0, *MEANS, 1.0])
def test_no_room_no_bound(p):
    assert kl_upper(p, 0.0) == p
    assert kl_lower(p, 0.0) == pytest.approx(p, abs=2e-16)


@pytest.mark.parametrize("p", [0.0, *MEANS, 1.0])
def test_bounds_grow_with_the_level_and_stay_in_the_interval(p):
    levels = np.geomspace(1e-15, 1e4, 400)
    upper = np.array([kl_upper(p, d) for d in levels])
    lower = np.array([kl_lower(p, d) for d in levels])
    assert np.all(np.diff(upper) >= -2e-16)
    assert np.all(np.diff(lower) <= 2e-16)
    assert np.all((upper >= p) & (upper <= 1.0))
    assert np.all((lower <= p + 2e-16) & (lower >= 0.0))


def test_exploration():
    assert exploration(0, 3.0) == exploration(1, 3.0) == 0.0
    assert exploration(2, 3.0) == math.log(2)  # ln ln 2 < 0 counts as 0
    assert exploration(100, 3.0) == pytest.approx(math.log(100) + 3 * math.log(math.log(100)))
    assert exploration(100, 0.0) == math.log(100)


def test_index():
    assert index(0, 0, 5.0, 0.0) == 1.0
    assert index(4, 4, 5.0, 0.0) == 1.0
    assert index(10, 3, 2.0, 0.0) == kl_upper(0.3, 0.2)
    # a bisection that stops at a width is at most half of it away
    assert index(10, 3, 2.0, 0.01) == pytest.approx(kl_upper(0.3, 0.2), abs=0.005)
    assert index(10, 3, 2.0, 0.01) != kl_upper(0.3, 0.2)


def test_index_at_enormous_counts():
    pulls = 10**12
    wins = 5625 * 10**8
    gap = exact_gap(mp.mpf(wins) / pulls, mp.mpf(30) / pulls, 1)
    exact = float(mp.mpf(wins) / pulls + gap)
    assert index(pulls, wins, 30.0, 0.0) == pytest.approx(exact, abs=2e-16)


def newton(p, d):
    """kl_upper for 0 < p < 1 and a root below one, as its docstring writes it."""
    entropy = -p * math.log(p) - (1.0 - p) * math.log1p(-p)
    gap = min(math.sqrt(d / 2.0), 1.0 - p - math.exp(-(d + entropy) / (1.0 - p)))
    while True:
        excess = -p * math.log1p(gap / p) - (1.0 - p) * math.log1p(-gap / (1.0 - p)) - d
        step = excess * (p + gap) * (1.0 - p - gap) / gap
        if step <= 0.0:  # rounding alone leads back: what is there is as good
            return p + gap
        gap -= step
        if step < 1e-8 * min(gap, 1.0 - p - gap):
            return p + gap


def test_kl_upper_stops_where_rounding_begins():
    """To the bit: a step that leads back to the right is not taken."""
    for p in np.linspace(0.05, 0.95, 19).tolist():
        for d in np.logspace(-12, 0, 50).tolist():
            assert kl_upper(p, d) == newton(p, d)
