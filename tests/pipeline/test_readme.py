"""The README's blocks are filled from files, and its text stays true to the tree."""

import re
from pathlib import Path

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
