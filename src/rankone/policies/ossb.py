"""OSSB of Combes, Magureanu and Proutiere (2017), in its unimodal form.

The leader L has the best empirical mean m. The lower bound of a unimodal bandit asks for c_k ln t
pulls of each neighbour of the leader and for none of the other arms:

    c_k = 1 / kl(m_k, m_L) for the neighbours of L, 0 elsewhere.

If N_k >= (1 + g) c_k ln t for all neighbours, the leader is pulled. Else s, the count of such
rounds, rises by one, and the least pulled arm is pulled if its pulls are at most eps s, and else
the neighbour with the smallest N_k / c_k. Theory wants g and eps above 0; at 0, the defaults, its
regret has the constant of the lower bound.

Chosen where the source is silent: each arm once first; t counts the pulls made so far; ties are
broken at random. The leader itself is never "the smallest N_k / c_k", although its c is infinite,
and a neighbour as good as the leader always lacks pulls.

`settle` (the default): the neighbour k with the smallest N_k / c_k waits while the leader has fewer
pulls than it, or another neighbour that lacks pulls has fewer than sqrt(N_k); these come first, the
leader before the least pulled neighbour (the first of several). Without that and with eps = 0, two
arms with nearly the same mean, one of them the leader, are explored for ever while the best arm
waits: at K = 4 every tenth run loses thousands of rounds. An arm that lacks nothing is never
explored, so the regret still has the constant of the lower bound.
"""

from rankone.engine.compiled import kernel
from rankone.engine.kl import kl
from rankone.instances import Problem
from rankone.policies import _ossb
from rankone.policies._ossb import Settings, list_competitors, settings_of

__all__ = ["ONE_BEST", "configure", "decide", "observe", "start"]

ONE_BEST = True  # its theory needs a single best arm


def configure(problem: Problem, g: float = 0, eps: float = 0, settle: bool = True) -> Settings:
    return settings_of(g, eps, settle)


@kernel
def weigh(state, leader):
    """N_k kl(m_k, m_L) of every neighbour."""
    counts = state.counts
    size = list_competitors(state, leader)
    for position in range(size):
        k = state.competitors[position]
        state.lack[position] = -counts.pulls[k] * kl(counts.means[k], counts.means[leader])
    return size


start, decide, observe = _ossb.round_by_round(weigh)
