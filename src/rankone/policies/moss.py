"""MOSS of Audibert and Bubeck (2009), blind to the graph, and its anytime form.

Each arm once, then the arm with the largest index

    S_k / N_k + sqrt(scale max(0, ln(T / (K N_k))) / N_k),

where K is the number of arms and T the horizon. anytime = True puts t, the pulls made so far, in
the place of T. The constants are recalled, not looked up: scale = 1 is that of MOSS; Degenne and
Perchet (2016) have (1 + alpha) / 2 with an alpha > 0 for the anytime form.
"""

import math
from typing import NamedTuple

from rankone.policy import Problem, index_policy, kernel, positive, truth


class Settings(NamedTuple):
    arms: int
    horizon: int
    anytime: bool
    scale: float


def configure(problem: Problem, anytime: bool = False, scale: float = 1) -> Settings:
    return Settings(
        problem.arms, problem.horizon, truth("anytime", anytime), positive("scale", scale)
    )


@kernel
def index(pulls, wins, level, settings):
    radius = settings.scale * max(0.0, level - math.log(pulls)) / pulls
    return wins / pulls + math.sqrt(radius)


@kernel
def level(t, settings):
    return math.log((t if settings.anytime else settings.horizon) / settings.arms)


policy = index_policy(index, level)
start, decide, observe = policy.plain
