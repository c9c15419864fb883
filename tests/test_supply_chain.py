"""What is installed is known, and nothing is fetched while it runs."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
# Python itself refuses the network, for every process that is started from here.
NO_NETWORK = """
import socket

def refuse(*given, **named):
    raise RuntimeError("the network is off")

class Local(socket.socket):
    def connect(self, address):
        return super().connect(address) if self.family == socket.AF_UNIX else refuse()

    connect_ex = connect

socket.socket = Local
socket.getaddrinfo = socket.create_connection = socket.gethostbyname = refuse
"""
TINY = """
seed: 1
instances:
  square: {u: [0.9, 0.1], v: [0.8, 0.2]}
policies:
  uts: {label: UTS}
studies:
  regret: {horizon: 60, runs: 4, instances: [square]}
tables:
  final_regret: {study: regret}
"""


def offline(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "offline"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NO_NETWORK)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def run(*words: str, env: dict[str, str], cwd: Path) -> str:
    """The output of a command that must succeed, in a namespace without network if there may be."""
    cut = ["unshare", "-n"] if shutil.which("unshare") and os.geteuid() == 0 else []
    if cut and subprocess.run([*cut, "true"], capture_output=True).returncode:
        cut = []
    command = [*cut, sys.executable, *words]
    result = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_network_is_off_in_these_tests(tmp_path: Path) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    with pytest.raises(AssertionError, match="the network is off"):
        run("-c", code, env=offline(tmp_path), cwd=tmp_path)


def test_simulations_need_no_network(tmp_path: Path) -> None:
    typed = ["--u", ".8,.3", "--v", ".9,.4", "--horizon", "100", "--runs", "2"]
    told = run("-m", "rankone", "simulate", "uts", *typed, env=offline(tmp_path), cwd=tmp_path)
    assert "mean regret" in told


@pytest.mark.workflow
def test_the_workflow_needs_no_network(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY)
    snakefile = ["-s", str(ROOT / "Snakefile"), "--configfile", "tiny.yaml"]
    run("-m", "snakemake", "--cores", "1", *snakefile, env=offline(tmp_path), cwd=tmp_path)
    assert (tmp_path / "results/tiny/tables/final_regret.csv").exists()


def test_every_locked_package_is_listed_with_its_licence() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = re.findall(r"^([a-z0-9][^\s=]*)==([^\s;\\]+)", lock, flags=re.MULTILINE)
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+) \|$", page, flags=re.MULTILINE)
    assert [(name, version) for name, version, _ in rows[1:]] == locked, "make licences"


def test_every_locked_package_has_hashes() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_audit_tells_a_weakness_from_a_source_that_is_silent() -> None:
    asked = audit()
    assert asked.outcome(0, "No known vulnerabilities found") == asked.CLEAN
    assert asked.outcome(1, "Found 1 known vulnerability in 1 package") == asked.FOUND
    assert asked.outcome(1, "Found 12 known vulnerabilities in 3 packages") == asked.FOUND
    assert asked.outcome(1, "ERROR: a: Dependency not found and could not be audited") == 3


def test_the_audit_compares_what_is_locked_with_what_is_new() -> None:
    asked = audit()
    locked = asked.versions("a==1.0 \\\n    --hash=x\nb==2 ; sys_platform == 'win32' \\\n# c==3\n")
    assert locked == {"a": "1.0", "b": "2"}
    assert asked.behind(locked, {"a": "1.1", "b": "2", "d": "4"}) == ["a 1.0 -> 1.1"]


def test_the_last_audit_is_of_what_is_locked() -> None:
    """A new lock needs a new answer."""
    asked = audit()
    locked = asked.versions((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    assert f"{len(locked)} locked versions (digest {asked.digest(locked)})" in page, "make audit"
