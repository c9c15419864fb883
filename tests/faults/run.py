"""Faults of all kinds, and what becomes of the results: `python tests/faults/run.py`.

A tiny campaign is run without disturbance; then again and again with kills, full disks, damaged
files, jumping clocks and the like. After each fault every file that is there must be the
undisturbed one to the bit, what went wrong must be said in a sentence, and a resumed run must end
with all of the results. Prints what was tried, survived and lost; exits with 1 if anything was.

    python tests/faults/run.py                 all of it, about five minutes on two cores
    python tests/faults/run.py kill clock      the faults whose names contain a word
    python tests/faults/run.py --seed 7        other random moments
"""

import argparse
import contextlib
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "workflow", "config", "profiles", "src", "environment.yml", "README.md")
CAMPAIGN = "tiny"
KEPT = ("runs", "bands", "figures", "tables", "claims.json")
SIMULATE = [sys.executable, "-m", "rankone", "simulate"]
CELL = ["--u", ".9,.3", "--v", ".8,.2", "--horizon", "20000", "--runs", "20", "--seed", "3"]
LONG = ["--u", ".9,.3", "--v", ".8,.2", "--horizon", "1e6", "--runs", "500000"]
FAULTS: dict[str, Callable[["Place"], Iterator["Outcome"]]] = {}


class Outcome:
    """One thing that was tried: whether nothing was lost, and what was said."""

    def __init__(self, survived: bool, said: str = "") -> None:
        self.survived, self.said = survived, said


