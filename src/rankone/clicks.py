"""Click logs as bandits: the position-based model, fitted by maximum likelihood.

An item i shown at position j is clicked with probability u_i v_j: the item attracts (u_i), and the
position is looked at (v_j), independently. So the click probabilities are a matrix of rank one, and
placing an item is playing an arm of `rankone.rank_one(u, v)`.

With c_ij clicks on n_ij showings the log-likelihood is

    sum over i, j of   c_ij ln(u_i v_j) + (n_ij - c_ij) ln(1 - u_i v_j),

which is concave in (ln u, ln v): what is found is the global maximum. Only the products u_i v_j are
identified, u and v up to a factor. It is fixed by max_j v_j = 1: an attraction is the probability
of a click at the position that is looked at most. For this the items and positions must be linked
by showings, which is checked. An item without any click has attraction 0, the maximum being there,
and no standard error; likewise a position.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankone.csv_files import columns, lines, number
from rankone.engine.parameters import require_memory
from rankone.engine.parameters import shown as brief
from rankone.instances import Instance, rank_one

if TYPE_CHECKING:
    import pandas as pd

ALMOST_ONE = 1.0 - 1e-12
MOST = 10**12  # showings in a line: sums of them stay exact
DIGITS = 9  # after the point: what is left of a difference between machines goes with the rest


@dataclass(frozen=True, eq=False)
class ClickFit:
    """A position-based model with the data that it was fitted to and how well it fits them."""

    items: tuple[str, ...]
    positions: tuple[str, ...]
    clicks: np.ndarray  # (items, positions)
    shown: np.ndarray  # (items, positions)
    attraction: np.ndarray  # u
    examination: np.ndarray  # v, the largest being 1
    attraction_se: np.ndarray  # standard errors from the Fisher information; nan at 0 and at 1
    examination_se: np.ndarray  # 0 at the position where v is 1 by definition
    log_likelihood: float
    deviance: float  # twice the log-likelihood that is lost against a free probability per cell
    degrees_of_freedom: int  # cells with showings less free parameters

    @property
    def fitted(self) -> np.ndarray:
        """The probabilities of a click: u v^T."""
        return np.outer(self.attraction, self.examination)

    @property
    def p_value(self) -> float:
        """How often a larger deviance would be seen if the model held; nan without freedom."""
        from scipy import stats

        free = self.degrees_of_freedom
        return float(stats.chi2.sf(self.deviance, free)) if free > 0 else float("nan")

    def instance(self, *, unimodal: bool = True) -> Instance:
        """The model as a bandit: arm i * positions + j shows item i at position j."""
        return rank_one(self.attraction.tolist(), self.examination.tolist(), unimodal=unimodal)

    def to_frame(self) -> "pd.DataFrame":
        """Observed and fitted, one row per item and position that was shown.

        `residual` is Pearson's: (clicks - expected) / its standard deviation under the model.
        """
        import pandas as pd

        i, j = np.nonzero(self.shown)
        shown, clicks, fitted = self.shown[i, j], self.clicks[i, j], self.fitted[i, j]
        with np.errstate(invalid="ignore"):
            spread = np.sqrt(shown * fitted * (1.0 - fitted))
            residual = np.where(spread > 0, (clicks - shown * fitted) / spread, 0.0)
        return pd.DataFrame(
            {
                "item": [self.items[k] for k in i],
                "position": [self.positions[k] for k in j],
                "shown": shown,
                "clicks": clicks,
                "observed": clicks / shown,
                "fitted": fitted,
                "residual": residual,
            }
        )

    def __str__(self) -> str:
        """The fit as a page of text."""
        parts = [
            f"Position-based model of {int(self.shown.sum()):,} showings and "
            f"{int(self.clicks.sum()):,} clicks, by maximum likelihood; max examination = 1.",
            "",
            *_listed("item", "attraction", self.items, self.attraction, self.attraction_se),
            "",
            *_listed(
                "position", "examination", self.positions, self.examination, self.examination_se
            ),
            "",
            f"log-likelihood {self.log_likelihood:.3f}; deviance {self.deviance:.2f} on "
            f"{self.degrees_of_freedom} degrees of freedom (p = {self.p_value:.3f})",
        ]
        worst = self.to_frame().sort_values("residual", key=abs, ascending=False).iloc[0]
        parts.append(
            f"worst cell: item {worst['item']} at position {worst['position']}, "
            f"observed {worst['observed']:.4f}, fitted {worst['fitted']:.4f} "
            f"({worst['residual']:+.1f} standard deviations)"
        )
        return "\n".join(parts)


def _listed(
    kind: str, meaning: str, names: Sequence[str], values: np.ndarray, errors: np.ndarray
) -> list[str]:
    width = max(len(kind), *map(len, names))
    head = f"{kind:<{width}}  {meaning}"
    rows = zip(names, values, errors, strict=True)
    return [head, *(f"{n:<{width}}  {value:.4f} +- {error:.4f}" for n, value, error in rows)]


def fit_clicks(log: str | Path) -> ClickFit:
    """Fit the position-based model to a click log in a CSV file.

    Its columns are `item`, `position` and `click` (0 or 1), one line a showing; or `item`,
    `position`, `shown` and `clicks`, counts. Lines of the same item and position are added up.
    """
    found = lines(log)
    head = [cell.lower() for cell in found[0].cells]
    single = "click" in head
    wanted = ["item", "position", "click"] if single else ["item", "position", "shown", "clicks"]
    cells, body = columns(found, wanted), found[1:]
    if not body:
        raise ValueError(f"{found[0].place}: no line follows; allowed: at least one showing.")
    items, positions = _order(cells["item"]), _order(cells["position"])
    cells_of_all = len(items) * len(positions)
    require_memory(
        f"a log of {len(items):,} items at {len(positions):,} positions", 8 * cells_of_all
    )
    shown, clicks = np.zeros((2, len(items), len(positions)), np.int64)
    rows = {name: place for place, name in enumerate(items)}
    sides = {name: place for place, name in enumerate(positions)}
    for number_of, line in enumerate(body):
        texts = [cells[name][number_of] for name in wanted[2:]]
        values = [number(line, text) for text in texts]
        count, wins = (1.0, values[0]) if single else (values[0], values[1])
        if not 0 <= wins <= count <= MOST or wins % 1 or count % 1:
            allowed = (
                "a click of 0 or 1"
                if single
                else f"whole numbers with 0 <= clicks <= shown <= {MOST:,}"
            )
            raise ValueError(f"{line.place}: {', '.join(map(brief, texts))}; allowed: {allowed}.")
        place = rows[cells["item"][number_of]], sides[cells["position"][number_of]]
        shown[place] += int(count)
        clicks[place] += int(wins)
    return fit_counts(clicks, shown, items, positions)


def _order(names: Sequence[str]) -> list[str]:
    """The different names: by number where all are numbers, else by the alphabet."""
    different = sorted(set(names))
    try:
        return sorted(different, key=float)
    except ValueError:
        return different


def fit_counts(
    clicks: Any,
    shown: Any,
    items: Sequence[str] | None = None,
    positions: Sequence[str] | None = None,
) -> ClickFit:
    """Fit the position-based model to matrices of clicks and showings, items by positions."""
    wins, trials = np.array(clicks, np.float64), np.array(shown, np.float64)
    if wins.ndim != 2 or wins.shape != trials.shape or not wins.size:
        raise ValueError(
            f"clicks and shown have the shapes {wins.shape} and {trials.shape}; "
            "allowed: the same number of rows and columns."
        )
    if not np.all((wins >= 0) & (wins <= trials) & (wins % 1 == 0) & (trials % 1 == 0)):
        raise ValueError("clicks and shown are no counts; allowed: 0 <= clicks <= shown.")
    named = tuple(items if items is not None else map(str, range(len(wins))))
    placed = tuple(positions if positions is not None else map(str, range(wins.shape[1])))
    rows = np.flatnonzero(wins.sum(axis=1))  # all others have probability 0
    sides = np.flatnonzero(wins.sum(axis=0))
    if not len(rows):
        raise ValueError("the log has no click; allowed: at least one.")
    inner = np.ix_(rows, sides)
    _refuse_islands(trials[inner], [named[row] for row in rows])
    u, v = np.zeros(wins.shape[0]), np.zeros(wins.shape[1])
    u[rows], v[sides] = _maximum(wins[inner], trials[inner])
    u, v = (np.round(vector, DIGITS) for vector in (u * v.max(), v / v.max()))
    u_se, v_se = _standard_errors(u, v, trials)
    likelihood = _log_likelihood(wins, trials, np.outer(u, v))
    with np.errstate(invalid="ignore"):
        best = _log_likelihood(wins, trials, np.where(trials > 0, wins / trials, 0.0))
    return ClickFit(
        named,
        placed,
        wins.astype(np.int64),
        trials.astype(np.int64),
        u,
        v,
        u_se,
        v_se,
        likelihood,
        max(0.0, 2.0 * (best - likelihood)),
        int((trials[inner] > 0).sum()) - len(rows) - len(sides) + 1,
    )


def _refuse_islands(trials: np.ndarray, items: Sequence[str]) -> None:
    """Refuse items and positions that no showings link: their scales could not be compared."""
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        sides = trials[sorted(reached)].any(axis=0)
        reached = set(np.flatnonzero((trials[:, sides] > 0).any(axis=1)).tolist())
    if len(reached) < len(items):
        other = next(name for place, name in enumerate(items) if place not in reached)
        raise ValueError(
            f"item {brief(other)} was never shown at a position that links it with item "
            f"{brief(items[0])}, so "
            "their attractions cannot be compared; allowed: items linked by common positions."
        )


def _maximum(wins: np.ndarray, trials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The maximum over u and v in (0, 1], as a concave problem in their logarithms."""
    from scipy import optimize

    rows, losses, total = len(wins), trials - wins, trials.sum()

    def loss(logs: np.ndarray) -> tuple[float, np.ndarray]:
        at = logs[:rows, None] + logs[rows:]
        p = np.minimum(np.exp(at), ALMOST_ONE)
        value = wins * at + losses * np.log1p(-p)
        slope = wins - losses * p / (1.0 - p)
        gradient = np.concatenate([slope.sum(axis=1), slope.sum(axis=0)])
        return -value.sum() / total, -gradient / total

    rates = wins.sum(axis=1) / trials.sum(axis=1), wins.sum(axis=0) / trials.sum(axis=0)
    start = np.log(np.clip(np.concatenate([rates[0], rates[1] / rates[1].max()]), 1e-6, 0.999))
    found = optimize.minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, 0.0)] * len(start),
        options={"maxiter": 100_000, "maxfun": 1_000_000, "ftol": 1e-16, "gtol": 1e-11},
    )
    logs = _polished(found.x, wins, losses)
    return np.exp(logs[:rows]), np.exp(logs[rows:])


