"""Fast KL-UCB, OSUB and UCB1 pull the same arms as the plain ones, round by round.

With a table of rewards nothing is left to chance but ties, so the two must agree to the last round
and in the number of draws. Their laws under the engine's own arms are compared besides.
"""

import math

import numpy as np
import pytest
from helpers import chance
from helpers.traces import INSTANCES, NO_PAST, rewards, trace

from rankone.engine.kl import exploration
from rankone.fast import kl_screen
from rankone.fast import kl_ucb as fast_kl_ucb
from rankone.fast import osub as fast_osub
from rankone.fast import ucb1 as fast_ucb1
from rankone.instances import graph
from rankone.policies import kl_ucb, osub, ucb1
from rankone.simulation import simulate


def player(module):
    """Play from the start of a policy."""

    def play(table, problem, parameters, past, heed, rng):
        arms, commitments, _ = trace(
            module, problem, parameters, table, past=past, heed=heed, rng=rng
        )
        return arms, commitments

    return play


POLICIES = {
    "kl_ucb": (player(kl_ucb), player(fast_kl_ucb), kl_ucb.configure),
    "osub": (player(osub), player(fast_osub), osub.configure),
    "ucb1": (player(ucb1), player(fast_ucb1), ucb1.configure),
}

SETTINGS = [
    ("kl_ucb", {"c": 3}),
    ("kl_ucb", {"c": 0}),
    ("kl_ucb", {"c": 3, "width": 1e-3}),
    ("ucb1", {}),
    ("osub", {}),
    ("osub", {"c": 0, "gamma": 2}),
    ("osub", {"gamma": math.inf}),
    ("osub", {"gamma": 2, "forced": 0}),
    ("osub", {"clock": "global"}),
    ("osub", {"clock": "global", "c": 0, "gamma": 5, "warm_up": False}),
    ("osub", {"gamma": math.inf, "warm_up": False}),
    ("osub", {"width": 1e-3}),
    ("osub", {"width": 1e-2, "gamma": 2}),
    ("kl_ucb", {"c": 3, "width": 1e-2}),
]


def both(policy, instance, table, past=NO_PAST, seed=0, heed=True, twist=None, **values):
    """The arms pulled by the plain and by the fast policy, and whether both drew as often."""
    plain, quick, configure = POLICIES[policy]
    problem = instance.problem(table.shape[1])
    here, there = np.random.default_rng(seed), np.random.default_rng(seed)
    settings = configure(problem, **values)
    one, _ = plain(table, problem, settings, past, True, here)
    twisted = configure(problem, **values | (twist or {}))
    other, _ = quick(table, problem, twisted, past, heed, there)
    return one, other, here.random() == there.random()


@pytest.mark.parametrize(("policy", "values"), SETTINGS)
@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_round_by_round(policy, values, name):
    instance = INSTANCES[name]
    rounds = 3_000 if name == "many alike" else 6_000
    for seed in range(3):
        table = rewards(instance, rounds, seed)
        plain, quick, same_draws = both(policy, instance, table, seed=seed, **values)
        assert np.array_equal(plain, quick)
        assert same_draws


def aged(instance, policy, seed):
    """Counts up to 10^12, with the indices of all arms within a pull of each other, some tied."""
    rng = np.random.default_rng([seed, 5])
    pulls = np.round(10.0 ** rng.uniform(2, 12, instance.arms)).astype(np.int64)
    pulls[0] = 10**12
    pulls[1] = pulls[-1]  # as many pulls, and perhaps as many wins
    t = pulls.sum()
    if policy == "ucb1":
        lowest = [fast_ucb1.least_mean(0.6, math.log(t) / n, 0.5) for n in pulls]
    else:
        lowest = [kl_screen.least_mean(0.6, exploration(t, 3.0) / n, 0.5) for n in pulls]
    wins = np.clip(np.round(pulls * np.array(lowest)).astype(np.int64), 0, pulls)
    wins[2:-1] += rng.integers(-1, 2, instance.arms - 3) * (wins[2:-1] > 1)
    return np.stack([pulls, np.clip(wins, 0, pulls)], axis=1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["symmetric", "many alike"])
