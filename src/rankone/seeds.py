"""One random generator a run, keyed by what the run is and never by when or where it is made."""

import hashlib

import numpy as np

from rankone.instances import Instance


def stream(seed: int, instance: Instance, policy: str) -> tuple[int, ...]:
    """The key shared by all runs of a policy (with its parameters spelled out) on an instance."""
    digest = hashlib.sha256(policy.encode() + b"\0" + instance.content).digest()
    return (seed, *np.frombuffer(digest[:16], dtype="<u4").tolist())


def generator(key: tuple[int, ...], run: int) -> np.random.Generator:
    """The generator of one run: adding policies, instances, batches or cores changes no other."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((*key, run))))
