"""The page itself: gathers what was made, and fills the templates.

    python -m rankone.report.page --config config --captions workflow/report --out report.html

writes the report of the results in the folder `results` below the current one. What was not run is
named, with the command that makes it.
"""

import argparse
import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs

from rankone.engine import sources
from rankone.paper import published
from rankone.pipeline import outputs
from rankone.pipeline.campaigns import Campaign, Campaigns, ConfigError, Study
from rankone.report import cards, charts, provenance, studies, texts, traces
from rankone.report.traces import Chart
from rankone.show import formats, style
from rankone.show.formats import Table

TEMPLATES = Path(__file__).parent / "templates"
RESULTS = Path("results")
LONG = 140  # letters of a formula
FURTHER = ("league", "beyond")  # campaigns with sections of their own, if they were run
CHARTS = {name: getattr(home, name) for home in (charts, studies) for name in home.__all__}


@dataclass(frozen=True)
class Figure:
    """A figure as it is shown."""

    name: str
    title: str
    about: str  # the first clause of the caption
    caption: str
    chart: Chart
    files: tuple[str, ...] = ()  # names of downloads


@dataclass(frozen=True)
class Shown:
    """A table as it is shown."""

    name: str
    about: str  # the first clause of the caption
    caption: str
    headings: list[tuple[str, str]]  # with the kind of the column: n, t or w
    rows: list[list[str]]
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Player:
    """A policy in two lines: what its file says of it."""

    label: str
    key: traces.Key
    title: str
    text: str
    formula: str
    drawn: bool


class Reader:
    """Reads the results of campaigns, and keeps what the page offers for download."""

    def __init__(self, captions: Path) -> None:
        self.captions = captions
        self.files: dict[str, str] = {}

    def download(self, name: str, text: str) -> str:
        self.files[name] = text
        return name

    def figures(self, campaign: Campaign) -> list[Figure]:
        """The figures of a campaign for which the files are there."""
        found = [self.figure(campaign, name) for name in campaign.figures]
        return [figure for figure in found if figure is not None]

    def figure(self, campaign: Campaign, name: str) -> Figure | None:
        files = outputs.files(campaign, "figures", name)
        if not _all_there(files):
            return None
        given = outputs.values(campaign, "figures", name)
        caption = outputs.caption(self.captions, campaign, "figures", name)
        draw = CHARTS[given["kind"]]
        chart: Chart = draw(**outputs.arguments("figures", given, files))
        if chart.data is None:
            downloads = self._sources(campaign, files)
        else:
            downloads = (
                self.download(f"{campaign.name}-{name}.csv", chart.data.to_csv(index=False)),
            )
        return Figure(name, _title(name), outputs.about(caption), caption, chart, downloads)

    def tables(self, campaign: Campaign, *names: str) -> list[Shown]:
        """The tables of a campaign for which the files are there: the named ones, or all."""
        found = [self.table(campaign, name) for name in names or campaign.tables]
        return [table for table in found if table is not None]

    def table(self, campaign: Campaign, name: str) -> Shown | None:
        files = outputs.files(campaign, "tables", name)
        if not _all_there(files):
            return None
        table: Table = outputs.make("tables", outputs.values(campaign, "tables", name), files)
        caption = outputs.caption(self.captions, campaign, "tables", name)
        return self.show(f"{campaign.name}-{name}", caption, table)

    def show(self, name: str, caption: str, table: Table) -> Shown:
        file = self.download(f"{name}.csv", table.data.to_csv(index=False))
        headings = [*zip(table.shown.columns, formats.kinds(table.shown), strict=True)]
        rows = [[str(cell) for cell in row] for row in table.shown.itertuples(index=False)]
        return Shown(name, outputs.about(caption), caption, headings, rows, (file,))

    def _sources(self, campaign: Campaign, files: Mapping[str, list[str]]) -> tuple[str, ...]:
        """The files behind a figure; several figures may have the same."""
        names = []
        for path in (Path(file) for paths in files.values() for file in paths):
            text = path.read_text(encoding="utf-8")
            names.append(self.download(f"{campaign.name}-{path.parent.name}-{path.name}", text))
        return tuple(names)


