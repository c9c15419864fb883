"""The plain and the leaping engine of an index policy, on all arms or around a leader."""

from typing import Any, NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.fast import Engine
from rankone.fast.index_leaps import NOBODY, Race, make_race, new_race
from rankone.fast.leader import clock_of, is_forced, period_of, while_leading
from rankone.fast.tournament import Tournament, champion, second, tournament, update
from rankone.instances import Problem


class Plain(NamedTuple):
    problem: Problem
    settings: Any
    counts: Counts
    leads: np.ndarray  # l_k, how often arm k has been the leader
    indices: np.ndarray


def plain_start(problem, settings):
    return Plain(
        problem,
        settings,
        no_counts(problem.arms),
        np.zeros(problem.arms, np.int64),
        np.empty(problem.arms),
    )


@kernel
def plain_observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)


def plain_on_all_arms(index, level):
    """Each arm once, then the arm with the largest index."""

    @kernel
    def decide(state, t, rng):
        settings, counts, indices = state.settings, state.counts, state.indices
        if t < len(indices):
            return once(t)
        f = level(t, settings)
        for k in range(len(indices)):
            indices[k] = index(counts.pulls[k], counts.wins[k], f, settings)
        return once(best_of(indices, rng))

    return Engine(plain_start, decide, plain_observe)


def plain_around_leader(index, level):
    """The leader when it is forced, else the largest index in its closed neighbourhood."""

    @kernel
    def decide(state, t, rng):
        problem, settings, counts = state.problem, state.settings, state.counts
        if settings.leader.warm_up and t < problem.arms:
            return once(t)
        leader = best_of(counts.means, rng)
        state.leads[leader] += 1
        lead = state.leads[leader]
        around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
        if is_forced(lead, period_of(settings.leader, len(around)), settings.leader.residue):
            return once(leader)
        f = level(clock_of(settings.leader, t, lead, counts.pulls[leader]), settings)
        indices = state.indices[: len(around)]
        for position, k in enumerate(around):
            indices[position] = index(counts.pulls[k], counts.wins[k], f, settings)
        return once(around[best_of(indices, rng)])

    return Engine(plain_start, decide, plain_observe)


class Leaping(NamedTuple):
    problem: Problem
    settings: Any
    counts: Counts
    race: Race


def leaping_on_all_arms(index, level):
    enter, strongest, after_pull = make_race(index, level)

    def start(problem, settings):
        return Leaping(problem, settings, no_counts(problem.arms), new_race(problem.arms))

    @kernel
    def decide(state, t, rng):
        settings, counts, race = state.settings, state.counts, state.race
        if t < state.problem.arms:
            return once(t)
        f = level(t, settings)
        most = max(state.problem.horizon - t, 1)
        if race.size[0] == 0:
            race.size[0] = state.problem.arms
            enter(race, counts, t, most, NOBODY, settings)
        _, commitment = strongest(race, counts, f, t, most, settings, rng)
        return commitment

    @kernel
    def observe(state, arm, rounds, wins):
        record(state.counts, arm, rounds, wins)
        if state.race.size[0] > 0:
            after_pull(state.race, state.counts, arm, state.settings)

    return Engine(start, decide, observe)


class LeapingLeader(NamedTuple):
    problem: Problem
    settings: Any
    counts: Counts
    leads: np.ndarray  # l_k, how often arm k has been the leader
    ranking: Tournament  # of the empirical means
    race: Race  # in the neighbourhood of...
    centre: np.ndarray  # (1,) ... this arm, -1 if out of date
    home: np.ndarray  # (1,) its position there
    leader: np.ndarray  # (1,) of this round, -1 in the warm-up
    position: np.ndarray  # (1,) in the race, of the arm that is pulled


def leaping_around_leader(index, level):
    enter, strongest, after_pull = make_race(index, level)

    def start(problem, settings):
        counts = no_counts(problem.arms)
        return LeapingLeader(
            problem,
            settings,
            counts,
            np.zeros(problem.arms, np.int64),
            tournament(counts.means),
            new_race(int(np.max(np.diff(problem.starts)))),
            np.full(1, -1),
            np.full(1, -1),
            np.full(1, -1),
            np.full(1, -1),
        )

    @kernel
    def turn_to(state, leader, clock, most):
        """Let the neighbourhood of the leader compete."""
        problem, race = state.problem, state.race
        first, last = problem.starts[leader], problem.starts[leader + 1]
        race.size[0] = last - first
        for position in range(last - first):
            race.members[position] = problem.neighbours[first + position]
            if race.members[position] == leader:
                state.home[0] = position
        enter(race, state.counts, clock, most, state.home[0], state.settings)
        state.centre[0] = leader

    @kernel
    def decide(state, t, rng):
        problem, settings, counts = state.problem, state.settings, state.counts
        if settings.leader.warm_up and t < problem.arms:
            return once(t)
        leader = champion(state.ranking, rng)
        state.leader[0] = leader
        lead = state.leads[leader] + 1
        size = problem.starts[leader + 1] - problem.starts[leader]
        if is_forced(lead, period_of(settings.leader, size), settings.leader.residue):
            state.centre[0] = leader if state.centre[0] == leader else -1
            state.position[0] = state.home[0]
            return once(leader)
        clock = clock_of(settings.leader, t, lead, counts.pulls[leader])
        f = level(clock, settings)
        most = max(problem.horizon - t, 1)
        if state.centre[0] != leader:
            turn_to(state, leader, clock, most)
        state.position[0], commitment = strongest(state.race, counts, f, clock, most, settings, rng)
        if commitment.arm != leader:
            return once(commitment.arm)
        return while_leading(commitment, counts, second(state.ranking, leader))

    @kernel
    def observe(state, arm, rounds, wins):
        record(state.counts, arm, rounds, wins)
        update(state.ranking, arm, state.counts.means[arm])
        if state.leader[0] >= 0:
            state.leads[state.leader[0]] += rounds
        if state.centre[0] >= 0:
            after_pull(state.race, state.counts, state.position[0], state.settings)

    return Engine(start, decide, observe)
