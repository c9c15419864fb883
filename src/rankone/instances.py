"""Bandit instances as data: the means of the arms and the graph they are unimodal on."""

import functools
import hashlib
import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankone.engine.parameters import require_memory, shown

if TYPE_CHECKING:
    from rankone.theory import Bounds

SHOWN = 12  # rows or columns of the largest matrix that a notebook shows


class Problem(NamedTuple):
    """What a policy may know before it plays: everything about an instance but the means."""

    arms: int
    rows: int  # K, or 0 where the arms are not a matrix
    columns: int  # L, or 0
    shape: tuple[int, ...]  # how many atoms each factor has; () where the arms are no product
    starts: np.ndarray  # the closed neighbourhood of arm k is neighbours[starts[k]:starts[k + 1]]
    neighbours: np.ndarray  # ascending, arm k itself included: N+(k) in the paper
    horizon: int


@dataclass(frozen=True, eq=False)
class Instance:
    """A Bernoulli bandit on a graph.

    On a K x L matrix the arm (i, j) has index i * L + j, and on a product of more factors likewise
    (row-major order): `np.unravel_index(arm, instance.shape)` are its coordinates.

    >>> import rankone
    >>> rankone.rank_one(u=[0.75, 0.25, 0.25], v=[0.6, 0.3])
    <3 x 2 matrix of 6 arms, the best one (0, 0) with mean 0.45>
    >>> line = rankone.graph(means=[0.1, 0.5, 0.9, 0.5], edges=[(0, 1), (1, 2), (2, 3)])
    >>> line.best, line.neighbourhood(2).tolist()
    (2, [1, 2, 3])
    """

    means: np.ndarray
    starts: np.ndarray
    neighbours: np.ndarray
    shape: tuple[int, ...] | None = None  # the sizes of the factors; None: no product

    @property
    def arms(self) -> int:
        return len(self.means)

    @property
    def rows(self) -> int:
        """K on a matrix; 0 where the arms are not one."""
        return self._sides[0]

    @property
    def columns(self) -> int:
        """L on a matrix; 0 where the arms are not one."""
        return self._sides[1]

    @property
    def _sides(self) -> tuple[int, int]:
        if self.shape is None or len(self.shape) != 2:
            return 0, 0
        height, width = self.shape
        return height, width

    @functools.cached_property
    def best(self) -> int:
        return int(np.argmax(self.means))

    @functools.cached_property
    def best_arms(self) -> np.ndarray:
        """All arms with the largest mean; only an instance made with unimodal=False has several."""
        return np.flatnonzero(self.means == self.means.max())

    @functools.cached_property
    def gaps(self) -> np.ndarray:
        return np.asarray(self.means[self.best] - self.means)

    def neighbourhood(self, arm: int) -> np.ndarray:
        """The arm and its neighbours, ascending: N+(k)."""
        return self.neighbours[self.starts[arm] : self.starts[arm + 1]]

    @functools.cached_property
    def dead_ends(self) -> np.ndarray:
        """The arms besides the best ones that have no neighbour with a larger mean."""
        largest = np.maximum.reduceat(self.means[self.neighbours], self.starts[:-1])
        return np.flatnonzero((largest <= self.means) & (self.means < self.means.max()))

    @property
    def unimodal(self) -> bool:
        """Whether there is one best arm, and an increasing path to it from every other arm.

        Without dead ends every arm has one: going to a better neighbour ends at the best arm only.
        """
        return len(self.best_arms) == 1 and not len(self.dead_ends)

    @functools.cached_property
    def lower_bound(self) -> "Bounds":
        """The least slopes of the regret in ln T, for policies that know the graph or do not."""
        from rankone import theory

        return theory.bounds(self)

    def problem(self, horizon: int) -> Problem:
        return Problem(
            self.arms,
            *self._sides,
            self.shape or (),
            self.starts,
            self.neighbours,
            horizon,
        )

    @functools.cached_property
    def content(self) -> bytes:
        """What makes two instances the same one, for seeding."""
        shape = np.array(self.shape or (0, 0), dtype=np.int64)
        return b"".join(a.tobytes() for a in (shape, self.means, self.starts, self.neighbours))

    def arrays(self) -> dict[str, np.ndarray]:
        """What `from_arrays` makes the instance of again; the graph of a product is not needed."""
        if self.shape is not None:
            return {"means": self.means, "shape": np.array(self.shape, dtype=np.int64)}
        return {"means": self.means, "starts": self.starts, "neighbours": self.neighbours}

    def __repr__(self) -> str:
        kind, best = "graph", str(self.best)
        if self.shape is not None:
            kind = f"{' x '.join(map(str, self.shape))} {'matrix' if self.rows else 'product'}"
            best = str(tuple(int(i) for i in np.unravel_index(self.best, self.shape)))
        mean = self.means[self.best]
        return f"<{kind} of {self.arms:,} arms, the best one {best} with mean {mean:.4g}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the matrix of means if it is small, the best one in bold."""
        text = html.escape(repr(self)[1:-1])
        if not self.rows or max(self.rows, self.columns) > SHOWN:
            return f"<p>{text}</p>"
        cells = [f"{mean:.4g}" for mean in self.means]
        cells[self.best] = f"<b>{cells[self.best]}</b>"
        lines = (cells[row * self.columns : (row + 1) * self.columns] for row in range(self.rows))
        table = "".join(f"<tr><td>{'</td><td>'.join(line)}</td></tr>" for line in lines)
        return f"<p>{text}</p><table>{table}</table>"

    @functools.cached_property
    def digest(self) -> str:
        """The instance in a word, by which runs say where they were played."""
        return hashlib.sha256(self.content).hexdigest()


