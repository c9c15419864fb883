"""Made-up bands with the shape of real ones, for the tests of figures and tables."""

from collections.abc import Mapping

import numpy as np
import pandas as pd


def times(horizon: int) -> np.ndarray:
    grid = np.concatenate([np.geomspace(1, horizon, 110), np.linspace(1, horizon, 100)])
    powers = 10 ** np.arange(int(np.log10(horizon)) + 1)
    return np.unique(np.concatenate([grid.round().astype(np.int64), powers, [horizon]]))


def bands(
    finals: Mapping[tuple[str, str], tuple[float, float]], horizon: int, runs: int = 100
) -> pd.DataFrame:
    """Logarithmic curves: (instance, policy) -> (final mean, standard deviation over runs)."""
    t = times(horizon)
    shape = np.log1p(t / 15) / np.log1p(horizon / 15)
    frames = []
    for (instance, policy), (final, deviation) in finals.items():
        mean, sd = final * shape, deviation * np.sqrt(shape)
        columns = {
            "instance": instance,
            "policy": policy,
            "t": t,
            "runs": runs,
            "mean": mean,
            "se": sd / np.sqrt(runs),
            "p10": np.maximum(0, mean - 1.28 * sd),
            "p50": mean,
            "p90": mean + 1.28 * sd,
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