class Place:
    """A copy of the project, the undisturbed results, and a folder that faults are tried in."""

    def __init__(self, home: Path, chance: random.Random) -> None:
        self.home, self.chance = home, chance
        self.tree, self.folder = home / "tree", home / "folder"
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            options = {"ignore": ignore} if copy is shutil.copytree else {}
            (self.tree).mkdir(exist_ok=True)
            copy(ROOT / part, self.tree / part, **options)
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.tree / "src"),
            "NUMBA_CACHE_DIR": str(home / "cache"),
        }
        self.folder.mkdir()
        done = self.snakemake()
        if done.returncode != 0:
            sys.exit(f"The undisturbed run failed:\n{done.stdout}")
        begin = time.monotonic()
        self.empty()
        self.snakemake()
        self.seconds = time.monotonic() - begin  # of an undisturbed run
        self.right = self.results()

    def command(self, *words: str) -> list[str]:
        config = ["--configfile", str(ROOT / "tests/faults/tiny.yaml")]
        main = [sys.executable, "-m", "snakemake", "-s", str(self.tree / "Snakefile")]
        profile = ["--workflow-profile", str(self.tree / "profiles/default")]
        return [*main, *profile, "--cores", "2", *config, *words]

    def start(self, command: list[str], **options: object) -> "subprocess.Popen[str]":
        """A process in a session of its own, so that all that it started can be ended with it."""
        given = {"cwd": self.folder, "env": self.environment, "start_new_session": True}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen(command, **{**given, **streams, **options})  # type: ignore[call-overload, no-any-return]

    def run(self, command: list[str], **options: object) -> "subprocess.CompletedProcess[str]":
        process = self.start(command, **options)
        try:
            output, _ = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            end(process, signal.SIGKILL)
            output = "It did not end within ten minutes."
        return subprocess.CompletedProcess(command, process.returncode, output)

    def snakemake(self, *words: str, **options: object) -> "subprocess.CompletedProcess[str]":
        return self.run(self.command(*words), **options)

    def empty(self) -> None:
        """Leave the compiled code, and the folder itself, which may be a mount."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def whole(self) -> None:
        """All results, undisturbed: what a fault that comes afterwards starts from."""
        if self.results() != self.right:
            self.empty()
            self.snakemake()

    def file(self, name: str) -> Path:
        return self.folder / "results" / CAMPAIGN / name

    def results(self) -> dict[str, bytes]:
        """Every result that is there, by its name."""
        base = self.folder / "results" / CAMPAIGN
        found = [base / kept for kept in KEPT]
        files = [path for top in found for path in ([top] if top.is_file() else top.rglob("*"))]
        return {
            str(path.relative_to(base)): path.read_bytes()
            for path in files
            if path.is_file() and not any(part.startswith(".") for part in path.parts)
        }

    def wrong(self) -> list[str]:
        """The results that are there, but are not the undisturbed ones."""
        return [name for name, data in self.results().items() if data != self.right.get(name)]

    def resumed(self) -> bool:
        """Whether a run that goes on from here ends with all results, to the bit."""
        self.snakemake("--unlock")
        done = self.snakemake()
        if done.returncode != 0:
            print(done.stdout[-3000:])
        return done.returncode == 0 and self.results() == self.right


def fault(function: Callable[[Place], Iterator[Outcome]]) -> Callable[[Place], Iterator[Outcome]]:
    FAULTS[function.__name__.replace("_", " ")] = function
    return function


def end(process: "subprocess.Popen[str]", how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have started."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for word in (task / "children").read_text().split():
                found += [int(word), *descendants(int(word))]
    return found


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def sentence(text: str, *words: str) -> str:
    """The line of an output that has all of these words; empty if there is none."""
    lines = text.splitlines()
    return next((line.strip() for line in lines if all(word in line for word in words)), "")


@fault
def kill_snakemake(place: Place) -> Iterator[Outcome]:
    """kill -9 at ten random moments; its jobs go on, and may finish beside the next run."""
    yield from _killed(place, 10, lambda process: [process.pid])


@fault
def kill_a_job(place: Place) -> Iterator[Outcome]:
    """kill -9 of whatever Snakemake has started at ten random moments."""
    yield from _killed(place, 10, lambda process: descendants(process.pid)[-1:])


def _killed(
    place: Place, times: int, victims: Callable[["subprocess.Popen[str]"], list[int]]
) -> Iterator[Outcome]:
    place.empty()
    for _ in range(times):
        place.snakemake("--unlock")
        process = place.start(place.command())
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=place.chance.uniform(0.3, 1.1) * place.seconds)
        killed = victims(process) if process.poll() is None else []
        for pid in killed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate()
        wrong = place.wrong()
        yield Outcome(not wrong, f"wrong: {wrong}" if wrong else "")
        if place.results() == place.right:  # it was over before: the next one starts anew
            place.empty()
    yield Outcome(place.resumed(), "resumed to the bit")


@fault
def full_disk(place: Place) -> Iterator[Outcome]:
    """Folders of 60 to 480 kB; then there is room again."""
    for kilobytes in (60, 120, 240, 480):
        with mounted(place.folder, f"size={kilobytes}k") as remount:
            done = place.snakemake()
            said = sentence(done.stdout, "No space left on device")
            complete = done.returncode == 0 and place.results() == place.right
            told = complete or (done.returncode != 0 and bool(said))
            yield Outcome(told and not place.wrong(), said or last_line(done.stdout))
            remount("size=64m")
            yield Outcome(place.resumed(), "resumed to the bit")


@fault
def read_only_results(place: Place) -> Iterator[Outcome]:
    """The folder cannot be written at all; then it can."""
    with mounted(place.folder, "size=64m") as remount:
        (place.folder / "results").mkdir()
        remount("ro")
        done = place.snakemake()
        said = sentence(done.stdout, "Read-only file system")
        yield Outcome(done.returncode != 0 and bool(said) and not place.results(), said)
        out = place.run([*SIMULATE, "uts", *CELL, "--out", "results/x.npz"])
        said = last_line(out.stdout)
        yield Outcome(out.returncode == 2 and "Read-only" in said, said)
        remount("rw")
        yield Outcome(place.resumed(), "resumed to the bit")


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Callable[[str], None]]:
    """A small file system of its own in the place of a folder; needs root."""
    if os.geteuid() != 0:
        raise PermissionError("needs root to mount a small file system")
    for path in list(folder.iterdir()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(words, capture_output=True).returncode != 0:
        raise PermissionError("may not mount a small file system")
    try:
        yield (
            lambda more: (
                subprocess.run(
                    ["mount", "-o", f"remount,{more}", str(folder)], check=True, capture_output=True
                )
                and None
            )
        )
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


STAGES = {
    "runs": ("runs/regret/square/uts/0-19.npz", "is not a whole file of runs"),
    "bands": ("bands/regret.csv", "is not what was written"),
    "claims": ("claims.json", "is not what was written"),
}


@fault
def truncated_file(place: Place) -> Iterator[Outcome]:
    yield from _damaged(place, lambda data: data[: len(data) // 2])


@fault
def flipped_bit(place: Place) -> Iterator[Outcome]:
    def flip(data: bytes) -> bytes:
        changed = bytearray(data)
        changed[len(changed) // 2] ^= 1 << place.chance.randrange(8)
        return bytes(changed)

    yield from _damaged(place, flip)


def _damaged(place: Place, damage: Callable[[bytes], bytes]) -> Iterator[Outcome]:
    """A file of every stage; whoever reads it next says so, and makes nothing from it."""
    for name, words in STAGES.values():
        place.whole()
        file = place.file(name)
        file.write_bytes(damage(file.read_bytes()))
        done = place.snakemake()
        said = sentence(done.stdout, words)
        wrong = [other for other in place.wrong() if other != name]
        yield Outcome(done.returncode != 0 and bool(said) and not wrong, said)
        file.unlink(missing_ok=True)
        yield Outcome(place.resumed(), "made again to the bit")


@fault
def stale_lock(place: Place) -> Iterator[Outcome]:
    """As a machine leaves it that lost its power."""
    place.empty()
    process = place.start(place.command())
    locks = place.folder / ".snakemake" / "locks"
    while process.poll() is None and not (locks.is_dir() and any(locks.iterdir())):
        time.sleep(0.02)
    end(process, signal.SIGKILL)
    process.communicate()
    done = place.snakemake()
    said = sentence(done.stdout, "--unlock") or sentence(done.stdout, "lock")
    yield Outcome(done.returncode != 0 and bool(said), said)
    yield Outcome(place.resumed(), "resumed to the bit")


@fault
def two_snakemakes(place: Place) -> Iterator[Outcome]:
    """The second one is refused, or both end well."""
    place.empty()
    one = place.start(place.command())
    time.sleep(place.seconds / 4)
    two = place.snakemake()
    one.communicate()
    said = sentence(two.stdout, "lock")
    yield Outcome(one.returncode == 0 and (two.returncode == 0 or bool(said)), said)
    yield Outcome(place.results() == place.right, "the first one is whole")


@fault
def clock_that_jumps(place: Place) -> Iterator[Outcome]:
    """Files that are a year older or a day newer than they should be."""
    place.whole()
    for seconds in (-365 * 86_400, 86_400):
        for file in sorted(place.file("").rglob("*")):
            if file.is_file() and place.chance.random() < 0.5:
                moment = file.stat().st_mtime + seconds
                os.utime(file, (moment, moment))
        yield Outcome(place.resumed(), "the same results")
    place.empty()


@fault
def ctrl_c_in_the_workflow(place: Place) -> Iterator[Outcome]:
    place.empty()
    for _ in range(4):
        process = place.start(place.command(), preexec_fn=heed_interrupts)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=place.chance.uniform(0.3, 0.9) * place.seconds)
        end(process, signal.SIGINT)
        output, _ = process.communicate()
        wrong = place.wrong()
        yield Outcome(not wrong, f"wrong: {wrong}" if wrong else last_line(output or ""))
    yield Outcome(place.resumed(), "resumed to the bit")


@fault
def ctrl_c_in_the_shell(place: Place) -> Iterator[Outcome]:
    """A sentence, no file, and the code that shells expect."""
    for _ in range(3):
        out = place.folder / "long.npz"
        process = place.start(
            [*SIMULATE, "ucb1", *LONG, "--out", str(out)], preexec_fn=heed_interrupts
        )
        output, seconds = interrupted(process, place.chance.uniform(4.0, 8.0))
        yield Outcome(
            process.returncode == 130 and not out.exists() and "Traceback" not in output,
            f"{last_line(output)} ({seconds:.2f} s)",
        )


@fault
def ctrl_c_in_python(place: Place) -> Iterator[Outcome]:
    """A KeyboardInterrupt that can be caught, within a second or so."""
    for cores in (1, 2):
        code = INTERRUPTED.format(cores=cores)
        process = place.start([sys.executable, "-c", code], preexec_fn=heed_interrupts)
        output, seconds = interrupted(process, place.chance.uniform(4.0, 8.0))
        yield Outcome("caught" in output and seconds < 30, f"caught after {seconds:.2f} s")


INTERRUPTED = """
import rankone
instance = rankone.rank_one([0.9, 0.89], [0.8, 0.79])
try:
    rankone.simulate("ucb1", instance, 3 * 10**8, 4, exact="plain", cores={cores})
