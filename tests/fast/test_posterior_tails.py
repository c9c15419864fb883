"""Beta tails against mpmath at any size, and the inequalities that the flags rest on."""

import math
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from helpers import chance
from scipy import special, stats

from rankone.fast import posterior_tails as tails

UNIFORM = tails.make_prior(1.0, 1.0)
mp = mpmath.mp.clone()
mp.dps = 40

# wins, losses: lopsided, tiny and enormous ones
COUNTS = [
    (0, 0),
    (0, 7),
    (9, 0),
    (1, 1),
    (3, 20),
    (500, 12),
    (2047, 2048),
    (2048, 2048),  # beyond here the log density is no longer looked up
    (56_250, 43_750),
    (1, 10**6),
    (10**9 - 5, 5),
    (562_500_000_000, 437_500_000_000),
    (10**12 - 1, 1),
]


def exact_log_density(wins, losses, x):
    """ln of the Beta(S + 1, F + 1) density with 40 digits."""
    x = mp.mpf(x)
    normaliser = mp.loggamma(wins + losses + 2) - mp.loggamma(wins + 1) - mp.loggamma(losses + 1)
    return normaliser + mp.log(x) * wins + mp.log(1 - x) * losses


def exact_deviance(wins, losses, x):
    n, x = mp.mpf(wins) + mp.mpf(losses), mp.mpf(x)
    result = mp.mpf(0)
    if wins:
        result += wins * mp.log(wins / (n * x))
    if losses:
        result += losses * mp.log(losses / (n * (1 - x)))
    return result


def exact_tail(wins, losses, x):
    """The mass beyond x, away from the mode, divided by the density at x."""
    x = mp.mpf(x)
    right = x > mp.mpf(wins) / max(wins + losses, 1) or wins == 0
    s = abs(losses / (1 - x) - wins / x)
    width = min((1 - x) if right else x, 60 / s)

    def ratio(step):
        y = x + step if right else x - step
        return mp.exp(wins * mp.log1p((y - x) / x) + losses * mp.log1p((x - y) / (1 - x)))

    return mp.quad(ratio, [width * mp.mpf(k) / 4 for k in range(5)], method="gauss-legendre")


def levels(wins, losses):
    """Levels around the mode, from next to it to far out, on both sides."""
    n = wins + losses
    mean = (wins + 1) / (n + 2)
    deviation = math.sqrt(mean * (1 - mean) / (n + 3))
    found = [mean + z * deviation for z in (-30, -6, -2, -1, -1e-3, 1e-3, 1, 2, 6, 30)]
    return [x for x in (*found, 0.01, 0.5, 0.99) if 0.0 < x < 1.0 and abs(x * n - wins) > 1e-9 * n]


@pytest.mark.parametrize("n", [1e-6, 0.25, 1.0, 2.5, 7.0, 15.999, 16.0, 17.3, 300.0, 1e6, 1e12])
def test_stirling_error(n):
    exact = (
        mp.loggamma(mp.mpf(n) + 1)
        - (mp.mpf(n) + 0.5) * mp.log(n)
        + mp.mpf(n)
        - mp.log(2 * mp.pi) / 2
    )
    assert tails.stirling_error(n) == pytest.approx(float(exact), rel=3e-11, abs=3e-14 * (n < 16))


@pytest.mark.parametrize(("wins", "losses"), COUNTS)
def test_deviance(wins, losses):
    for x in levels(wins, losses):
        exact = float(exact_deviance(wins, losses, x))
        # x is a float: its own last bit moves n x by 1e-16 n, hence the deviance by that times z
        assert tails.deviance(wins, losses, x) == pytest.approx(exact, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("wins", "losses"), COUNTS)
def test_log_density(wins, losses):
    for x in levels(wins, losses):
        exact = exact_log_density(wins, losses, x)
        given = tails.log_density(UNIFORM, wins, losses, x, math.log(x), math.log1p(-x))
        assert given == pytest.approx(float(exact), rel=1e-8, abs=1e-9)
        saddle = tails.log_peak(wins, losses) - tails.deviance(wins, losses, x)
        assert saddle == pytest.approx(float(exact), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("wins", "losses"), [c for c in COUNTS if c != (0, 0)])
