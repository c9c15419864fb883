"""Hand-tuned engines beside the declared ones that they stand in for."""

import math

import numpy as np
from helpers.traces import rewards, trace

import rankone
from rankone import fast

INSTANCES = {
    "matrix": rankone.rank_one([0.7, 0.3, 0.2], [0.8, 0.5]),
    "a sure arm": rankone.rank_one([1.0, 0.9], [1.0, 0.4, 0.3]),
}


def assert_same_arms(tuned, policy, instance):
    """Both engines pull the same arms on the same rewards, with the same number of draws."""
    problem = instance.problem(5_000)
    settings = policy.configure(problem)
    for seed in range(3):
        table = rewards(instance, 5_000, seed)
        engine = fast.Engine(tuned.start, tuned.decide, tuned.observe)
        one, _, here = trace(engine, problem, settings, table, seed)
        other, _, there = trace(policy.policy.fast, problem, settings, table, seed)
        assert np.array_equal(one, other)
        assert here == there


def assert_ends_with_a_best_mean_next_to_one(name):
    """Round by round this would take days: the limit is not about speed."""
    for distance in (0.0, 1e-12, 3e-12, 1e-11, 3e-11, 1e-10, 3e-10, 2.4e-9):
        best = math.sqrt(1.0 - distance)
        instance = rankone.rank_one([best, 0.5, 0.3], [best, 0.5])
        runs = rankone.simulate(name, instance, 10**12, 5, seed=7)
        assert (runs.pulls[:, 1:] < 100).all()
