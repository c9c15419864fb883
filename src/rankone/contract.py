"""Whether a policy keeps its contract: `rankone check ./mine.py`.

A policy is played on small instances, and what any policy must satisfy is looked at: it plays every
round, gives the same runs again, one by one and on several cores, and another seed gives others. A
declared one is tried at random points for what its declaration must satisfy; and its two versions,
plain and fast, are compared in law, with the smallest shift that the test would have seen.
"""

import functools
import inspect
import math
import os
import queue
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import stats

from rankone import loading, simulation
from rankone.instances import Instance, graph, rank_one
from rankone.loading import Policy

INSTANCES = {
    "a matrix of 3 x 2 arms": rank_one([0.8, 0.3, 0.2], [0.9, 0.3]),
    "a line of 5 arms": graph([0.2, 0.4, 0.8, 0.5, 0.1], [(0, 1), (1, 2), (2, 3), (3, 4)]),
}
HORIZON, RUNS = 2000, 6  # of the short games
LAW_HORIZON = 5000
LAW_RUNS = (100, 4000)  # of each version, at least and at most: as many as there is time for
RISK = 1e-4  # the chance that a sound policy fails the comparison of its two versions
POWER = 0.99
SEEDS = (11, 12)  # of the plain and of the fast runs
SECONDS = 10.0  # for the plain runs of a comparison in law
POINTS = 4000  # random points at which a declaration is tried
RESERVED = 4 * 2**30  # bytes that a policy may ask for beyond what is free


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    passed: bool | None  # None: it does not apply
    detail: str = ""

    def __str__(self) -> str:
        mark = {True: "ok  ", False: "FAIL", None: "note"}[self.passed]
        return f"{mark}  {self.what}" + (f": {self.detail}" if self.detail else "")


def check(policy: Policy, **parameters: Any) -> Iterator[Finding]:
    """Look at a policy, one finding after the other; what stops a look is a finding, too."""
    try:
        loaded = loading.load(policy)
    except Exception as error:
        yield Finding("it can be loaded", False, _told(error))
        return
    yield Finding("it can be loaded", True, _kind(loaded))
    places = {label: one for label, one in INSTANCES.items() if not loaded.supports(one)}
    for label in INSTANCES.keys() - places.keys():
        yield Finding(f"it plays on {label}", None, loaded.supports(INSTANCES[label]))
    if not places:
        yield Finding("it plays somewhere", False, "supports() refuses a matrix and a line.")
        return
    for label, instance in places.items():
        yield from _short_games(policy, instance, label, parameters)
    yield from _declaration(loaded.declared, loaded, next(iter(places.values())), parameters)
    if not loaded.leaps:
        yield Finding("it leaps", None, "no: it plays round by round; declare it, and it does.")
        return
    for label, instance in places.items():
        what = f"plain and fast agree in law on {label}"
        yield _guarded(what, functools.partial(_law, what, policy, instance, parameters))


def watch(words: Sequence[str], patience: float, tell: Callable[[str], Any]) -> int:
    """Run `rankone <words>` in a process of its own, hand on its lines, and return its exit code.

    It is ended if it says nothing for so many seconds: code that loops, compiled code above all,
    cannot be stopped from inside its own process.
    """
    command = [sys.executable, "-m", "rankone", *words]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    lines: queue.Queue[str | None] = queue.Queue()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None

        def hand_on(stream: IO[str]) -> None:
            for line in stream:
                lines.put(line.rstrip("\n"))
            lines.put(None)

        threading.Thread(target=hand_on, args=[process.stdout], daemon=True).start()
        try:
            while (line := lines.get(timeout=patience)) is not None:
                tell(line)
        except queue.Empty:
            process.kill()
            told = f"no answer for {patience:g} seconds: it loops, or is very slow."
            tell(str(Finding("it ends", False, told)))
            return 1
        except BaseException:  # Ctrl-C
            process.kill()
            raise
    if process.returncode < 0:
        told = f"Python was ended by signal {-process.returncode}."
        tell(str(Finding("it ends", False, told)))
        return 1
    return process.returncode


def limit_memory() -> None:
    """Ask for no more memory than is free: the error names the policy, the kernel would kill.

    Python and Numba's compiler reserve some without using it, and files that the system keeps in
    memory are not free though they could go.
    """
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES") + RESERVED
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    least = free if most == resource.RLIM_INFINITY else min(free, most)
    resource.setrlimit(resource.RLIMIT_AS, (least, most))


