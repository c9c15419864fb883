"""Wins in a small number of rounds, drawn in a few nanoseconds from tables.

Close to its guard an arm can only be pulled in small blocks, a great many of them and all of the
same arm. So the binomial distribution function of 1, 2, 4, ... rounds is tabulated for that arm as
soon as it is asked for often enough, and a draw is one uniform number and a look into the table.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.bridges import log_factorials
from rankone.engine.compiled import kernel

# One table for each power of two: 1, 2, 4, ..., 8192 rounds.
TABLES = 14
LARGEST = 1 << (TABLES - 1)
LOG_FACTORIALS = log_factorials(LARGEST)

# A table of n rounds takes about n steps to fill: it is filled at the (n / 8)-th request.
ROUNDS_PER_REQUEST = 8

# The search in a table starts from the cell of width 1 / CELLS that the uniform number falls into.
CELLS = 512


class BinomialTables(NamedTuple):
    """Table i is the distribution of the wins of one arm in 2^i rounds."""

    slack: np.ndarray  # how far above its guard an arm must be for a block of 2^i rounds
    arm: np.ndarray  # the arm that the table was filled for, -1: none yet
    requests: np.ndarray  # how often another arm has asked for it since
    below: np.ndarray  # P(at most w wins), one table after the other
    first: np.ndarray  # the fewest wins that a uniform number in a cell can stand for
    log_factorials: np.ndarray  # ln n!
    pending: np.ndarray  # room for parts of a block: i and wins of each,
    mass: np.ndarray  # and for a distribution of the wins within a block


def new_tables() -> BinomialTables:
    """Empty tables."""
    return BinomialTables(
        np.empty(TABLES),
        np.full(TABLES, -1),
        np.zeros(TABLES, np.int64),
        np.empty((1 << TABLES) - 1 + TABLES),
        np.empty((TABLES, CELLS), np.int16),
        LOG_FACTORIALS,
        np.empty((TABLES + 1, 2), np.int64),
        np.empty(LARGEST + 1),
    )


@kernel
def forget(tables):
    """Empty the tables for a new run: what a run gives must not depend on the runs before it."""
    for i in range(TABLES):
        tables.arm[i] = -1
        tables.requests[i] = 0


@kernel
def offset(i):
    """Where the 2^i + 1 probabilities of table i begin, after those of all smaller tables."""
    return (1 << i) - 1 + i


@kernel
def draw_wins(tables, i, arm, mean, rng):
    """The wins of an arm in 2^i rounds, from one uniform number once the table is filled."""
    if tables.arm[i] != arm:
        tables.requests[i] += 1
        if ROUNDS_PER_REQUEST * tables.requests[i] < 1 << i:
            return rng.binomial(1 << i, mean)
        fill(tables, i, arm, mean)
    uniform = rng.random()
    wins = int(tables.first[i, int(uniform * CELLS)])
    while uniform >= tables.below[offset(i) + wins]:
        wins += 1
    return wins


@kernel
def fill(tables, i, arm, mean):
    """Fill a table for an arm: binomial probabilities from the mode outwards, then summed up."""
    rounds = 1 << i
    below = tables.below[offset(i) : offset(i + 1)]
    mode = min(int((rounds + 1) * mean), rounds)
    below[mode] = 1.0
    for w in range(mode, rounds):
        below[w + 1] = below[w] * ((rounds - w) * mean) / ((w + 1) * (1.0 - mean))
    for w in range(mode, 0, -1):
        below[w - 1] = below[w] * (w * (1.0 - mean)) / ((rounds - w + 1) * mean)
    for w in range(rounds):
        below[w + 1] += below[w]
    for w in range(rounds + 1):
        below[w] /= below[rounds]
    wins = 0
    for cell in range(CELLS):
        while below[wins] <= cell / CELLS:
            wins += 1
        tables.first[i, cell] = wins
    tables.arm[i] = arm
    tables.requests[i] = 0
