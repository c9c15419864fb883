"""The hand-tuned engine of kl_ucb pulls the same arms as the declared one."""

import numpy as np
import pytest
from helpers.traces import rewards, trace

import rankone
from rankone import fast
from rankone.fast import kl_ucb as tuned
from rankone.policies import kl_ucb

INSTANCES = [
    rankone.rank_one([0.7, 0.3, 0.2], [0.8, 0.5]),
    rankone.rank_one([1.0, 0.9], [1.0, 0.4, 0.3]),
]


@pytest.mark.parametrize("instance", INSTANCES, ids=["matrix", "a sure arm"])
def test_the_same_arms_as_the_declared_engine(instance):
    problem = instance.problem(5_000)
    settings = kl_ucb.configure(problem)
    for seed in range(3):
        table = rewards(instance, 5_000, seed)
        engine = fast.Engine(tuned.start, tuned.decide, tuned.observe)
        one, _, here = trace(engine, problem, settings, table, seed)
        other, _, there = trace(kl_ucb.policy.fast, problem, settings, table, seed)
        assert np.array_equal(one, other)
        assert here == there


def test_a_best_mean_of_one_comes_to_an_end():
    # round by round this would take days: the limit is not about speed
    instance = rankone.rank_one([1.0, 0.5], [1.0, 0.5])
    runs = rankone.simulate("kl_ucb", instance, 10**12, 2)
    assert (runs.pulls[:, 1:] < 100).all()
