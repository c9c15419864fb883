"""Which source files the results of a policy depend on, found by reading their imports.

Nothing is imported, so this costs milliseconds and no Numba. The workflow names these files as
inputs of a policy's simulations: an edited policy reruns its own jobs and no others.
"""

import ast
import functools
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def of_policy(policy: str, package: Path = PACKAGE) -> list[Path]:
    """The files that decide what a policy gives: its own, its fast twin's and the engine's."""
    own = [package / folder / f"{policy}.py" for folder in ("policies", "fast")]
    return closure([package / "simulation.py", *(file for file in own if file.exists())], package)


def policies(package: Path = PACKAGE) -> list[str]:
    """The policies there are: the files of the folder policies/."""
    files = (package / "policies").glob("[!_]*.py")
    return sorted(file.stem for file in files)


def parameters(policy: str, package: Path = PACKAGE) -> list[str]:
    """The names of a policy's parameters: the arguments of its `configure`, save the first."""
    tree = _tree(package / "policies" / f"{policy}.py")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "configure":
            return [argument.arg for argument in [*node.args.args[1:], *node.args.kwonlyargs]]
    return []


def closure(files: Iterable[Path], package: Path = PACKAGE) -> list[Path]:
    """The files, and every file of the package that they import, directly or not."""
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imports(file, package)
    return sorted(found)


@functools.cache
def content(file: Path) -> bytes:
    """What is in a file; read once, so that a digest and what was imported go together."""
    return file.read_bytes()


@functools.cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(content(file), filename=str(file))


@functools.cache
def _imports(file: Path, package: Path) -> list[Path]:
    """The files of the package that one file imports; rankone/__init__.py decides no result."""
    modules: list[str] = []
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = _absolute(node, file, package)
            modules += [home, *(f"{home}.{alias.name}" for alias in node.names)]
    found = (_file(module, package) for module in modules)
    return [file for file in found if file and file != package / "__init__.py"]


def _absolute(node: ast.ImportFrom, file: Path, package: Path) -> str:
    """The module named by `from X import`, with the dots of a relative import resolved."""
    if not node.level:
        return node.module or ""
    folder = file.relative_to(package.parent).parts[: -node.level]
    return ".".join([*folder, *filter(None, [node.module])])


def _file(module: str, package: Path) -> Path | None:
    """The file of a module of the package; None for other modules and for names in a module."""
    first, *rest = module.split(".")
    if first != package.name:
        return None
    path = package.joinpath(*rest)
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((candidate for candidate in candidates if candidate.is_file()), None)
