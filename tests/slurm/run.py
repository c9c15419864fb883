"""`make test-slurm`: the smoke workflow on a real Slurm with two nodes, with kills in between.

1. The workflow runs on this machine alone, as the reference.
2. It runs through sbatch on a cold cache of compiled code; at random moments a node (its slurmd and
   all that runs there), a job, or Snakemake itself is killed, and the same command is given again.
3. Every result must be the same to the byte as in the reference; what Snakemake had recorded as
   finished before a kill must not have been made again; no job may have asked for more than a node.
4. A part of it runs through cluster-generic, and mistakes of a user must end in one sentence.
"""

import argparse
import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from base64 import urlsafe_b64decode
from collections import Counter
from pathlib import Path

import cluster
from cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]
# Asked more often than on a real cluster, where the controller serves many users.
OFTEN = ["--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2"]
# They hold times, so they differ from run to run.
TIMED = {"logs", "benchmarks", "compiled"}


class Failure(Exception):
    """What went wrong, in one sentence."""


def say(text: str) -> None:
    print(f"[{time.monotonic() - START:4.0f} s] {text}", flush=True)


START = time.monotonic()


class Workflow:
    """One folder of results, and the Snakemake that is at work there."""

    def __init__(self, folder: Path, cluster: Cluster, words: list[str], target: str) -> None:
        self.folder, self.cluster = folder, cluster
        self.command = ["snakemake", "-s", str(ROOT / "Snakefile"), "--directory", str(folder)]
        self.command += [*words, "--", target]
        self.log = folder.parent / f"{folder.name}.log"
        self.environment = {**cluster.environment, "NUMBA_CACHE_DIR": str(folder / "cache")}
        self.process: subprocess.Popen | None = None
        folder.mkdir()

    def start(self) -> None:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def interrupt(self) -> None:
        """Ctrl-C: Snakemake cancels its jobs."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """kill -9: nobody tidies up, and Slurm's jobs go on. Then what the docs say is done."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        time.sleep(RANDOM.uniform(0, 5))
        for job in self.cluster.jobs("pending,running"):
            self.cluster.run("scancel", job["id"], check=False)
        self.cluster.wait_for(
            lambda: not self.cluster.jobs("pending,running,completing"), "the jobs to be gone"
        )
        place = ["-s", str(ROOT / "Snakefile"), "--directory", str(self.folder)]
        subprocess.run(
            ["snakemake", *place, "--unlock"], env=self.environment, capture_output=True, check=True
        )

    def tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-60:])

    def finished(self) -> dict[str, int]:
        """What Snakemake has recorded as finished: each file, and when it was written."""
        notes = self.folder / ".snakemake"
        unfinished = {note.name for note in (notes / "incomplete").glob("*")}
        found = {}
        for note in (notes / "metadata").glob("*"):
            name = urlsafe_b64decode(note.name.removeprefix("@")).decode(errors="replace")
            file = self.folder / name
            if note.name not in unfinished and name.startswith("results/") and file.exists():
                found[name] = file.stat().st_mtime_ns
        return found


RANDOM = random.Random()


def reference(folder: Path) -> None:
    """The workflow on this machine alone."""
    folder.mkdir()
    words = ["-s", str(ROOT / "Snakefile"), "--directory", str(folder), "--cores", "all", "smoke"]
    done = subprocess.run(["snakemake", *words], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"the workflow fails without Slurm, too:\n{done.stderr[-3000:]}")


def results(folder: Path) -> list[str]:
    """The results that can be compared, by their names."""
    files = (file.relative_to(folder) for file in (folder / "results").rglob("*") if file.is_file())
    return sorted(str(file) for file in files if TIMED.isdisjoint(file.parts))


def compare(here: Path, there: Path, names: list[str]) -> None:
    """Every result must be the same to the byte."""
    _, different, lacking = filecmp.cmpfiles(here, there, names, shallow=False)
    if different or lacking:
        raise Failure(f"different: {different}; missing: {lacking}.")
    say(f"{len(names)} results are the same to the byte")