def _kind(loaded: loading.Loaded) -> str:
    sort = "a sketch in plain Python"
    if loaded.compiled:
        sort = "declared" if loaded.declared is not None else "compiled"
    given = ", ".join(
        p.name if p.default is inspect.Parameter.empty else f"{p.name}={p.default}"
        for p in loaded.known
    )
    return f"{loaded.name} is {sort}; parameters: {given or 'none'}."


def _told(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]


def _guarded(what: str, look: Callable[[], Finding | str]) -> Finding:
    """A look that may end in an error of the policy's own."""
    try:
        found = look()
    except Exception as error:
        return Finding(what, False, _told(error))
    return found if isinstance(found, Finding) else Finding(what, not found, found)


def _short_games(
    policy: Policy, instance: Instance, label: str, parameters: dict[str, Any]
) -> Iterator[Finding]:
    def play(runs: int = RUNS, seed: int = 1, **options: Any) -> Any:
        return simulation.simulate(policy, instance, HORIZON, runs, seed, **options, **parameters)

    def complete() -> str:
        found = play()
        if not np.all(found.pulls.sum(axis=1) == HORIZON):
            return f"a run has {found.pulls.sum(axis=1).min():,} pulls in {HORIZON:,} rounds."
        if not np.all(np.isfinite(found.regret)) or np.any(np.diff(found.regret, axis=1) < 0):
            return "its regret falls somewhere, or is not a number."
        return ""

    def same() -> str:
        whole = play()
        ways = {
            "again": play(),
            "on two cores": play(cores=2),
        }
        for way, other in ways.items():
            if not np.array_equal(other.pulls, whole.pulls):
                return (
                    f"played {way}, the same runs come out differently; allowed: state that "
                    "start() makes anew, and chance from rng alone."
                )
        last = play(1, first_run=RUNS - 1)
        if not np.array_equal(last.pulls[0], whole.pulls[-1]):
            return f"run {RUNS - 1} alone differs from run {RUNS - 1} after the others."
        return ""

    def seeds() -> Finding:
        same = np.array_equal(play(RUNS, 1).regret, play(RUNS, 2).regret)
        detail = "no: its choices follow neither chance nor rewards." if same else ""
        return Finding(f"another seed gives other runs on {label}", None if same else True, detail)

    plays = _guarded(f"it plays every round on {label}", complete)
    yield plays
    if not plays.passed:
        return
    yield _guarded(f"its runs can be repeated, one by one and on several cores, on {label}", same)
    yield _guarded(f"another seed gives other runs on {label}", seeds)


def _declaration(
    declared: Any, loaded: loading.Loaded, instance: Instance, parameters: dict[str, Any]
) -> Iterator[Finding]:
    """What a declared index must satisfy, tried at random points."""
    index = getattr(declared, "index", None)
    if index is None:
        return
    values = simulation.resolve(loaded, parameters)
    settings = loaded.configure(instance.problem(10**6), **values)
    for what, look in {
        "its level never falls with t": _level_rises,
        "its index rises with the level": _rises_with_level,
        "its index rises with the wins": _rises_with_wins,
        "its index falls with the pulls at the same mean": _falls_with_pulls,
    }.items():
        yield _guarded(what, lambda look=look: look(declared, settings))  # type: ignore[misc]


def _points(seed: int) -> Iterator[tuple[int, int, float, np.random.Generator]]:
    """Counts and rounds of all sizes: pulls, wins, t."""
    rng = np.random.default_rng(seed)
    for _ in range(POINTS):
        pulls = int(10 ** rng.uniform(0, 6))
        wins = int(rng.binomial(pulls, rng.beta(0.7, 0.7)))
        yield pulls, wins, float(10 ** rng.uniform(math.log10(pulls + 1), 9)), rng


def _slack(value: float) -> float:
    return 1e-9 * (1.0 + abs(value))