def test_slope_is_the_derivative(wins, losses):
    for x in levels(wins, losses):
        exact = float(losses / (1 - mp.mpf(x)) - wins / mp.mpf(x))
        rounding = 4e-16 * (wins + losses) / (x * (1 - x))
        assert tails.slope(wins, losses, x) == pytest.approx(exact, rel=1e-12, abs=rounding)


@pytest.mark.parametrize(("wins", "losses"), [c for c in COUNTS if c != (0, 0)])
def test_tail_bound_bounds_and_is_close_far_out(wins, losses):
    """f / s is above the mass beyond x; of many pulls, by no more than log-concavity can cost."""
    for x in levels(wins, losses):
        density = mp.exp(exact_log_density(wins, losses, x))
        tail = density * exact_tail(wins, losses, x)
        if tail < 1e-290:
            continue  # both are 0 or next to it in floating point
        bound = tails.tail_bound(wins, losses, x)
        assert bound >= tail * (1 - mp.mpf(1e-8))
        bend = wins / x**2 + losses / (1 - x) ** 2  # -(ln f)''
        loss = bend / (losses / (1 - x) - wins / x) ** 2
        if wins + losses > 4000 and loss < 0.05:
            assert bound <= tail * (1 + 2 * loss + mp.mpf(1e-8))


def test_tail_against_scipy():
    """The 40-digit tails of this file are themselves right."""
    for wins, losses, x in [(3, 20, 0.4), (500, 12, 0.9), (56_250, 43_750, 0.57)]:
        density = mp.exp(exact_log_density(wins, losses, x))
        tail = float(density * exact_tail(wins, losses, x))
        beyond = special.betaincc if x > wins / (wins + losses) else special.betainc
        assert tail == pytest.approx(beyond(wins + 1, losses + 1, x), rel=1e-9)


@pytest.mark.parametrize(
    ("wins", "losses", "x"),
    [(3, 20, 0.3), (0, 9, 0.25), (45, 15, 0.62), (5625, 4375, 0.55), (562_500, 437_500, 0.5645)],
)
def test_jumps_beyond_have_the_law_of_the_tail(wins, losses, x):
    """An accepted jump is a sample of the posterior given that it is beyond x."""
    rng = np.random.default_rng(chance.seed(3))
    tries = 40_000
    jumps = [tails.sample_beyond(wins, losses, x, -1.0, rng) for _ in range(tries)]
    points = np.array([y for y, accept in jumps if rng.random() < accept])
    right = x > wins / (wins + losses)
    beyond = special.betaincc if right else special.betainc
    tail = beyond(wins + 1, losses + 1, x)
    rate = tail / tails.tail_bound(wins, losses, x)
    chance.assert_normal((len(points) - tries * rate) / math.sqrt(tries * rate * (1 - rate) + 1))
    share = beyond(wins + 1, losses + 1, points) / tail
    chance.assert_likely(stats.kstest(share, "uniform").pvalue)
    assert np.all((points > x) if right else (points < x))


def accepted(*arguments):
    """By a look at the ratio itself."""
    *state, step, rng = arguments
    return rng.random() < tails.tangent_ratio(*state, step)


@pytest.mark.parametrize(
    ("wins", "losses", "x"),
    [(0, 0, 0.5), (1, 0, 0.9), (3, 20, 0.3), (0, 9, 0.25), (45, 15, 0.77), (5625, 4375, 0.57)],
)
def test_a_jump_is_accepted_as_by_its_ratio(wins, losses, x):
    """Given the same numbers, upwards and downwards; the bounds decide most of the cases."""
    rng = np.random.default_rng(chance.seed(4))
    here, there = np.random.default_rng(5), np.random.default_rng(5)
    scale = 1.0 / (1.0 + abs(tails.slope(wins, losses, x)))
    seen = []
    for step in scale * rng.normal(size=4000):
        if -x < step < 1.0 - x:
            seen.append(tails.is_accepted(wins, losses, x, step, here))
            assert seen[-1] == accepted(wins, losses, x, step, there)
    assert sum(seen) > 0
    assert sum(seen) < len(seen) or wins + losses == 0


