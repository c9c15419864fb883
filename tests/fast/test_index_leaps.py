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
from rankone.engine.compiled import kernel
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
    kind: int = 0  # which of NAMES


@kernel
def ucb1(pulls, wins, level):
    return wins / pulls + math.sqrt(2.0 * level / pulls)


@kernel
def ucb_v(pulls, wins, level):
    mean = wins / pulls
    return mean + math.sqrt(2.0 * mean * (1.0 - mean) * level / pulls) + 3.0 * level / pulls


@kernel
def moss(pulls, wins, level, settings):
    return wins / pulls + math.sqrt(max(0.0, math.log(settings.budget / pulls)) / pulls)


@kernel
def anytime_moss(pulls, wins, level):
    return wins / pulls + math.sqrt(max(0.0, level - math.log(pulls)) / pulls)


@kernel
def kl_ucb(pulls, wins, level):
    return 1.0 if pulls == 0 else kl_upper(wins / pulls, level / pulls)


@kernel
def kl_ucb_plus(pulls, wins, level):
    return kl_upper(wins / pulls, max(0.0, level - math.log(pulls)) / pulls)


@kernel
def any_shape(pulls, wins, level, settings):
    """A family of indices: a power of level / pulls and a multiple of it, cut off at a height."""
    radius = level / pulls
    value = wins / pulls + settings.factor * radius**settings.power + settings.more * radius
    return min(value, settings.height)


@kernel
def log_time(t):
    return math.log(t)


@kernel
def kl_time(t):
    return exploration(t, 3.0)


@kernel
def whole_bits(t):
    """A level with steps, far from concave."""
    return math.floor(math.log2(t))


@kernel
def rising_with_pulls(pulls, wins, level):
    """Not an index that may be declared: at the same mean it rises with the pulls."""
    return wins / pulls + math.sqrt(level / pulls) + 0.2 * math.cos(pulls / 40.0)


NAMES = [
    "ucb1",
    "ucb_v",
    "moss",
    "anytime moss",
    "kl_ucb",
    "kl_ucb+",
    "steps",
    "any shape",
    "rising with pulls",
]
UCB1, UCB_V, MOSS, ANYTIME_MOSS, KL_UCB, KL_UCB_PLUS, STEPS, ANY_SHAPE, RISING = range(len(NAMES))


@kernel(inline=False)
def chosen_index(pulls, wins, level, settings):
    """The one that the settings name, so that all of them share an engine, compiled once."""
    if settings.kind == UCB_V:
        return ucb_v(pulls, wins, level)
    if settings.kind == MOSS:
        return moss(pulls, wins, level, settings)
    if settings.kind == ANYTIME_MOSS:
        return anytime_moss(pulls, wins, level)
    if settings.kind == KL_UCB:
        return kl_ucb(pulls, wins, level)
    if settings.kind == KL_UCB_PLUS:
        return kl_ucb_plus(pulls, wins, level)
    if settings.kind == ANY_SHAPE:
        return any_shape(pulls, wins, level, settings)
    if settings.kind == RISING:
        return rising_with_pulls(pulls, wins, level)
    return ucb1(pulls, wins, level)


@kernel(inline=False)
def chosen_level(t, settings):
    if settings.kind == MOSS:
        return 0.0
    if settings.kind == KL_UCB:
        return kl_time(t)
    if settings.kind == STEPS:
        return whole_bits(t)
    return log_time(t)


ON_ALL_ARMS = index_policy(chosen_index, chosen_level)
AROUND_LEADER = index_policy(chosen_index, chosen_level, around_leader=True)


ALL_ARMS = Leader()


def settings(index, problem, leader=ALL_ARMS):
    return Settings(problem.horizon / problem.arms, leader, kind=NAMES.index(index))


def both(index, instance, rounds, seed, leader=None, past=None, **options):
    """The arms of both engines, around a leader if there is one; and whether they drew the same."""
    policy = ON_ALL_ARMS if leader is None else AROUND_LEADER
    problem = instance.problem(rounds if past is None else rounds + int(past[:, 0].sum()))
    table = rewards(instance, rounds, seed)
    made = settings(index, problem, leader or ALL_ARMS)
    given = {} if past is None else {"past": past}
    plain, _, here = trace(policy.plain, problem, made, table, seed, **given)
    fast, commitments, there = trace(policy.fast, problem, made, table, seed, **given, **options)
    return plain, fast, here == there, commitments


