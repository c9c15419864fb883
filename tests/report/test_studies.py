"""Charts of further studies: the same numbers as the figures, in what plotly.js understands."""

import math

import numpy as np
import pandas as pd
import pytest
from helpers import synthetic
from helpers.charts import CONSTANTS, INSTANCES, POLICIES, valid
from helpers.league import CASES

from rankone.report import studies, traces

LEVEL = 0.95
WORDS = {"column": "mean", "x": "distribution", "y": "regret", "title": "Random"}


@pytest.fixture
def bands():
    finals = {
        (place["name"], policy["name"]): (100.0 * (1 + row) * (1 + column), 12.0)
        for row, place in enumerate(INSTANCES)
        for column, policy in enumerate(POLICIES[:2])
    }
    return synthetic.bands(finals, 300_000)


def of(panel, policy):
    """The marks of a policy."""
    return next(
        trace
        for trace in panel.data
        if trace.get("meta", {}).get("policy") == policy and trace.get("hoverinfo") != "skip"
    )


def swept(entries):
    return [{**one, "sweep": {"of": "x", "symbol": "γ", "text": one["name"]}} for one in entries]


def test_slopes_with_intervals_and_both_bounds():
    rows = [
        (place["name"], policy["name"], 9, last, 70.0 + row, 7.0)
        for row, policy in enumerate(POLICIES[:2])
        for place in INSTANCES
        for last in (1000, 10**5, 10**6)
    ]
    names = ["instance", "policy", "runs", "last", "in_log", "in_log_se"]
    slopes = pd.DataFrame(rows, columns=names)
    chart = valid(studies.slopes_by_decade(slopes, POLICIES[:2], INSTANCES, CONSTANTS, LEVEL))
    trace = of(chart.panels[0], "osub")
    assert (trace["x"], trace["y"]) == ([10**5, 10**6], [71, 71])
    assert trace["error_y"]["array"] == pytest.approx([2.306004 * 7] * 2, rel=1e-5)
    assert of(chart.panels[1], "unimodal")["y"] == [17.7, 17.7]
    assert (chart.x, chart.y) == ("log", "log")
    flat = studies.slopes_by_decade(
        slopes.assign(in_log=0.0), POLICIES[:2], INSTANCES, CONSTANTS, LEVEL
    )
    assert flat.y == "linear"


def test_scaling_has_the_final_regrets_and_the_bound(bands):
    places = [one | {"shape": (k, k)} for one, k in zip(INSTANCES, (4, 8), strict=True)]
    chart = valid(studies.scaling(bands, POLICIES[:2], places, CONSTANTS, 300_000))
    (panel,) = chart.panels
    trace = of(panel, "osub")
    assert (trace["x"], trace["y"]) == ([4, 8], pytest.approx([200, 400]))
    assert trace["error_y"]["array"] == pytest.approx([2 * 1.2] * 2)
    bound = of(panel, "unimodal")["y"]
    assert bound == pytest.approx((CONSTANTS["unimodal"] * math.log(300_000)).tolist(), rel=1e-4)
    assert "OSUB 400" in panel.alt


def test_a_sweep_of_a_parameter_and_one_of_sizes(bands):
    chart = valid(studies.sweep(bands, swept(POLICIES[:2]), INSTANCES, CONSTANTS, 300_000))
    assert [key.label for key in chart.keys] == ["K4", "K8"]
    trace = of(chart.panels[0], "K8")
    assert trace["y"] == pytest.approx([200, 400])
    assert [row[0] for row in trace["customdata"]] == ["γ = uts", "γ = osub"]
    assert "K8 200 at γ = uts" in chart.panels[0].alt
    assert (chart.y, chart.axes[0]) == ("linear", "")
    chart = valid(studies.sweep(bands, POLICIES[:2], swept(INSTANCES), CONSTANTS, 300_000))
    assert [key.name for key in chart.keys] == ["uts", "osub", "unimodal"]
    assert of(chart.panels[0], "uts")["y"] == pytest.approx([100, 200])
    assert chart.y == "log"


def test_sensitivity_has_a_row_for_each_variant(bands):
    chart = valid(studies.sensitivity(bands, POLICIES[:2], INSTANCES))
    panel = chart.panels[1]
    trace = of(panel, "osub")
    assert (trace["x"], trace["y"]) == (pytest.approx([400]), [0])
    assert panel.layout["yaxis"]["ticktext"] == ["UTS", "OSUB"]
    assert panel.layout["yaxis"]["tickvals"] == [1, 0]


def cases(each):
    rows = [
        {"group": group, "policy": policy["name"], "mean": 10.0 + case + place, "se": 1.0}
        for place, policy in enumerate(POLICIES[:2])
        for group in ("0.0", "0.5")
        for case in range(each)
    ]
    return pd.DataFrame(rows)


def test_a_box_for_each_policy_and_group():
    chart = valid(studies.distribution(cases(5), POLICIES, **WORDS))
    boxes = chart.panels[0].data
    assert [box["type"] for box in boxes] == ["box", "box"]
    assert boxes[0]["y"] == [10, 11, 12, 13, 14] * 2
    assert sorted(set(boxes[0]["x"])) == pytest.approx([-0.2, 0.8])
    assert chart.panels[0].layout["xaxis"]["ticktext"] == ["0", "0.5"]
    assert chart.data is not None
    assert len(chart.data) == 20


def test_one_case_for_each_group_is_a_point():
    chart = valid(studies.distribution(cases(1), POLICIES, **WORDS))
    trace = of(chart.panels[0], "osub")
    assert trace["y"] == [11, 11]
    assert trace["customdata"] == [["0", 2], ["0.5", 2]]


def test_a_league_can_be_read_out():
    places = [{"name": "square", "label": "Square"}, {"name": "line", "label": "Line"}]
    players = [{"name": name, "label": name.title()} for name in ("few", "good", "fair")]
    chart = valid(studies.league(CASES, players, places, LEVEL))
    (grid,) = chart.panels[0].data
    assert grid["text"][0] == ["1.26", "1.00", "2.00", "1.00"]
    assert grid["text"][2][2] == "×"
    assert grid["customdata"][2][2] == "<b>Few</b> on Line<br>cannot play there"
    assert "regret 20.0" in grid["customdata"][0][2]
    assert "behind the best by 10.0" in grid["customdata"][0][2]
    assert "the best there" in grid["customdata"][0][1]
    shades = np.array(grid["z"], float)
    assert shades[0, 1] == -0.25  # green: the best
    assert shades[0, 2] == pytest.approx(math.log10(2))
    assert math.isnan(shades[2, 2])
    assert [colour for _, colour in grid["colorscale"]][:2] == [traces.BEST] * 2
    assert "First by mean rank: Good, Fair, Few" in chart.panels[0].alt
