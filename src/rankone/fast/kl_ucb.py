"""KL-UCB, committing to the arm with the largest index for as long as it surely stays so."""

from typing import NamedTuple

from rankone.engine.compiled import kernel
from rankone.engine.counts import Counts, no_counts, record
from rankone.engine.loop import once
from rankone.fast import index_screen as screens
from rankone.fast.index_screen import Screen
from rankone.fast.kl_screen import Stairs, bar, constant, new_stairs, strongest
from rankone.policies.kl_ucb import Parameters, configure

__all__ = ["configure", "decide", "observe", "start"]


class State(NamedTuple):
    parameters: Parameters
    counts: Counts
    screen: Screen
    stairs: Stairs


def start(problem, parameters):
    arms = problem.arms
    stairs = new_stairs(arms, parameters.width)
    return State(parameters, no_counts(arms), screens.new_screen(arms, arms), stairs)


@kernel
def decide(state, t, rng):
    parameters, counts, screen = state.parameters, state.counts, state.screen
    if t < len(counts.pulls):
        return once(t)
    if screen.size[0] == 0:
        screen.size[0] = len(counts.pulls)
        screens.set_bar(screen, counts, 0.5, bar)
    _, commitment = strongest(screen, state.stairs, counts, t, parameters, rng)
    return commitment


@kernel
def observe(state, arm, rounds, wins):
    counts, screen = state.counts, state.screen
    record(counts, arm, rounds, wins)
    screen.constant[arm] = constant(counts.pulls[arm], counts.wins[arm])
    if screen.size[0] > 0:
        screens.renew(screen, counts, arm)
