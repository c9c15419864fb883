"""Tables: numbers by hand, and published values in the right rows."""

import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from helpers.league import CASES

from rankone.paper import published
from rankone.show import tables
from rankone.show.tables import Table

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
    table = tables.final_regret(bands(), POLICIES, INSTANCES).data
    assert list(zip(table["instance"], table["policy"], strict=True)) == list(ENDS)
    line = row(table, instance="K8", policy="uts")
    assert (line["mean"], line["se"], line["p10"], line["p90"]) == (200, 10, 191, 209)
    assert (line["t"], line["runs"], line["K"], line["L"]) == (300_000, 100, 8, 8)
    assert table["published_mean"].isna().all()


def test_published_values_land_in_their_rows():
    table = tables.final_regret(bands(), POLICIES, INSTANCES, published.load()).data
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
    table = tables.final_regret(bands(), POLICIES, instances, published.load()).data
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
        table = tables.final_regret(data, POLICIES, [instance], known).data
        assert table["published_mean"].isna().all()


def test_close_means_are_not_taken_for_the_others():
    # K = 32 was published at T = 2 000 000 in figure 5 and, with close means, in figure 6
    data = bands(2_000_000).replace("K4", "K32")
    for experiment, mean in (("figure5", 1580), ("figure6", 9950)):
        place = {"name": "K32", "label": "", "shape": (32, 32), "published": [experiment]}
        table = tables.final_regret(data, POLICIES[:1], [place], published.load()).data
        assert list(table["published_mean"]) == [mean]


def test_lower_bounds_by_hand():
    constants = pd.DataFrame({"unimodal": [7.5763], "lai_robbins": [15.373]}, index=["K4"])
    line = tables.lower_bounds(INSTANCES[:1], constants, 300_000).data.iloc[0]
    assert line["slope"] == 7.5763
    assert line["at_t"] == pytest.approx(95.55, abs=0.005)
    assert line["lai_robbins_at_t"] == pytest.approx(193.9, abs=0.05)


def test_growth_by_hand():
    table = tables.growth(bands(), POLICIES, INSTANCES, published.load()).data
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
    table = tables.growth(bands(), POLICIES, odd).data
    assert table.empty
    assert "ratio" in table


def test_ratio_to_the_reference_by_hand():
    table = tables.ratio_to(bands(), POLICIES, INSTANCES, reference="elim").data
    assert list(table["policy"]) == ["uts", "mine"] * 2
    line = row(table, instance="K4", policy="uts")
    assert line["ratio"] == 25
    # relative errors 50 / 2000 and 3 / 80: sqrt(0.025^2 + 0.0375^2) = 0.0450694
    assert line["se"] == pytest.approx(25 * 0.0450694, rel=1e-5)
    # Welch: (0.025^2 + 0.0375^2)^2 / (0.025^4 / 99 + 0.0375^4 / 99) = 172.5 degrees of freedom
    assert line["low"] == pytest.approx(25 * math.exp(-1.973850 * 0.0450694), rel=1e-5)
    assert line["high"] == pytest.approx(25 * math.exp(1.973850 * 0.0450694), rel=1e-5)


def test_delta_method_agrees_with_simulation():
    rng = np.random.default_rng(3)
    top, bottom = rng.normal(2000, 50, 100_000), rng.normal(80, 3, 100_000)
    line = row(
        tables.ratio_to(bands(), POLICIES, INSTANCES, reference="elim").data,
        instance="K4",
        policy="uts",
    )
    low, high = np.percentile(top / bottom, [2.5, 97.5])
    assert (line["low"], line["high"]) == pytest.approx((low, high), rel=0.01)


def test_zero_regret_gives_no_ratio_and_one_run_no_error():
    data = bands()
    data.loc[data["policy"] == "uts", "mean"] = 0.0
    assert math.isnan(row(tables.growth(data, POLICIES, INSTANCES).data, policy="uts")["ratio"])
    line = row(tables.growth(bands().assign(se=np.nan), POLICIES, INSTANCES).data, policy="uts")
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
            lambda: tables.ratio_to(bands(), POLICIES, INSTANCES, reference="rank1"),
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
            lambda: tables.final_regret(
                bands(), [POLICIES[0] | {"draw": False}], INSTANCES, drawn_only=True
            ),
            r"no policy is left to show; allowed: at least one with draw: true\.",
        ),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


