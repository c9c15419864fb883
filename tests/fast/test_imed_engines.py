"""IMED leaps without changing a single pull.

With a table of rewards nothing is left to chance but ties, so the plain and the leaping engine must
agree to the last round and in the number of draws.
"""

import math

import numpy as np
import pytest
from helpers.traces import INSTANCES, NO_PAST, rewards, trace

import rankone
from rankone.engine.kl import kl
from rankone.fast import imed_engines
from rankone.fast.declared import NoSettings, imed_policy

POLICIES = {"imed": imed_policy(), "imed_ub": imed_policy(around_leader=True)}
TENSOR = rankone.graph(
    [0.9 * 0.5 ** ((k > 3) + (k % 4 > 1) + k % 2) for k in range(8)],
    [(a, b) for a in range(8) for b in range(a) if bin(a ^ b).count("1") == 1],
)
PLACES = {**INSTANCES, "tensor": TENSOR}


def both(policy, instance, rounds, seed, past=NO_PAST, **options):
    problem = instance.problem(rounds + int(past[:, 0].sum()))
    table = rewards(instance, rounds, seed)
    settings = NoSettings()
    plain, _, here = trace(policy.plain, problem, settings, table, seed, past)
    fast, commitments, there = trace(policy.fast, problem, settings, table, seed, past, **options)
    return plain, fast, here == there, commitments


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", PLACES)
def test_the_same_arms_round_by_round(policy, name):
    rounds = 3_000 if name == "many alike" else 8_000
    for seed in range(4):
        plain, fast, same_draws, _ = both(POLICIES[policy], PLACES[name], rounds, seed)
        assert np.array_equal(plain, fast)
        assert same_draws


def value(pulls, wins, best):
    return pulls * kl(wins / pulls, best) + math.log(pulls)


def aged(instance, seed, leader_pulls=10**12):
    """A leader with 10^12 pulls; the indices of all others are within a pull or two of its own."""
    rng = np.random.default_rng([seed, 5])
    pulls = np.round(10.0 ** rng.uniform(1.5, 9, instance.arms)).astype(np.int64)
    pulls[0], best = leader_pulls, 0.6
    wins = np.zeros_like(pulls)
    wins[0] = round(best * leader_pulls)
    for k in range(1, instance.arms):
        low, high = 0, int(best * pulls[k])
        while high - low > 1:
            middle = (low + high) // 2
            enough = value(int(pulls[k]), middle, best) > math.log(leader_pulls)
            low, high = (middle, high) if enough else (low, middle)
        wins[k] = low
    wins[2:] += rng.integers(-1, 2, instance.arms - 2)
    pulls[1], wins[1] = pulls[-1], wins[-1]
    return np.stack([pulls, np.clip(wins, 0, pulls)], axis=1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["symmetric", "many alike", "line"])
@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_arms_after_a_million_million_rounds(policy, name, seed):
    past = aged(PLACES[name], seed)
    plain, fast, same_draws, _ = both(POLICIES[policy], PLACES[name], 3_000, seed, past)
    assert np.array_equal(plain, fast)
    assert same_draws


