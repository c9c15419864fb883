"""Thompson Sampling, equal in law to policies/ts.py: rounds without a flag are one commitment.

The reference is an arm with about the most pulls, all others are its competitors (see flags.py).
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.fast.posterior_flags import (
    Window,
    closed_window,
    is_open,
    note_pull,
    open_window,
    resolve,
    rounds_to_flag,
    wait_out,
)
from rankone.policies.ts import configure

__all__ = ["configure", "decide", "observe", "start"]


class State(NamedTuple):
    counts: Counts
    everyone: np.ndarray  # all arms
    reference: np.ndarray  # (1,) the arm that is expected to win most rounds
    window: Window
    samples: np.ndarray


def start(problem, parameters):
    arms = problem.arms
    return State(
        no_counts(arms),
        np.arange(arms),
        np.zeros(1, np.int64),
        closed_window(arms, arms),
        np.empty(arms),
    )


@kernel
def decide(state, t, rng):
    counts, window = state.counts, state.window
    reference = state.reference[0]
    if not is_open(window, counts, reference) and (
        counts.pulls[reference] == 0
        or not open_window(window, counts, reference, state.everyone, 0.0)
    ):
        return once(_plain_choice(state, rng))
    rounds = rounds_to_flag(window, rng)
    if rounds == 1.0:
        return once(resolve(window, counts, rng))
    return wait_out(window, counts, rounds - 1.0)


@kernel
def _plain_choice(state, rng):
    """One round as Thompson wrote it."""
    counts, samples = state.counts, state.samples
    for k in range(len(samples)):
        samples[k] = rng.beta(counts.wins[k] + 1.0, counts.pulls[k] - counts.wins[k] + 1.0)
    return best_of(samples, rng)


@kernel
def observe(state, arm, rounds, wins):
    counts = state.counts
    record(counts, arm, rounds, wins)
    note_pull(state.window, counts, arm)
    # not at every overtaking: two arms side by side would take turns
    if counts.pulls[arm] > 1.25 * counts.pulls[state.reference[0]]:
        state.reference[0] = arm
