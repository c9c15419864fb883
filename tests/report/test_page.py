"""The page: every number from the results, nothing to load, and what is missing is named."""

import contextlib
import inspect
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers import made_up_results

from rankone.pipeline import outputs
from rankone.pipeline.campaigns import Campaigns
from rankone.report import page


def build() -> str:
    """The page of the results in the current folder."""
    campaigns = Campaigns(made_up_results.CONFIG)
    return page.build(campaigns, "paper", made_up_results.CAPTIONS, made_up_results.CONFIG)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    made_up_results.write(folder, *made_up_results.CAMPAIGNS)
    return folder


@pytest.fixture(scope="module")
def text(home: Path) -> str:
    with contextlib.chdir(home):
        return build()


@pytest.fixture
def only_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in which nothing but the paper was run."""
    made_up_results.write(tmp_path, "paper")
    monkeypatch.chdir(tmp_path)


def part(text: str, name: str) -> str:
    return text.partition(f'<section id="{name}"')[2].partition("</section>")[0]


def without_scripts(text: str) -> str:
    return re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_every_kind_of_figure_has_a_chart_that_takes_the_same():
    kinds = outputs.kinds("figures")
    assert page.CHARTS.keys() == kinds.keys()
    for name, chart in page.CHARTS.items():
        figure = inspect.signature(kinds[name].function()).parameters
        assert [*inspect.signature(chart).parameters] == [*figure], name


class Addresses(HTMLParser):
    """What a browser would load, and the ids and links of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.loaded += [given[key] or "" for key in ("src", "srcset") if key in given]
        self.loaded += [given["href"] or ""] if tag == "link" else []
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if tag == "a" else []


def test_sections_are_in_the_order_of_the_story(text):
    assert re.findall(r'<section id="(\w+)"', text) == [
        "summary", "question", "policies", "figures", "claims", "published", "discrepancies",
        "league", "beyond", "speed", "made",
    ]  # fmt: skip


def test_nothing_is_loaded_and_no_link_leads_nowhere(text):
    seen = Addresses()
    seen.feed(without_scripts(text))
    assert all(address.startswith("data:") for address in seen.loaded)
    assert len(seen.ids) == len(set(seen.ids))
    assert {link.removeprefix("#") for link in seen.links} <= set(seen.ids)
    assert "default-src 'none'" in text
    assert len(text.encode()) < 15_000_000


def test_the_summary_has_the_verdicts_and_the_main_discrepancy(text):
    summary = part(text, "summary")
    for word in ("does not hold", "holds with a remark", "undecided", "3.25", "[2.93, 3.58]"):
        assert word in summary
    assert "Main discrepancy.</strong> <strong>Clock.</strong> It differs by 0.5." in summary
    assert re.sub(r"<[^>]+>", "", summary).count("2 of 3") == 1  # published numbers near ours


def test_text_from_results_cannot_become_markup(text):
    assert "Claim &lt;1&gt; is so." in part(text, "claims")
    assert "Claim <1>" not in text


def test_figures_have_their_data_and_captions(home, text):
    files = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])["files"]
    figures = part(text, "figures")
    for k in range(1, 7):
        assert f'id="main-figure{k}"' in figures
    assert files["paper-bands-regret.csv"] == (home / "results/paper/bands/regret.csv").read_text()
    offered = re.findall(r'data-file="([^"]+)"', text)
    assert set(offered) == set(files)


@pytest.mark.usefixtures("only_paper")
def test_a_changed_result_changes_the_page(text):
    file = Path("results/paper/bands/regret.csv")
    lines = file.read_text().splitlines()
    last = next(k for k, line in enumerate(lines) if line.startswith("K4,uts,300000,"))
    cells = lines[last].split(",")
    cells[4] = "61.25"
    lines[last] = ",".join(cells)
    file.write_text("\n".join(lines) + "\n")
    for content, there in ((text, False), (build(), True)):
        assert ("UTS 61.2;" in content) is there  # the words for those who cannot see the figure
        assert bool(re.search(r">61\.2\d? ± ", content)) is there  # the table


@pytest.mark.usefixtures("only_paper")
def test_what_was_not_run_is_named_with_its_command():
    Path("results/paper/bands/large.csv").unlink()
    text = build()
    for name, command in (
        ("claims", "claims"),
        ("published", "published"),
        ("discrepancies", "discrepancies"),
        ("beyond", "beyond"),
        ("speed", "benchmark"),
    ):
        assert "Not run yet" in part(text, name)
        assert f"snakemake --cores 8 {command} &amp;&amp;" in part(text, name)
    figures = part(text, "figures")
    assert "<strong>Not run yet:</strong> figure5." in figures
    assert 'id="main-figure5"' not in figures
    assert 'id="main-figure6"' in figures


def test_policies_are_described_by_their_files(text):
    policies = part(text, "policies")
    assert "Algorithm 1 of Trinh et al. (2020)" in policies
    assert "θ<sub>k</sub>" in policies
    assert policies.count("<dt>") == 7  # each file once


def test_how_it_was_made(text):
    made = part(text, "made")
    for word in ("numba", "Processor", "Commit", "claims"):
        assert word in made
    assert "6 jobs of a Snakemake workflow with 15.0 s of CPU time" in made


def test_data_cannot_end_its_script():
    assert "</script>" not in page._script({"a": "</script><b>"})
    assert json.loads(page._script({"a": "</script><b>"})) == {"a": "</script><b>"}


@pytest.mark.usefixtures("only_paper")
def test_the_command_writes_the_page(capsys):
    given = ["--config", str(made_up_results.CONFIG), "--captions", str(made_up_results.CAPTIONS)]
    page.main([*given, "--out", "report.html"])
    assert Path("report.html").read_text().startswith("<!doctype html>")
    assert "wrote report.html" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        page.main([*given, "--campaign", "nothing", "--out", "report.html"])
    assert stopped.value.code == 2
    assert "--campaign is 'nothing'; allowed: " in capsys.readouterr().err
