"""Naive twins of the policies that play by phases, and of OSSB: see reference.py.

The generator is asked as there. Further: a shuffle goes from the last place to the second, and
swaps the item there with that at `int(random() * (place + 1))`.
"""

import math
from itertools import product

from helpers.reference import eliminate, kl


def ossb(game, g=0, eps=0, settle=True, evidence=None):
    """OSSB, unimodal form; Combes, Magureanu, Proutiere 2017.

    c_k = 1 / kl(mean_k, mean_L) may be infinite: N_k / c_k is compared as N_k kl(mean_k, mean_L).
    """
    if evidence is None:

        def evidence(leader, arm):
            return game.pulls[arm] * kl(game.mean(arm), game.mean(leader))

    explorations = 0
    game.pull_each_once()
    while True:
        leader = game.leader()
        others = [arm for arm in game.neighbourhoods[leader] if arm != leader]
        weights = [evidence(leader, arm) for arm in others]
        lacking = [
            arm
            for arm, weight in zip(others, weights, strict=True)
            if not weight >= (1 + g) * math.log(len(game.history))
        ]
        if not lacking:
            game.pull(leader)
            continue
        explorations += 1
        if min(game.pulls) <= eps * explorations:
            game.pull(game.best(range(len(game.pulls)), [-n for n in game.pulls]))
            continue
        arm = game.best(others, [-weight for weight in weights])
        behind = [k for k in lacking if game.pulls[k] < math.sqrt(game.pulls[arm])]
        if settle and game.pulls[leader] < game.pulls[arm]:
            game.pull(leader)
        elif settle and behind:
            game.pull(min(behind, key=lambda k: game.pulls[k]))
        else:
            game.pull(arm)


def ossb_rank_one(game, g=0, eps=0, settle=True):
    """OSSB, rank-one form: the means of the leader's row and column are fitted first."""
    _, columns = game.shape

    def evidence(leader, arm):
        (i, j), (a, b) = divmod(leader, columns), divmod(arm, columns)
        top = game.mean(leader)
        if a == i:  # a column: fit it to the leader's
            pairs = [(k * columns + b, k * columns + j) for k in range(game.shape[0])]
        else:
            pairs = [(a * columns + k, i * columns + k) for k in range(columns)]
        squares = sum(game.pulls[cell] * game.mean(pilot) ** 2 for cell, pilot in pairs)
        if squares == 0:
            return 0.0
        rho = sum(game.wins[cell] * game.mean(pilot) for cell, pilot in pairs) / squares
        return game.pulls[arm] * kl(rho * top, top) if rho < 1 else 0.0

    ossb(game, g, eps, settle, evidence)


def compete(game, arms, slope, samples):
    """Pull all arms equally often by stages; after each stage give (means, radius)."""
    log_2t = math.log(2 * game.horizon)
    wins = dict.fromkeys(arms, 0)
    done, until = 0, math.ceil(samples * log_2t / slope**2)
    while True:
        turn = math.ceil((until - done) / 256)
        while done < until:
            more = min(turn, until - done)
            for arm in arms:
                wins[arm] += sum(game.pull(arm) for _ in range(more))
            done += more
        arms = yield {arm: wins[arm] / done for arm in arms}, math.sqrt(log_2t / (2 * done))
        until *= 2


def lse(game, slope=0.1, samples=2):
    """Line search elimination; Yu and Mannor 2011: see the policy's docstring."""
    ends = [arm for arm, hood in enumerate(game.neighbourhoods) if len(hood) <= 2]
    line = [ends[0]]
    while len(line) < len(game.pulls):
        line += [arm for arm in game.neighbourhoods[line[-1]] if arm not in line]
    while len(line) > 1:
        fibonacci = [1, 1]
        while fibonacci[-1] <= len(line):
            fibonacci.append(fibonacci[-1] + fibonacci[-2])
        left, right = line[fibonacci[-3] - 1], line[fibonacci[-2] - 1]
        contest = compete(game, [left, right], slope, samples)
        means, radius = next(contest)
        while abs(means[left] - means[right]) <= 2 * radius:
            means, radius = contest.send([left, right])
        if means[left] < means[right]:
            line = line[line.index(left) + 1 :]
        else:
            line = line[: line.index(right)]
    while True:
        game.pull(line[0])


def glse(game, slope=0.1, samples=2):
    """Its form for graphs: from arm 0, by eliminations around an arm, along a path."""
    here, out = 0, set()
    while True:
        arms = [arm for arm in game.neighbourhoods[here] if arm not in out]
        contest = None
        while len(arms) > 1 and here not in out:
            if contest is None:
                contest = compete(game, arms, slope, samples)
                means, radius = next(contest)
            else:
                means, radius = contest.send(arms)
            best = game.best(arms, [means[arm] for arm in arms])
            out |= {arm for arm in arms if means[arm] + radius < means[best] - radius}
            arms = [arm for arm in arms if arm not in out]
        if here in out:
            here = best
            continue
        while True:
            game.pull(here)


