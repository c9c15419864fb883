"""Play an engine on a given table of rewards, and write down what it does."""

import functools

import numpy as np

import rankone
from rankone.engine.compiled import entry
from rankone.engine.memory import as_argument

INSTANCES = {
    "symmetric": rankone.rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25, 0.25]),
    "more columns": rankone.rank_one([0.8, 0.3], [0.5, 0.45, 0.2, 0.1, 0.6]),
    "close means": rankone.rank_one([0.5, 0.49], [0.5, 0.48, 0.47]),
    "a zero in u": rankone.rank_one([0.7, 0.0, 0.3], [0.9, 0.2]),
    "a sure arm": rankone.rank_one([1.0, 0.98, 0.9], [1.0, 0.99, 0.5]),
    "rare wins": rankone.rank_one([0.1, 0.05, 0.01], [0.1, 0.02]),
    "many alike": rankone.rank_one([0.75] + [0.25] * 11, [0.75] + [0.25] * 11),
    "line": rankone.graph([0.1, 0.2, 0.5, 0.6, 0.4, 0.3], [(k, k + 1) for k in range(5)]),
    # whose tops are no neighbours: the leader is dethroned from afar
    "two hills": rankone.line([0.58, 0.2, 0.1, 0.2, 0.6], unimodal=False),
}

NO_PAST = np.zeros((0, 2), np.int64)


def rewards(instance, rounds, seed):
    """The n-th pull of arm k gives rewards[k, n]."""
    uniform = np.random.default_rng([seed, 77]).random((instance.arms, rounds))
    return (uniform < instance.means[:, None]).astype(np.int64)


@functools.cache
def tracer(decide, observe):
    def play(state, table, past, heed, arms, commitments, rng):
        t = 0
        for k in range(len(past)):
            if past[k, 0] > 0:
                observe(state, k, past[k, 0], past[k, 1])
                t += past[k, 0]
        pulls = np.zeros(len(table), np.int64)
        n, decisions = 0, 0
        while n < len(arms):
            commitment = decide(state, t, rng)
            commitments[decisions, 0] = n
            commitments[decisions, 1] = commitment.rounds
            commitments[decisions, 2] = commitment.floor
            commitments[decisions, 3] = commitment.slope
            decisions += 1
            arm, played, wins = commitment.arm, 0, 0
            broken = False
            while played < commitment.rounds and n < len(arms) and not broken:
                wins += table[arm, pulls[arm]]
                pulls[arm] += 1
                played += 1
                arms[n] = arm
                n += 1
                broken = heed and wins < commitment.floor + commitment.slope * played
            observe(state, arm, played, wins)
            t += played
        return decisions

    return entry(play)


def trace(engine, problem, settings, table, seed=0, past=NO_PAST, heed=True, rng=None):
    """The arm of every round, all commitments, and a number drawn after the last round.

    A commitment: its first round, rounds, floor and slope. `past` are pulls and wins from before
    the first round. A guard is honoured only if `heed`.
    """
    rng = rng or np.random.default_rng(seed)
    arms = np.empty(table.shape[1], np.int64)
    commitments = np.empty((len(arms), 4))
    state = as_argument(engine.start(problem, settings))
    play = tracer(engine.decide, engine.observe)
    decisions = play(state, table, past, heed, arms, commitments, rng)
    return arms, commitments[:decisions], rng.random()
