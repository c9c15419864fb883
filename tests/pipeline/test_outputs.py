"""Outputs: what a kind takes is read from its signature, and it gets that and nothing else."""

import inspect
import json
from pathlib import Path

import pandas as pd
import pytest

from rankone.pipeline import campaigns, outputs

ROOT = Path(__file__).parents[2]
COMMITTED = sorted(file.stem for file in (ROOT / "config").glob("*.yaml"))


@pytest.mark.parametrize("sort", outputs.SORTS)
def test_every_kind_is_what_its_signature_says(sort: str) -> None:
    found = outputs.kinds(sort)
    assert found
    for kind in found.values():
        parameters = inspect.signature(kind.function()).parameters
        assert set(parameters) == {*kind.data, *kind.options}
        for name, needed in kind.options.items():
            assert needed == (parameters[name].default is inspect.Parameter.empty), name
        assert kind.function().__doc__, f"{kind.name} does not say what it is"


def test_no_kind_has_two_homes() -> None:
    for sort, homes in outputs.SORTS.items():
        names = [function.name for home in homes for function in outputs._functions(home)]
        assert len(names) == len({*names}), sort


@pytest.mark.parametrize("name", COMMITTED)
@pytest.mark.parametrize("sort", ["figures", "tables"])
def test_every_committed_output_has_a_caption(name: str, sort: str) -> None:
    campaign = campaigns.load(ROOT / f"config/{name}.yaml")
    for entry, asked in getattr(campaign, sort).items():
        words = (entry, asked["kind"])
        assert any((ROOT / f"workflow/report/{word}.rst").exists() for word in words), entry


@pytest.fixture
def campaign(tmp_path) -> campaigns.Campaign:
    file = tmp_path / "mine.yaml"
    file.write_text(
        """
        seed: 7
        level: 0.9
        instances:
          a: {label: A, u: [0.9, 0.1], v: [0.8, 0.2]}
          b: {means: [0.1, 0.5], edges: [[0, 1]]}
        policies:
          uts: {label: UTS}
          ucb1: {label: UCB1, draw: false}
        studies:
          one: {horizon: 100, runs: 4, instances: [a]}
          two: {horizon: 200, runs: 4, instances: [a, b]}
        experiments:
          zeros: {policies: [uts], horizon: 10, runs: 2, first: 0.9, rest: 0.1, size: 3, most: 1}
        figures:
          all: {kind: comparison, study: two, omit: [ucb1]}
          some: {kind: comparison, study: two, instances: [b]}
          many: {kind: distribution, experiment: zeros, column: mean, x: x, y: y, title: t}
        claims:
          larger:
            {number: 1, statement: s, kind: ordered, studies: [one, two], order: [uts, ucb1]}
        """
    )
    return campaigns.load(file)


def test_an_output_waits_for_what_it_shows_and_no_more(campaign) -> None:
    assert outputs.files(campaign, "figures", "all") == {"bands": ["results/mine/bands/two.csv"]}
    cases = ["results/mine/experiments/zeros/uts.csv"]
    assert outputs.files(campaign, "figures", "many") == {"cases": cases}
    bands = ["results/mine/bands/one.csv", "results/mine/bands/two.csv"]
    assert outputs.files(campaign, "claims", "larger") == {"bands": bands}


def test_an_output_gets_what_its_entry_chooses(campaign) -> None:
    given = outputs.values(campaign, "figures", "all")
    assert given["kind"] == "comparison"
    assert [policy["name"] for policy in given["data"]["policies"]] == ["uts"]
    assert [instance["name"] for instance in given["data"]["instances"]] == ["a", "b"]
    assert given["data"]["instances"][0]["shape"] == (2, 2)
    given = outputs.values(campaign, "figures", "some")
    assert [instance["name"] for instance in given["data"]["instances"]] == ["b"]
    given = outputs.values(campaign, "claims", "larger")
    assert given["options"] == {"order": ["uts", "ucb1"]}
    assert given["data"]["level"] == 0.9
    assert given["data"]["labels"] == {"uts": "UTS", "ucb1": "UCB1", "a": "A", "b": "b"}
    assert json.dumps(given)  # plain data: a change of it is what makes a job run again


def test_an_experiment_is_called_with_its_policy_and_seed(campaign) -> None:
    given = outputs.values(campaign, "experiments", "zeros", "uts")
    assert given["data"]["seed"] == 7
    assert given["data"]["policy"]["policy"] == "uts"
    cases = outputs.make("experiments", given, {})
    assert cases["policy"].unique().tolist() == ["uts"]


def test_a_figure_is_drawn_from_its_files(campaign, tmp_path) -> None:
    rows = [
        (i, p, t, 4, t / 9, 1.0, 1.0, 2.0, 3.0)
        for i in "ab"
        for p in ("uts", "ucb1")
        for t in (10, 200)
    ]
    names = ["instance", "policy", "t", "runs", "mean", "se", "p10", "p50", "p90"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "bands.csv", index=False)
    given = outputs.values(campaign, "figures", "all")
    figure = outputs.make("figures", given, {"bands": [str(tmp_path / "bands.csv")]})
    titles = [axes.get_title() for axes in figure.axes]
    assert {"A", "b"} <= set(titles)
