"""The plain and the leaping engine of Thompson Sampling, on all arms or around a leader."""

import math
from typing import Any, NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.fast import Engine
from rankone.fast.leader import is_forced, period_of
from rankone.fast.posterior_classes import Classes, largest_sample, make_classes, note_pulls
from rankone.fast.posterior_crowd import Crowd, disperse, gather, make_crowd
from rankone.fast.posterior_crowd import largest_sample as largest_around
from rankone.fast.posterior_crowd import note_pull as note_pull_around
from rankone.fast.posterior_flags import (
    SAMPLE,
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
from rankone.fast.posterior_tails import make_prior
from rankone.fast.ranking import Ranking, leader_of, new_ranking, note_mean, runner_up
from rankone.instances import Problem

AROUND = 12  # with more arms around a leader than this, only the large samples are drawn
BUSY = 3.0  # while a window would have more flags and young arms than this in a round
CROWD = 4  # with more young arms than this in a window, classes are faster,
FEW = 32  # but not with so few arms in all


class Plain(NamedTuple):
    problem: Problem
    settings: Any
    counts: Counts
    leads: np.ndarray  # l_k, how often arm k has been the leader
    samples: np.ndarray  # theta_k, room for all arms


def plain_start(problem, settings):
    leads = np.zeros(problem.arms, np.int64)
    return Plain(problem, settings, no_counts(problem.arms), leads, np.empty(problem.arms))


@kernel
def plain_observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)


def plain_on_all_arms(a, b, warm_up):
    """theta_k ~ Beta(S_k + a, F_k + b) for every arm, pull argmax theta_k."""

    @kernel
    def decide(state, t, rng):
        counts, samples = state.counts, state.samples
        if warm_up and t < len(samples):
            return once(t)
        for k in range(len(samples)):
            samples[k] = rng.beta(counts.wins[k] + a, counts.pulls[k] - counts.wins[k] + b)
        return once(best_of(samples, rng))

    return Engine(plain_start, decide, plain_observe)


def plain_around_leader(a, b):
    """The leader when it is forced, else the largest sample in its closed neighbourhood."""

    @kernel
    def decide(state, t, rng):
        problem, leaders, counts = state.problem, state.settings.leader, state.counts
        if leaders.warm_up and t < problem.arms:
            return once(t)
        leader = best_of(counts.means, rng)
        state.leads[leader] += 1
        around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
        period = period_of(leaders, len(around))
        if is_forced(state.leads[leader], period, leaders.residue):
            return once(leader)
        samples = state.samples[: len(around)]
        for position, k in enumerate(around):
            samples[position] = rng.beta(counts.wins[k] + a, counts.pulls[k] - counts.wins[k] + b)
        return once(around[best_of(samples, rng)])

    return Engine(plain_start, decide, plain_observe)


class Leaping(NamedTuple):
    counts: Counts
    everyone: np.ndarray  # all arms
    reference: np.ndarray  # (1,) the arm that is expected to win most rounds
    patience: np.ndarray  # (1,) its pulls from which on a window is worth a try
    window: Window
    classes: Classes


def leaping_on_all_arms(a, b, warm_up):
    def start(problem, settings):
        arms, prior = problem.arms, make_prior(a, b)
        return Leaping(
            no_counts(arms),
            np.arange(arms),
            np.zeros(1, np.int64),
            np.full(1, 2),
            closed_window(arms, arms, prior),
            make_classes(arms, prior),
        )

    @kernel
    def window_serves(state):
        """Whether there is a window on the reference that is of use."""
        counts, window, reference = state.counts, state.window, state.reference[0]
        if not is_open(window, counts, reference):
            pulls = counts.pulls[reference]
            if pulls < state.patience[0]:
                close(window)
                return False
            state.patience[0] = 0 if len(state.everyone) <= FEW else pulls + 4 + pulls // 8
            if not open_window(window, counts, reference, state.everyone, 0.0):
                return False
        busy = window.youngs[0] > CROWD or window.rates[1] > state.classes.wanted[2]
        if busy and len(state.everyone) > FEW:
            close(window)
            return False
        return True

    @kernel
    def decide(state, t, rng):
        counts, window = state.counts, state.window
        if warm_up and t < len(state.everyone):
            return once(t)
        if not window_serves(state):
            if len(state.everyone) > FEW:
                return once(largest_sample(state.classes, counts, rng))
            samples = state.window.samples
            for k in range(len(state.everyone)):
                samples[k] = rng.beta(counts.wins[k] + a, counts.pulls[k] - counts.wins[k] + b)
            return once(best_of(samples[: len(state.everyone)], rng))
        rounds = rounds_to_flag(window, counts, rng)
        if rounds == 1.0:
            return once(resolve(window, counts, rng))
        return wait_out(window, counts, rounds - 1.0)

    @kernel
    def observe(state, arm, rounds, wins):
        counts = state.counts
        record(counts, arm, rounds, wins)
        if len(state.everyone) > FEW:
            note_pulls(state.classes, counts, arm, rounds, wins)
        note_pull(state.window, counts, arm)
        # not at every overtaking: two arms side by side would take turns
        if counts.pulls[arm] > 1.25 * counts.pulls[state.reference[0]]:
            state.reference[0] = arm

    return Engine(start, decide, observe)