def test_bounds_of_the_ratio_hold_and_are_close(monkeypatch):
    """Each uniform number right next to the ratio is judged right; 1 % away mostly at a glance."""
    looks = []
    exact = tails.tangent_ratio
    monkeypatch.setattr(tails, "tangent_ratio", lambda *given: looks.append(1) or exact(*given))
    tried = 0
    for wins, losses, x in [(30, 90, 0.4), (450, 150, 0.77), (5625, 4375, 0.57), (40, 0, 0.95)]:
        for step in np.linspace(-0.4, 0.4, 41) * x * (1.0 - x):
            ratio = exact(wins, losses, x, step)
            for nearness in (1e-12, 0.01):
                for sign in (-1.0, 1.0):
                    uniform = ratio * (1.0 + sign * nearness)
                    rng = SimpleNamespace(random=lambda uniform=uniform: uniform)
                    assert tails.is_accepted(wins, losses, x, step, rng) == (sign < 0)
    for wins, losses, x in [(450, 1350, 0.28), (5625, 4375, 0.58)]:
        for step in np.linspace(0.01, 2.0, 50) / tails.slope(wins, losses, x):
            looks.clear()
            uniform = 0.99 * exact(wins, losses, x, step)
            tails.is_accepted(wins, losses, x, step, SimpleNamespace(random=lambda u=uniform: u))
            tried += not looks
    assert tried > 90


@pytest.mark.parametrize(("wins", "losses", "x"), [(3, 20, 0.3), (45, 15, 0.82), (562, 437, 0.6)])
def test_jumps_upwards_have_the_law_of_the_tail(wins, losses, x):
    """Also above what is needed, where a smaller point is not looked at."""
    rng = np.random.default_rng(chance.seed(6))
    needed, tries = x + 0.3 / tails.slope(wins, losses, x), 40_000
    points = np.array([tails.jump_beyond(wins, losses, x, needed, rng) for _ in range(tries)])
    points = points[points > x]
    assert points.min() > needed
    tail = special.betaincc(wins + 1, losses + 1, needed)
    rate = tail / tails.tail_bound(wins, losses, x)
    chance.assert_normal((len(points) - tries * rate) / math.sqrt(tries * rate * (1 - rate)))
    share = special.betaincc(wins + 1, losses + 1, points) / tail
    chance.assert_likely(stats.kstest(share, "uniform").pvalue)


# The window's level and guard satisfy these two; the bound at the guard must then cover the future.
FAR = 1.0  # pulls * (guard - level)
COUNT = 0.25  # pulls * guard * (1 - guard)


GUARDS = (1e-3, 0.011, 0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1 - 1e-6)


def guarded_states():
    """Pulls, guard and level on the edge of what a window accepts, and well inside."""
    for pulls in np.geomspace(2, 1e12, 37):
        for guard in (
            1e-8,
            1e-6,
            1e-4,
            1e-3,
            0.011,
            0.03,
            0.1,
            0.25,
            0.5,
            0.75,
            0.9,
            0.99,
            0.999,
            1 - 1e-6,
        ):
            if pulls * guard * (1.0 - guard) >= COUNT:
                for excess in (FAR, 1.5, 3.0, 3 * math.sqrt(pulls), 0.5 * guard * pulls):
                    level = guard - excess / pulls
                    if excess >= FAR and level >= min(1e-4, 0.1 * guard):
                        yield pulls, guard, level


def rounding(pulls, guard, level):
    """The relative error of a bound: of the excess wins - pulls * level, and of the deviance."""
    excess = pulls * (guard - level)
    return 1e-12 + 1e-15 * pulls * (1.0 / excess + (guard - level) / (level * (1.0 - level)))


