"""Mutation testing: break the code in many small ways, and see that the tests notice.

    python tests/mutation/run.py                    # the sample of config.toml, and its score
    python tests/mutation/run.py --modules fast/osub.py stats/*.py
    python tests/mutation/run.py --again            # what survived last time, after new tests

cosmic-ray makes the mutants; which of them are tried is decided by the seed in config.toml. Each
one is put into a copy of the working tree, and the tests that config.toml names for its module are
run there until the first one fails. A mutant that no test notices has survived: it needs a test, or
an entry in equivalent.toml that says why nobody could notice it. What is listed there is tried all
the same: one that is killed is no equivalent. Results are kept as they come, one line of JSON each,
so that an interrupted run goes on where it stopped.
"""

import argparse
import ast
import collections
import concurrent.futures
import contextlib
import dataclasses
import fnmatch
import hashlib
import itertools
import json
import os
import queue
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable
from pathlib import Path

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from rankone.engine import cache

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = Path("src/rankone")
CONFIG = tomllib.loads((HERE / "config.toml").read_text())
MEMORY = 12 * 2**30  # bytes of address space: a mutant may ask for any amount
PATIENCE = 3600  # seconds on a clock: for a mutant that waits without using CPU time


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One small change of one module."""

    module: str  # fast/osub.py
    operator: str
    occurrence: int
    line: int
    before: str  # the line as it is,
    after: str  # and as it becomes
    copy: int = 1  # which one it is of the lines that read the same

    @property
    def room(self) -> str:
        return self.module.partition("/")[0]

    @property
    def key(self) -> str:
        """The same mutant after an edit elsewhere in the module, which moves its line."""
        return _key(self.module, self.before, self.after, self.copy)


def _key(module: str, before: str, after: str, copy: int) -> str:
    return f"{module}: {before} -> {after}" + (f" (copy {copy})" if copy > 1 else "")


def places(source: str) -> list[tuple[str, int]]:
    """All mutants that the operators of config.toml make: operator and occurrence."""
    skip, nodes, found = _annotations(source), list(ast_nodes(get_ast(source))), []
    for name in sorted(plugins.operator_names()):
        if any(fnmatch.fnmatch(name, f"core/{pattern}") for pattern in CONFIG["operators"]):
            operator = plugins.get_operator(name)()
            spots = (spot for node in nodes for spot in operator.mutation_positions(node))
            for occurrence, (start, _) in enumerate(spots):
                if not any(first <= start < last for first, last in skip):
                    found.append((name, occurrence))
    return found


def make(module: str, source: str, operator: str, occurrence: int) -> Mutant | None:
    """A mutant with its line; None where cosmic-ray cannot make it (`except a.b`)."""
    try:
        mutated = mutate_code(source, plugins.get_operator(operator)(), occurrence)
    except AttributeError:
        return None
    lines = source.splitlines()
    for number, (before, after) in enumerate(zip(lines, mutated.splitlines(), strict=False), 1):
        if before != after:
            name = operator.removeprefix("core/")
            copy = [line.strip() for line in lines[:number]].count(before.strip())
            return Mutant(module, name, occurrence, number, before.strip(), after.strip(), copy)
    return None


def _annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where types are written: a change there changes nothing, or stops the import."""
    found = []
    for node in ast.walk(ast.parse(source)):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if part is not None:
                found.append(
                    ((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset))
                )
    return found


def modules(patterns: list[str]) -> list[str]:
    """The modules that the patterns name, without those that config.toml leaves out."""
    home = ROOT / PACKAGE
    found = {str(p.relative_to(home)) for pattern in patterns for p in home.glob(pattern)}
    return sorted(found - {*CONFIG["leave_out"]})


def sample(names: list[str], share: float, seed: int) -> list[Mutant]:
    """Some mutants of each module, in an order that mixes the modules.

    A module has its share and its own generator: an edit of one changes nothing about the sample
    of the others, so that what was found for them holds.
    """
    chosen: list[Mutant] = []
    for name in names:
        text = (ROOT / PACKAGE / name).read_text()
        found = places(text)
        count = min(max(round(share * len(found)), CONFIG["at_least"]), CONFIG["at_most"])
        random.Random(f"{seed} {name}").shuffle(found)
        made = (make(name, text, *place) for place in found)
        chosen += itertools.islice(filter(None, made), count)
    random.Random(seed).shuffle(chosen)
    return chosen


def tests_of(module: str) -> list[str]:
    """The tests of a module: the file of its name, or what config.toml names in its place."""
    room, _, file = module.partition("/")
    mirror = f"tests/{room}/test_{file.lstrip('_')}"
    return [mirror] if (ROOT / mirror).exists() else _listed("tests", module)


def further_tests(module: str) -> list[str]:
    """Tests for the mutants that survive those."""
    return _listed("further", module)