@pytest.mark.parametrize(
    ("policy", "values"),
    [
        ("kl_ucb", {"c": 3}),
        ("osub", {"clock": "global", "gamma": 2}),
        ("osub", {"clock": "leader", "gamma": math.inf}),
        ("ucb1", {}),
    ],
)
def test_the_same_arms_after_a_million_million_rounds(policy, values, name, seed):
    instance = INSTANCES[name]
    table = rewards(instance, 3_000, seed)
    past = aged(instance, policy, seed)
    plain, quick, same_draws = both(policy, instance, table, past, seed, **values)
    assert np.array_equal(plain, quick)
    assert same_draws


def next_to_one(seed):
    """A leader that hardly ever lost, and rivals whose indices are as close to one as its own."""
    rng = np.random.default_rng([seed, 9])
    leader = int(10 ** rng.uniform(3, 12))
    past = [(leader, leader - int(rng.integers(0, 2000) if seed % 4 == 0 else rng.integers(0, 8)))]
    for _ in range(8):
        pulls = int(rng.integers(2, 9))
        past.append((pulls, pulls - int(rng.integers(1, 3))))
    return np.array(past)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize(
    ("policy", "values"), [("kl_ucb", {"c": 3}), ("kl_ucb", {"c": 0}), ("osub", {"gamma": 2})]
)
def test_the_same_arms_where_indices_are_next_to_one(policy, values, seed):
    instance = INSTANCES["symmetric"]
    past = next_to_one(seed)
    past = np.concatenate([past, past[1:]])[: instance.arms]  # some tie
    table = (np.random.default_rng(seed).random((instance.arms, 1_500)) < 0.7).astype(np.int64)
    table[0] = 1
    table[0, 700 + 10 * seed] = 0
    plain, quick, same_draws = both(policy, instance, table, past, seed, **values)
    assert np.array_equal(plain, quick)
    assert same_draws


