"""The public function: shapes, types, checkpoints, and one sentence for each mistake."""

import math

import numpy as np
import pytest

import rankone
from rankone import simulation
from rankone.simulation import default_checkpoints

SMALL = rankone.rank_one(u=[0.75, 0.25, 0.25], v=[0.6, 0.3])
LINE = rankone.graph([0.2, 0.5, 0.9, 0.4], [(0, 1), (1, 2), (2, 3)])


def test_the_call_of_the_design():
    runs = rankone.simulate("uts", SMALL, horizon=3000, runs=7, seed=1, gamma=2)
    count = len(runs.checkpoints)
    assert runs.checkpoints.dtype == np.int64
    assert runs.regret.dtype == np.float64
    assert runs.pulls.dtype == np.int64
    assert runs.regret.shape == (7, count)
    assert runs.pulls.shape == (7, SMALL.arms)
    assert runs.checkpoints[-1] == 3000
    assert len(runs) == 7


@pytest.mark.parametrize("exact", ["fast", "plain"])
def test_regret_and_pulls_agree(exact):
    runs = rankone.simulate("uts", SMALL, 2000, 5, exact=exact)
    assert np.all(runs.pulls.sum(axis=1) == 2000)
    np.testing.assert_allclose(runs.regret[:, -1], runs.pulls @ SMALL.gaps, rtol=1e-12)
    assert np.all(np.diff(runs.regret, axis=1) >= 0.0)
    steps = np.diff(runs.checkpoints) * SMALL.gaps.max()
    assert np.all(np.diff(runs.regret, axis=1) <= steps + 1e-9)


def test_checkpoints_only_look():
    """Round by round, regret is the same whichever other rounds were recorded."""
    grids = ([900], [10, 90, 900], np.arange(1, 901))
    coarse, middle, every = (
        rankone.simulate("uts", SMALL, 900, 6, checkpoints=c, exact="plain").regret for c in grids
    )
    np.testing.assert_array_equal(coarse[:, -1], every[:, -1])
    np.testing.assert_array_equal(middle, every[:, [9, 89, 899]])


def test_the_horizon_is_always_recorded():
    runs = rankone.simulate("uts", SMALL, 100, 2, checkpoints=[10, 50])
    assert runs.checkpoints.tolist() == [10, 50, 100]


@pytest.mark.parametrize("horizon", [1, 2, 9, 10, 99, 100, 1000, 12_345, 300_000, 10**6, 10**12])
def test_default_checkpoints(horizon):
    grid = default_checkpoints(horizon)
    assert grid.dtype == np.int64
    assert grid[0] == 1
    assert grid[-1] == horizon
    assert np.all(np.diff(grid) > 0)
    round_numbers = {d * 10**e for d in (1, 2, 5) for e in range(13) if d * 10**e <= horizon}
    assert round_numbers <= set(grid.tolist())
    if horizon >= 1000:
        ratios = grid[1:][grid[1:] > 20] / grid[:-1][grid[1:] > 20]
        assert ratios.max() < 1.17  # smooth on a log axis
        assert np.diff(grid).max() <= 0.012 * horizon + 1  # and on a linear one
        assert len(grid) <= 100 + 20 * (math.ceil(math.log10(horizon)) + 1)  # pipeline/costs.py


def test_default_checkpoints_are_round():
    """Where the horizon is: at most three digits before the zeros, and none of them by rounding."""
    for horizon in (300_000, 2_000_000, 10**12, 10**18):
        assert all(len(str(t).rstrip("0")) <= 3 for t in default_checkpoints(horizon).tolist())
    assert {123_000, 150_000, 297_000} <= set(default_checkpoints(300_000).tolist())


def test_whole_numbers_may_be_floats():
    one = rankone.simulate("uts", SMALL, 1e2, 3.0, 1.0, first_run=1.0)
    other = rankone.simulate("uts", SMALL, 100, np.int64(3), 1, first_run=1)
    np.testing.assert_array_equal(one.regret, other.regret)


@pytest.mark.parametrize("policy", ["uts", "osub", "kl_ucb", "ucb1", "ts"])
def test_plays_on_a_graph(policy):
    runs = rankone.simulate(policy, LINE, 500, 3)
    assert np.all(runs.pulls.sum(axis=1) == 500)


@pytest.mark.parametrize("policy", ["rank1elim", "rank1elim_kl"])
def test_says_why_it_cannot_play(policy):
    with pytest.raises(ValueError, match=rf"^{policy} cannot play .* rows and columns"):
        rankone.simulate(policy, LINE, 100, 1)


