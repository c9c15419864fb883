"""policies/rank1elim_doubling.py, committing where one row and one column are left."""

from rankone.engine.compiled import kernel
from rankone.engine.loop import Commitment
from rankone.fast import _elimination as elimination
from rankone.policies._elimination import observe, supports
from rankone.policies.rank1elim_doubling import configure, renew, start

__all__ = ["configure", "decide", "observe", "start", "supports"]


@kernel
def decide(state, t, rng):
    """A commitment ends where the policy begins anew."""
    renew(state, t)
    found = elimination.decide(state, t, rng)
    rounds = int(min(float(found.rounds), state.horizon[0] - t))
    return Commitment(found.arm, rounds, found.floor, found.slope)
