"""policies/rank1elim.py with the commitments of fast/elimination.py."""

from rankone.elimination import observe, start, supports
from rankone.engine import play, pull
from rankone.fast.elimination import decide
from rankone.jit import entry
from rankone.policies.rank1elim import configure

__all__ = ["configure", "run", "supports"]


@entry
def run(means, problem, parameters, checkpoints, rng):
    return play(start, decide, observe, pull, means, problem, parameters, checkpoints, rng)
