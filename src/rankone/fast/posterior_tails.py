"""Tails of Beta posteriors: log densities good at any size, bounds that hold without exception.

A posterior is Beta(S + a, F + b), where (a, b) are the prior counts. In terms of the exponents
s = S + a - 1 and l = F + b - 1 its density f is proportional to x^s (1 - x)^l. Where both are at
least 0 it is log-concave, so beyond a level x on the far side of its mode it lies under the
exponential f(x) exp(-|(ln f)'(x)| |y - x|). Hence the tail beyond x has at most the mass
f(x) / |(ln f)'(x)|, and an exponential jump from x, accepted with the ratio, samples it exactly.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel

# A bound above this is not worth a flag.
USELESS = 0.5

THIRD, SIXTH = 1.0 / 3.0, 1.0 / 6.0  # to multiply by: a division takes four times as long

# Up to so many pulls a log density is looked up; beyond, the sums it is made of begin to cancel.
LOOKED_UP = 512


class Prior(NamedTuple):
    """The prior counts, and what the normalising constants of the posteriors are made of."""

    a: float
    b: float
    gamma_a: np.ndarray  # ln Gamma(S + a) for small S,
    gamma_b: np.ndarray  # ln Gamma(F + b),
    gamma_both: np.ndarray  # ln Gamma(N + a + b)


def make_prior(a: float, b: float) -> Prior:
    gammas = (np.array([math.lgamma(n + c) for n in range(LOOKED_UP)]) for c in (a, b, a + b))
    return Prior(float(a), float(b), *gammas)


@kernel
def stirling_error(n):
    """ln n! - (n + 1/2) ln n + n - ln(2 pi) / 2 for real n > 0: what Stirling's formula misses."""
    if n < 16.0:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    r = 1.0 / (n * n)
    return (1 / 12 - (1 / 360 - (1 / 1260 - r / 1680) * r) * r) / n


@kernel
def deviance(wins, losses, x):
    """N kl(S / N, x), without cancellation where x is next to S / N (Loader 2000)."""
    n = wins + losses
    excess = wins - n * x
    result = 0.0
    if wins > 0:
        result += wins * math.log1p(excess / (n * x))
    if losses > 0:
        result += losses * math.log1p(-excess / (n * (1.0 - x)))
    return max(result, 0.0)


@kernel
def log_peak(wins, losses):
    """ln f(x) + deviance of a Beta(s + 1, l + 1): the part free of x (saddle-point form)."""
    n = float(wins + losses)
    if wins <= 0 or losses <= 0:
        return math.log1p(n)
    correction = stirling_error(n) - stirling_error(float(wins)) - stirling_error(float(losses))
    return math.log1p(n) + 0.5 * math.log(n / (2.0 * math.pi * wins * losses)) + correction


@kernel
def log_gamma_ratio(n, more):
    """ln Gamma(n + more) - ln Gamma(n) for large n and a small `more`, without cancellation."""
    step = stirling_error(n + more - 1.0) - stirling_error(n - 1.0)
    return (n - 0.5) * math.log1p(more / (n - 1.0)) + more * math.log(n + more - 1.0) - more + step


@kernel
def log_density(prior, wins, losses, x, log_x, log_rest):
    """ln f(x) of the posterior of an arm with these wins and losses, given ln x and ln(1 - x)."""
    n = wins + losses
    s, f = wins + (prior.a - 1.0), losses + (prior.b - 1.0)
    if n < LOOKED_UP:
        normaliser = prior.gamma_both[n] - prior.gamma_a[wins] - prior.gamma_b[losses]
        return normaliser + s * log_x + f * log_rest
    if s < 0.0 or f < 0.0:  # one side has never been seen, and its prior count is below one
        rare, often = (prior.a, losses + prior.b) if s < 0.0 else (prior.b, wins + prior.a)
        return log_gamma_ratio(often, rare) - math.lgamma(rare) + s * log_x + f * log_rest
    return log_peak(s, f) - deviance(s, f, x)


@kernel
def saddle_point(wins, losses, x):
    """The density itself for exponents s, l of at least 0: the same numbers, fewer logarithms."""
    n = float(wins + losses)
    if wins <= 0 or losses <= 0:
        return (1.0 + n) * math.exp(-deviance(wins, losses, x))
    correction = stirling_error(n) - stirling_error(float(wins)) - stirling_error(float(losses))
    height = (1.0 + n) * math.sqrt(n / (2.0 * math.pi * wins * losses))
    return height * math.exp(correction - deviance(wins, losses, x))


@kernel
def slope(wins, losses, x):
    """-(ln f)'(x) = l / (1 - x) - s / x: positive right of the mode, negative left of it."""
    return ((wins + losses) * x - wins) / (x * (1.0 - x))


@kernel
def tail_bound(wins, losses, x):
    """A bound of the mass beyond x, away from the mode, for exponents s, l of at least 0."""
    return saddle_point(wins, losses, x) / abs(slope(wins, losses, x))


@kernel
def tangent_ratio(wins, losses, x, step):
    """The density at x + step over the exponential that touches it at x."""
    log_ratio = slope(wins, losses, x) * step
    if wins > 0:
        log_ratio += wins * math.log1p(step / x)
    if losses > 0:
        log_ratio += losses * math.log1p(-step / (1.0 - x))
    return math.exp(log_ratio)


