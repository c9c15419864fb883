"""The search for counterexamples: it finds what is there, and can fail."""

import numpy as np
import pandas as pd

from rankone import theory
from rankone.instances import rank_one
from rankone.paper import counterexamples


def test_matrices_of_every_sort_are_tried() -> None:
    cases = counterexamples.unimodality(1, matrices=200)
    assert len(cases) == 200
    assert set(cases["positive"]) == {True, False}
    assert cases.loc[cases["positive"], "unimodal"].all()
    assert (cases.loc[cases["positive"], "longest"] <= 2).all()
    assert not cases.loc[~cases["positive"], "unimodal"].any()


def test_zeros_in_one_vector_only_are_among_them() -> None:
    pairs = list(counterexamples._vectors(200, np.random.default_rng(1)))
    one = [(u, v) for u, v in pairs if u.all() != v.all()]
    assert len(one) > 20


def test_a_cell_between_two_zeros_is_stuck() -> None:
    instance = rank_one([0.9, 0.0], [0.8, 0.0], unimodal=False)
    assert theory.increasing_path(instance, 3) is None


def test_the_same_seed_gives_the_same_cases() -> None:
    one, two = (counterexamples.unimodality(3, matrices=20) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def test_leaders_are_explored_and_the_control_shows_it() -> None:
    cases = counterexamples.leader_exploration(1, matrices=60, horizon=1500)
    assert len(cases) == 120
    assert cases["forced"].sum() == 60
    assert set(cases["warm_up"]) == {True, False}
    assert (cases.loc[cases["forced"], "slack"] >= 0).all()
    assert (cases.loc[~cases["forced"], "slack"] < 0).any()
