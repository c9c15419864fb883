"""What authors and reviewers take away: figures for LaTeX, CITATION.cff, codecheck.yml."""

import re
from pathlib import Path

import pytest
import yaml

from rankone.pipeline import campaigns
from rankone.show import style

ROOT = Path(__file__).parents[1]
FIGURES = sorted((ROOT / "figures").glob("*.pdf"))


# --- figures/*.pdf ---


def faults_of_pdf(content: bytes) -> list[str]:
    """What keeps a figure from fitting into a paper: fonts, or a width that is no column's."""
    faults = []
    fonts = re.findall(rb"/Subtype /(\w+)", content)
    if b"Type3" in fonts:
        faults.append("a Type 3 font, which publishers refuse")
    if b"/FontFile2" not in content:
        faults.append("no embedded TrueType font")
    width = float(re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) [\d.]+ \]", content)[0]) / 72
    if not any(abs(width - w) < 0.01 for w in (style.ONE_COLUMN, style.TWO_COLUMNS)):
        faults.append(f"{width:.2f} inches wide")
    return faults


@pytest.mark.parametrize("file", FIGURES, ids=lambda file: file.name)
def test_figures_have_embedded_fonts_and_the_width_of_columns(file):
    assert faults_of_pdf(file.read_bytes()) == []


def test_a_figure_that_does_not_fit_is_seen():
    content = FIGURES[0].read_bytes()
    broken = content.replace(b"/FontFile2", b"/FontFile9").replace(b"/TrueType", b"/Type3")
    broken = re.sub(rb"/MediaBox \[ 0 0 [\d.]+", b"/MediaBox [ 0 0 999", broken)
    assert len(faults_of_pdf(broken)) >= 2
    assert len(FIGURES) >= 6


# --- CITATION.cff ---

# Of the Citation File Format 1.2.0; what this file may use of it.
REQUIRED = {"cff-version", "message", "title", "authors"}
ALLOWED = REQUIRED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license",
    "license-url", "preferred-citation", "references", "repository", "repository-artifact",
    "repository-code", "type", "url", "version",
}  # fmt: skip
PERSON = {"family-names", "given-names", "orcid", "affiliation", "email", "website"}
ENTITY = {"name", "website", "email", "orcid"}


def faults_of_citation(text: str) -> list[str]:
    content = yaml.safe_load(text)
    faults = [f"lacks {key}" for key in sorted(REQUIRED - content.keys())]
    faults += [f"unknown {key}" for key in sorted(content.keys() - ALLOWED)]
    if content.get("cff-version") != "1.2.0":
        faults.append("cff-version")
    if content.get("type", "software") not in ("software", "dataset"):
        faults.append("type")
    paper = content.get("preferred-citation", {})
    faults += [f"the paper lacks {k}" for k in ("type", "title", "authors") if k not in paper]
    for author in [*content.get("authors", []), *paper.get("authors", [])]:
        if not ((author.keys() <= ENTITY and "name" in author) or author.keys() <= PERSON):
            faults.append(f"author {author}")
    return faults


def test_the_citation_is_valid():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert faults_of_citation(text) == []
    assert faults_of_citation(text.replace("message:", "massage:")) == [
        "lacks message",
        "unknown massage",
    ]
    assert len(faults_of_citation(text.replace("family-names", "surname"))) == 4


# --- codecheck.yml ---


def outputs() -> set[str]:
    """Everything that the campaigns about the paper make: its figures, tables and verdicts."""
    found = {"figures/published.png", "docs/discrepancies.md"}
    for name in ("paper", "claims", "published"):
        campaign = campaigns.load(ROOT / f"config/{name}.yaml")
        folder = f"results/{name}"
        found |= {f"{folder}/tables/{entry}.csv" for entry in campaign.tables}
        if name != "published":  # its one figure is committed
            place = "figures" if name == "paper" else f"{folder}/figures"
            found |= {f"{place}/{entry}.pdf" for entry in campaign.figures}
        if campaign.claims:
            found.add(f"{folder}/claims.json")
    return found


def test_the_manifest_lists_every_output_and_says_what_it_is():
    manifest = yaml.safe_load((ROOT / "codecheck.yml").read_text(encoding="utf-8"))["manifest"]
    assert {entry["file"] for entry in manifest} == outputs()
    assert len(manifest) == len(outputs())
    for entry in manifest:
        assert set(entry) == {"file", "comment"}
        assert len(entry["comment"]) > 20
    committed = [e["file"] for e in manifest if not e["file"].startswith("results/")]
    assert all((ROOT / file).is_file() for file in committed)
