"""Config files: what they spell out, and one sentence for each mistake."""

import copy
import inspect
import itertools
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rankone import __main__, simulation
from rankone.engine import sources
from rankone.pipeline import campaigns as config

ROOT = Path(__file__).parents[1]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/campaign.schema.yaml").read_text())
VECTOR = {"first": 0.75, "rest": 0.25, "size": 4}

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
        "inf": {"policy": "uts", "parameters": {"gamma": float("inf")}, "studies": ["gamma"]},
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
    return config.load(write(folder, content), SCHEMA)


def changed(path: str, value: object) -> dict:
    """The good config with one value put in, or taken out where it is None."""
    content = copy.deepcopy(GOOD)
    *above, last = path.split(".")
    place = content
    for key in above:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return content


def test_the_committed_configs_are_good() -> None:
    found = config.campaigns(ROOT / "config", ROOT / "workflow/schemas/campaign.schema.yaml")
    assert {"paper", "smoke", "beyond"} <= found.keys()


def test_the_paper_is_what_the_paper_says() -> None:
    paper = config.load(ROOT / "config/paper.yaml", SCHEMA)
    for study in ("gamma", "regret"):
        assert paper.studies[study].horizon == 300_000
        assert paper.studies[study].runs == 100
    assert [len(i.u) for i in paper.studies["regret"].instances] == [4, 8, 16]
    for instance in paper.instances.values():
        assert instance.u == instance.v == (0.75, *[0.25] * (len(instance.u) - 1))
    gammas = [policy.parameters["gamma"] for policy in paper.studies["gamma"].policies]
    assert gammas == [2, 5, 10, 20, float("inf")]
    drawn = [policy.name for policy in paper.studies["regret"].policies if policy.draw]
    assert drawn == ["uts", "osub", "kl_ucb", "rank1elim_kl"]


def test_smoke_is_the_paper_in_small() -> None:
    paper, smoke = (config.load(ROOT / f"config/{n}.yaml", SCHEMA) for n in ("paper", "smoke"))
    assert (paper.policies, paper.instances) == (smoke.policies, smoke.instances)
    assert (paper.figures, paper.tables) == (smoke.figures, smoke.tables)
    assert paper.studies.keys() == smoke.studies.keys()
    for name, study in smoke.studies.items():
        assert study.policies == paper.studies[name].policies
        assert study.instances == paper.studies[name].instances
        assert study.horizon < paper.studies[name].horizon / 10


def test_a_new_line_plays_in_every_comparison_and_nowhere_else(tmp_path) -> None:
    campaign = load(tmp_path, GOOD)
    assert [p.name for p in campaign.studies["compare"].policies] == ["uts", "mine"]
    assert [p.name for p in campaign.studies["gamma"].policies] == ["inf"]
    assert campaign.policies["mine"].draw
    assert campaign.policies["uts"].label == "uts"


def test_batches_cover_the_runs(tmp_path) -> None:
    study = load(tmp_path, GOOD).studies["compare"]
    assert study.batches() == ["0-3", "4-7", "8-9"]
    assert study.files()[:4] == ["K4/uts/0-3", "K4/uts/4-7", "K4/uts/8-9", "K4/mine/0-3"]
    assert load(tmp_path, GOOD).studies["gamma"].batches() == ["0-4"]
    content = changed("studies.compare.batch", 1000)
    assert load(tmp_path, content).studies["compare"].batches() == ["0-9"]


def test_jobs_are_spelled_out_in_values(tmp_path) -> None:
    campaign = load(tmp_path, GOOD)
    assert campaign.arguments("compare", "K4", "uts") == (
        "uts --u 0.75,0.25*3 --v 0.75,0.25*3 --horizon 1000 --seed 1 --gamma 2"
    )
    assert campaign.arguments("gamma", "line", "inf") == (
        "uts --means 0.1,0.5,0.3 --edges 0-1,1-2 --horizon 100 --seed 1 --gamma inf"
    )


