"""Figures: they show what the data say, hide nothing, and are the same bytes every time."""

import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from helpers import synthetic
from helpers.league import CASES
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.text import Text

from rankone import graph, matrix, rank_one
from rankone.show import figures, style

LABELS = ["UTS", "OSUB (c = 3)", "KL-UCB", "Rank1ElimKL", "Thompson Sampling", "UCB1", "γ = ∞"]
LABELS += ["A$B$_{c", "_hidden", "Long-winded policy of ours", "X", "Rank1Elim"]
FINALS = [75.0, 158.0, 304.0, 2463.0, 240.0, 900.0, 80.0, 77.0, 150.0, 120.0, 82.0, 3200.0]
MATRICES = [{"name": f"K{k}", "label": f"K = {k}", "shape": (k, k)} for k in (4, 8, 16)]
CONSTANTS = pd.DataFrame(
    {"unimodal": [7.5, 17.5, 37.5], "lai_robbins": [15.0, 60.0, 230.0]}, index=["K4", "K8", "K16"]
)
TOY = rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25, 0.25])


def policies(count: int) -> list[dict]:
    return [{"name": f"p{i}", "label": LABELS[i], "draw": True} for i in range(count)]


def bands(count: int, runs: int = 100) -> pd.DataFrame:
    growth = {"K4": 1.0, "K8": 2.5, "K16": 6.0}
    finals = {
        (name, f"p{i}"): (FINALS[i] * factor, 0.1 * FINALS[i] * factor)
        for (name, factor), i in itertools.product(growth.items(), range(count))
    }
    return synthetic.bands(finals, 300_000, runs)


