"""The text on discrepancies: its numbers, and that none of them is typed into the template."""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rankone.paper import discrepancies
from rankone.paper.discrepancies import LINE

ROOT = Path(__file__).parents[2]
TEMPLATE = (ROOT / "workflow/report/discrepancies.md").read_text(encoding="utf-8")
MATRICES = [
    {"label": f"K = {k}", "u": [0.75] + [0.25] * (k - 1), "v": [0.75] + [0.25] * (k - 1)}
    for k in (4, 8, 16)
]
DRAWN = discrepancies.drawn()


def row(experiment: str, policy: str, variant: str, z: float, **more: Any) -> dict[str, Any]:
    size = pd.NA if experiment == LINE else 4
    base = {"source": "s", "experiment": experiment, "K": size, "L": size, "t": 1000}
    base |= {"policy": policy, "statistic": "mean", "published": 10.0 + z, "reading_error": 0.1}
    base |= {"variant": variant, "variant_label": f"<{variant}>", "main": variant.endswith("main")}
    base |= {"ours": 10.0, "ours_se": 0.1, "ours_runs": 100, "theirs_se": 1.0, "combined_se": 1.0}
    return base | {"published_runs": 50, "z": z} | more


def compared() -> pd.DataFrame:
    rows = []
    for experiment in ("figure3", "figure4", "figure5", "figure6", LINE):
        for policy in ("OSUB", "KLUCB", "UCB1", "Rank1ElimKL"):
            rows += [row(experiment, policy, "main", 5.0), row(experiment, policy, "other", -1.0)]
    rows += [
        row("figure2", "UTS(gamma=2)", "g2_main", 0.5),
        row("table1 x", "Rank1Elim", "main", 2),
    ]
    return pd.DataFrame(rows).astype({"K": "Int64", "L": "Int64"})


def test_the_line_that_was_drawn_uses_the_vectors() -> None:
    found = discrepancies.vectors_constant(MATRICES[0])
    assert found == pytest.approx(6 * 0.5 / (0.5 * math.log(3)))  # kl(1/4, 3/4) = ln(3) / 2
    assert found * math.log(300_000) == pytest.approx(69.0, abs=0.3)


def test_the_bounds_beside_each_other() -> None:
    found = discrepancies.bounds(DRAWN, MATRICES)
    assert "95.55" in found["table"]
    assert float(found["worst"]) < 1
    assert float(found["low"]) == pytest.approx(0.72, abs=0.01)


def test_the_nearest_variant_is_named() -> None:
    found = discrepancies.variants(compared(), ["figure3", "figure4"], "OSUB", 3.5)
    assert found["nearest"] == "<other>"
    assert (found["main"], found["main_beyond"], found["main_numbers"]) == ("<main>", "2", "2")
    assert (found["rms"], found["shared_rms"]) == ("1.0", "5.0")


def test_variants_are_ranked_on_numbers_that_all_of_them_have() -> None:
    table = pd.concat([compared(), pd.DataFrame([row("figure3", "OSUB", "other", 90.0, t=5)])])
    found = discrepancies.variants(table, ["figure3"], "OSUB", 3.5)
    assert found["nearest"] == "<other>"


def test_numbers_beyond_the_limit_are_listed_with_the_nearest_variant() -> None:
    found = discrepancies.far(compared(), 3.5)
    assert found["count"] == "20"
    assert "<other>" in found["table"]
    assert discrepancies.far(compared(), 10)["table"] == "None.\n"


def test_values_by_size_and_by_round() -> None:
    assert "| published | 15" in discrepancies.values_of(compared(), "figure3", "OSUB")
    assert "K = 4" in discrepancies.values_of(compared(), "figure3", "OSUB")
    assert "T = 1,000" in discrepancies.values_of(compared(), LINE, "OSUB")


def test_the_text_is_filled_from_the_numbers() -> None:
    text = discrepancies.write(TEMPLATE, compared(), DRAWN, MATRICES, [2, math.inf])
    assert "{" not in text.replace("{2", "").replace("}", "")
    assert "nan" not in text
    assert "γ in {2, inf}" in text


def findings(table: pd.DataFrame) -> list[str]:
    return discrepancies.main_findings(table, DRAWN, MATRICES).splitlines()


def test_the_main_findings_are_five_lines_with_numbers() -> None:
    bound, clock, close, bisection, unexplained = findings(compared())
    assert bound.startswith("- **Lower bound.**")
    assert "0.722 to 0.724 times" in bound
    assert "closest to <other>: root mean square z 1.0, against 5.0 for <main>" in clock
    assert "closest to <other>, root mean square z 1.0 against 5.0 for <main>, and to" in close
    assert "was not simulated" in bisection
    assert "Of 22 published numbers 20 are further than 3.5" in unexplained
    assert "and 0 from every variant that we tried." in unexplained


def test_the_bisection_is_compared_with_the_exact_index() -> None:
    rows = [row("figure3", "OSUB", "other_bisection", -0.5)]
    rows += [row("figure3", "OSUB", "other", 90.0, t=5)]  # has no counterpart
    line = findings(pd.concat([compared(), pd.DataFrame(rows)]))[3]
    assert "root mean square z from 1.0 to 0.50 for <other>" in line


def test_what_no_variant_explains_is_named() -> None:
    rows = [row("figure2", "UTS(gamma=5)", "g5_main", 9.0), row("table1 y", "Q", "q_main", 9.0)]
    line = findings(pd.concat([compared(), pd.DataFrame(rows)]))[4]
    assert "2 from every variant that we tried" in line
    assert "(UTS(γ = 5) in s, figure 2: 1; Q in s, table 1: 1)" in line


def test_no_result_is_typed_into_the_template() -> None:
    places = re.sub(r"\{[^}]*\}+", "", TEMPLATE)
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", places)
    # names of figures, tables, propositions and claims, parameters, and the size of a graph
    assert set(numbers) <= {"0", "1", "2", "3", "4", "5", "6", "17", "0.01"}
