"""Sweeps: a list in the config stands for one entry each."""

import math
from pathlib import Path

import pytest

from rankone.pipeline import campaigns, sweeps

ROOT = Path(__file__).parents[2]


def policies(**entry):
    return sweeps.expand({"policies": {"p": entry, "q": {"policy": "ts"}}})["policies"]


def instances(**entry):
    return sweeps.expand({"instances": {"i": entry}})["instances"]


def test_a_parameter_in_a_list_is_one_policy_each():
    found = policies(policy="uts", label="UTS", parameters={"gamma": [2, 5.0, math.inf, "degree"]})
    assert list(found) == ["p2", "p5", "p_inf", "p_degree", "q"]
    assert [one["parameters"]["gamma"] for one in found.values() if "parameters" in one] == [
        2,
        5.0,
        math.inf,
        "degree",
    ]
    labels = ["UTS (γ = 2)", "UTS (γ = 5)", "UTS (γ = ∞)", "UTS (γ = degree)"]
    assert [found[name]["label"] for name in list(found)[:4]] == labels
    assert found["p_inf"]["sweep"] == {"of": "p", "symbol": "γ", "text": "∞"}


def test_the_label_says_where_the_value_goes():
    found = policies(label="c is {c}!", parameters={"c": [0, 0.5]})
    assert {name: one.get("label") for name, one in found.items()} == {
        "p0": "c is 0!",
        "p0-5": "c is 0.5!",
        "q": None,
    }


@pytest.mark.parametrize(
    "entry",
    [
        {"size": [2, 3], "u": {"first": 0.7, "rest": 0.2}, "v": {"first": 0.7, "rest": 0.2}},
        {
            "u": {"first": 0.7, "rest": 0.2, "size": [2, 3]},
            "v": {"first": 0.7, "rest": 0.2, "size": [2, 3]},
        },
    ],
)
def test_a_size_in_a_list_is_one_instance_each(entry):
    found = instances(label="K = {size}", **entry)
    assert list(found) == ["i2", "i3"]
    assert found["i3"]["u"]["size"] == found["i3"]["v"]["size"] == 3
    assert found["i3"]["label"] == "K = 3"
    assert "size" not in found["i3"]


def test_sizes_of_other_forms():
    tensors = instances(size=[2, 3], factors=[{"first": 0.9, "rest": 0.5}, [0.8, 0.1]])
    assert [one["factors"][0]["size"] for one in tensors.values()] == [2, 3]
    trees = instances(size=[5, 9], random={"seed": 1})
    assert [one["random"]["arms"] for one in trees.values()] == [5, 9]
    uneven = instances(u={"first": 0.9, "rest": 0.5, "size": [2, 4]}, v=[0.9, 0.1])
    assert list(uneven) == ["i2", "i4"]
    alone = instances(size=4, u={"first": 0.9, "rest": 0.5}, v=[0.9, 0.1])
    assert list(alone) == ["i"]
    assert alone["i"]["u"]["size"] == 4


def test_all_are_meant_where_the_entry_is_named():
    content = {
        "policies": {"p": {"parameters": {"c": [0, 1]}}, "q": {}},
        "instances": {"i": {"size": [2, 3], "random": {"seed": 1}}},
        "imported": ["i", "other"],
        "studies": {"s": {"instances": ["i"], "policies": ["q", "p"], "fewer": {"p": 3, "q": 4}}},
        "figures": {"f": {"omit": ["p"], "instances": ["i"]}},
    }
    found = sweeps.expand(content)
    assert found["studies"]["s"] == {
        "instances": ["i2", "i3"],
        "policies": ["q", "p0", "p1"],
        "fewer": {"p0": 3, "p1": 3, "q": 4},
    }
    assert found["figures"]["f"] == {"omit": ["p0", "p1"], "instances": ["i2", "i3"]}
    assert found["imported"] == ["i2", "i3", "other"]
    assert content["studies"]["s"]["instances"] == ["i"]  # what was given is left alone


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"policies": {"p": {"parameters": {"c": []}}}}, "policies.p.parameters.c is []"),
        ({"policies": {"p": {"parameters": {"c": [1, 1]}}}}, "c is [1, 1]; allowed: a list of"),
        ({"policies": {"p": {"parameters": {"c": [[1]]}}}}, "c is [[1]]; allowed"),
        ({"policies": {"p": {"parameters": {"a": [1], "b": [2]}}}}, "the lists a, b; allowed: one"),
        ({"policies": {"p": {"parameters": {"c": [1]}}, "p1": {}}}, "policies.p makes 'p1' twice"),
        ({"instances": {"i": {"size": 3, "means": [0.1]}}}, "instances.i.size is 3; allowed"),
        (
            {"instances": {"i": {"u": {"size": [1, 2]}, "v": {"size": [1]}}}},
            "instances.i has sizes in lists of different lengths",
        ),
    ],
)
def test_a_mistake_is_one_sentence(content, words):
    with pytest.raises(ValueError, match=r"^[^\n]+\.$") as caught:
        sweeps.expand(content)
    assert words in str(caught.value)


def test_the_sweeps_of_beyond_are_the_cells_that_they_were():
    beyond = campaigns.load(ROOT / "config/beyond.yaml")
    gammas = [policy.parameters["gamma"] for policy in beyond.studies["gamma"].policies]
    assert gammas == [2, 5, 10, 20, math.inf]
    sizes = [len(instance.u) for instance in beyond.studies["scaling"].instances]
    assert sizes == [2, 4, 8, 16, 32, 64, 128]
    paper = campaigns.load(ROOT / "config/paper.yaml")
    square = {i.name: i for i in beyond.studies["scaling"].instances}
    assert square["square8"].bandit() == paper.instances["K8"].bandit()
    assert beyond.policies["uts_gamma_inf"].label == "γ = ∞"
