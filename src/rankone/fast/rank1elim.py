"""policies/rank1elim.py with the commitments of fast/elimination.py."""

from rankone.engine.compiled import entry
from rankone.engine.loop import play, pull
from rankone.fast._elimination import decide
from rankone.policies._elimination import observe, start, supports
from rankone.policies.rank1elim import configure

__all__ = ["configure", "run", "start", "supports"]


@entry
def run(state, dice, means, checkpoints, rng):
    return play(decide, observe, pull, state, dice, means, checkpoints, rng)
