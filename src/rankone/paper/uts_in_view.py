"""UTS played round by round with its inside in view: how often each arm led, and how ties broke.

The experiments on leader exploration and on tie-breaking need what `rankone.simulate` does not
give. With ties broken at random this is the package's UTS; a test holds the two to the bit.
"""

from typing import NamedTuple

import numba
import numpy as np

from rankone.engine.argmax import best_of
from rankone.instances import Instance

compiled = numba.njit(error_model="numpy")


class Settings(NamedTuple):
    gamma: float  # the leader is pulled every gamma-th time it leads; inf: never forced
    warm_up: bool  # whether each arm is pulled once before the first leader is chosen
    first_index: bool  # whether the leader among equal means is the first one, or a random one


class State(NamedTuple):
    """Per arm k, except for `samples`."""

    pulls: np.ndarray  # N_k
    wins: np.ndarray  # S_k
    means: np.ndarray  # S_k / N_k, 0 before the first pull
    leads: np.ndarray  # l_k, how often arm k has been the leader
    starts: np.ndarray  # the closed neighbourhood of arm k is neighbours[starts[k]:starts[k + 1]]
    neighbours: np.ndarray
    samples: np.ndarray  # theta_k, room for one neighbourhood


def start(instance: Instance) -> State:
    arms, largest = instance.arms, int(np.max(np.diff(instance.starts)))
    counts = (np.zeros(arms, np.int64), np.zeros(arms, np.int64), np.zeros(arms))
    graph = (instance.starts, instance.neighbours)
    return State(*counts, np.zeros(arms, np.int64), *graph, np.empty(largest))


@compiled
def play_round(state, settings, t, means, rng):
    """Choose an arm in round t, pull it and count the reward."""
    arm = _choose(state, settings, t, rng)
    state.pulls[arm] += 1
    state.wins[arm] += int(rng.random() < means[arm])
    state.means[arm] = state.wins[arm] / state.pulls[arm]


@compiled
def _choose(state, settings, t, rng):
    if settings.warm_up and t < len(state.pulls):
        return t
    leader = np.argmax(state.means) if settings.first_index else best_of(state.means, rng)
    state.leads[leader] += 1
    if state.leads[leader] % settings.gamma == 0:
        return leader
    around = state.neighbours[state.starts[leader] : state.starts[leader + 1]]
    samples = state.samples[: len(around)]
    for position, k in enumerate(around):
        samples[position] = rng.beta(state.wins[k] + 1.0, state.pulls[k] - state.wins[k] + 1.0)
    return around[best_of(samples, rng)]


@compiled
def play(state, settings, horizon, means, rng):
    """Play all rounds; the counts are then in the state."""
    for t in range(horizon):
        play_round(state, settings, t, means, rng)


@compiled
def least_slack(state, settings, horizon, means, period, rng):
    """Play all rounds; the least N_k(t) - floor(l_k(t) / period) over all arms and rounds."""
    slack = horizon
    for t in range(horizon):
        play_round(state, settings, t, means, rng)
        for k in range(len(means)):
            slack = min(slack, state.pulls[k] - state.leads[k] // period)
    return slack
