"""What decides the last bit of a result: versions, and what the functions at hand return.

Compiled code adds, multiplies, divides and takes roots as IEEE 754 says: LLVM neither contracts a
product and a sum into one operation nor reorders sums, for whatever processor it compiles. What is
left are logarithms and the like. Compiled code and NumPy's random numbers take them from the C
library, which picks a variant by the processor (with or without fused multiplication), and slopes
take them from NumPy, which has variants of its own. So not the processor's name is compared but a
digest of what these functions return for many arguments.
"""

import functools
import hashlib
import math
import platform
from collections.abc import Callable, Iterable
from importlib import metadata

import numba
import numpy as np

# The functions that compiled code and NumPy's distributions call, each on its range.
C_LIBRARY: dict[str, tuple[Callable[..., float], float, float]] = {
    "log": (math.log, 0.0, 2.0),
    "log1p": (math.log1p, -1.0, 1.0),
    "exp": (math.exp, -40.0, 1.0),
    "expm1": (math.expm1, -1.0, 1.0),
    "lgamma": (math.lgamma, 0.0, 1e6),
    "pow": (lambda x: math.pow(x, 0.3), 0.0, 1.0),
}
NUMPY = {"log": (np.log, 0.0, 2.0), "log10": (np.log10, 0.0, 1e12), "exp": (np.exp, -40.0, 1.0)}
ARGUMENTS = 20_000

# What the bits of runs depend on; those of slopes and claims; and those of pictures.
RUNS = ("machine", "numpy", "numba", "c library", "vector functions")
CLAIMS = (*RUNS, "numpy functions", "scipy")
PIXELS = (*CLAIMS, "matplotlib")


@functools.cache
def here() -> dict[str, str]:
    """What may decide the last bit of a result that is made by this process."""
    versions = {name: metadata.version(name) for name in ("numpy", "numba", "scipy", "matplotlib")}
    return {
        "machine": platform.machine(),
        **versions,
        "c library": _digest(_one_by_one(*given) for given in C_LIBRARY.values()),
        "numpy functions": _digest(f(_arguments(a, b)) for f, a, b in NUMPY.values()),
        # Numba would call these instead of the C library's, were they installed.
        "vector functions": "SVML" if numba.config.USING_SVML else "none",
    }


def _arguments(low: float, high: float) -> np.ndarray:
    """Numbers between two others whose bits have no pattern: multiples of the golden ratio."""
    steps = np.arange(1, ARGUMENTS + 1) * 0.6180339887498949
    return np.asarray(low + (high - low) * (steps - np.floor(steps)))


def _one_by_one(function: Callable[..., float], low: float, high: float) -> np.ndarray:
    return np.array([function(x) for x in _arguments(low, high).tolist()])


def _digest(values: Iterable[np.ndarray]) -> str:
    found = hashlib.sha256()
    for array in values:
        found.update(np.asarray(array, dtype="<f8").tobytes())
    return found.hexdigest()[:16]
