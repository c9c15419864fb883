"""Naive twins of the policies: lists and loops, written from the papers, slow on purpose.

`play` gives the arm pulled at each round. One generator serves a run, and is asked in this order:
a choice among two or more tied arms is `tied[int(random() * len(tied))]`, ascending, and a single
candidate asks nothing; a reward is `random() < mean`; a posterior sample is
`beta(wins + 1, losses + 1)`, neighbourhood ascending; a row or column is `int(random() * size)`.

Where the papers are silent: t is the number of pulls made so far; f(x) = log x + c log(max(1, log
x)) and f(0) = 0; an unpulled arm has mean 0, KL index 1; mean 1 has index 1; congruences are
read modulo gamma, so that gamma = 1 always forces the leader, and an infinite gamma never does.
"""

import contextlib
import math


class Over(Exception):
    """The horizon is reached, in the middle of a stage if need be."""


class Game:
    """The arms, seen from a policy: it may pull, and read pulls (N_k) and wins (S_k)."""

    def __init__(self, means, neighbourhoods, shape, horizon, rng, reward=None):
        self.neighbourhoods, self.shape = neighbourhoods, shape
        self.horizon, self.rng = horizon, rng
        self.pulls = [0] * len(means)
        self.wins = [0] * len(means)
        self.history = []
        self._means, self._reward = means, reward

    def pull(self, arm):
        """One round: the reward of `arm`, 0 or 1."""
        if self._reward is None:
            win = 1 if self.rng.random() < self._means[arm] else 0
        else:
            win = self._reward(arm, self.pulls[arm])
        self.pulls[arm] += 1
        self.wins[arm] += win
        self.history.append(arm)
        if len(self.history) == self.horizon:
            raise Over
        return win

    def pull_each_once(self):
        for arm in range(len(self.pulls)):
            self.pull(arm)

    def mean(self, arm):
        """Empirical mean; 0 for an arm that was never pulled."""
        return self.wins[arm] / self.pulls[arm] if self.pulls[arm] else 0.0

    def sample(self, arm):
        """One draw of the Beta(S_k + 1, N_k - S_k + 1) posterior."""
        losses = self.pulls[arm] - self.wins[arm]
        return self.rng.beta(self.wins[arm] + 1.0, losses + 1.0)

    def best(self, arms, scores):
        """The arm of highest score, ties uniformly at random."""
        highest = max(scores)
        tied = [arm for arm, score in zip(arms, scores, strict=True) if score == highest]
        return tied[0] if len(tied) == 1 else tied[int(self.rng.random() * len(tied))]

    def leader(self):
        arms = range(len(self.pulls))
        return self.best(arms, [self.mean(arm) for arm in arms])


def play(name, means, neighbourhoods, shape, horizon, rng, reward=None, **params):
    """The arms pulled, round by round, by the twin of this name, or by a function like those here.

    `neighbourhoods` are closed (an arm is in its own) and ascending; `shape` is (K, L) or None;
    `reward(arm, n)`, n = 0, 1, 2, ... counting the pulls of that arm, replaces the Bernoulli draw.
    """
    game = Game(means, neighbourhoods, shape, horizon, rng, reward)
    if horizon > 0:
        with contextlib.suppress(Over):
            (POLICIES[name] if isinstance(name, str) else name)(game, **params)
    return game.history


def regret(arms, means):
    """Cumulative pseudo-regret after each round: the sum of the gaps of the pulled arms."""
    total, totals = 0.0, []
    for arm in arms:
        total += max(means) - means[arm]
        totals.append(total)
    return totals


