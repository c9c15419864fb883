"""Draws of compiled code are NumPy's to the bit."""

import numpy as np
import pytest

from rankone.engine import draws, seeds
from rankone.engine.compiled import entry

ENTROPY = np.arange(6, dtype=np.uint32)


def source(run=0):
    made = draws.Source()
    made.words[:] = made.arranged(seeds.starts(ENTROPY, run, 1))[0]
    made.halves[0] = 0
    return made


def many(rng, drawn, a, b, p):
    """One row after the other, a column for each kind of number."""
    for i in range(len(drawn)):
        drawn[i, 0] = rng.random()
        drawn[i, 1] = rng.beta(a, b)
        drawn[i, 2] = rng.standard_exponential()
        drawn[i, 3] = rng.binomial(i * i, p)
        drawn[i, 4] = rng.standard_normal()
        drawn[i, 5] = rng.integers(0, 10)


compiled = entry(many)


@entry
def betas(rng, a, b, out):
    for i in range(len(out)):
        out[i] = rng.beta(a, b=b)


@entry
def normals(rng, out):
    for i in range(len(out)):
        out[i] = rng.standard_normal()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1.0, 1.0),
        (0.1, 0.3),
        (1e-4, 2e-4),  # powers that are 0 in a double: by their logarithms
        (3e-103, 1e-102),
        (1e-200, 1e-180),  # for which Numba's own method never returns
        (1.0, 2.0),
        (3.0, 0.01),
        (1.0000001, 1.0),
        (50.0, 900.0),
        (1e15, 2.0),
    ],
)
def test_beta_numbers_of_any_counts_are_those_of_numpy(a, b):
    rng, ours, found = seeds.generator(ENTROPY, 2), source(2), np.empty(20_000)
    betas(ours, a, b, found)
    np.testing.assert_array_equal(found, rng.beta(a, b, len(found)))
    assert ours.generator.random() == rng.random()


def test_normal_numbers_are_those_of_numpy_in_the_tail_too():
    rng, ours, found = seeds.generator(ENTROPY, 4), source(4), np.empty(200_000)
    normals(ours, found)
    np.testing.assert_array_equal(found, rng.standard_normal(len(found)))
    assert np.abs(found).max() > 3.6541528853610088  # where the tail begins


@pytest.mark.parametrize(("a", "b", "p"), [(0.3, 0.7, 0.01), (5.0, 1.0, 0.5), (40.0, 3.5, 0.97)])
def test_compiled_draws_are_those_of_numpy(a, b, p):
    """Each of them to its last bit; some are Numba's own, and some leave half a word over."""
    rng, numpys = seeds.generator(ENTROPY, 3), np.empty((3000, 6))
    many(rng, numpys, a, b, p)
    ours, drawn = source(3), np.empty((3000, 6))
    compiled(ours, drawn, a, b, p)
    np.testing.assert_array_equal(drawn, numpys)
    assert ours.generator.random() == rng.random()