def slopes(count: int, ends: tuple[int, ...] = (10**3, 10**5, 10**6)) -> pd.DataFrame:
    rows = [
        {"instance": name, "policy": f"p{i}", "runs": 9, "first": end // 10, "last": end}
        | {"in_log": FINALS[i], "in_log_se": 0.1 * FINALS[i]}
        for name, i, end in itertools.product(CONSTANTS.index, range(count), ends)
    ]
    return pd.DataFrame(rows)


def cases(count: int, each: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    rows = [
        {"group": group, "policy": f"p{i}", "mean": FINALS[i] * rng.lognormal(0, 0.3), "se": 1.0}
        for group, i, _ in itertools.product(
            ("Beta(1, 1)", "Beta(5, 2)"), range(count), range(each)
        )
    ]
    return pd.DataFrame(rows)


def times(count: int) -> pd.DataFrame:
    cells = [(4, 10**k) for k in (3, 4, 6, 9, 12)] + [(k, 300_000) for k in (2, 4, 16, 128)]
    rows = [
        {"policy": f"p{i}", "size": size, "horizon": t, "fast_ms": 0.1 * (i + 1) * math.log(t)}
        | {"plain_ms": 1e-4 * t * (i + 1) if t < 10**8 else math.nan}
        for i, (size, t) in itertools.product(range(count), cells)
    ]
    return pd.DataFrame(rows)


WORDS = {"column": "mean", "x": "distribution", "y": "mean regret", "title": "Random matrices"}


def one_figure() -> Figure:
    return figures.log_time(bands(3), policies(3), MATRICES, CONSTANTS)


def every_figure(count: int) -> dict[str, Figure]:
    data, chosen = bands(count), policies(count)
    return {
        "increasing_path": figures.increasing_path(TOY, [3, 3]),
        "close_curves": figures.close_curves(data, chosen, MATRICES[0]),
        "comparison": figures.comparison(data, chosen, MATRICES),
        "log_time": figures.log_time(data, chosen, MATRICES, CONSTANTS),
        "log_time_alone": figures.log_time(data, chosen, MATRICES[:1], CONSTANTS),
        "slopes": figures.slopes_by_decade(slopes(count), chosen, MATRICES, CONSTANTS, 0.95),
        "scaling": figures.scaling(data, chosen, MATRICES, CONSTANTS, 300_000),
        "sensitivity": figures.sensitivity(data, chosen, MATRICES[:2]),
        "distribution": figures.distribution(cases(count), chosen, **WORDS),
        "speed": figures.speed(times(count), chosen),
    }


def visible_texts(figure: Figure) -> list[Text]:
    figure.draw_without_rendering()
    hidden = {text for axes in figure.axes for text in _hidden_ticks(axes)}
    shown = (text for text in figure.findobj(Text) if text not in hidden)
    return [text for text in shown if text.get_visible() and text.get_text().strip()]


def _hidden_ticks(axes: Axes) -> list[Text]:
    """Labels of ticks outside the axes' limits, which matplotlib keeps but never draws."""
    hidden = []
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not low <= tick.get_loc() <= high:
                hidden += [tick.label1, tick.label2]
    return hidden


@pytest.fixture(scope="module", params=[1, 5, 12])
def drawn(request) -> dict[str, Figure]:
    figures = every_figure(request.param)
    for figure in figures.values():
        figure.draw_without_rendering()  # where things are is known only then
    return figures


def test_no_letter_is_cut_off(drawn):
    for name, figure in drawn.items():
        width, height = figure.canvas.get_width_height()
        for text in visible_texts(figure):
            box = text.get_window_extent()
            assert box.x0 >= -0.5, (name, text)
            assert box.y0 >= -0.5, (name, text)
            assert box.x1 <= width + 0.5, (name, text)
            assert box.y1 <= height + 0.5, (name, text)


def test_no_letters_lie_on_others(drawn):
    for name, figure in drawn.items():
        if name == "increasing_path":
            continue  # the numbers in the cells and an arrow's marks are placed by hand
        boxes = [(text, text.get_window_extent()) for text in visible_texts(figure)]
        for (one, a), (two, b) in itertools.combinations(boxes, 2):
            over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert min(over) < 1.5, (name, one, two)


def test_legend_hides_no_curve(drawn):
    for name, figure in drawn.items():
        for legend in figure.legends:
            box = legend.get_window_extent()
            for axes in figure.axes:
                assert not box.overlaps(axes.get_window_extent()), name


def test_widths_fit_a_column_or_a_page(drawn):
    widths = {name: figure.get_figwidth() for name, figure in drawn.items()}
    assert widths.pop("log_time_alone") == style.ONE_COLUMN
    assert style.ONE_COLUMN < widths.pop("scaling") < style.TWO_COLUMNS
    assert set(widths.values()) == {style.TWO_COLUMNS}


def test_legend_names_every_policy_even_odd_labels():
    (legend,) = figures.comparison(bands(12), policies(12), MATRICES).legends
    assert [text.get_text() for text in legend.get_texts()] == LABELS


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_drawn_twice_same_bytes(tmp_path, suffix):
    some = every_figure(3) if suffix == "png" else {"log_time": one_figure()}
    for name, figure in some.items():
        style.save(figure, [tmp_path / f"{name}.{suffix}"])
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 20, "svg.hashsalt": "other"}):
        some = every_figure(3) if suffix == "png" else {"log_time": one_figure()}
        for name, figure in some.items():
            style.save(figure, [tmp_path / f"again.{suffix}"])
            again = (tmp_path / f"again.{suffix}").read_bytes()
            assert again == (tmp_path / f"{name}.{suffix}").read_bytes(), name


def test_same_bytes_in_another_process_at_another_time(tmp_path):
    paths = [tmp_path / f"here.{suffix}" for suffix in ("pdf", "png", "svg")]
    style.save(one_figure(), paths)
    program = (
        "import time, sys; real = time.time; time.time = lambda: real() + 1e8\n"
        "import test_figures as t, pathlib\n"
        "paths = [pathlib.Path(sys.argv[1]) / f'there.{s}' for s in ('pdf', 'png', 'svg')]\n"
        "t.style.save(t.one_figure(), paths)\n"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-c", program, str(tmp_path)]
    subprocess.run(command, check=True, env=environment, timeout=120)
    for path in paths:
        assert path.read_bytes() == path.with_stem("there").read_bytes(), path.suffix


def test_policies_not_drawn_are_not_drawn():
    chosen = policies(3)
    chosen[1]["draw"] = False
    (legend,) = figures.comparison(bands(3), chosen, MATRICES).legends
    assert [text.get_text() for text in legend.get_texts()] == [LABELS[0], LABELS[2]]


def test_leaving_out_a_policy_keeps_the_looks_of_the_others():
    def colours(chosen: list[dict]) -> set[str]:
        (axes,) = figures.comparison(bands(3), chosen, MATRICES[:1]).axes
        return {to_hex(line.get_color()).lower() for line in axes.lines}

    first, *others = policies(3)
    assert colours(others) == colours([first, *others]) - colours([first])
    assert len(colours(others)) == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"instances": [{"name": "K5", "label": ""}]},
            r"hold no instance 'K5'; they hold: K16, K4, K8\.",
        ),
        ({"policies": policies(4)}, r"bands of 'K4' hold no policy 'p3'; they hold: p0, p1, p2\."),
        ({"policies": []}, r"no policy is left to draw"),
        ({"policies": [{"name": "p0", "label": "", "draw": False}]}, r"no policy is left to draw"),
    ],
)
def test_mistakes_are_told_in_a_sentence(change, sentence):
    call = {"policies": policies(3), "instances": MATRICES, "constants": CONSTANTS} | change
    with pytest.raises(ValueError, match=sentence):
        figures.log_time(bands(3), **call)


