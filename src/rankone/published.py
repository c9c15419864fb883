"""The numbers printed in, or read off, the published figures and tables."""

from importlib import resources

import pandas as pd


def load() -> pd.DataFrame:
    """One row a published number.

    Columns: source, experiment, K, L, t, runs, policy, statistic, value, error. `error` is
    the reading error of a picture or the printed +/-; K and L are missing on a graph.
    """
    with resources.files("rankone").joinpath("data/published.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype={"K": "Int64", "L": "Int64"})