@kernel
def is_accepted(wins, losses, x, step, rng):
    """Whether a uniform number is below the tangent ratio, in most cases without a logarithm.

    With y = step / x and z = step / (1 - x) the logarithm of the ratio is s (ln(1 + y) - y) +
    l (ln(1 - z) + z), and between its Taylor series to the third and to the fourth power, the
    latter twice, if neither is beyond 1/2. So is exp of a number q <= 0 between its own.
    """
    unit = step / (x * (1.0 - x))
    y, z = unit * (1.0 - x), unit * x
    wins_y, losses_z = wins * y * y, losses * z * z
    q = THIRD * (wins_y * y - losses_z * z) - 0.5 * (wins_y + losses_z)
    if not (-1.0 < q <= 0.0 and abs(y) <= 0.5 and abs(z) <= 0.5):
        accept = tangent_ratio(wins, losses, x, step)
        return accept > 0.0 and rng.random() < accept
    uniform = rng.random()
    low = 1.0 + q * (1.0 + q * (0.5 + SIXTH * q))
    if uniform < low * (1.0 - 0.5 * (wins_y * y * y + losses_z * z * z)):
        return True
    if uniform >= low + SIXTH * 0.25 * (q * q) * (q * q):
        return False
    return uniform < tangent_ratio(wins, losses, x, step)


@kernel
def jump_beyond(wins, losses, x, needed, rng):
    """The point of an exponential jump upwards from x if it is accepted, else x.

    It is not accepted, without a look, if it is no larger than needed.
    """
    step = rng.standard_exponential() / slope(wins, losses, x)
    if not 0.0 <= step < 1.0 - x or x + step <= needed:
        return x
    return x + step if is_accepted(wins, losses, x, step, rng) else x


@kernel
def sample_beyond(wins, losses, x, needed, rng):
    """An exponential jump from x away from the mode: the point, and how likely it is accepted.

    A jump upwards to a point that is no larger than needed is not accepted, without a look.
    """
    s = slope(wins, losses, x)
    step = rng.standard_exponential() / s
    if not -x < step < 1.0 - x or (s > 0.0 and x + step <= needed):
        return x, 0.0
    return x + step, tangent_ratio(wins, losses, x, step)


@kernel
def continued_fraction(a, b, x):
    """The continued fraction of the incomplete beta function (DLMF 8.17.22).

    It converges fast for x below about (a + 1) / (a + b + 2). Numerators and denominators of its
    approximants by their recurrence, which may outgrow a double if they are not scaled.
    """
    before, over = 1.0, 1.0  # the last two numerators,
    below, under = 1.0, 1.0 - (a + b) * x / (a + 1.0)  # and denominators
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        before, below = over + even * before, under + even * below
        over, under = before + odd * over, below + odd * under
        if abs(over * below - before * under) < 1e-15 * abs(over * below):
            break
        size = abs(over) + abs(under)
        if not 1e-100 < size < 1e100:
            over, under = over / size, under / size
            before, below = before / size, below / size
    return over / under


@kernel
def upper_tail(prior, wins, losses, x, log_x, log_rest):
    """P(theta > x), to about 12 digits."""
    a, b = wins + prior.a, losses + prior.b
    weight = math.exp(log_density(prior, wins, losses, x, log_x, log_rest) + log_x + log_rest)
    if x * (a + b + 2.0) > a + 1.0:
        return min(weight * continued_fraction(b, a, 1.0 - x) / b, 1.0)
    return max(1.0 - weight * continued_fraction(a, b, x) / a, 0.0)


@kernel
def sample_above(prior, wins, losses, x, tail, rng):
    """A draw of the posterior given that it is above x, whose probability is `tail`."""
    s, f = wins + (prior.a - 1.0), losses + (prior.b - 1.0)
    if tail < 0.25 and f <= 0.0:
        # the factor (1 - theta)^f by its inverse, theta^s by rejection
        highest = 1.0 if s >= 0.0 else x
        while True:
            theta = 1.0 - (1.0 - x) * (1.0 - rng.random()) ** (1.0 / (f + 1.0))
            if rng.random() < (theta / highest) ** s and theta > x:
                return theta
    if tail < 0.25 and s >= 0.0 and slope(s, f, x) > 0.0:
        while True:
            theta, accept = sample_beyond(s, f, x, x, rng)
            if rng.random() < accept:
                return theta
    theta = x
    while theta <= x:
        theta = rng.beta(wins + prior.a, losses + prior.b)
    return theta


@kernel
def flag_chance(prior, wins, losses, x, log_x, log_rest, sharp):
    """A bound of P(theta > x), the density at x, and whether the bound is the probability itself.

    That takes longer to work out, so it is done where the posterior is not log-concave and, if it
    is to be sharp, where the bound would be useless.
    """
    s, f = wins + (prior.a - 1.0), losses + (prior.b - 1.0)
    concave, steep = s >= 0.0 and f >= 0.0, slope(s, f, x)
    bound, density = 1.0, 0.0
    if concave and steep > 0.0:
        if wins + losses < LOOKED_UP:
            density = math.exp(log_density(prior, wins, losses, x, log_x, log_rest))
        else:
            density = saddle_point(s, f, x)
        bound = density / steep
    if not concave or (sharp and bound > USELESS):
        density = math.exp(log_density(prior, wins, losses, x, log_x, log_rest))
        return upper_tail(prior, wins, losses, x, log_x, log_rest), density, True
    return bound, density, False
