"""Files are whole or not there, and damage is seen."""

import subprocess

import numpy as np
import pytest

from rankone.engine import intact


def test_what_was_written_is_read(tmp_path):
    file = tmp_path / "bands" / "regret.csv"
    intact.write(file, "a,b\n1,é\n")
    assert intact.read(file) == "a,b\n1,é\n".encode()
    assert intact.table(file)["b"].tolist() == ["é"]
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == ["regret.csv"]


def test_the_checksum_is_one_for_sha256sum(tmp_path):
    intact.write(tmp_path / "x.json", b"[]")
    command = ["sha256sum", "-c", ".sha256/x.json.sha256"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize("damage", ["flip", "truncate", "empty", "more"])
def test_damage_is_seen(tmp_path, damage):
    file = tmp_path / "regret.csv"
    intact.write(file, "t,mean\n1,0.5\n")
    data = bytearray(file.read_bytes())
    if damage == "flip":
        data[9] ^= 1
    made = {"flip": data, "truncate": data[:-3], "empty": b"", "more": data + b"2,1\n"}[damage]
    file.write_bytes(made)
    with pytest.raises(intact.Damaged, match=r"^[^\n]+regret.csv is not what was written[^\n]+\.$"):
        intact.read(file)


def test_a_file_of_someone_else_has_no_checksum(tmp_path):
    (tmp_path / "mine.csv").write_text("a\n1\n")
    assert intact.table(tmp_path / "mine.csv")["a"].tolist() == [1]


def test_a_writer_that_is_stopped_leaves_the_old_file(tmp_path):
    file = tmp_path / "x"
    intact.write(file, "old")

    def write_half() -> None:
        with intact.whole(file) as target:
            target.write(b"half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert intact.read(file) == b"old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["x"]


def test_a_checksum_without_its_file_is_nothing(tmp_path):
    """As a kill between the two leaves it."""
    intact.write(tmp_path / "x", "old")
    (tmp_path / "x").unlink()
    with pytest.raises(FileNotFoundError):
        intact.read(tmp_path / "x")


@pytest.mark.parametrize("place", range(0, 600, 7))
def test_a_damaged_file_of_arrays_is_one_kind_of_error(tmp_path, place):
    """Whatever a flipped bit makes zipfile, zlib or NumPy say; or nothing changes."""
    file = tmp_path / "arrays.npz"
    np.savez_compressed(file, one=np.arange(30), other=np.array("word"))
    sound = bytearray(file.read_bytes())
    for bit in range(8):
        spoiled = sound.copy()
        spoiled[place % len(sound)] ^= 1 << bit
        file.write_bytes(spoiled)
        try:
            found = intact.arrays(file, lambda name: True)
        except intact.Damaged:
            continue
        np.testing.assert_array_equal(found["one"], np.arange(30))
        assert found["other"] == "word"


def test_arrays_by_name(tmp_path):
    file = tmp_path / "arrays.npz"
    np.savez(file, one=np.arange(3), other=np.zeros(2))
    assert list(intact.arrays(file, lambda name: name == "one")) == ["one"]
    with pytest.raises(FileNotFoundError):
        intact.arrays(tmp_path / "nothing.npz", lambda name: True)
    np.save(tmp_path / "one.npy", np.arange(3))
    with pytest.raises(intact.Damaged, match=r"one\.npy is not a whole file of arrays"):
        intact.arrays(tmp_path / "one.npy", lambda name: True)


def test_memory_that_is_not_there_is_no_damage(tmp_path, monkeypatch):
    file = tmp_path / "arrays.npz"
    np.savez(file, one=np.arange(3))

    def load(_):
        raise MemoryError

    monkeypatch.setattr(intact.np, "load", load)
    with pytest.raises(MemoryError):
        intact.arrays(file, lambda name: True)
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(intact.Damaged):
        intact.arrays(file, lambda name: True)
