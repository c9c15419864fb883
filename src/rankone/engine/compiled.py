"""How this package compiles a function.

`kernel` is for the pieces of a policy: such a function stays plain Python, and where compiled code
calls it, Numba compiles it for the types at hand, once, and keeps it on disk (see cache.py). `entry`
is for a function that Python calls and that is to run compiled. No fastmath: a result must not
depend on how a sum was vectorised.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from rankone.engine.cache import SourceCache
from rankone.engine.pieces import PieceCompiler

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
# no wrappers: only compiled code calls a kernel.
KERNEL = {
    **OPTIONS,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": PieceCompiler,
}


def kernel(function: Callable) -> Any:
    """A piece of a policy: plain Python to Python, a compiled function to compiled code."""
    if not numba.config.DISABLE_JIT:
        function.compiled = _dispatcher(function, KERNEL)
        function._numba_type_ = types.Dispatcher(function.compiled)  # what Numba asks a value for
    return function


def entry(function: Callable, **options: Any) -> Any:
    """Compile a function that Python calls."""
    if numba.config.DISABLE_JIT:
        return function
    return _dispatcher(function, {**OPTIONS, **options})


def _dispatcher(function: Callable, options: dict[str, Any]) -> Any:
    made = numba.njit(**options)(function)
    made._cache = SourceCache(function, piece="pipeline_class" in options)
    return made


loop = numba.njit(error_model="numpy", inline="always")
