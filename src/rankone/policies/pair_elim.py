"""PairElim of Sentenac, Yi, Calauzenes, Perchet and Vojnovic (2021), in its rank-one form.

Rows and columns are sampled as by Rank1Elim (policies/_elimination.py): a column is drawn from all
L and replaced by its stand-in, and every active row is pulled with it; then a row is drawn
likewise, and every active column is pulled with it. But rows are compared with each partner apart,
too: for every column there is a process of its own, which knows the wins of the rows with that
column, and one more that pools all columns. A process that has D = 1, 1/2, 1/4, ... and
p = ceil(4 D^-2 ln T) samples of each row eliminates those with a mean + r below the best mean - r,
r = sqrt(ln T / p); the best row is their stand-in, and D halves. The columns likewise.

After the public program of its authors, with the horizon T known. (The program gives the columns
the horizons 2^(2^w) and begins anew with each.) Chosen: of the two processes that a partner adds
to, its own comes first; ties for the best are broken at random.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of, uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.loop import once
from rankone.instances import Problem
from rankone.policies._elimination import COLUMNS, ROWS, cell, supports

__all__ = ["configure", "decide", "observe", "start", "supports"]


class Settings(NamedTuple):
    log_n: float  # ln T


class State(NamedTuple):
    problem: Problem
    settings: Settings
    stand_in: np.ndarray  # (2, longest): of rows and of columns
    active: np.ndarray  # (2, longest): the lines that stand for themselves, ascending
    actives: np.ndarray  # (2,): how many
    wins: np.ndarray  # (2, longest + 1, longest): of a side's lines by process, the pooled one last
    samples: np.ndarray  # (2, longest + 1): p, of each active line in a process
    stages: np.ndarray  # (2, longest + 1): D = 2^-stage
    means: np.ndarray  # (longest,): of the active lines in a process
    side: np.ndarray  # (1,): the side whose lines are being pulled,
    turn: np.ndarray  # (1,): how many of its active lines have been,
    partners: np.ndarray  # (2,): and the line of the other side that they are pulled with


def configure(problem: Problem) -> Settings:
    return Settings(math.log(problem.horizon))


def start(problem, settings):
    longest = max(problem.rows, problem.columns)
    lines = np.tile(np.arange(longest), (2, 1))
    return State(
        problem,
        settings,
        lines.copy(),
        lines.copy(),
        np.array([problem.rows, problem.columns]),
        np.zeros((2, longest + 1, longest), np.int64),
        np.zeros((2, longest + 1), np.int64),
        np.zeros((2, longest + 1), np.int64),
        np.zeros(longest),
        np.full(1, ROWS),
        np.zeros(1, np.int64),
        np.zeros(2, np.int64),
    )


@kernel
def decide(state, t, rng):
    if state.turn[0] == state.actives[state.side[0]]:
        _next_side(state, rng)
    side = state.side[0]
    if state.turn[0] == 0:
        size = state.problem.rows if side == COLUMNS else state.problem.columns
        state.partners[side] = state.stand_in[1 - side, uniform_index(size, rng)]
    return once(cell(state, side, state.active[side, state.turn[0]], state.partners[side]))


@kernel
def observe(state, arm, rounds, wins):
    side = state.side[0]
    line = state.active[side, state.turn[0]]
    state.wins[side, state.partners[side], line] += wins
    state.wins[side, _pooled(state), line] += wins
    state.turn[0] += 1


@kernel
def _pooled(state):
    return state.wins.shape[1] - 1


@kernel
def _next_side(state, rng):
    """Go on with the other side; after the columns, eliminate."""
    side = state.side[0]
    state.side[0], state.turn[0] = 1 - side, 0
    if side == COLUMNS:
        for pulled in (ROWS, COLUMNS):
            for process in (state.partners[pulled], _pooled(state)):
                state.samples[pulled, process] += 1
                _test(state, pulled, process, rng)


@kernel
def _test(state, side, process, rng):
    """Eliminate in a process that has its samples; that alone is left takes no test."""
    log_n, samples = state.settings.log_n, state.samples[side, process]
    stage = state.stages[side, process]
    if samples < math.ceil(4.0 * 4.0**stage * log_n):
        return
    state.stages[side, process] += 1
    size = state.actives[side]
    for position in range(size):
        line = state.active[side, position]
        state.means[position] = state.wins[side, process, line] / samples
    best = best_of(state.means[:size], rng)
    winner, radius = state.active[side, best], math.sqrt(log_n / samples)
    lowest = state.means[best] - radius
    kept = 0
    for position in range(size):
        line = state.active[side, position]
        if state.means[position] + radius < lowest:
            for other in range(state.stand_in.shape[1]):
                if state.stand_in[side, other] == line:
                    state.stand_in[side, other] = winner
        else:
            state.active[side, kept] = line
            kept += 1
    state.actives[side] = kept
