"""Mutation testing: break the code in many small ways, and see that the tests notice.

    python tests/mutation/run.py                    # the sample of config.toml, and its score
    python tests/mutation/run.py --modules fast/osub.py stats/*.py
    python tests/mutation/run.py --again            # what survived last time, after new tests

cosmic-ray makes the mutants; which of them are tried is decided by the seed in config.toml. Each
one is put into a copy of the working tree, and the tests that config.toml names for its module are
run there until the first one fails. A mutant that no test notices has survived: it needs a test, or
an entry in equivalent.toml that says why nobody could notice it. Results are kept as they come, one
line of JSON each, so that an interrupted run goes on where it stopped.
"""

import argparse
import ast
import collections
import concurrent.futures
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


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One small change of one module."""

    module: str  # fast/osub.py
    operator: str
    occurrence: int
    line: int
    before: str  # the line as it is,
    after: str  # and as it becomes

    @property
    def room(self) -> str:
        return self.module.partition("/")[0]

    @property
    def key(self) -> str:
        """The same mutant after an edit elsewhere in the module, which moves its line."""
        return f"{self.module}: {self.before} -> {self.after}"


def places(source: str) -> list[tuple[str, int]]:
    """All mutants that the operators of config.toml make: operator, and which of its occurrences."""
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
    """A mutant with its line; None where cosmic-ray cannot make it (`except a.b`), or it is none."""
    try:
        mutated = mutate_code(source, plugins.get_operator(operator)(), occurrence)
    except AttributeError:
        return None
    pairs = zip(source.splitlines(), mutated.splitlines(), strict=False)
    for number, (before, after) in enumerate(pairs, 1):
        if before != after:
            name = operator.removeprefix("core/")
            return Mutant(module, name, occurrence, number, before.strip(), after.strip())
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


def sample(names: list[str], size: int, seed: int) -> list[Mutant]:
    """Some mutants of each module, more of one that has more, in an order that mixes the modules.

    A module has its own generator: an edit of one changes nothing about the sample of the others.
    """
    texts = {name: (ROOT / PACKAGE / name).read_text() for name in names}
    all_of = {name: places(text) for name, text in texts.items()}
    total = sum(map(len, all_of.values()))
    chosen: list[Mutant] = []
    for name, found in all_of.items():
        share = max(CONFIG["at_least"], round(size * len(found) / total))
        random.Random(f"{seed} {name}").shuffle(found)
        made = (make(name, texts[name], *place) for place in found)
        chosen += itertools.islice(filter(None, made), share)
    random.Random(seed).shuffle(chosen)
    return chosen


def tests_of(module: str) -> list[str]:
    """The tests of a module: its mirror, and what config.toml adds for it."""
    room, _, file = module.partition("/")
    mirror = f"tests/{room}/test_{file.lstrip('_')}"
    named = [mirror] if (ROOT / mirror).exists() else []
    for pattern, more in CONFIG["tests"].items():
        if fnmatch.fnmatch(module, pattern):
            named += more
    return list(dict.fromkeys(named))


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
            "PYTHONPATH": str(folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",  # a .pyc of the same second and size would be taken
            "NUMBA_CACHE_DIR": str(folder / ".compiled"),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / ".hypothesis"),
        }

    def run(self, tests: list[str], timeout: float | None) -> tuple[str, str]:
        """killed (by a test or by the clock) or survived, and the last words of the tests."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-n0"]
        command += ["-p", "no:cacheprovider", "-m", CONFIG["marks"], *tests]
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
                code: int | None = process.wait(timeout)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            output.seek(0)
            told = output.read().decode(errors="replace")[-2000:]
        if code in (4, 5):  # pytest was called wrongly, or there is no test
            raise SystemExit(f"{' '.join(tests)}: pytest ends with {code}.\n{told}")
        return {0: "survived", None: "killed by the clock"}.get(code, "killed"), told

    def try_out(self, mutant: Mutant) -> tuple[str, str]:
        file = self.folder / PACKAGE / mutant.module
        sound = file.read_text()
        operator = plugins.get_operator(f"core/{mutant.operator}")()
        file.write_text(mutate_code(sound, operator, mutant.occurrence))
        try:
            return self.run(tests_of(mutant.module), CONFIG["seconds"])
        finally:
            file.write_text(sound)


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(19)


