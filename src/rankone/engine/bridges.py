"""Between two known ends: whether a block whose wins are drawn broke the guard on the way.

The wins of a block are drawn as one number, their order is not. All orders are equally likely, so
the chance that the wins fell below the guard in between is that of a *bridge* from one end to the
other. Where both ends are far above the guard that is next to impossible; where it is unlikely, one
uniform number decides it in most cases without further work; else the block is cut in two halves,
until the round is found in which the guard was broken.
"""

import math

import numpy as np

from rankone.engine.compiled import kernel

# What is rarer than exp(-LOG_RISK) = 2^-53 is beyond the resolution of a uniform random number.
LOG_RISK = 53 * math.log(2)

# Blocks of up to 2^ONE_BY_ONE rounds are put in order one by one.
ONE_BY_ONE = 3

# A first break in 2^i rounds takes about 2^(1.5 i) steps to find. So it is not searched for unless
# a break is less likely than 2^-i.
RARE = math.log(2)

# A path less likely than this is left out of the search for a first break.
NOTHING = 1e-30


def log_factorials(largest: int) -> np.ndarray:
    """ln n! for n up to the largest, inclusive."""
    return np.array([math.lgamma(n + 1.0) for n in range(largest + 1)])


@kernel
def unlikeliness(slack, end, rounds):
    """The chance that a bridge breaks the guard is at most exp(-this), see docs/exact-and-fast.md.

    It begins `slack` above the guard and ends `end` above it.
    """
    return 8.0 * max(slack - 0.5, 0.0) * max(end - 0.5, 0.0) / rounds


@kernel
def keeps_guard(slack, end, i, lost, slope, luck):
    """Whether a bridge of 2^i rounds surely keeps the guard, given the luck that it has.

    It does even if it loses first, or if it breaks the guard with a chance of less than exp(-luck).
    The luck is an exponential number, so that exp(-luck) is a uniform one.
    """
    if end >= 0.0 and slope * lost <= slack:
        return True
    return unlikeliness(slack, end, 1 << i) > max(luck, RARE * i)


@kernel
def first_half(tables, i, won, rng):
    """The wins in the first half of a block of 2^i rounds with so many wins.

    They are hypergeometric; the distribution is summed up from its mode outwards.
    """
    half, logs = 1 << (i - 1), tables.log_factorials
    low = high = won // 2
    other = won - low
    log_mode = 2.0 * logs[half] - logs[low] - logs[half - low] - logs[other] - logs[half - other]
    log_mode -= logs[2 * half] - logs[won] - logs[2 * half - won]
    below = above = math.exp(log_mode)
    uniform = rng.random() - below
    while uniform >= 0.0 and below + above > NOTHING:
        above *= (half - high) * (won - high) / ((high + 1.0) * (half - won + high + 1.0))
        high += 1
        uniform -= above
        if uniform < 0.0:
            return high
        below *= low * (half - won + low) / ((half - low + 1.0) * (won - low + 1.0))
        low -= 1
        uniform -= below
    return low if uniform < 0.0 else won // 2


@kernel
def first_break(mass, uniform, won, rounds, wins, played, floor, slope):
    """The round in which a bridge breaks the guard first and its wins by then, or (0, 0) for never.

    The inverse of the distribution function at a uniform number: the chances of a first break in
    round 1, 2, ... are summed up. mass[x] is the chance of x wins so far and no break.
    """
    low, high, broken = 0, 0, 0.0
    mass[0] = 1.0
    for j in range(1, rounds + 1):
        left = rounds - j + 1.0
        if high < won:
            high += 1
            mass[high] = 0.0
        for x in range(high, low, -1):
            mass[x] = mass[x] * (1.0 - (won - x) / left) + mass[x - 1] * ((won - x + 1) / left)
        mass[low] *= 1.0 - (won - low) / left
        while low <= high and wins + low < floor + slope * (played + j):
            broken += mass[low]
            if uniform < broken:
                return j, low
            low += 1
        while low < high and mass[high] < NOTHING:
            high -= 1
        while low < high and mass[low] < NOTHING:
            low += 1
    return 0, 0


@kernel(inline=False)
def follow(tables, i, won, wins, played, floor, slope, luck, rng):
    """Follow a block of 2^i rounds with so many wins up to the round in which it breaks the guard.

    Before it there were `wins` in `played` rounds. Returns the rounds and wins, those of the whole
    block if it keeps the guard.
    """
    pending, depth, rounds, got = tables.pending, 1, 0, 0
    pending[0, 0], pending[0, 1] = i, won
    while depth > 0:
        depth -= 1
        i, won = pending[depth, 0], pending[depth, 1]
        size = 1 << i
        slack = wins + got - floor - slope * (played + rounds)
        end = slack + won - slope * size
        kept = keeps_guard(slack, end, i, size - won, slope, luck)
        if not kept and unlikeliness(slack, end, size) > RARE * i:
            kept = True
            first, so_far = first_break(
                *(tables.mass, math.exp(-luck), won, size),
                *(wins + got, played + rounds, floor, slope),
            )
            if first > 0:
                return rounds + first, got + so_far
        if kept:
            rounds += size
            got += won
        elif i > ONE_BY_ONE:
            first = first_half(tables, i, won, rng)
            pending[depth, 0], pending[depth, 1] = i - 1, won - first
            pending[depth + 1, 0], pending[depth + 1, 1] = i - 1, first
            depth += 2
        else:
            for left in range(size, 0, -1):
                win = rng.random() * left < won
                won -= win
                got += win
                rounds += 1
                if wins + got < floor + slope * (played + rounds):
                    return rounds, got
        luck = rng.standard_exponential()
    return rounds, got