def build(campaigns: Campaigns, chosen: str, captions: Path, home: Path) -> str:
    """The page. `home` is the folder of the code, whose commit is named."""
    reader = Reader(captions)
    main = campaigns.peek(chosen)
    found = {name: campaigns.peek(name) for name in (*FURTHER, "benchmark") if name in campaigns}
    claims = _claims(main, campaigns)
    compared = _compared()
    context = {
        "main": main,
        "plural": len(main.studies),
        "studies": [_study(study) for study in main.studies.values()],
        "players": _players(main),
        "figures": reader.figures(main),
        "missing_figures": [
            name for name in main.figures if not _all_there(outputs.files(main, "figures", name))
        ],
        "tables": reader.tables(main),
        "claims": claims,
        "counts": cards.counts(claims),
        "published": _published(reader, campaigns, compared),
        "findings": _text("findings"),
        "finding": texts.first_item(_text("findings")),
        "discrepancies": _text("discrepancies"),
        "further": [_campaign(reader, name, found.get(name)) for name in FURTHER],
        "speed": _campaign(reader, "benchmark", found.get("benchmark")),
        "made": _made(reader, campaigns, home),
        "levels": {"claims": _level(campaigns)},
    }
    context["data"] = _script(
        {
            "files": reader.files,
            "dark": style.DARK,
        }
    )
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["panel"] = lambda panel: _script(asdict(panel))
    environment.filters["subscripts"] = _subscripts
    environment.filters["number"] = formats.number
    environment.globals.update(
        style=(TEMPLATES / "report.css").read_text(encoding="utf-8"),
        script=(TEMPLATES / "report.js").read_text(encoding="utf-8"),
        plotly=get_plotlyjs(),
        dark_page=style.DARK_PAGE,
        dark=style.DARK,
    )
    return environment.get_template("report.html").render(context)


def _claims(main: Campaign, campaigns: Campaigns) -> list[cards.Card]:
    """The claims of the chosen campaign, or else those of the campaign `claims`."""
    name = main.name if main.claims else "claims"
    file = RESULTS / name / "claims.json"
    if not file.exists():
        return []
    return [cards.card(record) for record in json.loads(file.read_text(encoding="utf-8"))]


def _level(campaigns: Campaigns) -> str:
    return f"{campaigns.peek('claims').level:.1%}" if "claims" in campaigns else ""


def _compared() -> pd.DataFrame | None:
    file = RESULTS / "published/compared.csv"
    return pd.read_csv(file, dtype={"K": "Int64", "L": "Int64"}) if file.exists() else None


def _published(
    reader: Reader, campaigns: Campaigns, compared: pd.DataFrame | None
) -> dict[str, Any] | None:
    """Published numbers beside ours: how many agree, the figure and the tables."""
    if compared is None or "published" not in campaigns:
        return None
    campaign, ours = campaigns.peek("published"), compared[compared["main"]]
    within = int((ours["z"].abs() <= published.LIMIT).sum())
    return {
        "within": within,
        "numbers": len(ours),
        "limit": published.LIMIT,
        "figures": reader.figures(campaign),
        "tables": reader.tables(campaign),
    }


def _campaign(reader: Reader, name: str, campaign: Campaign | None) -> dict[str, Any]:
    """A campaign with a section of its own: its figures and tables as far as they are there."""
    if campaign is None:
        return {"name": name, "known": False, "figures": [], "tables": [], "missing": []}
    figures, tables = reader.figures(campaign), reader.tables(campaign)
    made = {figure.name for figure in figures}
    return {
        "name": name,
        "known": True,
        "figures": figures,
        "tables": tables,
        "missing": [figure for figure in campaign.figures if figure not in made],
    }


def _study(study: Study) -> dict[str, Any]:
    places = "; ".join(instance.label for instance in study.instances)
    return {"name": study.name, "runs": study.runs, "horizon": study.horizon, "places": places}


def _players(campaign: Campaign) -> list[Player]:
    """The policies of a campaign, each file once, those that are drawn first."""
    looks = style.looks([policy.entry() for policy in campaign.policies.values()])
    found: dict[str, Player] = {}
    for policy in sorted(campaign.policies.values(), key=lambda one: not one.draw):
        if policy.policy in found:
            continue
        title, text, formula = _said(policy.policy)
        key = traces.legend([policy.entry()], looks)[0]
        found[policy.policy] = Player(policy.label, key, title, text, formula, policy.draw)
    return list(found.values())


