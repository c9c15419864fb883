"""What a policy has seen of its arms."""

from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel


class Counts(NamedTuple):
    """Per arm: pulls N_k, wins S_k and the empirical mean, 0 before the first pull."""

    pulls: np.ndarray
    wins: np.ndarray
    means: np.ndarray


def no_counts(arms):
    """The counts before the first round."""
    return Counts(np.zeros(arms, np.int64), np.zeros(arms, np.int64), np.zeros(arms))


@kernel
def record(counts, arm, rounds, wins):
    """Add rounds pulls of an arm, of which wins gave a reward."""
    counts.pulls[arm] += rounds
    counts.wins[arm] += wins
    counts.means[arm] = counts.wins[arm] / counts.pulls[arm]
