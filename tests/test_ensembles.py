"""Ensembles of instances, ties by first index, and the pictures of both."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rankone.instances import rank_one
from rankone.paper import ensembles
from rankone.paper import tie_breaking as ties
from rankone.show import pictures, style
from rankone.simulation import Runs
from rankone.stats import slopes

POLICIES = [{"name": "a", "label": "A"}, {"name": "b", "label": "B"}]
PANELS = [
    {"name": "x", "label": "X", "size": 2, "bound": 9.0, "unimodal": 7.0, "lai_robbins": 15.0},
    {"name": "y", "label": "Y", "size": 4, "bound": 20.0, "unimodal": 17.0, "lai_robbins": 60.0},
]


def drawn(figure: object, folder: Path) -> bool:
    style.save(figure, [folder / "picture.png"])  # type: ignore[arg-type]
    return (folder / "picture.png").stat().st_size > 5000


def test_random_matrices_are_the_same_for_the_same_seed() -> None:
    shapes = [[1, 1], [5, 2]]
    one, two = (ensembles.beta(3, 1, sides=[4, 3], shapes=shapes) for _ in range(2))
    assert [case.group for case in one] == ["Beta(1, 1)"] * 3 + ["Beta(5, 2)"] * 3
    for left, right in zip(one, two, strict=True):
        assert np.array_equal(left.instance.means, right.instance.means)
    assert one[0].instance.shape == (4, 3)
    assert not np.array_equal(one[0].instance.means, one[1].instance.means)


def test_no_noise_is_the_matrix_itself_and_more_noise_goes_the_same_way() -> None:
    side = [0.75, 0.25]
    still, *moved = ensembles.perturbed(2, 1, u=side, v=side, noises=[0, 0.01, 0.02])
    means = np.outer(side, side).ravel()
    assert np.array_equal(still.instance.means, means)
    assert moved[2].instance.means - means == pytest.approx(2 * (moved[0].instance.means - means))
    assert np.abs(moved[3].instance.means - means).max() <= 0.02


def test_zeros_come_in_both_vectors() -> None:
    cases = ensembles.zeros(first=0.75, rest=0.25, size=3, most=2)
    assert [case.group for case in cases] == ["0", "1", "2"]
    assert [int((case.instance.means == 0).sum()) for case in cases] == [0, 5, 8]


def test_a_policy_on_all_cases() -> None:
    cases = ensembles.zeros(first=0.75, rest=0.25, size=2, most=1)
    policy = {"name": "u", "label": "U", "policy": "ucb1"}
    table = ensembles.play(cases, policy, horizon=200, runs=5, seed=1)
    assert table["unimodal"].tolist() == [True, False]
    assert (table["mean"] > 0).all()
    assert table["share"].iloc[0] == pytest.approx(
        table["mean"].iloc[0] / (2 * 0.375 / 0.2969796 * np.log(200)), rel=1e-5
    )


def test_turning_a_matrix_puts_the_best_arm_last() -> None:
    instance = rank_one([0.75, 0.25], [0.6, 0.3, 0.1])
    assert ties.turned(instance).best == 5
    assert np.array_equal(ties.turned(ties.turned(instance)).means, instance.means)


@pytest.mark.slow
def test_first_index_favours_an_arm_that_is_first() -> None:
    side = [0.75, 0.25, 0.25, 0.25]
    table = ties.study(rank_one(side, side), horizon=300, runs=400, seed=1)
    means = table.set_index(["best_arm", "ties", "warm_up"])["mean"]
    assert means["first", "first index", False] < means["last", "first index", False] - 8
    same = means["first", "random", False] - means["last", "random", False]
    assert abs(same) < 3


def test_slopes_by_decade() -> None:
    grid = np.array([10, 100, 1000, 10_000])
    rows = np.array([[0, 1, 3, 6], [0, 1, 5, 6]], dtype=float) * np.log(10)
    runs = Runs(grid, rows, np.zeros((2, 1), dtype=np.int64))
    table = slopes.decades([("x", "a", runs)], 0.99)
    assert table["t"].tolist() == [1000, 10_000]
    assert table["slope"].tolist() == pytest.approx([3, 2])
    assert (table["low"] < table["slope"]).all()


def test_the_pictures_are_drawn(tmp_path: Path) -> None:
    rows = [
        {
            "instance": i,
            "policy": p,
            "t": 100,
            "runs": 9,
            "mean": 50.0,
            "se": 1.0,
            "p10": 40,
            "p90": 60,
        }
        for i in ("x", "y")
        for p in ("a", "b")
    ]
    bands = pd.DataFrame(rows)
    assert drawn(pictures.scaling(bands, POLICIES, PANELS), tmp_path)
    assert drawn(pictures.sensitivity(bands, POLICIES, PANELS), tmp_path)
    decades = pd.DataFrame(
        [{"instance": i, "policy": p, "t": t, "slope": 7.0, "low": 6.0, "high": 8.0}
         for i in ("x", "y") for p in ("a", "b") for t in (10**5, 10**6)]
    )  # fmt: skip
    assert drawn(pictures.slopes(decades, POLICIES, PANELS), tmp_path)
    cases = pd.DataFrame(
        [{"group": g, "policy": p, "mean": m, "share": m}
         for g in "12" for p in ("a", "b") for m in (1.0, 2.0, 4.0)]
    )  # fmt: skip
    for name in pictures.ENSEMBLES:
        assert drawn(pictures.ensembles(cases, POLICIES, **pictures.ENSEMBLES[name]), tmp_path)