# What is shown


def cells(table: Table, line: int = 0) -> list[str]:
    assert all(isinstance(cell, str) for cell in table.shown.to_numpy().ravel())
    return list(table.shown.iloc[line])


def test_final_regret_as_it_is_shown():
    table = tables.final_regret(bands(), POLICIES, INSTANCES, published.load())
    assert cells(table)[:6] == [
        "K = 4", "UTS (γ = 2)", "100", "80.0 ± 3.0", "71.0–89.0", "75.8 ± 0.3",
    ]  # fmt: skip
    assert cells(table, 1)[3] == "2,000 ± 50"
    assert cells(table, 2)[-3:] == ["–", "–", ""]
    assert len(table.shown) == len(ENDS)


def test_only_the_drawn_policies_if_asked():
    policies = [POLICIES[0], POLICIES[1] | {"draw": False}, POLICIES[2]]
    table = tables.final_regret(bands(), policies, INSTANCES, drawn_only=True)
    assert list(table.data["policy"]) == ["uts", "mine"] * 2
    assert len(tables.final_regret(bands(), policies, INSTANCES).data) == len(ENDS)


def test_bounds_growth_and_ratios_as_they_are_shown():
    constants = pd.DataFrame({"unimodal": [7.5], "lai_robbins": [15.25]}, index=["K4"])
    table = tables.lower_bounds(INSTANCES[:1], constants, 1000)
    assert cells(table) == ["K = 4", "7.5000", "51.808", "15.250", "105.34"]
    assert "at T = 1,000" in table.shown
    table = tables.growth(bands(), POLICIES, INSTANCES)
    assert cells(table) == ["UTS (γ = 2)", "K = 4", "K = 8", "2.50 ± 0.16", "–"]
    table = tables.ratio_to(bands(), POLICIES, INSTANCES, reference="elim")
    assert cells(table) == ["K = 4", "UTS (γ = 2)", "25.0", "22.9–27.3"]
    assert list(table.shown)[2:] == ["Rank1_Elim & 50% / policy", "95 % interval"]


def test_ratios_without_an_interval_are_shown_without_one():
    one = bands().assign(runs=1, se=np.nan)
    table = tables.ratio_to(one, POLICIES, INSTANCES, reference="elim", level=0.999)
    assert cells(table)[2:] == ["25.0", "–"]
    assert list(table.shown)[3] == "99.9 % interval"


def test_tables_without_rows_keep_their_headings():
    table = tables.growth(bands(), POLICIES, INSTANCES[:1])
    assert table.data.empty
    assert list(table.shown)[:3] == ["Policy", "From", "To"]
    table = tables.ratio_to(bands(), POLICIES[:1], INSTANCES, reference="uts")
    assert table.data.empty
    assert "low" in table.data


# The benchmark's tables


TIMES = pd.DataFrame(
    [(4, 3 * 10**5, 0.5, 50.0), (16, 3 * 10**5, 2.0, 300.0), (4, 10**12, 1.0, math.nan)],
    columns=["size", "horizon", "fast_ms", "plain_ms"],
).assign(events=400.0)
PLAYERS = [{"name": "uts", "label": "UTS"}, {"name": "ts", "label": "TS"}]


def times() -> pd.DataFrame:
    slower = TIMES.assign(policy="ts", fast_ms=2 * TIMES["fast_ms"])
    return pd.concat([slower, TIMES.assign(policy="uts")], ignore_index=True)


def test_speeds_are_ratios_of_the_times_in_the_order_of_the_policies():
    table = tables.speed(times(), PLAYERS)
    assert list(table.data["policy"]) == ["uts"] * 3 + ["ts"] * 3
    line = row(table.data, policy="uts", size=16)
    assert line["plain_over_fast"] == 150
    line = row(table.data, policy="ts", horizon=10**12)
    assert line["fast_us_per_event"] == pytest.approx(5)  # 2 ms for 400 pulls
    assert cells(table) == ["UTS", "4", "300,000", "0.500", "50.0", "100", "400", "1.25"]
    assert cells(table, 1)[4:6] == ["–", "–"]


