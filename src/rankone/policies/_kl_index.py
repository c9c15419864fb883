"""The index that KL-UCB and OSUB share, and its exploration level."""

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
