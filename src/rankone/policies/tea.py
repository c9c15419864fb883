"""TEA, the Temporary Elimination Algorithm of Zimmert and Seldin (2018) for factored bandits.

An arm is a tuple of atoms, one of each factor: a row and a column of a matrix, or the coordinates
of a tensor of any number of factors. In phases as long as the largest active set, every factor
plays its active atoms equally often in random order, and so against random partners. Two atoms a
and b of a factor that were played p and q times in a phase add n = min(p, q) to N_ab and n times
the difference of their means in the phase to D_ab. At the start of a phase, after t rounds, atom b
is set aside if it is surely worse than some a of the same factor,

    D_ab / N_ab > sqrt(12 ln(2 K f(t)) / N_ab),   f(t) = (t + 1) ln^2(t + 1),

and only as long as it is: t goes on. K is the number of the factor's atoms. Needs no horizon.

Recalled, not read: f, the radius and its 12, which is the parameter `constant`. Chosen: where the
phase is longer than a factor's active set, its atoms are shuffled again and again, and the last
round of that is cut; if all atoms of a factor were surely worse, all of them would be active.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.loop import once
from rankone.engine.parameters import positive
from rankone.instances import Instance, Problem

__all__ = ["configure", "decide", "observe", "start", "supports"]


class Settings(NamedTuple):
    constant: float


class State(NamedTuple):
    settings: Settings
    horizon: int
    sizes: np.ndarray  # (factors,): how many atoms each factor has,
    strides: np.ndarray  # (factors,): and by what an arm's index grows from one to the next
    ahead: np.ndarray  # (factors, most, most): D_ab
    samples: np.ndarray  # (factors, most, most): N_ab
    active: np.ndarray  # (factors, most): the active atoms, ascending
    actives: np.ndarray  # (factors,): how many
    shuffled: np.ndarray  # (most,): room for a shuffle
    schedule: np.ndarray  # (factors, most): the atoms of the phase, round by round
    length: np.ndarray  # (1,): of the phase
    played: np.ndarray  # (1,): rounds of it
    plays: np.ndarray  # (factors, most): of each atom in the phase
    wins: np.ndarray  # (factors, most)


def supports(instance: Instance) -> str:
    """Why it cannot play on an instance; empty if it can."""
    if instance.shape is None:
        return "it plays the atoms of factors, and the arms of this graph are no tuples."
    return ""


def configure(problem: Problem, constant: float = 12) -> Settings:
    return Settings(positive("constant", constant))


def start(problem, settings):
    sizes = np.array(problem.shape, np.int64)
    factors, most = len(sizes), int(sizes.max())
    strides = problem.arms // np.cumprod(sizes)
    return State(
        settings,
        problem.horizon,
        sizes,
        strides,
        np.zeros((factors, most, most)),
        np.zeros((factors, most, most)),
        np.zeros((factors, most), np.int64),
        np.zeros(factors, np.int64),
        np.zeros(most, np.int64),
        np.zeros((factors, most), np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros((factors, most), np.int64),
        np.zeros((factors, most), np.int64),
    )


@kernel
def level(state, factor, t):
    """The square of D_ab above which b is surely worse, for N_ab = 1."""
    log_t = math.log(t + 1.0)
    f = (t + 1.0) * log_t * log_t
    return state.settings.constant * math.log(2.0 * state.sizes[factor] * f)


@kernel
def next_round(state, t, rng):
    """The arm of the next round; a phase that is over is counted, and the next one begun."""
    if state.played[0] == state.length[0]:
        if t > 0:
            _count(state)
        _choose_active(state, t)
        _schedule(state, rng)
    arm = 0
    for factor in range(len(state.sizes)):
        arm += state.schedule[factor, state.played[0]] * state.strides[factor]
    return arm


@kernel
def decide(state, t, rng):
    return once(next_round(state, t, rng))


@kernel
def observe(state, arm, rounds, wins):
    for factor in range(len(state.sizes)):
        atom = state.schedule[factor, state.played[0]]
        state.plays[factor, atom] += rounds
        state.wins[factor, atom] += wins
    state.played[0] += 1


@kernel
def _count(state):
    """Add the differences of the phase."""
    plays, wins = state.plays, state.wins
    for factor in range(len(state.sizes)):
        size = state.sizes[factor]
        for a in range(size):
            for b in range(a):
                n = min(plays[factor, a], plays[factor, b])
                if n > 0:
                    difference = wins[factor, a] / plays[factor, a]
                    difference -= wins[factor, b] / plays[factor, b]
                    state.ahead[factor, a, b] += n * difference
                    state.ahead[factor, b, a] -= n * difference
                    state.samples[factor, a, b] += n
                    state.samples[factor, b, a] += n
        for atom in range(size):
            plays[factor, atom] = wins[factor, atom] = 0


@kernel
def _choose_active(state, t):
    for factor in range(len(state.sizes)):
        size, found = state.sizes[factor], 0
        height = level(state, factor, t) if t > 0 else math.inf
        for atom in range(size):
            if not _surely_worse(state, factor, atom, height):
                state.active[factor, found] = atom
                found += 1
        if found == 0:
            for atom in range(size):
                state.active[factor, atom] = atom
            found = size
        state.actives[factor] = found


@kernel
def _surely_worse(state, factor, b, height):
    for a in range(state.sizes[factor]):
        ahead, samples = state.ahead[factor, a, b], state.samples[factor, a, b]
        if samples > 0.0 and ahead > math.sqrt(height * samples):
            return True
    return False


@kernel
def _schedule(state, rng):
    """As long as the largest active set; each factor's atoms in shuffles, one after the other."""
    length = 0
    for factor in range(len(state.sizes)):
        length = max(length, state.actives[factor])
    for factor in range(len(state.sizes)):
        size, filled = state.actives[factor], 0
        while filled < length:
            for i in range(size):
                state.shuffled[i] = state.active[factor, i]
            for i in range(size - 1, 0, -1):
                j = uniform_index(i + 1, rng)
                kept = state.shuffled[i]
                state.shuffled[i] = state.shuffled[j]
                state.shuffled[j] = kept
            for i in range(min(size, length - filled)):
                state.schedule[factor, filled + i] = state.shuffled[i]
            filled += size
    state.length[0], state.played[0] = length, 0
