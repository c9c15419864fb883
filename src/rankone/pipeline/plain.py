"""The policies of a campaign round by round, a few short runs of each, for `snakemake check`."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from rankone.pipeline.campaigns import build
from rankone.pipeline.pulls import of_cell
from rankone.simulation import simulate
from rankone.stats import bands

HORIZON, RUNS = 1000, 10


def table(
    policies: Iterable[Mapping[str, Any]], instance: Mapping[str, Any], seed: int
) -> pd.DataFrame:
    """The bands of each policy, and a digest of its runs."""
    bandit, frames = build(instance), []
    for policy in policies:
        options = {"seed": seed, "exact": "plain", **policy["parameters"]}
        runs = simulate(policy["policy"], bandit, HORIZON, RUNS, **options)
        frame = bands.of(runs)
        frame.insert(0, "policy", policy["name"])
        frame["digest"] = of_cell(bandit.gaps, [runs])[0]["digest"]
        frames.append(frame)
    found = pd.concat(frames, ignore_index=True)
    found.insert(0, "instance", instance["name"])
    return found