def test_one_row_per_policy_in_the_summary_of_speeds():
    table = tables.speed_summary(times(), PLAYERS)
    assert table.data["K4_plain_over_fast"].tolist() == [100, 50]
    assert table.data["K16_plain_over_fast"].tolist() == [150, 75]
    shown = dict(zip(table.shown, cells(table), strict=True))
    assert shown["K = 16: plain / fast"] == "150.0"
    assert shown["K = 4, T = 1e12: fast (ms)"] == "1.000"
    assert shown["µs per pull of another arm"] == "2.500"


def test_starts_are_shown_with_their_units():
    columns = {"what": ["one job"], "cache": ["cold"], "seconds": [12.345], "cpu_seconds": [11.0]}
    table = tables.starts(pd.DataFrame(columns | {"largest_process_mb": [250.7]}))
    assert cells(table) == ["one job", "cold", "12.3", "11.0", "251"]
    assert list(table.shown)[2:] == ["Clock (s)", "CPU (s)", "Largest process (MB)"]


def test_any_cases_can_be_shown_as_they_are():
    data = {"a_b": [1.23456], "c": ["d"], "e": [10_000], "warm_up": [True], "none": [math.nan]}
    table = tables.plain(pd.DataFrame(data))
    assert list(table.shown) == ["a b", "c", "e", "warm up", "none"]
    assert cells(table) == ["1.235", "d", "10,000", "yes", "–"]


def constants() -> pd.DataFrame:
    slopes = {"unimodal": [7.576279, 17.3], "lai_robbins": [15.37, 80.0]}
    return pd.DataFrame(slopes, index=["K4", "K8"])


def test_numbers_for_latex_are_macros(tmp_path):
    made = tables.numbers(bands(), POLICIES, INSTANCES, constants(), 300_000)
    tables.write(made, [tmp_path / "numbers.tex"], "Two\nlines.")
    first, *lines = (tmp_path / "numbers.tex").read_text(encoding="utf-8").splitlines()
    assert first == "% Two lines."
    assert all(re.fullmatch(r"\\newcommand\{\\[A-Za-z]+\}\{[\d.{},]+\} % .*", x) for x in lines)
    assert r"\newcommand{\rankoneHorizon}{300{,}000} % rounds" in lines
    assert any(x.startswith(r"\newcommand{\rankoneMinefour}{100.0}") for x in lines)
    assert any(x.startswith(r"\newcommand{\rankoneMinefourError}{1.0}") for x in lines)
    assert any(x.startswith(r"\newcommand{\rankoneBoundfour}{7.576}") for x in lines)
    assert any(x.startswith(r"\newcommand{\rankoneRankoneElimfiftyeight}{4{,}000}") for x in lines)
    assert len(lines) == 1 + 2 * (2 + 2 * 3)


def test_two_numbers_of_one_name_are_refused():
    twins = [{"name": "uts", "label": "A 1"}, {"name": "elim", "label": "A one"}]
    with pytest.raises(ValueError, match=r"would be \\rankoneAonefour; allowed: labels"):
        tables.numbers(bands(), twins, INSTANCES, constants(), 300_000)


GROUNDS = [{"name": "square", "label": "Square"}, {"name": "line", "label": "Line"}]
IN_LEAGUE = [{"name": name, "label": name.title()} for name in ("few", "good", "fair")]


def test_the_table_of_a_league():
    shown = tables.league(CASES, IN_LEAGUE, GROUNDS, 0.95).shown
    assert shown["Policy"].tolist() == ["Good", "Fair", "Few"]
    assert shown["Plays on"].tolist() == ["3 of 3", "3 of 3", "2 of 3"]
    assert shown["Behind the best on them (95 %)"][0] == "best"
    assert shown["Matrices won (95 %)"][0].startswith("67 % [")


def test_the_table_of_a_league_by_instance():
    table = tables.league_by_instance(CASES, IN_LEAGUE, GROUNDS, 0.95)
    assert table.shown["Instance"].tolist() == [
        *["Square"] * 3,
        *["Line"] * 3,
        *["random matrices"] * 3,
    ]
    assert table.shown["Policy"].tolist()[3:6] == ["Fair", "Good", "Few"]
    assert table.shown.iloc[5, 3] == "cannot play"
