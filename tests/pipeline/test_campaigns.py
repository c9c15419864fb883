"""Config files: what they spell out, and one sentence for each mistake."""

import copy
import itertools
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rankone import __main__
from rankone.engine import sources
from rankone.pipeline import campaigns as config
from rankone.pipeline import outputs
from rankone.simulation import LARGEST_HORIZON

ROOT = Path(__file__).parents[2]
VECTOR = {"first": 0.75, "rest": 0.25, "size": 4}
COMMITTED = sorted(file.stem for file in (ROOT / "config").glob("*.yaml"))

GOOD = {
    "seed": 1,
    "instances": {
        "K4": {"label": "K = 4", "u": VECTOR, "v": VECTOR},
        "tall": {"u": [0.9, 0.5, 0.2], "v": [0.6, 0.1]},
        "line": {"means": [0.1, 0.5, 0.3], "edges": [[0, 1], [1, 2]]},
    },
    "studies": {
        "compare": {"horizon": 1000, "runs": 10, "batch": 4, "instances": ["K4", "tall"]},
        "gamma": {"horizon": 100, "runs": 5, "instances": ["line"], "comparison": False},
    },
    "policies": {
        "uts": {"parameters": {"gamma": 2}},
        "mine": {"policy": "ucb1", "label": "Mine"},
        "free": {"policy": "uts", "parameters": {"gamma": float("inf")}, "studies": ["gamma"]},
    },
    "figures": {"picture": {"kind": "comparison", "study": "compare", "omit": ["mine"]}},
    "tables": {"final_regret": {"study": "compare"}},
}


def write(folder: Path, content: dict, name: str = "mine") -> Path:
    folder = folder / "config"
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file


def load(folder: Path, content: dict) -> config.Campaign:
    return config.load(write(folder, content))


def changed(path: str, value: object) -> dict:
    """The good config with one value put in, or taken out where it is None."""
    content = copy.deepcopy(GOOD)
    *above, last = path.split(".")
    place = content
    for key in above:
        place = place.setdefault(key, {})
    if value is None:
        del place[last]
    else:
        place[last] = value
    return content


@pytest.mark.parametrize("name", COMMITTED)
def test_the_committed_configs_are_good(name: str) -> None:
    """Read, and asked of the policies: parameters they take, instances they can play on."""
    assert config.Campaigns(ROOT / "config")[name].name == name


def test_the_paper_is_what_the_paper_says() -> None:
    paper = config.load(ROOT / "config/paper.yaml")
    runs = {"gamma": (300_000, 100), "regret": (300_000, 100)}
    runs |= {"large": (2_000_000, 50), "close": (2_000_000, 50)}
    assert {name: (s.horizon, s.runs) for name, s in paper.studies.items()} == runs
    sizes = {"gamma": [4], "regret": [4, 8, 16], "large": [32, 64, 128], "close": [8, 16, 32]}
    for name, study in paper.studies.items():
        first, rest = (0.55, 0.5) if name == "close" else (0.75, 0.25)
        assert [len(i.u) for i in study.instances] == sizes[name]
        for instance in study.instances:
            assert instance.u == instance.v == (first, *[rest] * (len(instance.u) - 1))
    gammas = [policy.parameters["gamma"] for policy in paper.studies["gamma"].policies]
    assert gammas == [2, 5, 10, 20, float("inf")]
    drawn = {p.name for p in paper.studies["regret"].policies if p.draw}
    assert {"uts", "osub", "kl_ucb", "rank1elim_kl"} <= drawn
    assert {"uts_cold", *("uts", "osub", "kl_ucb", "rank1elim_kl")} == {
        policy.name for policy in paper.studies["close"].policies
    }
    assert {f"figure{number}" for number in range(1, 7)} <= paper.figures.keys()


def test_smoke_is_the_paper_in_small() -> None:
    paper, smoke = (config.load(ROOT / f"config/{n}.yaml") for n in ("paper", "smoke"))
    assert paper.policies == smoke.policies
    assert (paper.figures, paper.tables) == (smoke.figures, smoke.tables)
    assert paper.studies.keys() == smoke.studies.keys()
    for name, study in smoke.studies.items():
        assert study.policies == paper.studies[name].policies
        assert {*study.instances} <= {*paper.studies[name].instances}
        assert study.horizon < paper.studies[name].horizon / 10


