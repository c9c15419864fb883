"""Rank1ElimKL of Katariya, Kveton, Szepesvari, Vernade and Wen (2017, IJCAI).

Rows and columns are eliminated by stages (see elimination.py) with n_l = ceil(16 D^-2 ln n) and
bounds {q : n_l kl(mean, q) <= level}. Three variants are known to have been run:

    "paper"     the pseudo-code: D halves, level ln n + 3 ln ln n
    "released"  its authors' program: a partner is drawn for each line, every cell starts with a
                pull without reward, level ln t + ln ln t at the current round t, ten bisections,
                and a line goes only if its upper bound is strictly smaller
    "trinh"     the program of Trinh et al. (2020): D shrinks by 1.5, level 1.1 ln n
"""

from rankone.engine.parameters import shown
from rankone.instances import Problem
from rankone.policies import _elimination as elimination
from rankone.policies._elimination import Rules, decide, observe, start, supports

__all__ = ["configure", "decide", "observe", "start", "supports"]

PAPER = Rules(
    first=16.0,
    shrink=2.0,
    bounds=elimination.KL,
    log_factor=1.0,
    loglog_factor=3.0,
    current_time=False,
    fresh=False,
    phantoms=False,
    strict=False,
)
VARIANTS = {
    "paper": PAPER,
    "released": PAPER._replace(
        bounds=elimination.KL_BY_BISECTION,
        loglog_factor=1.0,
        current_time=True,
        fresh=True,
        phantoms=True,
        strict=True,
    ),
    "trinh": PAPER._replace(shrink=1.5, log_factor=1.1, loglog_factor=0.0),
}


def configure(problem: Problem, variant: str = "paper") -> Rules:
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise ValueError(f"variant is {shown(variant)}; allowed: {', '.join(VARIANTS)}.")
    return VARIANTS[variant]
