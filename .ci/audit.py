"""Known weaknesses of the locked versions, asked wherever they can be asked.

    python .ci/audit.py [--uv 'python3 -m uv']

pip-audit asks two sources of advisories, one after the other. Where neither can be reached, what
the package index itself knows is asked in their place: which locked versions were withdrawn, and
which have a newer release, where a mend would be. That is less than an audit, and it says so.

The exit code is 0 if a source of advisories was asked and knows nothing against any version, 1 if
it knows something or a version was withdrawn, 3 if none could be asked. docs/audit.md has the last
answer.
"""

import argparse
import datetime
import hashlib
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
SOURCES = ("pypi", "osv")  # as pip-audit calls them
CLEAN, FOUND, UNKNOWN = 0, 1, 3
# As in the Makefile, but for the newest releases and without hashes.
NEWEST = "pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --no-header"
NEWEST += " --no-annotate --upgrade --extra dev pyproject.toml"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=ROOT, text=True, capture_output=True)


def versions(text: str) -> dict[str, str]:
    """Packages and versions of a lock file: the lines `name==version`."""
    return dict(re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", text, re.MULTILINE))


def digest(locked: dict[str, str]) -> str:
    """Twelve letters that stand for all of them, so that an old answer is seen to be old."""
    return hashlib.sha256(repr(sorted(locked.items())).encode()).hexdigest()[:12]


def outcome(code: int, told: str) -> int:
    """What pip-audit found; it ends with 1 both for a weakness and for a source that is silent."""
    if code == 0:
        return CLEAN
    return FOUND if re.search(r"Found \d+ known vulnerabilit", told) else UNKNOWN


def ask(uv: list[str], source: str) -> int:
    """What a source of advisories says."""
    words = ["tool", "run", "pip-audit", "--strict", "--require-hashes", "--disable-pip"]
    done = run(*uv, *words, "--vulnerability-service", source, "-r", str(LOCK))
    found = outcome(done.returncode, done.stderr)
    last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
    print(f"{source}: {('no known weakness', 'weaknesses', '', 'cannot be asked')[found]} ({last})")
    if found == FOUND:
        print(done.stdout)
    return found


def withdrawn(uv: list[str]) -> list[str]:
    """What the index says about locked versions that were withdrawn (PEP 592)."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["pip", "install", "--dry-run", "--no-deps", "--target", folder, "-r", str(LOCK)]
        done = run(*uv, *words)
    if done.returncode:
        raise SystemExit(f"The package index cannot be asked either.\n{done.stderr}")
    return [line for line in done.stderr.splitlines() if "yanked" in line]


def behind(locked: dict[str, str], newest: dict[str, str]) -> list[str]:
    """Locked versions that have a newer release."""
    return [
        f"{name} {locked[name]} -> {newest[name]}"
        for name in sorted(locked.keys() & newest.keys())
        if locked[name] != newest[name]
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--uv", default="uv", help="how uv is called")
    uv = shlex.split(parser.parse_args().uv)
    locked = versions(LOCK.read_text())
    today = datetime.date.today().isoformat()
    print(f"{len(locked)} locked versions (digest {digest(locked)}), {today}")
    for source in SOURCES:
        if (found := ask(uv, source)) != UNKNOWN:
            return found
    gone = withdrawn(uv)
    print(f"index: {len(gone)} of {len(locked)} locked versions withdrawn", *gone, sep="\n  ")
    compiled = run(*uv, *shlex.split(NEWEST))
    older = behind(locked, versions(compiled.stdout))
    print(f"index: {len(older)} of {len(locked)} have a newer release", *older, sep="\n  ")
    print("No source of advisories could be asked: this is no audit.")
    return FOUND if gone else UNKNOWN


if __name__ == "__main__":
    sys.exit(main())
