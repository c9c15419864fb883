"""UCB(alpha), blind to the graph: UCB1 of Auer, Cesa-Bianchi and Fischer (2002) with a constant.

Each arm once, then the arm with the largest S_k / N_k + sqrt(alpha ln t / N_k), where t counts the
pulls made so far. alpha = 2 is UCB1. Theory asks for alpha > 1/2 on rewards in [0, 1] (Bubeck
2010); the default is that limit, as it is often simulated.
"""

import math
from typing import NamedTuple

from rankone.policy import Problem, index_policy, kernel, positive


class Settings(NamedTuple):
    alpha: float


def configure(problem: Problem, alpha: float = 0.5) -> Settings:
    return Settings(positive("alpha", alpha))


@kernel
def index(pulls, wins, level, settings):
    return wins / pulls + math.sqrt(settings.alpha * level / pulls)


@kernel
def level(t):
    return math.log(t)


policy = index_policy(index, level)
start, decide, observe = policy.plain
