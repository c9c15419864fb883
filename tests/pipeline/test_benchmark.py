"""The benchmark measures what it says it does; how fast anything is, is not tested here."""

import math
import sys

import pytest

from rankone.pipeline import benchmark as bench


def test_a_cell_is_timed_fast_and_plain():
    row = bench.cell_times("ucb1", 2, 1000)
    assert (row["policy"], row["size"], row["horizon"]) == ("ucb1", 2, 1000)
    assert 0 < row["fast_ms"] < math.inf
    assert 0 < row["plain_ms"] < math.inf
    assert 0 < row["events"] < 1000


def test_a_plain_run_that_would_take_long_is_not_played(monkeypatch):
    monkeypatch.setattr(bench, "LONGEST", 0.0)
    assert math.isnan(bench.cell_times("ucb1", 2, 1000)["plain_ms"])


def test_a_command_is_charged_for_the_processes_it_starts(tmp_path):
    work = "b'x' * (3000 << 20); sum(range(3_000_000))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True)"
    used = bench._timed([sys.executable, "-c", child], str(tmp_path))
    idle = bench._timed([sys.executable, "-c", "pass"], str(tmp_path))
    assert used["largest_process_mb"] > 3000 > idle["largest_process_mb"]
    assert used["cpu_seconds"] > idle["cpu_seconds"] > 0


def test_a_command_that_fails_is_no_measurement(tmp_path):
    with pytest.raises(RuntimeError, match="broken"):
        bench._timed([sys.executable, "-c", "import sys; sys.exit('broken')"], str(tmp_path))


def test_the_horizons_at_one_size_and_the_sizes_at_one_horizon(monkeypatch):
    monkeypatch.setattr(
        bench, "cell_times", lambda policy, size, horizon: {"cell": (size, horizon)}
    )
    table = bench.policy_times("uts", [2, 4], [10, 3 * 10**5])
    assert table["cell"].tolist() == [(2, 3 * 10**5), (4, 10), (4, 3 * 10**5)]
