"""Compiled code on disk, never older than any source file it was made from.

Numba's own cache looks at the file of the function only: after an edit of a helper it goes on with
the old code, and two processes that compile at the same time can mix up each other's entries. Here
every compiled piece is one file, written in one step, in a folder named by a digest of the source
files that the piece was made from. Where no such file can be written, code is compiled in memory.
"""

import contextlib
import fcntl
import functools
import hashlib
import os
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba import types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from rankone.engine import pieces, sources


class SourceCache(_Cache):
    """The compiled versions of one function; Numba asks it before it compiles anything."""

    def __init__(self, function: Callable[..., Any], piece: bool) -> None:
        self._function = function
        self._piece = piece  # kept as intermediate code, not as machine code
        self._enabled = True
        file = Path(function.__code__.co_filename)
        if file.is_file():
            _imported[file] = sources.content(file)

    @functools.cached_property
    def _folder(self) -> Path | None:
        found = digest(self._function)
        root = usable_root() if found else None
        return root and root / f"{_stem(self._function)}-{found}"

    @property
    def cache_path(self) -> str | None:
        return str(self._folder) if self._folder else None

    def _file(self, signature: Any, codegen: Any) -> Path | None:
        if self._folder is None or not self._enabled:
            return None
        spelled = spell_types(signature)
        if spelled is None:
            return None
        key = [spelled, codegen.magic_tuple(), identity(self._function)]
        name = hashlib.sha256(repr(key).encode()).hexdigest()[:20]
        return self._folder / f"{self._function.__name__}-{name}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if self._piece:
            target_context.refresh()
        else:  # machine code needs only memory, not the compiler, which takes longer to load
            rtsys.initialize(target_context)
        file = self._file(sig, target_context.codegen())
        if file is None:
            return None
        found = self._load(file, sig, target_context)
        if found is None and not self._piece:
            compiling.begin(file)
            found = self._load(file, sig, target_context)  # another process may have made it
            if found is not None:
                compiling.end()
        return found

    def _load(self, file: Path, sig: Any, target_context: Any) -> Any:
        try:
            check, content = _parted(file.read_bytes())
        except OSError:
            return None  # not there yet
        if check != _checksum(content):
            return None  # damaged from outside: compile it again
        try:
            payload = pickle.loads(content)
        except Exception:
            return None  # functions among the types do not always come back: compile it again
        if self._piece:
            return pieces.rebuild(target_context, payload, tuple(getattr(sig, "args", sig)))
        return CompileResult._rebuild(target_context, *payload)

    def save_overload(self, sig: Any, data: Any) -> None:
        file = self._file(sig, data.codegen)
        if not self._piece:  # machine code: now it can be told what its pieces refer to
            for environment in data._find_referenced_environments():
                data.codegen.set_env(environment.env_name, environment)
        if file is None or data.library.has_dynamic_globals or data.lifted or data.reload_init:
            compiling.end()
            return
        content = dumps(pieces.reduce(data) if self._piece else data._reduce())
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
                part.write(_checksum(content) + content)
            os.replace(part.name, file)
        except OSError as error:
            _say_once(f"{file.parent} cannot be written ({error.strerror})")
        if not self._piece:
            compiling.end()

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Forget what is on disk for this function."""
        if self._folder is not None:
            for file in self._folder.glob(f"{self._function.__name__}-*.nbc"):
                file.unlink(missing_ok=True)


class Compiling:
    """Tells other processes what this one is about to compile, so that they wait for it.

    A lock of the file system, which ends with the process. It only saves work: without one, and
    after PATIENCE, every process compiles for itself.
    """

    def __init__(self) -> None:
        self._file: Path | None = None
        self._lock: int | None = None

    def begin(self, file: Path) -> None:
        """Wait until nobody else is making this file."""
        self.end()
        with contextlib.suppress(OSError):  # no folder for it, or a file system without locks
            file.parent.mkdir(parents=True, exist_ok=True)
            self._file = file.with_suffix(".lock")
            self._lock = os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600)
            end = time.monotonic() + PATIENCE
            while not _locked(self._lock) and time.monotonic() < end:
                time.sleep(PAUSE)

    def end(self) -> None:
        """Let the others go on; also where the compilation failed."""
        if self._lock is not None and self._file is not None:
            self._file.unlink(missing_ok=True)  # who waits has it open, and finds the code made
            os.close(self._lock)
        self._file = self._lock = None


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


PATIENCE, PAUSE = 300.0, 0.05  # seconds to wait for another process at most, and between looks
compiling = Compiling()


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _parted(content: bytes) -> tuple[bytes, bytes]:
    """The checksum that a file begins with, and the rest."""
    return content[:32], content[32:]


def root() -> Path:
    """The folder of all compiled code: NUMBA_CACHE_DIR, or `rankone` in the user's caches."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "rankone"