def rank_one(u: Sequence[float], v: Sequence[float], *, unimodal: bool = True) -> Instance:
    """The matrix of means u v^T; neighbours share a row or a column (the graph G1).

    It is unimodal unless both u and v have zeros. As everywhere here, an instance that is not is
    refused with an arm that shows it, unless unimodal=False says that this is meant.
    """
    return tensor(u, v, unimodal=unimodal)


def tensor(*factors: Sequence[float], unimodal: bool = True) -> Instance:
    """The means u_i v_j w_k ... of any number of factors; neighbours differ in one coordinate.

    With two factors it is `rank_one`. Where all entries of the factors are positive the best arm is
    reached from every other by changing one coordinate at a time, to a larger mean each time.
    """
    if not factors:
        raise ValueError("no factor is given; allowed: one vector or more, such as u, v, w.")
    names = "uvw" if len(factors) <= 3 else [f"factors[{i}]" for i in range(len(factors))]
    vectors = [probabilities(f, name) for f, name in zip(factors, names, strict=False)]
    _require_memory([len(vector) for vector in vectors])
    return _checked(_product(functools.reduce(np.multiply.outer, vectors)), unimodal)


def matrix(means: Any, *, unimodal: bool = True) -> Instance:
    """Any matrix of means on the graph G1: a rank-one matrix, or one that is nearly so."""
    found = _numbers(means, "means")
    if found.ndim != 2:
        raise ValueError(f"means have the shape {found.shape}; allowed: rows and columns.")
    return product(found, unimodal=unimodal)


def product(means: Any, *, unimodal: bool = True) -> Instance:
    """Any array of means on the graph of `tensor`: neighbours differ in one coordinate."""
    found = _numbers(means, "means")
    probabilities(found.ravel(), "means")
    return _checked(_product(found), unimodal)


def from_arrays(
    means: np.ndarray,
    shape: np.ndarray | None = None,
    starts: np.ndarray | None = None,
    neighbours: np.ndarray | None = None,
) -> Instance:
    """The instance whose `arrays` these are."""
    if shape is not None:
        return _product(means.reshape(shape))
    if starts is None or neighbours is None:
        raise ValueError("the graph is missing; allowed: a shape, or starts and neighbours.")
    return Instance(means, starts, neighbours)


def _require_memory(sizes: Sequence[int]) -> None:
    """Refuse a product that does not fit: each arm has a list of its neighbours, made via two."""
    arms, around = math.prod(sizes), sum(sizes) - len(sizes) + 1
    shape = " x ".join(map(str, sizes))
    require_memory(f"an instance of {shape} = {arms:,} arms", 3 * arms * around)


def _product(means: np.ndarray) -> Instance:
    """An array of means on the Hamming graph: neighbours differ in exactly one coordinate."""
    _require_memory(means.shape)
    flat = means.ravel()
    arms = np.arange(len(flat))[:, None]
    around, stride = [arms], len(flat)
    for size in means.shape:
        stride //= size
        place, below = arms // stride % size, np.arange(size - 1)
        others = below + (below >= place)  # the coordinates but its own
        around.append(arms + (others - place) * stride)
    neighbours = np.sort(np.hstack(around), axis=1)
    starts = np.arange(len(flat) + 1, dtype=np.int64) * neighbours.shape[1]
    return Instance(flat, starts, neighbours.ravel(), means.shape)


