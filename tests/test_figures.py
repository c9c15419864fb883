"""Figures: they show what the bands say, hide nothing, and are the same bytes every time."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import synthetic
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.text import Text

from rankone import graph, matrix, rank_one
from rankone.show import figures, style
from rankone.show.panels import cell

LABELS = ["UTS", "OSUB (c = 3)", "KL-UCB", "Rank1ElimKL", "Thompson Sampling", "UCB1", "γ = ∞"]
LABELS += ["A$B$_{c", "_hidden", "Long-winded policy of ours", "X", "Rank1Elim"]
FINALS = [75.0, 158.0, 304.0, 2463.0, 240.0, 900.0, 80.0, 77.0, 150.0, 120.0, 82.0, 3200.0]
PANELS = [{"name": f"K{k}", "label": f"K = {k}"} for k in (4, 8, 16)]
BOUNDS = [{"label": "Lower bound", "constant": 7.5}, {"label": "Lai and Robbins", "constant": 15.0}]


def policies(count: int) -> list[dict]:
    return [{"name": f"p{i}", "label": LABELS[i], "draw": True} for i in range(count)]


def bands(count: int, runs: int = 100):
    growth = {"K4": 1.0, "K8": 2.5, "K16": 6.0}
    finals = {
        (name, f"p{i}"): (FINALS[i] * factor, 0.1 * FINALS[i] * factor)
        for (name, factor), i in itertools.product(growth.items(), range(count))
    }
    return synthetic.bands(finals, 300_000, runs)


def every_figure(count: int) -> dict[str, Figure]:
    data, chosen = bands(count), policies(count)
    return {
        "figure1": figures.figure1(rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25]), 8),
        "figure2": figures.figure2(data, chosen, "K4"),
        "figure3": figures.comparison(data, chosen, PANELS),
        "figure4": figures.figure4(data, chosen, "K4", BOUNDS),
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


@pytest.fixture(scope="module", params=[1, 2, 5, 12])
def drawn(request) -> dict[str, Figure]:
    return every_figure(request.param)


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
    for name in ("figure2", "figure3", "figure4"):
        boxes = [(text, text.get_window_extent()) for text in visible_texts(drawn[name])]
        for (one, a), (two, b) in itertools.combinations(boxes, 2):
            over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert min(over) < 1.5, (name, one, two)


def test_legend_hides_no_curve(drawn):
    for name in ("figure2", "figure3"):
        (legend,) = drawn[name].legends
        box = legend.get_window_extent()
        for axes in drawn[name].axes:
            assert not box.overlaps(axes.get_window_extent()), name


def test_widths_are_those_of_a_column_or_a_page(drawn):
    widths = {name: figure.get_figwidth() for name, figure in drawn.items()}
    assert widths == {"figure1": 6.8, "figure2": 6.8, "figure3": 6.8, "figure4": 3.3}


def test_legend_names_every_policy_even_odd_labels():
    (legend,) = figures.comparison(bands(12), policies(12), PANELS).legends
    assert [text.get_text() for text in legend.get_texts()] == LABELS


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_drawn_twice_same_bytes(tmp_path, suffix):
    for name, figure in every_figure(3).items():
        figures.save(figure, [tmp_path / f"{name}.{suffix}"])
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 20, "svg.hashsalt": "other"}):
        for name, figure in every_figure(3).items():
            figures.save(figure, [tmp_path / f"again.{suffix}"])
            again = (tmp_path / f"again.{suffix}").read_bytes()
            assert again == (tmp_path / f"{name}.{suffix}").read_bytes(), name


def test_same_bytes_in_another_process_at_another_time(tmp_path):
    paths = [tmp_path / f"here.{suffix}" for suffix in ("pdf", "png", "svg")]
    figures.save(every_figure(2)["figure4"], paths)
    program = (
        "import time, sys; real = time.time; time.time = lambda: real() + 1e8\n"
        "import test_figures as t, pathlib\n"
        "paths = [pathlib.Path(sys.argv[1]) / f'there.{s}' for s in ('pdf', 'png', 'svg')]\n"
        "t.figures.save(t.every_figure(2)['figure4'], paths)\n"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    environment["PYTHONPATH"] = str(Path(__file__).parent)
    command = [sys.executable, "-c", program, str(tmp_path)]
    subprocess.run(command, check=True, env=environment, timeout=120)
    for path in paths:
        assert path.read_bytes() == path.with_stem("there").read_bytes(), path.suffix


def test_files_hold_fonts_but_no_date_and_no_maker(tmp_path):
    paths = [tmp_path / f"f.{suffix}" for suffix in ("pdf", "png", "svg")]
    figures.save(every_figure(2)["figure3"], paths)
    pdf, png, svg = (path.read_bytes() for path in paths)
    for content in (pdf, png, svg):
        for word in (b"CreationDate", b"<dc:date", b"Software", b"Matplotlib", b"matplotlib.org"):
            assert word not in content
    assert b"DejaVuSans" in pdf
    assert b"/FontFile2" in pdf
    assert int.from_bytes(png[16:20], "big") >= 200 * 6.8  # width in pixels
    assert len(svg) < 1_000_000


def test_unknown_format_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"cannot write f\.gif; allowed: \.pdf, \.png, \.svg\."):
        figures.save(Figure(), [tmp_path / "f.gif"])


def test_curves_are_the_means_and_fills_the_percentiles():
    data, chosen = bands(2), policies(2)
    figure = figures.comparison(data, chosen, PANELS[:1])
    (axes,) = figure.axes
    for policy in chosen:
        rows = data[(data["policy"] == policy["name"]) & (data["instance"] == "K4")]
        for column in ("mean", "p10", "p90"):
            assert any(np.array_equal(line.get_ydata(), rows[column]) for line in axes.lines)
    tops = sorted(fill.get_paths()[0].vertices[:, 1].max() for fill in axes.collections)
    ends = data[(data["instance"] == "K4") & (data["t"] == 300_000)]["p90"]
    assert tops == pytest.approx(sorted(ends))


def test_figure4_lines_are_constant_times_log():
    (axes,) = figures.figure4(bands(2), policies(2), "K4", BOUNDS).axes
    for bound in BOUNDS:
        wanted = bound["constant"] * np.log(np.array(axes.get_xlim()))
        assert any(np.array_equal(line.get_ydata(), wanted) for line in axes.lines)
    assert axes.get_xscale() == "log"
    assert axes.get_xlim() == (10, 300_000)


def test_figure4_labels_stand_in_the_order_of_the_curves():
    (axes,) = figures.figure4(bands(8), policies(8), "K4", BOUNDS).axes
    ends = dict(zip(LABELS[:8], FINALS[:8], strict=True))
    ends |= {bound["label"]: bound["constant"] * np.log(300_000) for bound in BOUNDS}
    heights = {}
    for text in axes.texts:
        words = " ".join(text.get_text().split("\n"))
        name = next(label for label in ends if words.startswith(label))
        heights[name] = text.get_position()[1]
    assert sorted(heights, key=heights.get) == sorted(ends, key=ends.get)
    assert len(heights) == 10


def test_figure2_differences_and_their_errors_by_hand():
    data = synthetic.bands({("I", "p0"): (80.0, 30.0), ("I", "p1"): (90.0, 40.0)}, 1000)
    *_, axes = figures.figure2(data, policies(2), "I").axes
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
def test_figure2_differences_at_few_round_times(horizon, labels):
    finals = {("I", "p0"): (80.0, 30.0), ("I", "p1"): (90.0, 40.0)}
    figure = figures.figure2(synthetic.bands(finals, horizon), policies(2), "I")
    assert [label.get_text() for label in figure.axes[-1].get_xticklabels()] == labels
    assert figure.axes[1].get_title() == f"(b) At t = {labels[-1]}"


def test_enlargement_holds_what_lies_below_the_widest_gap():
    figure = figures.comparison(bands(4), policies(4), PANELS)
    assert len(figure.axes) == 6
    names = figures.lower_group(bands(4), policies(4), PANELS)
    assert [policy["name"] for policy in names] == ["p0", "p1", "p2"]  # 304 to 2463 is the gap
    for top, below in zip(figure.axes[:3], figure.axes[3:], strict=True):
        assert below.get_ylim()[1] < 0.3 * top.get_ylim()[1]
        assert top.get_xlim() == below.get_xlim()
        assert top.get_yscale() == below.get_yscale() == top.get_xscale() == "linear"


def test_no_enlargement_where_all_curves_can_be_seen():
    assert figures.lower_group(bands(3), policies(3), PANELS) == []
    assert len(figures.comparison(bands(3), policies(3), PANELS).axes) == 3


def test_more_panels_than_fit_in_a_row():
    names = "abcd"
    finals = {(name, f"p{i}"): (FINALS[i], 5.0) for name in names for i in range(4)}
    panels = [{"name": name, "label": name} for name in names]
    figure = figures.comparison(synthetic.bands(finals, 1000), policies(4), panels)
    assert len(figure.axes) == 8
    titles = [axes.get_title() for axes in figure.axes]
    assert [title for title in titles if title != "enlarged"] == list(names)


def test_policies_not_drawn_are_not_drawn():
    chosen = policies(3)
    chosen[1]["draw"] = False
    (legend,) = figures.comparison(bands(3), chosen, PANELS).legends
    assert [text.get_text() for text in legend.get_texts()] == [LABELS[0], LABELS[2]]


def test_leaving_out_a_policy_keeps_the_looks_of_the_others():
    def colours(**options) -> set[str]:
        (axes,) = figures.figure4(bands(3), policies(3), "K4", [], **options).axes
        return {to_hex(line.get_color()) for line in axes.lines}

    looks = style.looks(policies(3))
    assert colours(omit=["p0"]) == {looks[name].colour.lower() for name in ("p1", "p2")}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"instance": "K5"}, r"hold no instance 'K5'; they hold: K16, K4, K8\."),
        ({"policies": policies(4)}, r"bands of 'K4' hold no policy 'p3'; they hold: p0, p1, p2\."),
        ({"omit": ["p0", "p1", "p2"]}, r"no policy is left to draw"),
        ({"omit": ["p9"]}, r"cannot omit 'p9'; allowed: p0, p1, p2\."),
    ],
)
def test_mistakes_are_told_in_a_sentence(change, sentence):
    call = {"policies": policies(3), "instance": "K4", "bounds": BOUNDS} | change
    with pytest.raises(ValueError, match=sentence):
        figures.figure4(bands(3), **call)


def test_one_run_has_no_standard_error_and_is_drawn(tmp_path):
    data = bands(2, runs=1).assign(se=np.nan)
    figures.save(figures.figure2(data, policies(2), "K4"), [tmp_path / "f.png"])
    assert (tmp_path / "f.png").stat().st_size > 10_000


@pytest.mark.parametrize(("horizon", "unit"), [(300, ""), (3_000, "thousands of "), (10**9, "b")])
def test_time_has_a_unit_that_keeps_labels_short(horizon, unit):
    data = synthetic.bands({("K4", "p0"): (50.0, 5.0)}, horizon)
    figure = figures.comparison(data, policies(1), PANELS[:1])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_xlabel().startswith(f"Time t ({unit}")
    assert all(len(label.get_text()) <= 4 for label in axes.get_xticklabels())


def test_regret_has_thousands_separators():
    figure = figures.comparison(bands(4), policies(4), PANELS[:1])
    figure.draw_without_rendering()
    assert "1,000" in [label.get_text() for label in figure.axes[0].get_yticklabels()]


# Figure 1


def shaded(axes: Axes) -> set[tuple[float, float]]:
    cells = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_fill()]
    return {
        (box.get_y(), box.get_x())
        for box in cells
        if to_rgb(box.get_facecolor()) != (1.0, 1.0, 1.0)
    }


def test_figure1_of_the_paper():
    instance = rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25, 0.25])
    left, right = figures.figure1(instance, 10).axes
    assert shaded(left) == {(0, 2), (1, 2), (3, 2), (2, 0), (2, 1), (2, 3)}
    assert shaded(right) == {(0, 2), (0, 0)}
    assert "(3, 3) → (1, 3) → (1, 1)" in right.get_title()
    assert sum(isinstance(patch, FancyArrowPatch) for patch in right.patches) == 2


def test_figure1_follows_the_instance():
    instance = rank_one([0.2, 0.3, 0.9], [0.1, 0.8])
    left, right = figures.figure1(instance, 0).axes
    assert shaded(left) == {cell(instance, int(k)) for k in instance.neighbourhood(0)} - {(0, 0)}
    assert right.get_title().endswith("→ (3, 2)")


def test_figure1_needs_a_matrix_and_a_path():
    with pytest.raises(ValueError, match="needs a matrix of arms"):
        figures.figure1(graph([0.1, 0.9], [(0, 1)]), 0)
    two_peaks = matrix(np.array([[0.9, 0.1], [0.1, 0.8]]))
    with pytest.raises(ValueError, match=r"no increasing path leads from \(2, 2\) to \(1, 1\)"):
        figures.figure1(two_peaks, 3)


# The house style


def test_labels_far_apart_stay_where_they_are():
    assert style.spread([0.1, 0.9, 0.5], [0.1] * 3, 0, 1) == pytest.approx([0.1, 0.9, 0.5])


def test_labels_at_one_place_share_the_move():
    assert style.spread([0.5, 0.5], [0.2, 0.2], 0, 1) == pytest.approx([0.4, 0.6])
    assert style.spread([0.5, 0.5], [0.2, 0.4], 0, 1) == pytest.approx([0.35, 0.65])


def test_labels_are_pushed_back_from_the_ends():
    assert style.spread([0.0, 0.0, 0.9], [0.2] * 3, 0, 1) == pytest.approx([0.1, 0.3, 0.9])


def test_labels_that_cannot_fit_are_squeezed_evenly():
    assert style.spread([0.5] * 4, [1.0] * 4, 0, 1) == pytest.approx([0.125, 0.375, 0.625, 0.875])
    assert style.spread([], [], 0, 1).shape == (0,)


def test_random_labels_never_overlap_or_leave():
    rng = np.random.default_rng(1)
    for _ in range(200):
        count = int(rng.integers(1, 9))
        wanted, tall = rng.random(count), rng.uniform(0.02, 0.1, count)
        places = style.spread(wanted, tall, 0, 1)
        order = np.argsort(places)
        room = np.diff(places[order]) - (tall[order][1:] + tall[order][:-1]) / 2
        assert (room > -1e-9).all()
        assert (places - tall / 2 > -1e-9).all()
        assert (places + tall / 2 < 1 + 1e-9).all()
        assert (np.diff(wanted[order]) >= 0).all()


def test_looks_differ_in_colour_line_and_marker():
    many = style.looks([{"name": str(i)} for i in range(60)]).values()
    assert len(set(many)) == 60
    without_colour = {(look.dashes, look.marker) for look in list(many)[:12]}
    assert len(without_colour) == 12
    assert len({look.marker for look in list(many)[:12]}) == 12


def linear(colour: str) -> np.ndarray:
    """Light of each primary, by the sRGB standard."""
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def test_colours_are_dark_enough_for_text_on_white():
    for colour in (*style.COLOURS, style.GREY):
        contrast = 1.05 / (linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05)
        assert contrast >= 4.5, colour  # WCAG 2, level AA


# Machado, Oliveira and Fernandes (2009), severity 1.
BLIND = {
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def lab(light: np.ndarray) -> np.ndarray:
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(to_xyz @ np.clip(light, 1e-3, 1) / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("kind", BLIND)
def test_colours_stay_apart_for_colour_blind_readers(kind):
    for one, two in itertools.combinations(style.COLOURS, 2):
        seen = [lab(BLIND[kind] @ linear(colour)) for colour in (one, two)]
        assert np.linalg.norm(seen[0] - seen[1]) > 12, (one, two)


def test_numbers_on_axes():
    write = style.thousands()
    assert [write(x, 0) for x in (0, 2.5, 1234567, -4)] == ["0", "2.5", "1,234,567", "−4"]
    assert [style.powers()(x, 0) for x in (1, 10, 1e12)] == ["10⁰", "10¹", "10¹²"]