def test_a_new_policy_plays_in_every_comparison_and_nowhere_else(tmp_path) -> None:
    campaign = load(tmp_path, GOOD)
    assert [p.name for p in campaign.studies["compare"].policies] == ["uts", "mine"]
    assert [p.name for p in campaign.studies["gamma"].policies] == ["free"]
    assert campaign.policies["mine"].draw
    assert campaign.policies["uts"].label == "uts"
    named = load(tmp_path, changed("studies.gamma.policies", ["mine"]))
    assert [p.name for p in named.studies["gamma"].policies] == ["mine", "free"]


def test_a_new_instance_is_played_in_every_comparison_and_nowhere_else(tmp_path) -> None:
    campaign = load(tmp_path, changed("instances.new", {"u": [0.9, 0.1], "v": [0.5]}))
    assert [i.name for i in campaign.studies["compare"].instances] == ["K4", "tall", "new"]
    assert [i.name for i in campaign.studies["gamma"].instances] == ["line"]


def test_an_instance_that_no_study_plays_is_named(tmp_path) -> None:
    content = changed("instances.new", {"u": [0.9, 0.1], "v": [0.5]})
    content["studies"]["compare"]["comparison"] = False
    content["policies"]["uts"]["studies"] = content["policies"]["mine"]["studies"] = ["compare"]
    with pytest.raises(config.ConfigError, match=r"instances.new is played by no study"):
        load(tmp_path, content)


def test_batches_cover_the_runs(tmp_path) -> None:
    campaign = load(tmp_path, GOOD)
    assert campaign.studies["compare"].batches() == ["0-3", "4-7", "8-9"]
    first = campaign.cells("compare")[0]
    folder = "results/mine/runs/compare/K4/uts"
    assert first["files"] == [f"{folder}/{batch}.npz" for batch in ("0-3", "4-7", "8-9")]
    assert campaign.studies["gamma"].batches() == ["0-4"]
    content = changed("studies.compare.batch", 1000)
    assert load(tmp_path, content).studies["compare"].batches() == ["0-9"]


def test_jobs_are_spelled_out_in_values(tmp_path) -> None:
    campaign = load(tmp_path, GOOD)
    assert campaign.arguments("compare", "K4", "uts") == (
        "uts --u 0.75,0.25*3 --v 0.75,0.25*3 --horizon 1000 --seed 1 --gamma 2"
    )
    assert campaign.arguments("gamma", "line", "free") == (
        "uts --means 0.1,0.5,0.3 --edges 0-1,1-2 --horizon 100 --seed 1 --gamma inf"
    )


@pytest.mark.parametrize("name", COMMITTED)
def test_the_command_line_takes_every_job_as_it_is_meant(name: str) -> None:
    campaign = config.load(ROOT / f"config/{name}.yaml")
    for study in campaign.studies.values():
        for instance, policy in itertools.product(study.instances, study.policies):
            words = shlex.split(campaign.arguments(study.name, instance.name, policy.name))
            context = __main__._simulate.make_context("simulate", words)
            options = context.params
            assert options["policy"] == policy.policy
            assert (options["horizon"], options["seed"]) == (study.horizon, campaign.seed)
            assert __main__._parameters(policy.policy, context) == policy.parameters
            if instance.arms <= 1024:  # the larger ones differ from these in nothing but size
                built = config.build(instance.entry())
                assert __main__._instance(options).content == built.content


def test_labels_and_drawing_are_no_part_of_a_job(tmp_path) -> None:
    content = changed("policies.mine", {"policy": "ucb1", "label": "Other", "draw": False})
    before, after = load(tmp_path, GOOD), load(tmp_path, content)
    job = ("compare", "tall", "mine")
    assert before.arguments(*job) == after.arguments(*job)
    assert before.cells("compare") == after.cells("compare")
    shown = ("tables", "final_regret")
    assert outputs.values(before, *shown) != outputs.values(after, *shown)


