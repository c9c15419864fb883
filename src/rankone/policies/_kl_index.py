"""The indices that KL-UCB, its successors and OSUB share, and their exploration level."""

import math

from rankone.engine import kl
from rankone.policy import kernel, not_negative, shown

# A bisection in [0, 1] can get to this width: doubles next to 1 are 1e-16 apart.
NARROWEST = 1e-15


def bisection_width(width: float) -> float:
    """Check the width at which a bisection stops; 0: there is none."""
    found = not_negative("width", width)
    if 0 < found < NARROWEST:
        raise ValueError(f"width is {shown(width)}; allowed: 0 or a number of at least 1e-15.")
    return found


@kernel
def index(pulls, wins, level, settings):
    """max{q : N kl(S / N, q) <= level}; settings.width > 0: by a bisection to that width."""
    return kl.index(pulls, wins, level, settings.width)


@kernel
def level(t, settings):
    """f(t) = ln t + c ln ln t."""
    return kl.exploration(t, settings.c)


@kernel
def plus_index(pulls, wins, level):
    """max{q : N kl(S / N, q) <= level - ln N}; the mean where that is negative."""
    return kl.kl_upper(wins / pulls, (level - math.log(pulls)) / pulls)