# Figure 1


def shaded(axes: Axes) -> set[tuple[float, float]]:
    cells = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_fill()]
    return {
        (box.get_y(), box.get_x())
        for box in cells
        if to_rgb(box.get_facecolor()) != (1.0, 1.0, 1.0)
    }


def test_figure_1_of_the_paper():
    left, right = figures.increasing_path(TOY, [3, 3]).axes
    assert shaded(left) == {(0, 2), (1, 2), (3, 2), (2, 0), (2, 1), (2, 3)}
    assert shaded(right) == {(0, 2), (0, 0)}
    assert "(3, 3) → (1, 3) → (1, 1)" in right.get_title()
    assert sum(isinstance(patch, FancyArrowPatch) for patch in right.patches) == 2


def test_figure_1_follows_the_instance():
    left, right = figures.increasing_path(rank_one([0.2, 0.3, 0.9], [0.1, 0.8]), [1, 1]).axes
    assert shaded(left) == {(0, 1), (1, 0), (2, 0)}
    assert right.get_title().endswith("→ (3, 2)")


def test_figure_1_needs_a_matrix_and_a_path():
    with pytest.raises(ValueError, match="needs a matrix of arms; the instance is a graph"):
        figures.increasing_path(graph([0.1, 0.9], [(0, 1)]), [1, 1])
    two_peaks = matrix(np.array([[0.9, 0.1], [0.1, 0.8]]), unimodal=False)
    with pytest.raises(ValueError, match=r"no increasing path leads from \(2, 2\) to \(1, 1\)"):
        figures.increasing_path(two_peaks, [2, 2])


@pytest.mark.parametrize("arm", [[0, 1], [5, 1], [1, 5], [1], [1, 2, 3], ["a", 1], [1.5, 1], 3])
def test_figure_1_needs_an_arm_of_the_matrix(arm):
    with pytest.raises(ValueError, match=r"arm is .*; allowed: \[row, column\] .* to \[4, 4\]\."):
        figures.increasing_path(TOY, arm)


# Figure 2


def test_differences_and_their_errors_by_hand():
    data = synthetic.bands({("I", "p0"): (80.0, 30.0), ("I", "p1"): (90.0, 40.0)}, 1000)
    *_, axes = figures.close_curves(data, policies(2), {"name": "I"}).axes
    (bars,) = axes.containers
    middle, _, (segments,) = bars.lines
    assert middle.get_ydata()[-1] == pytest.approx(10.0)
    low, high = segments.get_segments()[-1][:, 1]
    assert (low, high) == pytest.approx((0.0, 20.0))  # 2 * hypot(30, 40) / sqrt(100) = 10


@pytest.mark.parametrize(
    ("horizon", "labels"),
    [
        (50, ["5·10¹"]),
        (300_000, ["10²", "10³", "10⁴", "10⁵", "3·10⁵"]),
        (10**12, ["10²", "10⁴", "10⁶", "10⁸", "10¹⁰", "10¹²"]),
    ],
)
def test_differences_at_few_round_times(horizon, labels):
    finals = {("I", "p0"): (80.0, 30.0), ("I", "p1"): (90.0, 40.0)}
    figure = figures.close_curves(synthetic.bands(finals, horizon), policies(2), {"name": "I"})
    assert [label.get_text() for label in figure.axes[-1].get_xticklabels()] == labels
    assert figure.axes[1].get_title() == f"(b) At t = {labels[-1]}"


