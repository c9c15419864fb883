"""Play a policy on an instance, many runs: the package's main function."""

import importlib
import importlib.util
import inspect
import math
import pkgutil
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from rankone import fast, policies
from rankone.engine import seeds
from rankone.engine.binomial import new_tables
from rankone.engine.parameters import is_number
from rankone.instances import Instance


class Runs(NamedTuple):
    """What was recorded: C checkpoints, one row a run."""

    checkpoints: np.ndarray  # int64 (C,), the rounds at which regret was recorded
    regret: np.ndarray  # float64 (runs, C), pseudo-regret
    pulls: np.ndarray  # int64 (runs, arms), at the horizon


def simulate(
    policy: str,
    instance: Instance,
    horizon: int,
    runs: int = 100,
    seed: int = 1,
    *,
    first_run: int = 0,
    checkpoints: Sequence[int] | np.ndarray | None = None,
    exact: str = "fast",
    **parameters: Any,
) -> Runs:
    """Play `runs` independent runs of a policy and record its pseudo-regret.

    Run i depends on the seed, the instance, the policy with its parameters, and i: a batch with
    first_run=i gives the same numbers as the whole. exact="plain" plays round by round as the paper
    writes it, exact="fast" commits to many rounds at once and is equal in law.
    """
    grid = _checkpoints(_whole("horizon", horizon, 1), checkpoints)
    runs = _whole("runs", runs, 1)
    first_run = _whole("first_run", first_run, 0)
    seed = _whole("seed", seed, 0)
    module = load(policy, exact)
    problem = instance.problem(int(grid[-1]))
    if reason := getattr(module, "supports", lambda instance: "")(instance):
        raise ValueError(f"{policy} cannot play on this instance: {reason}")
    values = resolve(policy, parameters)
    settings = module.configure(problem, **values)
    entropy = seeds.stream(seed, instance, spell(policy, values))
    regret = np.empty((runs, len(grid)))
    pulls = np.empty((runs, instance.arms), dtype=np.int64)
    rng = seeds.generator(entropy, first_run)
    for i in range(runs):
        seeds.restart(rng, entropy, first_run + i)
        state = module.start(problem, settings)
        regret[i], pulls[i] = module.run(state, new_dice(), instance.means, grid, rng)
    return Runs(grid, regret, pulls)


def names() -> list[str]:
    """The policies there are: the files of the folder policies/."""
    found = (module.name for module in pkgutil.iter_modules(policies.__path__))
    return sorted(name for name in found if not name.startswith("_"))


def load(policy: str, exact: str = "plain") -> ModuleType:
    """The module that plays a policy: its fast twin where it has one and that is wanted."""
    if policy not in names():
        raise ValueError(f"policy is {policy!r}; allowed: {', '.join(names())}.")
    if exact not in ("fast", "plain"):
        raise ValueError(f"exact is {exact!r}; allowed: 'fast' or 'plain'.")
    if exact == "fast" and importlib.util.find_spec(f"{fast.__name__}.{policy}"):
        return importlib.import_module(f"{fast.__name__}.{policy}")
    return importlib.import_module(f"{policies.__name__}.{policy}")


def resolve(policy: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """All parameters of a policy, the given ones and the defaults of the others."""
    _, *known = inspect.signature(load(policy).configure).parameters.values()
    for name, value in parameters.items():
        if name not in {parameter.name for parameter in known}:
            allowed = ", ".join(parameter.name for parameter in known) or "none"
            raise ValueError(
                f"{policy} has no parameter {name!r} (given as {value!r}); allowed: {allowed}."
            )
    return {p.name: parameters.get(p.name, p.default) for p in known}


def spell(policy: str, values: dict[str, Any]) -> str:
    """The policy and its parameters as one canonical string: uts(gamma=2, warm_up=True)."""

    def plain(value: Any) -> Any:
        whole = is_number(value) and math.isfinite(value) and value == int(value)
        return int(value) if whole else value

    return f"{policy}({', '.join(f'{k}={plain(v)}' for k, v in sorted(values.items()))})"


def default_checkpoints(horizon: int) -> np.ndarray:
    """Rounds that look smooth on a log and on a linear axis: 20 a decade, and 100 in even steps."""
    decades = math.ceil(math.log10(horizon)) + 1
    log = 10.0 ** (np.arange(20 * decades) / 20)
    round_numbers = np.outer(10.0 ** np.arange(decades), [1, 2, 5])
    even = np.arange(1, 101) / 100 * horizon
    grid = np.unique(np.concatenate([log, round_numbers.ravel(), even]).astype(np.int64))
    return grid[(grid >= 1) & (grid <= horizon)]


def _checkpoints(horizon: int, checkpoints: Sequence[int] | np.ndarray | None) -> np.ndarray:
    if checkpoints is None:
        return default_checkpoints(horizon)
    grid = np.asarray(checkpoints, dtype=np.int64)
    increasing = grid.ndim == 1 and len(grid) and grid[0] >= 1 and np.all(np.diff(grid) > 0)
    if not increasing or grid[-1] > horizon or np.any(grid != np.asarray(checkpoints)):
        raise ValueError(
            f"checkpoints are {list(checkpoints)!r}; "
            f"allowed: increasing rounds from 1 to the horizon {horizon}."
        )
    return grid if grid[-1] == horizon else np.append(grid, horizon)


def _whole(name: str, value: Any, least: int) -> int:
    """A whole number that fits 64 bits; 3e5 is one, however it is written."""
    # nan and inf fail too
    if not is_number(value) or not least <= value < 2**63 or int(value) != value:
        raise ValueError(f"{name} is {value!r}; allowed: a whole number of at least {least}.")
    return int(value)
