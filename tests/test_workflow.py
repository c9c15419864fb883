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
import yaml

from rankone.pipeline import campaigns as config

ROOT = Path(__file__).parents[1]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/campaign.schema.yaml").read_text())
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
    done(tree, "--cores", "2", *CHOOSE)
    assert not planned(tree, *CHOOSE)
    return tree


@pytest.mark.parametrize("name", ["paper", "smoke"])
def test_a_clean_tree_plans_every_job(clean: Path, name: str) -> None:
    """A job a cell, and figures that are committed do not stand in for results."""
    plan = config.load(ROOT / f"config/{name}.yaml", SCHEMA)
    jobs = planned(clean, {"paper": "all", "smoke": "smoke"}[name])
    cells = sum(len(s.instances) * len(s.policies) for s in plan.studies.values())
    assert cells == 38  # 5 gammas at K = 4, and 11 policies at K = 4, 8 and 16
    assert jobs["simulate"] == cells
    assert jobs["compile"] == len({policy.policy for policy in plan.policies.values()}) == 7
    assert jobs["aggregate"] == len(plan.studies) == 2
    assert jobs["figure"] == len(plan.figures) == 4
    assert jobs["table"] == len(plan.tables)
    assert jobs["publish_figures"] == (name == "paper")


def test_the_default_target_is_the_paper(clean: Path) -> None:
    assert planned(clean) == planned(clean, "all")


def test_a_users_campaign_is_chosen_by_name(clean: Path) -> None:
    file = clean / "config" / "mine.yaml"
    file.write_text(TINY)
    try:
        jobs = planned(clean, "--config", "campaign=mine")
    finally:
        file.unlink()
    assert (jobs["simulate"], jobs["figure"], jobs["publish_figures"]) == (4, 1, 0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["campaign=nobody"], "--config campaign is 'nobody'; allowed: beyond, "),
        (["runs=3"], "--config has the unknown key 'runs'; allowed: campaign=<name>."),
    ],
)
def test_other_options_are_refused(clean: Path, words: list[str], sentence: str) -> None:
    result = snakemake(clean, "-n", "--config", *words)
    assert result.returncode != 0
    assert result.stderr.strip().splitlines()[-1].startswith(sentence)


def test_a_mistake_in_a_config_stops_everything_before_it_starts(played: Path) -> None:
    before = snapshot(played)
    file = played / "config" / "tiny.yaml"
    file.write_text(TINY.replace("runs: 4", "runs: 0"))
    try:
        result = snakemake(played, "--cores", "1", *CHOOSE)
    finally:
        file.write_text(TINY)
    assert result.returncode != 0
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
        "src/rankone/engine.py",
        "",
        "# edited\n",
        DOWNSTREAM | {"compile": 2, "simulate": 4},
    ),
    "the style of figures": (
        "src/rankone/figures.py",
        "",
        "# edited\n",
        {"figure": 1, "all": 1},
    ),
    "a script": (
        "workflow/scripts/comparison.py",
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


def test_figures_are_the_same_when_drawn_again(played: Path) -> None:
    folder = played / "results/tiny/figures"
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == ["figure3.pdf", "figure3.png", "figure3.svg"]
    before = [file.read_bytes() for file in files]
    shutil.rmtree(folder)
    done(played, "--cores", "1", *CHOOSE)
    assert [file.read_bytes() for file in files] == before


def test_the_report_shows_figures_and_tables(played: Path) -> None:
    text = done(played, "--report", "report.html", *CHOOSE)
    assert "(ERROR/" not in text
    page = (played / "report.html").read_text()
    for word in ("Figures", "Tables", "results/tiny/figures/figure3.png", "final_regret.html"):
        assert word in page


@pytest.mark.slow
def test_check_starts_from_scratch_and_sees_a_changed_constant(tmp_path) -> None:
    tree = copy_tree(tmp_path)
    (tree / "config/tiny.yaml").write_text(TINY.replace("horizon: 60", "horizon: 300"))
    common = tree / "workflow/rules/common.smk"
    assert 'CHECKED = ["paper"]' in common.read_text()
    common.write_text(common.read_text().replace('CHECKED = ["paper"]', 'CHECKED = ["tiny"]'))
    done(tree, "--cores", "2", "renew_expected")

    # neither results that are there nor those of the last check can satisfy the next one
    done(tree, "--cores", "2", *CHOOSE)
    texts = change_constant(tree, "2.0", "2.1")
    result = snakemake(tree, "--cores", "2", "check")
    assert result.returncode != 0
    said = result.stdout + result.stderr
    assert re.search(r"regret.csv: \d+ rows, \d+ of which differ", said)
    assert re.search(r"square +ucb1 +300 ", said)
    assert not re.search(r"square +uts +300 ", said)

    for file, text in texts.items():
        file.write_text(text)
    assert "none of which differ" in done(tree, "--cores", "2", "check")


def change_constant(tree: Path, old: str, new: str) -> dict[Path, str]:
    """Edit UCB1 where it is played, in its fast twin too if it has one; return the old texts."""
    files = [tree / f"src/rankone/{folder}/ucb1.py" for folder in ("policies", "fast")]
    texts = {file: file.read_text() for file in files if file.exists()}
    for file, text in texts.items():
        assert old in text
        file.write_text(text.replace(old, new))
    return texts