def test_a_policy_that_cannot_play_is_named_before_any_job(tmp_path) -> None:
    content = changed("policies.free", {"policy": "rank1elim", "studies": ["gamma"]})
    campaign = load(tmp_path, content)
    with pytest.raises(config.ConfigError) as caught:
        campaign.check()
    assert str(caught.value).startswith(
        "config/mine.yaml: policies.free on line in gamma: rank1elim cannot play on this instance: "
    )


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"gamma": 1}, "gamma is 1; allowed: "),
        ({"gamma": 2.5}, "gamma is 2.5; allowed: "),
        ({"gamma": "two"}, "gamma is 'two'; allowed: "),
        ({"gamma": True}, "gamma is True; allowed: "),
        ({"warm_up": "no"}, "warm_up is 'no'; allowed: "),
    ],
)
def test_a_parameter_is_checked_by_the_policy_itself(tmp_path, parameters, words) -> None:
    campaign = load(tmp_path, changed("policies.uts.parameters", parameters))
    with pytest.raises(config.ConfigError) as caught:
        campaign.check()
    assert str(caught.value).startswith("config/mine.yaml: policies.uts on K4 in compare: " + words)


def test_the_league_is_of_every_policy() -> None:
    league = config.load(ROOT / "config/league.yaml")
    assert {*sources.policies()} <= {policy.policy for policy in league.policies.values()}
    assert league.experiments["league"]["policies"] == list(league.policies)
    given = outputs.values(league, "experiments", "league", "uts")
    assert [entry["name"] for entry in given["data"]["bandits"]][:2] == ["K4", "K8"]
    league.check()


def test_a_half_written_file_stops_only_what_needs_it(tmp_path) -> None:
    write(tmp_path, GOOD, "good")
    write(tmp_path, {"seed": "soon"}, "draft")
    campaigns = config.Campaigns(tmp_path / "config")
    assert list(campaigns) == ["draft", "good"]
    assert campaigns["good"].seed == 1
    with pytest.raises(config.ConfigError, match=r"config/draft.yaml: seed is 'soon'"):
        campaigns["draft"]
    assert campaigns.names("studies") is None
    (tmp_path / "config/draft.yaml").unlink()
    assert config.Campaigns(tmp_path / "config").names("studies") == ["compare", "gamma"]


def test_names_are_known_without_spelling_a_campaign_out(monkeypatch) -> None:
    whole = config.Campaigns(ROOT / "config")
    spelled = {
        section: sorted({name for file in whole for name in getattr(whole.peek(file), section)})
        for section in ("studies", "instances", "policies", "figures", "tables", "experiments")
    }
    # Snakemake asks for names each time it starts: nothing may be fitted or drawn for that
    monkeypatch.setattr(config.entries, "resolved", None)
    read = config.Campaigns(ROOT / "config")
    assert {section: read.names(section) for section in spelled} == spelled


def test_a_policy_can_be_a_file_anywhere(tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "elsewhere" / "own.py"
    file.write_text("def configure(problem, width=1.0): ...\n")
    entry = {"policy": "../elsewhere/own.py", "parameters": {"width": 2}}
    policy = load(tmp_path, changed("policies.mine", entry)).policies["mine"]
    assert (policy.policy, policy.file) == (str(file), "own")
    entry = {"policy": "../elsewhere/none.py"}
    with pytest.raises(config.ConfigError, match=r"none\.py'; allowed: a file that"):
        load(tmp_path, changed("policies.mine", entry))


@pytest.mark.parametrize(
    ("entry", "instance"),
    [
        ({"factors": [VECTOR, VECTOR, [0.9, 0.2]]}, (4, 4, 2)),
        ({"means": [0.2, 0.9, 0.1], "graph": "cycle"}, None),
        ({"matrix": [[0.9, 0.4], [0.3, 0.2]]}, (2, 2)),
        ({"random": {"arms": 6, "seed": 4}}, None),
        ({"csv": "example_clicks"}, (10, 5)),
        ({"csv": "own.csv"}, (1, 2)),
        ({"means": [0.9, 0.1, 0.5], "graph": "line", "unimodal": False}, None),
    ],
)
def test_every_form_of_an_instance_reaches_the_command_line(tmp_path, entry, instance) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "own.csv").write_text("0.9,0.4\n")
    content = changed("instances.new", entry)
    content["studies"]["compare"]["instances"].append("new")
    made = load(tmp_path, content).instances["new"]
    bandit = config.build(made.entry())
    assert bandit.shape == instance
    assert made.arms == bandit.arms
    options = {"u": None, "v": None, "means": None, "edges": None, "graph": None, "csv": None}
    options |= {"random": None, "factor": [], "not_unimodal": False}
    words = iter(made.arguments().split())
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        if name == "not_unimodal":
            options[name] = True
        elif name == "factor":
            options[name].append(next(words))
        else:
            options[name] = next(words)
    assert __main__._instance(options).content == bandit.content


