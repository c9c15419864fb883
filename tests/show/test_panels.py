"""The parts of figures: what is enlarged, where panels and legends stand, how times are written."""

import math

import numpy as np
import pytest
from helpers import synthetic
from matplotlib.figure import Figure

from rankone import graph, rank_one
from rankone.show import panels, style

INSTANCES = [{"name": "a", "label": "A"}, {"name": "b", "label": "B"}]


def group(**finals: float) -> list[str]:
    """The policies that are enlarged, for final regrets by policy."""
    data = synthetic.bands(
        {(i["name"], name): (value, 1.0) for i in INSTANCES for name, value in finals.items()}, 1000
    )
    policies = [{"name": name, "label": name} for name in finals]
    return [policy["name"] for policy in panels.lower_group(data, policies, INSTANCES)]


def test_the_enlargement_holds_what_lies_below_the_widest_gap():
    assert group(x=75, y=304, top=2463, z=158) == ["x", "y", "z"]
    assert group(x=75, high=1000, higher=1500) == ["x"]


def test_nothing_is_enlarged_where_all_curves_can_be_seen():
    assert group(x=75, y=158, z=304) == []
    assert group(alone=75) == []
    just = 10 * panels.FLAT
    assert group(x=10, y=0.99 * just) == []
    assert group(x=10, y=1.01 * just) == ["x"]


@pytest.mark.parametrize(
    ("count", "columns", "rows"), [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 2, 2), (5, 3, 2), (7, 3, 3)]
)
def test_panels_and_their_enlargements_below_each_other(count, columns, rows):
    figure = Figure()
    grid = panels.grid(figure, count, deep=2)
    assert grid.shape == (count, 2)
    assert len(figure.axes) == 2 * count
    assert panels.columns_of(count) == columns
    for place, (top, below) in enumerate(grid):
        upper, lower = top.get_subplotspec(), below.get_subplotspec()
        assert upper.colspan.start == lower.colspan.start == place % columns
        assert lower.rowspan.start == upper.rowspan.start + 1 == 2 * (place // columns) + 1
    assert grid[-1][1].get_subplotspec().rowspan.start == 2 * rows - 1


def test_a_legend_takes_as_few_rows_as_fit():
    short = ["UTS", "OSUB", "KL-UCB", "Rank1ElimKL"]
    assert panels.legend_columns(short, style.TWO_COLUMNS) == 4
    assert panels.legend_columns(short, style.ONE_COLUMN) == 2
    assert panels.legend_columns(["x" * 200], 1.0) == 1
    assert panels.legend_columns(["x" * 20] * 5, style.TWO_COLUMNS) == 3  # not four and one
    assert panels.legend_height(short, style.ONE_COLUMN) > panels.legend_height(short, 6.8)


def test_rows_and_columns_of_an_arm_are_counted_from_one():
    instance = rank_one([0.9, 0.1, 0.2], [0.9, 0.1])
    assert panels.arm_at(instance, [1, 1]) == 0
    assert panels.arm_at(instance, [3, 2]) == 5
    assert [panels.cell(instance, k) for k in (0, 1, 5)] == [(0, 0), (0, 1), (2, 1)]
    with pytest.raises(ValueError, match=r"arm is \[3, 3\]; .* from \[1, 1\] to \[3, 2\]\."):
        panels.arm_at(instance, [3, 3])
    with pytest.raises(ValueError, match="the instance is a graph"):
        panels.arm_at(graph([0.1, 0.9], [(0, 1)]), [1, 1])


@pytest.mark.parametrize(
    ("t", "text"), [(10, "10¹"), (300_000, "3·10⁵"), (1_250_000, "1.25·10⁶"), (10**12, "10¹²")]
)
def test_times_as_powers_of_ten(t, text):
    assert panels.power(t) == text


@pytest.mark.parametrize(
    ("group", "text"), [("Beta(1, 1)", "Beta(1, 1)"), ("0.0", "0"), (0.05, "0.05"), (3, "3")]
)
def test_names_of_groups(group, text):
    assert panels.short(group) == text


@pytest.mark.parametrize(("lowest", "scale"), [(5.0, "log"), (0.0, "linear"), (-1.0, "linear")])
def test_a_log_scale_only_above_zero(lowest, scale):
    axes = Figure().subplots()
    axes.plot([1, 2], [lowest, 50.0])
    panels.positive_axis(axes)
    assert axes.get_yscale() == scale


def test_axes_grow_for_the_bounds_that_must_fit():
    axes = Figure().subplots()
    axes.set(xlim=(10, 1000), xscale="log", ylim=(0, 50))
    panels.bound_lines(axes, {"unimodal": 10.0, "lai_robbins": 100.0}, fit=["unimodal"])
    assert axes.get_ylim()[1] == pytest.approx(1.04 * 10 * math.log(1000))
    assert [line.get_linestyle() for line in axes.lines] == ["--", "--"]
    assert len(axes.lines) == 2
    assert np.allclose(axes.lines[1].get_ydata(), 100 * np.log([10, 1000]))


def test_numbers_of_a_heat_map_can_be_read_on_their_ground():
    """Also a large one that is among the best, on a light ground, since few runs tell little."""
    axes = Figure().subplots()
    ratios, best = np.array([[1.0, 30.0, 30.0]]), np.array([[False, False, True]])
    panels.heat_map(axes, ratios, best, ["policy"], ["a", "b", "c"], ("won", ["5 %"]))
    assert [text.get_color() for text in axes.texts[:3]] == ["black", "white", "black"]
    assert [text.get_text() for text in axes.texts] == ["1.00", "30.0", "30.0", "5 %"]
