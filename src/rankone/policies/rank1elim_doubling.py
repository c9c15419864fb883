"""Rank1Elim without a horizon: played anew for the horizons 2^(2^w), w = 0, 1, 2, ...

Rank1Elim of Katariya et al. (2017, AISTATS) needs to know the horizon n. Here it is told n = 2, and
after 2, 4, 16, 256, 65536, ... rounds in all it begins from scratch with the next of these numbers,
so that ln n at most doubles from one to the next. The horizons are those of the public program of
Sentenac et al. (2021), which starts anew for the columns only; chosen: for rows and columns.
"""

import numpy as np

from rankone.engine.compiled import kernel
from rankone.instances import Problem
from rankone.policies import _elimination as elimination
from rankone.policies._elimination import COLUMNS, ROWS, Rules, observe, supports

__all__ = ["configure", "decide", "observe", "start", "supports"]


def configure(problem: Problem) -> Rules:
    return elimination.square_root_rules()


def start(problem, rules):
    state = elimination.start(problem, rules)
    return state._replace(horizon=np.full(1, 2.0))


@kernel
def decide(state, t, rng):
    renew(state, t)
    return elimination.decide(state, t, rng)


@kernel
def renew(state, t):
    """From scratch, with the next horizon, where the last one is reached."""
    if t < state.horizon[0]:
        return
    state.horizon[0] *= state.horizon[0]
    state.actives[ROWS], state.actives[COLUMNS] = state.problem.rows, state.problem.columns
    for side in (ROWS, COLUMNS):
        for line in range(state.stand_in.shape[1]):
            state.stand_in[side, line] = line
            state.active[side, line] = line
            state.wins[side, line] = 0
    # as if a stage of no length had just ended, as in elimination.start
    state.side[0], state.turn[0] = COLUMNS, state.problem.columns
    state.repeats[0], state.pulls[0] = 1, 0
    state.width[0] = state.rules.shrink
