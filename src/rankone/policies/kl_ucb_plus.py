"""KL-UCB+ of Garivier and Cappe (2011), blind to the graph.

Each arm once, then the arm with the largest index

    U_k(t) = max{q : N_k kl(S_k / N_k, q) <= ln(t / N_k)},

where t counts the pulls made so far. Arms have at most t pulls, so the level is never negative.
`c` > 0 adds c ln ln t to it, as in KL-UCB; its authors simulate without (the default).
"""

from typing import NamedTuple

from rankone.policies._kl_index import level, plus_index
from rankone.policy import Problem, index_policy, not_negative


class Settings(NamedTuple):
    c: float


def configure(problem: Problem, c: float = 0) -> Settings:
    return Settings(not_negative("c", c))


policy = index_policy(plus_index, level)
start, decide, observe = policy.plain
