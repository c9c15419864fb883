"""The one loop that plays every policy.

A policy *commits*: it names an arm and for how many rounds it will pull it. The paper's policies
commit to one round; their fast versions to as many as they can prove to be spent on that arm. The
engine keeps the count of pulls, hence the regret; a policy never sees the means.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from rankone.engine.binomial import BinomialTables, forget
from rankone.engine.blocks import pull
from rankone.engine.compiled import entry, kernel


class Commitment(NamedTuple):
    """Pull `arm` for `rounds` rounds, or until its wins fall below a line, the guard.

    After j pulls with w wins the commitment ends early where w < floor + slope * j (floor <= 0): a
    policy that can promise to pull an arm only while it wins often enough says so with the guard.
    """

    arm: int
    rounds: int
    floor: float
    slope: float


@kernel
def once(arm):
    """A commitment to a single round."""
    return Commitment(arm, 1, -math.inf, 0.0)


@kernel
def for_sure(arm, rounds):
    """A commitment to a number of rounds whatever the rewards."""
    return Commitment(arm, rounds, -math.inf, 0.0)


def as_commitment(decision):
    """What a policy decided as a commitment: a bare arm is pulled once."""
    return decision if isinstance(decision, tuple) else once(decision)


@overload(as_commitment)
def _as_commitment(decision):
    if isinstance(decision, types.Integer):
        return lambda decision: once(decision)
    return lambda decision: decision


class Game(NamedTuple):
    """Some runs of a policy on an instance, and how far they have been played."""

    means: np.ndarray
    gaps: np.ndarray  # best mean - mean
    checkpoints: np.ndarray  # rounds at which the regret is recorded; the last one is the horizon
    tables: BinomialTables
    fresh: np.ndarray  # the words of the policy's state at the start of a run,
    state: np.ndarray  # and those of the run under way
    seeds: np.ndarray  # (runs, 4): the words of the random generator at the start of each run,
    source: np.ndarray  # where the generator in use keeps its own,
    halves: np.ndarray  # and the half of a word that it may have left over
    position: np.ndarray  # (3,): the run under way, the rounds played of it, its next checkpoint
    regret: np.ndarray  # (runs, checkpoints): filled in as the runs are played
    pulls: np.ndarray  # (runs, arms)
    refused: np.ndarray  # (2,): arm and rounds of a commitment that cannot be carried out


# What a player returns.
UNFINISHED, OVER, REFUSED = 0, 1, 2


def player(decide: Callable[..., Any], observe: Callable[..., Any]) -> Any:
    """The function that plays games of the policy with these kernels.

    It returns when all runs are over, or after `budget` decisions: the game and the state hold all
    there is, so that the next call goes on where the last one stopped.
    """

    def play(game, state, budget, rng):
        run, t, checkpoint = game.position[0], game.position[1], game.position[2]
        horizon = game.checkpoints[len(game.checkpoints) - 1]
        while run < len(game.seeds) and budget > 0:
            if t == 0:
                begin(game, run)
            while t < horizon and budget > 0:
                budget -= 1
                commitment = as_commitment(decide(state, t, rng))
                if not 0 <= commitment.arm < len(game.means) or commitment.rounds < 1:
                    game.refused[0], game.refused[1] = commitment.arm, commitment.rounds
                    return REFUSED
                t, checkpoint, rounds, wins = carry_out(game, commitment, run, t, checkpoint, rng)
                observe(state, commitment.arm, rounds, wins)
            if t == horizon:
                run, t, checkpoint = run + 1, 0, 0
        game.position[0], game.position[1], game.position[2] = run, t, checkpoint
        return OVER if run == len(game.seeds) else UNFINISHED

    return entry(play, _nrt=False, nogil=True)


@kernel
def begin(game, run):
    """Start a run: the state as it was made, the generator of this run, no table filled."""
    for i in range(len(game.fresh)):
        game.state[i] = game.fresh[i]
    for i in range(4):
        game.source[i] = game.seeds[run, i]
    game.halves[0] = 0
    forget(game.tables)


@kernel
def carry_out(game, commitment, run, t, checkpoint, rng):
    """Carry out a commitment; return the new round and checkpoint, the rounds played and the wins.

    It may run past checkpoints: a policy need not know them.
    """
    arm, floor, slope = commitment.arm, commitment.floor, commitment.slope
    left = min(commitment.rounds, game.checkpoints[len(game.checkpoints) - 1] - t)
    played = 0
    wins = 0
    while left > 0:
        step = min(left, game.checkpoints[checkpoint] - t)
        rounds, won = pull(game.means, game.tables, Commitment(arm, left, floor, slope), step, rng)
        played += rounds
        wins += won
        t += rounds
        game.pulls[run, arm] += rounds
        left = 0 if won < floor + slope * rounds else left - rounds
        floor = floor - won + slope * rounds
        if t == game.checkpoints[checkpoint]:
            record_regret(game, run, checkpoint)
            checkpoint += 1
    return t, checkpoint, played, wins


@kernel
def record_regret(game, run, checkpoint):
    """From the integer counts, not summed up round by round: no rounding builds up."""
    total = 0.0
    for arm in range(len(game.gaps)):
        total += game.pulls[run, arm] * game.gaps[arm]
    game.regret[run, checkpoint] = total
