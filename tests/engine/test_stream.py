"""The generator of a run: where NumPy keeps its words, and which of its functions are called."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from rankone.engine import seeds, stream


def test_numpys_functions_are_called_where_its_library_shows_all_of_them(monkeypatch):
    shown = ctypes.pythonapi.Py_IncRef  # any function in the place of NumPy's
    addresses = ctypes.cast(shown, ctypes.c_void_p).value
    for library, found in [
        (dict.fromkeys(stream.NATIVE, shown), [addresses] * 2),
        ({stream.NATIVE[0]: shown}, []),
        ({}, []),
    ]:
        monkeypatch.setattr(ctypes, "CDLL", lambda _, has=library: SimpleNamespace(**has))
        assert stream._native_addresses() == found


def test_words_are_those_that_numpy_draws_from():
    entropy = np.arange(6, dtype=np.uint32)
    made = stream.Source()
    made.words[:] = made.arranged(seeds.starts(entropy, 5, 1))[0]
    made.halves[0] = 0
    np.testing.assert_array_equal(made.generator.random(9), seeds.generator(entropy, 5).random(9))


def test_a_layout_that_is_not_known_is_refused(monkeypatch):
    made = stream.Source()
    made.words = np.zeros(4, np.uint64)  # as if NumPy kept its words elsewhere
    with pytest.raises(RuntimeError, match="is not known here"):
        made._find_order()
