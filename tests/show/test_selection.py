"""What a figure shows of its data, whatever draws it."""

import math

import pandas as pd
import pytest
from helpers import synthetic
from helpers.league import CASES

from rankone.show import selection

POLICIES = [
    {"name": "a", "label": "A"},
    {"name": "b", "label": "B", "draw": False},
    {"name": "c", "label": "C"},
]
PLACES = [{"name": "square", "label": "Square"}, {"name": "line", "label": "Line"}]


def swept(entries, of="one"):
    return [{**one, "sweep": {"of": of, "symbol": "x", "text": one["name"]}} for one in entries]


def test_policies_that_are_not_drawn_are_left_out():
    assert [policy["name"] for policy in selection.drawn(POLICIES)] == ["a", "c"]
    with pytest.raises(ValueError, match="no policy is left to draw"):
        selection.drawn(POLICIES[1:2])


def test_some_have_another_label():
    found = selection.renamed(POLICIES, {"c": "γ"})
    assert [policy["label"] for policy in found] == ["A", "B", "γ"]
    with pytest.raises(ValueError, match=r"cannot rename 'd'; allowed: a, b, c\."):
        selection.renamed(POLICIES, {"d": "D"})


def test_looks_do_not_depend_on_who_else_is_chosen():
    data = pd.DataFrame({"policy": ["a", "b", "c"]})
    assert selection.looks(POLICIES[2:], data)["c"] == selection.looks(POLICIES, data)["c"]


def test_windows_have_students_intervals_and_start_late():
    rows = [("K4", "a", 9, last, 70.0, 7.0) for last in (10**6, 10**3, 10**4)]
    names = ["instance", "policy", "runs", "last", "in_log", "in_log_se"]
    found = selection.windows(pd.DataFrame(rows, columns=names), "K4", "a", 0.95)
    assert found["last"].tolist() == [10**4, 10**6]
    reach = 2.306004 * 7  # the quantile of Student's t with eight degrees of freedom
    assert found["low"].tolist() == pytest.approx([70 - reach] * 2)
    assert found["high"].tolist() == pytest.approx([70 + reach] * 2)


def test_the_bound_at_the_horizon():
    constants = pd.DataFrame({"unimodal": [2.0, 3.0]}, ["square", "line"])
    found = selection.bound_heights(constants, PLACES[::-1], 1000)
    assert found == pytest.approx([3 * math.log(1000), 2 * math.log(1000)])


def test_an_infinite_interval_has_no_bar():
    low, high = selection.reach(*map(pd.Series, ([5.0, 5.0], [-math.inf, 3.0], [math.inf, 9.0])))
    assert low.tolist() == [0, 2]
    assert high.tolist() == [0, 4]


@pytest.mark.parametrize(
    ("instances", "found"),
    [
        ([{"shape": (4, 4)}, {"shape": (8, 8)}], ([4, 8], "Rows and columns of the matrix, K = L")),
        ([{"shape": (2, 3)}, {"means": [0.1] * 9}], ([6, 9], "Number of arms")),
        ([{"arms": 7}], ([7], "Number of arms")),
    ],
)
def test_sizes(instances, found):
    assert selection.sizes(instances) == found


def test_a_sweep_of_policies_has_a_line_for_each_instance_and_the_other_way_round():
    finals = {("square", "a"): (1.0, 0.1), ("line", "a"): (2.0, 0.1)}
    finals |= {("square", "c"): (3.0, 0.1), ("line", "c"): (4.0, 0.1)}
    bands = synthetic.bands(finals, 1000)
    players = [POLICIES[0], POLICIES[2]]

    def means(found):
        return [[row["mean"] for row in ends] for ends in found.ends]

    of_policies = selection.sweep(bands, swept(players), PLACES)
    assert of_policies.of_policies
    assert means(of_policies) == [pytest.approx([1, 3]), pytest.approx([2, 4])]
    of_instances = selection.sweep(bands, players, swept(PLACES))
    assert not of_instances.of_policies
    assert means(of_instances) == [pytest.approx([1, 2]), pytest.approx([3, 4])]


def test_a_sweep_is_of_one_thing():
    with pytest.raises(ValueError, match="nothing is swept"):
        selection.sweep(pd.DataFrame(), POLICIES, PLACES)
    two = [*swept(PLACES[:1]), *swept(PLACES[1:], of="two")]
    with pytest.raises(ValueError, match="more than one thing"):
        selection.sweep(pd.DataFrame(), POLICIES, two)


def test_a_league_as_a_matrix():
    players = [{"name": name, "label": name.title()} for name in ("few", "good", "fair")]
    found = selection.league(CASES, players, PLACES, 0.95)
    assert found.names == ["Good", "Fair", "Few"]
    assert found.heads == ["Square", "Line", "3 random\nmatrices"]
    assert found.cells[2][1] is None
    good = found.cells[0]
    assert [cell["ratio"] for cell in good] == pytest.approx([1, 2, 1])
    assert [selection.tied(cell) for cell in good] == [True, False, True]
