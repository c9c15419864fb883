"""Any declared index policy leaps without changing a single pull.

With a table of rewards nothing is left to chance but ties, so the plain and the leaping engine must
agree to the last round and in the number of draws.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest
from helpers.traces import INSTANCES, rewards, trace

import rankone
from rankone.engine.kl import exploration, kl_upper
from rankone.fast.declared import Leader, index_policy
from rankone.fast.leader import LEADER_LEADS, LEADER_PULLS


class Settings(NamedTuple):
    budget: float
    leader: Leader
    factor: float = 1.0
    power: float = 0.5
    more: float = 0.0
    height: float = math.inf


def ucb1(pulls, wins, level):
    return wins / pulls + math.sqrt(2.0 * level / pulls)


def ucb1_reach(pulls, wins, q):
    return pulls * max(q - wins / pulls, 0.0) ** 2 / 2.0


def ucb_v(pulls, wins, level):
    mean = wins / pulls
    return mean + math.sqrt(2.0 * mean * (1.0 - mean) * level / pulls) + 3.0 * level / pulls


def moss(pulls, wins, level, settings):
    return wins / pulls + math.sqrt(max(0.0, math.log(settings.budget / pulls)) / pulls)


def anytime_moss(pulls, wins, level):
    return wins / pulls + math.sqrt(max(0.0, level - math.log(pulls)) / pulls)


def kl_ucb(pulls, wins, level):
    return 1.0 if pulls == 0 else kl_upper(wins / pulls, level / pulls)


def kl_ucb_plus(pulls, wins, level):
    return kl_upper(wins / pulls, max(0.0, level - math.log(pulls)) / pulls)


def any_shape(pulls, wins, level, settings):
    """A family of indices: a power of level / pulls and a multiple of it, cut off at a height."""
    radius = level / pulls
    value = wins / pulls + settings.factor * radius**settings.power + settings.more * radius
    return min(value, settings.height)


def log_time(t):
    return math.log(t)


def kl_time(t):
    return exploration(t, 3.0)


def whole_bits(t):
    """A level with steps, far from concave."""
    return math.floor(math.log2(t))


def nothing(t):
    return 0.0


POLICIES = {
    "ucb1": index_policy(ucb1, log_time),
    "ucb_v": index_policy(ucb_v, log_time),
    "moss": index_policy(moss, nothing),
    "anytime moss": index_policy(anytime_moss, log_time),
    "kl_ucb": index_policy(kl_ucb, kl_time),
    "kl_ucb+": index_policy(kl_ucb_plus, log_time),
    "steps": index_policy(ucb1, whole_bits),
    "leader kl": index_policy(kl_ucb, kl_time, around_leader=True),
    "leader ucb_v": index_policy(ucb_v, log_time, around_leader=True),
}


ALL_ARMS = Leader()


def settings(problem, leader=ALL_ARMS):
    return Settings(problem.horizon / problem.arms, leader)


def both(policy, instance, rounds, seed, leader=ALL_ARMS, past=None, **options):
    problem = instance.problem(rounds if past is None else rounds + int(past[:, 0].sum()))
    table = rewards(instance, rounds, seed)
    made = settings(problem, leader)
    given = {} if past is None else {"past": past}
    plain, _, here = trace(policy.plain, problem, made, table, seed, **given)
    fast, commitments, there = trace(policy.fast, problem, made, table, seed, **given, **options)
    return plain, fast, here == there, commitments


@pytest.mark.parametrize("policy", [name for name in POLICIES if not name.startswith("leader")])
@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_round_by_round(policy, name):
    rounds = 3_000 if name == "many alike" else 6_000
    for seed in range(3):
        plain, fast, same_draws, _ = both(POLICIES[policy], INSTANCES[name], rounds, seed)
        assert np.array_equal(plain, fast)
        assert same_draws


LEADERS = [
    Leader(),
    Leader(2.0, 0),
    Leader(5.0, 1, LEADER_LEADS),
    Leader(0.0, 0, LEADER_LEADS),
    Leader(clock=LEADER_PULLS),
]


@pytest.mark.parametrize("policy", ["leader kl", "leader ucb_v"])
@pytest.mark.parametrize("leader", LEADERS)
@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_around_a_leader(policy, leader, name):
    for seed in range(2):
        plain, fast, same_draws, _ = both(POLICIES[policy], INSTANCES[name], 4_000, seed, leader)
        assert np.array_equal(plain, fast)
        assert same_draws


@pytest.mark.parametrize("leader", [Leader(warm_up=False), Leader(3.0, 0, LEADER_LEADS, False)])
def test_an_index_may_be_defined_for_arms_never_pulled(leader):
    for name in ("symmetric", "many alike", "line"):
        plain, fast, same_draws, _ = both(POLICIES["leader kl"], INSTANCES[name], 3_000, 1, leader)
        assert np.array_equal(plain, fast)
        assert same_draws


def aged(instance, index, level, seed):
    """Counts up to 10^12, with the indices of all arms within a pull or two of each other."""
    rng = np.random.default_rng([seed, 5])
    pulls = np.round(10.0 ** rng.uniform(2, 9, instance.arms)).astype(np.int64)
    pulls[0] = 10**12
    f = level(int(pulls.sum()))
    wins = np.zeros_like(pulls)
    for k in range(instance.arms):
        low, high = 0, int(pulls[k])
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if index(int(pulls[k]), middle, f) < 0.6 else (low, middle)
        wins[k] = low
    wins[2:] += rng.integers(-1, 2, instance.arms - 2)
    pulls[1], wins[1] = pulls[-1], wins[-1]
    return np.stack([pulls, np.clip(wins, 0, pulls)], axis=1)


OLD = {
    "ucb1": (ucb1, log_time),
    "ucb_v": (ucb_v, log_time),
    "anytime moss": (anytime_moss, log_time),
    "kl_ucb+": (kl_ucb_plus, log_time),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["symmetric", "many alike"])
@pytest.mark.parametrize("policy", OLD)
def test_the_same_arms_after_a_million_million_rounds(policy, name, seed):
    instance = INSTANCES[name]
    past = aged(instance, *OLD[policy], seed)
    plain, fast, same_draws, _ = both(POLICIES[policy], instance, 3_000, seed, past=past)
    assert np.array_equal(plain, fast)
    assert same_draws


def broken_promises(index, level, instance, rounds, past, seed, policy):
    """Check commitments where they are weakest: the guard just not broken, before many rounds."""
    table = rewards(instance, rounds, seed)
    problem = instance.problem(10**14)
    arms, commitments, _ = trace(policy.fast, problem, settings(problem), table, seed, past)
    pulls, wins = past.T.copy()
    broken, checked, now = 0, 0, 0
    for first, length, floor, slope in commitments:
        while now < first:
            k = arms[now]
            wins[k] += table[k, pulls[k] - past[k, 0]]
            pulls[k] += 1
            now += 1
        arm, t, length = arms[now], int(pulls.sum()), int(length)
        points = {1, *(length * i // 16 for i in range(1, 16)), length - 1}
        for j in points if length > 1 else ():
            won = max(math.ceil(floor + slope * j), 0)
            if 1 <= j < length and won <= j:
                f = level(t + j)
                own = index(int(pulls[arm]) + j, int(wins[arm]) + won, f)
                others = (
                    index(int(pulls[k]), int(wins[k]), f) for k in range(len(pulls)) if k != arm
                )
                checked += 1
                broken += not own > max(others)
    return broken, checked


@pytest.mark.parametrize("name", ["symmetric", "many alike"])
@pytest.mark.parametrize("policy", OLD)
def test_what_a_commitment_promises_holds_on_the_very_guard(policy, name):
    instance = INSTANCES[name]
    checked = 0
    for seed in range(3):
        past = aged(instance, *OLD[policy], seed)
        broken, more = broken_promises(*OLD[policy], instance, 400, past, seed, POLICIES[policy])
        assert broken == 0
        checked += more
    assert checked > 0


@pytest.mark.parametrize("policy", ["ucb1", "ucb_v", "anytime moss", "kl_ucb"])
def test_long_commitments_are_made(policy):
    instance = INSTANCES["symmetric"]
    *_, commitments = both(POLICIES[policy], instance, 30_000, 1)
    assert len(commitments) < 15_000


UNSEEN = index_policy(any_shape, log_time)
EXTREMES = {
    "one arm": rankone.rank_one([0.4], [0.5]),
    "two sure arms": rankone.rank_one([1.0, 1.0], [1.0, 0.3], unimodal=False),
    "nearly sure": rankone.rank_one([1.0, 1.0 - 1e-9], [1.0 - 1e-9, 0.6]),
    "never": rankone.rank_one([0.0, 0.0], [0.3, 0.0], unimodal=False),
    "all alike": rankone.rank_one([0.5] * 3, [0.5] * 3, unimodal=False),
    "many": rankone.rank_one([0.9] + [0.5] * 19, [0.9] + [0.4] * 19),
}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", [*EXTREMES, "close means", "two hills"])
def test_the_same_arms_by_indices_drawn_at_random(name, seed):
    instance = EXTREMES.get(name) or INSTANCES[name]
    rng = np.random.default_rng([seed, 11])
    problem, table = instance.problem(3_000), rewards(instance, 3_000, seed)
    made = Settings(
        1.0,
        ALL_ARMS,
        factor=10.0 ** rng.uniform(-1.5, 0.5),
        power=rng.uniform(0.2, 1.5),
        more=max(rng.uniform(-2.0, 3.0), 0.0),
        height=math.inf if seed % 2 else rng.uniform(0.5, 1.2),
    )
    plain, _, here = trace(UNSEEN.plain, problem, made, table, seed)
    fast, _, there = trace(UNSEEN.fast, problem, made, table, seed)
    assert np.array_equal(plain, fast)
    assert here == there


# Deliberate errors: what the comparisons above must see.


@pytest.mark.parametrize("policy", ["ucb1", "ucb_v", "kl_ucb", "leader kl"])
def test_a_guard_that_is_not_heeded_is_seen(policy):
    traces = (
        both(POLICIES[policy], INSTANCES["symmetric"], 6_000, seed, heed=False) for seed in range(3)
    )
    assert any(not np.array_equal(plain, fast) for plain, fast, *_ in traces)


def rising_with_pulls(pulls, wins, level):
    """Not an index that may be declared: at the same mean it rises with the pulls."""
    return wins / pulls + math.sqrt(level / pulls) + 0.2 * math.cos(pulls / 40.0)


def test_an_index_that_breaks_its_promise_is_seen():
    policy = index_policy(rising_with_pulls, log_time)
    traces = (both(policy, INSTANCES["symmetric"], 6_000, seed) for seed in range(3))
    assert any(not np.array_equal(plain, fast) for plain, fast, *_ in traces)
