"""UCB1, committing to the arm with the largest index for as long as it surely stays so.

Its index is max{q : N_k (q - S_k / N_k)^2 / 2 <= ln t}: the screen with squares in the place of kl.
"""

import math
from typing import NamedTuple

from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.fast import index_screen as screens
from rankone.fast.index_screen import Bar, Screen
from rankone.policies.ucb1 import configure

__all__ = ["configure", "decide", "observe", "start"]


class State(NamedTuple):
    counts: Counts
    screen: Screen


@kernel
def index(pulls, wins, f):
    return wins / pulls + math.sqrt(2.0 * f / pulls)


@kernel
def bar(q):
    """Weights of the deviance N (q - S/N)^2 / 2 = S^2 / (2 N) - S q + (S + F) q^2 / 2."""
    return Bar(q, q * q / 2.0 - q, q * q / 2.0, q - 1.0, q)


@kernel
def constant(pulls, wins):
    return wins * (wins / pulls) / 2.0


@kernel
def least_mean(q, d, mean):
    """The smallest p with (q - p)^2 / 2 <= d."""
    return q - math.sqrt(2.0 * d)


@kernel
def solve_all(screen, counts, f, rng):
    """The largest index, without the help of the screen."""
    for k in range(len(counts.pulls)):
        screen.values[k] = index(counts.pulls[k], counts.wins[k], f)
    return best_of(screen.values, rng)


def start(problem, parameters):
    return State(no_counts(problem.arms), screens.new_screen(problem.arms, problem.arms))


@kernel
def decide(state, t, rng):
    counts, screen = state.counts, state.screen
    if t < len(counts.pulls):
        return once(t)
    if screen.size[0] == 0:
        screen.size[0] = len(counts.pulls)
        screens.set_bar(screen, counts, 0.5, bar)
    f = math.log(t)
    found, next_up, largest, level = screens.survey(screen, counts, f, index, bar)
    if found == 0:
        return once(solve_all(screen, counts, f, rng))
    arm, ties = screens.pick(screen, found, rng)
    if ties > 1:
        return once(arm)
    # ln t grows by less than one in t rounds
    return screens.vouch(screen, counts, arm, f, t, found, next_up, largest, level, least_mean)


@kernel
def observe(state, arm, rounds, wins):
    counts, screen = state.counts, state.screen
    record(counts, arm, rounds, wins)
    screen.constant[arm] = constant(counts.pulls[arm], counts.wins[arm])
    if screen.size[0] > 0:
        screens.renew(screen, counts, arm)