def pair_elim(game):
    """PairElim; Sentenac et al. 2021, rank-one form: a test for each partner, and a pooled one."""
    log_t = math.log(game.horizon)
    sizes = game.shape
    stand_in = [list(range(size)) for size in sizes]
    tests = [{}, {}]  # of each side, by partner: wins of the lines, samples, stage

    def active(side):
        return [line for line in range(sizes[side]) if stand_in[side][line] == line]

    def decide(side, test):
        wins, samples, stage = test
        if samples < math.ceil(4 * 4**stage * log_t):
            return
        test[2] += 1
        lines = active(side)
        means = {line: wins[line] / samples for line in lines}
        best = game.best(lines, [means[line] for line in lines])
        radius = math.sqrt(log_t / samples)
        gone = {line for line in lines if means[line] + radius < means[best] - radius}
        stand_in[side] = [best if line in gone else line for line in stand_in[side]]

    while True:
        partners = []
        for side in (0, 1):
            partner = stand_in[1 - side][int(game.rng.random() * sizes[1 - side])]
            partners.append(partner)
            for line in active(side):
                row, column = (line, partner) if side == 0 else (partner, line)
                win = game.pull(row * sizes[1] + column)
                for name in (partner, "all"):
                    test = tests[side].setdefault(name, [[0] * sizes[side], 0, 0])
                    test[0][line] += win
        for side in (0, 1):
            for name in (partners[side], "all"):
                tests[side][name][1] += 1
                decide(side, tests[side][name])


class Anew(Exception):
    """The horizon that a game was told is reached, but not its own."""


class Window:
    """A game that says it is over sooner, for a policy that is played anew."""

    def __init__(self, game, horizon):
        self._game, self.horizon = game, horizon

    def __getattr__(self, name):
        return getattr(self._game, name)

    def pull(self, arm):
        win = self._game.pull(arm)
        if len(self._game.history) >= self.horizon:
            raise Anew
        return win


def rank1elim_doubling(game):
    """Rank1Elim, played anew for the horizons 2^(2^w)."""
    horizon = 2
    while True:
        log_n = math.log(horizon)

        def bounds(mean, count, log_n=log_n):
            return mean - math.sqrt(log_n / count), mean + math.sqrt(log_n / count)

        try:
            eliminate(Window(game, horizon), 4, 2.0, bounds)
        except Anew:
            horizon = horizon**2


def tea(game, constant=12):
    """TEA; Zimmert and Seldin 2018, any number of factors."""
    arm_of = {atoms: arm for arm, atoms in enumerate(product(*map(range, game.shape)))}
    factors = [
        {(a, b): [0.0, 0] for a in range(size) for b in range(size) if a != b}
        for size in game.shape
    ]  # of each pair: D, N

    def surely_worse(b, pairs, size, t):
        f = (t + 1) * math.log(t + 1) ** 2
        for (_, other), (ahead, n) in pairs.items():
            if other == b and n and ahead / n > math.sqrt(constant * math.log(2 * size * f) / n):
                return True
        return False

    def shuffles(items, length):
        order = []
        while len(order) < length:
            items = sorted(items)
            for place in range(len(items) - 1, 0, -1):
                other = int(game.rng.random() * (place + 1))
                items[place], items[other] = items[other], items[place]
            order += items
        return order[:length]

    while True:
        t = len(game.history)
        active = []
        for size, pairs in zip(game.shape, factors, strict=True):
            left = [b for b in range(size) if not surely_worse(b, pairs, size, t)]
            active.append(left or list(range(size)))
        length = max(len(atoms) for atoms in active)
        plan = [shuffles(atoms, length) for atoms in active]
        wins = [game.pull(arm_of[atoms]) for atoms in zip(*plan, strict=True)]
        for order, pairs in zip(plan, factors, strict=True):
            seen = {
                a: [win for atom, win in zip(order, wins, strict=True) if atom == a] for a in order
            }
            for a, b in product(seen, seen):
                if a != b:
                    n = min(len(seen[a]), len(seen[b]))
                    means = sum(seen[a]) / len(seen[a]), sum(seen[b]) / len(seen[b])
                    pairs[a, b][0] += n * (means[0] - means[1])
                    pairs[a, b][1] += n


POLICIES = {
    "glse": glse,
    "lse": lse,
    "ossb": ossb,
    "ossb_rank_one": ossb_rank_one,
    "pair_elim": pair_elim,
    "rank1elim_doubling": rank1elim_doubling,
    "tea": tea,
}
