"""What runs take beside what the workflow asks Slurm for: the figures of pipeline/costs.py anew.

    python tests/slurm/costs.py [policy ...]       some minutes for all of them

A row is one policy at one place: microseconds of CPU of a run with compiled code, what the model
says, and the pace at which the model would be right (for PACE; `plain` where playing round by round
is what the model takes). One core. Nothing is asserted: machines differ.
"""

import math
import sys
import time

import rankone
from rankone.engine import sources
from rankone.loading import load
from rankone.pipeline import costs

# The first value of both vectors, their other values, the size, the horizon; 0.25 is the paper's.
PLACES = [
    (0.75, 0.25, 4, 10**5),
    (0.75, 0.25, 4, 10**7),
    (0.75, 0.25, 16, 10**6),
    (0.75, 0.65, 8, 10**6),
]
ENOUGH = 0.5  # seconds of CPU of one measurement, at least
MOST = 20_000  # runs of it


def cpu(policy: str, instance: rankone.Instance, horizon: int) -> float:
    """Seconds of CPU of one run."""
    rankone.simulate(policy, instance, 1000, 1, seed=0, progress=False)  # compiled first
    runs = 1
    while True:
        begin = time.process_time()
        rankone.simulate(policy, instance, horizon, runs, seed=1, progress=False)
        used = time.process_time() - begin
        if used > ENOUGH or runs == MOST:
            return used / runs
        runs = min(MOST, runs * max(2, math.ceil(1.2 * ENOUGH / max(used, 0.01))))


def main(policies: list[str]) -> None:
    print(f"{'policy':20} {'arms':>5} {'gap':>6} {'T':>9} {'μs':>10} {'model':>10} {'pace':>7}")
    for policy in policies:
        for first, rest, size, horizon in PLACES:
            vector = [first] + [rest] * (size - 1)
            instance, gap = rankone.rank_one(vector, vector), first * (first - rest)
            if load(policy).supports(instance):
                continue
            job = costs.Job(policy, instance.arms, gap, horizon, checkpoints=200, runs=1)
            used, model = cpu(policy, instance, horizon), job.seconds() - costs.START
            paces = (1e6 * used - costs.FIRST * instance.arms) / job.unit()
            told = [f"{policy:20} {instance.arms:5} {gap:6.3f} {horizon:9.0e}"]
            told.append(f"{1e6 * used:10.0f} {1e6 * model:10.0f} {paces:7.2f}")
            print(*told, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or sorted(sources.policies()))