def survive(work: Workflow, kills: list[str]) -> None:
    """Run to the end, with kills at random moments; the same command is given after each."""
    planned, done, asked = list(kills), Counter(), {}
    finished: dict[str, int] = {}
    again = 0
    work.start()
    while True:
        end = time.monotonic() + RANDOM.uniform(4, 16)
        while work.running() and (time.monotonic() < end or not planned):
            time.sleep(0.5)
            asked |= {job["id"]: job["cpus"] for job in work.cluster.jobs("pending,running")}
        if not work.running():
            if work.process.returncode == 0:
                break
            again += 1
            if again > len(kills) + 1:
                raise Failure(f"Snakemake failed again and again:\n{work.tail()}")
            say("Snakemake gave up; the same command again")
            work.start()
            continue
        finished |= work.finished()
        if strike(work, planned[0]):
            done[planned.pop(0)] += 1
    if any(cpus != "1" for cpus in asked.values()):
        raise Failure(f"some job asked for more CPUs than a node has: {asked}.")
    after = {name: (work.folder / name).stat().st_mtime_ns for name in finished}
    twice = [name for name, when in finished.items() if after[name] != when]
    say(
        f"{len(asked)} Slurm jobs; killed: {dict(done) or 'nothing'}, not reached: {len(planned)}; "
        f"{len(finished)} files were finished before a kill, {len(twice)} of them made twice"
    )
    if twice:
        raise Failure(f"finished before a kill, and made again: {twice}.")
    if planned:
        raise Failure(f"the workflow ended before these kills: {planned}.")


def strike(work: Workflow, what: str) -> bool:
    """Kill something; False if there is no such thing at this moment."""
    running = work.cluster.jobs("running")
    if what in ("job", "node") and not running:
        return False
    if what == "job":
        victim = RANDOM.choice(running)
        work.cluster.kill_job(victim["id"])
        say(f"killed job {victim['id']}")
    elif what == "node":
        node = RANDOM.choice(running)["node"]
        work.cluster.kill_node(node)
        say(f"killed the slurmd of {node} and all that ran there")
        time.sleep(RANDOM.uniform(1, 5))
        work.cluster.start(node)
    elif what == "interrupt":
        work.interrupt()
        say("interrupted Snakemake (Ctrl-C)")
        work.start()
    else:
        work.kill()
        say("killed Snakemake (kill -9), cancelled its jobs, unlocked")
        work.start()
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="how many kills at random moments")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--required", action="store_true", help="a skipped test is a failure")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the test")
    options = parser.parse_args()
    if reason := cluster.missing():
        print(f"SKIPPED the test on a real Slurm: {reason}.", file=sys.stderr)
        return int(options.required)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    RANDOM.seed(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="rankone-slurm-"))
    folder.chmod(0o755)
    try:
        with Cluster(folder / "cluster") as little:
            play(folder, little, options)
    except Failure as failure:
        print(f"FAILED (--seed {options.seed}): {failure}", file=sys.stderr)
        return 1
    finally:
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    say("all of it passed")
    return 0


def play(folder: Path, little: Cluster, options: argparse.Namespace) -> None:
    say(f"two nodes of one core are up; --seed {options.seed}")
    reference(folder / "local")
    names = results(folder / "local")
    say("the smoke workflow ran without Slurm")
    sorts = ["node", "job", "snakemake", "interrupt"]
    kills = [sorts[number % len(sorts)] for number in range(options.kills)]
    RANDOM.shuffle(kills)
    profile = ["--workflow-profile", str(ROOT / "profiles/slurm"), *OFTEN]
    work = Workflow(folder / "slurm", little, profile, "smoke")
    try:
        survive(work, kills)
    except Failure:
        print(work.tail(), file=sys.stderr)
        raise
    compare(folder / "local", folder / "slurm", names)


if __name__ == "__main__":
    sys.exit(main())