except KeyboardInterrupt:
    print("caught")
"""


def heed_interrupts() -> None:
    """A process started in the background ignores Ctrl-C; this one is to heed it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted(process: "subprocess.Popen[str]", after: float) -> tuple[str, float]:
    """What a process said that was interrupted after some seconds, and how long it went on."""
    time.sleep(after)
    begin = time.monotonic()
    end(process, signal.SIGINT)
    try:
        output, _ = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        end(process, signal.SIGKILL)
        output, _ = process.communicate()
    return output, time.monotonic() - begin


@fault
def little_memory(place: Place) -> Iterator[Outcome]:
    """ulimit -v: too little for the runs asked for, in the shell; then enough."""
    many = ["--u", ".9,.3*63", "--v", ".8,.2*63", "--horizon", "5000", "--runs", "300000"]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    out = place.folder / "many.npz"
    done = place.run([*SIMULATE, "uts", *many, "--out", str(out)], preexec_fn=limited)
    said = last_line(done.stdout)
    survived = done.returncode == 2 and "memory" in said and "Traceback" not in done.stdout
    yield Outcome(survived and not out.exists(), said)
    done = place.run([*SIMULATE, "uts", *CELL, "--out", str(out)], preexec_fn=limited)
    yield Outcome(done.returncode == 0 and out.exists(), "and with enough it plays")
    out.unlink(missing_ok=True)


