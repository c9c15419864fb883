"""Dice: the wins of an arm in a small number of rounds, thrown in a few nanoseconds.

A walk close to its guard can only take small steps, a great many of them and all with the same arm.
So the distribution function of the wins in so many rounds is written down once it is in demand.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel

# One die for each power of two up to 2048 rounds.
DICE = 12

# A die is made when it was asked for once in PAYS of its rounds: that often it saves what it costs.
PAYS = 8

# Uniform numbers are looked up by the cell of width 1 / CELLS that they fall into.
CELLS = 512


class Dice(NamedTuple):
    """A die of 1, 2, 4, ... rounds each."""

    need: np.ndarray  # from what slack on it may be thrown; the engine fills it in
    arm: np.ndarray  # the arm that it was made for
    asked: np.ndarray  # how often it was asked for since
    below: np.ndarray  # P(at most w wins), one die after the other
    first: np.ndarray  # the fewest wins that a number in a cell can stand for


@kernel
def start(die):
    """Where the 2^die + 1 sides of a die begin, after those of all smaller ones."""
    return (1 << die) - 1 + die


def new_dice():
    return Dice(
        np.empty(DICE),
        np.full(DICE, -1),
        np.zeros(DICE, np.int64),
        np.empty((1 << DICE) - 1 + DICE),
        np.empty((DICE, CELLS), np.int16),
    )


@kernel
def throw(dice, die, arm, mean, rng):
    """The wins of an arm in 2^die rounds, from one uniform number."""
    if dice.arm[die] != arm:
        dice.asked[die] += 1
        if PAYS * dice.asked[die] < 1 << die:
            return rng.binomial(1 << die, mean)
        carve(dice, die, arm, mean)
    uniform = rng.random()
    wins = int(dice.first[die, int(uniform * CELLS)])
    while uniform >= dice.below[start(die) + wins]:
        wins += 1
    return wins


@kernel
def carve(dice, die, arm, mean):
    """Make a die for an arm: Binomial probabilities from the mode outwards, then summed up."""
    rounds = 1 << die
    below = dice.below[start(die) : start(die + 1)]
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
        dice.first[die, cell] = wins
    dice.arm[die] = arm
    dice.asked[die] = 0
