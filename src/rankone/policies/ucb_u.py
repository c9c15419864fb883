"""UCB-U, for unimodal bandits: UCB1's index in the neighbourhood of the leader.

The name stands in table 1 of Combes and Proutiere (2014); the rule is inferred from it. Each arm
once, then, L being the arm with the best empirical mean (ties at random), the arm in its closed
neighbourhood N+(L) with the largest

    S_k / N_k + sqrt(alpha ln t / N_k),

where t counts the pulls made so far; alpha = 2 is UCB1's. The leader is forced whenever its count
of leads is 1 modulo gamma, as in OSUB, if gamma is finite (the default is inf: never); clock =
"leader" puts that count in the place of t. warm_up = False starts without pulling each arm once:
an unpulled arm has mean 0 and an infinite index.
"""

import math
from typing import NamedTuple

from rankone.policy import (
    LEADER_LEADS,
    TIME,
    Leader,
    Problem,
    index_policy,
    kernel,
    leader_period,
    positive,
    shown,
    truth,
)

CLOCKS = {"leader": LEADER_LEADS, "global": TIME}


class Settings(NamedTuple):
    alpha: float
    leader: Leader


def configure(
    problem: Problem,
    alpha: float = 2,
    gamma: float | str = math.inf,
    clock: str = "global",
    warm_up: bool = True,
) -> Settings:
    if not isinstance(clock, str) or clock not in CLOCKS:
        raise ValueError(f"clock is {shown(clock)}; allowed: 'leader' or 'global'.")
    leader = Leader(leader_period(gamma), 1, CLOCKS[clock], truth("warm_up", warm_up))
    return Settings(positive("alpha", alpha), leader)


@kernel
def index(pulls, wins, level, settings):
    if pulls == 0:
        return math.inf
    return wins / pulls + math.sqrt(settings.alpha * level / pulls)


@kernel
def level(t):
    return math.log(t) if t > 0 else 0.0


policy = index_policy(index, level, around_leader=True)
start, decide, observe = policy.plain
