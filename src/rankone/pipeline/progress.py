"""How far the simulations of a workflow are: cells done, all cells, and the time left.

Snakemake counts jobs, which take from a fraction of a second to minutes; the time left hangs on the
simulations, whose costs are known beforehand up to a factor (`costs`).
"""

import logging
import time
from collections.abc import Callable, Mapping

PAUSE = 10.0  # seconds between two lines, at least
ENOUGH = 0.1  # of all costs, for a guess at the time left


class Cells(logging.Handler):
    """Listens to Snakemake's own messages; says a line when a simulation has ended."""

    def __init__(
        self,
        costs: Mapping[int, float],
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`costs`: what each simulation to come should take, by the number of its job."""
        super().__init__()
        self._waiting = dict(costs)
        self._all, self._cost = len(costs), sum(costs.values())
        self._say, self._clock = say, clock
        self._begin = self._said = clock()

    def emit(self, record: logging.LogRecord) -> None:
        job = getattr(record, "job_id", None)
        if getattr(record, "event", None) != "job_finished" or job not in self._waiting:
            return
        del self._waiting[job]
        now = self._clock()
        if now - self._said >= PAUSE or not self._waiting:
            self._said = now
            self._say(self.line(now - self._begin))

    def line(self, seconds: float) -> str:
        """What to say after so many seconds; a time only where enough is done to tell."""
        left = sum(self._waiting.values())
        done = f"{self._all - len(self._waiting)} of {self._all} cells are simulated"
        if not self._waiting:
            return f"{done}; what follows is made from them."
        if self._cost - left < ENOUGH * self._cost:
            return f"{done}."
        return (
            f"{done}, about {in_words(seconds * left / (self._cost - left))} left for the others."
        )


def in_words(seconds: float) -> str:
    """A time to wait for, as coarse as it is known."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {unit}"
    return f"{max(1, round(seconds))} s"
