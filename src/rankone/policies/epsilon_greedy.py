"""epsilon_t-greedy of Auer, Cesa-Bianchi and Fischer (2002), blind to the graph.

With probability epsilon_t = min(1, c K / t) an arm drawn at random from all K, else the arm with
the best empirical mean (ties at random; an unpulled arm has mean 0); t counts the pulls made so
far. The paper writes c / d^2 in the place of c, where d > 0 is at most the smallest gap; no source
fixes a value for unknown gaps, and the default c = 5 was chosen here. It plays round by round.
"""

from typing import NamedTuple

from rankone.policy import (
    Counts,
    Problem,
    best_of,
    kernel,
    no_counts,
    not_negative,
    once,
    record,
    uniform_index,
)


class Settings(NamedTuple):
    exploration: float  # c K


class State(NamedTuple):
    settings: Settings
    counts: Counts


def configure(problem: Problem, c: float = 5) -> Settings:
    return Settings(not_negative("c", c) * problem.arms)


def start(problem, settings):
    return State(settings, no_counts(problem.arms))


@kernel
def decide(state, t, rng):
    means = state.counts.means
    if rng.random() * t < state.settings.exploration:
        return once(uniform_index(len(means), rng))
    return once(best_of(means, rng))


@kernel
def observe(state, arm, rounds, wins):
    record(state.counts, arm, rounds, wins)
