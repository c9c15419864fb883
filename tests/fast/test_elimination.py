"""Eliminations commit once a single cell is left, and are the plain ones to the bit."""

import numpy as np
import pytest

import rankone
from rankone import simulation

INSTANCES = {
    "symmetric": rankone.rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25, 0.25]),
    "K != L": rankone.rank_one([0.9, 0.3], [0.8, 0.4, 0.2, 0.2]),
    "zero in u": rankone.rank_one([0.0, 0.8, 0.3, 0.3], [0.9, 0.3, 0.3]),
}


@pytest.mark.parametrize("policy", ["rank1elim", "rank1elim_kl"])
def test_eliminations_are_the_plain_ones_to_the_bit(policy):
    """They share every draw until one cell is left, and afterwards nothing depends on draws."""
    variants = ("paper", "released", "trinh")
    choices = [{}] if policy == "rank1elim" else [{"variant": v} for v in variants]
    ended = 0
    for name in ("symmetric", "K != L", "zero in u", "sure"):
        instance = INSTANCES.get(name) or rankone.rank_one([1.0, 0.1], [0.2, 0.9, 0.1])
        for parameters in choices:
            fast, plain = (
                simulation.simulate(policy, instance, 30_000, 3, exact=exact, **parameters)
                for exact in ("fast", "plain")
            )
            np.testing.assert_array_equal(fast.regret, plain.regret)
            np.testing.assert_array_equal(fast.pulls, plain.pulls)
            ended += np.sum(fast.regret[:, -1] == fast.regret[:, -5])
    assert ended > 0, "no run came down to a single cell"
