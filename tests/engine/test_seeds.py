"""A run depends on what it is, never on when, where or beside what it is played."""

import itertools

import numpy as np
import pytest

import rankone
from rankone.engine import seeds
from rankone.simulation import resolve, spell

SMALL = rankone.rank_one([0.8, 0.3], [0.9, 0.4, 0.2])
SAME = rankone.rank_one([0.8, 0.3], [0.9, 0.4, 0.2])
OTHER = rankone.rank_one([0.8, 0.3], [0.9, 0.4, 0.3])
LONELY, EMPTY = (rankone.graph(SMALL.means, e, unimodal=False) for e in ([(0, 1)], []))


def first_numbers(seed, instance, policy, run):
    return tuple(seeds.generator(seeds.stream(seed, instance, policy), run).random(4))


def test_every_part_of_the_key_counts():
    streams = [
        first_numbers(seed, instance, policy, run)
        for seed, instance, policy, run in itertools.product(
            [0, 1, 2**32, 2**63],
            [SMALL, OTHER, LONELY, EMPTY],
            ["uts(gamma=2)", "uts(gamma=3)", "ts()"],
            [0, 1, 2**32],
        )
    ]
    assert len(set(streams)) == len(streams)


def test_equal_content_gives_equal_numbers():
    assert first_numbers(1, SMALL, "ts()", 5) == first_numbers(1, SAME, "ts()", 5)


def test_transposed_and_reshaped_instances_differ():
    """The same list of means as 2 x 3, 3 x 2 and 1 x 6 are three instances."""
    means = np.arange(1, 7) / 10
    shapes = [(2, 3), (3, 2), (1, 6)]
    numbers = {first_numbers(1, rankone.matrix(means.reshape(s)), "ts()", 0) for s in shapes}
    assert len(numbers) == 3


@pytest.mark.parametrize("first", [0, 1, 2**32 - 2, 2**63])
def test_starts_are_those_of_numpy(first):
    """Words computed for many runs at once against one SeedSequence and PCG64 per run."""
    for seed in (0, 1, 2**40):
        entropy = seeds.stream(seed, SMALL, "ts()")
        found = seeds.starts(entropy, first, 5)
        for i, words in enumerate(found.tolist()):
            state = seeds.generator(entropy, first + i).bit_generator.state["state"]
            assert words == [*divmod(state["state"], 2**64), *divmod(state["inc"], 2**64)]


def test_parameters_are_spelled_with_their_defaults():
    assert spell("uts", resolve("uts", {})) == "uts(gamma=2, warm_up=True)"
    assert spell("uts", resolve("uts", {"gamma": 2.0})) == "uts(gamma=2, warm_up=True)"
    assert spell("uts", resolve("uts", {"gamma": float("inf")})) == "uts(gamma=inf, warm_up=True)"


@pytest.mark.parametrize(("policy", "exact"), [("uts", "fast"), ("uts", "plain"), ("ts", "fast")])
def test_batches_make_up_the_whole(policy, exact):
    """1, 2 and 4 batches, in any order, hold the same numbers to the bit."""
    whole = rankone.simulate(policy, SMALL, 500, 12, seed=3, exact=exact)
    for size in (6, 3):
        for first in reversed(range(0, 12, size)):
            batch = rankone.simulate(policy, SMALL, 500, size, seed=3, first_run=first, exact=exact)
            np.testing.assert_array_equal(batch.regret, whole.regret[first : first + size])
            np.testing.assert_array_equal(batch.pulls, whole.pulls[first : first + size])


def test_other_policies_change_nothing():
    alone = rankone.simulate("uts", SMALL, 300, 5, seed=2)
    rankone.simulate("ts", SMALL, 300, 5, seed=2)
    rankone.simulate("uts", SMALL, 300, 5, seed=2, gamma=5)
    again = rankone.simulate("uts", SAME, 300, 5, seed=2, gamma=2.0, warm_up=True)
    np.testing.assert_array_equal(alone.regret, again.regret)
    np.testing.assert_array_equal(alone.pulls, again.pulls)


def test_runs_seeds_and_parameters_differ():
    first = rankone.simulate("uts", SMALL, 300, 8, seed=2).pulls
    assert len(np.unique(first, axis=0)) > 4
    assert not np.array_equal(first, rankone.simulate("uts", SMALL, 300, 8, seed=3).pulls)
    assert not np.array_equal(first, rankone.simulate("uts", SMALL, 300, 8, seed=2, gamma=5).pulls)
