"""The benchmark measures what it says it does; how fast anything is, is not tested here."""

import math
import sys

import pandas as pd
import pytest

from rankone.pipeline import benchmark as bench


def test_a_cell_is_timed_fast_and_plain():
    row = bench.cell_times("ucb1", 2, 1000)
    assert (row["policy"], row["size"], row["horizon"]) == ("ucb1", 2, 1000)
    assert 0 < row["fast_ms"] < math.inf
    assert 0 < row["plain_ms"] < math.inf


def test_a_plain_run_that_would_take_long_is_not_played(monkeypatch):
    monkeypatch.setattr(bench, "LONGEST", 0.0)
    assert math.isnan(bench.cell_times("ucb1", 2, 1000)["plain_ms"])


def test_a_command_is_charged_for_the_processes_it_starts(tmp_path):
    work = "b'x' * (800 << 20); sum(range(3_000_000))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True)"
    used = bench._timed([sys.executable, "-c", child], str(tmp_path))
    idle = bench._timed([sys.executable, "-c", "pass"], str(tmp_path))
    assert used["largest_process_mb"] > 800 > idle["largest_process_mb"]
    assert used["cpu_seconds"] > idle["cpu_seconds"] > 0


def test_a_command_that_fails_is_no_measurement(tmp_path):
    with pytest.raises(RuntimeError, match="broken"):
        bench._timed([sys.executable, "-c", "import sys; sys.exit('broken')"], str(tmp_path))


def test_tables_show_ratios_of_the_times():
    cells = [(4, 3 * 10**5, 0.5, 50.0), (16, 3 * 10**5, 2.0, 300.0), (4, 10**12, 1.0, math.nan)]
    names = ["size", "horizon", "fast_ms", "plain_ms"]
    times = pd.DataFrame(cells, columns=names).assign(policy="uts")
    line = bench.summary(times, {"uts": "UTS"}).iloc[0]
    assert line["K = 4: plain / fast"] == 100
    assert line["K = 16: plain / fast"] == 150
    assert line["K = 4, T = 1e12: fast (ms)"] == 1
    table = bench.speed(times, {"uts": "UTS"}).set_index(["K", "T"])
    assert table.loc[(16, 3 * 10**5), "Plain / fast"] == 150
    assert table.loc[(4, 10**12), "Fast (ns a round)"] == pytest.approx(1e-6)
