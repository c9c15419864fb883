"""Number formats, and tables that every format of file bears."""

import math
import shutil
import subprocess

import pandas as pd
import pytest

from rankone.show import formats
from rankone.show.formats import Table

DATA = pd.DataFrame({"name": ["a", "a", "b"], "value": [1 / 3, 2 / 7, 1e-17]})
SHOWN = pd.DataFrame(
    {
        "Name": ["a", "a", "b"],
        "Label": ["UTS (γ = 2)", "Rank1_Elim & 50%", "<script>&"],
        "Value": ["80.0 ± 3.0", "2,000 ± 50", "–"],
    }
)


def written(folder, caption: str = "") -> dict[str, str]:
    paths = [folder / f"table.{suffix}" for suffix in ("csv", "md", "tex", "html")]
    formats.write(Table(DATA, SHOWN), paths, caption)
    return {path.suffix: path.read_text(encoding="utf-8") for path in paths}


def test_numbers():
    assert [formats.number(x) for x in (0, 0.01234, 7.5763, 75.77, 234.5, 12345.6)] == [
        "0", "0.0123", "7.58", "75.8", "234", "12,346",
    ]  # fmt: skip
    assert formats.number(math.nan) == formats.number(math.inf) == "–"
    assert formats.value_and_error(37100.4, 260) == "37,100 ± 260"
    assert formats.value_and_error(75.77, 1.234) == "75.8 ± 1.2"
    assert formats.value_and_error(75.77, math.nan) == "75.8"


def test_intervals():
    assert formats.interval(60.91, 90.1) == "60.9–90.1"
    assert formats.interval(0, 5) == "0.00–5.00"
    assert formats.interval(math.nan, 5) == "–"
    assert formats.interval(0, math.inf) == formats.interval(-math.inf, 1) == "–"


def test_csv_keeps_every_digit(tmp_path):
    written(tmp_path)
    assert (pd.read_csv(tmp_path / "table.csv")["value"] == DATA["value"]).all()


def test_markdown(tmp_path):
    lines = written(tmp_path, "A caption.")[".md"].splitlines()
    assert lines[:4] == ["A caption.", "", "| Name | Label | Value |", "|---|---|---:|"]
    assert lines[4] == "| a | UTS (γ = 2) | 80.0 ± 3.0 |"
    assert len(lines) == 7
    assert "| a\\|b |" in formats.markdown(pd.DataFrame({"x": ["a|b"]}))


def test_latex_escapes_and_uses_booktabs(tmp_path):
    text = written(tmp_path, "Two\nlines")[".tex"]
    assert text.startswith("% Two lines\n\\begin{tabular}{llr}\n\\toprule\n")
    assert r"Rank1\_Elim \& 50\%" in text
    assert r"UTS ($\gamma$ = 2)" in text
    assert r"80.0 $\pm$ 3.0" in text
    assert text.count(r"\addlinespace") == 1
    assert text.isascii()


@pytest.mark.parametrize(
    ("plain", "escaped"),
    [
        ("a_b^c~d", r"a\_b\textasciicircum{}c\textasciitilde{}d"),
        ("{$#%&}", r"\{\$\#\%\&\}"),
        ("\\", r"\textbackslash{}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("λ ≥ ∞", r"$\lambda$ $\geq$ $\infty$"),
    ],
)
def test_latex_special_characters(plain, escaped):
    assert f"\n{escaped} \\\\\n" in formats.latex(pd.DataFrame({"name": [plain]}))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
def test_latex_itself_takes_the_tables(tmp_path):
    written(tmp_path, "A caption with \\ and {")
    odd = pd.DataFrame({"name": ["a_b^c~d", "{$#%&}", "\\", "<|>", "λ ≥ ∞ − × · ± –"]})
    (tmp_path / "odd.tex").write_text(formats.latex(odd))
    lines = [r"\documentclass{article}\usepackage{booktabs}\begin{document}", r"\input{table}"]
    lines += [r"\input{odd}", r"\newcommand{\rankoneUTSfour}{75.1}\rankoneUTSfour\end{document}"]
    (tmp_path / "all.tex").write_text("\n".join(lines))
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    made = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert made.returncode == 0, made.stdout[-2000:]


def test_html_is_a_page_of_its_own_with_nothing_to_load(tmp_path):
    text = written(tmp_path, "A <b> caption")[".html"]
    assert text.startswith("<!doctype html>")
    assert "<td>&lt;script&gt;&amp;</td>" in text
    assert "<caption>A &lt;b&gt; caption</caption>" in text
    assert "http" not in text
    assert text.count("<tr") == 1 + len(SHOWN)


def test_long_texts_wrap_and_numbers_do_not():
    long = "UTS is asymptotically optimal for every value of its parameter."
    shown = pd.DataFrame({"Claim": [long], "Short": ["K = 4"], "Value": ["1.00 [0.98, 1.02]"]})
    text = formats.page(shown)
    assert f'<td class="w">{long}</td><td>K = 4</td><td class="n">1.00 [0.98, 1.02]</td>' in text
    assert "td.n { white-space: nowrap; }" in text
    assert text.count("nowrap") == 1
    assert r"\begin{tabular}{p{5cm}lr}" in formats.latex(shown)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1", "2.5", "–"], True),
        (["37,100 ± 260", "−4"], True),
        (["8 × 16", "60.9–90.1"], True),
        (["12 %", "95 of 100"], False),
        (["2 runs"], False),
        ([""], False),
        ([], False),
    ],
)
def test_only_numbers_stand_to_the_right(cells, numbers):
    marks = formats.markdown(pd.DataFrame({"x": cells}, dtype=str)).splitlines()[1]
    assert (marks == "|---:|") == numbers


def test_an_unknown_format_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"cannot write t\.xlsx; allowed: \.csv, \.md, \.tex"):
        formats.write(Table(DATA, SHOWN), ["t.xlsx"])


def test_a_table_without_rows_has_its_headings():
    assert formats.markdown(SHOWN.iloc[:0]).splitlines()[0] == "| Name | Label | Value |"
    assert "<th>Label</th>" in formats.page(SHOWN.iloc[:0])


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (("UTS", "K = 4"), "rankoneUTSfour"),
        (("KL-UCB", "K = 128"), "rankoneKLUCBonehundredtwentyeight"),
        (("γ = ∞", "K = 32"), "rankonegammainfinitythirtytwo"),
        (("OSUB (c = 0)", "K = 16, close means"), "rankoneOSUBczerosixteenclosemeans"),
        (("UTS", "3 x 2000"), "rankoneUTSthreextwozerozerozero"),
    ],
)
def test_macros_are_letters(labels, name):
    assert formats.macro(*labels) == name
