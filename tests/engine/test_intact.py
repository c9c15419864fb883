"""Files are whole or not there, and damage is seen."""

import subprocess

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
