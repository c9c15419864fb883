"""Tails of Beta posteriors: log densities good at any size, bounds that hold without exception.

A Beta(S + 1, F + 1) density f is log-concave, so beyond a level x on the far side of its mode it
lies under the exponential f(x) exp(-s |y - x|) with s = |(ln f)'(x)|. Hence the tail beyond x has
at most the mass f(x) / s, and an exponential jump from x, accepted with the ratio, samples it
exactly.
"""

import math

import numpy as np
from scipy.special import gammaln

from rankone.engine.compiled import kernel

# ln n! of small n, looked up; beyond, the sums that make up a log density would begin to cancel
LOG_FACTORIAL = gammaln(np.arange(4097) + 1.0)


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
    """ln f(x) + deviance of a Beta(S + 1, F + 1): the part free of x (saddle-point form)."""
    n = float(wins + losses)
    if wins <= 0 or losses <= 0:
        return math.log1p(n)
    correction = stirling_error(n) - stirling_error(float(wins)) - stirling_error(float(losses))
    return math.log1p(n) + 0.5 * math.log(n / (2.0 * math.pi * wins * losses)) + correction


@kernel
def log_density(wins, losses, x, log_x, log_rest):
    """ln f(x) of a Beta(S + 1, F + 1) for whole S and F, given ln x and ln(1 - x)."""
    n = wins + losses
    if n + 1 < len(LOG_FACTORIAL):
        normaliser = LOG_FACTORIAL[n + 1] - LOG_FACTORIAL[wins] - LOG_FACTORIAL[losses]
        return normaliser + wins * log_x + losses * log_rest
    return log_peak(wins, losses) - deviance(wins, losses, x)


@kernel
def slope(wins, losses, x):
    """-(ln f)'(x) = F / (1 - x) - S / x: positive right of the mode, negative left of it."""
    return ((wins + losses) * x - wins) / (x * (1.0 - x))


@kernel
def tail_bound(wins, losses, x):
    """A bound of the mass beyond x, on the side of x that is away from the mode."""
    return math.exp(log_peak(wins, losses) - deviance(wins, losses, x)) / abs(
        slope(wins, losses, x)
    )


@kernel
def sample_beyond(wins, losses, x, rng):
    """An exponential jump from x away from the mode: the point, and how likely it is accepted."""
    s = slope(wins, losses, x)
    step = rng.standard_exponential() / s
    if not -x < step < 1.0 - x:
        return x, 0.0
    log_ratio = s * step
    if wins > 0:
        log_ratio += wins * math.log1p(step / x)
    if losses > 0:
        log_ratio += losses * math.log1p(-step / (1.0 - x))
    return x + step, math.exp(log_ratio)
