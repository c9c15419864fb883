"""UTS, equal in law to policies/uts.py: rounds in which the leader surely wins are one commitment.

While an arm leads alone, its forced rounds and its rounds of sampling without a flag all pull it
(see flags.py). The commitment is guarded by the line on which the leader's mean sinks to the level
the window vouches for, or to the runner-up's mean, whichever is higher.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.fast.posterior_flags import (
    Window,
    close,
    closed_window,
    is_open,
    note_pull,
    open_window,
    resolve,
    rounds_to_flag,
    wait_out,
)
from rankone.fast.tournament import Tournament, champion, second, tournament, update
from rankone.instances import Problem
from rankone.policies.uts import Parameters, configure

__all__ = ["configure", "decide", "observe", "start"]


class State(NamedTuple):
    problem: Problem
    parameters: Parameters
    counts: Counts
    leads: np.ndarray  # l_k
    leader: np.ndarray  # (1,) who leads in the rounds of the commitment under way
    ranking: Tournament  # of the means; the window's reference is brought up to date when it closes
    window: Window
    samples: np.ndarray


def start(problem, parameters):
    largest = np.max(np.diff(problem.starts))
    return State(
        problem,
        parameters,
        no_counts(problem.arms),
        np.zeros(problem.arms, np.int64),
        np.full(1, -1, np.int64),
        tournament(np.zeros(problem.arms)),
        closed_window(problem.arms, largest),
        np.empty(largest),
    )


@kernel
def decide(state, t, rng):
    problem, counts, window = state.problem, state.counts, state.window
    if state.parameters.warm_up and t < problem.arms:
        return once(t)
    leader = window.reference[0]
    still = leader >= 0 and is_open(window, counts, leader)
    if not still:
        if leader >= 0:
            update(state.ranking, leader, counts.means[leader])
        leader = champion(state.ranking, rng)
    state.leader[0] = leader
    leads = state.leads[leader]
    around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
    gamma = state.parameters.gamma or float(len(around))
    if not still and not _vouch(state, leader, around):
        return once(_plain_choice(state, leader, leads + 1, gamma, around, rng))
    rounds = _nth_sampling_round(rounds_to_flag(window, rng), leads, gamma)
    if rounds == 1.0:
        return once(resolve(window, counts, rng))
    return wait_out(window, counts, rounds - 1.0)


@kernel
def _vouch(state, leader, around):
    """Open a window in which the leader leads alone, its mean a shade above the runner-up's."""
    if state.counts.pulls[leader] == 0:
        close(state.window)
        return False
    least = second(state.ranking, leader)
    return open_window(state.window, state.counts, leader, around, least + 1e-9 * (1.0 + least))


@kernel
def _nth_sampling_round(n, leads, gamma):
    """In how many rounds comes the n-th one that does not force the leader, whose leads are given.

    Of the leads 1, 2, ... no multiple of gamma, the s-th is s + floor((s - 1) / (gamma - 1)).
    """
    if gamma == math.inf:
        return n
    if gamma == 1.0:  # "degree" of an arm without neighbours: it is forced in every round
        return math.inf
    r = float(leads % gamma)
    s = r + n
    return s + math.floor((s - 1.0) / (gamma - 1.0)) - r


@kernel
def _plain_choice(state, leader, leads, gamma, around, rng):
    """One round as the paper writes it."""
    if leads % gamma == 0:
        return leader
    counts = state.counts
    samples = state.samples[: len(around)]
    for position, k in enumerate(around):
        samples[position] = rng.beta(counts.wins[k] + 1.0, counts.pulls[k] - counts.wins[k] + 1.0)
    return around[best_of(samples, rng)]


@kernel
def observe(state, arm, rounds, wins):
    counts, window = state.counts, state.window
    record(counts, arm, rounds, wins)
    if state.leader[0] >= 0:
        state.leads[state.leader[0]] += rounds
    if arm == window.reference[0]:
        return  # it leads as long as the window is open: its place in the ranking can wait
    update(state.ranking, arm, counts.means[arm])
    if counts.means[arm] >= window.guard[0]:
        window.expires[0] = 0  # it may catch up with the leader
    note_pull(window, counts, arm)
