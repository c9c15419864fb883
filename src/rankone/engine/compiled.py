"""How this package compiles a function.

`kernel` is for the pieces of a policy: such a function stays plain Python, and where compiled code
calls it, Numba compiles it for the types at hand, once, and keeps it on disk (see cache.py).
`entry` is for a function that Python calls and that is to run compiled. With NUMBA_DISABLE_JIT=1
all of them are plain Python. No fastmath: a result must not depend on how a sum was vectorised.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from rankone.engine.cache import SourceCache
from rankone.engine.pieces import PieceCompiler, WholeCompiler

# All options are stated: Numba takes one that is not from whoever happens to call first.
# error_model: a division is a division, as in NumPy; the kernels never divide by zero.
OPTIONS = {
    "error_model": "numpy",
    "fastmath": False,
    "boundscheck": False,
    "forceinline": False,
    "debug": False,
}

# _nrt=False: a kernel borrows the arrays of the state and makes or returns none, so references
# need no counting, which would cost more than the arithmetic. Numba refuses one that makes any.
# No wrappers: only compiled code calls a kernel.
PIECE = {
    **OPTIONS,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": PieceCompiler,
}


def kernel(function: Callable[..., Any] | None = None, *, inline: bool = True) -> Any:
    """Mark a piece of a policy: plain Python to Python, a compiled function to compiled code.

    It becomes part of the code that calls it; inline=False is for a large one with many callers.
    """
    if function is None:
        return lambda function: kernel(function, inline=inline)
    if not numba.config.DISABLE_JIT:
        compiled = numba.njit(**{**PIECE, "forceinline": inline})(function)
        compiled._cache = SourceCache(function, piece=True)
        # Numba asks a value for its type by this name, and does not keep the dispatcher alive
        vars(function).update(compiled=compiled, _numba_type_=types.Dispatcher(compiled))
    return function


def entry(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function that Python calls."""
    if numba.config.DISABLE_JIT:
        return function
    made = numba.njit(**{**OPTIONS, "pipeline_class": WholeCompiler, **options})(function)
    made._cache = SourceCache(function, piece=False)
    return made
