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


def played(policy):
    """Short runs of a policy, plain and fast, on a matrix and, where it can, on a line."""
    found = {}
    for exact in ("plain", "fast"):
        for label, instance in (("matrix", MATRIX), ("line", LINE)):
            if not load(policy).supports(instance):
                runs = rankone.simulate(policy, instance, HORIZON, RUNS, seed=4, exact=exact)
                found[f"{policy} {exact} {label} regret"] = runs.regret
                found[f"{policy} {exact} {label} pulls"] = runs.pulls
    return found


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """What one process without the JIT gives: all kernels are also plain Python."""
    out = tmp_path_factory.mktemp("python") / "runs.npz"
    script = (
        "import sys, numpy, test_compiled as test; "
        "found = [test.played(policy).items() for policy in test.names()]; "
        "numpy.savez(sys.argv[1], **{name: runs for one in found for name, runs in one})"
    )
    subprocess.run(
        [sys.executable, "-c", script, out],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parent,
        check=True,
    )
    with np.load(out) as stored:
        return dict(stored)


@pytest.mark.parametrize("policy", names())
def test_python_gives_the_bits_of_the_compiled_code(policy, python):
    compiled = played(policy)
    assert sorted(name for name in python if name.split()[0] == policy) == sorted(compiled)
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
