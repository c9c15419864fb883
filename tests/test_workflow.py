"""The workflow as its user sees it: what is planned, what reruns after an edit, what is refused.

Snakemake runs in a copy of the tree, so that nothing here meets or makes results of the project.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from helpers import browsing

from rankone.pipeline import campaigns as config

ROOT = Path(__file__).parents[1]
PARTS = (
    "Snakefile",
    "README.md",
    "workflow",
    "config",
    "profiles",
    "src",
    "environment.yml",
    "figures",
)
pytestmark = pytest.mark.workflow

TINY = """
seed: 1
instances:
  square: {u: [0.9, 0.1], v: [0.8, 0.2]}
  flat: {u: [0.9], v: [0.1, 0.8, 0.3]}
studies:
  regret: {horizon: 60, runs: 4, instances: [square, flat]}
policies:
  uts: {label: UTS}
  ucb1: {label: UCB1}
figures:
  figure3: {kind: comparison, study: regret}
tables:
  final_regret: {study: regret}
"""


def copy_tree(folder: Path) -> Path:
    """The committed parts of the project, with no results."""
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=ignore)
        elif (ROOT / part).exists():
            shutil.copy(ROOT / part, folder / part)
    return folder


CHOOSE = ("--config", "campaign=tiny")


def snakemake(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", *words]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=600)


def done(tree: Path, *words: str) -> str:
    """What a run that must succeed has printed."""
    result = snakemake(tree, *words)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def planned(tree: Path, *words: str) -> Counter[str]:
    """How many jobs of each rule a dry run plans."""
    table = done(tree, "-n", *words).partition("Job stats:")[2].partition("total")[0]
    return Counter({rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", table, re.M)})


@pytest.fixture(scope="module")
def clean(tmp_path_factory) -> Path:
    """A fresh clone; the tests leave it without results."""
    return copy_tree(tmp_path_factory.mktemp("clean"))


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """A tree with a tiny campaign that was run; the tests put back what they edit."""
    tree = copy_tree(tmp_path_factory.mktemp("played"))
    (tree / "config/tiny.yaml").write_text(TINY)
    (tree / "told.txt").write_text(done(tree, "--cores", "2", "--verbose", *CHOOSE))
    assert not planned(tree, *CHOOSE)
    return tree


@pytest.mark.parametrize("name", ["paper", "smoke"])
def test_a_clean_tree_plans_every_job(clean: Path, name: str) -> None:
    """One job per cell, and figures that are committed do not stand in for results."""
    plan = config.load(ROOT / f"config/{name}.yaml")
    jobs = planned(clean, *([name] if name != "paper" else []))  # which is the default target
    assert jobs["simulate"] == sum(
        len(cell["files"]) for study in plan.studies for cell in plan.cells(study)
    )
    playing = {policy.policy for study in plan.studies.values() for policy in study.policies}
    assert jobs["compile"] == len(playing)
    assert jobs["aggregate"] == len(plan.studies)
    assert jobs["figure"] == len(plan.figures)
    assert jobs["table"] == len(plan.tables)
    assert jobs["publish_figures"] == (len(plan.figures) if name == "paper" else 0)


def test_jobs_are_chosen_when_one_has_ended_and_not_again_and_again(played: Path) -> None:
    """Snakemake's own limit of jobs a second would make it choose once a second per ended job."""
    told = (played / "told.txt").read_text()
    jobs = int(re.findall(r"^total +(\d+)$", told, re.M)[0])
    assert 2 <= told.count("Ready jobs: ") <= jobs + 2


def test_every_target_can_be_planned(clean: Path) -> None:
    """At once: each of them is a job of its own, and more than that needs its own run."""
    names = ["claims", "published", "beyond", "benchmark", "discrepancies"]
    jobs = planned(clean, *names)
    assert all(jobs[name] == 1 for name in names), jobs


def test_a_users_campaign_is_chosen_by_name(clean: Path) -> None:
    file = clean / "config" / "mine.yaml"
    file.write_text(TINY)
    try:
        jobs = planned(clean, "--config", "campaign=mine")
    finally:
        file.unlink()
    assert (jobs["simulate"], jobs["figure"], jobs["publish_figures"]) == (4, 1, 0)


def test_a_users_campaign_is_a_file_anywhere(clean: Path, tmp_path: Path) -> None:
    """From the user's own folder, with a policy of theirs; the clone stays as it was."""
    (tmp_path / "mine.yml").write_text(
        "like: paper\nevery_study: {horizon: 2000, runs: 2}\ninstances: {K64: null, K128: null}\n"
    )
    words = ["-s", str(clean / "Snakefile"), "--configfile", "mine.yml", "-n"]
    result = snakemake(tmp_path, *words)
    assert result.returncode == 0, result.stderr
    assert "All of mine is in results/mine/." in result.stdout + result.stderr
    assert not (clean / "results").exists()


