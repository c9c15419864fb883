"""Looks: one for each policy, told apart in colour, by colour-blind readers and in grey."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from rankone.show import style

CONFIGS = sorted((Path(__file__).parents[2] / "config").glob("*.y*ml"))


def configured() -> list[tuple[str, str, dict[str, Any]]]:
    """All policies of all configurations: (campaign, name, entry)."""
    found = []
    for file in CONFIGS:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        for name, entry in (content.get("policies") or {}).items():
            found.append((file.stem, name, entry or {}))
    return found


def identity(name: str, entry: dict[str, Any]) -> tuple[str, str]:
    return entry.get("policy", name), repr(sorted(entry.get("parameters", {}).items()))


def test_configurations_are_found():
    assert len({campaign for campaign, *_ in configured()}) >= 3


def test_the_same_policy_has_the_same_look_under_any_name():
    looks: dict[tuple[str, str], set[style.Look]] = {}
    for _, name, entry in configured():
        if name in style.LOOKS:  # else it is a policy of somebody's own
            looks.setdefault(identity(name, entry), set()).add(style.LOOKS[name])
    assert looks
    assert {key: found for key, found in looks.items() if len(found) > 1} == {}


def test_two_policies_of_one_campaign_look_different():
    for campaign, group in itertools.groupby(configured(), key=lambda found: found[0]):
        policies = [(name, entry) for _, name, entry in group if entry.get("draw", True)]
        looks = style.looks([{"name": name} for name, _ in policies])
        for (one, first), (two, second) in itertools.combinations(policies, 2):
            if identity(one, first) != identity(two, second):
                a, b = looks[one], looks[two]
                assert (a.dashes, a.marker) != (b.dashes, b.marker), (campaign, one, two)


@pytest.mark.parametrize(
    "curves",
    [
        ["uts", "uts_inf", "osub", "kl_ucb", "rank1elim_kl", "uts_cold"],
        ["uts_gamma2", "uts_gamma5", "uts_gamma10", "uts_gamma15", "uts_gamma20", "uts_gamma30"],
        ["uts_gamma2", "uts_gamma5", "uts_gamma10", "uts_gamma20", "uts_gamma_inf"],
        ["uts", "osub", "kl_ucb", "rank1elim_kl", "ts", "ucb1", "rank1elim"],
        ["osub_line", "ucb1", "kl_ucb"],
    ],
)
def test_curves_of_one_figure_differ_in_colour(curves):
    assert len({style.LOOKS[name].colour for name in curves}) == len(curves)


def test_all_looks_differ_without_their_colour():
    own = {name: look for name, look in style.LOOKS.items() if name not in style.SAME}
    shapes = {(look.dashes, look.marker) for look in own.values()}
    assert len(shapes) == len(own)


def names(*policies: str) -> list[dict[str, str]]:
    return [{"name": name} for name in policies]


def test_a_look_does_not_depend_on_the_place_in_the_list():
    one = style.looks(names("uts", "osub", "kl_ucb"))
    assert style.looks(names("kl_ucb", "uts")) == {name: one[name] for name in ("uts", "kl_ucb")}


def test_new_names_get_looks_that_nobody_in_the_list_has():
    paper = ("uts", "osub", "kl_ucb", "rank1elim_kl")
    looks = style.looks(names("mine", *paper, "other", "third"))
    assert {name: looks[name] for name in paper} == {name: style.LOOKS[name] for name in paper}
    assert len({look.colour for look in looks.values()}) == 7
    assert len({(look.dashes, look.marker) for look in looks.values()}) == 7
    assert looks == style.looks(names("mine", *paper, "other", "third"))
    assert looks["mine"] == style.looks(names(*paper, "mine"))["mine"]


def test_many_new_names_have_different_looks():
    many = list(style.looks(names(*style.LOOKS, *map(str, range(60)))).values())
    assert len(set(many)) == len(style.LOOKS) - len(style.SAME) + 60
    alone = style.looks(names(*map(str, range(12)))).values()
    assert len({(look.dashes, look.marker) for look in alone}) == 12
    assert len({look.colour for look in alone}) == len(style.COLOURS)


def test_only_a_matrix_has_the_bound_of_proposition_1():
    matrix, graph = {"name": "m", "shape": (4, 4)}, {"name": "g", "means": [0.1], "shape": None}
    assert style.bound_label("unimodal", [matrix]) == "Lower bound (Prop. 1)"
    assert style.bound_label("unimodal", [{"u": [0.5], "v": [0.5]}]) == "Lower bound (Prop. 1)"
    assert "Prop. 1" not in style.bound_label("unimodal", [graph])
    assert "Prop. 1" not in style.bound_label("unimodal", [matrix, graph])
    assert style.bound_label("lai_robbins", [graph]) == "Lai and Robbins"


def linear(colour: str) -> np.ndarray:
    """Light of each primary, by the sRGB standard."""
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def test_colours_are_dark_enough_for_text_on_white():
    for colour in (*style.COLOURS, style.GREY):
        contrast = 1.05 / (linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05)
        assert contrast >= 4.5, colour  # WCAG 2, level AA


def test_colours_of_a_dark_page_are_light_enough_for_text():
    page = linear(style.DARK_PAGE) @ [0.2126, 0.7152, 0.0722] + 0.05
    assert set(style.DARK) == {*style.COLOURS, style.GREY}
    for colour in style.DARK.values():
        contrast = (linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05) / page
        assert contrast >= 4.5, colour


def test_every_look_uses_the_checked_colours():
    assert {look.colour for look in style.LOOKS.values()} <= set(style.COLOURS)


# Machado, Oliveira and Fernandes (2009), severity 1.
BLIND = {
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    "none": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}


def lab(light: np.ndarray) -> np.ndarray:
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(to_xyz @ np.clip(light, 1e-3, 1) / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("dark", [False, True])
def test_colours_stay_apart_for_colour_blind_readers(kind, dark):
    colours = [style.DARK[colour] if dark else colour for colour in style.COLOURS]
    for one, two in itertools.combinations(colours, 2):
        seen = [lab(BLIND[kind] @ linear(colour)) for colour in (one, two)]
        assert np.linalg.norm(seen[0] - seen[1]) > 12, (one, two)


def test_numbers_on_axes():
    write = style.thousands()
    assert [write(x, 0) for x in (0, 2.5, 1234567, -4)] == ["0", "2.5", "1,234,567", "−4"]
    assert [style.powers()(x, 0) for x in (1, 10, 1e12)] == ["10⁰", "10¹", "10¹²"]


def test_files_hold_fonts_but_no_date_and_no_maker(tmp_path):
    paths = [tmp_path / f"f.{suffix}" for suffix in ("pdf", "png", "svg")]
    with style.applied():
        figure = Figure(figsize=(style.TWO_COLUMNS, 2))
        figure.subplots().plot([1, 2], label="γ")
    style.save(figure, paths)
    pdf, png, svg = (path.read_bytes() for path in paths)
    for content in (pdf, png, svg):
        for word in (b"CreationDate", b"<dc:date", b"Software", b"Matplotlib", b"matplotlib.org"):
            assert word not in content
    assert b"DejaVuSans" in pdf
    assert b"/FontFile2" in pdf
    assert int.from_bytes(png[16:20], "big") >= 200 * style.TWO_COLUMNS  # width in pixels
    assert len(svg) < 1_000_000


def test_unknown_format_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"cannot write f\.gif; allowed: \.pdf, \.png, \.svg\."):
        style.save(Figure(), [tmp_path / "f.gif"])
