"""Parts of panels: the looks of the figures in the words of plotly.js."""

import re

import pytest

from rankone.report import traces
from rankone.show import style


def test_every_marker_has_a_symbol_and_an_outline():
    for marker in style.MARKERS:
        assert marker in traces.SYMBOLS
        numbers = [float(x) for x in re.findall(r"-?\d+\.\d+", traces.outline(marker))]
        assert numbers
        assert max(map(abs, numbers)) < 10
    assert len(set(traces.SYMBOLS.values())) == len(traces.SYMBOLS)


def test_dashes_are_lengths_in_pixels():
    assert traces.dashes(style.SOLID) == ""
    assert traces.dashes(style.DASHED) == "10px,3.2px"
    assert traces.pen(style.LOOKS["uts"])["dash"] == "solid"


def test_keys_have_the_looks_of_the_figures():
    entries = [{"name": "uts", "label": "UTS"}, {"name": "mine", "label": "Mine"}]
    looks = style.looks(entries)
    uts, mine = traces.legend(entries, looks)
    assert (uts.label, uts.colour, uts.dashes) == ("UTS", style.LOOKS["uts"].colour, "")
    assert mine.colour == looks["mine"].colour


@pytest.mark.parametrize(
    ("given", "written"), [(3.0, 3), (1 / 3, 0.333333), (float("nan"), None), (10**12, 10**12)]
)
def test_numbers_for_json(given, written):
    assert traces.plain([given]) == [written]
    assert type(traces.plain([given])[0]) is type(written)
