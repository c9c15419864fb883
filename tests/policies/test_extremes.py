"""Means close to one and to zero: the same law as round by round, and no slower in the long run.

An arm that wins always has an index of one and a posterior without a left tail; one that wins
hardly ever has neither many wins to count nor a level far from zero.
"""

import subprocess
import sys

import numpy as np
import pytest
from helpers import chance

import rankone
from rankone.loading import load, names

INSTANCES = {
    "sure": rankone.rank_one([1.0, 0.5], [1.0, 0.5]),
    "nearly sure": rankone.rank_one([0.999, 0.5], [0.999, 0.5]),
    "rare": rankone.rank_one([0.1, 0.05, 0.01], [0.1, 0.02]),
    "one arm": rankone.rank_one([0.4], [0.7]),
}
POLICIES = ["uts", "ts", "osub", "kl_ucb", "ucb1", "rank1elim", "rank1elim_kl"]

FURTHER = ["ossb", "ossb_rank_one", "glse", "pair_elim", "tea", "rank1elim_doubling"]


@pytest.mark.parametrize("policy", [*POLICIES, *FURTHER])
@pytest.mark.parametrize("name", INSTANCES)
def test_the_law_is_that_of_the_plain_policy(policy, name):
    checkpoints = [100, 600, 3_000]
    plain, fast = (
        rankone.simulate(
            policy, INSTANCES[name], 3_000, 800, seed, checkpoints=checkpoints, exact=exact
        )
        for seed, exact in ((chance.seed(1), "plain"), (chance.seed(2), "fast"))
    )
    assert np.all(fast.pulls.sum(axis=1) == 3_000)
    for a, b in zip(plain.regret.T, fast.regret.T, strict=True):
        if np.ptp([*a, *b]) > 1e-9 * a.max():
            chance.assert_same_law(a, b)
        else:
            assert a[0] == pytest.approx(b[0])
    for a, b in zip(plain.pulls.T, fast.pulls.T, strict=True):
        chance.assert_same_law(a, b)


LONG = """
import rankone
for u, v in {pairs!r}:
    instance = rankone.rank_one(u, v)
    runs = rankone.simulate({policy!r}, instance, 10**10, 2)
    assert (runs.pulls.sum(axis=1) == 10**10).all()
    assert (runs.pulls.argmax(axis=1) == 0).all()
"""


@pytest.mark.parametrize("policy", ["uts", "ts", "osub", "kl_ucb", "ucb1", "ossb", "ossb_rank_one"])
def test_ten_thousand_million_rounds_come_to_an_end(policy):
    # round by round this would take hours: the limit is not about speed
    pairs = [([0.999, 0.5], [0.999, 0.5])]
    if policy not in ("osub", "kl_ucb"):  # their indices come closer to one than numbers can tell
        pairs.append(([1, 0.5], [1, 0.5]))
    if policy != "ucb1":  # it needs millions of pulls to tell such small means apart
        pairs.append(([0.1, 0.05, 0.01], [0.1, 0.02]))
    code = LONG.format(policy=policy, pairs=pairs)
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


LARGEST = """
import rankone
from rankone.simulation import LARGEST_HORIZON
instance = rankone.rank_one([0.75, 0.25], [0.75, 0.25, 0.5])
runs = rankone.simulate({policy!r}, instance, LARGEST_HORIZON, 1)
assert (runs.pulls.sum(axis=1) == LARGEST_HORIZON).all()
assert (runs.regret[:, -1] == [pulls @ instance.gaps for pulls in runs.pulls]).all()
"""
LEAPING = [
    name
    for name in names()
    if load(name, "fast").kernels.decide != load(name, "plain").kernels.decide
    and not load(name).supports(INSTANCES["rare"])
]


@pytest.mark.parametrize("policy", LEAPING)
def test_the_largest_horizon_is_played_to_its_end(policy):
    # round by round it would take years: the limit is not about speed
    subprocess.run([sys.executable, "-c", LARGEST.format(policy=policy)], check=True, timeout=300)


def test_all_policies_of_the_paper_leap():
    assert set(POLICIES) <= set(LEAPING)
