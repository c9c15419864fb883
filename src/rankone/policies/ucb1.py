"""UCB1 of Auer, Cesa-Bianchi and Fischer (2002), blind to the graph.

Each arm once, then the arm with the largest S_k / N_k + sqrt(2 ln t / N_k), where t counts the
pulls made so far.
"""

import math

from rankone.policy import NoSettings, Problem, index_policy, kernel


def configure(problem: Problem) -> NoSettings:
    return NoSettings()


@kernel
def index(pulls, wins, level):
    return wins / pulls + math.sqrt(2.0 * level / pulls)


@kernel
def level(t):
    return math.log(t)


policy = index_policy(index, level)
start, decide, observe = policy.plain
