"""Break the fast policies one piece at a time and print how far off frozen counts show them to be.

Run with NUMBA_DISABLE_JIT=1: only as Python does a function notice that another one was replaced.
"""

import contextlib
import json
import math
from unittest import mock

import numpy as np
from helpers.frozen import STATES, frozen_deviations

from rankone.fast import posterior_flags as flags
from rankone.fast import sampling_engines as engines


def low_bounds():
    sound = flags._rate
    return mock.patch.object(flags, "_rate", lambda *given: 0.9 * sound(*given))


def no_fall():
    return mock.patch.object(flags, "_fall", lambda window, counts, rng: window.level[0])


def no_forced_rounds():
    return mock.patch.object(engines, "nth_sampling_round", lambda n, leads, period, residue: n)


def first_of_the_tied():
    return mock.patch.object(
        engines, "leader_of", lambda ranking, means, rng: int(np.argmax(means))
    )


ERRORS = {
    "nothing": (contextlib.nullcontext, "mature", 2, 2000),
    "bound 10 % too low": (low_bounds, "10^12 pulls", math.inf, 12_000),
    "fall of the reference": (no_fall, "reference with few pulls", math.inf, 300),
    "forced rounds": (no_forced_rounds, "mature", 5, 4000),
    "first of the tied": (first_of_the_tied, "two leaders", 2, 2000),
}

if __name__ == "__main__":
    worst = {}
    for name, (error, state, gamma, rare) in ERRORS.items():
        with error():
            z, *_ = frozen_deviations(STATES[state]._replace(rare=rare), gamma)
        worst[name] = float(np.abs(z).max())
    print(json.dumps(worst))
