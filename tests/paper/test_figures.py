"""The figure of published numbers: each at its place, with a mark that says how far it is."""

import itertools

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from rankone.paper import figures
from rankone.paper import published as numbers
from rankone.show import style

VARIANTS = {
    "UTS(gamma=2)": "uts",
    "UTS(gamma=2;no warm-up)": "uts_cold",
    "UTS(gamma=inf)": "uts_inf",
    "OSUB": "osub",
    "KLUCB": "kl_ucb",
    "Rank1ElimKL": "rank1elim_kl",
    "Rank1Elim": "rank1elim",
    "UCB1": "ucb1",
    "LSE": "lse",
}


def variant(told: pd.Series) -> tuple[str, str]:
    if pd.isna(told["K"]) and told["policy"] == "OSUB":
        return "osub_line", "OSUB (no warm-up)"
    name = VARIANTS.get(told["policy"]) or "uts_gamma" + told["policy"][10:-1]
    name = "uts_gamma2" if (name, told["experiment"]) == ("uts", "figure2") else name
    return name, told["policy"]


def compared(share: float = 1.02, se: float = 0.01) -> pd.DataFrame:
    """All published numbers, each `share` times ours, with a relative standard error."""
    rows = []
    for _, told in numbers.load().iterrows():
        name, label = variant(told)
        ours = told["value"] / share
        row = {"published": told["value"], "ours": ours, "combined_se": se * ours}
        row |= {"variant": name, "variant_label": label, "main": True, "z": (share - 1) / se}
        rows.append({**told, **row})
        rows.append({**told, **row, "variant": "osub_c0", "main": False, "published": 0.0})
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def drawn() -> Figure:
    figure = figures.published(compared())
    figure.draw_without_rendering()
    return figure


def panel(figure: Figure, title: str) -> Axes:
    (axes,) = (axes for axes in figure.axes if axes.get_title().startswith(title))
    return axes


def ticks(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels()]


def test_every_published_number_of_the_main_variants_is_drawn_once(drawn):
    assert len(drawn.axes) == 7
    marks = [bars.lines[0] for axes in drawn.axes for bars in axes.containers]
    assert len(marks) == len(numbers.load())
    assert {round(float(mark.get_ydata()[0]), 6) for mark in marks} == {1.02}


def test_the_bars_reach_the_limit():
    (bars, *_) = figures.published(compared(se=0.01), limit=3.5).axes[0].containers
    _, _, (segments,) = bars.lines
    assert segments.get_segments()[0][:, 1] == pytest.approx([1.02 - 0.035, 1.02 + 0.035])


@pytest.mark.parametrize(("share", "filled"), [(1.03, False), (1.04, True), (0.96, True)])
def test_marks_beyond_the_limit_are_filled_and_counted(share, filled):
    figure = figures.published(compared(share, 0.01), limit=3.5)
    for axes in figure.axes:
        for bars in axes.containers:
            assert (bars.lines[0].get_markerfacecolor() != "white") == filled
    count = 0 if filled else 27
    assert f"{count} of 27 within ±3.5 s.e." in panel(figure, "Katariya").get_title()


def test_the_legend_says_what_the_marks_mean_and_names_each_look_once(drawn):
    (legend,) = drawn.legends
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown[-3:] == [
        "filled: beyond ±3.5 s.e.", "hollow: within ±3.5 s.e.", "bar: ±3.5 combined s.e.",
    ]  # fmt: skip
    assert shown.count("UTS(γ = 2)") == 1  # uts and uts_gamma2 are one policy
    assert "OSUB" in shown
    assert "OSUB (no warm-up)" in shown
    assert len(shown) == len(set(shown))


def test_policies_have_the_looks_of_all_other_figures(drawn):
    marks = {
        (to_hex(bars.lines[0].get_color()).lower(), bars.lines[0].get_marker())
        for bars in panel(drawn, "Trinh et al. (2020), figure 3").containers
    }
    looks = [style.LOOKS[name] for name in ("uts", "osub", "kl_ucb", "rank1elim_kl")]
    assert marks == {(look.colour.lower(), look.marker) for look in looks}


def test_places_are_named_by_round_statistic_and_size(drawn):
    axes = panel(drawn, "Trinh et al. (2020), figure 4")
    once = ["10³", "10⁴", "10⁵", "2·10⁵", "3·10⁵", "p10", "p90"]
    assert ticks(axes) == once * 2
    assert [text.get_text() for text in axes.texts] == ["K = 8", "K = 16"]
    assert "percentiles at t = 3·10⁵" in axes.get_xlabel()
    assert ticks(panel(drawn, "Trinh et al. (2020), figure 6")) == ["K = 8", "K = 16", "K = 32"]
    assert ticks(panel(drawn, "Combes")) == ["10³", "10⁴", "10⁵"]


def test_what_most_instances_share_is_said_once(drawn):
    axes = panel(drawn, "Katariya")
    assert ticks(axes)[:3] == ["8 × 8", "8 × 16", "8 × 32"]
    assert "p=(.7, .35)" in ticks(axes)
    assert axes.get_xlabel().endswith("unless named: 8 × 8, p=(.7, .7), d=(.2, .2)")
    assert len(ticks(axes)) == len(set(ticks(axes))) == 25  # one matrix is in three tables


def test_nothing_is_cut_off_and_no_marks_coincide(drawn):
    width, height = drawn.canvas.get_width_height()
    for axes in drawn.axes:
        texts = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for text in (*texts, *axes.get_xticklabels(), *axes.get_yticklabels()):
            box = text.get_window_extent()
            assert not text.get_text() or (box.x0 >= -0.5 and box.x1 <= width + 0.5), text
            assert not text.get_text() or (box.y0 >= -0.5 and box.y1 <= height + 0.5), text
        places = sorted(float(bars.lines[0].get_xdata()[0]) for bars in axes.containers)
        low, high = axes.get_xlim()
        assert low < places[0] <= places[-1] < high
        assert all(two - one > 0.05 for one, two in itertools.pairwise(places))


def test_one_number_is_enough_and_none_is_an_error(tmp_path):
    table = compared()
    style.save(figures.published(table.iloc[:1]), [tmp_path / "p.png"])
    assert (tmp_path / "p.png").stat().st_size > 5000
    with pytest.raises(ValueError, match="no published number was simulated"):
        figures.published(table[~table["main"]])
