"""The front keeps its order, and knows who is alike, whatever is put in and taken out."""

import numpy as np
import pytest

from rankone.fast import front as fronts


def entries(front):
    size = front.size[0]
    return list(zip(front.bound[:size], front.kind[:size], front.position[:size], strict=True))


def filled(rng, most, kinds):
    """A front in any order; competitors of one kind have one bound."""
    front = fronts.new_front(most)
    front.size[0] = most
    front.position[:] = rng.permutation(most)
    front.kind[:] = rng.integers(0, kinds, most)
    front.bound[:] = front.kind // 2 / 8.0  # two kinds share a bound
    return front


@pytest.mark.parametrize("most", [0, 1, 2, 3, 7, 40, 700])
@pytest.mark.parametrize("kinds", [1, 5, 1000])
def test_it_is_sorted_by_bound_kind_and_position(most, kinds):
    front = filled(np.random.default_rng([most, kinds]), most, kinds)
    before = entries(front)
    fronts.sort(front)
    assert entries(front) == sorted(before)


def test_what_is_put_in_and_taken_out_leaves_the_others_in_order():
    rng = np.random.default_rng(3)
    front = filled(rng, 60, 9)
    fronts.sort(front)
    outside = []
    for _ in range(2000):
        size = int(front.size[0])
        before = entries(front)
        if outside and rng.random() < 0.3:
            entry = (float(rng.integers(0, 9)) / 8.0, int(rng.integers(0, 9)), outside.pop())
            fronts.add(front, *entry)
            assert entries(front) == sorted([*before, entry])
            continue
        slot = int(rng.integers(size))
        *_, position = before.pop(slot)
        assert fronts.slot_of(front, position) == slot
        if size > 5 and rng.random() < 0.4:
            fronts.take_out(front, slot)
            outside.append(int(position))
            assert entries(front) == before
            assert fronts.slot_of(front, position) == -1
        else:
            entry = (float(rng.integers(0, 9)) / 8.0, int(rng.integers(0, 9)), int(position))
            fronts.settle(front, slot, *entry)
            assert entries(front) == sorted([*before, entry])


@pytest.mark.parametrize("kinds", [1, 2, 5, 30])
def test_the_first_of_a_kind_is_found_from_its_last(kinds):
    front = filled(np.random.default_rng(kinds), 90, kinds)
    fronts.sort(front)
    for slot in range(90):
        if slot == 89 or front.kind[slot + 1] != front.kind[slot]:
            alike = np.flatnonzero(front.kind == front.kind[slot])
            assert fronts.first_alike(front, slot) == alike[0]


def test_counts_are_told_apart():
    counts = [(0, 0), (1, 0), (1, 1), (2, 1), ((1 << 31) - 1, 5)]
    kinds = {fronts.kind_of(7, pulls, wins) for pulls, wins in counts}
    assert len(kinds) == len(counts)
    assert fronts.kind_of(1, 1 << 31, 5) != fronts.kind_of(2, 1 << 31, 5)