def _level_rises(declared: Any, settings: Any) -> str:
    times = np.unique(
        np.concatenate([np.arange(1, 400), np.geomspace(400, 1e12, 2000)]).astype(int)
    )
    levels = [declared.level(int(t), settings) for t in times]
    for (t, low), (later, high) in zip(
        zip(times, levels, strict=True), zip(times[1:], levels[1:], strict=True), strict=False
    ):
        if not high >= low - _slack(low):
            return f"level({t}) = {low:.6g} and level({later}) = {high:.6g}."
    return ""


def _rises_with_level(declared: Any, settings: Any) -> str:
    for pulls, wins, t, rng in _points(1):
        low = declared.level(int(t), settings)
        high = declared.level(int(t * (1 + rng.exponential())) + 1, settings)
        before = declared.index(pulls, wins, low, settings)
        after = declared.index(pulls, wins, high, settings)
        if not after >= before - _slack(before):
            return (
                f"index({pulls}, {wins}, {low:.6g}) = {before:.9g}, but "
                f"index({pulls}, {wins}, {high:.6g}) = {after:.9g}."
            )
    return ""


def _rises_with_wins(declared: Any, settings: Any) -> str:
    """Up to a mean of one half; above that it may fall, as that of UCB-V, but not rise again."""
    for pulls, _, t, rng in _points(2):
        wins = np.sort(rng.integers(0, pulls + 1, 3)).tolist()
        level = declared.level(int(t), settings)
        low, middle, high = (declared.index(pulls, w, level, settings) for w in wins)
        falls = 2 * wins[1] <= pulls and not middle >= low - _slack(low)
        if falls or not middle >= min(low, high) - _slack(middle):
            found = zip(wins, (low, middle, high), strict=True)
            told = ", ".join(f"index({pulls}, {w}) = {value:.9g}" for w, value in found)
            return f"at the level {level:.6g}, {told}."
    return ""


def _falls_with_pulls(declared: Any, settings: Any) -> str:
    for pulls, wins, t, rng in _points(3):
        times = int(rng.integers(2, 6))
        level = declared.level(int(t), settings)
        before = declared.index(pulls, wins, level, settings)
        after = declared.index(times * pulls, times * wins, level, settings)
        if not after <= before + _slack(before):
            return (
                f"at the level {level:.6g}, index({pulls}, {wins}) = {before:.9g}, but "
                f"index({times * pulls}, {times * wins}), the same mean, = {after:.9g}."
            )
    return ""


def _law(what: str, policy: Policy, instance: Instance, parameters: dict[str, Any]) -> Finding:
    """Two-sample tests between plain and fast: regret over time, and pulls of each arm."""

    def play(exact: str, runs: int, seed: int) -> Any:
        return simulation.simulate(
            policy, instance, LAW_HORIZON, runs, seed, exact=exact, **parameters
        )

    play("plain", 1, 9)  # compiled before the clock starts
    begin = time.perf_counter()
    play("plain", 10, 9)
    cost = (time.perf_counter() - begin) / 10
    runs = int(np.clip(SECONDS / max(cost, 1e-9), *LAW_RUNS))
    plain, fast = play("plain", runs, SEEDS[0]), play("fast", runs, SEEDS[1])
    samples = {
        f"regret at t = {t:,}": (plain.at(t), fast.at(t)) for t in (LAW_HORIZON // 50, LAW_HORIZON)
    }
    samples |= {
        f"pulls of arm {k}": (plain.pulls[:, k], fast.pulls[:, k]) for k in range(instance.arms)
    }
    level = RISK / (2 * len(samples))
    for name, (one, two) in samples.items():
        if np.ptp(np.concatenate([one, two])) == 0:
            continue
        for p in (
            stats.ks_2samp(one, two, method="asymp").pvalue,
            stats.ttest_ind(one, two, equal_var=False).pvalue,
        ):
            if p < level:
                detail = f"{name} has the mean {one.mean():.6g} plain and {two.mean():.6g} fast"
                return Finding(what, False, f"{detail} (p = {p:.1e}).")
    final = plain.at(LAW_HORIZON)
    seen = stats.norm.isf(level / 2) + stats.norm.isf(1 - POWER)
    share = seen * final.std(ddof=1) * math.sqrt(2 / runs) / max(final.mean(), 1e-9)
    return Finding(
        what,
        True,
        f"{len(samples)} quantities, {runs:,} runs of {LAW_HORIZON:,} rounds each; a shift of the "
        f"mean regret by {share:.1%} would be seen with probability {POWER:.0%}.",
    )