def test_a_bomb_is_refused_before_snakemake_unfolds_it(clean: Path, tmp_path: Path) -> None:
    """Snakemake prints the config file that it is given: nine to the power of thirty words."""
    lines = ["a0: &a0 [lol, lol, lol]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    result = snakemake(tmp_path, "-s", str(clean / "Snakefile"), "--configfile", "bomb.yaml", "-n")
    assert result.returncode == 2
    assert "bomb.yaml unfolds to more than 1,000,000 values" in result.stderr


def test_a_half_written_config_stops_only_what_needs_it(clean: Path) -> None:
    file = clean / "config" / "draft.yaml"
    file.write_text("seed: 1\nstudies: {x: {runs: }}\n")
    try:
        assert planned(clean, "smoke")
        for words in (["--config", "campaign=draft"], ["draft"], ["results/draft/bands/x.csv"]):
            result = snakemake(clean, "-n", *words)
            assert result.returncode != 0
            told = result.stderr.strip().splitlines()[-1]
            assert told.startswith("config/draft.yaml: studies.x lacks the key 'horizon'; allowed:")
    finally:
        file.unlink()


def test_a_changed_paper_leaves_the_committed_figures_alone(clean: Path) -> None:
    """Unless asked for by `snakemake publish`."""
    file = clean / "config" / "paper.yaml"
    text = file.read_text()
    line = "policies:\n  mine: {policy: ucb1, label: Mine}\n"
    file.write_text(text.replace("\npolicies:\n", f"\n{line}", 1))
    try:
        result = snakemake(clean, "-n")
        assert result.returncode == 0, result.stderr
        assert "publish_figures" not in result.stdout
        assert "figures/ is left alone" in result.stderr
        assert planned(clean, "publish")["publish_figures"] == 6
    finally:
        file.write_text(text)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["campaign=nobody"], "--config campaign is 'nobody'; allowed: benchmark, "),
        (["runs=3"], "--config has the unknown key 'runs'; allowed: campaign=<name>."),
    ],
)
def test_other_options_are_refused(clean: Path, words: list[str], sentence: str) -> None:
    result = snakemake(clean, "-n", "--config", *words)
    assert result.returncode == 2
    assert result.stderr.strip().splitlines()[-1].startswith(sentence)


def test_a_mistake_in_a_config_stops_everything_before_it_starts(played: Path) -> None:
    before = snapshot(played)
    file = played / "config" / "tiny.yaml"
    file.write_text(TINY.replace("runs: 4", "runs: 0"))
    try:
        result = snakemake(played, "--cores", "1", *CHOOSE)
    finally:
        file.write_text(TINY)
    assert result.returncode == 2
    sentence = "config/tiny.yaml: studies.regret.runs is 0; allowed: a whole number of at least 1."
    assert result.stderr.strip().splitlines()[-1] == sentence
    assert "Traceback" not in result.stdout + result.stderr
    assert snapshot(played) == before


def snapshot(tree: Path) -> dict[str, tuple[int, bytes]]:
    files = (file for file in (tree / "results").rglob("*") if file.is_file())
    return {str(file): (file.stat().st_mtime_ns, file.read_bytes()) for file in files}