def test_commitments_next_to_one_hold_to_their_last_round():
    """The index at the end of a commitment without a loss, as the plain policy computes it."""
    instance, checked, close = INSTANCES["symmetric"], 0, 0
    problem = instance.problem(10**13)
    table = np.ones((instance.arms, 2), np.int64)
    for seed in range(400):
        past = next_to_one(seed)
        past = np.concatenate([past, past[1:]])[: instance.arms]
        rng = np.random.default_rng(seed)
        arms, commitments = POLICIES["kl_ucb"][1](
            table, problem, kl_ucb.configure(problem), past, True, rng
        )
        first, rounds = commitments[0][:2]
        if arms[0] != 0 or first != 0 or rounds < 2:
            continue
        t, (pulls, wins) = past[:, 0].sum(), past[0]
        for j in (1, int(rounds) // 2, int(rounds) - 1):
            f = exploration(t + j, 3.0)
            own = kl_screen.index(pulls + j, wins + j, f)
            others = max(kl_screen.index(n, w, f) for n, w in past[1:])
            assert own > others
            checked += 1
            close += own - others < 1e-14
    assert checked > 100
    assert close > 10


def fast_risers_under_a_crowd(height=0.6):
    """A winner of 10^6 pulls, a crowd of slow rivals close to it, and below them some fast ones."""
    slow = range(100_000, 100_024)
    f = exploration(10**6 + sum(slow), 3.0)
    past = [(10**6, math.ceil(10**6 * kl_screen.least_mean(height, f / 10**6, 0.5)))]
    for n in slow:
        lowest = kl_screen.least_mean(height - 1e-5, f / n, 0.5)
        past.append((n, math.floor(n * lowest)))
    # of all small counts those with the largest index that is lower than the crowd's
    small = [(kl_screen.index(n, w, f), n, w) for n in range(20, 80) for w in range(n // 2)]
    below = sorted(counts for counts in small if counts[0] < height - 4e-5)
    past += [(n, w) for _, n, w in below[-5:]]
    return np.array(past)


def broken_promises(policy, instance, table, past, seed):
    """Check commitments where they are weakest: the guard just not broken, before every round.

    The winner must still have the largest index by itself, as the plain policy computes it.
    """
    _, quick, configure = POLICIES[policy]
    problem, rng = instance.problem(table.shape[1]), np.random.default_rng(seed)
    arms, commitments = quick(table, problem, configure(problem), past, True, rng)
    index = fast_ucb1.index if policy == "ucb1" else kl_screen.index
    pulls, wins = past.T.copy() if len(past) else np.zeros((2, instance.arms), np.int64)
    broken, checked, now = 0, 0, 0
    for first, rounds, floor, slope in commitments:
        while now < first:
            wins[arms[now]] += table[arms[now], pulls[arms[now]] - (past[arms[now], 0])]
            pulls[arms[now]] += 1
            now += 1
        arm, t = arms[now], pulls.sum()
        for j in {1, int(rounds) // 2, int(rounds) - 1} if rounds > 1 else ():
            won = max(math.ceil(floor + slope * j), 0)
            f = math.log(t + j) if policy == "ucb1" else exploration(t + j, 3.0)
            own = index(pulls[arm] + j, wins[arm] + won, f)
            others = [index(pulls[k], wins[k], f) for k in range(instance.arms) if k != arm]
            checked += 1
            broken += won <= j and not own > max(others)
    return broken, checked


@pytest.mark.parametrize("policy", ["kl_ucb", "ucb1"])
@pytest.mark.parametrize("name", ["symmetric", "many alike", "fast risers"])
def test_what_a_commitment_promises_holds_on_the_very_guard(policy, name):
    if name == "fast risers":
        past = fast_risers_under_a_crowd()
        instance = graph(past[:, 1] / past[:, 0], [], unimodal=False)
    else:
        instance = INSTANCES[name]
        past = aged(instance, policy, 1)
    broken, checked = broken_promises(policy, instance, rewards(instance, 400, 1), past, 1)
    assert checked > 0
    assert broken == 0


# Deliberate errors: what the comparison above must see.


def differs(policy, name, **options):
    instance = INSTANCES[name]
    traces = (
        both(policy, instance, rewards(instance, 6_000, s), seed=s, **options) for s in range(3)
    )
    return any(not np.array_equal(plain, quick) for plain, quick, _ in traces)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_guard_that_is_not_heeded_is_seen(policy):
    assert differs(policy, "symmetric", heed=False)


def test_a_forced_round_skipped_is_seen():
    assert differs("osub", "symmetric", twist={"gamma": math.inf})
    assert differs("osub", "line", gamma=2, twist={"forced": 0})


@pytest.mark.parametrize("policy", ["kl_ucb", "osub"])
def test_a_threshold_that_is_off_is_seen(policy):
    assert differs(policy, "symmetric", c=3, twist={"c": 3.3})


def always_zero():
    """A generator whose every number is 0: it breaks a tie by the first index."""
    source = np.random.MT19937()
    source.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.zeros(624, np.uint32), "pos": 624},
    }
    return np.random.Generator(source)


@pytest.mark.parametrize("policy", POLICIES)
def test_ties_broken_by_the_first_index_are_seen(policy):
    plain, quick, configure = POLICIES[policy]
    instance = INSTANCES["many alike"]
    table, problem = rewards(instance, 1_000, 0), instance.problem(1_000)
    settings = configure(problem)
    one, _ = plain(table, problem, settings, NO_PAST, True, np.random.default_rng(0))
    first, _ = quick(table, problem, settings, NO_PAST, True, always_zero())
    assert not np.array_equal(one, first)
    same, _ = plain(table, problem, settings, NO_PAST, True, always_zero())
    assert np.array_equal(same, first)


# The law under the engine's own arms.

CHECKPOINTS = [200, 600, 1_500]


def regrets(policy, instance, runs, seed, exact, **values):
    return simulate(
        policy, instance, 1_500, runs, seed, checkpoints=CHECKPOINTS, exact=exact, **values
    ).regret


@pytest.mark.parametrize(
    ("policy", "values", "name"),
    [
        ("kl_ucb", {"c": 3}, "a zero in u"),
        ("kl_ucb", {"c": 0}, "line"),
        ("osub", {}, "a zero in u"),
        ("osub", {"c": 0, "gamma": 2}, "more columns"),
        # leaders with one pull and one win, whose index is one for a while
        ("osub", {"c": 0, "clock": "global", "forced": 0}, "many alike"),
        ("ucb1", {}, "symmetric"),
        ("ucb1", {}, "close means"),
    ],
)
def test_regret_has_the_law_of_the_plain_policy(policy, values, name):
    instance = INSTANCES[name]
    plain = regrets(policy, instance, 2_000, chance.seed(1), "plain", **values)
    quick = regrets(policy, instance, 6_000, chance.seed(2), "fast", **values)
    for one, other in zip(plain.T, quick.T, strict=True):
        chance.assert_same_law(one, other)
    # the same runs with a regret 4 % higher would not pass
    higher = [min(chance.p_values(a, 1.04 * b)) for a, b in zip(plain.T, quick.T, strict=True)]
    assert min(higher) < chance.LEVEL
