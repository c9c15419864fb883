"""`make test-slurm`: the smoke workflow on a real Slurm with two nodes, with kills in between.

1. The workflow runs on this machine alone, as the reference.
2. It runs through sbatch on a cold cache of compiled code; at random moments a node (its slurmd and
   all that runs there), a job, or Snakemake itself is killed, and the same command is given again.
3. Every result must be the same to the byte as in the reference; what Snakemake had taken as
   made before a kill must not have been made again; no job may have asked for more than a node.
4. A part of it runs through cluster-generic, and mistakes of a user must end in one sentence.

Instead of all that:
--million   10^6 runs of UTS (million.yaml) in jobs of 10^5, with the bands of one process;
--campaign  another campaign without kills, compared with tests/expected where that has it, else
            with a local run or with --against FOLDER.
"""

import argparse
import contextlib
import csv
import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import cluster
from cluster import PATIENCE, Cluster
from watched_snakemake import TOLD

from rankone.pipeline.campaigns import Campaigns

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = ROOT / "tests/expected"
SLURM = ["--workflow-profile", str(ROOT / "profiles/slurm")]
GENERIC = ["--workflow-profile", str(ROOT / "profiles/cluster-generic")]
# The command of a user, and one that asks Slurm more often and notes what it has finished.
SNAKEMAKE = ["snakemake"]
WATCHED = [sys.executable, str(Path(__file__).with_name("watched_snakemake.py"))]
# They hold times, so they differ from run to run.
TIMED = {"logs", "benchmarks", "compiled"}


class Failure(Exception):
    """What went wrong, in one sentence."""


def say(text: str) -> None:
    """With the time, and the load of the machine, without which a time says little."""
    print(f"[{time.monotonic() - START:4.0f} s, load {os.getloadavg()[0]:.1f}] {text}", flush=True)


START = time.monotonic()


class Workflow:
    """One folder of results, and the Snakemake that is at work there."""

    def __init__(
        self,
        folder: Path,
        cluster: Cluster,
        words: list[str],
        *targets: str,
        snakemake: list[str] = SNAKEMAKE,
    ) -> None:
        self.folder, self.cluster = folder, cluster
        self.command = [*snakemake, "-s", str(ROOT / "Snakefile"), "--directory", str(folder)]
        self.command += [*words, "--", *targets]
        self.log = folder.parent / f"{folder.name}.log"
        # cold at first, and shared by all that runs on the nodes
        cache = str(folder.parent / "cache")
        self.environment = {**cluster.environment, "NUMBA_CACHE_DIR": cache}
        self.process: subprocess.Popen | None = None
        self.seen, self.changed = 0, time.monotonic()
        folder.mkdir()

    def start(self) -> None:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )

    def finish(self) -> None:
        """Run to the end without any kill."""
        self.start()
        while self.running():
            self.expect_progress()
            time.sleep(1)
        if self.process.returncode:
            raise Failure(f"Snakemake failed:\n{self.evidence()}")

    def expect_progress(self) -> None:
        """A Failure if nothing has been written for very long: neither a result nor a log."""
        places = [self.folder / "results", self.folder / ".snakemake"]
        written = [file for place in places for file in place.rglob("*")]
        now = hash((self.log.stat().st_size, *((str(file), _size(file)) for file in written)))
        if now != self.seen:
            self.seen, self.changed = now, time.monotonic()
        elif time.monotonic() > self.changed + 2 * PATIENCE:
            told = f"nothing was written for {2 * PATIENCE:.0f} s"
            raise Failure(f"{told}.\n{self.evidence()}")

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def interrupt(self) -> None:
        """Ctrl-C: Snakemake cancels its jobs."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure(f"Ctrl-C did not end Snakemake.\n{self.evidence()}") from None

    def kill(self) -> None:
        """kill -9: nobody tidies up, and Slurm's jobs go on for a while."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        time.sleep(RANDOM.uniform(0, 5))
        self.recover()

    def recover(self) -> None:
        """What docs/cluster.md says after a crash: cancel the jobs that still run, and unlock."""
        for job in self.cluster.jobs("pending,running"):
            self.cluster.run("scancel", job["id"], check=False)
        self.cluster.wait_for(
            lambda: not self.cluster.jobs("pending,running,completing"), "the jobs to be gone"
        )
        place = ["-s", str(ROOT / "Snakefile"), "--directory", str(self.folder)]
        subprocess.run(
            ["snakemake", *place, "--unlock"], env=self.environment, capture_output=True, check=True
        )

    def evidence(self) -> str:
        """The last lines of Snakemake's log, of those of its last Slurm jobs, and of Slurm's."""
        jobs = sorted((self.folder / ".snakemake").glob("*_logs/**/*.log"), key=_time)
        told = [f"--- {file}\n{_tail(file)}" for file in [*jobs[-3:], self.log]]
        return "\n".join([*told, self.cluster.logs()])

    def finished(self) -> dict[str, int]:
        """What Snakemake has taken as made: each file, and when it was written.

        That is a whole group at once. What its jobs made before is made again if the group fails,
        since it is sent as a whole.
        """
        told = self.folder / TOLD
        names = told.read_text().split() if told.exists() else []
        return {name: self.written(name) for name in names}

    def written(self, name: str) -> int:
        """When a file was written; 0 if it is not there."""
        file = self.folder / name
        return file.stat().st_mtime_ns if file.exists() else 0


