"""Graph Line Search Elimination of Yu and Mannor (2011): LSE's form for any unimodal graph.

From arm 0 on it follows an increasing path. The arm at hand and its neighbours are pulled equally
often by stages (policies/_contest.py); whoever is surely worse than the best of them is eliminated
for good. Once the arm at hand is, the best of the others takes its place, with those of its
neighbours that are left and with fresh samples. Once it is alone, it is the best arm.

Recalled, not read: that the path is followed by sampling the directions around an arm, which makes
the regret proportional to degree and diameter. Chosen: all else, and the constants, which are the
parameters `slope` and `samples` of the stages. Equal best means in a contest: one at random.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.loop import once
from rankone.instances import Problem
from rankone.policies._contest import (
    Contest,
    Settings,
    begin,
    count,
    go_on,
    is_over,
    no_contest,
    settings_of,
    surely_worse,
    turn_of,
)

__all__ = ["ONE_BEST", "configure", "decide", "observe", "start"]

ONE_BEST = True  # its theory needs a single best arm


class State(NamedTuple):
    problem: Problem
    settings: Settings
    centre: np.ndarray  # (1,): the arm at hand
    eliminated: np.ndarray  # whether an arm is
    contest: Contest


def configure(problem: Problem, slope: float = 0.1, samples: float = 2) -> Settings:
    return settings_of(problem, slope, samples)


def start(problem, settings):
    most = int(np.max(np.diff(problem.starts)))
    eliminated = np.zeros(problem.arms, np.bool_)
    state = State(problem, settings, np.zeros(1, np.int64), eliminated, no_contest(most))
    _gather(state)
    return state


@kernel
def _gather(state):
    """Let the arm at hand and its neighbours compete."""
    problem, contest, centre = state.problem, state.contest, state.centre[0]
    contest.size[0] = 0
    for k in problem.neighbours[problem.starts[centre] : problem.starts[centre + 1]]:
        if not state.eliminated[k]:
            contest.members[contest.size[0]] = k
            contest.size[0] += 1
    begin(contest, state.settings.first)


@kernel
def _judge(state, rng):
    """Eliminate who is surely worse; go on, from the best if the arm at hand is gone."""
    contest = state.contest
    best = best_of(contest.wins[: contest.size[0]], rng)
    winner = contest.members[best]
    for position in range(contest.size[0]):
        if surely_worse(contest, position, best, state.settings.log_2t):
            state.eliminated[contest.members[position]] = True
    if state.eliminated[state.centre[0]]:
        state.centre[0] = winner
        _gather(state)
        return
    kept = 0
    for position in range(contest.size[0]):
        if not state.eliminated[contest.members[position]]:
            contest.members[kept] = contest.members[position]
            contest.wins[kept] = contest.wins[position]
            kept += 1
    contest.size[0] = kept
    go_on(contest)


@kernel
def next_turn(state, t, rng):
    """The arm to pull, and for how many rounds."""
    while is_over(state.contest):
        _judge(state, rng)
    return turn_of(state.contest, state.problem.horizon)


@kernel
def decide(state, t, rng):
    arm, _ = next_turn(state, t, rng)
    return once(arm)


@kernel
def observe(state, arm, rounds, wins):
    count(state.contest, rounds, wins)
