"""The two ways this package compiles a function, and where the compiled code is kept.

`kernel` is for the pieces, `entry` for the one `run` of a policy: only entries are cached on disk,
with the pieces inlined into them. No fastmath: a result must not depend on how a sum was vectorised.
"""

import functools
import hashlib
import os
import sys
from pathlib import Path

import numba


def _source_digest() -> str:
    """A digest of every source file of the package, so that edited code never meets an old cache."""
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for file in sorted(package.rglob("*.py")):
        digest.update(str(file.relative_to(package)).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """Numba looks only at the file a cached function stands in, not at what it calls: key by all."""
    root = os.environ.get("RANKONE_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "rankone" / _source_digest()


if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(_cache_folder())

# error_model: a division is a division, as in NumPy; the kernels never divide by zero.
kernel = functools.partial(numba.njit, error_model="numpy")()
loop = functools.partial(numba.njit, error_model="numpy", inline="always")()
entry = functools.partial(numba.njit, error_model="numpy", cache=True)()
