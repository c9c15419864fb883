"""The plain and the fast version of a policy side by side: arm by arm, and in law."""

import math

import numpy as np
from helpers import chance
from helpers.traces import NO_PAST, rewards, trace
from scipy import stats

import rankone
from rankone import loading, simulation

LINE = rankone.graph([0.2, 0.5, 0.85, 0.6, 0.3], [(k, k + 1) for k in range(4)])
MATRIX = rankone.rank_one([0.9, 0.5, 0.3], [0.8, 0.4])
TENSOR = rankone.tensor([0.95, 0.6], [0.9, 0.5, 0.4], [0.4, 0.9])
LEVEL = 5e-7  # of each p-value
POWER = 0.99  # the chance of seeing a shift of the mean that is called visible


def random_graph(seed, arms=9, extra=6):
    """A random tree whose means fall with the distance from the best arm, and more edges."""
    rng = np.random.default_rng(seed)
    above = [int(rng.integers(k)) for k in range(1, arms)]
    means = [0.9]
    for parent in above:
        means.append(means[parent] * rng.uniform(0.6, 0.95))
    edges = [(parent, k + 1) for k, parent in enumerate(above)]
    edges += [tuple(rng.choice(arms, 2, replace=False).tolist()) for _ in range(extra)]
    return rankone.graph(means, edges)


def engines(policy):
    return [loading.load(policy, exact).kernels for exact in ("plain", "fast")]


def assert_same_arms(policy, instance, rounds=4000, seeds=3, past=NO_PAST, **parameters):
    """Both versions pull the same arms on the same rewards, with the same number of draws.

    It returns the share of rounds that the fast version did not have to decide.
    """
    problem = instance.problem(rounds + int(past[:, 0].sum()))
    settings = loading.load(policy).configure(problem, **parameters)
    decided = 0
    for seed in range(seeds):
        table = rewards(instance, rounds, seed)
        plain, fast = (
            trace(engine, problem, settings, table, seed, past) for engine in engines(policy)
        )
        np.testing.assert_array_equal(plain[0], fast[0])
        assert plain[2] == fast[2], "one of the two has drawn more numbers"
        decided += len(fast[1])
    return 1 - decided / (seeds * rounds)


def assert_same_law(policy, instance, horizon=2000, runs=1800, visible=0.05, **parameters):
    """Two-sample tests of regret and pulls, each at LEVEL.

    `visible` is the shift of the mean regret, as a share of it, that is seen with 99 %: a test with
    too few runs for that fails.
    """
    checkpoints = [horizon // 20, horizon // 3, horizon]
    plain, fast = (
        simulation.simulate(
            policy,
            instance,
            horizon,
            runs,
            chance.seed(seed),
            exact=exact,
            checkpoints=checkpoints,
            **parameters,
        )
        for seed, exact in ((5, "plain"), (6, "fast"))
    )
    for a, b in zip(
        [*plain.regret.T, *plain.pulls.T], [*fast.regret.T, *fast.pulls.T], strict=True
    ):
        # equal regrets may differ by their rounding
        chance.assert_same_law(np.round(a, 9), np.round(b, 9), LEVEL)
    last = plain.regret[:, -1]
    sigmas = stats.norm.isf(LEVEL / 2) + stats.norm.isf(1 - POWER)
    seen = sigmas * last.std() * math.sqrt(2 / runs) / last.mean()
    assert seen <= visible, f"only a shift by {seen:.1%} would be seen"
