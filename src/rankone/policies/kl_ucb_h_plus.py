"""KL-UCB-H+ of Garivier and Cappe (2011), blind to the graph: KL-UCB+ that knows the horizon T.

Each arm once, then the arm with the largest index

    U_k = max{q : N_k kl(S_k / N_k, q) <= ln(T / N_k)}.

`c` > 0 adds c ln ln T to the level; the default is none.
"""

from typing import NamedTuple

from rankone.policies._kl_index import plus_index
from rankone.policy import Problem, exploration, index_policy, kernel, not_negative


class Settings(NamedTuple):
    level: float


def configure(problem: Problem, c: float = 0) -> Settings:
    return Settings(exploration(problem.horizon, not_negative("c", c)))


@kernel
def level(t, settings):
    return settings.level


policy = index_policy(plus_index, level)
start, decide, observe = policy.plain