class LeapingLeader(NamedTuple):
    problem: Problem
    settings: Any
    counts: Counts
    leads: np.ndarray  # l_k
    leader: np.ndarray  # (1,) who leads in the rounds of the commitment under way
    ranking: Ranking  # of the means
    window: Window
    samples: np.ndarray
    crowd: Crowd  # around the leader, while no window is open
    patience: np.ndarray  # (2,) rounds left until a window is tried again, and of how many


def leaping_around_leader(a, b):
    """While an arm leads alone, its forced rounds and its rounds of sampling without a flag all
    pull it. The commitment is guarded by the line on which the leader's mean sinks to what the
    window vouches for, or to the runner-up's mean, whichever is higher.
    """

    def start(problem, settings):
        largest = int(np.max(np.diff(problem.starts)))
        prior = make_prior(a, b)
        return LeapingLeader(
            problem,
            settings,
            no_counts(problem.arms),
            np.zeros(problem.arms, np.int64),
            np.full(1, -1),
            new_ranking(problem.arms),
            closed_window(problem.arms, largest, prior),
            np.empty(largest),
            make_crowd(problem.arms, largest, prior),
            np.zeros(2, np.int64),
        )

    @kernel
    def decide(state, t, rng):
        problem, counts, window = state.problem, state.counts, state.window
        leaders = state.settings.leader
        if leaders.warm_up and t < problem.arms:
            return once(t)
        leader = window.reference[0]
        still = leader >= 0 and is_open(window, counts, leader) and not is_busy(window)
        if not still:
            leader = leader_of(state.ranking, counts.means, rng)
        state.leader[0] = leader
        leads = state.leads[leader]
        around = problem.neighbours[problem.starts[leader] : problem.starts[leader + 1]]
        period = period_of(leaders, len(around))
        if not still and not leads_alone(state, leader, around):
            return once(plain_choice(state, leader, leads + 1, period, around, rng))
        looks = rounds_to_flag(window, counts, rng)
        rounds = nth_sampling_round(looks, leads, period, leaders.residue)
        if rounds == 1.0:
            return once(resolve(window, counts, rng))
        return wait_out(window, counts, rounds - 1.0)

    @kernel
    def plain_choice(state, leader, leads, period, around, rng):
        """One round as the paper writes it."""
        if is_forced(leads, period, state.settings.leader.residue):
            return leader
        counts = state.counts
        if len(around) > AROUND:
            if state.crowd.leader[0] != leader:
                gather(state.crowd, counts, leader, around)
            return largest_around(state.crowd, counts, rng)
        samples = state.samples[: len(around)]
        for position, k in enumerate(around):
            samples[position] = rng.beta(counts.wins[k] + a, counts.pulls[k] - counts.wins[k] + b)
        return around[best_of(samples, rng)]

    return Engine(start, decide, observe_around_leader)


@kernel
def is_busy(window):
    """Whether a window has so much to look at in every round that it saves nothing."""
    return window.rivals[0] >= AROUND and window.rates[1] + SAMPLE * window.youngs[0] > BUSY


@kernel
def leads_alone(state, leader, around):
    """Open a window in which the leader leads alone, its mean a shade above the runner-up's."""
    window, patience = state.window, state.patience
    if state.counts.pulls[leader] == 0 or patience[0] > 0:
        close(window)
        patience[0] -= patience[0] > 0
        return False
    least = just_above(max(runner_up(state.ranking, state.counts.means, leader), 0.0))
    if open_window(window, state.counts, leader, around, least) and not is_busy(window):
        disperse(state.crowd)
        patience[1] = 0
        return True
    close(window)
    if len(around) > AROUND:
        patience[1] = min(patience[1] + len(around), 8 * len(around))
        patience[0] = patience[1]
    return False


@kernel
def nth_sampling_round(n, leads, period, residue):
    """In how many rounds comes the n-th one that does not force the leader, whose leads are given.

    Counted from the last forced lead, forced are the multiples of the period p, and the s-th of the
    others is s + floor((s - 1) / (p - 1)).
    """
    if period == math.inf:
        return n
    if period == 1.0:  # an arm without neighbours: it is forced in every round
        return math.inf
    r = float((leads - residue) % int(period))
    s = r + n
    return s + math.floor((s - 1.0) / (period - 1.0)) - r


@kernel
def observe_around_leader(state, arm, rounds, wins):
    counts, window = state.counts, state.window
    record(counts, arm, rounds, wins)
    if state.leader[0] >= 0:
        state.leads[state.leader[0]] += rounds
    note_pull_around(state.crowd, counts, arm)
    note_mean(state.ranking, arm, counts.means[arm])
    if arm == window.reference[0]:
        return
    if counts.means[arm] >= window.guard[0]:
        window.expires[0] = 0  # it may catch up with the leader
    else:
        window.least[0] = max(window.least[0], just_above(counts.means[arm]))
    note_pull(window, counts, arm)


@kernel
def just_above(mean):
    """A mean at which the leader surely leads."""
    return mean + 1e-9 * (1.0 + mean)
