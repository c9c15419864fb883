"""The README's blocks are filled from files, and its text stays true to the tree."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankone import contract
from rankone.pipeline import readme

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_block_is_replaced_by_its_file_and_nothing_else_changes():
    text = "a\n<!-- begin x.md -->\nold\nold\n<!-- end -->\nb\n<!-- begin y.md -->\n<!-- end -->\n"
    filled = readme.fill(text, {"x.md": "new\n", "y.md": "| 1 |\n"}.__getitem__)
    assert filled == (
        "a\n<!-- begin x.md -->\nnew\n<!-- end -->\nb\n<!-- begin y.md -->\n| 1 |\n<!-- end -->\n"
    )
    assert readme.files(text) == ["x.md", "y.md"]


def test_filling_twice_changes_nothing_more():
    text = "<!-- begin x.md -->\n<!-- end -->\n"
    once = readme.fill(text, lambda file: "t\n")
    assert readme.fill(once, lambda file: "t\n") == once


def test_every_block_of_the_readme_is_filled():
    blocks = [m[0] for m in readme.BLOCK.finditer(TEXT)]
    assert blocks
    for block in blocks:
        assert block.count("\n") > 2, f"{block.splitlines()[0]} is empty: run snakemake readme"


def test_pictures_and_linked_files_of_the_readme_exist():
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert links
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing, f"the README names files that are not there: {missing}"


def policies_of_the_readme() -> dict[str, str]:
    """The policy files that the README shows: blocks that begin with their name in a comment."""
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", TEXT, re.DOTALL)
    return dict(blocks)


@pytest.mark.parametrize("name", policies_of_the_readme())
def test_the_policies_of_the_readme_keep_the_contract(name, tmp_path, monkeypatch):
    monkeypatch.setattr(contract, "SECONDS", 0.5)
    (tmp_path / name).write_text(policies_of_the_readme()[name])
    found = list(contract.check(tmp_path / name))
    assert [str(finding) for finding in found if finding.passed is False] == []


def test_the_readme_shows_a_sketch_and_a_declared_policy():
    assert len(policies_of_the_readme()) == 2


def test_the_first_figure_of_the_readme_can_be_drawn(tmp_path):
    block = re.search(r"```python\n(import rankone\n.*?)```", TEXT, re.DOTALL)[1]
    block = block.replace("300_000", "3_000").replace("10**12", "10**6")
    command = [sys.executable, "-c", block]
    subprocess.run(command, cwd=tmp_path, check=True, env={**os.environ, "MPLBACKEND": "agg"})
    assert (tmp_path / "uts.png").stat().st_size > 1000
