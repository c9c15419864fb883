"""The elimination of rows and columns by stages, shared by Rank1Elim and Rank1ElimKL.

h_U maps each row to its stand-in, h_V each column; those that stand for themselves are active. In
stage l, n_l - n_{l-1} times: a column is drawn from all L and replaced by its stand-in, and every
active row is pulled with it; then a row is drawn likewise, and every active column is pulled with
it. At the end of the stage every row whose upper bound is no larger than the lower bound of the
best row gets the best row as its stand-in; the columns likewise. The horizon cuts a stage where it
falls.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import best_of, uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.kl import kl, kl_lower, kl_upper
from rankone.engine.loop import once
from rankone.instances import Instance, Problem

ROWS, COLUMNS = 0, 1  # the two sides
SQUARE_ROOT, KL, KL_BY_BISECTION = 0, 1, 2  # the kinds of bounds


class Rules(NamedTuple):
    """What tells the members of the family apart."""

    first: float  # n_l = ceil(first * D^-2 * ln n)
    shrink: float  # D is divided by this after each stage
    bounds: int
    log_factor: float  # the level of the bounds is log_factor * ln x + loglog_factor * ln ln x ...
    loglog_factor: float
    current_time: bool  # ... where x is the number of pulls made so far, or else the horizon n
    fresh: bool  # a partner is drawn for each line pulled, not once for all of them
    phantoms: bool  # every cell starts with a pull without reward
    strict: bool  # a line goes only if its upper bound is smaller, not if it is equal


def square_root_rules() -> Rules:
    """The rules of Rank1Elim."""
    return Rules(
        first=4.0,
        shrink=2.0,
        bounds=SQUARE_ROOT,
        log_factor=1.0,
        loglog_factor=0.0,
        current_time=False,
        fresh=False,
        phantoms=False,
        strict=False,
    )


class State(NamedTuple):
    problem: Problem
    rules: Rules
    stand_in: np.ndarray  # (2, longest): h_U and h_V
    active: np.ndarray  # (2, longest): the lines that stand for themselves, ascending
    actives: np.ndarray  # (2,): how many
    wins: np.ndarray  # (2, longest): sums of rewards, kept apart for rows and columns
    bounds: np.ndarray  # (2, longest): upper and lower bounds of one side, for the active lines
    side: np.ndarray  # (1,): the side whose lines are being pulled
    turn: np.ndarray  # (1,): how many of its active lines have been pulled
    partner: np.ndarray  # (1,): the line of the other side they are pulled with
    repeats: np.ndarray  # (1,): how often both sides are still to be pulled in this stage
    pulls: np.ndarray  # (1,): n_l
    width: np.ndarray  # (1,): D
    horizon: np.ndarray  # (1,): n


def supports(instance: Instance) -> str:
    """Why the family cannot play on an instance; empty if it can."""
    if not instance.rows:
        return "it eliminates rows and columns, and only the arms of a matrix have them."
    return ""


def start(problem, rules):
    longest = max(problem.rows, problem.columns)
    state = State(
        problem,
        rules,
        np.zeros((2, longest), np.int64),
        np.zeros((2, longest), np.int64),
        np.array([problem.rows, problem.columns]),
        np.zeros((2, longest), np.int64),
        np.zeros((2, longest)),
        np.full(1, COLUMNS),
        np.full(1, problem.columns),  # as if a stage of no length had just ended
        np.zeros(1, np.int64),
        np.ones(1, np.int64),
        np.zeros(1, np.int64),
        np.full(1, rules.shrink),
        np.full(1, float(problem.horizon)),
    )
    for side in (ROWS, COLUMNS):
        state.stand_in[side] = np.arange(longest)
        state.active[side] = np.arange(longest)
    return state


@kernel
def decide(state, t, rng):
    side = state.side[0]
    if state.turn[0] == state.actives[side]:
        side = _next_side(state, t, rng)
    line = state.active[side, state.turn[0]]
    if state.rules.fresh or state.turn[0] == 0:
        size = state.problem.rows if side == COLUMNS else state.problem.columns
        state.partner[0] = state.stand_in[1 - side, uniform_index(size, rng)]
    return once(cell(state, side, line, state.partner[0]))


@kernel
def cell(state, side, line, partner):
    """The arm where a line of one side meets a line of the other."""
    row, column = (line, partner) if side == ROWS else (partner, line)
    return row * state.problem.columns + column


@kernel
def observe(state, arm, rounds, wins):
    side = state.side[0]
    state.wins[side, state.active[side, state.turn[0]]] += wins
    state.turn[0] += 1


@kernel
def _next_side(state, t, rng):
    """Go on with the other side; when the stage is over, eliminate and begin the next."""
    state.turn[0] = 0
    state.side[0] = 1 - state.side[0]
    if state.side[0] == ROWS:
        state.repeats[0] -= 1
        while state.repeats[0] == 0:
            if state.pulls[0] > 0:
                _eliminate(state, ROWS, t, rng)
                _eliminate(state, COLUMNS, t, rng)
            _begin_stage(state)
    return state.side[0]


@kernel
def _begin_stage(state):
    before = state.pulls[0]
    width = state.width[0] / state.rules.shrink
    log_n = math.log(state.horizon[0])
    state.width[0] = width
    state.pulls[0] = max(1, math.ceil(state.rules.first / (width * width) * log_n))
    state.repeats[0] = state.pulls[0] - before


@kernel
def _eliminate(state, side, t, rng):
    rules, problem = state.rules, state.problem
    active = state.active[side, : state.actives[side]]
    pulls = state.pulls[0]
    if rules.phantoms:
        pulls += problem.columns if side == ROWS else problem.rows
    radius = _level(rules, t if rules.current_time else state.horizon[0]) / pulls
    upper, lower = state.bounds[0], state.bounds[1]
    for position, line in enumerate(active):
        mean = state.wins[side, line] / pulls
        upper[position], lower[position] = _bounds(rules.bounds, mean, radius)
    best = best_of(lower[: len(active)], rng)
    threshold, winner = lower[best], active[best]
    stand_in = state.stand_in[side]
    for position, line in enumerate(active):
        if upper[position] < threshold or (upper[position] == threshold and not rules.strict):
            for other in range(len(stand_in)):
                if stand_in[other] == line:
                    stand_in[other] = winner
    size = problem.rows if side == ROWS else problem.columns
    state.actives[side] = 0
    for line in range(size):
        if stand_in[line] == line:
            state.active[side, state.actives[side]] = line
            state.actives[side] += 1


@kernel
def _level(rules, x):
    log_x = math.log(x)
    return rules.log_factor * log_x + rules.loglog_factor * math.log(max(1.0, log_x))


@kernel
def _bounds(kind, mean, radius):
    """Upper and lower confidence bounds of a mean; radius is the level divided by the pulls."""
    if kind == SQUARE_ROOT:
        return mean + math.sqrt(radius), mean - math.sqrt(radius)
    if kind == KL:
        return kl_upper(mean, radius), kl_lower(mean, radius)
    return _bisect(mean, 1.0, mean, radius), _bisect(mean, 0.0, mean, radius)


@kernel
def _bisect(inside, outside, mean, radius):
    """Ten bisections for the bound between a point within the radius and one beyond it."""
    for _ in range(10):
        middle = (inside + outside) / 2.0
        if kl(mean, middle) > radius:
            outside = middle
        else:
            inside = middle
    return (inside + outside) / 2.0
