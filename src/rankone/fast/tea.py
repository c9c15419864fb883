"""policies/tea.py, committing to a single active arm until an atom comes back.

With one active atom of each factor nothing is compared: the counts stay, and an atom comes back
when the level has risen to the square of the differences that set it aside.
"""

import math

from rankone.engine.compiled import kernel
from rankone.engine.loop import for_sure
from rankone.policies.tea import configure, level, next_round, observe, start, supports

__all__ = ["configure", "decide", "observe", "start", "supports"]

SLIP = 1e-12  # levels closer than this, relatively, are left to the plain policy


@kernel
def decide(state, t, rng):
    arm = next_round(state, t, rng)
    if state.length[0] > 1:
        return for_sure(arm, 1)
    rounds = state.horizon - t
    for factor in range(len(state.sizes)):
        rounds = min(rounds, rounds_below(state, factor, t, return_level(state, factor), rounds))
    return for_sure(arm, max(rounds, 1))


@kernel
def return_level(state, factor):
    """The lowest level at which an atom of the factor comes back; inf if none is set aside."""
    lowest, size = math.inf, state.sizes[factor]
    for b in range(size):
        if b == state.active[factor, 0]:
            continue
        height = 0.0
        for a in range(size):
            ahead, samples = state.ahead[factor, a, b], state.samples[factor, a, b]
            if samples > 0.0 and ahead > 0.0:
                height = max(height, ahead * ahead / samples)
        lowest = min(lowest, height)
    return lowest * (1.0 - SLIP)


@kernel
def rounds_below(state, factor, t, height, most):
    """So many rounds from t on, at most `most`, have a level below the height."""
    if height == math.inf or level(state, factor, t + most - 1) < height:
        return most
    few, many = 0, most
    while many - few > 1:
        middle = few + (many - few) // 2
        if level(state, factor, t + middle - 1) < height:
            few = middle
        else:
            many = middle
    return few
