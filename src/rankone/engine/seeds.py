"""One random generator a run, keyed by what the run is and never by when or where it is made."""

import hashlib

import numpy as np

from rankone.instances import Instance


def stream(seed: int, instance: Instance, policy: str) -> np.ndarray:
    """The entropy shared by all runs of a policy (its parameters spelled out) on an instance."""
    digest = hashlib.sha256(policy.encode() + b"\0" + instance.content).digest()
    words = np.frombuffer(digest[:16], dtype="<u4").astype(np.uint32)
    return np.concatenate([_words(seed), words])


def generator(entropy: np.ndarray, run: int) -> np.random.Generator:
    """The generator of one run: adding policies, instances, batches or cores changes no other."""
    return np.random.Generator(_source(entropy, run))


def restart(rng: np.random.Generator, entropy: np.ndarray, run: int) -> None:
    """Turn a generator into that of another run; Numba takes a known one three times faster."""
    rng.bit_generator.state = _source(entropy, run).state


def _source(entropy: np.ndarray, run: int) -> np.random.PCG64:
    return np.random.PCG64(np.random.SeedSequence(np.concatenate([entropy, _words(run)])))


def _words(number: int) -> np.ndarray:
    """A number below 2^64 as two words: NumPy takes words much faster than it takes numbers."""
    return np.array([number & 0xFFFFFFFF, number >> 32], dtype=np.uint32)
