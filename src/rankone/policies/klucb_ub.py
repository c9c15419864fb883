"""KLUCB-UB of Saber, Menard and Maillard (2021), for unimodal bandits.

Each arm once; then, L being the leader, the arm with the best empirical mean (ties at random), the
arm with the largest index in its closed neighbourhood N+(L):

    U_k = max{q : N_k kl(S_k / N_k, q) <= ln(N_L / N_k)},   and S_k / N_k if N_k > N_L.

So the leader's index is its mean. The level is recalled from the paper, not looked up;
plus = False has ln N_L in its place.
"""

import math
from typing import NamedTuple

from rankone.policies._kl_index import plus_index
from rankone.policy import LEADER_PULLS, Leader, Problem, index_policy, kernel, kl_index, truth


class Settings(NamedTuple):
    plus: bool
    leader: Leader


def configure(problem: Problem, plus: bool = True) -> Settings:
    return Settings(truth("plus", plus), Leader(clock=LEADER_PULLS))


@kernel
def index(pulls, wins, level, settings):
    return plus_index(pulls, wins, level) if settings.plus else kl_index(pulls, wins, level, 0.0)


@kernel
def level(pulls_of_leader):
    return math.log(pulls_of_leader)


policy = index_policy(index, level, around_leader=True)
start, decide, observe = policy.plain
