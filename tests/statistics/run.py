"""How often chance fails the suite on sound code, and what the suite would see: measured.

    python tests/statistics/run.py               # one run with the usual seeds, 3 with others
    python tests/statistics/run.py --seeds 20

Every test that chance could fail hands its p-values to tests/helpers/chance.py with a level each.
Their sum bounds the chance that a run with fresh seeds fails on sound code, whatever depends on
what. The tests are run with other seeds, and p-values are counted: of those that belong to sound
code no more than a share of x may be below x.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
ALLOWED = 1e-3  # the chance that a run fails on sound code


def files() -> list[str]:
    """The test files that use the helper, by themselves or through other helpers."""
    helpers, known = {"chance"}, set()
    while helpers != known:
        known = helpers
        helpers = known | {f.stem for f in (ROOT / "tests/helpers").glob("*.py") if _uses(f, known)}
    found = (ROOT / "tests").rglob("test_*.py")
    return sorted(str(f.relative_to(ROOT)) for f in found if _uses(f, helpers))


def _uses(file: Path, helpers: set[str]) -> bool:
    imports = rf"^from helpers(\.| import .*\b)({'|'.join(helpers)})\b"
    return re.search(imports, file.read_text(), re.MULTILINE) is not None


def run(shift: int, words: list[str]) -> tuple[list[dict], int]:
    """The p-values of one run, and how many of its tests failed."""
    with tempfile.TemporaryDirectory() as folder:
        log, report = Path(folder) / "log", Path(folder) / "report.json"
        environment = {
            **os.environ,
            "RANKONE_SEED_SHIFT": str(shift),
            "RANKONE_CHANCE_LOG": str(log),
        }
        command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider"]
        command += [f"--junitxml={report}", *words]
        result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if result.returncode not in (0, 1):
            raise SystemExit(result.stdout + result.stderr)
        failed = [line for line in result.stdout.splitlines() if line.startswith("FAILED")]
        print("\n".join(failed), end="\n" if failed else "", flush=True)
        return [json.loads(line) for line in log.read_text().splitlines()], len(failed)


def describe(found: list[dict]) -> bool:
    """The levels of one run, by test; whether their sum is allowed."""
    by_test: dict[str, list[dict]] = defaultdict(list)
    for one in found:
        by_test[one["test"].partition("[")[0]].append(one)
    print(f"{'p-values':>9} {'sum of levels':>14} {'smallest p':>11} {'effect':>7}  test")
    for test, ones in sorted(by_test.items()):
        effects = [one["effect"] for one in ones if not math.isnan(one["effect"])]
        effect = f"{max(effects):.3f}" if effects else "-"
        print(f"{len(ones):>9} {sum(one['level'] for one in ones):>14.1e} "
              f"{min(one['p'] for one in ones):>11.1e} {effect:>7}  {test}")  # fmt: skip
    total = sum(one["level"] for one in found)
    print(f"{len(found):>9} {total:>14.1e}  in all; allowed: {ALLOWED:g}")
    print("effect: the largest that may escape, in standard deviations (or as a share of the "
          "regret): all beyond are seen with a probability of 0.9.")  # fmt: skip
    return total < ALLOWED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="runs with other seeds")
    parser.add_argument("words", nargs="*", help="files and options for pytest, instead of all")
    options = parser.parse_args()
    words = options.words or files()
    usual, failed = run(0, words)
    sound = describe(usual) and not failed
    other: list[dict] = []
    failures = 0
    for shift in range(1, options.seeds + 1):
        found, failed = run(shift, words)
        other += found
        failures += failed
        least = min(one["p"] for one in found)
        told = f"{len(found)} p-values, the smallest {least:.1e}, {failed} tests failed"
        print(f"seeds {shift}: {told}.", flush=True)
    if other:
        below = Counter(x for x in (0.1, 0.01, 1e-3, 1e-4) for one in other if one["p"] < x)
        told = ", ".join(f"{below[x]} below {x:g} ({x * len(other):.3g} expected at most)"
                         for x in (0.1, 0.01, 1e-3, 1e-4))  # fmt: skip
        print(f"{len(other)} p-values with other seeds: {told}.")
    print(f"{options.seeds} runs with other seeds, {failures} tests failed.")
    return 0 if sound and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
