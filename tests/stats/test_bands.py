"""Bands worked out by hand."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rankone.runs import Batches, Runs, save
from rankone.stats import bands


def made(*rows: list[float], checkpoints: tuple[int, ...] = (1, 10)) -> Runs:
    return Runs(np.array(checkpoints), np.array(rows), np.zeros((len(rows), 2), dtype=np.int64))


def test_bands_by_hand() -> None:
    # at t = 10 the regrets are 0, 2, 4, 6, 8: mean 4, variance 10, percentiles on the line 0 to 8
    table = bands.of(made([1.0, 8.0], [1.0, 0.0], [1.0, 4.0], [1.0, 2.0], [1.0, 6.0]))
    assert table.columns.tolist() == ["t", "runs", "mean", "se", "p10", "p50", "p90"]
    assert table["t"].tolist() == [1, 10]
    assert table["runs"].tolist() == [5, 5]
    assert table.loc[0, ["mean", "se", "p10", "p50", "p90"]].tolist() == [1, 0, 1, 1, 1]
    assert table.loc[1, "mean"] == 4
    assert table.loc[1, "se"] == pytest.approx(np.sqrt(10 / 5), rel=1e-15)
    assert table.loc[1, ["p10", "p50", "p90"]].tolist() == pytest.approx([0.8, 4.0, 7.2])


def test_one_run_has_no_standard_error() -> None:
    table = bands.of(made([1.0, 3.0]))
    assert table["mean"].tolist() == [1, 3]
    assert table["se"].isna().all()


def test_a_table_holds_every_cell_in_its_order() -> None:
    cells = [("K8", "uts", made([1.0, 2.0])), ("K4", "ts", made([3.0, 4.0]))]
    table = bands.table(iter(cells))
    assert table.columns.tolist()[:3] == ["instance", "policy", "t"]
    assert table["instance"].tolist() == ["K8", "K8", "K4", "K4"]
    assert bands.curve(table, "K4", "ts")["mean"].tolist() == [3, 4]
    assert bands.final(table, "K8", "uts")["mean"] == 2


@pytest.mark.parametrize(
    ("instance", "policy", "words"),
    [("K5", "uts", "no instance 'K5'; they hold: K4"), ("K4", "x", "no policy 'x'; they hold: ts")],
)
def test_a_cell_that_is_not_there_is_named(instance: str, policy: str, words: str) -> None:
    table = bands.table([("K4", "ts", made([3.0, 4.0]))])
    with pytest.raises(ValueError, match=words):
        bands.curve(table, instance, policy)


def test_curves_are_in_time_order() -> None:
    rows = bands.table([("K4", "ts", made([3.0, 4.0]))])
    mixed = pd.concat([rows.iloc[[1]], rows.iloc[[0]]])
    assert bands.curve(mixed, "K4", "ts")["t"].tolist() == [1, 10]


def cut(regret: np.ndarray, ends: list[int]) -> list[Runs]:
    """The same runs in batches that end before the given ones."""
    checkpoints = np.arange(1, regret.shape[1] + 1)
    parts = zip([0, *ends], [*ends, len(regret)], strict=True)
    return [
        Runs(checkpoints, regret[a:b], np.zeros((b - a, 1), dtype=np.int64), first_run=a)
        for a, b in parts
    ]


def drawn(kind: str, count: int, columns: int) -> np.ndarray:
    rng = np.random.default_rng(len(kind) + count)
    regret = rng.gamma(2.0, 30.0, (count, columns))
    if kind == "tied":  # early in a run the regret has few values
        regret = np.round(regret / 20) * 0.375
    elif kind == "equal":
        regret[:] = 1.125
    elif kind == "far":  # most within a trillionth of the range
        regret[:, 0] = 1e-9 * rng.random(count)
        regret[0, 0] = 1e12
    elif kind == "close":  # neighbours among floating-point numbers
        regret = 1.0 + np.spacing(1.0) * rng.integers(0, 5, (count, columns))
    return regret


@pytest.mark.parametrize("kind", ["smooth", "tied", "equal", "far", "close"])
@pytest.mark.parametrize("count", [2, 3, 11, 997, 20_001])
@pytest.mark.parametrize("columns", [1, 2, 9])
def test_bands_of_batches_are_those_of_numpy_to_the_bit(
    kind: str, count: int, columns: int
) -> None:
    regret = drawn(kind, count, columns)
    if columns > 1:  # a single column NumPy adds up pairwise
        whole = {"mean": regret.mean(axis=0)}
        whole["se"] = regret.std(axis=0, ddof=1) / np.sqrt(count)
    else:
        whole = {"mean": np.add.accumulate(regret, axis=0)[-1] / count}
    whole |= {f"p{p}": np.percentile(regret, p, axis=0) for p in (10, 50, 90)}
    one = bands.of(cut(regret, [])[0])
    for name, values in whole.items():
        np.testing.assert_array_equal(one[name].to_numpy(), values)
    batches = cut(regret, sorted({1, count // 3, count // 2, count - 1} - {0}))
    pd.testing.assert_frame_equal(bands.of(batches), one, check_exact=True)


def test_memory_does_not_grow_with_the_number_of_batches(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        regret = drawn("smooth", 2000, 20)
        files = [tmp_path / f"{number}.npz" for number in range(count)]
        for number, file in enumerate(files):
            save(replace(cut(regret, [])[0], first_run=2000 * number), file)
        tracemalloc.start()
        table = bands.of(Batches(files))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert table["runs"].tolist() == [2000 * count] * 20
        return most

    # a batch has 320 kB: thirty more of them would be seen
    assert peak(40) < peak(10) + 320_000