def kl(p, q):
    """Bernoulli relative entropy kl(p, q)."""
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return math.inf
    wins = p * math.log(p / q) if p > 0.0 else 0.0
    losses = (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return wins + losses


def kl_upper(p, d):
    """max{q : kl(p, q) <= d}, to the last bits that bisection can tell apart."""
    if p >= 1.0:
        return 1.0
    if p <= 0.0:
        return 1.0 - math.exp(-d)
    if d <= 0.0:
        return p
    inside, outside = p, 1.0
    while inside < (middle := (inside + outside) / 2.0) < outside:
        if kl(p, middle) <= d:
            inside = middle
        else:
            outside = middle
    return inside


def kl_lower(p, d):
    """min{q : kl(p, q) <= d}: the upper bound seen in a mirror, by its own bisection."""
    if p <= 0.0:
        return 0.0
    if p >= 1.0:
        return math.exp(-d)
    if d <= 0.0:
        return p
    outside, inside = 0.0, p
    while outside < (middle := (inside + outside) / 2.0) < inside:
        if kl(p, middle) <= d:
            inside = middle
        else:
            outside = middle
    return inside


def bracket_upper(p, d, steps=None, width=None):
    """The upper bound by a crude bisection of [p, 1]: a number of steps, or down to a width.

    The middle of the last bracket is returned.
    """
    low, high, done = p, 1.0, 0
    while done < steps if steps is not None else high - low >= width:
        middle = (low + high) / 2.0
        if kl(p, middle) > d:
            high = middle
        else:
            low = middle
        done += 1
    return (low + high) / 2.0


def bracket_lower(p, d, steps):
    """The lower bound by a crude bisection of [0, p]: the middle of the last bracket."""
    low, high = 0.0, p
    for _ in range(steps):
        middle = (low + high) / 2.0
        if kl(p, middle) > d:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def exploration(x, c):
    """f(x) = log x + c log(max(1, log x)); f(0) = 0."""
    return math.log(x) + c * math.log(max(1.0, math.log(x))) if x > 0 else 0.0


def kl_index(game, arm, level, width):
    """max{q : N_k kl(mean_k, q) <= level}."""
    if game.pulls[arm] == 0:
        return 1.0
    mean = game.mean(arm)
    if mean >= 1.0:
        return 1.0
    if width > 0:
        return bracket_upper(mean, level / game.pulls[arm], width=width)
    return kl_upper(mean, level / game.pulls[arm])


def forces(count, gamma, residue):
    """Whether count = residue modulo gamma; an infinite gamma never forces."""
    return not math.isinf(gamma) and count % gamma == residue % gamma


def uts(game, gamma=2, warm_up=True):
    """Unimodal Thompson sampling; Trinh et al. 2020, algorithm 1.

    gamma = "degree" is Paladino et al. 2017: the size of the leader's closed neighbourhood.
    """
    leads = [0] * len(game.pulls)
    if warm_up:
        game.pull_each_once()
    while True:
        leader = game.leader()
        leads[leader] += 1
        hood = game.neighbourhoods[leader]
        if forces(leads[leader], len(hood) if gamma == "degree" else gamma, 0):
            game.pull(leader)
        else:
            game.pull(game.best(hood, [game.sample(arm) for arm in hood]))


def osub(game, gamma=None, c=3, clock="leader", warm_up=True, forced=1, width=0):
    """OSUB; Combes and Proutiere 2014, as in section 3 of Trinh et al. 2020.

    The index level is f(l) with l the leader's count (clock="leader", as written), or f(t) with t
    the pulls made so far (clock="global", as coded). gamma = None: largest closed neighbourhood.
    """
    leads = [0] * len(game.pulls)
    if gamma is None:
        gamma = max(len(hood) for hood in game.neighbourhoods)
    if warm_up:
        game.pull_each_once()
    while True:
        leader = game.leader()
        leads[leader] += 1
        if forces(leads[leader], gamma, forced):
            game.pull(leader)
        else:
            time = {"leader": leads[leader], "global": len(game.history)}[clock]
            level = exploration(time, c)
            hood = game.neighbourhoods[leader]
            game.pull(game.best(hood, [kl_index(game, arm, level, width) for arm in hood]))


def kl_ucb(game, c=3, width=0):
    """KL-UCB; Garivier and Cappe 2011: the highest kl_index at level f(t)."""
    arms = range(len(game.pulls))
    game.pull_each_once()
    while True:
        level = exploration(len(game.history), c)
        game.pull(game.best(arms, [kl_index(game, arm, level, width) for arm in arms]))


def ucb1(game):
    """UCB1; Auer et al. 2002: the highest mean + sqrt(2 log t / N_k)."""
    arms = range(len(game.pulls))
    game.pull_each_once()
    while True:
        log_t = math.log(len(game.history))
        radii = [math.sqrt(2.0 * log_t / game.pulls[arm]) for arm in arms]
        game.pull(game.best(arms, [game.mean(arm) + radii[arm] for arm in arms]))


def ts(game):
    """Thompson sampling with a uniform prior on every arm, no warm-up."""
    arms = range(len(game.pulls))
    while True:
        game.pull(game.best(arms, [game.sample(arm) for arm in arms]))


def active(stand_in):
    """The lines still in play: those that stand for themselves."""
    return [line for line in range(len(stand_in)) if stand_in[line] == line]


def merge(game, stand_in, bounds, strict):
    """h(i) <- best wherever UCB(h(i)) <= LCB(best), or < if strict; best = the highest LCB.

    `bounds` holds the pair (LCB, UCB) of every line; those of lines out of play are not read.
    """
    lines = active(stand_in)
    best = game.best(lines, [bounds[line][0] for line in lines])
    lowest = bounds[best][0]
    merged = []
    for line in stand_in:
        upper = bounds[line][1]
        beaten = upper < lowest or (upper == lowest and not strict)
        merged.append(best if beaten else line)
    return merged


def eliminate(game, first, shrink, bounds, fresh=False, strict=False, phantoms=False):
    """Rank1Elim's stages; `bounds(mean, count)` gives (LCB, UCB) of a row or a column.

    Stage l ends when every active row was pulled n_l = ceil(first D^-2 log n) times with random
    columns, and every active column with random rows; D is divided by `shrink` from stage to stage.
    A random column is drawn among all L and replaced by its stand-in h_V: one for all rows of a
    repetition, or one for each row pulled (`fresh`). Rows' wins and columns' wins are kept apart.

    `phantoms`: every cell starts with one pull of reward 0, in the rows' table and in the columns'.
    A row's statistics are sums over its L cells, so its count is n_l + L, in the mean as in the
    bounds; a column's is n_l + K. (The average of cell means is another reading of the
    same words: it gives half as much regret again as published at K = 128.)
    """
    rows, columns = game.shape
    row_stand_in, column_stand_in = list(range(rows)), list(range(columns))
    row_wins, column_wins = [0] * rows, [0] * columns
    gap, done = 1.0, 0

    def random_row():
        return row_stand_in[int(game.rng.random() * rows)]

    def random_column():
        return column_stand_in[int(game.rng.random() * columns)]

    while True:
        # At horizon 1 the logarithm is 0, and a stage without a pull would never end.
        until = max(1, math.ceil(first / (gap * gap) * math.log(game.horizon)))
        for _ in range(until - done):
            column = None if fresh else random_column()
            for row in active(row_stand_in):
                partner = random_column() if fresh else column
                row_wins[row] += game.pull(row * columns + partner)
            row = None if fresh else random_row()
            for column in active(column_stand_in):
                partner = random_row() if fresh else row
                column_wins[column] += game.pull(partner * columns + column)
        done, gap = until, gap / shrink
        row_count = until + (columns if phantoms else 0)
        column_count = until + (rows if phantoms else 0)
        row_bounds = [bounds(wins / row_count, row_count) for wins in row_wins]
        column_bounds = [bounds(wins / column_count, column_count) for wins in column_wins]
        row_stand_in = merge(game, row_stand_in, row_bounds, strict)
        column_stand_in = merge(game, column_stand_in, column_bounds, strict)


def rank1elim(game):
    """Rank1Elim; Katariya et al., AISTATS 2017: bounds mean -/+ sqrt(log n / n_l)."""

    def bounds(mean, count):
        radius = math.sqrt(math.log(game.horizon) / count)
        return mean - radius, mean + radius

    eliminate(game, 4, 2.0, bounds)


def rank1elim_kl(game, variant="paper"):
    """Rank1ElimKL; Katariya et al., IJCAI 2017: KL bounds, count * kl(mean, q) <= level.

    "paper": level log n + 3 log log n. "trinh": level 1.1 log n, and D shrinks by 1.5 only.
    "released": level log t + log log t at the end of the stage, ten bisections a bound, a fresh
    partner for each pull, phantom pulls, and strict elimination.
    """

    def exact(level):
        def bounds(mean, count):
            return kl_lower(mean, level / count), kl_upper(mean, level / count)

        return bounds

    def crude(mean, count):
        d = exploration(len(game.history), 1) / count
        return bracket_lower(mean, d, 10), bracket_upper(mean, d, steps=10)

    if variant == "paper":
        eliminate(game, 16, 2.0, exact(exploration(game.horizon, 3)))
    elif variant == "trinh":
        eliminate(game, 16, 1.5, exact(1.1 * math.log(game.horizon)))
    elif variant == "released":
        eliminate(game, 16, 2.0, crude, fresh=True, strict=True, phantoms=True)
    else:
        raise ValueError(f"variant {variant!r} is none of paper, released, trinh")


POLICIES = {
    "uts": uts,
    "osub": osub,
    "kl_ucb": kl_ucb,
    "ucb1": ucb1,
    "ts": ts,
    "rank1elim": rank1elim,
    "rank1elim_kl": rank1elim_kl,
}
