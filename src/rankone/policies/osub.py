"""Optimal Sampling for Unimodal Bandits, OSUB(gamma): Combes and Proutiere (2014).

KL-UCB in the neighbourhood of the leader L(t), the arm with the best empirical mean. The leader is
pulled whenever its count of leads l is 1 modulo gamma; else the largest index in N+(L(t)) is:

    max{q : N_k kl(S_k / N_k, q) <= f(l)},   f(l) = ln l + c ln ln l.

clock = "global" puts the number of pulls made so far in the place of l; `forced` is the residue of
l at which the leader is forced, and `width` the width at which a bisection stops (0: none).
gamma = "degree" is the size of the largest closed neighbourhood, K + L - 1 on a matrix.
"""

from typing import NamedTuple

import numpy as np

from rankone.policies._kl_index import bisection_width, index, level
from rankone.policy import (
    LEADER_LEADS,
    TIME,
    Leader,
    Problem,
    index_policy,
    is_number,
    leader_period,
    not_negative,
    shown,
    truth,
)

CLOCKS = {"leader": LEADER_LEADS, "global": TIME}


class Settings(NamedTuple):
    c: float
    width: float
    leader: Leader


def configure(
    problem: Problem,
    gamma: float | str = "degree",
    c: float = 3,
    clock: str = "leader",
    forced: int = 1,
    warm_up: bool = True,
    width: float = 0,
) -> Settings:
    if not isinstance(clock, str) or clock not in CLOCKS:
        raise ValueError(f"clock is {shown(clock)}; allowed: 'leader' or 'global'.")
    if not is_number(forced) or forced not in (0, 1):
        raise ValueError(f"forced is {shown(forced)}; allowed: 0 or 1.")
    period = leader_period(gamma) or float(max(2, np.max(np.diff(problem.starts))))
    leader = Leader(period, int(forced), CLOCKS[clock], truth("warm_up", warm_up))
    return Settings(not_negative("c", c), bisection_width(width), leader)


policy = index_policy(index, level, around_leader=True)
start, decide, observe = policy.plain