def only_of(module: str) -> str:
    """Which tests of a file that tests many modules, as pytest's -k; empty for all of them."""
    found = [key for pattern, key in CONFIG["only"].items() if fnmatch.fnmatch(module, pattern)]
    return found[0].replace("NAME", Path(module).stem) if found else ""


def _listed(section: str, module: str) -> list[str]:
    patterns = CONFIG[section].items()
    return [test for key, named in patterns if fnmatch.fnmatch(module, key) for test in named]


class Copy:
    """A copy of the working tree for one worker, with compiled code of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in names.splitlines():
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder / "src"), str(HERE)]),
            "MUTATION_SECONDS": str(CONFIG["seconds"]),
            "PYTHONDONTWRITEBYTECODE": "1",  # a .pyc of the same second and size would be taken
            "NUMBA_CACHE_DIR": str(folder / ".compiled"),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / ".hypothesis"),
        }

    def run(self, tests: list[str], only: str) -> tuple[str, str]:
        """killed (by a test, or since it does not end) or survived, and the tests' last words."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-n0"]
        command += ["-p", "no:cacheprovider", "-p", "clock"]
        command += ["-m", CONFIG["marks"], "-k", only, *tests]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_limit,
            )
            try:
                code = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                code = -signal.SIGPROF
            finally:  # what the tests have started, too: a mutant may loop there
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            told = output.read().decode(errors="replace")[-2000:]
        if code in (4, 5):  # pytest was called wrongly, or there is no test
            raise SystemExit(f"{' '.join(tests)}: pytest ends with {code}.\n{told}")
        clock = dict.fromkeys([-signal.SIGPROF, -signal.SIGXCPU], "killed by the clock")
        return {0: "survived", **clock}.get(code, "killed"), told

    def check_sound(self, names: Iterable[str]) -> None:
        """On the code as it is the tests pass; this also compiles what all mutants need."""
        for tests, only in sorted({(tuple(tests_of(name)), only_of(name)) for name in names}):
            outcome, told = self.run(list(tests), only)
            print(f"{outcome:<9} {' '.join(tests)}  {only}", flush=True)
            if outcome != "survived":
                raise SystemExit(f"They fail on the code as it is.\n{told}")

    def try_out(self, mutant: Mutant) -> tuple[str, str]:
        file = self.folder / PACKAGE / mutant.module
        sound = file.read_text()
        operator = plugins.get_operator(f"core/{mutant.operator}")()
        file.write_text(mutate_code(sound, operator, mutant.occurrence))
        try:
            outcome, told = self.run(tests_of(mutant.module), only_of(mutant.module))
            if outcome == "survived" and (more := further_tests(mutant.module)):
                outcome, told = self.run(more, "")
            return outcome, told
        finally:
            file.write_text(sound)


def _limit() -> None:
    """For the tests and the processes that they start, which the clock of a test does not see."""
    resource.setrlimit(resource.RLIMIT_CPU, (5 * CONFIG["seconds"], 6 * CONFIG["seconds"]))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def digest(names: list[str]) -> str:
    """The content of files; a test may be named as file::test."""
    texts = [(ROOT / name.partition("::")[0]).read_text() for name in names]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def digest_of_tests(module: str) -> str:
    """Of the tests that a mutant of a module meets, and of which of them."""
    return digest(tests_of(module) + further_tests(module)) + only_of(module)


