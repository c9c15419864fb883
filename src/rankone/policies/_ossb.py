"""What the two forms of OSSB share: when they exploit, and whom they explore.

A form gives each competitor k of the leader L its *evidence* N_k / c_k, with c_k the pulls per unit
of ln t that the lower bound asks for. It is N_k kl(., .), which needs no division: a competitor as
good as the leader (c_k infinite) has the evidence 0, one that need not be explored (c_k = 0) inf.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.engine.parameters import not_negative, truth
from rankone.fast import Engine
from rankone.instances import Problem


class Settings(NamedTuple):
    g: float
    eps: float
    settle: bool


class State(NamedTuple):
    problem: Problem
    settings: Settings
    counts: Counts
    competitors: np.ndarray  # of the leader
    lack: np.ndarray  # minus their evidence
    fit: np.ndarray  # (2, degree): what the rank-one form knows of them
    explorations: np.ndarray  # (1,): s


def settings_of(g: float, eps: float, settle: bool) -> Settings:
    """Check the parameters of both forms."""
    return Settings(not_negative("g", g), not_negative("eps", eps), truth("settle", settle))


def start(problem, settings):
    most = int(np.max(np.diff(problem.starts)))
    return State(
        problem,
        settings,
        no_counts(problem.arms),
        np.zeros(most, np.int64),
        np.zeros(most),
        np.zeros((2, most)),
        np.zeros(1, np.int64),
    )


@kernel
def level(t, settings):
    """The evidence that every competitor must have."""
    return (1.0 + settings.g) * math.log(t)


@kernel
def list_competitors(state, leader):
    """The neighbours of the leader, ascending; how many."""
    problem, size = state.problem, 0
    for k in problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]:
        if k != leader:
            state.competitors[size] = k
            size += 1
    return size


@kernel
def largest(values):
    best = -math.inf
    for value in values:
        best = max(best, value)
    return best


@kernel
def explore(state, leader, size, needed, rng):
    """The arm of a round in which some competitor has less evidence than is needed."""
    counts = state.counts
    state.explorations[0] += 1
    if state.settings.eps > 0.0:
        fewest = counts.pulls[0]
        for k in range(1, len(counts.pulls)):
            fewest = min(fewest, counts.pulls[k])
        if fewest <= state.settings.eps * state.explorations[0]:
            return _least_pulled(counts.pulls, fewest, rng)
    arm = state.competitors[best_of(state.lack[:size], rng)]
    return _settled(state, leader, arm, size, needed) if state.settings.settle else arm


@kernel
def _settled(state, leader, arm, size, needed):
    """The arm, or one that it has left too far behind: the leader, or a competitor that lacks."""
    pulls = state.counts.pulls
    if pulls[leader] < pulls[arm]:
        return leader
    behind = arm
    for position in range(size):
        k = state.competitors[position]
        lacks = not -state.lack[position] >= needed
        if lacks and float(pulls[k]) * pulls[k] < pulls[arm] and pulls[k] < pulls[behind]:
            behind = k
    return behind


@kernel
def _least_pulled(pulls, fewest, rng):
    ties = 0
    for count in pulls:
        ties += count == fewest
    skip = 0 if ties == 1 else int(rng.random() * ties)
    for k in range(len(pulls)):
        if pulls[k] == fewest:
            if skip == 0:
                return k
            skip -= 1
    return 0  # unreachable


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)


def round_by_round(weigh: Callable[..., int]) -> Engine:
    """The plain policy; weigh(state, leader) fills `lack` and returns for how many arms."""

    @kernel
    def decide(state, t, rng):
        if t < state.problem.arms:
            return once(t)
        leader = best_of(state.counts.means, rng)
        size = weigh(state, leader)
        needed = level(t, state.settings)
        if -largest(state.lack[:size]) >= needed:
            return once(leader)
        return once(explore(state, leader, size, needed, rng))

    return Engine(start, decide, observe)
