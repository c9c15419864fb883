"""UTS with its inside in view is the package's UTS, to the bit."""

import math

import numpy as np
import pytest

from rankone import simulation
from rankone.engine import seeds
from rankone.instances import rank_one
from rankone.paper import uts_in_view
from rankone.paper.uts_in_view import Settings


@pytest.mark.parametrize("gamma", [2, 5, math.inf])
@pytest.mark.parametrize("warm_up", [True, False])
def test_it_is_the_uts_of_the_package(gamma: float, warm_up: bool) -> None:
    instance = rank_one([0.75, 0.25, 0.5], [0.6, 0.3])
    parameters = {"gamma": gamma, "warm_up": warm_up}
    runs = simulation.simulate("uts", instance, 500, 5, exact="plain", **parameters)
    entropy = seeds.stream(1, instance, simulation.spell("uts", parameters))
    for run in range(5):
        state = uts_in_view.start(instance)
        settings = Settings(float(gamma), warm_up, first_index=False)
        uts_in_view.play(state, settings, 500, instance.means, seeds.generator(entropy, run))
        assert np.array_equal(state.pulls, runs.pulls[run])


def test_without_warm_up_the_first_leader_is_the_first_arm_or_any() -> None:
    instance, leaders = rank_one([0.9, 0.5], [0.9, 0.5]), {True: set(), False: set()}
    for first_index, found in leaders.items():
        for seed in range(30):
            state = uts_in_view.start(instance)
            settings = Settings(math.inf, False, first_index)
            uts_in_view.play(state, settings, 1, instance.means, np.random.default_rng(seed))
            found.add(int(np.argmax(state.leads)))
    assert leaders == {True: {0}, False: {0, 1, 2, 3}}
