"""The hand-tuned engine of kl_ucb pulls the same arms as the declared one."""

import pytest
from helpers.tuned import INSTANCES, assert_ends_with_a_best_mean_next_to_one, assert_same_arms

from rankone.fast import kl_ucb as tuned
from rankone.policies import kl_ucb as policy


@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_as_the_declared_engine(name):
    assert_same_arms(tuned, policy, INSTANCES[name])


def test_a_best_mean_next_to_one_comes_to_an_end():
    assert_ends_with_a_best_mean_next_to_one("kl_ucb")
