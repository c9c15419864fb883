"""How the results were made: versions, commit, machine and run times."""

import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pandas as pd

from rankone import runs

PACKAGES = (
    "rankone", "numpy", "numba", "scipy", "pandas", "matplotlib", "plotly", "snakemake",
)  # fmt: skip


def versions() -> list[tuple[str, str]]:
    """Python and the packages that results and report depend on, as they are now."""
    found = [("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            found.append((name, "not installed"))
    return found


def commit(folder: Path) -> str:
    """The commit of the code, and whether something was changed since."""
    try:
        head = _git(folder, "rev-parse", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown: not a git repository"
    return head + (", with changes that are not committed" if changed else "")


def machine() -> list[tuple[str, str]]:
    """The machine that writes the report."""
    return [
        ("Processor", _processor()),
        ("Cores", str(os.cpu_count())),
        ("Memory", _memory()),
        ("System", f"{platform.system()} {platform.release()}"),
        ("Interpreter", f"{platform.python_implementation()} {sys.version.split()[0]}"),
    ]


def made_with(files: Iterable[Path]) -> str:
    """The versions that files of runs carry; all that were met."""
    found = set()
    for file in files:
        origin = runs.read([file]).origin
        if origin is not None:
            found.add(", ".join(f"{name} {version}" for name, version in origin.versions.items()))
    return "; ".join(sorted(found)) or "unknown"


def times(campaigns: Sequence[str], results: Path) -> pd.DataFrame:
    """What the jobs of each campaign took, by what they made; from Snakemake's benchmark files."""
    rows = []
    for campaign in campaigns:
        folder = results / campaign / "benchmarks"
        for file in sorted(folder.rglob("*.tsv")):
            step = file.relative_to(folder).parts[0].removesuffix(".tsv")
            job = pd.read_csv(file, sep="\t", na_values="-").iloc[-1]
            memory = float(job["max_rss"])
            rows.append((campaign, step, float(job["s"]), float(job["cpu_time"]), memory))
    columns = ["campaign", "step", "seconds", "cpu", "megabytes"]
    jobs = pd.DataFrame(rows, columns=columns).fillna(0.0)
    grouped = jobs.groupby(["campaign", "step"], sort=False)
    return grouped.agg(
        jobs=("seconds", "size"),
        seconds=("seconds", "sum"),
        cpu=("cpu", "sum"),
        megabytes=("megabytes", "max"),
    ).reset_index()


def finished(files: Iterable[Path]) -> str:
    """When the last of these files was written, in UTC."""
    last = max(file.stat().st_mtime for file in files)
    return datetime.fromtimestamp(last, UTC).strftime("%Y-%m-%d %H:%M UTC")


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return "unknown"
    return f"{size / 2**30:.0f} GiB"