@pytest.mark.parametrize("index", NAMES[: STEPS + 1])
@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_round_by_round(index, name):
    rounds = 3_000 if name == "many alike" else 6_000
    for seed in range(3):
        plain, fast, same_draws, _ = both(index, INSTANCES[name], rounds, seed)
        assert np.array_equal(plain, fast)
        assert same_draws


LEADERS = [
    Leader(),
    Leader(2.0, 0),
    Leader(5.0, 1, LEADER_LEADS),
    Leader(0.0, 0, LEADER_LEADS),
    Leader(clock=LEADER_PULLS),
]


@pytest.mark.parametrize("index", ["kl_ucb", "ucb_v"])
@pytest.mark.parametrize("leader", LEADERS)
@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_around_a_leader(index, leader, name):
    for seed in range(2):
        plain, fast, same_draws, _ = both(index, INSTANCES[name], 4_000, seed, leader)
        assert np.array_equal(plain, fast)
        assert same_draws


@pytest.mark.parametrize("leader", [Leader(warm_up=False), Leader(3.0, 0, LEADER_LEADS, False)])
def test_an_index_may_be_defined_for_arms_never_pulled(leader):
    for name in ("symmetric", "many alike", "line"):
        plain, fast, same_draws, _ = both("kl_ucb", INSTANCES[name], 3_000, 1, leader)
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
@pytest.mark.parametrize("index", OLD)
def test_the_same_arms_after_a_million_million_rounds(index, name, seed):
    instance = INSTANCES[name]
    past = aged(instance, *OLD[index], seed)
    plain, fast, same_draws, _ = both(index, instance, 3_000, seed, past=past)
    assert np.array_equal(plain, fast)
    assert same_draws


def broken_promises(name, instance, rounds, past, seed):
    """Check commitments where they are weakest: the guard just not broken, before many rounds."""
    table = rewards(instance, rounds, seed)
    problem, (index, level) = instance.problem(10**14), OLD[name]
    made = settings(name, problem)
    arms, commitments, _ = trace(ON_ALL_ARMS.fast, problem, made, table, seed, past)
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
@pytest.mark.parametrize("index", OLD)
def test_what_a_commitment_promises_holds_on_the_very_guard(index, name):
    instance = INSTANCES[name]
    checked = 0
    for seed in range(3):
        past = aged(instance, *OLD[index], seed)
        broken, more = broken_promises(index, instance, 400, past, seed)
        assert broken == 0
        checked += more
    assert checked > 0


@pytest.mark.parametrize("index", ["ucb1", "ucb_v", "anytime moss", "kl_ucb"])
def test_long_commitments_are_made(index):
    instance = INSTANCES["symmetric"]
    *_, commitments = both(index, instance, 30_000, 1)
    assert len(commitments) < 15_000


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
        kind=ANY_SHAPE,
    )
    plain, _, here = trace(ON_ALL_ARMS.plain, problem, made, table, seed)
    fast, _, there = trace(ON_ALL_ARMS.fast, problem, made, table, seed)
    assert np.array_equal(plain, fast)
    assert here == there


# Deliberate errors: what the comparisons above must see.


@pytest.mark.parametrize(
    ("index", "leader"),
    [("ucb1", None), ("ucb_v", None), ("kl_ucb", None), ("kl_ucb", ALL_ARMS)],
)
def test_a_guard_that_is_not_heeded_is_seen(index, leader):
    traces = (
        both(index, INSTANCES["symmetric"], 6_000, seed, leader, heed=False) for seed in range(3)
    )
    assert any(not np.array_equal(plain, fast) for plain, fast, *_ in traces)


def test_an_index_that_breaks_its_promise_is_seen():
    traces = (both("rising with pulls", INSTANCES["symmetric"], 6_000, seed) for seed in range(3))
    assert any(not np.array_equal(plain, fast) for plain, fast, *_ in traces)