DOWNSTREAM = {"aggregate": 1, "figure": 1, "table": 1, "all": 1}
EDITS = {
    "a policy": (
        "src/rankone/policies/uts.py",
        "",
        "# edited\n",
        DOWNSTREAM | {"compile": 1, "simulate": 2},
    ),
    "the engine": (
        "src/rankone/engine/loop.py",
        "",
        "# edited\n",
        DOWNSTREAM | {"compile": 2, "simulate": 4},
    ),
    "the style of figures": (
        "src/rankone/show/figures.py",
        "",
        "# edited\n",
        {"figure": 1, "all": 1},
    ),
    "a script": (
        "workflow/scripts/figure.py",
        "",
        "# edited\n",
        {"figure": 1, "all": 1},
    ),
    "a label": (
        "config/tiny.yaml",
        "label: UTS",
        "label: Other",
        {"figure": 1, "table": 1, "all": 1},
    ),
    "what is drawn": (
        "config/tiny.yaml",
        "ucb1: {label: UCB1}",
        "ucb1: {label: UCB1, draw: false}",
        {"figure": 1, "table": 1, "all": 1},
    ),
    "a comment": ("config/tiny.yaml", "seed: 1", "seed: 1 # why", {}),
    "a parameter": (
        "config/tiny.yaml",
        "{label: UTS}",
        "{label: UTS, parameters: {gamma: 5}}",
        DOWNSTREAM | {"simulate": 2},
    ),
    "the seed": ("config/tiny.yaml", "seed: 1", "seed: 2", DOWNSTREAM | {"simulate": 4}),
    "more runs in batches": (
        "config/tiny.yaml",
        "runs: 4",
        "runs: 8, batch: 4",
        DOWNSTREAM | {"simulate": 4},
    ),
    "another policy": (
        "config/tiny.yaml",
        "ucb1: {label: UCB1}",
        "ucb1: {label: UCB1}\n  twice: {policy: uts, label: Twice}",
        DOWNSTREAM | {"simulate": 2},
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_reruns_what_it_touches_and_no_more(played: Path, edit: str) -> None:
    path, old, new, jobs = EDITS[edit]
    file = played / path
    text, times = file.read_text(), file.stat()
    assert old in text
    file.write_text(text.replace(old, new, 1) if old else text + new)
    try:
        assert planned(played, *CHOOSE) == jobs
    finally:
        file.write_text(text)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # a script's time counts


def test_no_job_depends_on_cores_or_batches(played: Path) -> None:
    """The same bytes from one core and from two, from one batch and from four."""
    whole = (played / "results/tiny/bands/regret.csv").read_bytes()
    file = played / "config" / "cut.yaml"
    file.write_text("like: tiny\nevery_study: {batch: 1}\n")
    bands = "results/cut/bands/regret.csv"
    try:
        assert planned(played, bands)["simulate"] == 16
        done(played, "--cores", "1", bands)
    finally:
        file.unlink()
    assert (played / bands).read_bytes() == whole


def test_a_group_on_a_node_of_slurm_starts_no_further_snakemake(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm's executor would start `srun snakemake` for each job of the group."""
    srun = tmp_path / "srun"
    srun.write_text(f"#!/bin/sh\necho started >> {tmp_path}/told\nexit 1\n")
    srun.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    cells = ["instance=square,policy=uts", "instance=flat,policy=ucb1"]
    folders = ["square/uts", "flat/ucb1"]
    files = [played / f"results/tiny/runs/regret/{folder}/0-3.npz" for folder in folders]
    before = [(file.stat().st_ino, file.read_bytes()) for file in files]
    jobs = [f"simulate:campaign=tiny,study=regret,{cell},first=0,last=3" for cell in cells]
    # as the executor writes it into the script that it gives to sbatch
    words = ["--target-jobs", *jobs, "--allowed-rules", "simulate", "--local-groupid", "group"]
    words += ["--force", "--target-files-omit-workdir-adjustment", "--no-hooks", "--nolock"]
    words += ["--cores", "1", "--executor", "slurm-jobstep", "--jobs", "1", "--mode", "remote"]
    done(played, *words)
    assert not (tmp_path / "told").exists()
    for file, (number, content) in zip(files, before, strict=True):
        assert file.stat().st_ino != number, "it was not made"
        assert file.read_bytes() == content


def test_figures_are_the_same_when_drawn_again(played: Path) -> None:
    folder = played / "results/tiny/figures"
    files = sorted(file for file in folder.iterdir() if file.is_file())
    assert [file.name for file in files] == ["figure3.pdf", "figure3.png", "figure3.svg"]
    before = [file.read_bytes() for file in files]
    shutil.rmtree(folder)
    done(played, "--cores", "1", *CHOOSE)
    assert [file.read_bytes() for file in files] == before


def test_the_report_of_snakemake_shows_figures_and_tables(played: Path) -> None:
    text = done(played, "--report", "snakemake-report.html", *CHOOSE)
    assert "(ERROR/" not in text
    page = (played / "snakemake-report.html").read_text()
    for word in ("Figures", "Tables", "results/tiny/figures/figure3.png", "final_regret.html"):
        assert word in page
    assert "Regret of the policies" in page  # what a result is about, beside its name


@pytest.mark.slow
def test_the_report_of_snakemake_lists_every_result_in_a_browser(played: Path, browser) -> None:
    done(played, "--report", "snakemake-report.html", *CHOOSE)
    with browsing.watched(browser, played / "snakemake-report.html") as page:
        page.get_by_text("This page shows how the results were made").wait_for()
        for sort, name in (("Figures", "figure3: Regret of"), ("Tables", "final_regret: Regret")):
            page.get_by_text("Results", exact=True).first.click()
            page.get_by_text(sort, exact=True).first.click()
            page.get_by_text(name).first.wait_for()
            page.reload()


def test_the_report_is_of_the_chosen_campaign_and_is_made_once(played: Path) -> None:
    done(played, "--cores", "1", "report", *CHOOSE)
    page = (played / "report.html").read_text()
    assert 'id="main-figure3"' in page
    assert "Not run yet" in page  # the claims
    assert "Nothing to be done" in done(played, "--cores", "1", "report", *CHOOSE)


@pytest.mark.slow
def test_check_sees_a_changed_constant(tmp_path) -> None:
    tree = copy_tree(tmp_path)
    (tree / "config/tiny.yaml").write_text(TINY.replace("horizon: 60", "horizon: 300"))
    (tree / "tests/expected/tiny").mkdir(parents=True)
    done(tree, "--cores", "2", "renew_expected")

    files = [tree / f"src/rankone/{room}/ucb1.py" for room in ("policies", "fast")]
    texts = {file: file.read_text() for file in files if file.exists()}
    for file, text in texts.items():
        assert "2.0" in text
        file.write_text(text.replace("2.0", "2.1"))
    result = snakemake(tree, "--cores", "2", "check")
    assert result.returncode != 0
    said = result.stdout + result.stderr
    assert re.search(r"regret.csv: \d+ of \d+ rows differ, \d+ by more than they may", said)
    assert re.search(r"square +ucb1 +300 ", said)
    assert not re.search(r"square +uts +300 ", said)

    for file, text in texts.items():
        file.write_text(text)
    assert "identical to the bit" in done(tree, "--cores", "2", "check")
