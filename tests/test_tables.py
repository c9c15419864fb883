"""Tables: numbers by hand, published values in the right rows, and text that every format bears."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from rankone.paper import published
from rankone.show import tables
from rankone.show import text as writing

POLICIES = [
    {"name": "uts", "label": "UTS (γ = 2)", "published": "UTS(gamma=2)"},
    {"name": "elim", "label": "Rank1_Elim & 50%", "published": "Rank1ElimKL"},
    {"name": "mine", "label": "Mine"},
]
INSTANCES = [
    {"name": "K4", "label": "K = 4", "shape": (4, 4), "published": ["figure3", "figure2"]},
    {"name": "K8", "label": "K = 8", "shape": (8, 8), "published": ["figure3", "figure4"]},
]
# (instance, policy): mean, standard error
ENDS = {
    ("K4", "uts"): (80.0, 3.0),
    ("K4", "elim"): (2000.0, 50.0),
    ("K4", "mine"): (100.0, 1.0),
    ("K8", "uts"): (200.0, 10.0),
    ("K8", "elim"): (4000.0, 200.0),
    ("K8", "mine"): (400.0, 4.0),
}


def bands(horizon: int = 300_000) -> pd.DataFrame:
    rows = [
        {"instance": instance, "policy": policy, "t": t, "runs": 100, "mean": mean * share}
        | {"se": error, "p10": mean * share - 9, "p50": mean * share, "p90": mean * share + 9}
        for ((instance, policy), (mean, error)), (t, share) in itertools.product(
            ENDS.items(), [(horizon, 1.0), (10, 0.1)]
        )
    ]
    return pd.DataFrame(rows)


def row(table: pd.DataFrame, **where: object) -> pd.Series:
    for column, value in where.items():
        table = table[table[column] == value]
    (found,) = (line for _, line in table.iterrows())
    return found


def test_final_regret_is_the_last_checkpoint_in_configured_order():
    table = tables.final_regret(bands(), POLICIES, INSTANCES)
    assert list(zip(table["instance"], table["policy"], strict=True)) == list(ENDS)
    line = row(table, instance="K8", policy="uts")
    assert (line["mean"], line["se"], line["p10"], line["p90"]) == (200, 10, 191, 209)
    assert (line["t"], line["runs"], line["K"], line["L"]) == (300_000, 100, 8, 8)
    assert table["published_mean"].isna().all()


def test_published_values_land_in_their_rows():
    table = tables.final_regret(bands(), POLICIES, INSTANCES, published.load())
    line = row(table, instance="K4", policy="uts")
    told = [line[f"published_{name}"] for name in ("mean", "error", "p10", "p90", "runs")]
    assert told == [75.8, 0.3, 60.9, 90.1, 100]
    assert line["published_source"] == "Trinh et al. (2020), figure 3"
    line = row(table, instance="K8", policy="uts")
    assert (line["published_mean"], line["published_p90"]) == (193.0, 215)
    assert line["published_source"] == "Trinh et al. (2020), figure 4"
    assert row(table, instance="K4", policy="elim")["published_mean"] == 2640
    for instance, policy in (("K8", "elim"), ("K4", "mine"), ("K8", "mine")):
        assert pd.isna(row(table, instance=instance, policy=policy)["published_mean"])


def test_the_first_experiment_that_has_a_number_wins():
    instances = [INSTANCES[0] | {"published": ["figure2", "figure3"]}]
    table = tables.final_regret(bands(), POLICIES, instances, published.load())
    line = row(table, policy="uts")
    assert line["published_mean"] == 75.7
    assert math.isnan(line["published_p10"])  # figure 2's bands were not read
    assert row(table, policy="elim")["published_source"] == "Trinh et al. (2020), figure 3"


def test_published_values_need_the_same_horizon_shape_and_experiment():
    known = published.load()
    for data, instance in [
        (bands(1000), INSTANCES[1] | {"published": ["figure3"]}),
        (bands(), INSTANCES[0] | {"shape": (4, 8)}),
        (bands(), INSTANCES[0] | {"shape": None}),
        (bands(), {key: INSTANCES[0][key] for key in ("name", "label", "shape")}),
    ]:
        table = tables.final_regret(data, POLICIES, [instance], known)
        assert table["published_mean"].isna().all()


def test_close_means_are_not_taken_for_the_others():
    # K = 32 was published at T = 2 000 000 in figure 5 and, with close means, in figure 6
    data = bands(2_000_000).replace("K4", "K32")
    for experiment, mean in (("figure5", 1580), ("figure6", 9950)):
        place = {"name": "K32", "label": "", "shape": (32, 32), "published": [experiment]}
        table = tables.final_regret(data, POLICIES[:1], [place], published.load())
        assert list(table["published_mean"]) == [mean]


def test_lower_bounds_by_hand():
    constants = [{"name": "K4", "label": "K = 4", "unimodal": 7.5763, "lai_robbins": 15.373}]
    line = tables.lower_bounds(constants, 300_000).iloc[0]
    assert line["slope"] == 7.5763
    assert line["at_t"] == pytest.approx(95.55, abs=0.005)
    assert line["lai_robbins_at_t"] == pytest.approx(193.9, abs=0.05)


def test_growth_by_hand():
    table = tables.growth(bands(), POLICIES, INSTANCES, published.load())
    line = row(table, policy="uts")
    assert (line["from"], line["to"], line["ratio"]) == ("K = 4", "K = 8", 2.5)
    # 2.5 * sqrt((10 / 200)^2 + (3 / 80)^2) = 2.5 * 0.0625
    assert line["se"] == pytest.approx(0.15625)
    assert line["published_ratio"] == pytest.approx(193 / 75.8)
    relative = math.hypot(1 / 193, 0.3 / 75.8)
    assert line["published_error"] == pytest.approx(193 / 75.8 * relative)
    assert row(table, policy="mine")["ratio"] == 4
    assert math.isnan(row(table, policy="mine")["published_ratio"])


def test_growth_only_from_k_to_twice_k():
    odd = [INSTANCES[0], INSTANCES[1] | {"shape": (8, 4)}, INSTANCES[1] | {"shape": None}]
    table = tables.growth(bands(), POLICIES, odd)
    assert table.empty
    assert "ratio" in table


def test_ratio_to_the_reference_by_hand():
    table = tables.ratio_to(bands(), POLICIES, INSTANCES, "elim")
    assert list(table["policy"]) == ["uts", "mine"] * 2
    line = row(table, instance="K4", policy="uts")
    assert line["ratio"] == 25
    # relative errors 50 / 2000 and 3 / 80: sqrt(0.025^2 + 0.0375^2) = 0.0450694
    assert line["se"] == pytest.approx(25 * 0.0450694, rel=1e-5)
    assert line["low"] == pytest.approx(25 * math.exp(-1.959964 * 0.0450694), rel=1e-6)
    assert line["high"] == pytest.approx(25 * math.exp(1.959964 * 0.0450694), rel=1e-6)


def test_delta_method_agrees_with_simulation():
    rng = np.random.default_rng(3)
    top, bottom = rng.normal(2000, 50, 100_000), rng.normal(80, 3, 100_000)
    line = row(tables.ratio_to(bands(), POLICIES, INSTANCES, "elim"), instance="K4", policy="uts")
    low, high = np.percentile(top / bottom, [2.5, 97.5])
    assert (line["low"], line["high"]) == pytest.approx((low, high), rel=0.01)


def test_zero_regret_gives_no_ratio_and_one_run_no_error():
    data = bands()
    data.loc[data["policy"] == "uts", "mean"] = 0.0
    assert math.isnan(row(tables.growth(data, POLICIES, INSTANCES), policy="uts")["ratio"])
    line = row(tables.growth(bands().assign(se=np.nan), POLICIES, INSTANCES), policy="uts")
    assert line["ratio"] == 2.5
    assert math.isnan(line["se"])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: tables.final_regret(bands(), [{"name": "utz", "label": "UTZ"}], INSTANCES),
            r"the bands of 'K4' hold no policy 'utz'; they hold: elim, mine, uts\.",
        ),
        (
            lambda: tables.final_regret(bands(), POLICIES, [INSTANCES[0] | {"name": "K5"}]),
            r"the bands hold no instance 'K5'; they hold: K4, K8\.",
        ),
        (
            lambda: tables.ratio_to(bands(), POLICIES, INSTANCES, "rank1"),
            r"reference is 'rank1'; allowed: uts, elim, mine\.",
        ),
        (
            lambda: tables.final_regret(
                bands(), [POLICIES[0] | {"published": "UTS"}], INSTANCES, published.load()
            ),
            r"published of uts is 'UTS'; allowed: UTS\(gamma=2\), ",
        ),
        (
            lambda: tables.final_regret(
                bands(), POLICIES, [INSTANCES[0] | {"published": ["fig3"]}], published.load()
            ),
            r"published of K4 is 'fig3'; allowed: figure2, figure3, ",
        ),
        (
            lambda: tables.write(pd.DataFrame({"a": ["b"]}), ["t.xlsx"]),
            r"cannot write t\.xlsx; allowed: \.csv, \.md, \.tex, \.html\.",
        ),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


# Writing


def written(tmp_path, table: pd.DataFrame, name: str, caption: str = "") -> dict[str, str]:
    paths = [tmp_path / f"table.{suffix}" for suffix in ("csv", "md", "tex", "html")]
    tables.write(table, paths, name, caption)
    return {path.suffix: path.read_text(encoding="utf-8") for path in paths}


def test_csv_keeps_every_digit(tmp_path):
    table = tables.ratio_to(bands(), POLICIES, INSTANCES, "elim")
    written(tmp_path, table, "ratio_to")
    again = pd.read_csv(tmp_path / "table.csv")
    for column in ("ratio", "se", "low", "high"):
        assert (again[column] == table[column]).all()


def test_markdown_of_final_regret(tmp_path):
    table = tables.final_regret(bands(), POLICIES, INSTANCES, published.load())
    lines = written(tmp_path, table, "final_regret", "Final regret.")[".md"].splitlines()
    assert lines[0] == "Final regret."
    assert lines[4].startswith(
        "| K = 4 | UTS (γ = 2) | 100 | 80.0 ± 3.0 | 71.0–89.0 | 75.8 ± 0.3 |"
    )
    assert "| 2,000 ± 50 |" in lines[5]
    assert lines[6].endswith("| – | – |  |")
    assert len(lines) == 4 + len(ENDS)


def test_latex_escapes_and_uses_booktabs(tmp_path):
    table = tables.final_regret(bands(), POLICIES, INSTANCES)
    text = written(tmp_path, table, "final_regret", "Two\nlines")[".tex"]
    assert text.startswith("% Two lines\n\\begin{tabular}{llrrrrrl}\n\\toprule\n")
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
    assert f"\n{escaped} \\\\\n" in writing.latex(pd.DataFrame({"name": [plain]}))


def test_html_is_a_page_of_its_own_with_nothing_to_load(tmp_path):
    odd = [{"name": "uts", "label": "<script>&"}]
    table = tables.final_regret(bands(), odd, INSTANCES)
    text = written(tmp_path, table, "final_regret", "A <b> caption")[".html"]
    assert text.startswith("<!doctype html>")
    assert "<td>&lt;script&gt;&amp;</td>" in text
    assert "<caption>A &lt;b&gt; caption</caption>" in text
    assert "http" not in text
    assert text.count("<tr") == 1 + len(INSTANCES)


def test_a_pipe_does_not_cut_a_markdown_cell():
    assert "| a\\|b |" in writing.markdown(pd.DataFrame({"x": ["a|b"]}))


def test_every_table_can_be_written_even_empty(tmp_path):
    constants = [{"name": "K4", "label": "K = 4", "unimodal": 7.5, "lai_robbins": 15.25}]
    made = {
        "lower_bounds": tables.lower_bounds(constants, 1000),
        "growth": tables.growth(bands(), POLICIES, INSTANCES),
        "ratio_to": tables.ratio_to(bands(), POLICIES, INSTANCES, "elim"),
        "something else": pd.DataFrame({"a_b": [1.23456], "c": ["d"], "e": [10_000]}),
    }
    texts = {name: written(tmp_path, table, name)[".md"] for name, table in made.items()}
    assert "| K = 4 | 7.5000 | 51.808 | 15.250 | 105.34 |" in texts["lower_bounds"]
    assert "at T = 1,000" in texts["lower_bounds"]
    assert "| UTS (γ = 2) | K = 4 | K = 8 | 2.50 ± 0.16 | – |" in texts["growth"]
    assert "| K = 4 | UTS (γ = 2) | 25.0 | 22.9–27.3 |" in texts["ratio_to"]
    assert "Rank1_Elim & 50% / policy" in texts["ratio_to"]
    assert "95 % interval" in texts["ratio_to"]
    assert "| a b | c | e |" in texts["something else"]
    assert "| 1.235 | d | 10000 |" in texts["something else"]
    for name in ("growth", "lower_bounds", "ratio_to"):
        lines = written(tmp_path, made[name].iloc[:0], name)[".md"].splitlines()
        assert len(lines) == 2


def test_numbers():
    assert [writing.number(x) for x in (0, 0.01234, 7.5763, 75.77, 234.5, 12345.6)] == [
        "0", "0.0123", "7.58", "75.8", "234", "12,346",
    ]  # fmt: skip
    assert writing.number(math.nan) == writing.number(math.inf) == "–"
    assert writing.value_and_error(37100.4, 260) == "37,100 ± 260"
    assert writing.value_and_error(75.77, 1.234) == "75.8 ± 1.2"
    assert writing.value_and_error(75.77, math.nan) == "75.8"
    assert writing.interval(60.91, 90.1) == "60.9–90.1"
    assert writing.interval(0, 5) == "0.00–5.00"
    assert writing.interval(math.nan, 5) == "–"


# The published numbers


def test_published_numbers_are_whole_and_unique():
    table = published.load()
    assert list(table.columns) == [
        "source", "experiment", "K", "L", "t", "runs", "policy", "statistic", "value", "error",
    ]  # fmt: skip
    assert len(table) == 149
    assert not table.duplicated(["experiment", "K", "L", "t", "policy", "statistic"]).any()
    assert set(table["statistic"]) == {"mean", "p10", "p90", "mean/log(T)"}
    assert table["value"].gt(0).all()
    assert table.loc[table["K"].isna(), "source"].eq("combes2014-icml").all()
