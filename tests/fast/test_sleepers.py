"""The tree of sleepers against a look at all of them."""

import math

import numpy as np
import pytest

from rankone.fast.sleepers import (
    AWAKE,
    MIXED,
    build,
    first_to_wake,
    kind_of,
    no_sleepers,
    set_leaf,
    set_wake,
)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 21])
def test_follows_every_change(n):
    rng = np.random.default_rng(n)
    sleepers = no_sleepers(n)
    sleepers.size[0] = n
    wakes, kinds = rng.integers(0, 4, n).astype(float), rng.integers(0, 2, n)
    for position in range(n):
        set_leaf(sleepers, position, kinds[position], wakes[position])
    build(sleepers)
    for _ in range(300):
        position = rng.integers(n)
        wakes[position] = rng.choice([AWAKE, 0.0, 1.0, 2.0])
        kinds[position] = rng.integers(0, 2)
        set_wake(sleepers, position, kinds[position], wakes[position])
        first = np.flatnonzero(wakes == wakes.min())
        rest = wakes[wakes > wakes.min()]
        assert sleepers.wakes[1] == wakes.min()
        assert sleepers.ties[1] == len(first)
        assert sleepers.later[1] == (rest.min() if len(rest) else math.inf)
        alike = len(set(kinds[first])) == 1
        assert sleepers.kind[1] == (kinds[first[0]] if alike else MIXED)
        found = [first_to_wake(sleepers, 1, skip) for skip in range(len(first))]
        assert found == first.tolist()


def test_rebuilt_with_fewer_arms_forgets_the_others():
    sleepers = no_sleepers(8)
    for size, level in ((8, 1.0), (3, 5.0)):
        sleepers.size[0] = size
        for position in range(size):
            set_leaf(sleepers, position, 7, level)
        build(sleepers)
        assert (sleepers.wakes[1], sleepers.ties[1]) == (level, size)
        assert sleepers.later[1] == math.inf


def test_kinds_tell_counts_apart():
    seen = {kind_of(0, n, w) for n in range(40) for w in range(n + 1)}
    assert len(seen) == 40 * 41 // 2
    assert kind_of(1, 1 << 40, 5) != kind_of(2, 1 << 40, 5)