def test_some_policies_have_another_label_in_one_figure():
    figure = figures.close_curves(bands(2), policies(2), MATRICES[0], rename={"p0": "γ = 2"})
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["γ = 2", LABELS[1]]
    with pytest.raises(ValueError, match=r"cannot rename 'p9'; allowed: p0, p1\."):
        figures.close_curves(bands(2), policies(2), MATRICES[0], rename={"p9": "γ = 2"})


def test_one_run_has_no_standard_error_and_is_drawn(tmp_path):
    data = bands(2, runs=1).assign(se=np.nan)
    style.save(figures.close_curves(data, policies(2), MATRICES[0]), [tmp_path / "f.png"])
    assert (tmp_path / "f.png").stat().st_size > 10_000


# Figures 3 to 6


def test_curves_are_the_means_and_fills_the_percentiles():
    data, chosen = bands(2), policies(2)
    (axes,) = figures.comparison(data, chosen, MATRICES[:1]).axes
    for policy in chosen:
        rows = data[(data["policy"] == policy["name"]) & (data["instance"] == "K4")]
        for column in ("mean", "p10", "p90"):
            assert any(np.array_equal(line.get_ydata(), rows[column]) for line in axes.lines)
    tops = sorted(fill.get_paths()[0].vertices[:, 1].max() for fill in axes.collections)
    ends = data[(data["instance"] == "K4") & (data["t"] == 300_000)]["p90"]
    assert tops == pytest.approx(sorted(ends))


@pytest.mark.parametrize("kind", ["comparison", "log_time"])
def test_what_would_be_pressed_flat_is_enlarged(kind):
    constants = () if kind == "comparison" else (CONSTANTS,)
    figure = getattr(figures, kind)(bands(4), policies(4), MATRICES, *constants)
    assert len(figure.axes) == 6
    scale = "linear" if kind == "comparison" else "log"
    for top, below in zip(figure.axes[:3], figure.axes[3:], strict=True):
        assert below.get_ylim()[1] < 0.3 * top.get_ylim()[1]
        assert top.get_xlim() == below.get_xlim()
        assert top.get_yscale() == below.get_yscale() == "linear"
        assert top.get_xscale() == below.get_xscale() == scale
    assert len(getattr(figures, kind)(bands(3), policies(3), MATRICES, *constants).axes) == 3


def test_more_panels_than_fit_in_a_row():
    names = "abcde"
    finals = {(name, f"p{i}"): (FINALS[i], 5.0) for name in names for i in range(4)}
    instances = [{"name": name, "label": name} for name in names]
    figure = figures.comparison(synthetic.bands(finals, 1000), policies(4), instances)
    assert len(figure.axes) == 10
    titles = [axes.get_title() for axes in figure.axes]
    assert [title for title in titles if title != "enlarged"] == list(names)


def test_bounds_are_constant_times_log():
    figure = figures.log_time(bands(2), policies(2), MATRICES, CONSTANTS)
    for axes, (_, constants) in zip(figure.axes, CONSTANTS.iterrows(), strict=True):
        assert axes.get_xscale() == "log"
        assert axes.get_xlim() == (10, 300_000)
        for constant in constants:
            wanted = constant * np.log(np.array(axes.get_xlim()))
            assert any(np.array_equal(line.get_ydata(), wanted) for line in axes.lines)
            assert axes.get_ylim()[1] > wanted[-1]
    assert "7.50 ln t and 15.00 ln t" in " ".join(t.get_text() for t in figure.axes[0].texts)


def test_only_the_bound_of_a_matrix_is_that_of_proposition_1():
    def names(instance: dict) -> list[str]:
        (legend,) = figures.log_time(bands(1), policies(1), [instance], CONSTANTS).legends
        return [text.get_text() for text in legend.get_texts()][1:]

    assert names(MATRICES[0]) == ["Lower bound (Prop. 1)", "Lai and Robbins"]
    line = {"name": "K4", "label": "line", "means": [0.1, 0.9], "edges": [[0, 1]], "shape": None}
    assert names(line) == ["Lower bound (unimodal)", "Lai and Robbins"]


