"""The hand-tuned engine of ucb1 pulls the same arms as the declared one."""

import numpy as np
import pytest
from helpers.traces import rewards, trace

import rankone
from rankone import fast
from rankone.fast import ucb1 as tuned
from rankone.policies import ucb1

INSTANCES = [
    rankone.rank_one([0.7, 0.3, 0.2], [0.8, 0.5]),
    rankone.rank_one([1.0, 0.9], [1.0, 0.4, 0.3]),
]


@pytest.mark.parametrize("instance", INSTANCES, ids=["matrix", "a sure arm"])
def test_the_same_arms_as_the_declared_engine(instance):
    problem = instance.problem(5_000)
    settings = ucb1.configure(problem)
    for seed in range(3):
        table = rewards(instance, 5_000, seed)
        engine = fast.Engine(tuned.start, tuned.decide, tuned.observe)
        one, _, here = trace(engine, problem, settings, table, seed)
        other, _, there = trace(ucb1.policy.fast, problem, settings, table, seed)
        assert np.array_equal(one, other)
        assert here == there
