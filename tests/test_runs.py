"""Runs are saved whole, read back to the bit, joined in order, refused where they do not fit."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import rankone
from rankone import runs

MATRIX = rankone.rank_one([0.9, 0.2], [0.8, 0.1])


def batch(first: int, count: int, **changes) -> runs.Runs:
    origin = {"policy": "uts", "parameters": {"gamma": 2}, "instance": "a1", "seed": 1}
    origin = runs.Origin(**(origin | {"exact": "fast"} | changes))
    regret = np.arange(first, first + count)[:, None] + np.array([0.25, 0.5])
    pulls = np.ones((count, 2), dtype=np.int64)
    return runs.Runs(np.array([1, 10]), regret, pulls, origin, first)


def test_what_was_saved_comes_back_with_what_it_is(tmp_path):
    made = rankone.simulate("uts", MATRIX, 50, 3, seed=4, first_run=2, gamma=3)
    path = tmp_path / "new" / "file.npz"
    runs.save(made, path)
    found = runs.load(path)
    for name in runs.ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(made, name))
    assert found.first_run == 2
    assert (found.origin.policy, found.origin.seed, found.origin.exact) == ("uts", 4, "fast")
    assert found.origin.parameters["gamma"] == 3
    assert found.origin.parameters["warm_up"] is True  # defaults are told, too
    assert found.origin.instance == MATRIX.digest
    assert {"rankone", "numba", "numpy", "python"} <= found.origin.versions.keys()
    assert [file.name for file in path.parent.iterdir()] == ["file.npz"]


def test_the_same_runs_are_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        runs.save(rankone.simulate("uts", MATRIX, 50, 3), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_joining_batches_in_any_order_changes_no_bit(tmp_path):
    whole = rankone.simulate("uts", MATRIX, 50, 7)
    files = []
    for first, end in itertools.pairwise([0, 1, 5, 7]):
        part = rankone.simulate("uts", MATRIX, 50, end - first, first_run=first)
        files.append(tmp_path / f"{first}.npz")
        runs.save(part, files[-1])
    joined = runs.read(reversed(files), policy="uts", seed=1, instance=MATRIX.digest)
    for name in runs.ARRAYS:
        np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name))


@pytest.mark.parametrize(
    ("batches", "words"),
    [
        ([batch(0, 2), batch(3, 2)], "begins with run 3; allowed: run 2"),
        ([batch(0, 2), batch(1, 2)], "begins with run 1; allowed: run 2"),
        ([batch(0, 2), batch(2, 2, seed=2)], "seed 1, instance a1 and of"),
        ([batch(0, 2), batch(2, 2, policy="ts")], r"uts\(gamma=2\).* and of ts\(gamma=2\)"),
        ([batch(0, 2), replace(batch(2, 2), checkpoints=np.array([1, 11]))], "checkpoints"),
    ],
)
def test_what_does_not_belong_together_is_not_joined(batches, words):
    with pytest.raises(ValueError, match=words):
        runs.join(batches)


def test_batches_can_be_gone_through_again_and_are_checked(tmp_path):
    files = [tmp_path / f"{name}.npz" for name in "cab"]
    for file, first in zip(files, (0, 2, 5), strict=True):
        runs.save(batch(first, {0: 2, 2: 3, 5: 1}[first]), file)
    found = runs.Batches(reversed(files), policy="uts", seed=1)
    for _ in range(2):
        assert [(part.first_run, len(part)) for part in found] == [(0, 2), (2, 3), (5, 1)]
    with pytest.raises(ValueError, match="begins with run 5; allowed: run 2"):
        list(runs.Batches([files[0], files[2]]))
    with pytest.raises(ValueError, match="has the policy 'uts'; allowed here: 'ts'"):
        list(runs.Batches(files, policy="ts"))


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({"policy": "ts"}, "the policy 'uts'; allowed here: 'ts'"),
        ({"seed": 9}, "the seed 1; allowed here: 9"),
        ({"instance": "b2"}, "the instance 'a1'; allowed here: 'b2'"),
        ({"parameters": {"gamma": 5}}, "the parameters .*2.*; allowed here: .*5"),
    ],
)
def test_a_file_of_other_runs_is_refused(tmp_path, expected, words):
    path = tmp_path / "file.npz"
    runs.save(batch(0, 2), path)
    assert len(runs.read([path], policy="uts", parameters={"gamma": 2.0}, seed=1)) == 2
    with pytest.raises(ValueError, match=words):
        runs.read([path], **expected)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text"])
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, damage):
    path = tmp_path / "file.npz"
    runs.save(batch(0, 50), path)
    content = bytearray(path.read_bytes())
    middle = len(content) // 3
    damaged = {
        "cut": content[:-100],
        "flipped": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
        "empty": b"",
        "text": b"t,regret\n",
    }
    path.write_bytes(bytes(damaged[damage]))
    with pytest.raises(ValueError, match=r"file.npz is not a whole file of runs; allowed: "):
        runs.load(path)


def test_the_regret_at_a_checkpoint():
    assert batch(0, 2).at(10).tolist() == [0.5, 1.5]
    with pytest.raises(ValueError, match="round 11 was not recorded"):
        batch(0, 2).at(11)


def test_as_a_table_and_in_a_line():
    table = replace(batch(0, 2), first_run=5).to_frame()
    assert table.values.tolist() == [[5, 1, 0.25], [5, 10, 0.5], [6, 1, 1.25], [6, 10, 1.5]]
    assert repr(batch(0, 2)) == ("<2 runs of 10 rounds, mean regret 1: uts(gamma=2), seed 1>")


def test_a_summary_at_powers_of_ten_and_the_horizon():
    made = rankone.simulate("uts", MATRIX, 2000, 20)
    table = made.summary()
    assert table.index.tolist() == [10, 100, 1000, 2000]
    last = made.at(2000)
    assert table.loc[2000, "mean"] == pytest.approx(last.mean())
    assert table.loc[2000, "se"] == pytest.approx(last.std(ddof=1) / np.sqrt(20))
    assert table.loc[2000, ["p10", "p50", "p90"]].tolist() == pytest.approx(
        np.percentile(last, [10, 50, 90]).tolist()
    )
    assert np.isnan(rankone.simulate("uts", MATRIX, 50, 1).summary()["se"]).all()
    page = made._repr_html_()
    assert "20 runs of 2,000 rounds" in page
    assert page.count("<tr") == 2 + 4


@pytest.mark.parametrize(
    "place",
    [MATRIX, rankone.graph([0.1, 0.5, 0.9], [(0, 1), (1, 2)]), rankone.tensor(*[[0.9, 0.2]] * 3)],
    ids=["matrix", "graph", "tensor"],
)
def test_a_file_of_runs_holds_its_instance(tmp_path, place):
    made = rankone.simulate("uts", place, 50, 3)
    made.save(tmp_path / "file.npz")
    found = rankone.Runs.load(tmp_path / "file.npz")
    assert found.instance.digest == place.digest
    np.testing.assert_array_equal(found.regret, made.regret)
    replace(made, instance=MATRIX, origin=replace(made.origin, instance="other")).save(
        tmp_path / "wrong.npz"
    )
    assert rankone.Runs.load(tmp_path / "wrong.npz").instance is None
