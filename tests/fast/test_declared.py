"""A declaration is refused where it cannot be one."""

import dataclasses
import math

import pytest
from helpers.traces import rewards, trace

import rankone
from rankone.engine.kl import kl
from rankone.fast.declared import NoSettings, beta_sampling, index_policy
from rankone.policies import ts


def log_time(t):
    return math.log(t)


def test_arguments_are_counted():
    with pytest.raises(ValueError, match="kl takes 2 arguments; allowed: 3"):
        index_policy(kl, log_time)


@pytest.mark.parametrize("prior", [(0.0, 1.0), (1.0, -2.0), (1e300, 1.0), (1.0, math.nan)])
def test_prior_counts_are_checked(prior):
    with pytest.raises(ValueError, match="allowed: two numbers above 0"):
        beta_sampling(prior)


INSTANCE = rankone.rank_one([0.9, 0.4], [0.8, 0.5])


def played(engine):
    """The arms of 300 rounds, and a number drawn after them."""
    table = rewards(INSTANCE, 300, 1)
    arms, _, drawn = trace(engine, INSTANCE.problem(300), NoSettings(), table)
    return arms.tolist(), drawn


def test_without_a_prior_it_is_uniform():
    assert played(beta_sampling().plain) == played(ts.policy.plain)


def test_a_declaration_is_not_changed_afterwards():
    with pytest.raises(dataclasses.FrozenInstanceError):
        beta_sampling().index = log_time


def test_without_settings_each_arm_is_pulled_once_and_no_leader_is_forced():
    assert NoSettings().leader.warm_up
    assert NoSettings().leader.period == math.inf
