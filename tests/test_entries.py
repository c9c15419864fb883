"""Instances as plain data: every form, and the same instance after it is resolved."""

import pytest

import rankone
from rankone import entries

LINE = rankone.line([0.1, 0.9, 0.3])
FORMS = {
    "matrix of rank one": ({"u": [0.9, 0.2], "v": [0.5]}, rankone.rank_one([0.9, 0.2], [0.5])),
    "tensor": (
        {"factors": [[0.9, 0.2], [0.5, 0.1], [0.4, 0.3]]},
        rankone.tensor([0.9, 0.2], [0.5, 0.1], [0.4, 0.3]),
    ),
    "edges": ({"means": [0.1, 0.9, 0.3], "edges": [[0, 1], [1, 2]]}, LINE),
    "line": ({"means": [0.1, 0.9, 0.3], "graph": "line"}, LINE),
    "tree": ({"means": [0.9, 0.3, 0.1], "graph": "tree:2"}, rankone.tree([0.9, 0.3, 0.1])),
    "grid": ({"means": [0.9, 0.3], "graph": "grid:2x1"}, rankone.grid([[0.9], [0.3]])),
    "matrix": (
        {"matrix": [[0.9, 0.3], [0.4, 0.2]]},
        rankone.matrix([[0.9, 0.3], [0.4, 0.2]]),
    ),
    "random tree": ({"random": {"arms": 7, "seed": 2}}, rankone.random_tree(7, 2)),
    "random graph": (
        {"random": {"arms": 7, "edges": 9, "seed": 2}},
        rankone.random_graph(7, 9, 2),
    ),
    "click log": ({"csv": "example_clicks"}, rankone.from_csv("example_clicks")),
    "meant": (
        {"matrix": [[0.9, 0.1], [0.1, 0.8]], "unimodal": False},
        rankone.matrix([[0.9, 0.1], [0.1, 0.8]], unimodal=False),
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_its_instance(name):
    entry, instance = FORMS[name]
    assert entries.build(entry).content == instance.content
    resolved = entries.resolved(entry)
    assert entries.build(resolved).content == instance.content
    assert entries.form(resolved) in ("u", "factors", "means")
    assert entries.arms(resolved) == instance.arms
    assert entries.shape(resolved) == instance.shape


def test_files_lie_beside_the_config(tmp_path):
    (tmp_path / "m.csv").write_text("0.9,0.3\n0.4,0.2\n")
    found = entries.resolved({"csv": "m.csv", "label": "M"}, tmp_path)
    assert found == {"means": [0.9, 0.3, 0.4, 0.2], "graph": "product:2x2", "label": "M"}


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"u": [0.5]},
        {"means": [0.5]},
        {"edges": []},
        {"means": [0.5], "edges": [], "graph": "line"},
        {"u": [0.5], "v": [0.5], "csv": "x"},
    ],
)
def test_what_is_not_one_form(entry):
    with pytest.raises(ValueError, match=r"the instance has .*; allowed: u and v; factors;"):
        entries.form(entry)
