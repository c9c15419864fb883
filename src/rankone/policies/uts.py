"""Unimodal Thompson Sampling, UTS(gamma): Algorithm 1 of Trinh et al. (2020).

Each round has a leader L(t), the arm with the best empirical mean. Every gamma-th time an arm leads
it is pulled; in the other rounds Thompson Sampling plays in its neighbourhood:

    theta_k ~ Beta(S_k + 1, N_k - S_k + 1) for k in N+(L(t)),   pull argmax theta_k.

gamma = inf never forces the leader; gamma = "degree" is the size of the leader's closed
neighbourhood, as in Paladino et al. (2017), who proposed the algorithm.
"""

from typing import NamedTuple

from rankone.policy import Leader, Problem, beta_sampling, leader_period, truth


class Settings(NamedTuple):
    leader: Leader


def configure(problem: Problem, gamma: float | str = 2, warm_up: bool = True) -> Settings:
    return Settings(Leader(leader_period(gamma), warm_up=truth("warm_up", warm_up)))


policy = beta_sampling(prior=(1.0, 1.0), around_leader=True)
start, decide, observe = policy.plain
