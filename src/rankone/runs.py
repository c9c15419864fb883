"""Runs: what a simulation recorded, and the one place where runs are saved, read and joined.

A file of runs carries what it is: the policy with all its parameters, the instance, the seed, the
numbers of its runs and the versions that made it. It is refused where it does not fit.
"""

import contextlib
import html
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import rankone
from rankone import instances
from rankone.engine import intact
from rankone.engine.parameters import file_path, is_number, one_sentence, shown
from rankone.instances import Instance

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ARRAYS = ("checkpoints", "regret", "pulls")
PLACE = "instance_"  # begins the names of the arrays that make the instance


@dataclass(frozen=True)
class Origin:
    """What was played; two batches with the same origin are parts of one experiment."""

    policy: str
    parameters: Mapping[str, Any]  # all of them, the defaults included
    instance: str  # Instance.digest
    seed: int
    exact: str  # "fast" or "plain"
    versions: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, eq=False)
class Runs:
    """What was recorded: one row per run, one column per checkpoint.

    `checkpoints` are the rounds at which the regret was recorded, the last one is the horizon;
    `regret` is the pseudo-regret of each run at each of them, and `pulls` are the pulls of each arm
    at the horizon. `origin` says which policy, parameters, instance and seed they are of.
    """

    checkpoints: np.ndarray  # int64 (C,), the rounds at which regret was recorded
    regret: np.ndarray  # float64 (runs, C), pseudo-regret
    pulls: np.ndarray  # int64 (runs, arms), at the horizon
    origin: Origin | None = None
    first_run: int = 0
    instance: Instance | None = None  # where they were played, if that is known

    def __len__(self) -> int:
        return len(self.regret)

    def at(self, t: int) -> np.ndarray:
        """The regret of each run at a checkpoint."""
        place = int(np.searchsorted(self.checkpoints, t)) if is_number(t) else len(self.checkpoints)
        if place == len(self.checkpoints) or self.checkpoints[place] != t:
            told = f"{t:,}" if isinstance(t, int) and abs(t) < 10**30 else shown(t)
            raise ValueError(f"round {told} was not recorded; allowed: a checkpoint of the runs.")
        return np.asarray(self.regret[:, place])

    def summary(self) -> "pd.DataFrame":
        """Mean, standard error and percentiles of the regret at powers of ten and the horizon.

        >>> import rankone
        >>> instance = rankone.rank_one([0.75, 0.25], [0.75, 0.25])
        >>> table = rankone.simulate("uts", instance, horizon=2000, runs=20).summary()
        >>> table.index.tolist(), table.columns.tolist()
        ([10, 100, 1000, 2000], ['mean', 'se', 'p10', 'p50', 'p90'])
        """
        import pandas as pd

        times = [t for t in self.checkpoints.tolist() if t == 10 ** (len(str(t)) - 1) and t >= 10]
        times = sorted({*times, int(self.checkpoints[-1])})
        regret = np.stack([self.at(t) for t in times])
        count = len(self)
        error = regret.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else np.nan
        low, median, high = np.percentile(regret, [10, 50, 90], axis=1)
        columns = {"mean": regret.mean(axis=1), "se": error, "p10": low, "p50": median, "p90": high}
        return pd.DataFrame(columns, index=pd.Index(times, name="t"))

    def plot(self, **options: Any) -> "Figure":
        """Draw the mean regret over time with its band; see `rankone.plot` for the options.

        >>> import rankone
        >>> instance = rankone.rank_one([0.75, 0.25], [0.75, 0.25])
        >>> runs = rankone.simulate("uts", instance, horizon=2000, runs=20)
        >>> figure = runs.plot(bound=True)
        >>> figure.savefig("first.png")  # or .svg, or .pdf
        """
        return rankone.plot(self, **options)

    def save(self, path: str | Path) -> None:
        """Write the runs to a .npz file, with what they are of; `Runs.load` reads it back."""
        save(self, file_path("path", path))

    @staticmethod
    def load(path: str | Path) -> "Runs":
        """The runs of a file that `save` or `rankone simulate --out` wrote.

        >>> import rankone
        >>> instance = rankone.rank_one([0.75, 0.25], [0.75, 0.25])
        >>> rankone.simulate("uts", instance, horizon=2000, runs=20).save("runs.npz")
        >>> rankone.Runs.load("runs.npz")
        <20 runs of 2,000 rounds, mean regret ...: uts(gamma=2, warm_up=True), seed 1>
        """
        found = load(file_path("path", path))
        return replace(found, instance=_instance(path, found.origin))

    def to_frame(self) -> "pd.DataFrame":
        """One row per run and checkpoint: run, t, regret."""
        import pandas as pd

        count, width = self.regret.shape
        return pd.DataFrame(
            {
                "run": np.repeat(np.arange(self.first_run, self.first_run + count), width),
                "t": np.tile(self.checkpoints, count),
                "regret": self.regret.ravel(),
            }
        )

    def __repr__(self) -> str:
        rounds, mean = int(self.checkpoints[-1]), self.regret[:, -1].mean()
        what = _named(self.origin) if self.origin else "of unknown origin"
        return f"<{len(self):,} runs of {rounds:,} rounds, mean regret {mean:.4g}: {what}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        title = html.escape(repr(self)[1:-1])
        return f"<p>{title}</p>{self.summary().to_html(float_format='{:,.4g}'.format)}"


