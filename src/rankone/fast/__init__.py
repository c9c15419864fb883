"""What lets a policy commit to many rounds at once."""

from collections.abc import Callable
from typing import NamedTuple


class Engine(NamedTuple):
    """What the loop needs of a policy."""

    start: Callable  # start(problem, settings) -> state, ordinary Python
    decide: Callable  # decide(state, t, rng) -> Commitment, compiled
    observe: Callable  # observe(state, arm, rounds, wins), compiled
