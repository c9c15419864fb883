"""Play runs of a policy: in slices, and on several cores.

A slice is a number of decisions after which compiled code comes back to Python. So an interrupt is
answered within a second, progress can be shown, and a run that was left can be resumed.
"""

import functools
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np

from rankone.engine import errors
from rankone.engine.binomial import new_tables
from rankone.engine.cache import compiling
from rankone.engine.draws import Source
from rankone.engine.loop import OVER, REFUSED, Game, player
from rankone.engine.memory import Pointer, gather
from rankone.instances import Problem

# A slice is chosen to take about this many seconds.
SLICE = 0.1


class Kernels(NamedTuple):
    """What the loop needs of a policy."""

    start: Callable[..., Any]  # start(problem, settings) -> state: plain Python
    decide: Callable[..., Any]  # decide(state, t, rng) -> arm or Commitment
    observe: Callable[..., Any]  # observe(state, arm, rounds, wins)
    compiled: bool = True  # decide and observe are kernels; False: they are any Python


class Session:
    """Runs of a policy in the making."""

    def __init__(
        self,
        kernels: Kernels,
        means: np.ndarray,
        problem: Problem,
        settings: Any,
        checkpoints: np.ndarray,
        starts: np.ndarray,
    ) -> None:
        self._kernels = kernels
        self._source = Source()
        runs, arms = len(starts), len(means)
        made = kernels.start(problem, settings)
        state, block = gather(made, problem) if kernels.compiled else (made, np.zeros(0, np.int64))
        self.game = Game(
            means=means,
            gaps=means.max() - means,
            checkpoints=checkpoints,
            tables=new_tables(),
            fresh=block.copy(),
            state=block,
            seeds=self._source.arranged(starts),
            source=self._source.words,
            halves=self._source.halves,
            position=np.zeros(3, np.int64),
            regret=np.zeros((runs, len(checkpoints))),
            pulls=np.zeros((runs, arms), np.int64),
            refused=np.zeros(2, np.int64),
        )
        self._play = _player(kernels.decide, kernels.observe)
        self._arguments: tuple[Any, Any, Any]
        if kernels.compiled and not numba.config.DISABLE_JIT:
            self._arguments = (Pointer(self.game), Pointer(state), self._source)
        else:
            self._play = getattr(self._play, "py_func", self._play)
            self._arguments = (self.game, state, self._source.generator)

    def advance(self, decisions: int) -> bool:
        """Play on for so many decisions at most; whether all runs are over."""
        game, state, rng = self._arguments
        try:
            result = self._play(game, state, decisions, rng)
        except numba.core.errors.NumbaError as error:
            compiling.end()
            functions = (self._kernels.decide, self._kernels.observe)
            files = [function.__code__.co_filename for function in functions]
            raise errors.explain(error, files) from None
        except Exception as error:  # of the policy's own: the engine raises none
            raise errors.blame(error, self._kernels.decide.__code__.co_filename) from error
        if result == REFUSED:
            arm, rounds = self.game.refused.tolist()
            arms = len(self.game.means)
            raise ValueError(
                f"decide returned arm {arm} for {rounds} rounds; "
                f"allowed: an arm from 0 to {arms - 1} and at least one round."
            )
        return bool(result == OVER)

    @property
    def generator(self) -> np.random.Generator:
        """The generator that the run under way draws from."""
        return self._source.generator

    @property
    def rounds(self) -> int:
        """The rounds played so far in all runs."""
        run, t, _ = self.game.position.tolist()
        return int(run * self.game.checkpoints[-1] + t)

    def snapshot(self) -> dict[str, np.ndarray]:
        """All that a session of the same arguments needs to go on from here."""
        return {name: array.copy() for name, array in self._arrays().items()}

    def resume(self, snapshot: dict[str, np.ndarray]) -> None:
        """Go on from where another session of the same arguments was left."""
        for name, array in self._arrays().items():
            if array.shape != snapshot[name].shape or array.dtype != snapshot[name].dtype:
                raise ValueError(f"{name} in the snapshot is that of another session.")
        for name, array in self._arrays().items():
            array[...] = snapshot[name]

    def _arrays(self) -> dict[str, np.ndarray]:
        game = self.game
        names = ("state", "seeds", "source", "halves", "position", "regret", "pulls")
        return {name: getattr(game, name) for name in names} | game.tables._asdict()


@functools.cache
def _player(decide: Callable[..., Any], observe: Callable[..., Any]) -> Any:
    return player(decide, observe)


def finish(session: Session, tell: Callable[[int], None], stop: Callable[[], bool]) -> None:
    """Play a session to its end, slice by slice; `tell` gets the rounds played in each slice."""
    decisions, told, over = 1, 0, False
    while not over and not stop():
        begin = time.perf_counter()
        over = session.advance(decisions)
        seconds = time.perf_counter() - begin
        decisions = max(1, int(decisions * min(SLICE / max(seconds, 1e-9), 10.0)))
        tell(session.rounds - told)
        told = session.rounds


def play(
    make: Callable[[int, int], Session],
    runs: int,
    cores: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Regret and pulls of all runs, in parts played side by side: make(first, last) starts one.

    The parts and who plays them change nothing in the numbers. `progress` is called with the share
    of the rounds that has been played.
    """
    parts = min(runs, cores if cores == 1 else 4 * cores)
    edges = np.linspace(0, runs, parts + 1).astype(int).tolist()
    crew = Crew(progress)
    sessions = {0: make(edges[0], edges[1])}
    sessions[0].advance(1)  # compiles what all parts need

    def part(number: int) -> None:
        if number not in sessions:
            sessions[number] = make(edges[number], edges[number + 1])
        session = sessions[number]
        total = runs * int(session.game.checkpoints[-1])
        finish(session, lambda rounds: crew.tell(rounds / total), crew.stopped)

    crew.work(part, parts, cores)
    games = [sessions[number].game for number in range(parts)]
    return np.concatenate([g.regret for g in games]), np.concatenate([g.pulls for g in games])


class Crew:
    """Threads that share out numbered parts of the work; compiled code runs without the GIL."""

    def __init__(self, progress: Callable[[float], Any] | None) -> None:
        self._progress = progress
        self._share = 0.0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None

    def stopped(self) -> bool:
        return self._stop.is_set()

    def tell(self, share: float) -> None:
        if self._progress is not None:
            with self._lock:
                self._share += share
                self._progress(min(self._share, 1.0))

    def work(self, part: Callable[[int], None], parts: int, cores: int) -> None:
        """Do parts 0, 1, ... on so many cores; the first error, or Ctrl-C, ends all of it."""
        waiting = iter(range(parts))

        def labour() -> None:
            while not self._stop.is_set():
                with self._lock:
                    number = next(waiting, None)
                if number is None:
                    return
                try:
                    part(number)
                except BaseException as error:
                    self._error = error
                    self._stop.set()

        if cores == 1:
            labour()
        else:
            self._side_by_side(labour, min(cores, parts))
        if self._error is not None:
            raise self._error

    def _side_by_side(self, labour: Callable[[], None], cores: int) -> None:
        threads = [threading.Thread(target=labour, daemon=True) for _ in range(cores)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.1)
        except BaseException:
            self._stop.set()  # each thread ends after its slice
            raise
