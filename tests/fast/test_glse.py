"""GLSE commits to whole turns, and pulls the arms of the plain version."""

import pytest
from helpers.versions import LINE, MATRIX, TENSOR, assert_same_arms, assert_same_law, random_graph

import rankone

INSTANCES = {"line": LINE, "matrix": MATRIX, "tensor": TENSOR, "graph": random_graph(1)}


@pytest.mark.parametrize("parameters", [{}, {"slope": 0.5}, {"slope": 1, "samples": 0.3}], ids=str)
@pytest.mark.parametrize("name", INSTANCES)
def test_the_same_arms_as_the_plain_version(name, parameters):
    saved = assert_same_arms("glse", INSTANCES[name], 20_000, **parameters)
    assert saved > 0.8 or parameters


@pytest.mark.parametrize("name", INSTANCES)
def test_the_law_is_that_of_the_plain_version(name):
    assert_same_law("glse", INSTANCES[name], 5000, 3000, slope=0.9, samples=1, visible=0.1)


@pytest.mark.parametrize("name", INSTANCES)
def test_it_follows_a_path_to_the_best_arm(name):
    instance = INSTANCES[name]
    runs = rankone.simulate("glse", instance, 10**10, 20)
    assert (runs.pulls[:, instance.best] > 0.99 * 10**10).all()
