"""Line Search Elimination of Yu and Mannor (2011), for arms on a line.

The best arm lies between two ends. Two inner points at golden sections are pulled equally often
until one is surely worse than the other: the best arm is not on its far side, which is dropped
together with the point. The search goes on in what is left, and with a single arm it is over.

Recalled, not read: that the tests rest on a least slope of the line, known in advance, and the
constants: they are the parameters `slope` and `samples` of the stages (policies/_contest.py).
Chosen: the sections are those of Fibonacci's search (arms F(m-2) and F(m-1) of the interval, F(m)
the first Fibonacci number above its size); only the two inner points are pulled, as the ends decide
nothing; every interval begins with fresh samples. Two inner points with equal means are never told
apart, and the policy stays with them. It does so on the symmetric line of 17 arms of Combes and
Proutiere (2014), whose table these choices give to within 2 %.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.engine.loop import once
from rankone.instances import Instance, Problem
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

__all__ = ["ONE_BEST", "configure", "decide", "observe", "start", "supports"]

ONE_BEST = True  # its theory needs a single best arm


class State(NamedTuple):
    problem: Problem
    settings: Settings
    order: np.ndarray  # the arms from one end of the line to the other
    ends: np.ndarray  # (2,): first and last place of the interval in that order
    inner: np.ndarray  # (2,): the places of the two inner points
    contest: Contest


def along_the_line(starts: np.ndarray, neighbours: np.ndarray) -> list[int]:
    """The arms in the order of the line; none if the graph is not one."""
    arms = len(starts) - 1
    beside = [
        {int(k) for k in neighbours[starts[arm] : starts[arm + 1]]} - {arm} for arm in range(arms)
    ]
    order = [arm for arm in range(arms) if len(beside[arm]) == min(1, arms - 1)][:1]
    while order and (ahead := beside[order[-1]] - {*order}):
        order.append(ahead.pop())
    straight = all(len(around) <= 2 for around in beside)
    return order if straight and len(order) == arms else []


def supports(instance: Instance) -> str:
    """Why it cannot play on an instance; empty if it can."""
    if not along_the_line(instance.starts, instance.neighbours):
        return "it searches along a line, and the graph of this instance is none."
    return ""


def configure(problem: Problem, slope: float = 0.1, samples: float = 2) -> Settings:
    return settings_of(problem, slope, samples)


def start(problem, settings):
    state = State(
        problem,
        settings,
        np.array(along_the_line(problem.starts, problem.neighbours)),
        np.array([0, problem.arms - 1]),
        np.zeros(2, np.int64),
        no_contest(2),
    )
    _section(state)
    return state


@kernel
def _section(state):
    """Let the inner points of the interval compete; a single arm has won."""
    first, last = state.ends[0], state.ends[1]
    contest = state.contest
    inner, outer = 1, 2  # Fibonacci numbers F(m-1) and F(m)
    while outer < last - first + 2:
        inner, outer = outer, inner + outer
    state.inner[0], state.inner[1] = first + outer - inner - 1, first + inner - 1
    contest.size[0] = 1 if first == last else 2
    for position in range(contest.size[0]):
        contest.members[position] = state.order[state.inner[position]]
    begin(contest, state.settings.first)


@kernel
def next_turn(state, t, rng):
    """The arm to pull, and for how many rounds."""
    contest, log_2t = state.contest, state.settings.log_2t
    while is_over(contest):
        if surely_worse(contest, 0, 1, log_2t):
            state.ends[0] = state.inner[0] + 1
            _section(state)
        elif surely_worse(contest, 1, 0, log_2t):
            state.ends[1] = state.inner[1] - 1
            _section(state)
        else:
            go_on(contest)
    return turn_of(contest, state.problem.horizon)


@kernel
def decide(state, t, rng):
    arm, _ = next_turn(state, t, rng)
    return once(arm)


@kernel
def observe(state, arm, rounds, wins):
    count(state.contest, rounds, wins)