def _polished(logs: np.ndarray, wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """A few steps of Newton's method, so that the result is the same on every machine.

    None where a fitted probability is 1: there the maximum is at a corner, and exact.
    """
    rows = len(wins)
    for _ in range(4):
        p = np.exp(logs[:rows, None] + logs[rows:])
        if p.max() >= 1.0 - 1e-6:
            break
        slope = wins - losses * p / (1.0 - p)
        weights = losses * p / (1.0 - p) ** 2
        curvature = np.block(
            [[np.diag(weights.sum(axis=1)), weights], [weights.T, np.diag(weights.sum(axis=0))]]
        )
        gradient = np.concatenate([slope.sum(axis=1), slope.sum(axis=0)])
        logs = logs + np.linalg.pinv(curvature) @ gradient  # the flat direction is left alone
    return logs


def _standard_errors(
    u: np.ndarray, v: np.ndarray, trials: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """From the Fisher information about (ln u, ln v), v being fixed where it is 1."""
    p = np.outer(u, v)
    free_u, free_v = u > 0, v > 0
    free_v[np.argmax(v)] = False
    sure = (trials > 0) & (p >= ALMOST_ONE)  # a probability of 1 has no information in this sense
    free_u &= ~sure.any(axis=1)
    weights = trials * np.where(p < ALMOST_ONE, p, 0.0) / (1.0 - np.minimum(p, ALMOST_ONE))
    information = np.block(
        [[np.diag(weights.sum(axis=1)), weights], [weights.T, np.diag(weights.sum(axis=0))]]
    )
    free = np.concatenate([free_u, free_v])
    errors = np.full(len(free), np.nan)
    inverse = np.linalg.pinv(information[np.ix_(free, free)])
    errors[free] = np.sqrt(np.diag(inverse)) * np.concatenate([u, v])[free]
    errors[len(u) + int(np.argmax(v))] = 0.0
    return errors[: len(u)], errors[len(u) :]


def _log_likelihood(wins: np.ndarray, trials: np.ndarray, p: np.ndarray) -> float:
    """Without the binomial coefficients; 0 ln 0 = 0."""
    from scipy import special

    return float((special.xlogy(wins, p) + special.xlog1py(trials - wins, -p)).sum())


def synthetic_counts(
    attraction: Sequence[float], examination: Sequence[float], showings: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Clicks and showings drawn from a position-based model.

    There are about `showings` showings; better items are shown more often at better positions, as
    any ranking does: the share of a cell is proportional to 1 / (1 + |rank of i - rank of j|).
    """
    u, v = np.array(attraction, np.float64), np.array(examination, np.float64)
    rng = np.random.default_rng(seed)
    ranks_u = np.argsort(np.argsort(-u)) / max(1, len(u) - 1) * (len(v) - 1)
    ranks_v = np.argsort(np.argsort(-v))
    weight = 1.0 / (1.0 + np.abs(ranks_u[:, None] - ranks_v))
    shown = rng.poisson(showings * weight / weight.sum())
    return rng.binomial(shown, np.outer(u, v)), shown


# The model behind the log that is shipped, data/clicks.csv, whose first lines say that it is
# synthetic; `python -m rankone.clicks` prints the file.
EXAMPLE: dict[str, Any] = {
    "attraction": [0.36, 0.30, 0.27, 0.24, 0.20, 0.18, 0.15, 0.12, 0.09, 0.06],
    "examination": [1.0, 0.68, 0.48, 0.34, 0.27],
    "showings": 60_000,
    "seed": 2020,
}


def example_log() -> str:
    """The text of data/clicks.csv."""
    clicks, shown = synthetic_counts(**EXAMPLE)
    told = [
        "# Synthetic: drawn from a position-based model by rankone.clicks.example_log(),",
        f"# with seed {EXAMPLE['seed']}, attractions {EXAMPLE['attraction']}",
        f"# and examinations {EXAMPLE['examination']}.",
        "item,position,shown,clicks",
    ]
    cells = [
        f"{chr(ord('A') + i)},{j + 1},{shown[i, j]},{clicks[i, j]}"
        for i, j in np.ndindex(shown.shape)
    ]
    return "\n".join([*told, *cells]) + "\n"


if __name__ == "__main__":
    print(example_log(), end="")
