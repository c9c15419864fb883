"""Lower bounds on the regret, and the unimodality that they rest on."""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.kl import kl
from rankone.instances import Instance


class Bounds(NamedTuple):
    """The least possible slopes of the regret in ln T."""

    unimodal: float  # for policies that know the graph
    lai_robbins: float  # for policies that do not


def bounds(instance: Instance) -> Bounds:
    """Both constants; `instance.lower_bound` is the same."""
    return Bounds(unimodal_constant(instance), lai_robbins_constant(instance))


def unimodal_constant(instance: Instance) -> float:
    """The least possible slope of the regret in ln T for a policy that knows the graph.

    The sum over the best arm's neighbours of gap / kl(mean, best mean): Proposition 3, on a
    rank-one matrix Proposition 1, and on a tensor the same over the arms that differ from the best
    one in one coordinate. It is not known (nan) where several arms are best.
    """
    if len(instance.best_arms) > 1:
        return math.nan
    return _sum_of_costs(instance, instance.neighbourhood(instance.best))


def lai_robbins_constant(instance: Instance) -> float:
    """The least possible slope for a policy that does not know the graph: all arms count."""
    return _sum_of_costs(instance, np.arange(instance.arms))


def constants(instance: Instance) -> dict[str, float]:
    """Both constants by the name of their bound."""
    return bounds(instance)._asdict()


def _sum_of_costs(instance: Instance, arms: np.ndarray) -> float:
    top = instance.means[instance.best]
    worse = (k for k in arms if instance.gaps[k] > 0)
    return float(sum(instance.gaps[k] / kl(instance.means[k], top) for k in worse))


def increasing_path(instance: Instance, arm: int) -> list[int] | None:
    """A shortest path of ever larger means from an arm to the best one; None if there is none."""
    paths = {arm: [arm]}
    frontier = [arm]
    while frontier and instance.best not in paths:
        reached = []
        for k in frontier:
            for neighbour in instance.neighbourhood(k).tolist():
                if instance.means[neighbour] > instance.means[k] and neighbour not in paths:
                    paths[neighbour] = [*paths[k], neighbour]
                    reached.append(neighbour)
        frontier = reached
    return paths.get(instance.best)


def is_unimodal(instance: Instance) -> bool:
    """Whether there is one best arm, and an increasing path to it from every other arm."""
    return instance.unimodal
