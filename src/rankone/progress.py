"""How far a simulation is: a bar on a terminal and in a notebook, lines in a log.

Nothing is shown of what takes less than a second, and nothing at all with progress=False.
"""

import contextlib
import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

Tell = Callable[[float], Any]  # tell(share of the rounds that has been played)

PATIENCE = 1.0  # seconds before anything is shown
WIDTH = 30  # characters of the bar


class Display(Protocol):
    """Where progress is shown."""

    first: float  # seconds before the first share is shown
    every: float  # seconds between two

    def show(self, text: str, share: float | None) -> None:
        """Show a text, and a bar if there is a share to show."""

    def clear(self) -> None:
        """Take away what was shown."""


class Terminal:
    """One line that is written again and again."""

    first, every = PATIENCE, 0.1

    def __init__(self) -> None:
        self._shown = ""

    def show(self, text: str, share: float | None) -> None:
        if share is not None:
            done = int(WIDTH * share)
            text = f"{text} [{'#' * done}{'-' * (WIDTH - done)}]"
        sys.stderr.write(f"\r{text.ljust(len(self._shown))}")
        sys.stderr.flush()
        self._shown = text

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write(f"\r{' ' * len(self._shown)}\r")
            sys.stderr.flush()


class Notebook:
    """An output of the cell that goes when the simulation is over."""

    first, every = PATIENCE, 0.5

    def __init__(self) -> None:
        # Whoever has a notebook has IPython; this package does not ask for it.
        self._ipython: Any = importlib.import_module("IPython.display")
        self._handle: Any = None

    def show(self, text: str, share: float | None) -> None:
        bar = "" if share is None else f'<progress value="{share:.4f}"></progress> '
        content = self._ipython.HTML(f"{bar}{text}")
        if self._handle is None:
            self._handle = self._ipython.display(content, display_id=True)
        else:
            self._handle.update(content)

    def clear(self) -> None:
        if self._handle is not None:
            self._handle.update(self._ipython.HTML(""))


class Log:
    """A line from time to time, for a file or a pipe."""

    first, every = 10.0, 60.0

    def show(self, text: str, share: float | None) -> None:
        print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Lines stay."""


def display() -> Display:
    """What fits where the program runs."""
    shell = sys.modules.get("IPython")
    shell = shell.get_ipython() if shell else None
    if shell is not None and hasattr(shell, "kernel"):
        return Notebook()
    return Terminal() if sys.stderr is not None and sys.stderr.isatty() else Log()


class Meter:
    """Turns shares into what a display shows, with the time that is left."""

    def __init__(self, name: str, display: Display) -> None:
        self._name, self._display = name, display
        self._origin: tuple[float, float] | None = None  # the first report: a time and a share
        self._next = 0.0
        self._lock = threading.Lock()

    def compiling(self) -> None:
        """Say that the policy is being compiled, unless it has begun to play."""
        with self._lock:
            if self._origin is None:
                self._display.show(f"Compiling {self._name}, once ...", None)

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        with self._lock:
            if self._origin is None:
                self._origin, self._next = (now, share), now + self._display.first
            begin, done = self._origin
            if now >= self._next and share > done:
                left = (now - begin) * (1 - share) / (share - done)
                text = f"{self._name}: {100 * share:3.0f} %, {spell(left)} left"
                self._display.show(text, share)
                self._next = now + self._display.every

    def close(self) -> None:
        with self._lock:
            self._origin = self._origin or (0.0, 1.0)  # nothing is compiled any more
            self._display.clear()


@contextlib.contextmanager
def shown(progress: bool | Tell | None, name: str, first: bool) -> Iterator[Tell | None]:
    """What a simulation reports to: a function of the caller's, a display, or nothing (False).

    With `first`, the policy may have to be compiled: where no report comes for a second, it is.
    """
    if callable(progress) or progress is False:
        yield progress or None
        return
    meter = Meter(name, display())
    timer = threading.Timer(PATIENCE, meter.compiling)
    timer.daemon = True
    if first:
        timer.start()
    try:
        yield meter
    finally:
        timer.cancel()
        meter.close()


def spell(seconds: float) -> str:
    """A time as 45 s, 3 min 20 s or 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