class Results:
    """What was found so far, in a file of one line of JSON for each mutant tried.

    A result holds as long as the module stays as it is; that a mutant survived, as long as the
    tests do, too, but for one that is listed as equivalent.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        lines = file.read_text().splitlines() if file.exists() else []
        self.found = [json.loads(line) for line in lines]
        self.equivalent = equivalents()

    def of(self, mutant: Mutant) -> str | None:
        code = digest([str(PACKAGE / mutant.module)])
        tests = digest_of_tests(mutant.module)
        wanted = (mutant.module, mutant.operator, mutant.occurrence, code)
        for one in reversed(self.found):
            same = wanted == (one["module"], one["operator"], one["occurrence"], one["code"])
            for_good = one["outcome"] != "survived" or mutant.key in self.equivalent
            if same and (for_good or one["tests"] == tests):
                return str(one["outcome"])
        return None


def try_all(chosen: list[Mutant], results: Results, workers: int, check: bool) -> None:
    """Try what has no result yet, on so many copies of the tree."""
    waiting = [mutant for mutant in chosen if results.of(mutant) is None]
    # what is listed goes through all tests, and so takes longest: last
    waiting.sort(key=lambda mutant: mutant.key in results.equivalent)
    if not waiting:
        return
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        if cache.root().is_dir():  # what is compiled already
            shutil.copytree(cache.root(), Path(folder) / "0" / ".compiled")
        made = [Copy(Path(folder) / str(number)) for number in range(workers)]
        made_of = {
            m.module: {
                "code": digest([str(PACKAGE / m.module)]),
                "tests": digest_of_tests(m.module),
            }
            for m in waiting
        }
        if check:
            made[0].check_sound(made_of)
        copies: queue.Queue[Copy] = queue.Queue()
        for copy in made:
            if copy is not made[0]:
                shutil.copytree(made[0].folder / ".compiled", copy.folder / ".compiled")
            copies.put(copy)

        def work(mutant: Mutant) -> dict:
            copy, begin = copies.get(), time.monotonic()
            try:
                outcome, told = copy.try_out(mutant)
            finally:
                copies.put(copy)
            found = {**dataclasses.asdict(mutant), **made_of[mutant.module], "outcome": outcome}
            return found | {"seconds": round(time.monotonic() - begin, 1), "told": told[-300:]}

        results.file.parent.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(workers) as pool, results.file.open("a") as file:
            running = [pool.submit(work, mutant) for mutant in waiting]
            for number, ready in enumerate(concurrent.futures.as_completed(running), 1):
                found = ready.result()
                file.write(json.dumps(found) + "\n")
                file.flush()
                print(f"{number:>4} of {len(waiting)}  {found['seconds']:>6.1f} s  "
                      f"{found['outcome']:<20} {found['module']}:{found['line']}  "
                      f"{found['before']}  ->  {found['after']}", flush=True)  # fmt: skip


def equivalents() -> dict[str, str]:
    """The mutants that nobody could notice, with the reason."""
    listed = tomllib.loads((HERE / "equivalent.toml").read_text()).get("mutant", [])
    return {
        _key(m["module"], m["before"], m["after"], copy): m["reason"]
        for m in listed
        for copy in m.get("copies", [1])
    }


def cpu_minutes() -> float:
    """Of all tests that this process has run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) / 60


def report(chosen: list[Mutant], results: Results) -> bool:
    """The score of each room; whether nothing unexplained survived and the score is high enough."""
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    unexplained = []
    for mutant in chosen:
        outcome = (results.of(mutant) or "untried").partition(" ")[0]
        if outcome == "survived":
            outcome = "equivalent" if mutant.key in results.equivalent else "survived"
            unexplained += [mutant] if outcome == "survived" else []
        elif outcome == "killed" and mutant.key in results.equivalent:
            print(f"listed as equivalent, but killed: {mutant.key}")
        counts[mutant.room][outcome] += 1
    for mutant in unexplained:
        print(f"survived: {mutant.module}:{mutant.line}  {mutant.before}  ->  {mutant.after}")
    print(f"{'room':<12}{'tried':>7}{'killed':>8}{'equivalent':>12}{'survived':>10}{'score':>9}")
    counts["all"] = sum((counts[room] for room in sorted(counts)), collections.Counter())
    for room in [*sorted(counts.keys() - {"all"}), "all"]:
        count = counts[room]
        tried = count["killed"] + count["equivalent"] + count["survived"]
        score = count["killed"] / max(tried - count["equivalent"], 1)
        print(f"{room:<12}{tried:>7}{count['killed']:>8}{count['equivalent']:>12}"
              f"{count['survived']:>10}{score:>9.1%}")  # fmt: skip
    print("The score is killed / (tried - equivalent); equivalent.toml gives the reasons.")
    return score >= CONFIG["score"] and not counts["all"]["untried"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--share", type=float, default=CONFIG["share"], help="of all mutants")
    parser.add_argument("--seed", type=int, default=CONFIG["seed"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--first", type=int, help="only so many of the sample")
    parser.add_argument("--modules", nargs="*", default=["*"], metavar="PATTERN")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "mutation.jsonl")
    parser.add_argument("--report", action="store_true", help="try nothing, show the score")
    parser.add_argument("--nice", type=int, default=19, help="19: only while nothing else runs")
    parser.add_argument("--unchecked", action="store_true", help="the tests are known to pass")
    parser.add_argument("--again", action="store_true", help="without what was killed")
    options = parser.parse_args()
    chosen = sample(modules(CONFIG["modules"]), options.share, options.seed)[: options.first]
    chosen = [m for m in chosen if any(fnmatch.fnmatch(m.module, p) for p in options.modules)]
    results = Results(options.results)
    if options.again:
        chosen = [mutant for mutant in chosen if results.of(mutant) not in ("killed", "untried")]
    os.nice(options.nice)
    if not options.report:
        try_all(chosen, results, options.workers, not options.unchecked)
        print(f"The tests took {cpu_minutes():.0f} minutes of CPU time.")
    return 0 if report(chosen, Results(options.results)) else 1


if __name__ == "__main__":
    sys.exit(main())
