"""How a script of the workflow tells why it failed: in its log, foreseen failures in a sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

START = "from rankone.pipeline import jobs; jobs.log_to('log'); "


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "from rankone.engine import intact; intact.read('bands.csv')",
            "bands.csv is not what was written: its checksum is another one. Delete the file, and "
            "it is made again.\n",
        ),
        (
            "open('nowhere/x.csv')",
            "nowhere/x.csv cannot be read or written: No such file or directory.\n",
        ),
        (
            "import rankone; rankone.simulate('uts', rankone.rank_one([1], [1]), -1, 1)",
            "horizon is -1; allowed: a whole number of at least 1.\n",
        ),
    ],
)
def test_a_foreseen_failure_is_one_sentence(tmp_path: Path, code: str, told: str) -> None:
    (tmp_path / ".sha256").mkdir()
    (tmp_path / ".sha256/bands.csv.sha256").write_text("0" * 64)
    (tmp_path / "bands.csv").write_text("a,b\n")
    done = subprocess.run([sys.executable, "-c", START + code], cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert (tmp_path / "log").read_text() == told


def test_any_other_failure_has_its_traceback(tmp_path: Path) -> None:
    code = "import numpy as np; np.zeros(3).reshape(2, 2)"
    done = subprocess.run([sys.executable, "-c", START + code], cwd=tmp_path, check=False)
    assert done.returncode == 1
    log = (tmp_path / "log").read_text()
    assert log.startswith("Traceback")
    assert "cannot reshape array" in log
