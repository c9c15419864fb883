"""What the fast versions of both elimination policies have in common."""

from types import ModuleType
from typing import Any

import numpy as np

import rankone


def assert_same_arms_and_one_commitment(policy: str, **parameters: Any) -> None:
    """It pulls the arms of the plain version, and ends in one cell."""
    instance = rankone.rank_one([0.9, 0.3, 0.2], [0.8, 0.1])
    runs = [
        rankone.simulate(policy, instance, 200_000, 3, exact=exact, **parameters)
        for exact in ("fast", "plain")
    ]
    np.testing.assert_array_equal(runs[0].pulls, runs[1].pulls)
    assert np.all(runs[0].pulls[:, instance.best] > 100_000)


def assert_configured_alike(fast: ModuleType, plain: ModuleType) -> None:
    assert fast.configure is plain.configure
    assert fast.supports is plain.supports
    assert fast.decide is not plain.decide