@pytest.mark.parametrize("name", ["paper", "smoke", "beyond"])
def test_the_command_line_takes_every_job_as_it_is_meant(name: str) -> None:
    campaign = config.load(ROOT / f"config/{name}.yaml", SCHEMA)
    for study in campaign.studies.values():
        for instance, policy in itertools.product(study.instances, study.policies):
            words = shlex.split(campaign.arguments(study.name, instance.name, policy.name))
            options, rest = __main__._parser().parse_known_args(["simulate", *words])
            assert options.policy == policy.policy
            assert (options.horizon, options.seed) == (study.horizon, campaign.seed)
            assert __main__._parameters(policy.policy, rest) == policy.parameters
            built = config.build(instance.entry())
            assert __main__._instance(options).content == built.content


def test_labels_and_drawing_are_no_part_of_a_job(tmp_path) -> None:
    content = changed("policies.mine", {"policy": "ucb1", "label": "Other", "draw": False})
    before, after = load(tmp_path, GOOD), load(tmp_path, content)
    job = ("compare", "tall", "mine")
    assert before.arguments(*job) == after.arguments(*job)
    assert before.output("figures", "picture") != after.output("figures", "picture")


def test_an_output_is_plain_data(tmp_path) -> None:
    shown = load(tmp_path, GOOD).output("figures", "picture")
    assert shown["kind"] == "comparison"
    assert shown["omit"] == ["mine"]
    assert shown["horizon"] == 1000
    assert [p["name"] for p in shown["policies"]] == ["uts", "mine"]
    assert shown["instances"][1]["shape"] == (3, 2)
    assert config.build(shown["instances"][1]).means.tolist() == pytest.approx(
        [0.54, 0.09, 0.3, 0.05, 0.12, 0.02]
    )


