"""A single arm: there is nothing to decide, whatever the policy."""

from rankone.engine.compiled import kernel
from rankone.engine.games import Kernels
from rankone.engine.loop import for_sure

__all__ = ["KERNELS"]


def start(problem, settings):
    return problem


@kernel
def decide(problem, t, rng):
    return for_sure(0, problem.horizon)


@kernel
def observe(problem, arm, rounds, wins):
    pass


KERNELS = Kernels(start, decide, observe)
