"""The hand-tuned engine of ucb1 pulls the same arms as the declared one."""

import pytest
from helpers.tuned import INSTANCES, assert_same_arms

from rankone.fast import ucb1 as tuned
from rankone.policies import ucb1 as policy


@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_as_the_declared_engine(name):
    assert_same_arms(tuned, policy, INSTANCES[name])
