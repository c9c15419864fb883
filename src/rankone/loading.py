"""Where policies come from: a name, a file anywhere, a module, a class or an object.

A policy is, in order of effort: a *sketch*, an object with choose(t, rng) -> arm and
update(arm, reward); *compiled*, a module with start, decide and, where needed, observe; or
*declared*, a module with a line `policy = index_policy(...)`, which has a plain and a fast version.
A module may also have configure(problem, ...), whose further arguments are the policy's parameters,
and supports(instance), which says in a sentence why the policy cannot play on an instance. A policy
that plays around its leader, and one whose module says ONE_BEST = True, is refused an instance with
several best arms: what is known of it needs a single one.
"""

import copy
import functools
import importlib
import importlib.util
import inspect
import operator
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from rankone import fast, policies
from rankone.engine import sources
from rankone.engine.compiled import kernel
from rankone.engine.errors import PolicyError, blame
from rankone.engine.games import Kernels
from rankone.engine.parameters import shown
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
    leaps: bool = False  # whether it has a fast version,
    fast: bool = False  # and whether this is it
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
    if not isinstance(exact, str) or exact not in ("fast", "plain"):
        raise ValueError(f"exact is {shown(exact)}; allowed: 'fast' or 'plain'.")
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
            f"policy is {shown(name)}; allowed: {', '.join(names())}, "
            "or the path of a file (./mine.py)."
        )
    module = importlib.import_module(f"{policies.__name__}.{name}")
    twin = importlib.util.find_spec(f"{fast.__name__}.{name}") is not None
    if exact == "fast" and twin:
        module = importlib.import_module(f"{fast.__name__}.{name}")
    found = _of_module(module, name, exact)
    leaps = found.leaps or twin
    return found._replace(leaps=leaps, fast=leaps and exact == "fast")


def _of_module(module: ModuleType, name: str, exact: str) -> Loaded:
    if isinstance(sketch := getattr(module, "Policy", None), type) and hasattr(sketch, "choose"):
        return _sketch(sketch)._replace(name=name, supports=_supports(module, None))
    declared = getattr(module, "policy", None)
    engine = getattr(declared, exact, module)
    missing = [part for part in ("start", "decide") if not hasattr(engine, part)]
    if missing:
        raise ValueError(
            f"{name} has no {' and no '.join(missing)}; allowed: start, decide and observe, a line "
            "`policy = index_policy(...)`, or a class Policy with choose and update."
        )
    configure = _careful(getattr(module, "configure", lambda problem: ()))
    known = _after_problem(configure, f"configure of {name}")
    observe = getattr(engine, "observe", _observe_nothing)
    decide, observe = (_as_kernel(function) for function in (engine.decide, observe))
    leaps = hasattr(declared, "fast")
    return Loaded(
        name,
        configure,
        _supports(module, declared),
        _careful(engine.start),
        decide,
        observe,
        compiled=True,
        known=known,
        declared=declared,
        leaps=leaps,
        fast=leaps and exact == "fast",
        about=inspect.getdoc(module) or "",
    )


def _supports(module: ModuleType, declared: Any) -> Callable[[Instance], str]:
    own = _careful(getattr(module, "supports", lambda instance: ""))
    if not (getattr(declared, "around_leader", False) or getattr(module, "ONE_BEST", False)):
        return own

    def supports(instance: Instance) -> str:
        if len(instance.best_arms) > 1:
            arms = ", ".join(str(arm) for arm in instance.best_arms[:5])
            top = instance.means.max()
            return f"arms {arms} share the best mean {top:g}, and its theory needs one best arm."
        return str(own(instance))

    return supports


def _careful(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a policy's file; a ValueError of it is a refusal, any other error is named."""

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except ValueError:
            raise
        except Exception as error:
            raise blame(error, getattr(function, "__module__", None)) from error

    return call


def _after_problem(function: Callable[..., Any], name: str) -> tuple[inspect.Parameter, ...]:
    """The parameters of a policy: the arguments after the first, which is the problem."""
    try:
        _, *known = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):  # there is no argument, or no signature
        raise ValueError(
            f"{name} takes no argument; allowed: the problem, then the policy's parameters."
        ) from None
    return tuple(known)


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
    played = hasattr(policy, "choose") and hasattr(policy, "update")  # NumPy's arrays can choose
    is_object = played and not isinstance(policy, type)
    if not is_object and not callable(policy):
        raise ValueError(
            f"policy is {shown(policy)}; allowed: a name, a path, a module, or a class or an "
            "object with choose(t, rng) and update(arm, reward)."
        )
    known = () if is_object else _after_problem(policy, shown(policy))

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
        known=known,
        about=inspect.getdoc(policy) or "",
    )


def _start(problem: Problem, make: Callable[[], Any]) -> _Player:
    return _Player(make)


def _choose(state: _Player, t: int, rng: Any) -> int:
    if t == 0:
        state.policy = state.make()
    arm = state.policy.choose(t, rng)
    try:
        return operator.index(arm)
    except TypeError:
        raise PolicyError(
            f"{type(state.policy).__name__}.choose returned {shown(arm)}; "
            "allowed: the number of an arm, from 0."
        ) from None


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
    except (Exception, SystemExit) as error:  # a script may end itself
        raise blame(error, file) from error
    finally:
        sys.path.remove(str(file.parent))
        for new in set(sys.modules) - before - {name}:
            home = getattr(sys.modules[new], "__file__", None)
            if home and Path(home).parent == file.parent:
                _beside.add(new)
    _loaded[file] = (made_of, module)
    return module