def _said(policy: str) -> tuple[str, str, str]:
    """What a policy's file says first: its title, a paragraph, and the formula in it."""
    file = sources.policy_file(policy)
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or file.stem
    letters = {name: letter for letter, name in formats.GREEK.items()} | {
        "<=": "≤",
        ">=": "≥",
        "sqrt": "√",
    }
    for name, letter in letters.items():
        text = re.sub(rf"(?<!\w){re.escape(name)}(?![a-z])", letter, text)
    title, *rest = [re.sub(r" *\(see [^)]*\)", "", part) for part in text.split("\n\n")]
    plain = [" ".join(part.split()) for part in rest if not part.startswith(" ")]
    formulas = [" ".join(part.split()) for part in rest if part.startswith(" ")]
    words, formula = (plain or [""])[0], (formulas or [""])[0].rstrip(",.")
    if len(formula) > LONG:  # a list, not a formula, and the sentence before it leads to it
        formula, words = "", re.sub(r"[^.]*:$", "", words)
    return " ".join(title.split()), words, formula


def _subscripts(text: str) -> Markup:
    """N_k with a lowered k."""
    return Markup(re.sub(r"\b(\w)_(\w)\b", r"\1<sub>\2</sub>", str(escape(text))))


def _made(reader: Reader, campaigns: Campaigns, home: Path) -> dict[str, Any]:
    """How it was made: seeds, versions, commit, machine, run times."""
    rows = []
    for name in campaigns:
        folder = RESULTS / name
        depths = ("*", "*/*", "*/*/*")  # results, but not the many files of runs
        files = [file for depth in depths for file in folder.glob(depth) if file.is_file()]
        if not files:
            continue
        some = sorted((folder / "runs").rglob("*.npz"))[:1]
        try:
            seed = str(campaigns.peek(name).seed)
        except ConfigError:  # its results are there, and its config is being written
            seed = "unknown"
        done, versions = provenance.finished(files), provenance.made_with(some)
        rows.append({"name": name, "seed": seed, "finished": done, "versions": versions})
    times = provenance.times([str(row["name"]) for row in rows], RESULTS)
    shown = formats.columns(
        {
            "Campaign": times["campaign"],
            "Step": times["step"],
            "Jobs": [f"{count:,}" for count in times["jobs"]],
            "Time (s)": [f"{seconds:,.1f}" for seconds in times["seconds"]],
            "CPU time (s)": [f"{seconds:,.1f}" for seconds in times["cpu"]],
            "Memory, largest job (MB)": [f"{size:,.0f}" for size in times["megabytes"]],
        }
    )
    caption = "What the jobs took, added up over the jobs of a step."
    return {
        "campaigns": rows,
        "versions": provenance.versions(),
        "machine": provenance.machine(),
        "commit": provenance.commit(home),
        "now": provenance.now(),
        "cpu": float(times["cpu"].sum()),
        "jobs": int(times["jobs"].sum()),
        "times": reader.show("run-times", caption, Table(times, shown)),
    }


def _all_there(files: Mapping[str, Iterable[str]]) -> bool:
    return all(Path(file).exists() for paths in files.values() for file in paths)


def _title(name: str) -> str:
    """The name of an entry as a title: figure3 as Figure 3."""
    words = re.sub(r"(?<=[a-z])(\d+)$", r" \1", name.replace("_", " "))
    return words[:1].upper() + words[1:]


def _text(name: str) -> str:
    """A text of the campaign `published` as HTML; nothing where it was not written."""
    file = RESULTS / "published" / f"{name}.md"
    return texts.fragment(file.read_text(encoding="utf-8"), name) if file.exists() else ""


def _script(content: Any) -> str:
    """Data inside a script element, which nothing in it can end."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write the report of the folder results.")
    parser.add_argument("--config", type=Path, required=True, help="the folder of campaigns")
    parser.add_argument("--also", type=Path, action="append", default=[], help="one elsewhere")
    parser.add_argument("--campaign", default="paper", help="whose figures are shown")
    parser.add_argument("--captions", type=Path, required=True, help="the folder of captions")
    parser.add_argument("--out", type=Path, required=True, help="the page")
    given = parser.parse_args(words)
    campaigns = Campaigns(given.config, given.also)
    if given.campaign not in campaigns:
        parser.error(f"--campaign is {given.campaign!r}; allowed: {', '.join(campaigns)}.")
    try:
        text = build(campaigns, given.campaign, given.captions, given.config)
    except ConfigError as error:
        parser.exit(2, f"{error}\n")
    given.out.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {given.out}, {given.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
