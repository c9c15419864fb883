"""Everything printed in README and docs works as printed: code, YAML and commands are run.

- Python: the blocks of a page run one after the other, in one namespace and an empty folder. A
  block whose first line is a comment with a file name (`# moss.py`) is written to that file.
- YAML: a block that is a campaign is read and checked as Snakemake does it, its policies included.
- Commands, indented by four spaces: `rankone` runs as it stands, with the page's files at hand.
  `snakemake` plans (-n) instead of running, in an empty folder; `make` must know the target. What
  changes the machine or needs a person (git, source, an editor, ...) is in a list, and not run.
- The doctests of the public modules, the notebook, and the site itself, whose pages must load
  nothing from elsewhere.
"""

import doctest
import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
import yaml
from nbclient import NotebookClient

from rankone.__main__ import main
from rankone.pipeline import campaigns

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "config/README.md",
    *(str(file.relative_to(ROOT)) for file in sorted((ROOT / "docs").glob("*.md"))),
]
PUBLIC = [
    "instances",
    "runs",
    "show.formats",
    "show.plots",
    "simulation",
    "stats.comparing",
]
# Commands that change the machine, need a person, or a cluster; and words of shell that need none.
NOT_RUN = {
    "git",
    "cd",
    "source",
    "conda",
    "pip",
    "$EDITOR",
    "tmux",
    "scancel",
    "eval",
    "pre-commit",
}
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^|\n\n)((?:    .*\n)+)")
COMMANDS = ("rankone", "snakemake", "make", *NOT_RUN)


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return [body for found, body in FENCED.findall(text(page)) if found == language]


def commands(page: str) -> list[str]:
    """The lines of the indented blocks that are commands, without their comments."""
    found = []
    for block in INDENTED.findall(FENCED.sub("", text(page))):
        for line in block.splitlines():
            bare = re.sub(r"\s+#.*$", "", line.strip())
            parts = [part.strip() for part in bare.split("&&")] if "eval" not in bare else [bare]
            found += [part for part in parts if part and part.split()[0] in COMMANDS]
    return found


def file_of(block: str) -> str | None:
    """The name of the file that a block is: its first line is a comment with it."""
    named = re.match(r"# ([\w.-]+\.(?:py|yaml))\n", block)
    return named[1] if named else None


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_files(page: str, folder: Path) -> None:
    """The files that a page shows, and for a campaign's README a policy of the name it uses."""
    for block in blocks(page, "python"):
        if name := file_of(block):
            (folder / name).write_text(block, encoding="utf-8")
    if not (folder / "mine.py").exists():
        stub = "class Policy:\n    def __init__(self, problem, width=1):\n        pass\n"
        stub += "    def choose(self, t, rng):\n        return 0\n"
        stub += "    def update(self, arm, reward):\n        pass\n"
        (folder / "mine.py").write_text(stub, encoding="utf-8")


def test_the_pages_have_blocks_of_each_kind():
    assert sum(len(blocks(page, "python")) for page in PAGES) >= 8
    assert sum(len(blocks(page, "yaml")) for page in PAGES) >= 4
    found = [command.split()[0] for page in PAGES for command in commands(page)]
    assert found.count("rankone") >= 8
    assert found.count("snakemake") >= 8


def test_no_fenced_block_is_overlooked():
    known = {"python", "yaml", "bibtex", "mermaid"}
    for page in PAGES:
        assert {language for language, _ in FENCED.findall(text(page))} <= known, page


def test_a_command_is_found_in_an_indented_block(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(
        "Say\n\n    make env && source x   # first\n    snakemake -n\n\n- a\n\n    tree/\n"
    )
    assert commands(str(page)) == ["make env", "source x", "snakemake -n"]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python_blocks_run(page, folder):
    write_files(page, folder)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        if not file_of(block):
            exec(compile(block, page, "exec"), namespace)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "yaml")])
def test_yaml_blocks_are_campaigns_that_are_accepted(page, folder):
    write_files(page, folder)
    known = {file.stem: file for file in sorted((ROOT / "config").glob("*.yaml"))}
    for block in blocks(page, "yaml"):
        file = folder / (file_of(block) or "mine.yaml")
        file.write_text(block, encoding="utf-8")
        campaigns.load(file, known).check()
        assert yaml.safe_load(block)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_rankone_commands_run(page, folder):
    write_files(page, folder)
    for command in commands(page):
        if command.startswith("rankone "):
            assert main(shlex.split(command)[1:]) == 0, command


