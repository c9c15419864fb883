"""Checks of the parameters that several policies have."""

import math


def leader_period(gamma: float | str) -> float:
    """Check gamma: every how many leads the leader is forced; 0 stands for "degree"."""
    if gamma == "degree":
        return 0.0
    number = isinstance(gamma, int | float) and not isinstance(gamma, bool)
    if not number or gamma < 2 or (math.isfinite(gamma) and gamma != int(gamma)):
        raise ValueError(
            f"gamma is {gamma!r}; allowed: a whole number of at least 2, inf or 'degree'."
        )
    return float(gamma)


def not_negative(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value!r}; allowed: a number of at least 0.")
    return float(value)
