"""Instances on the usual graphs: lines, cycles, trees, grids, complete and random ones.

Each takes the means of its arms, and refuses them if they are not unimodal on the graph, unless
unimodal=False says that this is meant.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankone.engine.parameters import is_number, require_memory, shown
from rankone.instances import Instance, graph, probabilities

Edges = list[tuple[int, int]]
PAIR = 12  # numbers of eight bytes that a pair of arms takes in a list


def line(means: Sequence[float], *, unimodal: bool = True) -> Instance:
    """Arms in a row: the neighbours of arm k are k - 1 and k + 1."""
    values = probabilities(means, "means")
    return graph(values, _line(len(values)), unimodal=unimodal)


def cycle(means: Sequence[float], *, unimodal: bool = True) -> Instance:
    """Arms in a ring: a line whose last arm is also next to its first; at least three arms."""
    values = probabilities(means, "means")
    arms = len(values)
    if arms < 3:
        raise ValueError(f"a cycle of {arms} arms; allowed: at least 3 arms.")
    return graph(values, [*_line(arms), (arms - 1, 0)], unimodal=unimodal)


def complete(means: Sequence[float], *, unimodal: bool = True) -> Instance:
    """Every arm is next to every other one: the graph tells a policy nothing."""
    values = probabilities(means, "means")
    require_memory(f"a complete graph of {len(values)} arms", PAIR * len(values) ** 2)
    return graph(values, itertools.combinations(range(len(values)), 2), unimodal=unimodal)


def tree(
    means: Sequence[float],
    parents: Sequence[int] | None = None,
    *,
    branching: int = 2,
    unimodal: bool = True,
) -> Instance:
    """A tree with arm 0 as its root.

    `parents` are those of the arms 1, 2, ...; without them the arms fill the tree level by level
    with `branching` children each: the parent of arm k is (k - 1) // branching.
    """
    values = probabilities(means, "means")
    arms = len(values)
    if parents is None:
        if not isinstance(branching, int | np.integer) or branching < 1:
            raise ValueError(f"branching is {shown(branching)}; allowed: a whole number from 1.")
        parents = [(arm - 1) // branching for arm in range(1, arms)]
    if not np.iterable(parents):
        raise ValueError(f"parents are {shown(parents)}; allowed: a list of arms.")
    edges = list(zip(parents, range(1, arms + 1), strict=False))
    if len(edges) != arms - 1:
        raise ValueError(
            f"parents are {shown(parents)}; allowed: one for each of the {arms} arms but the root, "
            "arm 0."
        )
    return graph(values, edges, unimodal=unimodal)


def grid(means: Any, *, unimodal: bool = True) -> Instance:
    """An array of means, of two dimensions or more; neighbours are one step apart in one of them.

    Arms are counted row by row. Unlike on a matrix (`rankone.matrix`), whose rows and columns are
    in no order, only adjacent rows and columns are neighbours.
    """
    try:
        array = np.array(means, dtype=object)
    except ValueError:
        raise ValueError(f"means are {shown(means)}; allowed: an array of numbers.") from None
    cells = np.arange(array.size).reshape(array.shape)
    edges: Edges = []
    for axis in range(array.ndim):
        ahead = np.moveaxis(cells, axis, 0)
        edges += zip(ahead[:-1].ravel().tolist(), ahead[1:].ravel().tolist(), strict=True)
    return graph(array.ravel().tolist(), edges, unimodal=unimodal)


def random_tree(arms: int, seed: int, *, low: float = 0.1, high: float = 0.9) -> Instance:
    """A random tree with random unimodal means, the same for the same arguments.

    Each arm is joined to a uniformly chosen earlier one; for the means see `random_graph`.
    """
    _whole("arms", arms, 1, 10**6)
    return random_graph(arms, arms - 1, seed, low=low, high=high)


def random_graph(
    arms: int, edges: int, seed: int, *, low: float = 0.1, high: float = 0.9
) -> Instance:
    """A random connected graph with so many edges and random unimodal means.

    It is a random tree and further edges chosen uniformly. The means are uniform between `low` and
    `high`, and given out from the largest to the smallest: first to a random arm, then each time to
    a random one of those next to an arm that has its mean already. So every arm but the best has a
    better neighbour.
    """
    _whole("arms", arms, 1, 10**6)
    _whole("edges", edges, arms - 1, arms * (arms - 1) // 2)
    _whole("seed", seed, 0, 2**63 - 1)
    if not is_number(low) or not is_number(high) or not 0.0 <= low < high <= 1.0:
        raise ValueError(
            f"low and high are {shown(low)} and {shown(high)}; allowed: 0 <= low < high <= 1."
        )
    rng = np.random.default_rng([seed, arms, edges])
    joined = {(int(rng.integers(arm)), arm) for arm in range(1, arms)}
    if edges > len(joined):
        require_memory(f"a random graph of {arms} arms with cycles", PAIR * arms**2 // 2)
        others = [pair for pair in itertools.combinations(range(arms), 2) if pair not in joined]
        chosen = rng.choice(len(others), edges - len(joined), replace=False)
        joined |= {others[place] for place in chosen.tolist()}
    around: list[list[int]] = [[] for _ in range(arms)]
    for a, b in sorted(joined):
        around[a].append(b)
        around[b].append(a)
    means = np.empty(arms)
    means[_outwards(around, rng)] = np.sort(rng.uniform(low, high, arms))[::-1]
    return graph(means.tolist(), sorted(joined))


def _outwards(around: list[list[int]], rng: np.random.Generator) -> list[int]:
    """The arms in a random order in which each but the first comes after a neighbour of its own."""
    order: list[int] = []
    waiting, seen = [int(rng.integers(len(around)))], set[int]()
    while waiting:
        arm = waiting.pop(int(rng.integers(len(waiting))))
        if arm not in seen:
            seen.add(arm)
            order.append(arm)
            waiting += [near for near in around[arm] if near not in seen]
    return order


def _line(arms: int) -> Edges:
    return list(itertools.pairwise(range(arms)))


def _whole(name: str, value: Any, least: int, most: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise ValueError(
            f"{name} is {shown(value)}; allowed: a whole number from {least} to {most}."
        )


# The graphs that are known by a word alone, in configs and on the command line.
BY_NAME: dict[str, Callable[..., Instance]] = {
    "line": line,
    "cycle": cycle,
    "complete": complete,
    "tree": tree,
    "grid": grid,
}