def _tail(file: Path) -> str:
    return "\n".join(file.read_text(errors="replace").splitlines()[-60:])


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else -1


def _time(file: Path) -> float:
    return file.stat().st_mtime if file.exists() else 0.0


RANDOM = random.Random()


def reference(folder: Path, little: Cluster, words: list[str], target: str) -> Path:
    """The workflow on this machine alone, with the compiled code that there may be already."""
    work = Workflow(folder, little, ["--cores", "all", *words], target)
    work.environment = little.environment
    work.finish()
    say(f"{target} ran without Slurm")
    return folder


def results(folder: Path, campaign: str) -> list[str]:
    """The results that can be compared, by their names."""
    made = (folder / "results" / campaign).rglob("*")
    files = (file.relative_to(folder) for file in made if file.is_file())
    return sorted(str(file) for file in files if TIMED.isdisjoint(file.parts))


def compare(here: Path, there: Path, names: list[str]) -> None:
    """Every result must be the same to the byte."""
    _, different, lacking = filecmp.cmpfiles(here, there, names, shallow=False)
    if different or lacking or not names:
        raise Failure(f"different: {different}; missing: {lacking}.")
    say(f"{len(names)} results are the same to the byte")


class Witness:
    """Looks at the workflow from outside: what was finished, what was written more than once."""

    def __init__(self, work: Workflow, names: list[str]) -> None:
        self.work, self.names = work, names
        self.asked: dict[str, tuple[str, str]] = {}  # CPUs and memory of each Slurm job
        self.finished: dict[str, int] = {}  # before a kill
        self.written: dict[str, set[int]] = {name: set() for name in names}  # number on the disk

    def look(self) -> float:
        """Take notes, and tell which part of all results is there."""
        jobs = self.work.cluster.jobs("pending,running")
        self.asked |= {job["id"]: (job["cpus"], job["memory"]) for job in jobs}
        there = 0
        for name, files in self.written.items():
            with contextlib.suppress(FileNotFoundError):
                files.add((self.work.folder / name).stat().st_ino)
                there += 1
        return there / len(self.names)

    def before_a_kill(self) -> None:
        # what was noted before an earlier kill stays as it was noted
        self.finished = self.work.finished() | self.finished

    def judge(self, killed: Counter) -> None:
        self.look()
        kept = self.finished.items()
        twice = [name for name, when in kept if not when or self.work.written(name) != when]
        lost = [name for name in self.names if not self.written[name]]
        # a file of runs appears in one step, so that another one has another number on the disk
        runs = [name for name in self.names if name.endswith(".npz")]
        again = sum(len(self.written[name]) > 1 for name in runs)
        say(
            f"tried: {dict(killed) or 'no kill'}; survived: all, in {len(self.asked)} Slurm jobs; "
            f"lost: {len(lost)} of {len(self.names)} results; finished before a kill: "
            f"{len(self.finished)} files, made twice of these: {len(twice)}; at least {again} of "
            f"{len(runs)} files of runs were made twice, since their group was killed"
        )
        if twice or lost:
            raise Failure(f"made twice though finished: {twice}; lost: {lost}.")
        if killed and not self.finished:
            raise Failure("nothing was finished before the kills, so they prove nothing.")
        say(f"CPUs and memory that they asked for: {sorted({*self.asked.values()})}")
        if any(cpus != "1" for cpus, _ in self.asked.values()):
            raise Failure(f"some job asked for more CPUs than a node has: {self.asked}.")


