"""Pieces are code for linking: no machine code of their own, the same numbers."""

import math

import numpy as np
import pytest
from numba.core.errors import TypingError

from rankone.engine.compiled import entry, kernel
from rankone.engine.pieces import Piece, rebuild, reduce


@kernel
def root(x):
    return math.sqrt(x) + 1.0


@kernel
def raises(x):
    if x < 0:
        raise ValueError("negative")
    return x


def test_a_piece_has_no_machine_code_and_can_be_linked():
    call = entry(lambda x: root(x))
    call._cache.disable()
    assert call(9.0) == 4.0
    (result,) = root.compiled.overloads.values()
    assert isinstance(result.library, Piece)
    assert result.library.get_pointer_to_function(result.fndesc.llvm_func_name) == 0


def test_a_piece_survives_being_kept():
    call = entry(lambda x: root(x))
    call._cache.disable()
    call(9.0)
    (arguments, result), *_ = root.compiled.overloads.items()
    again = rebuild(result.target_context, reduce(result), arguments)
    assert again.signature == result.signature
    assert again.library.content()[1] == result.library.content()[1]


def test_an_exception_gets_out_of_a_piece():
    call = entry(lambda x: raises(x))
    assert call(1) == 1
    with pytest.raises(ValueError, match="negative"):
        call(-1)


def test_a_hidden_generator_is_refused():
    @kernel
    def hidden(x):
        return x + np.random.random()  # noqa: NPY002

    with pytest.raises(TypingError, match="a generator of its own"):
        entry(lambda x: hidden(x))(1.0)