MISTAKES = {
    "two forms": ("instances.tall.csv", "x.csv", "instances.tall: the instance has u, v, csv"),
    "no such file": ("instances.new", {"csv": "x.csv"}, "x.csv cannot be read: No such file"),
    "not unimodal": (
        "instances.line.means",
        [0.5, 0.1, 0.4],
        "instances.line: arm 2 of mean 0.4 has no neighbour with a larger mean",
    ),
    "zeros on both sides": ("instances.tall", {"u": [0.9, 0.0], "v": [0.5, 0.0]}, "arm 3 = (1, 1)"),
    "unknown graph": (
        "instances.new",
        {"means": [0.5, 0.1], "graph": "ring"},
        "instances.new: graph is 'ring'; allowed: line, cycle",
    ),
    "a sweep of nothing": ("policies.uts.parameters", {"gamma": []}, "gamma is []; allowed:"),
    "unknown key": ("studies.compare.runz", 3, "studies.compare has the unknown key 'runz'"),
    "unknown key at the top": ("colour", 3, "the file has the unknown key 'colour'"),
    "missing key": ("studies.compare.runs", None, "studies.compare lacks the key 'runs'"),
    "unknown policy": (
        "policies.mine.policy",
        "nobody",
        "policies.mine.policy is 'nobody'; allowed: ",
    ),
    "unknown parameter": (
        "policies.uts.parameters",
        {"gama": 2},
        "policies.uts.parameters has the unknown key 'gama'; allowed for uts: gamma, warm_up.",
    ),
    "u above one": (
        "instances.tall.u",
        [0.9, 1.5],
        "instances.tall.u[1] is 1.5; allowed: a number in [0, 1].",
    ),
    "v below zero": ("instances.K4.v", VECTOR | {"rest": -0.1}, "instances.K4.v.rest is -0.1;"),
    "u empty": ("instances.tall.u", [], "instances.tall.u is []; allowed: a list of numbers"),
    "u a number": ("instances.tall.u", 0.5, "instances.tall.u is 0.5; allowed: a list of numbers"),
    "best row twice": ("instances.tall.u", [0.9, 0.9], "u has its largest value 0.9 2 times"),
    "best column twice": (
        "instances.K4.v",
        VECTOR | {"first": 0.25},
        "instances.K4.v has its largest",
    ),
    "best arm of a graph twice": (
        "instances.line.means",
        [0.5, 0.5, 0.1],
        "instances.line.means has",
    ),
    "all zero": ("instances.tall.v", [0.0], "instances.tall has mean 0 on every arm"),
    "u without v": ("instances.tall.v", None, "instances.tall has only the keys u; allowed:"),
    "edge to nowhere": (
        "instances.line.edges",
        [[0, 3]],
        "instances.line.edges[0][1] is 3; allowed: 0 to 2",
    ),
    "edge to itself": (
        "instances.line.edges",
        [[1, 1]],
        "instances.line.edges[0] is [1, 1]; allowed:",
    ),
    "more jobs than Snakemake can plan": (
        "studies.compare",
        {"horizon": 1000, "runs": 10**18, "batch": 100, "instances": ["tall"]},
        "batch is 100, which makes 10,000,000,000,000,000 jobs for each policy and instance",
    ),
    "no runs": ("studies.compare.runs", 0, "runs is 0; allowed: a whole number of at least 1"),
    "half a run": ("studies.compare.runs", 1.5, "studies.compare.runs is 1.5; allowed:"),
    "horizon as text": (
        "studies.compare.horizon",
        "many",
        "studies.compare.horizon is 'many'; allowed:",
    ),
    "horizon beyond the largest": (
        "studies.compare.horizon",
        LARGEST_HORIZON + 1,
        f"{LARGEST_HORIZON + 1}; allowed: a whole number from 1 to 10^15",
    ),
    "horizon below warm-up": (
        "studies.compare.horizon",
        15,
        "studies.compare.horizon is 15; allowed: at least 16, a warm-up round for each arm of K4.",
    ),
    "unknown instance": (
        "studies.compare.instances",
        ["K5"],
        "studies.compare.instances is 'K5'; allowed: K4,",
    ),
    "unknown study of a policy": (
        "policies.mine.studies",
        ["x"],
        "policies.mine.studies is 'x'; allowed: compare,",
    ),
    "study without policy": ("policies.free", None, "studies.gamma has no policy"),
    "unknown kind": ("figures.picture.kind", "x", "figures.picture.kind is 'x'; allowed: "),
    "unknown study of a figure": (
        "figures.picture.study",
        "x",
        "figures.picture.study is 'x'; allowed: compare,",
    ),
    "key of another kind": (
        "figures.picture.arm",
        [1, 1],
        "figures.picture has the unknown key 'arm'; allowed for",
    ),
    "figure without study": (
        "figures.picture.study",
        None,
        "figures.picture lacks the key 'study'",
    ),
    "omitted stranger": (
        "figures.picture.omit",
        ["free"],
        "figures.picture.omit is 'free'; allowed: uts, mine.",
    ),
    "name with a slash": (
        "instances.a/b",
        {"u": [0.1], "v": [0.1]},
        "instances has the key 'a/b'; allowed:",
    ),
    "claim with an unknown key": (
        "claims.one",
        {"number": 1, "statement": "s", "kind": "ordered", "study": "compare", "ordr": []},
        "claims.one has the unknown key 'ordr'; allowed for ordered: kind, number, statement, ",
    ),
    "claim about a stranger": (
        "claims.one",
        {"number": 1, "statement": "s", "kind": "ordered", "study": "compare", "order": ["x"]},
        "claims.one.order is 'x'; allowed: uts, mine.",
    ),
    "experiment with an unknown key": (
        "experiments.unimodality",
        {"matrixes": 3},
        "experiments.unimodality has the unknown key 'matrixes'; allowed for unimodality: kind, ",
    ),
    "experiment without a key": (
        "experiments.unimodality",
        {},
        "experiments.unimodality lacks the key 'matrices'; unimodality needs it.",
    ),
    "window that is no checkpoint": (
        "studies.compare",
        {"horizon": 100, "runs": 1, "checkpoints": [10, 100], "windows": [[10, 50]]},
        "studies.compare.windows has [10, 50]; allowed: two increasing checkpoints.",
    ),
    "seed below zero": ("seed", -1, "seed is -1; allowed: a whole number of at least 0."),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_naming_file_and_key(tmp_path, mistake: str) -> None:
    path, value, words = MISTAKES[mistake]
    with pytest.raises(config.ConfigError) as caught:
        load(tmp_path, changed(path, value))
    sentence = str(caught.value)
    assert sentence.startswith("config/mine.yaml: ")
    assert words in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_a_mistake_in_a_key_of_two_lines_is_one_sentence(tmp_path) -> None:
    content = {**changed("seed", 1), "a\nb": float("nan")}
    with pytest.raises(config.ConfigError, match=r"^config/mine.yaml: a b is nan; allowed: a num"):
        load(tmp_path, content)


def test_reading_configs_does_not_import_numba() -> None:
    program = "import sys, rankone.pipeline.campaigns as c, pathlib\n"
    program += "c.load(pathlib.Path('config/paper.yaml')); sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
