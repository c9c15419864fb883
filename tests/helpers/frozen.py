"""Fast sampling policies held still, or watched: what a whole run would hide.

With the counts frozen the rounds of Thompson Sampling are independent and their law is known, so a
fast twin is held against numbers instead of a sample of the plain policy. And while a policy plays,
every flag it relies on is written down, to be compared with the tail that it must bound.
"""

import math

import numpy as np
from scipy import special

from rankone.engine.compiled import entry
from rankone.engine.memory import as_argument
from rankone.fast import ts, uts
from rankone.fast.posterior_flags import is_open


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
            ts.observe(state, arm, before[0, arm], before[1, arm])
    ts.decide(state, 0, rng)
    for arm in range(problem.arms):
        if after[0, arm] > before[0, arm]:
            more = after - before
            ts.observe(state, arm, more[0, arm], more[1, arm])
    kept = window.reference[0] >= 0 and is_open(window, state.counts, window.reference[0])
    chosen = np.zeros(problem.arms, np.int64)
    t = 0
    while t < rounds:
        commitment = ts.decide(state, t, rng)
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
            uts.observe(state, arm, before[0, arm], before[1, arm])
    uts.decide(state, problem.arms, rng)
    for arm in range(problem.arms):
        if after[0, arm] > before[0, arm]:
            more = after - before
            uts.observe(state, arm, more[0, arm], more[1, arm])
    kept = window.reference[0] >= 0 and is_open(window, state.counts, window.reference[0])
    chosen = np.zeros(problem.arms, np.int64)
    t = 0
    while t < rounds:
        commitment = uts.decide(state, problem.arms + t, rng)
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
        commitment = uts.decide(state, t, rng)
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
        uts.observe(state, arm, played, wins)
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
