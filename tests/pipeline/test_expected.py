"""The comparison behind `snakemake check`: what it lets pass and what it does not."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rankone.pipeline import arithmetic
from rankone.pipeline import expected as check


def bands(
    mean: float = 50.0, se: float = 1.0, runs: int = 100, policy: str = "uts"
) -> pd.DataFrame:
    t = np.array([1, 3, 10, 42])
    columns = {"t": t, "runs": runs, "mean": mean * t / 42, "se": se * t / 42}
    spread = {"p10": 1.0, "p50": 2.0, "p90": 3.0}
    return pd.DataFrame({"instance": "K4", "policy": policy, **columns, **spread})


def test_thin_keeps_round_numbers_and_the_horizon() -> None:
    assert check.thin(bands())["t"].tolist() == [1, 10, 42]


def test_to_the_bit_the_last_bit_counts() -> None:
    expected, found = bands(), bands()
    assert check.differences(expected, found, to_the_bit=True).empty
    found.loc[3, "p90"] = np.nextafter(3.0, 4.0)
    table = check.differences(expected, found, to_the_bit=True)
    assert table[["instance", "policy", "t"]].values.tolist() == [["K4", "uts", 42]]


def test_elsewhere_the_standard_errors_decide() -> None:
    # four rows at 0.1 % together: the two-sided quantile of 0.00025 is 3.66 (normal), 3.72 (t)
    expected = bands(mean=50.0, se=1.0)
    within = check.differences(expected, bands(mean=50.0 + 3.6 * np.sqrt(2)), to_the_bit=False)
    assert within.empty
    beyond = check.differences(expected, bands(mean=50.0 + 3.9 * np.sqrt(2)), to_the_bit=False)
    assert beyond["t"].tolist() == [1, 3, 10, 42]


def test_few_runs_are_forgiven_more() -> None:
    shifted = 50.0 + 3.9 * np.sqrt(2)
    few = check.differences(bands(runs=5), bands(mean=shifted, runs=5), to_the_bit=False)
    assert few.empty


def test_where_no_run_differs_only_rounding_is_forgiven() -> None:
    expected = bands(se=0.0)
    rounded = check.differences(expected, bands(mean=50 + 1e-10, se=0.0), to_the_bit=False)
    assert rounded.empty
    assert len(check.differences(expected, bands(mean=50.1, se=0.0), to_the_bit=False)) == 4


def test_a_faithful_machine_rarely_fails() -> None:
    rng = np.random.default_rng(5)
    failures = 0
    for _ in range(300):
        tables = []
        for _ in range(2):
            runs = rng.gamma(4.0, 10.0, size=(20, 4))
            table = bands(runs=20)
            table["mean"], table["se"] = runs.mean(0), runs.std(0, ddof=1) / np.sqrt(20)
            tables.append(table)
        failures += not check.differences(*tables, to_the_bit=False).empty
    assert failures <= 3  # expected 0.3 at RISK = 0.001


@pytest.mark.parametrize("to_the_bit", [True, False])
def test_missing_and_new_cells_are_differences(to_the_bit: bool) -> None:
    both = pd.concat([bands(), bands(policy="osub")])
    for expected, found in ((both, bands()), (bands(), both)):
        table = check.differences(expected, found, to_the_bit)
        assert table["policy"].unique().tolist() == ["osub"]
        assert len(table) == 4


def claims(low: float, high: float, verdict: str = "holds") -> pd.DataFrame:
    row = {"claim": "growth", "verdict": verdict, "role": "part", "what": "UTS", "inside": True}
    return pd.DataFrame([{**row, "value": (low + high) / 2, "low": low, "high": high}])


def test_claims_elsewhere_must_have_intervals_that_overlap() -> None:
    sort = check.SORTS["claims"]
    assert check.differences(claims(1, 2), claims(1, 2), True, sort).empty
    assert len(check.differences(claims(1, 2), claims(1, 2, "undecided"), True, sort)) == 1
    assert check.differences(claims(1, 2), claims(1.9, 3, "undecided"), False, sort).empty
    assert len(check.differences(claims(1, 2), claims(2.1, 3), False, sort)) == 1
    assert len(check.differences(claims(1, 2), claims(1, 2).head(0), False, sort)) == 1


@pytest.fixture
def results(tmp_path: Path) -> list[str]:
    """The arguments that compare made-up results with themselves; they are the expected ones."""
    found = tmp_path / "results" / "smoke"
    (found / "bands").mkdir(parents=True)
    bands().to_csv(found / "bands" / "regret.csv", index=False)
    bands().assign(digest="0123").to_csv(found / "plain.csv", index=False)
    pulls = bands().rename(columns={"t": "gap"}).assign(study="regret", digest="00ff")
    pulls.to_csv(found / "pulls.csv", index=False)
    comparison = claims(1, 2).drop(columns=["claim", "verdict"]).to_dict("records")
    claim = {"name": "growth", "verdict": "holds", "comparisons": comparison}
    (found / "claims.json").write_text(json.dumps([claim]))
    arguments = [str(tmp_path / "results"), str(tmp_path / "expected"), "smoke"]
    assert check.main([*arguments, "--renew"]) == 0
    return arguments


def test_the_command_compares_tables_of_every_sort(results: list[str], capsys) -> None:
    assert check.main(results) == 0
    told = capsys.readouterr().out
    for name, rows in (("bands/regret", 3), ("pulls", 4), ("plain", 3), ("claims", 1)):
        assert f"{name}.csv: {rows} rows, identical to the bit." in told


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("pulls.csv", "00ff", "00fe"),
        ("plain.csv", "0123", "0124"),
        ("claims.json", "holds", "undecided"),
        ("claims.json", "1.5", "1.5000000000000002"),
    ],
)
def test_one_bit_of_any_sort_is_seen(
    results: list[str], file: str, old: str, new: str, capsys
) -> None:
    path = Path(results[0]) / "smoke" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert check.main(results) == 1
    assert "by more than they may" in capsys.readouterr().out


def test_a_new_table_is_a_difference(results: list[str], capsys) -> None:
    bands().to_csv(Path(results[0]) / "smoke" / "bands" / "new.csv", index=False)
    assert check.main(results) == 1
    assert "bands/new.csv: not among the committed results." in capsys.readouterr().out


def test_figures_are_compared_by_their_pixels(results: list[str], tmp_path: Path, capsys) -> None:
    from matplotlib import image

    picture = np.zeros((4, 5, 3))
    folders = tmp_path / "figures", tmp_path / "results" / "smoke" / "figures"
    for folder in folders:
        folder.mkdir()
        image.imsave(folder / "one.png", picture)
    (folders[0] / "source.json").write_text('{"campaign": "smoke", "settings": "abc"}')
    words = [*results, "--figures", str(folders[0]), "--settings"]
    assert check.main([*words, "abc"]) == 0
    assert "figures/one.png: 20 pixels, identical to the bit." in capsys.readouterr().out
    assert check.main([*words, "other"]) == 0
    assert "drawn from other settings" in capsys.readouterr().out

    picture[1, 2] = 1.0
    image.imsave(folders[1] / "one.png", picture)
    assert check.main([*words, "abc"]) == 1
    assert "1 of 20 pixels differ, 1 by more than they may, by up to 100.0%" in (
        capsys.readouterr().out
    )
    file = tmp_path / "expected" / "smoke" / "platform.json"
    file.write_text(json.dumps(arithmetic.here() | {"matplotlib": "1.0"}))
    assert check.main([*words, "abc"]) == 0  # elsewhere it is told
    assert "1 of 20 pixels differ, by up to 100.0%." in capsys.readouterr().out


def test_the_command_says_what_differs(tmp_path, capsys) -> None:
    found = tmp_path / "results" / "smoke" / "bands"
    found.mkdir(parents=True)
    bands().to_csv(found / "regret.csv", index=False)
    arguments = [str(tmp_path / "results"), str(tmp_path / "expected"), "smoke"]
    assert check.main([*arguments, "--renew"]) == 0
    assert check.main(arguments) == 0
    assert "bands/regret.csv: 3 rows, identical to the bit." in capsys.readouterr().out

    bands(mean=50.0 + 1e-9).to_csv(found / "regret.csv", index=False)
    assert check.main(arguments) == 1
    assert "3 of 3 rows differ, 3 by more than they may" in capsys.readouterr().out

    platform = tmp_path / "expected" / "smoke" / "platform.json"
    platform.write_text(json.dumps(arithmetic.here() | {"numpy": "1.0"}))
    assert check.main(arguments) == 0  # elsewhere that is well within the errors
    told = capsys.readouterr().out
    assert "numpy 1.0 (here" in told
    assert "3 of 3 rows differ, all within their errors" in told

    bands().to_csv(found / "regret.csv", index=False)
    assert check.main(arguments) == 0  # identical elsewhere, too, and said so
    assert "identical to the bit" in capsys.readouterr().out

    (found / "regret.csv").unlink()
    assert check.main(arguments) == 1
    assert "missing" in capsys.readouterr().out
