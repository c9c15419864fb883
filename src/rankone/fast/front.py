"""The front: those of many competitors that come into question for a while, in order.

Every competitor has a *bound* that its index does not exceed until a known time. Those with a bound
at or above a bar are in the front, sorted by their bounds, the largest one last; all others are
below the bar. Competitors with equal counts are of one *kind*: they have equal bounds and indices
and stand next to each other, so that thousands that are still alike are dealt with at once.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel


class Front(NamedTuple):
    """Ascending in (bound, kind, position)."""

    size: np.ndarray  # (1,) how many are in it
    bound: np.ndarray
    kind: np.ndarray
    position: np.ndarray


def new_front(most):
    """Room for at most so many."""
    return Front(
        np.zeros(1, np.int64), np.empty(most), np.empty(most, np.int64), np.empty(most, np.int64)
    )


@kernel
def kind_of(arm, pulls, wins):
    """A number that tells counts apart; beyond 2^31 pulls every arm is its own kind."""
    return (pulls << 32) | wins if pulls < 1 << 31 else -2 - arm


@kernel
def comes_after(front, slot, bound, kind, position):
    """Whether what is in a slot belongs behind a competitor with this bound."""
    if front.bound[slot] != bound:
        return front.bound[slot] > bound
    if front.kind[slot] != kind:
        return front.kind[slot] > kind
    return front.position[slot] > position


@kernel
def put(front, slot, bound, kind, position):
    front.bound[slot], front.kind[slot], front.position[slot] = bound, kind, position


@kernel
def copy(front, source, target):
    put(front, target, front.bound[source], front.kind[source], front.position[source])


@kernel
def settle(front, slot, bound, kind, position):
    """Put a competitor in its place: the slot is free, and all others are in order."""
    while slot + 1 < front.size[0] and not comes_after(front, slot + 1, bound, kind, position):
        copy(front, slot + 1, slot)
        slot += 1
    while slot > 0 and comes_after(front, slot - 1, bound, kind, position):
        copy(front, slot - 1, slot)
        slot -= 1
    put(front, slot, bound, kind, position)


@kernel
def add(front, bound, kind, position):
    """One more, in its place."""
    front.size[0] += 1
    settle(front, front.size[0] - 1, bound, kind, position)


@kernel
def take_out(front, slot):
    """Those behind it move up: the last ones are the ones that are taken out most often."""
    front.size[0] -= 1
    for i in range(slot, front.size[0]):
        copy(front, i + 1, i)


@kernel
def slot_of(front, position):
    """The slot of a competitor, -1 if it is not in the front."""
    slot = front.size[0] - 1
    while slot >= 0 and front.position[slot] != position:
        slot -= 1
    return slot


@kernel
def first_alike(front, slot):
    """The first slot of those that are of the kind of this one, given the last one of them."""
    bound, kind = front.bound[slot], front.kind[slot]
    step, low = 1, slot  # the slots from `low` on are of this kind; the steps double
    while low - step >= 0 and front.bound[low - step] == bound and front.kind[low - step] == kind:
        low -= step
        step *= 2
    while step > 1:
        step //= 2
        if low >= step and front.bound[low - step] == bound and front.kind[low - step] == kind:
            low -= step
    return low


@kernel(inline=False)
def sort(front):
    """Put all of them in order, by Shell's method."""
    gap = 1
    while 9 * gap < 4 * front.size[0]:
        gap = 9 * gap // 4 + 1
    while gap > 0:
        for i in range(gap, front.size[0]):
            bound, kind, position = front.bound[i], front.kind[i], front.position[i]
            slot = i
            while slot >= gap and comes_after(front, slot - gap, bound, kind, position):
                copy(front, slot - gap, slot)
                slot -= gap
            put(front, slot, bound, kind, position)
        gap = gap * 4 // 9 if gap > 2 else gap - 1
