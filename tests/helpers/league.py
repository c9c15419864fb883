"""The cases of a small league, made up."""

import numpy as np
import pandas as pd

GROUPS = ["square", "line", "random", "random", "random"]


def rows(policy, means, plays=True):
    return pd.DataFrame(
        {
            "group": GROUPS,
            "case": range(5),
            "policy": policy,
            "label": policy,
            "plays": [not np.isnan(mean) and plays for mean in means],
            "runs": 10,
            "mean": means,
            "se": 1.0,
            "bound": 5.0,
            "cpu_ms": 2.0,
            "t": 100,
        }
    )


CASES = pd.concat(
    [
        rows("good", [10.0, 20.0, 1.0, 2.0, 6.0]),
        rows("fair", [20.0, 10.0, 3.0, 4.0, 5.0]),
        rows("few", [40.0, np.nan, 9.0, 9.0, 9.0]),
    ],
    ignore_index=True,
)
