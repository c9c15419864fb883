"""OSUB, committing to the leader while it surely leads and its index is the largest around it."""

from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.fast import index_screen as screens
from rankone.fast.index_screen import Screen
from rankone.fast.kl_screen import Stairs, bar, constant, new_stairs, strongest
from rankone.fast.leader import clock_of, is_forced, while_leading
from rankone.fast.tournament import Tournament, champion, second, tournament, update
from rankone.instances import Problem
from rankone.policies.osub import Settings, configure

__all__ = ["configure", "decide", "observe", "start"]


class State(NamedTuple):
    problem: Problem
    settings: Settings
    counts: Counts
    leads: np.ndarray  # l_k, how often arm k has been the leader
    ranking: Tournament  # of the empirical means
    stairs: Stairs
    screen: Screen  # of the neighbourhood of...
    centre: np.ndarray  # ... this arm, -1 if out of date
    home: np.ndarray  # its position there
    leader: np.ndarray  # of this round, -1 in the warm-up
    position: np.ndarray  # in the screen, of the arm that is pulled


def start(problem, settings):
    most = np.max(np.diff(problem.starts))
    counts = no_counts(problem.arms)
    return State(
        problem,
        settings,
        counts,
        np.zeros(problem.arms, np.int64),
        tournament(counts.means),
        new_stairs(problem.arms, settings.width),
        screens.new_screen(problem.arms, most),
        np.full(1, -1, np.int64),
        np.full(1, -1, np.int64),
        np.full(1, -1, np.int64),
        np.full(1, -1, np.int64),
    )


@kernel
def turn_to(state, leader):
    """Screen the neighbourhood of the leader."""
    problem, screen = state.problem, state.screen
    first, last = problem.starts[leader], problem.starts[leader + 1]
    screen.size[0] = last - first
    for position in range(last - first):
        screen.members[position] = problem.neighbours[first + position]
        if screen.members[position] == leader:
            state.home[0] = position
    screens.set_bar(screen, state.counts, screen.bar[0], bar)
    state.centre[0] = leader


@kernel
def decide(state, t, rng):
    settings, counts = state.settings, state.counts
    if settings.leader.warm_up and t < state.problem.arms:
        return once(t)
    leader = champion(state.ranking, rng)
    state.leader[0] = leader
    lead = state.leads[leader] + 1
    if is_forced(lead, settings.leader.period, settings.leader.residue):
        state.centre[0] = leader if state.centre[0] == leader else -1
        state.position[0] = state.home[0]
        return once(leader)
    if state.centre[0] != leader:
        turn_to(state, leader)
    clock = clock_of(settings.leader, t, lead, counts.pulls[leader])
    state.position[0], commitment = strongest(
        state.screen, state.stairs, counts, clock, settings, rng
    )
    if commitment.arm != leader:
        return once(commitment.arm)
    return while_leading(commitment, counts, second(state.ranking, leader))


@kernel
def observe(state, arm, rounds, wins):
    counts, screen = state.counts, state.screen
    record(counts, arm, rounds, wins)
    screen.constant[arm] = constant(counts.pulls[arm], counts.wins[arm])
    update(state.ranking, arm, counts.means[arm])
    if state.leader[0] >= 0:
        state.leads[state.leader[0]] += rounds
    if state.centre[0] >= 0:
        screens.renew(screen, counts, state.position[0])
