"""policies/glse.py, committing to the whole turn of an arm."""

from rankone.engine.compiled import kernel
from rankone.engine.loop import for_sure
from rankone.policies.glse import configure, next_turn, observe, start

__all__ = ["configure", "decide", "observe", "start"]


@kernel
def decide(state, t, rng):
    arm, rounds = next_turn(state, t, rng)
    return for_sure(arm, rounds)
