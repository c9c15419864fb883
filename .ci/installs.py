"""Install the package as users do, into throw-away environments, and run tests there.

    python .ci/installs.py release    # an sdist and a wheel in dist/, tried outside the tree
    python .ci/installs.py matrix     # each Python of 3.11 to 3.14 that is found, newest and oldest

`release` installs the locked versions; `matrix` the newest ones that pyproject.toml allows, and for
the oldest Python also the lowest ones that it declares. Needs uv, which fetches the Pythons that
are missing, where it can. Prints what was tried, and what failed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Quick, and of every layer up to the command line; --all runs what needs nothing but tests/.
QUICK = [
    "tests/engine/test_kl.py",
    "tests/engine/test_seeds.py",
    "tests/engine/test_loop.py",
    "tests/stats",
    "tests/test_instances.py",
    "tests/test_runs.py",
    "tests/test_simulation.py",
    "tests/test_theory.py",
]
ALL = ["tests/engine", "tests/fast", "tests/policies", "tests/stats", "tests/test_*[!pw].py"]
TOOLS = ["pytest", "pytest-timeout", "mpmath", "hypothesis"]  # what these tests import


def run(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(list(map(str, words)), cwd=cwd, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip


def must(*words: str | Path, cwd: Path | None = None) -> str:
    result = run(*words, cwd=cwd)
    if result.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{result.stdout}")
    return result.stdout


def environment(folder: Path, python: str, *install: str | Path) -> Path:
    """The Python of a new environment with these installed."""
    must("uv", "venv", "--quiet", "--python", python, folder)
    interpreter = folder / "bin" / "python"
    must("uv", "pip", "install", "--quiet", "--python", interpreter, *install)
    return interpreter


def tests(python: Path, folder: Path, names: list[str]) -> str:
    """Run tests in a folder that has nothing but them; the last line of what they say."""
    shutil.copytree(ROOT / "tests", folder / "tests", dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", folder)
    found = must(python, "-c", "import rankone; print(rankone.__file__)", cwd=folder).strip()
    if Path(found).is_relative_to(ROOT):
        raise SystemExit(f"{found} is of the tree; allowed: the installed package.")
    serial = ["-n0"] if _has_xdist(python) else []
    words = ["-q", *serial, "-m", "not slow and not workflow", "-p", "no:cacheprovider", *names]
    result = run(python, "-m", "pytest", *words, cwd=folder)
    last = (result.stdout.strip().splitlines() or ["nothing"])[-1]
    if result.returncode:
        print(result.stdout[-3000:])
    return ("" if result.returncode == 0 else "FAILED: ") + last


def _has_xdist(python: Path) -> bool:
    return run(python, "-c", "import xdist").returncode == 0


def build() -> tuple[Path, Path]:
    """The sdist, and the wheel made from it."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    must(sys.executable, "-m", "build", "--no-isolation", cwd=ROOT)
    (sdist,), (wheel,) = ((ROOT / "dist").glob(ending) for ending in ("*.tar.gz", "*.whl"))
    return sdist, wheel


def release(names: list[str]) -> list[str]:
    """Both files with the locked versions, outside the tree."""
    failed = []
    for file in build():
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            lock = ("--require-hashes", "-r", ROOT / "requirements.lock")
            python = environment(home / "env", sys.executable, *lock)
            must("uv", "pip", "install", "--quiet", "--python", python, "--no-deps",
                 "--no-build-isolation", file)  # fmt: skip
            told = tests(python, home, names)
        print(f"{file.name}: {told}", flush=True)
        failed += [file.name] if told.startswith("FAILED") else []
    return failed


def matrix(names: list[str]) -> list[str]:
    """Newest versions on every Python, lowest declared ones on the first that there is."""
    _, wheel = build()
    failed, missing, lowest = [], [], False
    for version in PYTHONS:
        if run("uv", "python", "find", version).returncode and (
            run("uv", "python", "install", version).returncode
        ):
            print(f"Python {version}: not here, and it cannot be fetched.", flush=True)
            missing.append(version)
            continue
        for resolution in ["highest"] if lowest else ["lowest-direct", "highest"]:
            lowest = True
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder)
                wanted = [f"rankone[workflow] @ {wheel.as_uri()}"]
                if resolution == "lowest-direct":
                    wanted += ["-r", str(_lowest(home / "lowest.txt", version))]
                try:
                    python = environment(home / "env", version, *wanted, *_tools(resolution))
                    told = tests(python, home, names)
                except SystemExit as error:
                    told = f"FAILED: {str(error).strip().splitlines()[-1]}"
                else:
                    told += f" ({_versions(python)})"
            name = f"Python {version}, {resolution}"
            print(f"{name}: {told}", flush=True)
            failed += [name] if "FAILED" in told else []
    print(f"matrix: not tried on Python {', '.join(missing) or '(none)'}.")
    return failed


def _lowest(file: Path, version: str) -> Path:
    """The lowest versions of what pyproject.toml names, with the newest of what these need."""
    must("uv", "pip", "compile", "--quiet", "--resolution", "lowest-direct", "--python-version",
         version, "--extra", "workflow", "pyproject.toml", "-o", file, cwd=ROOT)  # fmt: skip
    return file


def _tools(resolution: str) -> list[str]:
    """The tools of the tests; their lowest versions are nobody's promise."""
    if resolution == "highest":
        return TOOLS
    pins = (ROOT / "requirements.lock").read_text().splitlines()
    return [pin.split()[0] for pin in pins if pin.partition("==")[0] in TOOLS]


def _versions(python: Path) -> str:
    code = "import importlib.metadata as m; print(*(n + chr(32) + m.version(n) for n in {names}))"
    names = ("numba", "numpy", "scipy", "pandas", "snakemake")
    return must(python, "-c", code.format(names=names)).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["release", "matrix"])
    parser.add_argument("--all", action="store_true", help="more tests than the quick ones")
    options = parser.parse_args()
    if shutil.which("uv") is None:
        print("uv is missing; allowed: `pip install uv`, or see its own instructions.")
        return 2
    failed = {"release": release, "matrix": matrix}[options.what](ALL if options.all else QUICK)
    print(f"{options.what}: {len(failed)} failed{': ' if failed else ''}{', '.join(failed)}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
