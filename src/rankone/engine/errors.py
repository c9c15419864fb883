"""What goes wrong in a policy's own code, as one sentence about the line to change."""

import linecache
import re
import traceback
from collections.abc import Iterable
from pathlib import Path

import numba

# Numba tells the whole way from the innermost failure outwards; each step names a place like this.
PLACE = re.compile(r"at (\S[^\n]*?\.\w+) \((\d+)\)|File \"([^\"\n]+)\", line (\d+)")

# The first pattern that is found in what Numba says decides about the hint.
HINTS = (
    (
        r"Only accept returning of array|NRT required|_nrt|np_array|build_list|build_map|build_set"
        r"|built-in function (empty|zeros|ones|full)",
        "a kernel makes no arrays, lists or dicts; make them in `start` and keep them in the state",
    ),
    (
        r"numpy\.random|method random|Module\(<module 'random'|np\.random",
        "draw from the generator that is handed in, for example rng.random() or rng.beta(a, b)",
    ),
    (
        r"Unknown attribute '(?P<name>\w+)' of type (?P<type>\w+)_[0-9a-f]{12}",
        "{type} has no field {name!r}, or one that is no number, array or NamedTuple",
    ),
    (
        r"Unknown attribute '(?P<name>\w+)' of type Stream",
        "a random generator in compiled code has no method {name!r}",
    ),
    (
        r"Untyped global name '(?P<name>\w+)'|global name '(?P<other>\w+)' is not defined",
        "{name!r} is nothing that a kernel can use; a function needs @kernel, and a value that "
        "changes belongs into the state",
    ),
    (
        r"[Cc]annot unify (?P<one>[^\n]+?) and (?P<two>[^\n]+?) for '(?P<name>[\w.]+)'",
        "'{name}' has several types ({one} and {two}): give it one, for example 0.0 and not 0",
    ),
    (r"Can't unify return type|return type", "all returns must have the same type"),
    (
        r"CONTEXT_EXPR|SETUP_WITH|try.*except|Use of unsupported|unsupported opcode|not supported",
        "Numba does not know this statement; write it with loops, numbers and arrays",
    ),
)


LONGEST = 300  # characters of another program's error in a sentence


class KernelError(ValueError):
    """A kernel cannot be compiled; `details` is all that Numba says."""

    def __init__(self, sentence: str, details: str) -> None:
        super().__init__(sentence)
        self.details = details


class PolicyError(ValueError):
    """A policy's own code failed; the error itself is the cause of this one."""


def blame(error: BaseException, file: str | Path | None = None) -> PolicyError:
    """An error in a policy's code with the file, the line and the function that it came from.

    The policy's code is the first on the way to the error that is not of this package; compiled
    code leaves no such traces, so that `file` is all there is to name.
    """
    if isinstance(error, PolicyError):
        return error
    frames = traceback.extract_tb(error.__traceback__)
    own = next((f.filename for f in frames if not _of_package(f.filename)), str(file))
    where = "the policy" if file is None or _of_package(own) else Path(own).name
    for frame in frames:
        if frame.filename == own:
            where = f"{Path(frame.filename).name}, line {frame.lineno}, in {frame.name}"
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{Path(error.filename).name}, line {error.lineno}"
    told = " ".join(str(error).split())
    what = type(error).__name__ + (f": {told}" if told else "")
    return PolicyError(f"{where}, failed with {what[:LONGEST].rstrip('.')}; allowed: no errors.")


def _of_package(file: str) -> bool:
    return Path(file).is_relative_to(Path(__file__).parents[1]) or file.startswith("<frozen")


def explain(error: numba.core.errors.NumbaError, files: Iterable[str]) -> KernelError:
    """The error in the words of the policy's author, whose files these are."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba may colour its messages
    place = _place(error, text, [Path(file) for file in files])
    where = ""
    if place is not None:
        file, line = place
        source = linecache.getline(str(file), line).strip()
        where = f"{file.name}, line {line}, cannot be compiled ({source}): "
    return KernelError(f"{where}{_hint(text)}.", text)


def _place(error: Exception, text: str, files: list[Path]) -> tuple[Path, int] | None:
    """The innermost place in the policy's own files, or else the innermost outside of Numba."""
    found = []
    for match in PLACE.finditer(text):
        name, line = (match[1], match[2]) if match[1] else (match[3], match[4])
        found.append((Path(name).resolve(), int(line)))
    location = getattr(error, "loc", None)
    if location is not None and location.line:
        found.append((Path(location.filename).resolve(), int(location.line)))
    numba_home = Path(numba.__file__).parent
    own = [place for place in found if place[0] in files]
    others = [place for place in found if not place[0].is_relative_to(numba_home)]
    return next(iter([*own, *others]), None)


def _hint(text: str) -> str:
    for pattern, hint in HINTS:
        if match := re.search(pattern, text):
            given = {key: value for key, value in match.groupdict().items() if value}
            if "other" in given:
                given["name"] = given.pop("other")
            return hint.format(**given)
    lines = [line.strip() for line in text.splitlines()]
    said = (line for line in lines if line and not line.startswith(("Failed in", "During", "File")))
    return next(said, "Numba gives no reason").rstrip(".")
