"""`rankone.plot`: the regret of one policy or of several over time, for a script or a notebook."""

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rankone.engine.parameters import shown, words
from rankone.instances import Instance
from rankone.runs import Runs
from rankone.show import panels, style
from rankone.stats import bands as bands_of

SIZE = (5.0, 3.2)  # inches
HERE = "here"  # the name of the one instance in the bands


class Plot(Figure):
    """A matplotlib Figure that a notebook shows by itself and that is saved as it was drawn."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write it to a file, as matplotlib does: .png, .svg or .pdf with embedded fonts."""
        if isinstance(fname, str | Path):
            options = {"metadata": style.METADATA.get(Path(fname).suffix)} | options
        with style.applied():
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        target = io.BytesIO()
        self.savefig(target, format="png", dpi=160)
        return target.getvalue()


def plot(
    *runs: Runs,
    bound: bool = False,
    log: bool = True,
    labels: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Figure:
    """Draw the mean regret of each set of runs, with the band from the 10th to the 90th percentile.

    bound=True adds the lower bound c ln t of the instance, whose slope is to be compared, not its
    height. log=False gives a linear time axis. `labels` name the curves; by default the policies
    do, with the parameters in which they differ. `ax` draws into axes of your own.

    >>> import rankone
    >>> instance = rankone.rank_one([0.75, 0.25], [0.75, 0.25])
    >>> uts = rankone.simulate("uts", instance, horizon=2000, runs=20)
    >>> ucb1 = rankone.simulate("ucb1", instance, horizon=2000, runs=20)
    >>> rankone.plot(uts, ucb1, bound=True).savefig("both.pdf")
    """
    for run in runs:
        if not isinstance(run, Runs):
            raise ValueError(f"{shown(run)} is plotted; allowed: runs that `simulate` returned.")
    if not runs:
        raise ValueError("there is nothing to plot; allowed: one set of runs or more.")
    if len({run.origin.instance for run in runs if run.origin}) > 1:
        raise ValueError("the runs are of several instances; allowed: runs of one instance.")
    labels = _labels(runs) if labels is None else _list(labels)
    if len(labels) != len(runs):
        raise ValueError(f"there are {len(labels)} labels; allowed: one for each of {len(runs)}.")
    labels = [words("a label", label) for label in labels]
    title = words("title", title)
    policies = _entries(runs, labels)
    looks = style.looks(policies)
    cells = ((HERE, policy["name"], run) for policy, run in zip(policies, runs, strict=True))
    bands = bands_of.table(cells)
    place = _place(runs) if bound else None
    with style.applied():
        figure, axes = _canvas(ax)
        panels.regret_panel(axes, bands, HERE, policies, looks, log=log)
        axes.set(ylabel=panels.REGRET, title=title)
        lines = [(style.sample(looks[policy["name"]]), policy["label"]) for policy in policies]
        if place is not None:
            slope = {"unimodal": _constant(place)}
            panels.bound_lines(axes, slope, fit=["unimodal"])
            told = f"Lower bound, {slope['unimodal']:.4g} ln t"
            lines.append((style.bound_sample("unimodal"), told))
        axes.legend(*zip(*lines, strict=True), loc="upper left", handlelength=4)
    return figure


def _list(labels: Any) -> list[Any]:
    if isinstance(labels, str) or not np.iterable(labels):
        raise ValueError(f"labels are {shown(labels)}; allowed: a list of words.")
    return list(labels)


def _canvas(ax: Axes | None) -> tuple[Figure, Axes]:
    """New axes in a figure of their own, unless there are some."""
    if ax is not None:
        own = ax.get_figure(root=True)
        if own is None:
            raise ValueError("ax is in no figure; allowed: axes of a figure.")
        return own, ax
    figure = Plot(figsize=SIZE, layout="constrained")
    return figure, figure.subplots()


def _place(runs: Sequence[Runs]) -> Instance:
    """The instance that the runs were played on."""
    for run in runs:
        if run.instance is not None:
            return run.instance
    raise ValueError("the runs do not know their instance; allowed: bound=False, or runs that do.")


def _constant(place: Instance) -> float:
    """The slope of the lower bound for policies that know the graph."""
    if not math.isfinite(constant := place.lower_bound.unimodal):
        raise ValueError("the lower bound of the instance is not known; allowed: bound=False.")
    return constant


def _labels(runs: Sequence[Runs]) -> list[str]:
    """The policies' names, with the parameters in which runs of the same policy differ."""
    found = []
    for position, run in enumerate(runs):
        if run.origin is None:
            found.append(f"runs {position + 1}")
            continue
        same = [o.origin for o in runs if o.origin and o.origin.policy == run.origin.policy]
        differing = [
            f"{key} = {value}"
            for key, value in run.origin.parameters.items()
            if any(other.parameters.get(key) != value for other in same)
        ]
        found.append(", ".join([run.origin.policy, *differing]))
    return found


def _entries(runs: Sequence[Runs], labels: Sequence[str]) -> list[dict[str, str]]:
    """A name for each curve, which decides its look, and its label.

    The first curve of a policy has the policy's own look; the names of the others are new.
    """
    entries: list[dict[str, str]] = []
    for position, (run, label) in enumerate(zip(runs, labels, strict=True)):
        name = run.origin.policy if run.origin else ""
        if not name or any(entry["name"] == name for entry in entries):
            name = f"{name} {position}"
        entries.append({"name": name, "label": label})
    return entries