def save(runs: Runs, path: Path) -> None:
    """Write the runs whole or not at all, so that a job that was cut off leaves no half file."""
    about = {"first_run": runs.first_run, "origin": runs.origin and asdict(runs.origin)}
    arrays = {name: getattr(runs, name) for name in ARRAYS}
    if runs.instance is not None:
        arrays |= {PLACE + name: array for name, array in runs.instance.arrays().items()}
    with intact.whole(path) as file:
        np.savez_compressed(file, about=np.array(json.dumps(about, default=str)), **arrays)


def load(path: str | Path) -> Runs:
    """The runs of one file; each array in it is checked against its checksum."""
    about, arrays = _stored(path, ARRAYS.__contains__)
    with _refused(path):
        origin = Origin(**about["origin"]) if about["origin"] else None
        checkpoints, regret, pulls = (arrays[name] for name in ARRAYS)
        return Runs(checkpoints, regret, pulls, origin, about["first_run"])


def _instance(path: str | Path, origin: Origin | None) -> Instance | None:
    """The instance of a file of runs, unless the file has none or one that is not its own."""
    _, arrays = _stored(path, lambda name: name.startswith(PLACE))
    named = {name.removeprefix(PLACE): array for name, array in arrays.items()}
    with _refused(path):
        found = instances.from_arrays(**named) if named else None
    known = found is not None and origin is not None and found.digest == origin.instance
    return found if known else None


def _first_run(path: str | Path) -> int:
    about, _ = _stored(path, lambda name: False)
    with _refused(path):
        return int(about["first_run"])


def _stored(
    path: str | Path, wanted: Callable[[str], bool]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a file of runs says about itself, and some of its arrays."""
    with _refused(path):
        arrays = intact.arrays(path, lambda name: name == "about" or wanted(name))
        about: dict[str, Any] = json.loads(str(arrays.pop("about")))
        return about, arrays


@contextlib.contextmanager
def _refused(path: str | Path) -> Iterator[None]:
    """A file in which something is damaged or missing is refused."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(
            one_sentence(
                f"{path} is not a whole file of runs; "
                "allowed: one that `rankone simulate --out` wrote."
            )
        ) from None


def join(batches: Sequence[Runs]) -> Runs:
    """Batches of one experiment as one, in the order of their runs: cutting them changes no bit."""
    batches = sorted(batches, key=lambda batch: batch.first_run)
    first = batches[0]
    following = first.first_run
    for batch in batches:
        _check_next(batch, first, following)
        following += len(batch)
    return replace(
        first,
        regret=np.concatenate([batch.regret for batch in batches]),
        pulls=np.concatenate([batch.pulls for batch in batches]),
    )


def read(paths: Iterable[str | Path], **expected: Any) -> Runs:
    """Join files of runs, each of which must be of the expected policy, instance, seed, ...

    `expected` may name any field of Origin; of `parameters` only the given ones are compared.
    """
    return join([_expect(load(path), path, expected) for path in paths])


class Batches:
    """Files of runs of one experiment, as often as one goes through them, one file in memory.

    They come in the order of their runs, with all checks of `read`.
    """

    def __init__(self, paths: Iterable[str | Path], **expected: Any) -> None:
        self._paths = sorted(paths, key=_first_run)
        self._expected = expected
        # A single file is read once.
        self._only = self._load(self._paths[0]) if len(self._paths) == 1 else None

    def __iter__(self) -> Iterator[Runs]:
        first, following = None, 0
        for path in self._paths:
            batch = self._load(path) if self._only is None else self._only
            if first is None:  # without its regrets, which would stay in memory
                none = np.empty((0, 0))
                first, following = replace(batch, regret=none, pulls=none), batch.first_run
            _check_next(batch, first, following)
            following += len(batch)
            yield batch

    def _load(self, path: str | Path) -> Runs:
        return _expect(load(path), path, self._expected)


def _check_next(batch: Runs, first: Runs, following: int) -> None:
    """A batch must be of the same experiment as the first one, and begin where the last ended."""
    if not np.array_equal(batch.checkpoints, first.checkpoints):
        raise ValueError("batches were recorded at different checkpoints; allowed: the same.")
    if batch.origin != first.origin:
        raise ValueError(
            f"batches are of {_text(first.origin)} and of {_text(batch.origin)}; "
            "allowed: one policy, instance and seed."
        )
    if batch.first_run != following:
        raise ValueError(
            f"a batch begins with run {batch.first_run}; allowed: run {following}, so that "
            "none is missing or counted twice."
        )


def _expect(batch: Runs, path: str | Path, expected: Mapping[str, Any]) -> Runs:
    """The batch, if its origin is the expected one."""
    found = asdict(batch.origin) if batch.origin else {}
    for name, wanted in expected.items():
        value = found.get(name)
        if name == "parameters" and isinstance(value, dict):
            value = {key: value.get(key) for key in wanted}
        if _plain(value) != _plain(wanted):
            raise ValueError(
                f"{path} has the {name} {value!r}; allowed here: {wanted!r}. "
                "Delete the file, and it is made again."
            )
    return batch


def _text(origin: Origin | None) -> str:
    if origin is None:
        return "unknown origin"
    return f"{_named(origin)}, instance {origin.instance[:8]}"


def _named(origin: Origin) -> str:
    parameters = ", ".join(f"{key}={value}" for key, value in origin.parameters.items())
    return f"{origin.policy}({parameters}), seed {origin.seed}"


def _plain(value: Any) -> Any:
    """A value as it comes back from JSON, so that 2 and 2.0 or a tuple and a list are the same."""
    return json.loads(json.dumps(value, default=str))
