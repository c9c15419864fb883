"""Charts: the same numbers as the figures, in what plotly.js understands."""

import numpy as np
import pandas as pd
import pytest
from helpers import synthetic
from helpers.charts import CONSTANTS, INSTANCES, POLICIES, valid

import rankone
from rankone.report import charts
from rankone.show import style

FINALS = {"uts": (75.0, 12.0), "osub": (150.0, 15.0), "rank1elim_kl": (2400.0, 300.0)}


@pytest.fixture
def bands():
    finals = {
        (instance["name"], policy): value
        for instance in INSTANCES
        for policy, value in FINALS.items()
    }
    return synthetic.bands(finals, 300_000)


def mean(panel, policy):
    return next(t for t in panel.data if t["meta"]["policy"] == policy and "marks" in t["meta"])


def test_a_panel_for_each_instance_and_the_lower_curves_enlarged(bands):
    chart = valid(charts.comparison(bands, POLICIES, INSTANCES))
    assert [panel.title for panel in chart.panels] == ["K4", "K4, enlarged", "K8", "K8, enlarged"]
    assert (chart.deep, chart.x, chart.y) == (2, "linear", "linear")
    assert [key.label for key in chart.keys] == ["UTS", "OSUB", "Rank1ElimKL"]
    drawn = {trace["meta"]["policy"] for trace in chart.panels[1].data}
    assert drawn == {"uts", "osub"}


def test_curves_have_the_numbers_of_the_bands(bands):
    panel = charts.comparison(bands, POLICIES, INSTANCES).panels[0]
    trace = mean(panel, "osub")
    rows = bands[(bands["instance"] == "K4") & (bands["policy"] == "osub")]
    assert trace["x"] == rows["t"].tolist()
    np.testing.assert_allclose(trace["y"], rows["mean"], rtol=1e-5)
    se, low, high, runs = trace["customdata"][-1]
    last = rows.iloc[-1]
    np.testing.assert_allclose([se, low, high], last[["se", "p10", "p90"]].astype(float), rtol=1e-5)
    assert runs == 100
    assert trace["line"]["color"] == style.LOOKS["osub"].colour
    assert "OSUB 150" in panel.alt


def test_what_can_be_read_out(bands):
    template = mean(charts.comparison(bands, POLICIES, INSTANCES).panels[0], "uts")["hovertemplate"]
    for word in ("UTS", "round %{x", "regret %{y", "10th–90th pct.", "runs"):
        assert word in template


def test_bands_stay_above_zero_for_a_logarithmic_axis(bands):
    bands.loc[bands["policy"] == "uts", "p10"] = 0.0
    panel = charts.comparison(bands, POLICIES, INSTANCES).panels[0]
    low = next(t for t in panel.data if t["meta"]["policy"] == "uts" and "marks" not in t["meta"])
    assert min(low["y"]) > 0


def test_lower_bounds_on_a_logarithmic_time_axis(bands):
    chart = valid(charts.log_time(bands, POLICIES[:2], INSTANCES, CONSTANTS))
    assert chart.x == "log"
    assert chart.panels[0].note == "bounds: 7.58 ln t and 15.40 ln t"
    line = next(t for t in chart.panels[0].data if t["meta"]["policy"] == "unimodal")
    np.testing.assert_allclose(line["y"], 7.58 * np.log(line["x"]), rtol=1e-4)
    assert [key.label for key in chart.keys[-2:]] == ["Lower bound (Prop. 1)", "Lai and Robbins"]


def test_close_curves_have_ends_and_differences(bands):
    chart = valid(charts.close_curves(bands, POLICIES[:2], INSTANCES[0], rename={"uts": "γ = 2"}))
    curves, ends, differences = chart.panels
    assert curves.switched
    assert not ends.switched
    assert "γ = 2 75.0" in ends.alt
    assert differences.data[0]["y"][-1] == pytest.approx(75.0)
    assert "Regret minus that of γ = 2 at the horizon: OSUB 75.0" in differences.alt


def test_a_path_in_the_matrix():
    bandit = rankone.rank_one([0.75, 0.25, 0.25], [0.75, 0.25, 0.25])
    chart = valid(charts.increasing_path(bandit, [3, 3]))
    cells = chart.panels[0].data[0]
    assert np.array(cells["z"]).sum() == 4
    assert cells["text"][0][0] == "0.5625"
    assert len(chart.panels[1].layout["annotations"]) == 2
    assert chart.data is not None
    assert chart.data["mean"].max() == 0.5625


def test_speed_fast_and_plain():
    rows = [
        ("uts", 4, 1000, 0.1, 5.0),
        ("uts", 4, 300_000, 0.2, None),
        ("uts", 8, 300_000, 0.4, 9.0),
    ]
    times = pd.DataFrame(rows, columns=["policy", "size", "horizon", "fast_ms", "plain_ms"])
    chart = valid(charts.speed(times, POLICIES[:2]))
    fast, plain = chart.panels[0].data
    assert (fast["y"], plain["y"]) == ([0.1, 0.2], [5])
    assert plain["marker"]["symbol"].endswith("-open")
    assert chart.panels[1].layout["xaxis"]["tickvals"] == [4, 8]


def test_published_numbers_are_filled_where_they_are_far_from_ours():
    row = {
        "source": "trinh2020-pmlr117", "experiment": "figure3", "K": 4, "L": 4, "t": 300_000,
        "policy": "UTS", "statistic": "mean", "published": 90.0, "published_runs": 100,
        "variant": "uts", "variant_label": "UTS", "main": True, "ours": 75.0, "ours_se": 0.3,
        "ours_runs": 2000, "combined_se": 1.5, "z": 10.0,
    }  # fmt: skip
    near = row | {"z": 0.1, "published": 75.0, "experiment": "figure4"}
    chart = valid(charts.published(pd.DataFrame([row, near, row | {"main": False}])))
    (trace,) = chart.panels[0].data
    assert trace["marker"]["symbol"] == ["circle", "circle-open"]
    assert trace["x"] == [1.2, 1]
    assert trace["error_x"]["array"] == [pytest.approx(3.5 * 1.5 / 75)] * 2
    assert "1 of 2 published numbers" in chart.panels[0].alt
    assert "90.0" in trace["text"][0]
    assert "z = 10.00" in trace["text"][0]
