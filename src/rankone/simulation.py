"""Play a policy on an instance, many runs: the package's main function."""

import functools
import hashlib
import inspect
import itertools
import math
import platform
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import rankone
from rankone import progress as progress_of
from rankone.engine import games, keeping, seeds, sources
from rankone.engine.games import Kernels, Session
from rankone.engine.parameters import as_python, file_path, is_number, require_memory, shown
from rankone.fast import single_arm
from rankone.instances import Instance
from rankone.loading import Loaded, Policy, load, names
from rankone.runs import Origin, Runs

__all__ = [
    "LARGEST_HORIZON",
    "default_checkpoints",
    "load",
    "names",
    "one_run",
    "prepare",
    "resolve",
    "simulate",
]

# Rounds, pulls and lines of guard are exact in doubles up to 2^53, with some bits to spare for the
# few operations between them; beyond it pulls would not add up to the horizon.
LARGEST_HORIZON = 10**15


def simulate(
    policy: Policy,
    instance: Instance,
    horizon: int,
    runs: int = 100,
    seed: int = 1,
    *,
    first_run: int = 0,
    checkpoints: Sequence[int] | np.ndarray | None = None,
    exact: str = "fast",
    cores: int = 1,
    progress: bool | progress_of.Tell | None = None,
    keep: str | Path | None = None,
    **parameters: Any,
) -> Runs:
    """Play `runs` independent runs of a policy and record its pseudo-regret.

    The policy is a name ("uts"), the path of a file ("./mine.py"), a module, or a class or an
    object with choose(t, rng) and update(arm, reward). Run i depends on the seed, the instance, the
    policy's name with its parameters, and i: a batch with first_run=i gives the same numbers as the
    whole, and so does any number of cores. exact="plain" plays round by round as the paper writes
    it, exact="fast" commits to many rounds at once and is equal in law.

    What takes more than a second shows how far it is, on a terminal, in a notebook, or as lines in
    a log; progress=False shows nothing, and a function progress(share) is called several times a
    second instead. In the file `keep` a long simulation on one core notes from time to time where
    it is: the same call goes on from there if it was ended.

    >>> import rankone
    >>> instance = rankone.rank_one(u=[0.75, 0.25, 0.25], v=[0.6, 0.3])
    >>> runs = rankone.simulate("uts", instance, horizon=10_000, runs=20, gamma=2)
    >>> runs.regret.shape == (20, len(runs.checkpoints))
    True
    """
    grid = _checkpoints(_horizon(horizon), checkpoints)
    runs = _whole("runs", runs, 1)
    first_run = _whole("first_run", first_run, 0)
    seed = _whole("seed", seed, 0)
    cores = _whole("cores", cores, 1)
    noted = None if keep is None else file_path("keep", keep)
    values, _ = prepare(policy, instance, int(grid[-1]), **parameters)
    require_memory(
        f"recording {runs:,} runs of {instance.arms:,} arms at {len(grid):,} rounds",
        runs * (len(grid) + instance.arms + 4),
    )
    loaded = load(policy, exact)
    entropy = seeds.stream(seed, instance, spell(loaded.name, values))
    starts = seeds.starts(entropy, first_run, runs)
    origin = Origin(loaded.name, values, instance.digest, seed, exact, versions())
    with progress_of.shown(progress, loaded.name, first=_new(loaded)) as tell:
        if noted is not None and cores == 1 and loaded.compiled:
            made = session(loaded, instance, grid, starts, values)
            identity = f"{origin} {first_run} {grid.tolist()} {_code(policy)}"
            regret, pulls = keeping.play(made, noted, identity, tell)
        else:
            regret, pulls = play(loaded, instance, grid, starts, values, cores, tell)
    return Runs(grid, regret, pulls, origin, first_run, instance)


_PLAYED: set[Kernels] = set()


def _new(loaded: Loaded) -> bool:
    """Whether this process plays a compiled policy for the first time."""
    new = loaded.compiled and loaded.kernels not in _PLAYED
    _PLAYED.add(loaded.kernels)
    return new


def prepare(
    policy: Policy, instance: Instance, horizon: int, **parameters: Any
) -> tuple[dict[str, Any], Any]:
    """All parameters of a policy, and its settings on an instance; a ValueError if it cannot play.

    Nothing is compiled: the workflow asks this for every cell before any job starts.
    """
    if not isinstance(instance, Instance):
        raise ValueError(
            f"instance is {shown(instance)}; allowed: what rank_one or graph, for example, return."
        )
    horizon = _horizon(horizon)
    loaded = load(policy)
    if reason := loaded.supports(instance):
        raise ValueError(f"{loaded.name} cannot play on this instance: {reason}")
    values = resolve(loaded, parameters)
    return values, loaded.configure(instance.problem(horizon), **values)


def _code(policy: Policy) -> str:
    """A digest of the code that decides what a policy gives; a module or an object has none."""
    if not isinstance(policy, str | Path):
        return ""
    digest = hashlib.sha256()
    for file in sources.of_policy(policy):
        digest.update(sources.content(file))
    return digest.hexdigest()


@functools.cache
def versions() -> dict[str, str]:
    """What made a result: this package, Python, and the libraries that decide its bits."""
    packages = {name: metadata.version(name) for name in ("numba", "numpy")}
    return {"rankone": rankone.__version__, "python": platform.python_version(), **packages}


