"""A contest of a few arms, pulled equally often until some are surely worse: for LSE and GLSE.

In stage 0 each member of the contest is pulled n times, and every further stage doubles that. The
members take turns of a 256th of a stage, so that none gets far ahead. At the end of a stage, with N
pulls each, a member is surely worse if its mean + r is below another's mean - r, where
r = sqrt(ln(2 T) / (2 N)); n = ceil(samples ln(2 T) / slope^2), so that samples = 2 makes r half the
slope after stage 0.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.engine.parameters import is_number, positive, shown
from rankone.instances import Problem

TURNS = 256


class Settings(NamedTuple):
    first: int  # n
    log_2t: float  # ln(2 T)


class Contest(NamedTuple):
    members: np.ndarray  # the arms
    size: np.ndarray  # (1,): how many; a single one has won
    wins: np.ndarray  # of each member
    pulls: np.ndarray  # (1,): of each member, in the turns that all of them have had
    target: np.ndarray  # (1,): that number at the end of the stage
    turn: np.ndarray  # (1,): the member that is pulled,
    length: np.ndarray  # (1,): in this turn,
    left: np.ndarray  # (1,): and still to be pulled in it


def settings_of(problem: Problem, slope: float, samples: float) -> Settings:
    """Check the parameters of LSE and GLSE."""
    if not is_number(slope) or not 0 < slope <= 1:
        raise ValueError(f"slope is {shown(slope)}; allowed: a number above 0 and at most 1.")
    log_2t = math.log(2 * problem.horizon)
    return Settings(math.ceil(positive("samples", samples) * log_2t / slope**2), log_2t)


def no_contest(most):
    """Room for at most so many members."""
    one = [np.zeros(1, np.int64) for _ in range(6)]
    size, pulls, target, turn, length, left = one
    return Contest(
        np.zeros(most, np.int64), size, np.zeros(most, np.int64), pulls, target, turn, length, left
    )


@kernel
def begin(contest, first):
    """Begin stage 0 with the present members."""
    for position in range(contest.size[0]):
        contest.wins[position] = 0
    contest.pulls[0] = 0
    _begin_stage(contest, first)


@kernel
def go_on(contest):
    """Begin the stage after the one that is over."""
    _begin_stage(contest, 2 * contest.target[0])


@kernel
def _begin_stage(contest, target):
    contest.target[0] = target
    contest.turn[0] = 0
    contest.length[0] = -(-(target - contest.pulls[0]) // TURNS)
    contest.left[0] = contest.length[0]


@kernel
def is_over(contest):
    """Whether the stage is."""
    return contest.size[0] > 1 and contest.pulls[0] == contest.target[0]


@kernel
def count(contest, rounds, wins):
    """Add pulls of the member whose turn it is; they do not go beyond its turn."""
    if contest.size[0] == 1:
        return
    contest.wins[contest.turn[0]] += wins
    contest.left[0] -= rounds
    if contest.left[0] > 0:
        return
    contest.turn[0] += 1
    if contest.turn[0] == contest.size[0]:
        contest.turn[0] = 0
        contest.pulls[0] += contest.length[0]
        contest.length[0] = min(contest.length[0], contest.target[0] - contest.pulls[0])
    contest.left[0] = contest.length[0]


@kernel
def surely_worse(contest, position, other, log_2t):
    pulls = contest.pulls[0]
    radius = math.sqrt(log_2t / (2 * pulls))
    return contest.wins[position] / pulls + radius < contest.wins[other] / pulls - radius


@kernel
def turn_of(contest, horizon):
    """Whose turn it is, and for how many rounds: to the end if the contest is won."""
    if contest.size[0] == 1:
        return contest.members[0], horizon
    return contest.members[contest.turn[0]], contest.left[0]
