"""KL-UCB++ of Menard and Garivier (2017), blind to the graph: it knows the horizon T.

Each arm once, then the arm with the largest index

    U_k = max{q : N_k kl(S_k / N_k, q) <= ln_+(x (1 + (ln_+ x)^power))},   x = T / (K N_k),

where K is the number of arms and ln_+ x = max(0, ln x). The power of 2 is recalled from the paper,
not looked up; it is a parameter.
"""

import math
from typing import NamedTuple

from rankone.policy import Problem, index_policy, kernel, kl_upper, not_negative


class Settings(NamedTuple):
    share: float  # T / K
    power: float


def configure(problem: Problem, power: float = 2) -> Settings:
    return Settings(problem.horizon / problem.arms, not_negative("power", power))


@kernel
def index(pulls, wins, level, settings):
    x = level / pulls
    inner = x * (1.0 + max(0.0, math.log(x)) ** settings.power)
    return kl_upper(wins / pulls, max(0.0, math.log(inner)) / pulls)


@kernel
def level(t, settings):
    return settings.share


policy = index_policy(index, level)
start, decide, observe = policy.plain
