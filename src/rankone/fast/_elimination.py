"""Rank1Elim and Rank1ElimKL, equal in law: once one row and one column are left, all is decided."""

from rankone.engine.compiled import kernel
from rankone.engine.loop import for_sure
from rankone.policies import _elimination as elimination
from rankone.policies._elimination import COLUMNS, ROWS, cell


@kernel
def decide(state, t, rng):
    if state.actives[ROWS] == 1 and state.actives[COLUMNS] == 1:
        arm = cell(state, ROWS, state.active[ROWS, 0], state.active[COLUMNS, 0])
        state.turn[0] = 0  # it may have passed the only column of a single arm
        return for_sure(arm, state.problem.horizon)
    return elimination.decide(state, t, rng)
