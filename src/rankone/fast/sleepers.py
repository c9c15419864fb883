"""Arms that sleep below a common bar: a tree that tells who is awake, and who wakes up next.

Every arm has the exploration level at which it *wakes*: up to that level its index stays below the
bar. A full binary tree stored as in a heap (node i has the children 2 i and 2 i + 1, the leaves are
the arms in ascending order) keeps the lowest of these levels, so that the awake are found without a
look at the sleepers. Arms with equal counts have equal indices. Where all arms that share the
lowest level below a node are of one such *kind*, they are dealt with at once: thousands of arms
that are still alike cost no more than one.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel

MIXED = -1  # the arms that wake up first below a node do not all have the same counts
AWAKE = -math.inf


class Sleepers(NamedTuple):
    members: np.ndarray  # the arms compared, ascending
    size: np.ndarray  # (1,) how many
    wakes: np.ndarray  # node -> the lowest level at which an arm below it wakes up
    ties: np.ndarray  # node -> how many arms share that level
    kind: np.ndarray  # node -> their counts as one number, or MIXED
    later: np.ndarray  # node -> the lowest level above that one
    stack: np.ndarray  # room for a walk in the tree


def no_sleepers(most):
    """Room for at most so many arms."""
    leaves = 1
    while leaves < most:
        leaves *= 2
    return Sleepers(
        np.arange(most),
        np.zeros(1, np.int64),
        np.full(2 * leaves, math.inf),
        np.zeros(2 * leaves, np.int64),
        np.full(2 * leaves, MIXED),
        np.full(2 * leaves, math.inf),
        np.empty(128, np.int64),
    )


@kernel
def kind_of(arm, pulls, wins):
    """A number that tells counts apart; beyond 2^31 pulls every arm is its own kind."""
    return (pulls << 32) | wins if pulls < 1 << 31 else -2 - arm


@kernel
def compare(sleepers, node):
    """Work out a node from its two children."""
    wakes, ties, kind, later = sleepers.wakes, sleepers.ties, sleepers.kind, sleepers.later
    left, right = 2 * node, 2 * node + 1
    first, last = min(wakes[left], wakes[right]), max(wakes[left], wakes[right])
    wakes[node] = first
    ties[node] = ties[left] * (wakes[left] == first) + ties[right] * (wakes[right] == first)
    later[node] = min(later[left], later[right], last if last > first else math.inf)
    if first < last:
        kind[node] = kind[left] if wakes[left] == first else kind[right]
    else:
        kind[node] = kind[left] if kind[left] == kind[right] else MIXED


@kernel
def set_wake(sleepers, position, kind, level):
    """Change when the arm at a position wakes up."""
    node = len(sleepers.wakes) // 2 + position
    sleepers.wakes[node] = level
    sleepers.kind[node] = kind
    while node > 1:
        node //= 2
        compare(sleepers, node)


@kernel
def set_leaf(sleepers, position, kind, level):
    """The same without the nodes above it, which `build` works out for all leaves."""
    node = len(sleepers.wakes) // 2 + position
    sleepers.wakes[node] = level
    sleepers.kind[node] = kind


@kernel
def build(sleepers):
    """Work out the whole tree from the leaves of the members."""
    leaves = len(sleepers.wakes) // 2
    for position in range(leaves):
        filled = position < sleepers.size[0]
        sleepers.ties[leaves + position] = filled
        if not filled:
            sleepers.wakes[leaves + position] = math.inf
    for node in range(leaves - 1, 0, -1):
        compare(sleepers, node)


@kernel
def first_to_wake(sleepers, node, skip):
    """The position of an arm below a node that wakes up first, after `skip` others that do too."""
    leaves = len(sleepers.wakes) // 2
    while node < leaves:
        left = 2 * node
        before = sleepers.ties[left] if sleepers.wakes[left] == sleepers.wakes[node] else 0
        if skip < before:
            node = left
        else:
            skip -= before
            node = left + 1
    return node - leaves