def _identity(mutant: Mutant) -> str:
    """What a result depends on: the mutant in its module, and the tests."""
    parts = [mutant.operator, str(mutant.occurrence)]
    for name in [str(PACKAGE / mutant.module), *tests_of(mutant.module)]:
        path = ROOT / name.partition("::")[0]
        parts += [name, path.read_text() if path.is_file() else ""]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def known(results: Path) -> dict[str, dict]:
    """What earlier runs found, by the identity of mutant and tests."""
    lines = results.read_text().splitlines() if results.exists() else []
    return {found["identity"]: found for found in map(json.loads, lines)}


def try_all(chosen: list[Mutant], results: Path, workers: int) -> None:
    """Try what has no result yet, on so many copies of the tree."""
    done = known(results)
    waiting = [mutant for mutant in chosen if _identity(mutant) not in done]
    if not waiting:
        return
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        if cache.root().is_dir():  # what is compiled already
            shutil.copytree(cache.root(), Path(folder) / "0" / ".compiled")
        first = Copy(Path(folder) / "0")
        tests = sorted({test for mutant in waiting for test in tests_of(mutant.module)})
        outcome, told = first.run(tests, None)  # also compiles what all mutants need
        if outcome != "survived":
            raise SystemExit(f"The tests fail on the code as it is.\n{told}")
        copies: queue.Queue[Copy] = queue.Queue()
        copies.put(first)
        for number in range(1, workers):
            shutil.copytree(first.folder / ".compiled", Path(folder) / str(number) / ".compiled")
            copies.put(Copy(Path(folder) / str(number)))

        def work(mutant: Mutant) -> dict:
            copy, begin = copies.get(), time.monotonic()
            try:
                outcome, told = copy.try_out(mutant)
            finally:
                copies.put(copy)
            found = {**dataclasses.asdict(mutant), "outcome": outcome}
            found |= {"identity": _identity(mutant), "seconds": round(time.monotonic() - begin, 1)}
            return found | {"told": told if outcome == "survived" else told[-300:]}

        results.parent.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(workers) as pool, results.open("a") as file:
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
    return {f"{m['module']}: {m['before']} -> {m['after']}": m["reason"] for m in listed}


def report(chosen: list[Mutant], results: Path) -> bool:
    """The score of each room; whether nothing unexplained survived and the score is high enough."""
    done, reasons = known(results), equivalents()
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    unexplained = []
    for mutant in chosen:
        found = done.get(_identity(mutant))
        outcome = found["outcome"].partition(" ")[0] if found else "untried"
        if outcome == "survived":
            outcome = "equivalent" if mutant.key in reasons else "survived"
            unexplained += [mutant] if outcome == "survived" else []
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
    parser.add_argument("--sample", type=int, default=CONFIG["sample"])
    parser.add_argument("--seed", type=int, default=CONFIG["seed"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--first", type=int, help="only so many of the sample")
    parser.add_argument("--modules", nargs="*", default=CONFIG["modules"], metavar="PATTERN")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "mutation.jsonl")
    parser.add_argument("--report", action="store_true", help="try nothing, show the score")
    parser.add_argument("--again", action="store_true", help="only what survived so far")
    options = parser.parse_args()
    chosen = sample(modules(options.modules), options.sample, options.seed)[: options.first]
    if options.again:
        lived = {
            (f["module"], f["before"], f["after"])
            for f in known(options.results).values()
            if f["outcome"] == "survived"
        }
        chosen = [m for m in chosen if (m.module, m.before, m.after) in lived]
    if not options.report:
        try_all(chosen, options.results, options.workers)
    return 0 if report(chosen, options.results) else 1


if __name__ == "__main__":
    sys.exit(main())
