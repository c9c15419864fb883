"""KL-UCB of Cappe, Garivier, Maillard, Munos and Stoltz (2013), blind to the graph.

Each arm once, then the arm with the largest index

    U_k(t) = max{q : N_k kl(S_k / N_k, q) <= f(t)},   f(t) = ln t + c ln ln t,

where t counts the pulls made so far and ln ln t is 0 until t = e. Theory asks for c = 3, its
authors simulate with c = 0. `width` > 0 finds the index by a bisection that stops at that width.
"""

from typing import NamedTuple

from rankone.policies._kl_index import bisection_width, index, level
from rankone.policy import Problem, index_policy, not_negative


class Settings(NamedTuple):
    c: float
    width: float


def configure(problem: Problem, c: float = 3, width: float = 0) -> Settings:
    return Settings(not_negative("c", c), bisection_width(width))


policy = index_policy(index, level)
start, decide, observe = policy.plain
