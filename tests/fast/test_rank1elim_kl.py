"""The fast version commits once a single cell is left, and pulls the arms of the plain one."""

import numpy as np

import rankone
from rankone.fast import rank1elim_kl as fast
from rankone.policies import rank1elim_kl as plain

PARAMETERS = {"variant": "released"}


def test_pulls_the_same_arms_and_ends_in_one_commitment():
    instance = rankone.rank_one([0.9, 0.3, 0.2], [0.8, 0.1])
    runs = [
        rankone.simulate("rank1elim_kl", instance, 200_000, 3, exact=exact, **PARAMETERS)
        for exact in ("fast", "plain")
    ]
    np.testing.assert_array_equal(runs[0].pulls, runs[1].pulls)
    assert np.all(runs[0].pulls[:, instance.best] > 100_000)


def test_is_configured_as_the_plain_one():
    assert fast.configure is plain.configure
    assert fast.supports is plain.supports
    assert fast.decide is not plain.decide
