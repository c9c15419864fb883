"""Fast sampling policies held still, or watched: what a whole run would hide.

With the counts frozen the rounds of Thompson Sampling are independent and their law is known, so a
fast twin is held against numbers instead of a sample of the plain policy. And while a policy plays,
every flag it relies on is written down, to be compared with the tail that it must bound.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

import rankone
from rankone.engine.compiled import entry
from rankone.engine.memory import as_argument
from rankone.fast.posterior_flags import is_open
from rankone.policies import ts as ts_policy
from rankone.policies import uts as uts_policy

ts, uts = ts_policy.policy.fast, uts_policy.policy.fast
ts_decide, ts_observe = ts.decide, ts.observe
uts_decide, uts_observe = uts.decide, uts.observe


def play_ts(problem, parameters, before, after, rounds, rng):
    return _play_ts(
        as_argument(ts.start(problem, parameters)), as_argument(problem), before, after, rounds, rng
    )


@entry
def _play_ts(state, problem, before, after, rounds, rng):
    """How often each arm is chosen in so many rounds, the counts being frozen at `after`.

    And whether the window opened before was still open after, and whether it had young arms.
    `before` and `after` are (pulls, wins); the window is opened before and has to serve after.
    """
    window = state.window
    for arm in range(problem.arms):
        if before[0, arm] > 0:
            ts_observe(state, arm, before[0, arm], before[1, arm])
    ts_decide(state, 0, rng)
    for arm in range(problem.arms):
        if after[0, arm] > before[0, arm]:
            more = after - before
            ts_observe(state, arm, more[0, arm], more[1, arm])
    kept = window.reference[0] >= 0 and is_open(window, state.counts, window.reference[0])
    chosen = np.zeros(problem.arms, np.int64)
    t = 0
    while t < rounds:
        commitment = ts_decide(state, t, rng)
        played = min(commitment.rounds, rounds - t)
        chosen[commitment.arm] += played
        t += played
        if played > 1 and commitment.rounds == window.expires[0] - after[0, commitment.arm]:
            window.wait[0] = -1.0  # the pulls would have closed the window: the flag is forgotten
    return chosen, kept, window.youngs[0] > 0


def play_uts(problem, parameters, before, after, rounds, rng):
    return _play_uts(
        as_argument(uts.start(problem, parameters)),
        as_argument(problem),
        before,
        after,
        rounds,
        rng,
    )


@entry
def _play_uts(state, problem, before, after, rounds, rng):
    """The same for UTS, whose leads go on as if it were played."""
    window = state.window
    for arm in range(problem.arms):
        if before[0, arm] > 0:
            uts_observe(state, arm, before[0, arm], before[1, arm])
    uts_decide(state, problem.arms, rng)
    for arm in range(problem.arms):
        if after[0, arm] > before[0, arm]:
            more = after - before
            uts_observe(state, arm, more[0, arm], more[1, arm])
    kept = window.reference[0] >= 0 and is_open(window, state.counts, window.reference[0])
    chosen = np.zeros(problem.arms, np.int64)
    t = 0
    while t < rounds:
        commitment = uts_decide(state, problem.arms + t, rng)
        played = min(commitment.rounds, rounds - t)
        chosen[commitment.arm] += played
        state.leads[state.leader[0]] += played
        t += played
        if played > 1 and commitment.rounds == window.expires[0] - after[0, commitment.arm]:
            window.wait[0] = -1.0
    return chosen, kept, window.youngs[0] > 0


def watch_uts(means, problem, parameters, horizon, records, rng):
    return _watch_uts(
        means,
        as_argument(uts.start(problem, parameters)),
        as_argument(problem),
        horizon,
        records,
        rng,
    )


@entry
def _watch_uts(means, state, problem, horizon, records, rng):
    """Play a run of UTS; write down what each window vouches for, until the records are full.

    A record: side (1 a competitor, -1 the reference), pulls, wins, level, rate of the flag (0 for
    the young), the guard, and the best mean of the arms that do not lead.
    """
    window, counts = state.window, state.counts
    written = 0
    t = 0
    while t < horizon:
        commitment = uts_decide(state, t, rng)
        arm = commitment.arm
        if window.reference[0] >= 0 and window.reference[0] == state.leader[0]:
            n = window.rivals[0]
            others = -1.0
            for k in range(problem.arms):
                if k != window.reference[0]:
                    others = max(others, counts.means[k])
            for position in range(n + 1):
                if written < len(records):
                    k = window.arms[position]
                    record = records[written]
                    record[0] = -1.0 if position == n else 1.0
                    record[1] = counts.pulls[k]
                    record[2] = counts.wins[k]
                    record[3] = window.level[0]
                    record[4] = window.rates[len(window.rates) // 2 + position]
                    record[5] = window.guard[0]
                    record[6] = others
                    written += 1
        played, wins = 0, 0
        while played < commitment.rounds and t < horizon:
            wins += int(rng.random() < means[arm])
            played += 1
            t += 1
            if wins < commitment.floor + commitment.slope * played:
                break
        uts_observe(state, arm, played, wins)
    return written


def law(counts, arms):
    """The probability of each arm to have the largest posterior sample among `arms`.

    The others' by integration, piece by piece between their quantiles; the most pulled one's is
    what is left, so that its density, hard to come by at 10^12 pulls, is never needed.
    """
    pulls, wins = counts
    a, b = wins + 1.0, pulls - wins + 1.0
    tails = np.concatenate([np.logspace(-30, -2, 57), np.linspace(0.02, 0.5, 25)])
    cuts = [special.betaincinv(a[k], b[k], tails) for k in arms]
    cuts += [special.betainccinv(a[k], b[k], tails) for k in arms]
    edges = np.unique(np.concatenate([[0.0, 1.0], *cuts]))
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = np.diff(edges)[:, None] / 2.0
    x = (edges[:-1, None] + half) + half * nodes
    below = {k: special.betainc(a[k], b[k], x) for k in arms}
    most = max(arms, key=lambda k: pulls[k])
    result = np.zeros(len(pulls))
    for k in arms:
        if k != most:
            log_density = special.xlogy(wins[k], x) + special.xlog1py(pulls[k] - wins[k], -x)
            density = np.exp(log_density - special.betaln(a[k], b[k]))
            others = np.prod([below[j] for j in arms if j != k], axis=0)
            result[k] = np.sum(weights * half * density * others)
    result[most] = 1.0 - result.sum()
    return result


def law_of_uts(counts, instance, gamma):
    """The share of rounds that UTS spends on each arm while the counts are frozen."""
    pulls, wins = counts
    means = wins / np.maximum(pulls, 1)
    leaders = np.flatnonzero(means == means.max())
    share = np.zeros(len(pulls))
    for leader in leaders:
        around = instance.neighbourhood(leader).tolist()
        forced = 0.0 if gamma == math.inf else 1.0 / (len(around) if gamma == "degree" else gamma)
        share += (1.0 - forced) * law(counts, around) / len(leaders)
        share[leader] += forced / len(leaders)
    return share


SIX = rankone.rank_one([0.9, 0.1], [0.9, 0.5, 0.1])  # only its graph matters here
FROZEN_Z = 5.5  # about 200 numbers are compared: by chance one is beyond this once in 10^5 times


class Still(NamedTuple):
    """Pulls and wins of six arms when the window opens, later, and the rare rounds to look at."""

    before: list[list[int]]
    after: list[list[int]] | None = None
    rare: float = 100_000
    opens: bool = True
    young: bool = False  # a neighbour of the leader is too young for a flag


STATES = {
    "mature": Still([[1000, 90, 60, 30, 50, 50], [560, 36, 22, 8, 17, 18]]),
    "young": Still([[1000, 40, 40, 2, 2, 5], [560, 12, 13, 1, 0, 1]], young=True),
    # flags are often raised twice in a round
    "busy": Still([[1000, 60, 60, 60, 50, 50], [560, 25, 26, 24, 20, 21]], rare=300_000),
    "aged": Still(
        [[1000, 90, 60, 30, 50, 50], [560, 36, 22, 8, 17, 18]],
        [[1200, 110, 61, 31, 50, 51], [650, 46, 23, 8, 17, 19]],
    ),
    "without a win": Still([[300, 8, 5, 9, 7, 6], [160, 0, 0, 0, 0, 0]]),
    "reference with few pulls": Still(
        [[30, 5000, 5000, 5000, 8, 9], [26, 3100, 3000, 3050, 1, 1]], rare=4000
    ),
    "almost sure": Still([[200, 40, 10, 10, 20, 5], [199, 35, 8, 5, 12, 3]], rare=20_000),
    "two leaders": Still([[10, 10, 10, 5, 5, 5], [6, 6, 2, 3, 1, 3]], opens=False),
    "nothing known": Still([[0] * 6, [0] * 6], opens=False),
    "10^12 pulls": Still(
        [[10**12, 120, 100, 80, 50, 50], [562 * 10**9, 34, 26, 18, 8, 8]], rare=200_000
    ),
}


def frozen_deviations(state, gamma, seed=1):
    """How far choices at frozen counts are from their law: z for each arm.

    And whether a window held, and had young arms. gamma None: Thompson Sampling on all arms.
    """
    before = np.array(state.before)
    after = np.array(state.after or state.before)
    problem = SIX.problem(10**15)
    if gamma is None:
        share, play = law(after, list(range(6))), play_ts
        parameters = ts_policy.configure(problem)
    else:
        share, play = law_of_uts(after, SIX, gamma), play_uts
        parameters = uts_policy.configure(problem, gamma)
    most = int(np.argmax(share))
    rounds = int(state.rare / np.delete(share, most).sum())
    chosen, held, young = play(
        problem, parameters, before, after, rounds, np.random.default_rng(seed)
    )
    assert chosen.sum() == rounds
    assert not chosen[share == 0.0].any()
    seen = rounds * share > 20.0
    expected = rounds * share[seen]
    # a little less where rounds are forced, which the bound on z need not know
    return (chosen[seen] - expected) / np.sqrt(expected * (1.0 - share[seen])), held, young
