"""Compiled code is the Python that is written there."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import rankone
from rankone.engine.compiled import entry, kernel
from rankone.simulation import load, names

HORIZON, RUNS = 600, 2
MATRIX = rankone.rank_one([0.9, 0.3, 0.2], [0.8, 0.3])
LINE = rankone.graph([0.1, 0.3, 0.8, 0.5], [(0, 1), (1, 2), (2, 3)])


def everything():
    """Short runs of every policy, plain and fast, on a matrix and, where it can, on a line."""
    found = {}
    for policy in names():
        for exact in ("plain", "fast"):
            for label, instance in (("matrix", MATRIX), ("line", LINE)):
                if not load(policy).supports(instance):
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


@kernel
def twice(x):
    return 2 * x


@kernel
def of_both(f, x, y):
    return f(x) + f(y)


@kernel
def makes_an_array(n):
    return np.zeros(n)[0]


def test_a_kernel_is_plain_python_to_python():
    assert twice("ab") == "abab"
    assert not twice.compiled.overloads


def test_kernels_call_each_other_and_take_functions():
    assert entry(lambda x, y: of_both(twice, x, y))(3, 4) == 14


def test_a_kernel_that_makes_an_array_is_refused():
    with pytest.raises(numba.core.errors.TypingError):
        entry(lambda n: makes_an_array(n))(3)
