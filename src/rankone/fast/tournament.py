"""A tournament tree: who is best of many, kept up to date at O(log n) a change.

A full binary tree stored as in a heap: node 1 is the root, node i has the children 2 i and 2 i + 1,
and the leaves are the values in their order. A node knows the best value below it, how many leaves
share it, and the runner-up, the best of the smaller ones. So a tie is broken as fairly as by a look
at all the leaves, and the best of all others is known without a search.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import uniform_index
from rankone.engine.compiled import kernel


class Tournament(NamedTuple):
    best: np.ndarray
    ties: np.ndarray
    runner: np.ndarray  # -inf where all leaves below are alike


def tournament(values):
    """The tree over these values."""
    tree = room(len(values))
    leaves = len(tree.best) // 2
    tree.best[leaves : leaves + len(values)] = values
    tree.ties[leaves : leaves + len(values)] = 1
    while leaves > 1:  # a generation of the tree at a time, as `play_off` does it node by node
        leaves //= 2
        parents = slice(leaves, 2 * leaves)
        left, right = slice(2 * leaves, 4 * leaves, 2), slice(2 * leaves + 1, 4 * leaves, 2)
        best, ties, runner = tree.best, tree.ties, tree.runner
        more, less = np.maximum(best[left], best[right]), np.minimum(best[left], best[right])
        best[parents] = more
        ties[parents] = ties[left] * (best[left] == more) + ties[right] * (best[right] == more)
        loser = np.where(less < more, less, -np.inf)
        runner[parents] = np.maximum(np.maximum(runner[left], runner[right]), loser)
    return tree


def room(n):
    """A tree for up to n values, all of them -inf."""
    leaves = 1
    while leaves < n:
        leaves *= 2
    best = np.full(2 * leaves, -np.inf)
    return Tournament(best, np.zeros(2 * leaves, np.int64), np.full(2 * leaves, -np.inf))


@kernel
def fill(tree, values):
    """Put these values in the place of all that were there."""
    leaves = len(tree.best) // 2
    for position in range(leaves):
        filled = position < len(values)
        tree.best[leaves + position] = values[position] if filled else -np.inf
        tree.ties[leaves + position] = filled
    for node in range(leaves - 1, 0, -1):
        play_off(tree, node)


@kernel
def update(tree, position, value):
    """Change one value; nothing changes above a node that stays as it was."""
    node = len(tree.best) // 2 + position
    tree.best[node] = value
    while node > 1:
        node //= 2
        best, ties, runner = tree.best[node], tree.ties[node], tree.runner[node]
        play_off(tree, node)
        if best == tree.best[node] and ties == tree.ties[node] and runner == tree.runner[node]:
            break


@kernel
def play_off(tree, node):
    """Work out a node from its two children; without a branch, as who wins is hard to foresee."""
    best, ties, runner = tree.best, tree.ties, tree.runner
    left, right = 2 * node, 2 * node + 1
    more, less = max(best[left], best[right]), min(best[left], best[right])
    best[node] = more
    ties[node] = ties[left] * (best[left] == more) + ties[right] * (best[right] == more)
    runner[node] = max(runner[left], runner[right], less if less < more else -np.inf)


@kernel
def top(tree):
    """The largest value."""
    return tree.best[1]


@kernel
def champion(tree, rng):
    """The position of the largest value, by the same draws as argmax.best_of."""
    ties = tree.ties[1]
    skip = 0 if ties == 1 else uniform_index(ties, rng)
    return holder(tree, 1, skip)


@kernel
def holder(tree, node, skip):
    """The position of the leaf below a node that holds its best value, after `skip` others."""
    leaves = len(tree.best) // 2
    while node < leaves:
        left = 2 * node
        before = tree.ties[left] if tree.best[left] == tree.best[node] else 0
        if skip < before:
            node = left
        else:
            skip -= before
            node = left + 1
    return node - leaves


@kernel
def second(tree, position):
    """The best value among all positions but this one; -inf if it is alone."""
    held_alone = tree.ties[1] == 1 and value(tree, position) == tree.best[1]
    return tree.runner[1] if held_alone else tree.best[1]


@kernel
def value(tree, position):
    """The value at a position."""
    return tree.best[len(tree.best) // 2 + position]
