"""One random generator for each run, keyed by what the run is, never by when or where it is played.

The generators are NumPy's PCG64 seeded by NumPy's SeedSequence. `starts` computes the same for many
runs at once, in a small part of the time that NumPy takes to make an object for each of them.
"""

import hashlib

import numpy as np

from rankone.instances import Instance

# The constants of SeedSequence (numpy/random/bit_generator.pyx) and of PCG64 (pcg64.h).
INIT_A, MULTIPLIER_A = 0x43B0D7E5, 0x931E8875
INIT_B, MULTIPLIER_B = 0x8B51F9DD, 0x58F38DED
MIX_LEFT, MIX_RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
PCG_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
POOL = 4  # words of 32 bits
SHIFT = np.uint32(16)


def stream(seed: int, instance: Instance, policy: str) -> np.ndarray:
    """The entropy shared by all runs of a policy (its parameters spelled out) on an instance."""
    digest = hashlib.sha256(policy.encode() + b"\0" + instance.content).digest()
    words = np.frombuffer(digest[:16], dtype="<u4").astype(np.uint32)
    return np.concatenate([_words(seed), words])


def generator(entropy: np.ndarray, run: int) -> np.random.Generator:
    """The generator of one run: adding policies, instances, batches or cores changes no other."""
    sequence = np.random.SeedSequence(np.concatenate([entropy, _words(run)]))
    return np.random.Generator(np.random.PCG64(sequence))


def starts(entropy: np.ndarray, first: int, runs: int) -> np.ndarray:
    """The states of the generators of many runs: (runs, 4) words of 64 bits.

    The columns are the high and low word of PCG64's state, then those of its increment.
    """
    numbers = np.arange(first, first + runs, dtype=np.uint64)
    low, high = numbers.astype(np.uint32), (numbers >> np.uint64(32)).astype(np.uint32)
    words = _generate(_mix([*(entropy[i : i + 1] for i in range(len(entropy))), low, high]))
    found = np.empty((runs, 4), dtype=np.uint64)
    for i, (a, b, c, d) in enumerate(words.tolist()):
        increment = ((c << 64 | d) << 1 | 1) % 2**128
        state = ((increment + (a << 64 | b)) * PCG_MULTIPLIER + increment) % 2**128
        found[i] = state >> 64, state % 2**64, increment >> 64, increment % 2**64
    return found


def _words(number: int) -> np.ndarray:
    """A number below 2^64 as two words: NumPy takes words much faster than it takes numbers."""
    return np.array([number & 0xFFFFFFFF, number >> 32], dtype=np.uint32)


class _Hash:
    """SeedSequence's hash of words, whose constant changes with every use."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self._constant, self._multiplier = constant, multiplier

    def __call__(self, words: np.ndarray) -> np.ndarray:
        words = words ^ np.uint32(self._constant)
        self._constant = self._constant * self._multiplier % 2**32
        words = words * np.uint32(self._constant)
        return words ^ (words >> SHIFT)


def _mix(entropy: list[np.ndarray]) -> list[np.ndarray]:
    """SeedSequence's pool of words after all entropy is mixed in."""
    scramble = _Hash(INIT_A, MULTIPLIER_A)
    pool = [scramble(words) for words in entropy[:POOL]]

    def mix(words: np.ndarray, more: np.ndarray) -> np.ndarray:
        mixed: np.ndarray = MIX_LEFT * words - MIX_RIGHT * more
        return np.asarray(mixed ^ (mixed >> SHIFT))

    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = mix(pool[target], scramble(pool[source]))
    for words in entropy[POOL:]:
        for target in range(POOL):
            pool[target] = mix(pool[target], scramble(words))
    return pool


def _generate(pool: list[np.ndarray]) -> np.ndarray:
    """What SeedSequence.generate_state(4, np.uint64) gives: one row per run."""
    scramble = _Hash(INIT_B, MULTIPLIER_B)
    halves = [scramble(pool[i % POOL]).astype(np.uint64) for i in range(8)]
    words = [halves[i] | halves[i + 1] << np.uint64(32) for i in range(0, 8, 2)]
    return np.stack(words, axis=1)