def survive(work: Workflow, names: list[str], kills: list[str]) -> None:
    """Run to the end; a kill comes soon after a random part of the results is there, and after
    each end of Snakemake the same command is given again."""
    # one in each part of the way, so that some always come after something was finished; below 0:
    # while it compiles
    moments = [-0.2 + (place + RANDOM.random()) / len(kills) for place in range(len(kills))]
    witness, killed, restarts = Witness(work, names), Counter(), 0
    work.start()
    for part, what in [*zip(moments, kills, strict=True), (2, "")]:
        end = None
        while True:
            there = witness.look()
            work.expect_progress()
            if not work.running():
                if work.process.returncode == 0:
                    break
                restarts += 1
                if restarts > len(kills) + 1:
                    raise Failure(f"Snakemake failed again and again.\n{work.evidence()}")
                say(f"Snakemake ended with {work.process.returncode}; the same command again")
                if work.process.returncode < 0:  # by a signal that did not come from here
                    work.recover()
                work.start()
            elif there >= part and end is None:
                end = time.monotonic() + RANDOM.uniform(1, 5)
            elif end is not None and time.monotonic() > end:
                witness.before_a_kill()
                if strike(work, what):
                    killed[what] += 1
                    break
            time.sleep(0.5)
    if len(kills) > killed.total():  # on a fast machine the last one can come too late
        say(f"the workflow ended after {killed.total()} of {len(kills)} kills")
    if kills and not killed:
        raise Failure("the workflow ended before the first kill.")
    witness.judge(killed)


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
        work.cluster.wait_until_noticed(node)
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=4, help="how many kills at random moments")
    parser.add_argument("--million", action="store_true", help="the study of 10^6 runs instead")
    parser.add_argument("--campaign", help="this campaign without kills instead")
    parser.add_argument("--configfile", type=Path, help="where it is, if not in config/")
    parser.add_argument("--against", type=Path, help="a folder with its results, made before")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--required", action="store_true", help="a skipped test is a failure")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the test")
    options = parser.parse_args()
    if reason := cluster.missing():
        print(f"SKIPPED the test on a real Slurm: {reason}.", file=sys.stderr)
        return int(options.required)
    # where this was started in the background Ctrl-C is ignored, by Snakemake as well
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    RANDOM.seed(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="rankone-slurm-"))
    folder.chmod(0o755)
    try:
        if not (options.million or options.campaign):
            full_queue(folder)
        with Cluster(folder / "cluster") as little:
            say(f"two nodes of one core are up; --seed {options.seed}")
            if options.million:
                million(folder, little)
            elif options.campaign:
                whole(folder, little, options)
            else:
                smoke(folder, little, options)
    except (Failure, RuntimeError) as failure:
        print(f"FAILED (--seed {options.seed}): {failure}", file=sys.stderr)
        return 1
    finally:
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    say("all of it passed")
    return 0


def smoke(folder: Path, little: Cluster, options: argparse.Namespace) -> None:
    """The whole test of the smoke workflow, with kills."""
    sentences(folder, little)
    local = options.against or reference(folder / "local", little, [], "smoke")
    names = results(local, "smoke")
    sorts = ["node", "job", "snakemake", "interrupt"]
    kills = [sorts[number % len(sorts)] for number in range(options.kills)]  # of each in turn
    RANDOM.shuffle(kills)
    work = Workflow(folder / "slurm", little, SLURM, "smoke", snakemake=WATCHED)
    survive(work, names, kills)
    compare(local, work.folder, names)
    part = "results/smoke/bands/gamma.csv"
    often = ["--seconds-between-status-checks", "2"]
    generic = Workflow(folder / "generic", little, [*GENERIC, *often], part)
    generic.finish()
    runs = [name for name in names if name.startswith("results/smoke/runs/gamma/")]
    say("a study ran through cluster-generic")
    compare(local, generic.folder, [part, *runs])


def whole(folder: Path, little: Cluster, options: argparse.Namespace) -> None:
    """A campaign as a user runs it, compared with what is committed or made on one machine."""
    name, words, targets = options.campaign, [], [options.campaign]
    if options.configfile:
        words = ["--configfile", str(options.configfile.resolve())]
    expected = (EXPECTED / name).is_dir() and options.against is None
    if expected:
        targets += [f"results/{name}/{table}.csv" for table in ("pulls", "plain")]
    work = Workflow(folder / "slurm", little, [*SLURM, *words], *targets)
    work.finish()
    sent = work.log.read_text().count("submitted with SLURM jobid")
    say(f"{name} ran through Slurm in {sent} jobs")
    tell_costs(work.folder / "results" / name)
    if expected:
        as_committed(work, name)
        return
    local = options.against or reference(folder / "local", little, words, name)
    compare(local, work.folder, results(work.folder, name))


