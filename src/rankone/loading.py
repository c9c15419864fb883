"""Where policies come from: a name, a file anywhere, a module, a class or an object.

A policy is, in order of effort: a *sketch*, an object with choose(t, rng) -> arm and
update(arm, reward); *compiled*, a module with start, decide and, where needed, observe; or
*declared*, a module with a line `policy = index_policy(...)`, which has a plain and a fast version.
A module may also have configure(problem, ...), whose further arguments are the policy's parameters,
and supports(instance), which says in a sentence why the policy cannot play on an instance.
"""

import copy
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from rankone import fast, policies
from rankone.engine import sources
from rankone.engine.compiled import kernel
from rankone.engine.games import Kernels
from rankone.instances import Instance, Problem

Policy = str | Path | ModuleType | type | Callable[..., Any] | object


class Loaded(NamedTuple):
    """A policy ready to play."""

    name: str  # decides the seeds, with the parameters
    configure: Callable[..., Any]  # configure(problem, **parameters) -> settings
    supports: Callable[[Instance], str]
    start: Callable[..., Any]
    decide: Callable[..., Any]
    observe: Callable[..., Any]
    compiled: bool  # False: plain Python, a sketch
    known: tuple[inspect.Parameter, ...]  # the parameters
    declared: Any = None  # what index_policy or beta_sampling made, if the policy is declared
    leaps: bool = False  # whether it has a fast version
    about: str = ""  # what the policy's file, or class, says of itself

    @property
    def kernels(self) -> Kernels:
        return Kernels(self.start, self.decide, self.observe, self.compiled)


def names() -> list[str]:
    """The policies of the package: the files of the folder policies/."""
    found = (module.name for module in pkgutil.iter_modules(policies.__path__))
    return sorted(name for name in found if not name.startswith("_"))


def load(policy: Policy, exact: str = "plain") -> Loaded:
    """A policy, given in any of the ways there are, in its plain or in its fast version."""
    if exact not in ("fast", "plain"):
        raise ValueError(f"exact is {exact!r}; allowed: 'fast' or 'plain'.")
    if isinstance(policy, str) and not sources.is_path(policy):
        return _of_package(policy, exact)
    if isinstance(policy, str | Path):
        file = sources.policy_file(policy)
        return _of_module(_module_of_file(file), file.stem, exact)
    if isinstance(policy, ModuleType):
        return _of_module(policy, policy.__name__.rpartition(".")[2], exact)
    return _sketch(policy)


def _of_package(name: str, exact: str) -> Loaded:
    if name not in names():
        raise ValueError(
            f"policy is {name!r}; allowed: {', '.join(names())}, or the path of a file (./mine.py)."
        )
    module = importlib.import_module(f"{policies.__name__}.{name}")
    twin = importlib.util.find_spec(f"{fast.__name__}.{name}") is not None
    if exact == "fast" and twin:
        module = importlib.import_module(f"{fast.__name__}.{name}")
    found = _of_module(module, name, exact)
    return found._replace(leaps=found.leaps or twin)


def _of_module(module: ModuleType, name: str, exact: str) -> Loaded:
    if isinstance(sketch := getattr(module, "Policy", None), type) and hasattr(sketch, "choose"):
        return _sketch(sketch)._replace(name=name, supports=_supports(module))
    declared = getattr(module, "policy", None)
    engine = getattr(declared, exact, module)
    missing = [part for part in ("start", "decide") if not hasattr(engine, part)]
    if missing:
        raise ValueError(
            f"{name} has no {' and no '.join(missing)}; allowed: start, decide and observe, a line "
            "`policy = index_policy(...)`, or a class Policy with choose and update."
        )
    configure = getattr(module, "configure", lambda problem: ())
    _, *known = inspect.signature(configure).parameters.values()
    observe = getattr(engine, "observe", _observe_nothing)
    decide, observe = (_as_kernel(function) for function in (engine.decide, observe))
    return Loaded(
        name,
        configure,
        _supports(module),
        engine.start,
        decide,
        observe,
        compiled=True,
        known=tuple(known),
        declared=declared,
        leaps=hasattr(declared, "fast"),
        about=inspect.getdoc(module) or "",
    )


def _supports(module: ModuleType) -> Callable[[Instance], str]:
    return getattr(module, "supports", lambda instance: "")


def _as_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Functions of a policy's file need no decorator of their own."""
    return function if hasattr(function, "compiled") else kernel(function)


@kernel
def _observe_nothing(state: Any, arm: int, rounds: int, wins: int) -> None:
    pass


class _Player:
    """Holds the sketch of the run under way."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make
        self.policy: Any = None


def _sketch(policy: Any) -> Loaded:
    """A class or a factory, called as policy(problem, **parameters); or an object, copied."""
    is_object = hasattr(policy, "choose") and not isinstance(policy, type)
    if not is_object and not callable(policy):
        raise ValueError(
            f"policy is {policy!r}; allowed: a name, a path, a module, or a class or an object "
            "with choose(t, rng) and update(arm, reward)."
        )
    known: list[inspect.Parameter] = []
    if not is_object:
        _, *known = inspect.signature(policy).parameters.values()

    def configure(problem: Problem, **parameters: Any) -> Callable[[], Any]:
        if is_object:
            return lambda: copy.deepcopy(policy)
        return lambda: policy(problem, **parameters)

    name = getattr(policy, "__name__", type(policy).__name__)
    return Loaded(
        name,
        configure,
        lambda instance: "",
        _start,
        _choose,
        _update,
        compiled=False,
        known=tuple(known),
        about=inspect.getdoc(policy) or "",
    )


def _start(problem: Problem, make: Callable[[], Any]) -> _Player:
    return _Player(make)


def _choose(state: _Player, t: int, rng: Any) -> int:
    if t == 0:
        state.policy = state.make()
    arm: int = state.policy.choose(t, rng)
    return arm


def _update(state: _Player, arm: int, rounds: int, wins: int) -> None:
    state.policy.update(arm, wins)


_loaded: dict[Path, tuple[Any, ModuleType]] = {}  # files: what they were made of, and the module
_beside: set[str] = set()  # modules that files have imported from their own folders


def _module_of_file(file: Path) -> ModuleType:
    """The module of a file; executed anew when it, or what it imports beside it, is edited."""
    made_of = [(path, sources.content(path)) for path in sources.closure([file])]
    if file in _loaded and _loaded[file][0] == made_of:
        return _loaded[file][1]
    for (
        name
    ) in _beside:  # another folder's module of the same name must not be taken for this one's
        sys.modules.pop(name, None)
    _beside.clear()
    # a name that is the same wherever the file lies: Numba looks it up when it loads compiled code
    name = f"rankone_policy_{file.stem}"
    module = ModuleType(name)
    module.__file__ = str(file)
    before = set(sys.modules)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    importlib.invalidate_caches()
    try:
        exec(compile(sources.content(file), str(file), "exec"), module.__dict__)
    finally:
        sys.path.remove(str(file.parent))
        for new in set(sys.modules) - before - {name}:
            home = getattr(sys.modules[new], "__file__", None)
            if home and Path(home).parent == file.parent:
                _beside.add(new)
    _loaded[file] = (made_of, module)
    return module
