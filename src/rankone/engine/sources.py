"""Which source files the results of a policy depend on, found by reading their imports.

Nothing is imported, so this costs milliseconds and no Numba. The workflow names these files as
inputs of a policy's simulations: an edited policy reruns its own jobs and no others. Compiled code
is kept under a digest of such files.
"""

import ast
import functools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankone.engine.parameters import shown

PACKAGE = Path(__file__).parents[1]


def is_path(policy: str | Path) -> bool:
    """Whether a policy is given by the path of its file, not by its name."""
    return (
        isinstance(policy, Path)
        or policy.endswith(".py")
        or any(separator and separator in policy for separator in (os.sep, os.altsep))
    )


def policy_file(policy: str | Path, package: Path = PACKAGE) -> Path:
    """The file of a policy, which is given by its name or by a path."""
    if not is_path(policy):
        return package / "policies" / f"{policy}.py"
    file = Path(policy).expanduser().resolve()
    if not file.is_file():
        raise ValueError(
            f"policy is {shown(str(policy))}; allowed: a file, and there is none at {file}."
        )
    if not file.stem.isidentifier():
        raise ValueError(
            f"policy is {shown(str(policy))}; "
            "allowed: a file name of letters, digits and underscores."
        )
    return file


def of_policy(policy: str | Path, package: Path = PACKAGE) -> list[Path]:
    """The files that decide what a policy gives: its own, its fast version's and the engine's."""
    own = [policy_file(policy, package)]
    if not is_path(policy):
        own.append(package / "fast" / f"{policy}.py")
    return closure([package / "simulation.py", *(file for file in own if file.exists())], package)


def policies(package: Path = PACKAGE) -> list[str]:
    """The policies of the package: the files of the folder policies/."""
    files = (package / "policies").glob("[!_]*.py")
    return sorted(file.stem for file in files)


def parameters(policy: str | Path, package: Path = PACKAGE) -> list[str]:
    """The names of a policy's parameters: the arguments of its `configure`, save the first.

    Of a sketch, a class `Policy`: the arguments of its __init__, save itself and the problem.
    """
    body = _tree(policy_file(policy, package)).body
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == "configure":
            return _arguments(node)[1:]
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == "Policy":
            makers = (part for part in node.body if isinstance(part, ast.FunctionDef))
            return next((_arguments(part)[2:] for part in makers if part.name == "__init__"), [])
    return []


def _arguments(node: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]]


def closure(files: Iterable[Path], package: Path = PACKAGE) -> list[Path]:
    """The files, and every file that they import, directly or not.

    Files of the package count, and those in the same folder as a file outside it.
    """
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imports(file, package)
    return sorted(found)


def content(file: Path) -> bytes:
    """What is in a file; read again only when the file has changed."""
    status = file.stat()
    return _read(file, status.st_mtime_ns, status.st_size)


@functools.cache
def _read(file: Path, changed: int, size: int) -> bytes:
    return file.read_bytes()


def _tree(file: Path) -> ast.Module:
    return _parse(content(file), str(file))


@functools.cache
def _parse(text: bytes, name: str) -> ast.Module:
    try:
        return ast.parse(text, filename=name)
    except (SyntaxError, ValueError) as error:  # ValueError: null bytes, in some versions of Python
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        told = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ValueError(
            f"{Path(name).name}{line}, failed with {type(error).__name__}: {told}; allowed: Python."
        ) from None


def _imports(file: Path, package: Path) -> list[Path]:
    return _imported(file, content(file), package)


@functools.cache
def _imported(file: Path, text: bytes, package: Path) -> list[Path]:
    """The files that one file imports; rankone/__init__.py decides no result."""
    modules: list[str] = []
    for node in _quickly(text) or _statements(_parse(text, str(file))):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = _absolute(node, file, package)
            modules += [home, *(f"{home}.{alias.name}" for alias in node.names)]
    found = (_file(module, file, package) for module in modules)
    return [file for file in found if file and file != package / "__init__.py"]


# A line that begins like an import, up to the bracket that closes a list over several lines.
IMPORT = re.compile(rb"^[ \t]*(?:>>> )?((?:from|import)\b[^\n(#]*(?:\([^)]*\))?)", re.MULTILINE)
WORD = re.compile(rb"\bimport(?=[\s(*\\])")


def _quickly(text: bytes) -> list[ast.AST]:
    """The imports of a file without the rest of it, which takes a tenth of a second less for all.

    Empty where that might miss one: the word stands somewhere else, too, or is not understood. A
    line of a docstring that reads like an import is taken for one: a file too many is no harm.
    """
    lines = [line for line in IMPORT.findall(text) if WORD.search(line)]
    if b"\\\n" in text or sum(len(WORD.findall(line)) for line in lines) < len(WORD.findall(text)):
        return []
    try:
        return [node for line in lines for node in ast.parse(line).body]
    except SyntaxError:
        return []


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Every statement of a file, at any depth; `ast.walk` would visit all expressions, too."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, ())


def _absolute(node: ast.ImportFrom, file: Path, package: Path) -> str:
    """The module named by `from X import`, with the dots of a relative import resolved."""
    if not node.level or not file.is_relative_to(package.parent):
        return node.module or ""
    folder = file.relative_to(package.parent).parts[: -node.level]
    return ".".join([*folder, *filter(None, [node.module])])


def _file(module: str, importer: Path, package: Path) -> Path | None:
    """The file of a module of the package, or beside a file outside; None for all others."""
    first, *rest = module.split(".")
    if first == package.name:
        path = package.joinpath(*rest)
    elif first and not importer.is_relative_to(package):
        path = importer.parent.joinpath(first, *rest)
    else:
        return None
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((candidate for candidate in candidates if candidate.is_file()), None)
