"""The indices that KL-UCB, its successors and OSUB share, and their exploration level."""

import math

from rankone.engine import kl
from rankone.policy import kernel


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