@pytest.mark.parametrize(("horizon", "unit"), [(300, ""), (3_000, "thousands of "), (10**9, "b")])
def test_time_has_a_unit_that_keeps_labels_short(horizon, unit):
    data = synthetic.bands({("K4", "p0"): (50.0, 5.0)}, horizon)
    figure = figures.comparison(data, policies(1), MATRICES[:1])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_xlabel().startswith(f"Time t ({unit}")
    assert all(len(label.get_text()) <= 4 for label in axes.get_xticklabels())


def test_regret_has_thousands_separators():
    figure = figures.comparison(bands(4), policies(4), MATRICES[:1])
    figure.draw_without_rendering()
    assert "1,000" in [label.get_text() for label in figure.axes[0].get_yticklabels()]


# Other figures


def test_slopes_have_students_intervals_and_no_early_windows():
    figure = figures.slopes_by_decade(slopes(1), policies(1), MATRICES, CONSTANTS, 0.95)
    axes = figure.axes[0]
    (bars,) = axes.containers
    middle, _, (segments,) = bars.lines
    assert middle.get_xdata().tolist() == [10**5, 10**6]
    low, high = segments.get_segments()[0][:, 1]
    reach = 2.306004 * 7.5  # the quantile of Student's t with eight degrees of freedom
    assert (low, high) == pytest.approx((75 - reach, 75 + reach))
    levels = {line.get_ydata()[0] for line in axes.lines if len(set(line.get_ydata())) == 1}
    assert {7.5, 15.0} <= levels


def test_slopes_of_zero_are_drawn_from_zero():
    flat = slopes(1).assign(in_log=0.0, in_log_se=0.0)
    figure = figures.slopes_by_decade(flat, policies(1), MATRICES, CONSTANTS, 0.95)
    assert figure.axes[0].get_yscale() == "linear"
    assert figure.axes[0].get_ylim()[0] == 0


def test_missing_slopes_are_told_in_a_sentence():
    with pytest.raises(ValueError, match=r"no slopes of 'p1' on 'K4' that end at round 10,000"):
        figures.slopes_by_decade(slopes(1), policies(2), MATRICES, CONSTANTS, 0.95)


def swept(entries, symbol, texts):
    return [
        {**entry, "sweep": {"of": "one", "symbol": symbol, "text": text}}
        for entry, text in zip(entries, texts, strict=True)
    ]


def test_a_sweep_of_sizes_has_a_line_for_each_policy_and_the_bound():
    sizes = swept(MATRICES, "size", ["4", "8", "16"])
    figure = figures.sweep(bands(2), policies(2), sizes, CONSTANTS, 300_000)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["4", "8", "16"]
    assert axes.get_xlabel() == "size"
    lines = [list(line.get_ydata()) for line in axes.lines]
    assert any(y == pytest.approx([75, 187.5, 450]) for y in lines if len(y) == 3)
    bound = CONSTANTS["unimodal"] * math.log(300_000)
    assert any(y == pytest.approx(bound.tolist()) for y in lines if len(y) == 3)
    assert len(axes.collections) >= 2  # the bands


def test_a_sweep_of_a_parameter_has_a_line_for_each_instance():
    gammas = swept(policies(2), "γ", ["2", "∞"])
    figure = figures.sweep(bands(2), gammas, MATRICES, CONSTANTS, 300_000)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "∞"]
    assert axes.get_xlabel() == "γ"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        matrix["label"] for matrix in MATRICES
    ]


def test_a_sweep_needs_something_swept():
    with pytest.raises(ValueError, match="nothing is swept"):
        figures.sweep(bands(2), policies(2), MATRICES, CONSTANTS, 300_000)


def test_scaling_by_hand():
    figure = figures.scaling(bands(1), policies(1), MATRICES, CONSTANTS, 300_000)
    (axes,) = figure.axes
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]
    assert any(x == [4, 8, 16] and y == pytest.approx([75, 187.5, 450]) for x, y in lines)
    bound = CONSTANTS["unimodal"] * math.log(300_000)
    assert any(y == pytest.approx(bound.tolist()) for _, y in lines if len(y) == 3)
    assert "K = L" in axes.get_xlabel()


