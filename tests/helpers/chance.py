"""Tests that chance could fail on sound code: their levels, their seeds, and a record of both.

Each p-value is held against a level; by Bonferroni's inequality the sum of the levels bounds the
chance that the suite fails on sound code with fresh seeds. tests/statistics/run.py adds them up,
and runs these tests with other seeds (SHIFT). In `make test` seeds are fixed: a verdict changes
with the code only.
"""

import json
import math
import os
from typing import Any

import numpy as np
from scipy import stats

LEVEL = 1e-7  # of a p-value, unless a test needs another one for its power
SHIFT = int(os.environ.get("RANKONE_SEED_SHIFT", "0"))
LOG = os.environ.get("RANKONE_CHANCE_LOG")


def seed(usual: int) -> int:
    """The usual seed, or another one where SHIFT asks for it."""
    return usual + 1_000_003 * SHIFT


def assert_likely(p: Any, level: float = LEVEL, effect: float = math.nan) -> None:
    """One p-value, or an array of them, each held against the level.

    `effect` is the smallest one that is seen with probability 0.9, in standard deviations, or as a
    share of what is compared: for the record.
    """
    for value in np.ravel(p).tolist():
        if LOG:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
            line = {"test": test, "p": value, "level": level, "effect": effect}
            with open(LOG, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        assert value > level, f"p = {value:.2g}, level {level:.2g}"


def assert_normal(z: Any, level: float = LEVEL) -> None:
    """Deviations in standard errors, both sides."""
    assert_likely(2 * stats.norm.sf(np.abs(z)), level)


def assert_same_law(one: np.ndarray, other: np.ndarray, level: float = LEVEL) -> None:
    """Two samples have the same mean (Welch) and the same law (Kolmogorov and Smirnov)."""
    seen = stats.norm.isf(level / 2) + stats.norm.isf(0.1)
    effect = seen * math.sqrt(1 / len(one) + 1 / len(other))
    for p in p_values(one, other):
        assert_likely(p, level, effect)


def p_values(one: np.ndarray, other: np.ndarray) -> list[float]:
    """Of the means (Welch), and of the laws; none where both samples are one and the same number.

    An arm that hardly ever is pulled gives samples with a few numbers other than one, for which
    Welch's p-value is no probability: it counts where both samples have some spread.
    """
    if np.ptp(np.concatenate([one, other])) == 0:
        return []
    found = [float(stats.ks_2samp(one, other, method="asymp").pvalue)]
    if all(np.sum(sample != np.median(sample)) >= 30 for sample in (one, other)):
        found.append(float(stats.ttest_ind(one, other, equal_var=False).pvalue))
    return found
