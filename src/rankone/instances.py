"""Bandit instances as data: the means of the arms and the graph they are unimodal on."""

import functools
import hashlib
import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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
    def gaps(self) -> np.ndarray:
        return np.asarray(self.means[self.best] - self.means)

    def neighbourhood(self, arm: int) -> np.ndarray:
        """The arm and its neighbours, ascending: N+(k)."""
        return self.neighbours[self.starts[arm] : self.starts[arm + 1]]

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


def rank_one(u: Sequence[float], v: Sequence[float]) -> Instance:
    """The matrix of means u v^T; neighbours share a row or a column (the graph G1)."""
    return tensor(u, v)


def tensor(*factors: Sequence[float]) -> Instance:
    """The means u_i v_j w_k ... of any number of factors; neighbours differ in one coordinate.

    With two factors it is `rank_one`. Where all entries of the factors are positive the best arm is
    reached from every other by changing one coordinate at a time, to a larger mean each time.
    """
    if not factors:
        raise ValueError("no factor is given; allowed: one vector or more, such as u, v, w.")
    names = "uvw" if len(factors) <= 3 else [f"factors[{i}]" for i in range(len(factors))]
    vectors = [_probabilities(f, name) for f, name in zip(factors, names, strict=False)]
    return _product(functools.reduce(np.multiply.outer, vectors))


def matrix(means: np.ndarray) -> Instance:
    """Any matrix of means on the graph G1: a rank-one matrix, or one that is nearly so."""
    means = np.asarray(means, dtype=np.float64)
    if means.ndim != 2:
        raise ValueError(f"means have the shape {means.shape}; allowed: rows and columns.")
    return _product(means)


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


def _product(means: np.ndarray) -> Instance:
    """An array of means on the Hamming graph: neighbours differ in exactly one coordinate."""
    flat = _unique_best(_probabilities(means.ravel(), "means"))
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


def graph(means: Sequence[float], edges: Iterable[tuple[int, int]]) -> Instance:
    """Arms with these means on an undirected graph given by its edges."""
    values = _unique_best(_probabilities(means, "means"))
    around = [{arm} for arm in range(len(values))]
    for a, b in edges:
        for end in (a, b):
            if not 0 <= end < len(values):
                raise ValueError(
                    f"edge ({a}, {b}) names arm {end}; allowed: 0 to {len(values) - 1}."
                )
        around[a].add(b)
        around[b].add(a)
    starts = np.cumsum([0, *(len(arms) for arms in around)], dtype=np.int64)
    neighbours = np.array([k for arms in around for k in sorted(arms)], dtype=np.int64)
    return Instance(values, starts, neighbours)


def _probabilities(values: Sequence[float] | np.ndarray, name: str) -> np.ndarray:
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} is {values!r}; allowed: a non-empty list of numbers in [0, 1].")
    for position, value in enumerate(array):
        if not 0.0 <= value <= 1.0:  # also catches nan
            raise ValueError(f"{name}[{position}] is {value:g}; allowed: numbers in [0, 1].")
    return array


def _unique_best(means: np.ndarray) -> np.ndarray:
    best = np.flatnonzero(means == means.max())
    if len(best) > 1:
        arms = ", ".join(str(arm) for arm in best[:5])
        raise ValueError(
            f"arms {arms} share the best mean {means.max():g}; allowed: only one best arm."
        )
    return means
