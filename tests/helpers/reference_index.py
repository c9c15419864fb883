"""Naive twins of the policies with an index, beyond those of reference.py; same conventions.

In addition: a smallest score is looked for as the largest of its negatives; epsilon_t-greedy asks
the generator once to decide whether to explore, and once more for the arm.
"""

import math

from helpers.reference import exploration, forces, kl, kl_upper

from rankone.engine.kl import kl_upper as rounded_kl_upper


def positive_log(x):
    """ln_+ x = max(0, ln x)."""
    return math.log(x) if x > 1.0 else 0.0


def by_index(game, index):
    """Each arm once, then the largest index(arm, t)."""
    arms = range(len(game.pulls))
    game.pull_each_once()
    while True:
        t = len(game.history)
        game.pull(game.best(arms, [index(arm, t) for arm in arms]))


def kl_ucb_plus(game, c=0):
    def index(arm, t):
        level = math.log(t / game.pulls[arm]) + exploration(t, c) - math.log(t)
        return kl_upper(game.mean(arm), level / game.pulls[arm])

    by_index(game, index)


def kl_ucb_h_plus(game, c=0):
    def index(arm, t):
        horizon = game.horizon
        level = math.log(horizon / game.pulls[arm]) + exploration(horizon, c) - math.log(horizon)
        return kl_upper(game.mean(arm), level / game.pulls[arm])

    by_index(game, index)


def kl_ucb_pp(game, power=2):
    def index(arm, t):
        x = game.horizon / len(game.pulls) / game.pulls[arm]
        level = positive_log(x * (1.0 + positive_log(x) ** power))
        return kl_upper(game.mean(arm), level / game.pulls[arm])

    by_index(game, index)


def ucb_alpha(game, alpha=0.5):
    by_index(
        game,
        lambda arm, t: game.mean(arm) + math.sqrt(alpha * math.log(t) / game.pulls[arm]),
    )


def moss(game, anytime=False, scale=1):
    def index(arm, t):
        share = (t if anytime else game.horizon) / len(game.pulls)
        radius = scale * positive_log(share / game.pulls[arm]) / game.pulls[arm]
        return game.mean(arm) + math.sqrt(radius)

    by_index(game, index)


def klucb_ub(game, plus=True):
    """The largest upper bound at ln(N_L / N_k) among the leader and its neighbours.

    An arm that has lost its only pull has the index 1 - 1 / N_L, and so has a leader with one loss:
    rounding decides who is larger. So this sum of logarithms and this exponential, and no others,
    and the bound as the engine rounds it, which test_kl.py holds against sixty digits.
    """

    def bound(arm, level):
        if game.wins[arm] == 0:
            return -math.expm1(-level / game.pulls[arm])
        return rounded_kl_upper(game.mean(arm), level / game.pulls[arm])

    game.pull_each_once()
    while True:
        leader = game.leader()
        hood = game.neighbourhoods[leader]
        bounds = []
        for arm in hood:
            level = math.log(game.pulls[leader]) - (math.log(game.pulls[arm]) if plus else 0.0)
            bounds.append(bound(arm, max(0.0, level)))
        game.pull(game.best(hood, bounds))


def ucb_u(game, alpha=2, gamma=math.inf, clock="global", warm_up=True):
    leads = [0] * len(game.pulls)
    if warm_up:
        game.pull_each_once()

    def index(arm, time):
        if game.pulls[arm] == 0:
            return math.inf
        return game.mean(arm) + math.sqrt(alpha * math.log(time) / game.pulls[arm])

    while True:
        leader = game.leader()
        leads[leader] += 1
        hood = game.neighbourhoods[leader]
        period = len(hood) if gamma == "degree" else gamma
        time = {"leader": leads[leader], "global": len(game.history)}[clock]
        if forces(leads[leader], period, 1):
            game.pull(leader)
        else:
            game.pull(game.best(hood, [index(arm, time) for arm in hood]))


def least_divergence(game, candidates):
    """The smallest N_k kl(m_k, max m) + ln N_k of the candidates, given the list of leaders."""
    game.pull_each_once()
    while True:
        means = [game.mean(arm) for arm in range(len(game.pulls))]
        leaders = [arm for arm, mean in enumerate(means) if mean == max(means)]
        arms = candidates(leaders)
        costs = [
            game.pulls[arm] * kl(means[arm], max(means)) + math.log(game.pulls[arm]) for arm in arms
        ]
        game.pull(game.best(arms, [-cost for cost in costs]))


def imed(game):
    least_divergence(game, lambda leaders: list(range(len(game.pulls))))


def imed_ub(game):
    def around(leaders):
        return sorted({arm for leader in leaders for arm in game.neighbourhoods[leader]})

    least_divergence(game, around)


def epsilon_greedy(game, c=5):
    arms = len(game.pulls)
    while True:
        t = len(game.history)
        epsilon = min(1.0, c * arms / t) if t > 0 else 1.0
        if game.rng.random() < epsilon:
            game.pull(int(game.rng.random() * arms))
        else:
            game.pull(game.leader())


class Window:
    """What SW-OSUB knows: the last rounds, as (arm, reward), and the last leaders."""

    def __init__(self, game, size):
        self.game, self.size, self.rounds, self.leaders = game, size, [], []

    def pulls(self, arm):
        return sum(1 for pulled, _ in self.rounds[-self.size :] if pulled == arm)

    def mean(self, arm):
        wins = sum(reward for pulled, reward in self.rounds[-self.size :] if pulled == arm)
        return wins / self.pulls(arm) if self.pulls(arm) else 0.0

    def pull(self, arm):
        self.rounds.append((arm, self.game.pull(arm)))


def sw_osub(game, tau=10_000, gamma="degree", c=3):
    if gamma == "degree":
        gamma = max(2, *(len(hood) for hood in game.neighbourhoods))
    seen = Window(game, tau + 1)
    arms = range(len(game.pulls))

    def index(arm, level):
        pulls, mean = seen.pulls(arm), seen.mean(arm)
        return 1.0 if pulls == 0 else kl_upper(mean, level / pulls)

    while True:
        leader = game.best(arms, [seen.mean(arm) for arm in arms])
        seen.leaders.append(leader)
        count = seen.leaders[-seen.size :].count(leader)
        if forces(count, gamma, 1):
            seen.pull(leader)
        else:
            hood = game.neighbourhoods[leader]
            level = exploration(count, c)
            seen.pull(game.best(hood, [index(arm, level) for arm in hood]))


POLICIES = {
    "kl_ucb_plus": kl_ucb_plus,
    "kl_ucb_h_plus": kl_ucb_h_plus,
    "kl_ucb_pp": kl_ucb_pp,
    "ucb_alpha": ucb_alpha,
    "moss": moss,
    "klucb_ub": klucb_ub,
    "ucb_u": ucb_u,
    "imed": imed,
    "imed_ub": imed_ub,
    "epsilon_greedy": epsilon_greedy,
    "sw_osub": sw_osub,
}
