"""A declaration is refused where it cannot be one."""

import math

import pytest

from rankone.engine.kl import kl
from rankone.fast.declared import NoSettings, beta_sampling, index_policy


def log_time(t):
    return math.log(t)


def test_arguments_are_counted():
    with pytest.raises(ValueError, match="kl takes 2 arguments; allowed: 3"):
        index_policy(kl, log_time)


@pytest.mark.parametrize("prior", [(0.0, 1.0), (1.0, -2.0), (math.inf, 1.0), (1.0, math.nan)])
def test_prior_counts_are_checked(prior):
    with pytest.raises(ValueError, match="allowed: two numbers above 0"):
        beta_sampling(prior)


def test_without_settings_each_arm_is_pulled_once_and_no_leader_is_forced():
    assert NoSettings().leader.warm_up
    assert NoSettings().leader.period == math.inf