def test_numbers_of_numpy_are_numbers():
    one = rankone.simulate("osub", SMALL, 100, runs=2, gamma=5, c=2)
    other = rankone.simulate("osub", SMALL, 100, runs=2, gamma=np.int64(5), c=np.float32(2))
    np.testing.assert_array_equal(one.regret, other.regret)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"policy": "nope"}, ["policy", "'nope'", "uts", "kl_ucb"]),
        ({"exact": "slow"}, ["exact", "'slow'", "'fast' or 'plain'"]),
        ({"horizon": 0}, ["horizon", "0", "at least 1"]),
        ({"horizon": 2.5}, ["horizon", "2.5", "whole number"]),
        ({"horizon": math.nan}, ["horizon", "nan", "whole number"]),
        ({"horizon": math.inf}, ["horizon", "inf", "whole number"]),
        ({"horizon": "many"}, ["horizon", "'many'", "whole number"]),
        ({"horizon": 10**15 + 1}, ["horizon", str(10**15 + 1), "at most", str(10**15)]),
        ({"horizon": 1e20}, ["horizon", "1e+20", "at most", str(10**15)]),
        ({"runs": 0}, ["runs", "0", "at least 1"]),
        ({"seed": -1}, ["seed", "-1", "at least 0"]),
        ({"seed": 2**70}, ["seed", str(2**70)]),
        ({"first_run": -2}, ["first_run", "-2", "at least 0"]),
        ({"checkpoints": []}, ["checkpoints", "[]", "increasing"]),
        ({"checkpoints": [20, 10]}, ["checkpoints", "[20, 10]", "increasing"]),
        ({"checkpoints": [0, 10]}, ["checkpoints", "[0, 10]", "from 1"]),
        ({"checkpoints": [10, 200]}, ["checkpoints", "[10, 200]", "horizon 100"]),
        ({"checkpoints": [1.5, 20]}, ["checkpoints", "[1.5, 20]", "rounds"]),
        ({"gama": 2}, ["uts", "'gama'", "2", "gamma, warm_up"]),
        ({"gamma": 1}, ["gamma", "1", "at least 2", "inf", "'degree'"]),
        ({"gamma": 2.5}, ["gamma", "2.5", "whole number"]),
        ({"gamma": math.nan}, ["gamma", "nan"]),
        ({"gamma": "all"}, ["gamma", "'all'", "'degree'"]),
        ({"warm_up": "no"}, ["warm_up", "'no'", "True or False"]),
        ({"policy": "osub", "clock": "wall"}, ["clock", "'wall'", "'leader' or 'global'"]),
        ({"policy": "osub", "forced": 2}, ["forced", "2", "0 or 1"]),
        ({"policy": "kl_ucb", "c": -1}, ["c is", "-1", "at least 0"]),
        ({"policy": "kl_ucb", "width": math.inf}, ["width", "inf", "at least 0"]),
        ({"policy": "ucb1", "c": 1}, ["ucb1", "'c'", "none"]),
        ({"policy": "rank1elim_kl", "variant": "mine"}, ["variant", "'mine'", "released"]),
    ],
)
def test_a_mistake_is_one_sentence(change, words):
    call = {"policy": "uts", "instance": SMALL, "horizon": 100, "runs": 2, **change}
    with pytest.raises(ValueError, match=r"^[^\n]+\.$") as caught:
        rankone.simulate(**call)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "instance",
    [
        rankone.rank_one([0.5], [0.5]),
        rankone.graph([0.5, 0.9, 0.2], [(0, 1)], unimodal=False),  # arm 2 has no neighbours
        rankone.graph([0.5, 0.9], [], unimodal=False),
        rankone.rank_one([1.0, 0.0], [1.0, 0.0], unimodal=False),
        rankone.graph([0.0, 1.0, 0.0], [(0, 1), (1, 2)]),
    ],
    ids=["one arm", "isolated arm", "no edges", "sure and hopeless", "0 and 1 on a line"],
)
@pytest.mark.parametrize("exact", ["fast", "plain"])
def test_odd_instances_end_and_add_up(instance, exact):
    for policy in ("uts", "osub", "kl_ucb", "ucb1", "ts"):
        for parameters in ({}, {"gamma": "degree"}) if policy in ("uts", "osub") else ({},):
            runs = rankone.simulate(policy, instance, 3000, 3, exact=exact, **parameters)
            assert np.all(runs.pulls.sum(axis=1) == 3000)


def test_names_are_the_files_of_the_policies():
    assert {"uts", "osub", "kl_ucb", "ucb1", "ts", "rank1elim", "rank1elim_kl"} <= set(
        simulation.names()
    )