def known_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", text("Makefile"), flags=re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_make_knows_every_target(page):
    typed = [shlex.split(c)[1] for c in commands(page) if c.startswith("make ")]
    typed += re.findall(r"`make ([a-z-]+)", text(page))
    assert set(typed) <= known_targets()


DRY = ("--dry-run", "--quiet", "all")


def planned(command: str) -> list[str]:
    """A command of Snakemake that only plans; --report needs results: its words are parsed only."""
    words = shlex.split(command)[1:]
    if "--report" in words:
        return ["snakemake", *words, "--help"]
    if "--workflow-profile" in words:  # the plan is the same; the profile asks for a cluster
        place = words.index("--workflow-profile")
        assert (ROOT / words[place + 1] / "config.yaml").is_file(), command
        words[place : place + 2] = ["--cores", "1"]
    return ["snakemake", *words, *DRY]


def at_once(plans: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The same plans in fewer commands: those that name nothing but targets share one.

    How many cores there are, and a -n of its own, make no difference to a plan.
    """
    targets, others = set(), set()
    for plan in plans:
        words = re.sub(r"(?<!\S)(--cores \w+|-n)(?!\S) ?", "", shlex.join(plan[1:-3])).split()
        if all(re.fullmatch(r"\w+", word) for word in words):
            targets |= {*words} or {"all"}
        else:
            others.add(plan)
    return others | {("snakemake", *sorted(targets), "--cores", "1", *DRY)}


@pytest.mark.workflow
def test_snakemake_commands_can_be_planned(tmp_path):
    typed = {c for page in PAGES for c in commands(page) if c.startswith("snakemake")}
    plans = {tuple(planned(command)) for command in typed}
    assert len(plans) >= 6
    for number, plan in enumerate(sorted(at_once(plans))):
        place = ["-s", str(ROOT / "Snakefile"), "--directory", str(tmp_path / str(number))]
        done = subprocess.run([*plan, *place], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"{shlex.join(plan)}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("module", PUBLIC)
def test_examples_in_docstrings_are_true(module, folder):
    found = doctest.testmod(
        importlib.import_module(f"rankone.{module}"), optionflags=doctest.ELLIPSIS
    )
    assert found.failed == 0
    assert found.attempted > 0


def test_the_notebook_runs(folder):
    notebook = nbformat.read(ROOT / "docs/first.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)  # committed without outputs
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [
        set(output.get("data", {}))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "execute_result"
    ]
    assert sum("image/png" in kinds for kinds in shown) == 2
    assert sum("text/html" in kinds for kinds in shown) >= 4


class Page(HTMLParser):
    """What a page loads, and where it leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag in ("script", "img", "iframe", "source", "audio", "video", "object", "embed"):
            self.loads.append(given.get("src") or given.get("data") or "")
        if tag == "link" and given.get("rel") not in ("canonical",):
            self.loads.append(given.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, with a warning an error, as `make docs` builds it."""
    made = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs"]
    done = subprocess.run([*command, str(made)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


def test_the_site_loads_nothing_from_elsewhere(site):
    pages = sorted(site.glob("*.html"))
    assert {page.stem for page in pages} >= {Path(p).stem for p in PAGES if p.startswith("docs/")}
    for page in pages:
        parser = Page()
        parser.feed(page.read_text(encoding="utf-8"))
        assert [url for url in parser.loads if re.match(r"(?:https?:)?//", url)] == [], page.name
        for url in parser.loads:
            local = page.parent / url.split("?")[0].split("#")[0]
            assert not url or url.startswith("data:") or local.exists(), f"{page.name}: {url}"
    for sheet in site.rglob("*.css"):
        content = sheet.read_text(encoding="utf-8")
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", content), sheet.name


def test_the_site_has_the_api_from_the_docstrings(site):
    page = (site / "api.html").read_text(encoding="utf-8")
    for name in ("rankone.simulate", "rankone.Runs", "rankone.plot", "rankone.compare"):
        assert f'id="{name}"' in page
    assert "Play <code" in page


def test_make_builds_the_same_site():
    assert "sphinx -W --keep-going -q -b html docs" in text("Makefile")
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]["docs"]
    assert {"furo", "myst-parser"} <= set(extras)
