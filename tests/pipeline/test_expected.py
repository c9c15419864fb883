"""The comparison behind `snakemake check`: what it lets pass and what it does not."""

import json

import numpy as np
import pandas as pd
import pytest

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


def test_the_command_says_what_differs(tmp_path, capsys) -> None:
    found = tmp_path / "results" / "smoke" / "bands"
    found.mkdir(parents=True)
    bands().to_csv(found / "regret.csv", index=False)
    arguments = [str(tmp_path / "results"), str(tmp_path / "expected"), "smoke"]
    assert check.main([*arguments, "--renew"]) == 0
    assert check.main(arguments) == 0
    assert "regret.csv: 3 rows, identical to the bit." in capsys.readouterr().out

    bands(mean=50.0 + 1e-9).to_csv(found / "regret.csv", index=False)
    assert check.main(arguments) == 1
    assert "3 of 3 rows differ, 3 by more than they may" in capsys.readouterr().out

    platform = tmp_path / "expected" / "smoke" / "platform.json"
    platform.write_text(json.dumps(check.this_platform() | {"numpy": "1.0"}))
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
