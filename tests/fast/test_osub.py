"""The hand-tuned engine of osub pulls the same arms as the declared one."""

import pytest
from helpers.tuned import INSTANCES, assert_ends_with_a_best_mean_next_to_one, assert_same_arms

from rankone.fast import osub as tuned
from rankone.policies import osub as policy


@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_as_the_declared_engine(name):
    assert_same_arms(tuned, policy, INSTANCES[name])


def test_a_best_mean_next_to_one_comes_to_an_end():
    assert_ends_with_a_best_mean_next_to_one("osub")
