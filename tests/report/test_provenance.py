"""How results were made: what is named is what was."""

import platform
import subprocess
from pathlib import Path

import numpy as np
from helpers import made_up_results

import rankone
from rankone.report import provenance
from rankone.runs import save


def test_versions_are_those_installed():
    found = dict(provenance.versions())
    assert found["numpy"] == np.__version__
    assert found["Python"] == platform.python_version()


def test_a_missing_package_is_said(monkeypatch):
    monkeypatch.setattr(provenance, "PACKAGES", ("no-such-package",))
    assert dict(provenance.versions())["no-such-package"] == "not installed"


def test_the_commit_and_whether_something_changed(tmp_path: Path):
    assert provenance.commit(tmp_path).startswith("unknown")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    (tmp_path / "a").write_text("1")
    for words in (["init", "-q"], ["add", "a"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    clean = provenance.commit(tmp_path)
    assert len(clean) == 40
    (tmp_path / "a").write_text("2")
    assert provenance.commit(tmp_path) == clean + ", with changes that are not committed"


def test_runs_say_what_they_were_made_with(tmp_path: Path):
    assert provenance.made_with([]) == "unknown"
    runs = rankone.simulate("ucb1", rankone.rank_one([0.7, 0.2], [0.6, 0.1]), horizon=50, runs=2)
    file = tmp_path / "runs.npz"
    save(runs, file)
    assert np.__version__ in provenance.made_with([file])


def test_times_are_added_up_by_step(tmp_path: Path):
    made_up_results.write(tmp_path, "paper")
    results = tmp_path / "results"
    text = (results / "paper/benchmarks/runs/job.tsv").read_text()
    (results / "paper/benchmarks/runs/other.tsv").write_text(text.replace("2.5\n", "-\n"))
    (row,) = provenance.times(["paper", "none"], results).to_dict("records")
    assert (row["campaign"], row["step"], row["jobs"]) == ("paper", "runs", 2)
    assert (row["seconds"], row["cpu"], row["megabytes"]) == (7.0, 2.5, 180.0)


def test_no_times_at_all(tmp_path: Path):
    assert provenance.times(["paper"], tmp_path).empty
