"""Two policies side by side: the difference and the ratio of their mean regrets, with intervals."""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.parameters import is_number, shown
from rankone.runs import Runs
from rankone.stats import intervals
from rankone.stats.intervals import Interval, Mean


class Comparison(NamedTuple):
    """The regret of one policy beside that of another, at a round t."""

    t: int
    one: Mean
    other: Mean
    level: float
    difference: Interval  # of one minus the other
    ratio: Interval  # of one over the other

    @property
    def decided(self) -> bool:
        """Whether the interval of the difference leaves out zero."""
        return not self.difference.low <= 0.0 <= self.difference.high

    def __str__(self) -> str:
        less = "less" if self.difference.value < 0 else "more"
        verdict = f"has {less} regret" if self.decided else "cannot be told apart"
        return (
            f"at t = {self.t:,} the first {verdict}: difference {_text(self.difference)}, "
            f"ratio {_text(self.ratio)}, {100 * self.level:g} % intervals"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = "".join(
            f"<tr><td>{name}</td><td>{interval.value:.4g}</td>"
            f"<td>{interval.low:.4g} to {interval.high:.4g}</td></tr>"
            for name, interval in (("difference", self.difference), ("ratio", self.ratio))
        )
        head = f"<tr><th></th><th>value</th><th>{100 * self.level:g} % interval</th></tr>"
        return f"<p>{str(self).split(':')[0].capitalize()}.</p><table>{head}{rows}</table>"


def compare(one: Runs, other: Runs, *, t: int | None = None, level: float = 0.95) -> Comparison:
    """Compare the mean regret of two sets of runs at round t, by default at the horizon.

    Runs of different policies are independent, whatever their seeds, so the intervals are Welch's;
    that of the ratio is taken on the log scale.

    >>> import rankone
    >>> instance = rankone.rank_one([0.75, 0.25], [0.75, 0.25])
    >>> few = rankone.simulate("uts", instance, 2000, 50)
    >>> many = rankone.simulate("ucb1", instance, 2000, 50)
    >>> rankone.compare(few, many).decided
    True
    """
    if not is_number(level) or not 0 < level < 1:
        raise ValueError(f"level is {shown(level)}; allowed: a number between 0 and 1.")
    for given in (one, other):
        if not isinstance(given, Runs):
            raise ValueError(f"{shown(given)} is compared; allowed: runs that `simulate` returned.")
    places = [runs.origin.instance if runs.origin else None for runs in (one, other)]
    if None not in places and places[0] != places[1]:
        raise ValueError("the runs are of two instances; allowed: runs of one instance.")
    t = int(one.checkpoints[-1]) if t is None else t
    first, second = (_mean(runs.at(t)) for runs in (one, other))
    difference = intervals.of_difference(first, second, level)
    ratio = intervals.of_ratio([first], [second], level)
    return Comparison(t, first, second, level, difference, ratio)


def _mean(regret: np.ndarray) -> Mean:
    spread = float(regret.std(ddof=1)) if len(regret) > 1 else math.nan
    return Mean(float(regret.mean()), spread / math.sqrt(len(regret)), len(regret))


def _text(interval: Interval) -> str:
    return f"{interval.value:.4g} [{interval.low:.4g}, {interval.high:.4g}]"
