"""Config files as text: what YAML may say, how files are merged, and what is refused."""

import textwrap
from pathlib import Path

import pytest

from rankone.pipeline import campaigns as config
from rankone.pipeline import reading

BASE = """
    seed: 1
    instances:
      K4: {label: "K = 4", u: {first: 0.75, rest: 0.25, size: 4}, v: [0.6, 0.1]}
      tall: {u: [0.9, 0.5, 0.2], v: [0.6, 0.1]}
    studies:
      compare: {horizon: 1000, runs: 10, instances: [K4, tall]}
      gamma: {horizon: 100, runs: 5, instances: [K4], comparison: false, fewer: {inf: 2}}
    policies:
      uts: {parameters: {gamma: 2}}
      mine: {policy: ucb1, label: Mine}
      inf: {policy: uts, parameters: {gamma: inf}, studies: [gamma]}
    figures:
      all: {kind: comparison, study: compare, omit: [mine]}
      close: {kind: close_curves, study: gamma, instance: K4}
    tables:
      final_regret: {study: compare}
"""


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    (folder / "config").mkdir(exist_ok=True)
    file = folder / "config" / name
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return file


def load(folder: Path, text: str) -> config.Campaign:
    write(folder, BASE, "base.yaml")
    return config.load(write(folder, text))


def test_like_merges_and_blames_the_right_file(tmp_path) -> None:
    small = """
        like: base
        every_study: {runs: 2}
        studies: {gamma: {runs: 3}}
        policies: {uts: {label: U}}
    """
    campaign = load(tmp_path, small)
    assert campaign.name == "mine"
    assert campaign.studies["compare"].runs == 2
    assert campaign.studies["gamma"].runs == 3
    assert campaign.studies["compare"].horizon == 1000
    assert campaign.policies["uts"].label == "U"
    assert campaign.policies["uts"].parameters == {"gamma": 2}
    with pytest.raises(config.ConfigError, match=r"^config/mine.yaml: studies.gamma.runs is 0;"):
        load(tmp_path, small.replace("runs: 3", "runs: 0"))
    write(tmp_path, BASE.replace("seed: 1", "seed: -1"), "base.yaml")
    with pytest.raises(config.ConfigError, match=r"^config/base.yaml: seed is -1;"):
        config.load(tmp_path / "config/mine.yaml")


def test_null_drops_an_inherited_entry_and_what_was_about_it_alone(tmp_path) -> None:
    campaign = load(tmp_path, "{like: base, instances: {K4: null}, policies: {mine: null}}")
    assert list(campaign.instances) == ["tall"]
    assert list(campaign.studies) == ["compare"]  # gamma had no other instance
    assert list(campaign.policies) == ["uts"]  # inf played in gamma only
    assert list(campaign.figures) == ["all"]
    assert campaign.figures["all"]["omit"] == []


def test_the_instances_of_a_dropped_study_are_not_played_elsewhere(tmp_path) -> None:
    text = BASE.replace("instances: [K4, tall]", "instances: [tall]")
    write(tmp_path, text, "base.yaml")
    campaign = config.load(write(tmp_path, "{like: base, studies: {gamma: null}}"))
    assert [i.name for i in campaign.studies["compare"].instances] == ["tall"]
    assert list(campaign.figures) == ["all"]


def test_what_the_file_itself_says_of_a_dropped_entry_is_a_mistake(tmp_path) -> None:
    text = "{like: base, instances: {tall: null}, studies: {compare: {instances: [tall]}}}"
    with pytest.raises(config.ConfigError, match=r"studies.compare.instances is 'tall'; allowed:"):
        load(tmp_path, text)


def test_a_new_instance_needs_only_its_own_lines(tmp_path) -> None:
    campaign = load(tmp_path, "{like: base, instances: {new: {u: [0.9, 0.1], v: [0.3, 0.8]}}}")
    assert [i.name for i in campaign.studies["compare"].instances] == ["K4", "tall", "new"]


def test_an_instance_can_be_given_anew_as_a_graph(tmp_path) -> None:
    line = "{like: base, instances: {K4: {means: [0.1, 0.9], edges: [[0, 1]]}}}"
    instance = load(tmp_path, line).instances["K4"]
    assert (instance.means, instance.u, instance.label) == ((0.1, 0.9), (), "K = 4")


def test_instances_come_from_another_file(tmp_path) -> None:
    text = """
        seed: 2
        instances_from: base
        studies: {one: {horizon: 100, runs: 2, instances: [tall]}}
        policies: {uts: {}}
    """
    campaign = load(tmp_path, text)
    assert [i.name for i in campaign.studies["one"].instances] == ["tall"]
    assert campaign.instances["tall"].u == (0.9, 0.5, 0.2)
    with pytest.raises(config.ConfigError, match=r"instances_from is 'nobody'; allowed: base\."):
        load(tmp_path, text.replace("instances_from: base", "instances_from: nobody"))


@pytest.mark.parametrize("like", ["nobody", "mine", "3"])
def test_like_must_name_another_file(tmp_path, like: str) -> None:
    with pytest.raises(config.ConfigError, match=r"mine.yaml: like is .*; allowed: base\."):
        load(tmp_path, f"like: {like}")


def test_like_must_not_go_round(tmp_path) -> None:
    write(tmp_path, "like: mine", "base.yaml")
    with pytest.raises(config.ConfigError, match="like is"):
        config.load(write(tmp_path, "like: base"))


def test_every_study_needs_a_file_to_be_like(tmp_path) -> None:
    with pytest.raises(config.ConfigError, match="every_study is given without like"):
        load(tmp_path, "{seed: 1, every_study: {runs: 2}}")


def test_both_endings_are_read_but_not_for_one_name(tmp_path) -> None:
    write(tmp_path, BASE, "one.yml")
    write(tmp_path, BASE, "two.yaml")
    assert list(reading.files(tmp_path / "config")) == ["one", "two"]
    assert config.load(tmp_path / "config/one.yml").name == "one"
    write(tmp_path, BASE, "two.yml")
    with pytest.raises(config.ConfigError, match=r"two.yml and two.yaml have the same name"):
        reading.files(tmp_path / "config")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3e5", 300_000),
        ("1e12", 10**12),
        ("2.5e2", 250.0),
        ("1e-3", 0.001),
        ("inf", float("inf")),
        (".inf", float("inf")),
        ("300_000", 300_000),
        ("1.5", 1.5),
        ("infinite", "infinite"),
        ("e5", "e5"),
    ],
)
def test_numbers_are_those_of_the_command_line(tmp_path, text: str, value: object) -> None:
    file = write(tmp_path, f"x: {text}")
    assert reading._parse(file) == {"x": value}
    assert type(reading._parse(file)["x"]) is type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed: 1\nseed: 2\n", "config/mine.yaml is not valid YAML: the key 'seed' is given twice"),
        ("seed: [1\n", "config/mine.yaml is not valid YAML: "),
        ("seed: !!python/object:os.system x\n", "config/mine.yaml is not valid YAML: "),
        ("", "config/mine.yaml holds None; allowed: keys with values"),
        ("- seed\n", "config/mine.yaml holds ['seed']; allowed: keys with values"),
    ],
)
def test_text_that_is_no_config(tmp_path, text: str, words: str) -> None:
    with pytest.raises(config.ConfigError) as caught:
        config.load(write(tmp_path, text))
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)
