"""policies/pair_elim.py, committing for good once one row and one column are left."""

from rankone.engine.compiled import kernel
from rankone.engine.loop import for_sure
from rankone.policies import pair_elim
from rankone.policies._elimination import COLUMNS, ROWS, cell
from rankone.policies.pair_elim import configure, observe, start, supports

__all__ = ["configure", "decide", "observe", "start", "supports"]


@kernel
def decide(state, t, rng):
    if state.actives[ROWS] == 1 and state.actives[COLUMNS] == 1:
        state.turn[0] = 0  # so that `observe` has a line to add to
        arm = cell(state, ROWS, state.active[ROWS, 0], state.active[COLUMNS, 0])
        return for_sure(arm, state.problem.horizon)
    return pair_elim.decide(state, t, rng)