def broken_promises(instance, rounds, past, seed, policy):
    """Check commitments where they are weakest: the guard just not broken, before many rounds."""
    table = rewards(instance, rounds, seed)
    arms, commitments, _ = trace(
        policy.fast, instance.problem(10**14), NoSettings(), table, seed, past
    )
    pulls, wins = past.T.copy()
    broken, checked, now = 0, 0, 0
    for first, length, floor, slope in commitments:
        while now < first:
            k = arms[now]
            wins[k] += table[k, pulls[k] - past[k, 0]]
            pulls[k] += 1
            now += 1
        arm, length = arms[now], int(length)
        points = {1, *(length * i // 24 for i in range(1, 24)), length - 1}
        for j in points if length > 1 else ():
            won = max(math.ceil(floor + slope * j), 0)
            if 1 <= j < length and won <= j:
                n, best = int(pulls[arm]) + j, (int(wins[arm]) + won) / (int(pulls[arm]) + j)
                others = [k for k in range(len(pulls)) if k != arm]
                leads = best > max(wins[k] / pulls[k] for k in others)
                least = min(value(int(pulls[k]), int(wins[k]), best) for k in others)
                checked += 1
                broken += not (leads and math.log(n) < least)
    return broken, checked


@pytest.mark.parametrize("leader_pulls", [10**3, 10**5, 10**12])
@pytest.mark.parametrize("name", ["symmetric", "many alike"])
def test_what_a_commitment_promises_holds_on_the_very_guard(name, leader_pulls):
    """Of IMED on all arms: what is promised of all of them holds around the leader."""
    checked = 0
    for seed in range(6):
        past = aged(PLACES[name], seed, leader_pulls)
        broken, more = broken_promises(PLACES[name], 400, past, seed, POLICIES["imed"])
        assert broken == 0
        checked += more
    assert checked > 0


def contemporaries(instance, seed, leader_pulls):
    """Rivals with about as many pulls as the leader, at the edge of being pulled: their indices are
    so curved that a line between two means that would do does not do everywhere."""
    rng = np.random.default_rng([seed, 6])
    best, log = 0.6, math.log(leader_pulls)
    pulls = np.round(leader_pulls * rng.uniform(0.6, 0.99, instance.arms)).astype(np.int64)
    pulls[0] = leader_pulls
    wins = np.empty_like(pulls)
    for k in range(instance.arms):
        n, w = int(pulls[k]), int(best * pulls[k])
        above = rng.uniform(0.0, 0.01)
        while k > 0 and value(n, w, best) < log + above:
            w -= 1
        wins[k] = w
    return np.stack([pulls, wins], axis=1)


@pytest.mark.parametrize("leader_pulls", [300, 3_000, 30_000])
def test_guards_hold_where_indices_are_curved(leader_pulls):
    checked = 0
    for seed in range(12):
        past = contemporaries(INSTANCES["line"], seed, leader_pulls)
        broken, more = broken_promises(INSTANCES["line"], 200, past, seed, POLICIES["imed"])
        assert broken == 0
        checked += more
    assert checked > 0


def test_the_screen_is_as_close_as_it_says():
    """Below the plain index by no more than twice the error, at counts and means of all sizes."""
    rng = np.random.default_rng(4)
    engine = POLICIES["imed"].fast
    problem = INSTANCES["symmetric"].problem(10)
    for _ in range(300):
        state = engine.start(problem, NoSettings())
        for k in range(problem.arms):
            n = int(10 ** rng.uniform(0, 12))
            engine.observe(state, k, n, int(rng.binomial(n, rng.beta(0.3, 0.3))))
        best = float(state.counts.means.max())
        if best == 1.0:
            continue
        screen = imed_engines.screen_at(best)
        imed_engines.lowest_rival(state, state.everyone, -1, screen)
        for k in range(problem.arms):
            exact = value(int(state.counts.pulls[k]), int(state.counts.wins[k]), best)
            rounding = imed_engines.CLOSE * (1.0 + exact)
            assert state.values[k] <= exact + rounding
            assert state.values[k] + 2 * screen.error * state.counts.pulls[k] >= exact - rounding


def test_long_commitments_are_made():
    for policy in POLICIES.values():
        *_, commitments = both(policy, INSTANCES["symmetric"], 30_000, 1)
        assert len(commitments) < 3_000


# Deliberate errors: what the comparisons above must see.


@pytest.mark.parametrize("policy", POLICIES)
def test_a_guard_that_is_not_heeded_is_seen(policy):
    traces = (
        both(POLICIES[policy], INSTANCES["symmetric"], 6_000, seed, heed=False) for seed in range(3)
    )
    assert any(not np.array_equal(plain, fast) for plain, fast, *_ in traces)
