"""policies/ossb.py with the commitments of fast/_ossb.py."""

from rankone.engine.compiled import kernel
from rankone.engine.kl import kl, kl_upper
from rankone.fast._ossb import leaping
from rankone.policies.ossb import configure, weigh

__all__ = ["configure", "decide", "observe", "start"]


@kernel
def enough_from(state, position, level, mean):
    """N kl(m, x) rises with x from m on, so the index at this level is what is asked for."""
    k = state.competitors[position]
    pulls, own = state.counts.pulls[k], state.counts.means[k]
    if mean > own and pulls * kl(own, mean) >= level:
        return mean
    return max(mean, kl_upper(own, level / pulls))


start, decide, observe = leaping(weigh, enough_from)
