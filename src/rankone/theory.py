"""Lower bounds on the regret, and the unimodality that they rest on."""

import numpy as np

from rankone.engine.kl import kl
from rankone.instances import Instance


def unimodal_constant(instance: Instance) -> float:
    """The least possible slope of the regret in ln T for a policy that knows the graph.

    The sum over the best arm's neighbours of gap / kl(mean, best mean): Proposition 3, and on a
    rank-one matrix Proposition 1.
    """
    return _sum_of_costs(instance, instance.neighbourhood(instance.best))


def lai_robbins_constant(instance: Instance) -> float:
    """The least possible slope for a policy that does not know the graph: all arms count."""
    return _sum_of_costs(instance, np.arange(instance.arms))


def constants(instance: Instance) -> dict[str, float]:
    """Both constants by the name of their bound."""
    return {
        "unimodal": unimodal_constant(instance),
        "lai_robbins": lai_robbins_constant(instance),
    }


def _sum_of_costs(instance: Instance, arms: np.ndarray) -> float:
    top = instance.means[instance.best]
    others = (k for k in arms if k != instance.best)
    return float(sum(instance.gaps[k] / kl(instance.means[k], top) for k in others))


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
    """Whether an increasing path leads from every arm to the best one."""
    return all(increasing_path(instance, arm) is not None for arm in range(instance.arms))