def test_the_bound_falls_along_the_guard():
    """With every pull on the line wins = guard * pulls: no later round needs a larger flag."""
    seen = 0
    for pulls, guard, level in guarded_states():
        n = pulls * np.concatenate([np.linspace(1.0, 1.5, 26), [2.0, 10.0]])
        n = np.concatenate([pulls + np.arange(9.0), n])
        bounds = [tails.tail_bound(guard * m, (1.0 - guard) * m, level) for m in np.sort(n)]
        slack = rounding(pulls, guard, level)
        assert np.all(np.diff(bounds) <= slack * np.array(bounds[:-1])), (pulls, guard, level)
        seen += 1
    assert seen > 500


def test_the_bound_falls_with_every_win():
    """At the same number of pulls, a win in the place of a loss lowers the bound."""
    for pulls, guard, level in guarded_states():
        wins, losses = guard * pulls, (1.0 - guard) * pulls
        bound = tails.tail_bound(wins, losses, level)
        slack = 1.0 + rounding(pulls, guard, level)
        for more in (0.1, 1.0, 0.3 * losses, losses - 0.1):
            if 0.0 < more < losses:
                better = tails.tail_bound(wins + more, losses - more, level)
                assert better <= bound * slack, (pulls, guard, level, more)


PRIORS = [(1.0, 1.0), (0.5, 0.5), (2.0, 3.0), (0.3, 4.0), (5.0, 0.2)]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("wins", "losses"), [*COUNTS[:8], (0, 900), (700, 0), (56_250, 43_750)])
def test_the_mass_above_a_level(prior, wins, losses):
    made = tails.make_prior(*prior)
    a, b = wins + prior[0], losses + prior[1]
    for x in (1e-3, 0.2, 0.5, 0.9, 1 - 1e-6, *levels(wins, losses)):
        given = tails.upper_tail(made, wins, losses, x, math.log(x), math.log1p(-x))
        exact = special.betaincc(a, b, x)
        if exact > 1e-200:
            assert given == pytest.approx(exact, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("wins", "losses"), [*COUNTS[:8], (0, 900), (700, 0)])
@pytest.mark.parametrize("sharp", [False, True])
def test_a_flag_bounds_the_mass_above_a_level(prior, wins, losses, sharp):
    """And is that mass where the posterior is not log-concave, or where it must not be useless."""
    made, a, b = tails.make_prior(*prior), wins + prior[0], losses + prior[1]
    for x in (0.2, 0.5, 0.9, *levels(wins, losses)):
        bound, density, is_mass = tails.flag_chance(
            made, wins, losses, x, math.log(x), math.log1p(-x), sharp
        )
        mass = special.betaincc(a, b, x)
        if mass > 1e-200:
            assert bound >= mass * (1.0 - 1e-9)
        if a < 1.0 or b < 1.0:
            assert is_mass
        if is_mass:
            assert bound == pytest.approx(mass, rel=1e-9, abs=1e-13)
            assert density == pytest.approx(stats.beta.pdf(x, a, b), rel=1e-6, abs=1e-250)
        elif sharp:
            assert bound <= tails.USELESS


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (0, 1), (3, 20), (9, 0), (0, 40)])
def test_samples_above_a_level_have_its_law(prior, wins, losses):
    made, rng = tails.make_prior(*prior), np.random.default_rng(chance.seed(3))
    a, b = wins + prior[0], losses + prior[1]
    for share in (0.6, 0.2, 0.01):
        x = special.betainccinv(a, b, share)
        if 1e-12 < x < 1 - 1e-6:  # closer to one, numbers are too far apart
            tail = special.betaincc(a, b, x)
            drawn = [tails.sample_above(made, wins, losses, x, tail, rng) for _ in range(1500)]
            assert min(drawn) > x
            uniform = special.betaincc(a, b, np.array(drawn)) / tail
            chance.assert_likely(stats.kstest(uniform, "uniform").pvalue)
