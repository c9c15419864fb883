"""OSSB of Combes, Magureanu and Proutiere (2017), in its rank-one form.

As in the unimodal form (ossb.py), but the constants c are those of Proposition 1 of Trinh et al.
(2020) at the leader (i, j), for the rank-one matrix M nearest to the empirical means m:

    c_k = 1 / kl(M_k, M_L) for the cells of the leader's row and column, 0 elsewhere.

Chosen, as the source does not say which matrix is nearest: least squares weighted by the pulls,
one step from the leader's row and column, whose cells have nearly all the pulls. With v = m_i. the
leader's row, row a is v times

    rho_a = sum_b S_ab v_b / sum_b N_ab v_b^2,   and M_aj = rho_a m_L, M_L = m_L;

the columns likewise. (Unweighted, the cells that are pulled once would spoil the fit for ever.) A
row with rho_a >= 1 is not known to be worse, so that c is infinite: N_aj kl(M_aj, M_L) counts as 0.
All else is chosen as in the unimodal form.
"""

from rankone.engine.compiled import kernel
from rankone.engine.kl import kl
from rankone.instances import Instance, Problem
from rankone.policies import _ossb
from rankone.policies._ossb import Settings, list_competitors, settings_of

__all__ = ["ONE_BEST", "configure", "decide", "observe", "start", "supports"]

ONE_BEST = True  # its theory needs a single best arm


def configure(problem: Problem, g: float = 0, eps: float = 0, settle: bool = True) -> Settings:
    return settings_of(g, eps, settle)


def supports(instance: Instance) -> str:
    """Why it cannot play on an instance; empty if it can."""
    if not instance.rows:
        return "it fits a rank-one matrix, and the arms of this instance are none."
    return ""


@kernel
def fit(state, leader, k):
    """sum S v and sum N v^2 over the row or column of k, but for k itself."""
    columns, counts = state.problem.columns, state.counts
    products, squares = 0.0, 0.0
    # the cells beside k, and those of the leader's own row or column that are opposite to them
    in_row = leader // columns == k // columns
    size = state.problem.rows if in_row else columns
    step = columns if in_row else 1
    beside = k % columns if in_row else k // columns * columns
    opposite = leader % columns if in_row else leader // columns * columns
    for _ in range(size):
        if beside != k:
            v = counts.means[opposite]
            products += counts.wins[beside] * v
            squares += counts.pulls[beside] * v * v
        beside += step
        opposite += step
    return products, squares


@kernel
def share(pulls, wins, products, squares, top):
    """rho, at a mean `top` of the leader."""
    return (wins * top + products) / (pulls * top * top + squares)


@kernel
def weigh(state, leader):
    """N_k kl(M_k, M_L) of every cell in the leader's row and column."""
    counts = state.counts
    top = counts.means[leader]
    size = list_competitors(state, leader)
    for position in range(size):
        k = state.competitors[position]
        products, squares = fit(state, leader, k)
        state.fit[0, position], state.fit[1, position] = products, squares
        state.lack[position] = 0.0
        if top > 0.0:
            rho = share(counts.pulls[k], counts.wins[k], products, squares, top)
            if rho < 1.0:
                state.lack[position] = -counts.pulls[k] * kl(rho * top, top)
    return size


start, decide, observe = _ossb.round_by_round(weigh)
