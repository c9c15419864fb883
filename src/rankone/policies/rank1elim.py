"""Rank1Elim of Katariya, Kveton, Szepesvari, Vernade and Wen (2017, AISTATS).

Rows and columns are eliminated by stages (see elimination.py). With D = 1, 1/2, 1/4, ... and the
horizon n, each active row and column has been pulled n_l = ceil(4 D^-2 ln n) times at the end of
stage l, and its bounds are mean -/+ sqrt(ln n / n_l).
"""

from rankone.instances import Problem
from rankone.policies import _elimination as elimination
from rankone.policies._elimination import Rules, decide, observe, start, supports

__all__ = ["configure", "decide", "observe", "start", "supports"]


def configure(problem: Problem) -> Rules:
    return elimination.square_root_rules()
