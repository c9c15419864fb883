"""A simulation that was ended goes on where it was, to the bit, and never from another's note."""

import numpy as np
import pytest

import rankone
from rankone.engine import games, keeping

INSTANCE = rankone.rank_one([0.8, 0.7, 0.6], [0.9, 0.8])
GAME = {"policy": "ucb1", "instance": INSTANCE, "horizon": 4000, "runs": 12, "exact": "plain"}


class Interrupted(Exception):
    pass


@pytest.fixture(autouse=True)
def notes_at_once(monkeypatch):
    monkeypatch.setattr(keeping, "EVERY", 0.0)
    monkeypatch.setattr(games, "SLICE", 1e-4)  # many slices


def stopped_at(share):
    def progress(done):
        if done >= share:
            raise Interrupted

    return progress


def test_goes_on_where_it_was_to_the_bit(tmp_path):
    file, whole = tmp_path / "note", rankone.simulate(**GAME)
    for share in (0.2, 0.5, 0.8):
        with pytest.raises(Interrupted):
            rankone.simulate(**GAME, keep=file, progress=stopped_at(share))
        assert file.exists()
    shares = []
    found = rankone.simulate(**GAME, keep=file, progress=shares.append)
    assert shares[0] > 0.75  # it did not begin anew
    np.testing.assert_array_equal(found.regret, whole.regret)
    np.testing.assert_array_equal(found.pulls, whole.pulls)
    assert not file.exists()


@pytest.mark.parametrize(
    "change",
    [{"seed": 2}, {"policy": "ts"}, {"runs": 11}, {"first_run": 3}, {"exact": "fast"}],
    ids=str,
)
def test_a_note_of_other_runs_is_not_used(tmp_path, change):
    file = tmp_path / "note"
    with pytest.raises(Interrupted):
        rankone.simulate(**GAME, keep=file, progress=stopped_at(0.5))
    other = GAME | change
    found = rankone.simulate(**other, keep=file)
    np.testing.assert_array_equal(found.regret, rankone.simulate(**other).regret)


@pytest.mark.parametrize("damage", ["cut", "empty", "text"])
def test_a_damaged_note_is_ignored(tmp_path, damage):
    file = tmp_path / "note"
    with pytest.raises(Interrupted):
        rankone.simulate(**GAME, keep=file, progress=stopped_at(0.5))
    content = {"cut": file.read_bytes()[:-300], "empty": b"", "text": b"hello"}[damage]
    file.write_bytes(content)
    found = rankone.simulate(**GAME, keep=file)
    np.testing.assert_array_equal(found.regret, rankone.simulate(**GAME).regret)


def test_a_short_simulation_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "EVERY", 60.0)
    with pytest.raises(Interrupted):
        rankone.simulate(**GAME, keep=tmp_path / "note", progress=stopped_at(0.1))
    assert list(tmp_path.iterdir()) == []
