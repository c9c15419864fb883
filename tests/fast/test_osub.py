"""The hand-tuned engine of osub pulls the same arms as the declared one."""

import pytest
from helpers import traces
from helpers.tuned import INSTANCES, assert_ends_with_a_best_mean_next_to_one, assert_same_arms

from rankone.fast import osub as tuned
from rankone.policies import osub as policy


@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_as_the_declared_engine(name):
    assert_same_arms(tuned, policy, INSTANCES[name])


@pytest.mark.parametrize("parameters", [{"gamma": 2}, {"gamma": 3, "clock": "global"}], ids=str)
@pytest.mark.parametrize("name", ["close means", "rare wins", "two hills"])
def test_the_same_arms_where_the_leader_is_often_forced(name, parameters):
    assert_same_arms(tuned, policy, traces.INSTANCES[name], 4, **parameters)


def test_a_best_mean_next_to_one_comes_to_an_end():
    assert_ends_with_a_best_mean_next_to_one("osub")
