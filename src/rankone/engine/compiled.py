"""The ways this package compiles a function, and where the compiled code is kept.

`kernel` is for the pieces of a policy, which make no arrays, `loop` for functions that take others
as arguments, `entry` for the `run` of a policy: only entries are
cached on disk, with the pieces inside. No fastmath: a result must not depend on how a sum was
vectorised.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from rankone.engine import sources

# error_model: a division is a division, as in NumPy; the kernels never divide by zero.
# _nrt=False: a kernel borrows the arrays of the state and makes or returns none, so references
# need no counting, which would cost more than the arithmetic. Numba refuses one that makes any.
# forceinline: a state is a tuple of many arrays, dear to hand over at every call.
kernel = numba.njit(error_model="numpy", _nrt=False, forceinline=True)
loop = numba.njit(error_model="numpy", inline="always")


def entry(function: Callable) -> Any:
    """Compile a policy's `run` and keep it in a folder named after all the code it is made of.

    Numba itself looks only at the file of the function, not at what it calls: after an edit of a
    helper it would go on with the old code.
    """
    code = Path(function.__code__.co_filename)
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for file in sources.closure([code]):
        digest.update(file.name.encode() + file.read_bytes())
    numba.config.CACHE_DIR = str(_cache_root() / f"{code.stem}-{digest.hexdigest()[:16]}")
    return numba.njit(error_model="numpy", cache=True)(function)


def _cache_root() -> Path:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "rankone"