@fault
def cache_folder(place: Place) -> Iterator[Outcome]:
    """Missing, a file, full, read-only, or shared by eight cold starts."""
    right = _played(place, place.home / "cache")
    missing = place.home / "missing" / "cache"
    yield Outcome(_played(place, missing) == right, "missing: made")
    file = place.home / "file"
    file.write_text("not a folder")
    yield Outcome(_played(place, file) == right, "a file: compiled in memory")
    small = place.home / "small"
    for options, words in (("size=40k", "full"), ("ro", "read-only")):
        small.mkdir(exist_ok=True)
        with mounted(small, options):
            yield Outcome(_played(place, small) == right, f"{words}: compiled in memory")
    shared = place.home / "shared"
    outs = [place.folder / f"{i}.npz" for i in range(8)]
    started = [place.start(*_playing(place, shared, out)) for out in outs]
    for process in started:
        process.communicate()
    same = [out.exists() and out.read_bytes() == right for out in outs]
    yield Outcome(all(same), f"eight cold starts at once: {sum(same)} of 8 as they should be")


def _playing(place: Place, cache: Path, out: Path) -> list[list[str]]:
    environment = [f"NUMBA_CACHE_DIR={cache}", "PYTHONWARNINGS=default"]
    return [["env", *environment, *SIMULATE, "ucb1", *CELL, "--out", str(out)]]


def _played(place: Place, cache: Path) -> bytes:
    """The file of runs that comes out with a cache folder; what was said, if none does."""
    out = place.folder / "out.npz"
    out.unlink(missing_ok=True)
    done = place.run(*_playing(place, cache, out))
    return out.read_bytes() if out.exists() else done.stdout.encode()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only faults whose name contains one of these")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no kind after that")
    options = parser.parse_args()
    begin = time.monotonic()
    chosen = {
        name: function
        for name, function in FAULTS.items()
        if not options.words or any(word in name for word in options.words)
    }
    print(f"{len(chosen)} kinds of faults, --seed {options.seed}", flush=True)
    lost = tried = 0
    left_out: list[str] = []
    with tempfile.TemporaryDirectory(prefix="rankone-faults-") as home:
        place = Place(Path(home), random.Random(options.seed))
        print(f"{'fault':24} {'tried':>5} {'survived':>8} {'lost':>4}", flush=True)
        for name, function in chosen.items():
            if time.monotonic() - begin > options.seconds:
                left_out.append(name)
                continue
            outcomes: list[Outcome] = []
            try:
                for outcome in function(place):
                    outcomes.append(outcome)
            except PermissionError as error:
                print(f"{name:24} skipped: {error}", flush=True)
                continue
            survived = sum(outcome.survived for outcome in outcomes)
            tried, lost = tried + len(outcomes), lost + len(outcomes) - survived
            counts = f"{len(outcomes):5} {survived:8} {len(outcomes) - survived:4}"
            print(f"{name:24} {counts}", flush=True)
            for said in dict.fromkeys(("" if o.survived else "LOST: ") + o.said for o in outcomes):
                if said:
                    print(f"    {said[:200]}", flush=True)
    if left_out:
        print(f"after {options.seconds:g} seconds these were left out: {', '.join(left_out)}")
    print(f"{tried} tried, {tried - lost} survived, {lost} lost", flush=True)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
