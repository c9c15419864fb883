"""policies/ossb_rank_one.py with the commitments of fast/_ossb.py."""

import math

from rankone.engine.compiled import kernel
from rankone.engine.kl import kl
from rankone.fast._ossb import leaping
from rankone.policies.ossb_rank_one import configure, share, supports, weigh

__all__ = ["configure", "decide", "observe", "start", "supports"]

HALVINGS = 40  # of the search for the mean


@kernel
def largest_share(pulls, wins, products, squares, mean):
    """The largest rho at any mean of the leader that is not below `mean`.

    rho rises up to where N S x^2 + 2 N A x = S B, and falls from there on.
    """
    turn = 0.0
    if wins > 0 and squares > 0.0:
        half = products / wins
        turn = squares / pulls / (math.sqrt(half * half + squares / pulls) + half)
    return share(pulls, wins, products, squares, min(max(mean, turn), 1.0))


@kernel
def certain(pulls, wins, products, squares, mean):
    """Evidence that the competitor has at every mean of the leader that is not below `mean`."""
    if mean <= 0.0:
        return 0.0
    rho = largest_share(pulls, wins, products, squares, mean)
    return pulls * kl(rho * mean, mean) if rho < 1.0 else 0.0


@kernel
def enough_from(state, position, level, mean):
    """The certain evidence rises with the mean: search for where it is enough."""
    k = state.competitors[position]
    pulls, wins = state.counts.pulls[k], state.counts.wins[k]
    products, squares = state.fit[0, position], state.fit[1, position]
    if certain(pulls, wins, products, squares, mean) >= level:
        return mean
    low, high = max(mean, 0.0), 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if certain(pulls, wins, products, squares, middle) >= level:
            high = middle
        else:
            low = middle
    return high


start, decide, observe = leaping(weigh, enough_from)