def as_committed(work: Workflow, name: str) -> None:
    """Bands, pulls, digests of runs, plain runs and the paper's figures as `snakemake check`."""
    words = [sys.executable, "-m", "rankone.pipeline.expected"]
    if name == "paper":
        digest = Campaigns(ROOT / "config", [])[name].digest
        words += ["--figures", str(ROOT / "figures"), "--settings", digest]
    words += [str(work.folder / "results"), str(EXPECTED), name]
    environment = {**work.environment, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    say(f"compared with tests/expected:\n{done.stdout}{done.stderr}")
    if done.returncode:
        raise Failure(f"{name} is not as committed.")


def tell_costs(made: Path) -> None:
    """What the jobs took, each as Snakemake measured it; rules by the folder of their files."""
    spent: dict[str, list[dict[str, str]]] = {}
    for file in sorted((made / "benchmarks").rglob("*.tsv")):
        sort = file.relative_to(made / "benchmarks").parts[0].removesuffix(".tsv")
        spent.setdefault(sort, []).append(measured(file))
    for sort, used in spent.items():
        seconds, cpu = (sum(_number(one[key]) for one in used) for key in ("s", "cpu_time"))
        memory = max(_number(one["max_rss"]) for one in used)
        say(
            f"{sort}: {len(used)} jobs, {cpu:.0f} s of CPU in {seconds:.0f} s, "
            f"at most {memory:.0f} MB each"
        )
    files = [file for file in made.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    say(f"{len(files)} files, {size / 1e6:.1f} MB")


def full_queue(folder: Path) -> None:
    """What is told where Slurm has no place for a job."""
    with Cluster(folder / "full", most_jobs=1) as full:
        expect(Workflow(folder / "without-place", full, SLURM, "smoke"), "Slurm's queue is full")


def sentences(folder: Path, little: Cluster) -> None:
    """What a user who forgot something is told; nothing may wait for ever."""
    words = ["--default-resources", "slurm_partition=none"]
    work = Workflow(folder / "without-partition", little, [*SLURM, *words], "smoke")
    expect(work, "Slurm refuses a job with partition 'none' (")
    words = ["--default-resources", "slurm_partition=members", "slurm_account=stranger"]
    work = Workflow(folder / "without-account", little, [*SLURM, *words], "smoke")
    expect(work, "Slurm refuses a job with account 'stranger', partition 'members' (")
    work = Workflow(folder / "without-sbatch", little, SLURM, "smoke")
    work.environment["PATH"] = str(without_slurm(folder / "bin"))
    expect(work, "sbatch is not found here")
    say("a full queue, a refused partition or account, a missing sbatch end in one sentence each")


def expect(work: Workflow, sentence: str) -> None:
    """Snakemake must end with this sentence, and send no job."""
    work.start()
    try:
        code = work.process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failure(f"{work.folder.name}: Snakemake waits for ever.\n{work.evidence()}") from None
    if not code or sentence not in work.log.read_text():
        raise Failure(f"Snakemake should say {sentence!r}:\n{work.evidence()}")
    if sent := work.cluster.jobs():
        raise Failure(f"{work.folder.name}: jobs were sent though: {sent}.")


def without_slurm(folder: Path) -> Path:
    """A folder with all commands that are on the PATH but those of Slurm."""
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for command in Path(place).glob("*"):
            if command.name not in cluster.COMMANDS:
                (folder / command.name).unlink(missing_ok=True)
                (folder / command.name).symlink_to(command)
    return folder


def million(folder: Path, little: Cluster) -> None:
    """A study of 10^6 runs in jobs of 10^5: its bands must be those of one process."""
    words = [*SLURM, "--configfile", str(Path(__file__).with_name("million.yaml"))]
    work = Workflow(folder / "million", little, words, "all")
    work.finish()
    made = work.folder / "results/million"
    files = sorted((made / "runs").rglob("*.npz"))
    size = sum(file.stat().st_size for file in files)
    say(f"10^6 runs went through Slurm in {len(files)} jobs; {size / 1e6:.0f} MB")
    tell_costs(made)
    planned(work.folder, folder, little)
    alone = Path(__file__).with_name("one_process.py")
    environment = {**work.environment, "PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, str(alone), str(made / "bands/million.csv")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"the bands of 10^6 runs are not those of one process: {done.stderr}")
    say("their bands are the same to the byte as those of one process")


def measured(file: Path) -> dict[str, str]:
    """What Snakemake measured of a job: seconds, CPU time, memory in MB."""
    with file.open() as lines:
        return next(csv.DictReader(lines, delimiter="\t"))


def _number(text: str) -> float:
    """A job that is over before it was looked at has no number."""
    return float(text) if text.replace(".", "", 1).isdigit() else 0.0


def planned(made: Path, folder: Path, little: Cluster) -> None:
    """How long Snakemake plans for this study, finished, and for one of 10^9 runs, not begun."""
    text = Path(__file__).with_name("million.yaml").read_text()
    larger = folder / "billion.yaml"
    larger.write_text(text.replace("runs: 1_000_000", "runs: 1_000_000_000"))
    for place, file in ((made, Path(__file__).with_name("million.yaml")), (folder, larger)):
        begin = time.monotonic()
        place_of = ["-s", str(ROOT / "Snakefile"), "--directory", str(place)]
        words = ["snakemake", *place_of, "-n", "-q", "--configfile", str(file)]
        subprocess.run(words, env=little.environment, capture_output=True, check=True)
        say(f"planning of {file.stem} took {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
