"""The binary relative entropy kl(p, q), its inverses in q, and the index made of them."""

import math

from rankone.engine.compiled import kernel

# An index closer to one than this is found by its distance from one.
NEXT_TO_ONE = 1e-4


@kernel
def kl(p, q):
    """kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), with 0 ln 0 = 0."""
    result = 0.0
    if p > 0.0:
        if q <= 0.0:
            return math.inf
        result += p * math.log(p / q)
    if p < 1.0:
        if q >= 1.0:
            return math.inf
        result += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return max(result, 0.0)


@kernel
def kl_upper(p, d):
    """The largest q with kl(p, q) <= d: an upper confidence bound of a Bernoulli mean.

    Newton's iteration from the right: kl(p, .) is convex above p, so it never overshoots the root.
    """
    if d <= 0.0:
        return p
    if p >= 1.0:
        return 1.0
    if p <= 0.0:
        return -math.expm1(-d)
    # two points surely right of the root: Pinsker's, and where (1-p) ln((1-p)/(1-q)) alone is d + h
    entropy = -p * math.log(p) - (1.0 - p) * math.log1p(-p)
    gap = min(math.sqrt(d / 2.0), 1.0 - p - math.exp(-(d + entropy) / (1.0 - p)))
    if gap >= 1.0 - p:
        return 1.0
    for _ in range(60):
        # in the gap q - p, so that nothing cancels when d is tiny
        excess = -p * math.log1p(gap / p) - (1.0 - p) * math.log1p(-gap / (1.0 - p)) - d
        step = excess * (p + gap) * (1.0 - p - gap) / gap
        if not step > 0.0:
            break
        gap -= step
        # Newton squares the error, relative to the distance from both ends: below rounding
        if step < 1e-8 * min(gap, 1.0 - p - gap):
            break
    return p + gap


@kernel
def kl_lower(p, d):
    """The smallest q with kl(p, q) <= d, by symmetry."""
    return 1.0 - kl_upper(1.0 - p, d)


@kernel
def exploration(t, c):
    """f(t) = ln t + c ln ln t."""
    if t <= 1:
        return 0.0
    log_t = math.log(t)
    return log_t + c * math.log(max(1.0, log_t))


@kernel
def index(pulls, wins, level, width):
    """max{q : N kl(S/N, q) <= level}; 1 for an arm never pulled."""
    if pulls == 0:
        return 1.0
    mean = wins / pulls
    if width <= 0.0:
        upper = kl_upper(mean, level / pulls)
        next_to_one = upper > 1.0 - NEXT_TO_ONE and wins < pulls
        return 1.0 - distance_from_one(pulls, wins, level) if next_to_one else upper
    low, high = bisect(pulls, mean, level, width)
    return (low + high) / 2.0


@kernel(inline=False)
def distance_from_one(pulls, wins, level):
    """y = 1 - max{q : N kl(S/N, q) <= level} for an arm that lost, to 13 digits.

    In z = ln y the deviance is S ln(S/N) + F ln(F/N) - S ln(1 - y) - F z: convex, and falling up to
    y = F/N. Without the term in ln(1 - y) its root is too small; from there Newton's iteration
    comes closer from one side.
    """
    lost = float(pulls - wins)
    if wins == 0:
        return math.exp(-level / lost)
    start = (wins * math.log1p(-lost / pulls) - level) / lost + math.log(lost / pulls)
    further = 0.0
    for _ in range(60):
        y = math.exp(start + further)
        step = (-wins * math.log1p(-y) - lost * further) / (lost - wins * y / (1.0 - y))
        if not step > 1e-15 * (1.0 + further):
            break
        further += step
    return math.exp(start + further)


@kernel
def bisect(pulls, mean, level, width):
    """Bounds of the index, by a bisection that stops at a width."""
    low, high = mean, 1.0
    while high - low > width:
        middle = (low + high) / 2.0
        if pulls * kl(mean, middle) > level:
            high = middle
        else:
            low = middle
    return low, high