def test_scaling_of_other_shapes_is_against_the_number_of_arms():
    instances = [{"name": "K4", "label": "", "shape": (2, 3)}]
    instances += [{"name": "K8", "label": "", "means": [0.1] * 9}]
    (axes,) = figures.scaling(bands(1), policies(1), instances, CONSTANTS, 300_000).axes
    assert axes.get_xlabel() == "Number of arms"
    assert [6, 9] in [list(line.get_xdata()) for line in axes.lines]


def test_a_row_for_each_variant():
    figure = figures.sensitivity(bands(3), policies(3), MATRICES[:2])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == LABELS[:3]
    means = [bars.lines[0].get_xdata()[0] for bars in figure.axes[0].containers]
    assert means == pytest.approx(FINALS[:3])


def test_one_box_for_each_policy_in_each_group():
    (axes,) = figures.distribution(cases(3), policies(3), **WORDS).axes
    assert len(axes.patches) == 6
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Beta(1, 1)", "Beta(5, 2)"]
    assert (axes.get_xlabel(), axes.get_title()) == ("distribution", "Random matrices")


def test_groups_of_one_case_are_points():
    single = cases(2, each=1).replace({"Beta(1, 1)": "0.0", "Beta(5, 2)": "0.02"})
    (axes,) = figures.distribution(single, policies(2), **WORDS).axes
    assert not axes.patches
    assert len(axes.containers) == 2
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "0.02"]


def test_a_distribution_shows_the_policies_that_played():
    (legend,) = figures.distribution(cases(2), policies(4), **WORDS).legends
    assert len(legend.get_texts()) == 2
    with pytest.raises(ValueError, match=r"none of the policies asked for; they hold: p0, p1\."):
        figures.distribution(cases(2), [{"name": "x", "label": "X"}], **WORDS)
    with pytest.raises(ValueError, match=r"column is 'share'; allowed: group, policy, mean, se\."):
        figures.distribution(cases(2), policies(2), **WORDS | {"column": "share"})


def test_speed_tells_fast_from_plain():
    figure = figures.speed(times(2), policies(2))
    left, right = figure.axes
    assert len(left.lines) == len(right.lines) == 4
    assert {line.get_markerfacecolor() for line in left.lines[1::2]} == {"white"}
    (legend,) = figure.legends
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown == [*LABELS[:2], "filled: fast", "hollow: plain"]


def test_a_policy_looks_the_same_in_every_figure():
    """Colour and marker of the paper's first two policies, wherever they are drawn."""
    names = {"p0": "uts", "p1": "osub", "p2": "kl_ucb"}
    chosen = [entry | {"name": names[entry["name"]]} for entry in policies(3)]
    made = {
        "comparison": figures.comparison(bands(3).replace(names), chosen, MATRICES),
        "reversed": figures.comparison(bands(3).replace(names), chosen[::-1], MATRICES),
        "slopes": figures.slopes_by_decade(
            slopes(3).replace(names), chosen[:2], MATRICES, CONSTANTS, 0.9
        ),
        "sensitivity": figures.sensitivity(bands(3).replace(names), chosen[1:], MATRICES),
        "speed": figures.speed(times(3).replace(names), chosen),
    }
    for name, figure in made.items():
        found = {
            (to_hex(line.get_color()).lower(), line.get_marker())
            for axes in figure.axes
            for line in axes.lines
            if line.get_marker() not in ("None", "none", "", "|", "_")
        }
        known = {(style.LOOKS[n].colour.lower(), style.LOOKS[n].marker) for n in names.values()}
        assert found <= known, name
        assert len(found) >= 2, name


def test_a_league_has_a_row_for_each_policy_and_crosses_where_it_cannot_play():
    places = [{"name": "square", "label": "Square"}, {"name": "line", "label": "Line"}]
    players = [{"name": name, "label": name.title()} for name in ("few", "good", "fair")]
    figure = figures.league(CASES, players, places, 0.95)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Good", "Fair", "Few"]
    heads = [label.get_text().replace("\n", " ") for label in axes.get_xticklabels()]
    assert heads[:4] == ["geometric mean", "Square", "Line", "3 random matrices"]
    texts = [text.get_text() for text in axes.texts]
    assert texts.count("×") == 1
    assert texts[:4] == ["1.26", "1.00", "2.00", "1.00"]
    assert "67 %" in texts
