"""Policies by declaration: a statement of what a policy is gives both of its engines.

`index_policy` takes an index and its exploration level, `beta_sampling` the prior of a posterior to
sample; `imed_policy` is IMED. All return the plain engine, which plays as papers write it and is
the definition, and the leaping one, which is equal in law (docs/exact-and-fast.md).
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.engine.parameters import is_number, shown
from rankone.fast import Engine, imed_engines, index_engines, sampling_engines
from rankone.fast.leader import Leader

__all__ = ["Declared", "Leader", "NoSettings", "beta_sampling", "imed_policy", "index_policy"]


@dataclass(frozen=True)
class Declared:
    """Both engines of a policy and, for an index policy, what they were made from."""

    plain: Engine
    fast: Engine
    index: Callable | None = None  # index(pulls, wins, level, settings)
    level: Callable | None = None  # level(t, settings)
    around_leader: bool = False  # its theory is that of one best arm


class NoSettings(NamedTuple):
    """The settings of a policy that has none."""

    leader: Leader = Leader()


def index_policy(
    index: Callable,
    level: Callable,
    *,
    around_leader: bool = False,
) -> Declared:
    """The policy that pulls the arm with the largest index(pulls, wins, level).

    Each arm once, then the largest index at level(t), t being the number of pulls made so far; with
    around_leader=True only the arms next to the leader compete, and the settings' field `leader`
    (a `Leader`) says when it is forced, and what t is: the pulls made so far, or the leads or the
    pulls of the leader. Both functions may take the settings as a last argument.

    The leaping engine is exact if the index rises (or stays) with the level and with the wins (near
    a mean of one it may fall again), falls (or stays) with the pulls at the same mean wins / pulls,
    and the level never falls with t.
    """
    index, level = with_settings(index, 3), with_settings(level, 1)
    if around_leader:
        return Declared(
            index_engines.plain_around_leader(index, level),
            index_engines.leaping_around_leader(index, level),
            *(index, level),
            around_leader=True,
        )
    return Declared(
        index_engines.plain_on_all_arms(index, level),
        index_engines.leaping_on_all_arms(index, level),
        *(index, level),
    )


def beta_sampling(
    prior: tuple[float, float] = (1.0, 1.0), *, around_leader: bool = False, warm_up: bool = False
) -> Declared:
    """The policy that pulls the arm with the largest sample of Beta(S_k + a, F_k + b).

    `prior` are a and b, any numbers above 0. On all arms, after each arm once with warm_up=True;
    with around_leader=True only the arms next to the leader compete, and the settings' field
    `leader` (a `Leader`) says when it is forced, and whether each arm is pulled once first.
    """
    counts = tuple(prior) if np.iterable(prior) else (prior,)
    if len(counts) != 2 or not all(is_number(count) and 0 < count < 1e300 for count in counts):
        raise ValueError(f"prior is {shown(prior)}; allowed: two numbers above 0.")
    a, b = (float(count) for count in counts)
    if around_leader:
        return Declared(
            sampling_engines.plain_around_leader(a, b),
            sampling_engines.leaping_around_leader(a, b),
            around_leader=True,
        )
    return Declared(
        sampling_engines.plain_on_all_arms(a, b, warm_up),
        sampling_engines.leaping_on_all_arms(a, b, warm_up),
    )


def imed_policy(*, around_leader: bool = False) -> Declared:
    """The policy that pulls the arm with the smallest N_k kl(m_k, max m) + ln N_k.

    Each arm once, then all compete; with around_leader=True only those with the best empirical
    mean and their neighbours do.
    """
    return Declared(
        imed_engines.plain(around_leader),
        imed_engines.leaping(around_leader),
        around_leader=around_leader,
    )


def with_settings(function: Callable, arguments: int) -> Any:
    """The function as a kernel that takes the settings last, whether it asks for them or not."""
    python = getattr(function, "py_func", function)
    given = len(inspect.signature(python).parameters)
    if given not in (arguments, arguments + 1):
        raise ValueError(
            f"{python.__name__} takes {given} arguments; allowed: {arguments}, "
            "or one more for the settings."
        )
    compiled = function if python is not function or hasattr(function, "compiled") else None
    compiled = compiled or kernel(function)
    if given == arguments + 1:
        return compiled
    if arguments == 1:

        @kernel
        def of_time(t, settings):
            return compiled(t)

        return of_time

    @kernel
    def of_counts(pulls, wins, level, settings):
        return compiled(pulls, wins, level)

    return of_counts
