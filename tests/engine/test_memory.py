"""Compiled code sees a NamedTuple through a pointer: the same fields, the same arrays."""

from typing import NamedTuple

import numpy as np
import pytest

from rankone.engine.compiled import entry
from rankone.engine.memory import ALIGNMENT, Pointer, as_argument, gather


class Inner(NamedTuple):
    flag: bool
    rate: float
    cells: np.ndarray


class Outer(NamedTuple):
    size: int
    text: str
    inner: Inner
    table: np.ndarray
    shared: np.ndarray


def made():
    inner = Inner(True, -2.5, np.array([1, 2, 3], np.int16))
    return Outer(7, "for people", inner, np.arange(6.0).reshape(2, 3), np.array([9, 8]))


@entry
def read(outer):
    inner = outer.inner
    return outer.size, inner.flag, inner.rate, inner.cells[2], outer.table[1, 0], len(outer.shared)


@entry
def write(outer):
    outer.table[1, 2] = outer.size
    outer.inner.cells[0] = 5


def test_fields_are_read():
    assert read(as_argument(made())) == (7, True, -2.5, 3, 3.0, 2)


def test_arrays_are_written_in_place():
    outer = made()
    write(as_argument(outer))
    assert outer.table[1, 2] == 7.0
    assert outer.inner.cells.tolist() == [5, 2, 3]


def test_an_array_with_gaps_is_read_by_its_strides():
    outer = made()._replace(table=np.arange(24.0).reshape(4, 6)[::2, ::2])
    assert read(as_argument(outer))[4] == 12.0


@entry
def as_arrays(outer, last):
    """What can be done with an array can be done with a list of numbers in a state."""
    cells, shared = outer.inner.cells, outer.shared
    total = 0
    for position, cell in enumerate(cells):
        total += position * cell
    part = cells[1:] if last < 0 else cells
    cells[last] += 10
    shared[-1] = cells[-1]
    shared[0] += len(part)
    return total, part.sum(), cells[np.uint8(2)], cells[0], cells[-1], cells.shape[0], len(cells)


def test_lists_of_numbers_are_arrays():
    outer = made()
    assert as_arrays(as_argument(outer), -1) == (8, 15, 13, 1, 13, 3, 3)
    assert outer.inner.cells.tolist() == [1, 2, 13]
    assert outer.shared.tolist() == [11, 13]


def test_lists_of_flags_are_bytes():
    class Flags(NamedTuple):
        up: np.ndarray

    @entry
    def turn(flags):
        flags.up[1] = not flags.up[1]
        flags.up[0] = 3 > 2
        return flags.up[1], flags.up[2]

    flags = Flags(np.array([False, False, True]))
    assert turn(as_argument(flags)) == (True, True)
    assert flags.up.tolist() == [True, True, True]


def test_types_depend_on_the_fields_and_not_on_the_values():
    other = made()._replace(size=8, text="else", shared=np.array([1, 2, 3]))
    assert Pointer(made())._numba_type_ == Pointer(other)._numba_type_
    wider = made()._replace(shared=np.array([1.0]))
    assert Pointer(made())._numba_type_ != Pointer(wider)._numba_type_


def test_gathered_arrays_lie_in_one_block():
    outer = made()
    moved, block = gather(outer, (outer.shared,))
    assert moved.shared is outer.shared
    assert moved.text == outer.text
    np.testing.assert_array_equal(moved.table, outer.table)
    np.testing.assert_array_equal(moved.inner.cells, outer.inner.cells)
    assert moved.table.ctypes.data % ALIGNMENT == 0
    fresh = block.copy()
    moved.table[0, 0] = moved.inner.cells[1] = 77
    block[:] = fresh
    np.testing.assert_array_equal(moved.table, outer.table)
    np.testing.assert_array_equal(moved.inner.cells, outer.inner.cells)


def test_one_array_in_two_fields_stays_one():
    room = np.zeros(3)
    moved, _ = gather(made()._replace(table=room, shared=room))
    moved.table[1] = 4.0
    assert moved.shared[1] == 4.0


def test_text_is_not_for_kernels():
    with pytest.raises(Exception, match="text"):
        entry(lambda outer: outer.text)(as_argument(made()))


class Sizes(NamedTuple):
    shape: tuple[int, ...]


@entry
def product(sizes):
    total = 1
    for size in sizes.shape:
        total *= size
    return total * 10 + len(sizes.shape)


def test_a_tuple_of_whole_numbers_is_an_array_of_any_length():
    found = [product(as_argument(Sizes(shape))) for shape in ((), (4,), (2, 3, 5))]
    assert found == [10, 41, 303]
    one, other = (Pointer(Sizes(shape)) for shape in ((4,), (2, 3, 5)))
    assert one._numba_type_ == other._numba_type_  # nothing is compiled anew


def test_a_state_may_be_nothing_at_all():
    assert Pointer(()).address  # a pointer to nothing, not an array
