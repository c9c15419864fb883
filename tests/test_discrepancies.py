"""The text on discrepancies: its numbers, and that none of them is typed into the template."""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rankone.paper import discrepancies
from rankone.paper.discrepancies import LINE, Matrix

ROOT = Path(__file__).parents[1]
TEMPLATE = (ROOT / "workflow/report/discrepancies.md").read_text(encoding="utf-8")
MATRICES = [
    Matrix(f"K = {k}", [0.75] + [0.25] * (k - 1), [0.75] + [0.25] * (k - 1)) for k in (4, 8, 16)
]


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
    found = discrepancies.bounds(discrepancies.drawn(), MATRICES)
    assert "95.55" in found["table"]
    assert float(found["worst"]) < 1
    assert float(found["low"]) == pytest.approx(0.72, abs=0.01)


def test_the_nearest_variant_is_named() -> None:
    found = discrepancies.variants(compared(), ["figure3", "figure4"], "OSUB", 3.5)
    assert found["nearest"] == "<other>"
    assert (found["main"], found["main_beyond"], found["main_numbers"]) == ("<main>", "2", "2")


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
    text = discrepancies.write(TEMPLATE, compared(), MATRICES, [2, math.inf], 3.5)
    assert "{" not in text.replace("{2", "").replace("}", "")
    assert "nan" not in text
    assert "γ in {2, inf}" in text


def test_no_result_is_typed_into_the_template() -> None:
    places = re.sub(r"\{[^}]*\}+", "", TEMPLATE)
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", places)
    # names of figures, tables, propositions and claims, parameters, and the size of a graph
    assert set(numbers) <= {"0", "1", "2", "3", "4", "5", "6", "17", "0.01"}
