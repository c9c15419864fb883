"""Checks of the parameters that several policies have."""

import math
from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def leader_period(gamma: Any) -> float:
    """Check gamma: every how many leads the leader is forced; 0 stands for "degree"."""
    if gamma == "degree":
        return 0.0
    number = float(gamma) if is_number(gamma) else 0.0
    if not (number >= 2 and (number == math.inf or number.is_integer())):
        raise ValueError(
            f"gamma is {gamma!r}; allowed: a whole number of at least 2, inf or 'degree'."
        )
    return number


def not_negative(name: str, value: Any) -> float:
    if not is_number(value) or not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value!r}; allowed: a number of at least 0.")
    return float(value)


def truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):  # "no" would be true
        raise ValueError(f"{name} is {value!r}; allowed: True or False.")
    return value
