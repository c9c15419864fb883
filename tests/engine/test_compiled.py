"""Compiled code is the Python that is written there, and never that of yesterday."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankone
from rankone.simulation import names

HORIZON, RUNS = 600, 2
MATRIX = rankone.rank_one([0.9, 0.3, 0.2], [0.8, 0.3])
LINE = rankone.graph([0.1, 0.3, 0.8, 0.5], [(0, 1), (1, 2), (2, 3)])


def everything():
    """Short runs of every policy, plain and fast, on a matrix and, where it can, on a line."""
    found = {}
    for policy in names():
        for exact in ("plain", "fast"):
            for label, instance in (("matrix", MATRIX), ("line", LINE)):
                if label == "matrix" or not policy.startswith("rank1elim"):
                    runs = rankone.simulate(policy, instance, HORIZON, RUNS, seed=4, exact=exact)
                    found[f"{policy} {exact} {label} regret"] = runs.regret
                    found[f"{policy} {exact} {label} pulls"] = runs.pulls
    return found


def test_python_gives_the_bits_of_the_compiled_code(tmp_path):
    """One process without the JIT: the kernels are also plain Python, to be read and debugged."""
    out = tmp_path / "python.npz"
    script = (
        "import sys, numpy, test_compiled; numpy.savez(sys.argv[1], **test_compiled.everything())"
    )
    subprocess.run(
        [sys.executable, "-c", script, out],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parent,
        check=True,
    )
    compiled = everything()
    with np.load(out) as python:
        assert sorted(python) == sorted(compiled)
        for name, values in compiled.items():
            np.testing.assert_array_equal(python[name], values, err_msg=name)


@pytest.mark.slow
def test_an_edited_helper_is_never_answered_from_the_cache(tmp_path):
    """UCB1's own file stays as it is; the helper that picks the best arm now picks the worst."""
    shutil.copytree(Path(rankone.__file__).parent, tmp_path / "src" / "rankone")
    script = (
        "import rankone; print(rankone.simulate('ucb1', rankone.rank_one([0.9, 0.1], [0.9, 0.1]),"
        " 300, 1, exact='plain').pulls[0].tolist())"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "src"),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }

    def pulls():
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    def compiled():
        return sorted(path.name for path in (tmp_path / "cache").rglob("*.nbc"))

    first = pulls()
    kept = compiled()
    assert kept, "nothing was cached, so nothing could be stale"
    assert pulls() == first
    assert compiled() == kept, "the second process did not take what the first one had compiled"
    helper = tmp_path / "src" / "rankone" / "choose.py"
    text = helper.read_text()
    assert text.count("values[k] > best") == 1
    helper.write_text(text.replace("values[k] > best", "values[k] < best"))
    assert pulls() != first
    helper.write_text(text)
    assert pulls() == first