def graph(
    means: Sequence[float] | np.ndarray,
    edges: Iterable[Sequence[int]],
    *,
    unimodal: bool = True,
) -> Instance:
    """Arms with these means on an undirected graph given by its edges.

    An edge may be named several times and either way round: it is one edge.
    """
    values = probabilities(means, "means")
    around = [{arm} for arm in range(len(values))]
    if not np.iterable(edges):
        raise ValueError(f"edges are {shown(edges)}; allowed: pairs of arms, such as [(0, 1)].")
    for edge in edges:
        a, b = _ends(edge, len(values))
        around[a].add(b)
        around[b].add(a)
    starts = np.cumsum([0, *(len(arms) for arms in around)], dtype=np.int64)
    neighbours = np.array([k for arms in around for k in sorted(arms)], dtype=np.int64)
    return _checked(Instance(values, starts, neighbours), unimodal)


def _ends(edge: Any, arms: int) -> tuple[int, int]:
    """The two different arms that an edge joins."""
    ends = list(edge) if np.iterable(edge) and not isinstance(edge, str) else [edge]
    told = ", ".join(shown(end).strip("'") for end in ends[:5]) + (", ..." if len(ends) > 5 else "")
    told = f"({told})"
    if len(ends) != 2:
        raise ValueError(f"edge {told} has {len(ends)} ends; allowed: two, such as (0, 1).")
    for end in ends:
        if not isinstance(end, int | np.integer) or isinstance(end, bool):
            raise ValueError(
                f"edge {told} has the end {shown(end)}; allowed: whole numbers from 0."
            )
        if not 0 <= end < arms:
            raise ValueError(f"edge {told} names arm {shown(end)}; allowed: 0 to {arms - 1}.")
    if ends[0] == ends[1]:
        raise ValueError(f"edge {told} joins an arm with itself; allowed: two different arms.")
    return int(ends[0]), int(ends[1])


def _numbers(values: Any, name: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):  # text, rows of different lengths, 10**400
        raise ValueError(
            f"{name} is {shown(values)}; allowed: a non-empty list of numbers in [0, 1]."
        ) from None


def probabilities(values: Any, name: str) -> np.ndarray:
    """A list of numbers in [0, 1] as an array, or a ValueError of one sentence."""
    array = _numbers(values, name)
    if array.ndim != 1 or not len(array):
        raise ValueError(
            f"{name} is {shown(values)}; allowed: a non-empty list of numbers in [0, 1]."
        )
    outside = np.flatnonzero(~((array >= 0.0) & (array <= 1.0)))  # also nan
    if len(outside):
        place = outside[0]
        raise ValueError(f"{name}[{place}] is {array[place]:g}; allowed: numbers in [0, 1].")
    return array


def _checked(instance: Instance, unimodal: bool) -> Instance:
    """The instance, unless it is not unimodal and ought to be."""
    if unimodal and (reason := why_not_unimodal(instance)):
        raise ValueError(f"{reason}, or unimodal=False, if this is meant.")
    return instance


def why_not_unimodal(instance: Instance) -> str:
    """What keeps an instance from being unimodal, with an arm that shows it; empty if it is."""
    best = instance.best_arms
    if len(best) > 1:
        arms = ", ".join(str(arm) for arm in best[:5])
        return f"arms {arms} share the best mean {instance.means.max():g}; allowed: one best arm"
    if not len(instance.dead_ends):
        return ""
    arm = int(instance.dead_ends[0])
    if len(instance.neighbours) == instance.arms:
        return f"the graph has no edges, so arm {arm} has no neighbour; allowed: a connected graph"
    if not _connected(instance, arm, instance.best):
        return (
            f"the graph is not connected: no path leads from arm {arm} to the best arm "
            f"{instance.best}; allowed: a connected graph"
        )
    return (
        f"{_name(instance, arm)} of mean {instance.means[arm]:g} has no neighbour with a larger "
        f"mean, so no increasing path leads from it to {_name(instance, instance.best)}, the best; "
        "allowed: unimodal means"
    )


def _name(instance: Instance, arm: int) -> str:
    """arm 5, or on a product: arm 5 = (1, 2)."""
    if instance.shape is None:
        return f"arm {arm}"
    place = ", ".join(str(int(i)) for i in np.unravel_index(arm, instance.shape))
    return f"arm {arm} = ({place})"


def _connected(instance: Instance, one: int, other: int) -> bool:
    seen, waiting = {one}, [one]
    while waiting and other not in seen:
        near = instance.neighbourhood(waiting.pop()).tolist()
        waiting += [arm for arm in near if arm not in seen]
        seen.update(near)
    return other in seen
