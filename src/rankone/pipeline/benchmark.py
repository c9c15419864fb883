"""How long a run takes, fast against plain, and how long a job takes to start.

Times are CPU times of one core. Fast and plain take turns in the same process, so that whatever
else the machine does falls on both; a time is the median over the turns.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from rankone.instances import Instance, rank_one
from rankone.simulation import simulate

SIZE, HORIZON = 4, 3 * 10**5  # the size for all horizons, and the horizon for all sizes
TURNS = 5
LONGEST = 15.0  # seconds: a plain run that would take longer is not played
ENOUGH = 5.0  # seconds of runs, plain or fast, after which there are no more of them


def toy(size: int) -> Instance:
    """The paper's instance: u = v = (0.75, 0.25, ..., 0.25)."""
    line = [0.75] + [0.25] * (size - 1)
    return rank_one(line, line)


def policy_times(
    policy: str, sizes: Sequence[int], horizons: Sequence[int], **parameters: Any
) -> pd.DataFrame:
    """Milliseconds per run of a policy, fast and plain, by horizon and by size."""
    cells = {(SIZE, horizon) for horizon in horizons} | {(size, HORIZON) for size in sizes}
    return pd.DataFrame(
        [cell_times(policy, size, horizon, **parameters) for size, horizon in sorted(cells)]
    )


def cell_times(policy: str, size: int, horizon: int, **parameters: Any) -> dict[str, Any]:
    """One row: both versions on one instance at one horizon; plain is empty where it takes long."""
    instance = toy(size)

    others: list[float] = []

    def play(exact: str, rounds: int, runs: int, seed: int) -> float:
        begin = time.process_time()
        found = simulate(policy, instance, rounds, runs, seed, exact=exact, **parameters)
        used = (time.process_time() - begin) / runs
        others.append(float((found.pulls.sum(axis=1) - found.pulls.max(axis=1)).mean()))
        return used

    for exact in ("fast", "plain"):
        play(exact, 10, 1, 0)  # compiled before the clock starts
    probe = min(horizon, max(2_000, 2 * instance.arms))
    affordable = play("plain", probe, 1, 0) * horizon / probe < LONGEST
    runs = _enough(lambda count: play("fast", horizon, count, 0))
    fast: list[float] = []
    plain: list[float] = []
    for turn in range(1, TURNS + 1):
        if runs * sum(fast) < ENOUGH:
            fast.append(play("fast", horizon, runs, turn))
            events = others[-1]
        if affordable and sum(plain) < ENOUGH:
            plain.append(play("plain", horizon, 1, turn))
    return {
        "policy": policy,
        "size": size,
        "horizon": horizon,
        "fast_ms": 1e3 * statistics.median(fast),
        "plain_ms": 1e3 * statistics.median(plain) if plain else float("nan"),
        "events": events,  # pulls of arms other than the most pulled one, in a run
    }


def _enough(play: Callable[[int], float], seconds: float = 0.2) -> int:
    """How many runs fill a turn; the first one is only a warm-up."""
    if play(1) > seconds:
        return 1
    return max(1, min(1000, int(seconds / max(play(2), 1e-6))))


def paper_cells() -> None:
    """Every simulation of figures 2 to 4: 17 cells of 100 runs, in one process."""
    for gamma in (2, 5, 10, 20, math.inf):
        simulate("uts", toy(4), 3 * 10**5, gamma=gamma)
    for size in (4, 8, 16):
        for policy in ("uts", "osub", "kl_ucb", "rank1elim_kl"):
            simulate(policy, toy(size), 3 * 10**5)


def start_times(snakefile: Path, cores: int) -> pd.DataFrame:
    """Seconds on the clock and of CPU, and memory, of a job and of the paper, cold and warm."""
    job = [sys.executable, "-m", "rankone", "simulate", "uts", "--u", ".75,.25", "--v", ".75,.25"]
    job += ["--horizon", "1000", "--runs", "1"]
    cells = [sys.executable, "-m", "rankone.pipeline.benchmark", "--cells"]
    paper = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--quiet", "all"]
    rows = []
    for name, command in [
        ("one job of UTS", job),
        ("the simulations of figures 2 to 4 in one process", cells),
        (f"snakemake --cores {cores}", [*paper, "--cores", str(cores)]),
    ]:
        with tempfile.TemporaryDirectory() as cache:
            for state in ("cold", "warm"):
                rows.append({"what": name, "cache": state, **_timed(command, cache)})
    return pd.DataFrame(rows)


def _timed(command: Sequence[str], cache: str) -> dict[str, float]:
    """Run a command in an empty folder; what it took, with all processes that it started."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
        begin = time.perf_counter()
        child = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, used = os.wait4(child.pid, 0)
        clock = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        told = errors.read()
    if child.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} failed:\n{told[-2000:]}")
    cpu = used.ru_utime + used.ru_stime
    return {"seconds": clock, "cpu_seconds": cpu, "largest_process_mb": used.ru_maxrss / 1024}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="rankone.pipeline.benchmark", description=__doc__)
    parser.add_argument("--out", type=Path, help="write the times to this .csv")
    parser.add_argument("--policy", help="time the runs of this policy")
    parser.add_argument("--name", help="what to call it")
    parser.add_argument("--sizes", type=int, nargs="+", default=[SIZE])
    parser.add_argument("--horizons", type=int, nargs="+", default=[HORIZON])
    parser.add_argument("--snakefile", type=Path, help="time a job and this workflow instead")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--cells", action="store_true", help="only play figures 2 to 4")
    options = parser.parse_args(arguments)
    if options.cells:
        return paper_cells()
    if options.policy:
        table = policy_times(options.policy, options.sizes, options.horizons)
        table["policy"] = options.name or options.policy
    else:
        table = start_times(options.snakefile, options.cores)
    table.to_csv(options.out, index=False)


if __name__ == "__main__":
    main()