def play(
    loaded: Loaded,
    instance: Instance,
    checkpoints: np.ndarray,
    starts: np.ndarray,
    parameters: dict[str, Any],
    cores: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Regret and pulls of runs whose generators start from given states (seeds.starts)."""

    def make(first: int, last: int) -> Session:
        return session(loaded, instance, checkpoints, starts[first:last], parameters)

    workers = cores if loaded.compiled else 1  # plain Python runs on one core, whatever the threads
    return games.play(make, len(starts), workers, progress)


def session(
    loaded: Loaded,
    instance: Instance,
    checkpoints: np.ndarray,
    starts: np.ndarray,
    parameters: dict[str, Any],
) -> Session:
    """The same runs to be played in slices: they can be left and resumed."""
    problem = instance.problem(int(checkpoints[-1]))
    settings = loaded.configure(problem, **parameters)
    kernels = loaded.kernels
    if loaded.fast and instance.arms == 1:
        kernels.start(problem, settings)  # it may refuse
        kernels = single_arm.KERNELS
    return Session(kernels, instance.means, problem, settings, checkpoints, starts)


def one_run(
    policy: Policy | Loaded,
    instance: Instance,
    checkpoints: np.ndarray,
    rng: np.random.Generator,
    **parameters: Any,
) -> tuple[np.ndarray, np.ndarray]:
    """Regret and pulls of a single run that draws from a given PCG64 generator."""
    loaded = policy if isinstance(policy, Loaded) else load(policy)
    bits = rng.bit_generator
    state = bits.state["state"]
    words = [word for key in ("state", "inc") for word in divmod(state[key], 2**64)]
    made = session(
        loaded,
        instance,
        np.asarray(checkpoints),
        np.array([words], dtype=np.uint64),
        resolve(loaded, parameters),
    )
    while not made.advance(10**6):
        pass
    bits.state = made.generator.bit_generator.state
    return made.game.regret[0], made.game.pulls[0]


def resolve(policy: Policy | Loaded, parameters: dict[str, Any]) -> dict[str, Any]:
    """All parameters of a policy, the given ones and the defaults of the others."""
    policy = policy if isinstance(policy, Loaded) else load(policy)
    known = {parameter.name: parameter.default for parameter in policy.known}
    for name, value in parameters.items():
        if name not in known:
            raise ValueError(
                f"{policy.name} has no parameter {name!r} (given as {shown(value)}); "
                f"allowed: {', '.join(known) or 'none'}."
            )
    for name, default in known.items():
        if default is inspect.Parameter.empty and name not in parameters:
            raise ValueError(f"{policy.name} needs the parameter {name!r}, which has no default.")
    return {**known, **parameters}


def spell(policy: str, values: dict[str, Any]) -> str:
    """The policy and its parameters as one canonical string: uts(gamma=2, warm_up=True)."""

    def plain(value: Any) -> Any:
        whole = is_number(value) and math.isfinite(value) and value == int(value)
        return int(value) if whole else value

    return f"{policy}({', '.join(f'{k}={plain(v)}' for k, v in sorted(values.items()))})"


# Preferred numbers, the series R"20 of ISO 3: steps of about 12 %, two digits each.
ROUND = (10, 11, 12, 14, 16, 18, 20, 22, 25, 28, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90)


def default_checkpoints(horizon: int) -> np.ndarray:
    """Round numbers that look smooth on a log and on a linear axis.

    20 in each decade, and up to 100 in even steps; the last one is the horizon.

    >>> default_checkpoints(130).tolist()[-8:]
    [116, 118, 120, 122, 124, 126, 128, 130]
    """
    scales = [10**power for power in range(len(str(horizon)))]
    log = sorted({number * scale // 10 for number in ROUND for scale in scales})
    step = next(number for number in log if 100 * number >= horizon)
    grid = {*log, *range(step, horizon, step), horizon}
    return np.array(sorted(t for t in grid if t <= horizon), dtype=np.int64)


def _checkpoints(horizon: int, checkpoints: Sequence[int] | np.ndarray | None) -> np.ndarray:
    if checkpoints is None:
        return default_checkpoints(horizon)
    given = [as_python(t) for t in (checkpoints if np.iterable(checkpoints) else [checkpoints])]
    sound = given and all(is_number(t) and 1 <= t <= horizon and t == int(t) for t in given)
    if not sound or any(a >= b for a, b in itertools.pairwise(given)):
        raise ValueError(
            f"checkpoints are {shown(given)}; "
            f"allowed: increasing rounds from 1 to the horizon {horizon}."
        )
    grid = np.array(given, dtype=np.int64)
    return grid if grid[-1] == horizon else np.append(grid, horizon)


def _horizon(value: Any) -> int:
    """A horizon at which every count is exact."""
    value = as_python(value)
    if is_number(value) and LARGEST_HORIZON < value < math.inf:
        raise ValueError(
            f"horizon is {shown(value)}; allowed: at most {LARGEST_HORIZON} (10^15), the largest "
            "at which every count is exact."
        )
    return _whole("horizon", value, 1)


def _whole(name: str, value: Any, least: int) -> int:
    """A whole number that fits 64 bits; 3e5 is one, however it is written."""
    value = as_python(value)  # nan and inf fail, too
    if not is_number(value) or not least <= value < 2**63 or int(value) != value:
        raise ValueError(f"{name} is {shown(value)}; allowed: a whole number of at least {least}.")
    return int(value)