@functools.cache
def usable_root() -> Path | None:
    """The root if files can be made in it; None, said once, if not."""
    try:
        folder = root()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        _say_once(str(error))
        return None


@functools.cache
def _say_once(reason: str) -> None:
    warnings.warn(
        f"compiled code is not kept, so the first call of every process takes seconds: {reason}; "
        "NUMBA_CACHE_DIR may name a folder that can be written.",
        stacklevel=2,
    )


_imported: dict[Path, bytes] = {}  # what was in the file of each function when it was made


@functools.cache
def digest(function: Callable[..., Any]) -> str | None:
    """What a compiled function is made of: its source files, its tools and their versions.

    None where that cannot be told: a function typed into a prompt, or a file that was edited after
    this process had imported it.
    """
    files = sorted(set(_files(function)))
    if not all(file.is_file() for file in files):
        return None
    found = hashlib.sha256(_versions().encode())
    for file in sources.closure(files):
        text = sources.content(file)
        if _imported.get(file, text) != text:
            return None
        found.update(file.name.encode() + b"\0" + text + b"\0")
    return found.hexdigest()[:16]


@functools.cache
def _versions() -> str:
    from rankone.engine.stream import NATIVE, NATIVE_ADDRESSES

    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    return " ".join([*versions, *(NATIVE if NATIVE_ADDRESSES else ())])


def _files(function: Callable[..., Any]) -> Iterator[Path]:
    """The files of a function and of the functions that it was given when it was made."""
    yield Path(function.__code__.co_filename)
    for value in _given(function):
        if isinstance(value, FunctionType):
            yield from _files(value)


def _stem(function: Callable[..., Any]) -> str:
    """A name for people: the file of the first function handed in, or else the function's own."""
    return [file.stem for file in _files(function)][-1]


def _given(function: Callable[..., Any]) -> list[Any]:
    """The values that a function made inside another one took from there."""
    found = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # still empty
            found.append(getattr(cell.cell_contents, "py_func", cell.cell_contents))
    return found


def identity(function: Callable[..., Any]) -> str:
    """Tells functions of the same files apart, and those made by one factory from other parts."""
    parts = [function.__module__, function.__qualname__, function.__code__.co_firstlineno]
    for value in _given(function):
        parts.append(identity(value) if isinstance(value, FunctionType) else _constant(value))
    return repr(parts)


def _constant(value: Any) -> str:
    """A captured value as text; arrays and other objects by all of their content."""
    return hashlib.sha256(pickle.dumps(value)).hexdigest()


def spell_types(signature: Any) -> str | None:
    """The types of a call in full; None if one of them is a function of unknown origin."""
    spelled = [_spell(kind) for kind in getattr(signature, "args", signature)]
    return None if None in spelled else "; ".join(map(str, spelled))


def _spell(kind: Any) -> str | None:
    """A type by all that it depends on, which Numba's name for it may leave out."""
    if isinstance(kind, types.Dispatcher):  # a function as an argument
        function = kind.dispatcher.py_func
        made_of = digest(function)
        return made_of and f"{identity(function)} {made_of}"
    if isinstance(kind, types.BaseNamedTuple):
        home = f"{kind.instance_class.__module__}.{kind.instance_class.__qualname__}"
        parts = zip(kind.fields, kind.types, strict=True)
        return f"{home}({', '.join(f'{name}: {_spell(part)}' for name, part in parts)})"
    return str(kind)
