"""What the loop needs of a policy: three functions."""

from collections.abc import Callable
from typing import NamedTuple


class Engine(NamedTuple):
    start: Callable  # start(problem, settings) -> state, ordinary Python
    decide: Callable  # decide(state, t, rng) -> Commitment, compiled
    observe: Callable  # observe(state, arm, rounds, wins), compiled