MISTAKES = {
    "unknown key": ("studies.compare.runz", 3, "studies.compare has the unknown key 'runz'"),
    "unknown key at the top": ("colour", 3, "the file has the unknown key 'colour'"),
    "missing key": ("studies.compare.runs", None, "studies.compare lacks the key 'runs'"),
    "unknown policy": (
        "policies.mine.policy",
        "nobody",
        "policies.mine.policy is 'nobody'; allowed: kl_ucb, ",
    ),
    "unknown parameter": (
        "policies.uts.parameters",
        {"gama": 2},
        "policies.uts.parameters has the unknown key 'gama'; allowed for uts: gamma, warm_up.",
    ),
    "gamma below two": ("policies.uts.parameters.gamma", 1, "parameters.gamma is 1; allowed:"),
    "gamma not whole": ("policies.uts.parameters.gamma", 2.5, "parameters.gamma is 2.5; allowed:"),
    "gamma a word": ("policies.uts.parameters.gamma", "two", "parameters.gamma is 'two'; allowed:"),
    "gamma true": ("policies.uts.parameters.gamma", True, "parameters.gamma is True; allowed:"),
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
    "no runs": ("studies.compare.runs", 0, "runs is 0; allowed: a whole number of at least 1"),
    "half a run": ("studies.compare.runs", 1.5, "studies.compare.runs is 1.5; allowed:"),
    "horizon as text": (
        "studies.compare.horizon",
        "3e5",
        "studies.compare.horizon is '3e5'; allowed:",
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
    "study without policy": ("policies.inf", None, "studies.gamma has no policy"),
    "unknown kind": ("figures.picture.kind", "x", "figures.picture.kind is 'x'; allowed: figure1,"),
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
        ["inf"],
        "figures.picture.omit is 'inf'; allowed: uts, mine.",
    ),
    "name with a slash": (
        "instances.a/b",
        {"u": [0.1], "v": [0.1]},
        "instances has the key 'a/b'; allowed:",
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


# Where the schema repeats what the policies check themselves: values both take, values both refuse.
AGREED = {
    "gamma": ([2, 5, float("inf"), "degree"], [1, 0, -3, 2.5, "x"]),
    "c": ([0, 0.5, 3], [-1, float("inf"), "x"]),
    "clock": (["leader", "global"], ["x", 1]),
    "forced": ([0, 1], [2, "x"]),
    "variant": (["paper", "released", "trinh"], ["x"]),
    "warm_up": ([True, False], []),
}


@pytest.mark.parametrize("name", SCHEMA["$defs"]["parameters"]["properties"])
def test_the_schema_and_the_policies_agree(tmp_path, name: str) -> None:
    good, bad = AGREED[name]
    problem = config.build({"u": [0.75, 0.25], "v": [0.75, 0.25]}).problem(100)
    takers = [policy for policy in sources.policies() if name in sources.parameters(policy)]
    assert takers
    for policy, value in itertools.product(takers, good + bad):
        content = changed("policies.mine", {"policy": policy, "parameters": {name: value}})
        configure = simulation.load(policy).configure
        if value in good:
            load(tmp_path, content)
            configure(problem, **{name: value})
            continue
        with pytest.raises(config.ConfigError, match=f"parameters.{name} is "):
            load(tmp_path, content)
        with pytest.raises(ValueError, match=f"^{name} is .*; allowed: "):
            configure(problem, **{name: value})


def test_like_merges_and_blames_the_right_file(tmp_path) -> None:
    write(tmp_path, GOOD, "base")
    small = {
        "like": "base",
        "every_study": {"runs": 2},
        "studies": {"gamma": {"runs": 3}},
        "policies": {"uts": {"label": "U"}},
    }
    campaign = load(tmp_path, small)
    assert campaign.name == "mine"
    assert campaign.studies["compare"].runs == 2
    assert campaign.studies["gamma"].runs == 3
    assert campaign.studies["compare"].horizon == 1000
    assert campaign.policies["uts"].label == "U"
    assert campaign.policies["uts"].parameters == {"gamma": 2}

    with pytest.raises(config.ConfigError, match=r"^config/mine.yaml: studies.gamma.runs is 0;"):
        load(tmp_path, small | {"studies": {"gamma": {"runs": 0}}})
    write(tmp_path, changed("seed", -1), "base")
    with pytest.raises(config.ConfigError, match=r"^config/base.yaml: seed is -1;"):
        load(tmp_path, small)


@pytest.mark.parametrize("like", ["nobody", "mine", 3])
def test_like_must_name_another_file(tmp_path, like: object) -> None:
    write(tmp_path, GOOD, "base")
    with pytest.raises(config.ConfigError, match=r"mine.yaml: like is .*; allowed: base."):
        load(tmp_path, {"like": like})


def test_like_must_not_go_round(tmp_path) -> None:
    write(tmp_path, {"like": "mine"}, "base")
    with pytest.raises(config.ConfigError, match="like is"):
        load(tmp_path, {"like": "base"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed: 1\nseed: 2\n", "config/mine.yaml is not valid YAML: the key 'seed' is given twice"),
        ("seed: [1\n", "config/mine.yaml is not valid YAML: "),
        ("", "config/mine.yaml holds None; allowed: keys with values"),
        ("- seed\n", "config/mine.yaml holds ['seed']; allowed: keys with values"),
    ],
)
def test_text_that_is_no_config(tmp_path, text: str, words: str) -> None:
    file = write(tmp_path, {})
    file.write_text(text)
    with pytest.raises(config.ConfigError) as caught:
        config.load(file, SCHEMA)
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


def test_reading_configs_does_not_import_numba() -> None:
    program = "import sys, rankone.pipeline.campaigns; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_policy_depends_on_another_policys_file() -> None:
    for policy in sources.policies():
        files = sources.of_policy(policy)
        folders = [file.parent.name for file in files if file.stem in sources.policies()]
        assert {f.stem for f in files if f.parent.name == "policies"} - {"__init__"} == {policy}
        assert folders.count("fast") <= 1
        names = {file.name for file in files}
        assert {"simulation.py", "engine.py", "instances.py", "seeds.py", "jit.py"} <= names


def test_a_policys_parameters_are_read_without_importing_it() -> None:
    for policy in sources.policies():
        _, *known = inspect.signature(simulation.load(policy).configure).parameters
        assert sources.parameters(policy) == known


def test_relative_and_indirect_imports_are_followed(tmp_path) -> None:
    package = tmp_path / "rankone"
    for name, text in {
        "__init__.py": "from rankone import nothing\n",
        "a.py": "from . import b\nfrom .sub.c import thing\nimport numpy\n",
        "b.py": "import rankone.d\n",
        "d.py": "",
        "nothing.py": "",
        "sub/__init__.py": "",
        "sub/c.py": "from ..d import x\nfrom rankone.sub import e\n",
        "sub/e.py": "",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    found = sources.closure([package / "a.py"], package)
    names = [file.relative_to(package).as_posix() for file in found]
    assert names == ["a.py", "b.py", "d.py", "sub/__init__.py", "sub/c.py", "sub/e.py"]
