"""Young arms around a leader: the law of a round, and of whole runs in large neighbourhoods."""

import math

import numpy as np
import pytest
from helpers import chance
from helpers.frozen import law
from scipy import special, stats

import rankone
from rankone.engine.compiled import entry
from rankone.engine.counts import no_counts, record
from rankone.engine.memory import as_argument
from rankone.fast import posterior_crowd as crowds
from rankone.fast.posterior_tails import make_prior

UNIFORM = make_prior(1.0, 1.0)


def counts_of(pulls, wins):
    counts = no_counts(len(pulls))
    for arm, (n, s) in enumerate(zip(pulls, wins, strict=True)):
        if n > 0:
            record(counts, arm, int(n), int(s))
    return counts


def crowd_around(leader, counts, around, prior=UNIFORM):
    crowd = crowds.make_crowd(len(counts.pulls), len(around), prior)
    crowds.gather(crowd, counts, leader, np.array(around))
    return crowd


def winners(crowd, counts, rounds, wanted):
    """How often each arm has the largest sample, with about so many flags in a round."""
    crowd.wanted[:] = 0.99 * wanted, wanted, 1.01 * wanted
    crowd.level[:] = 0.0
    rng = np.random.default_rng(chance.seed(5))
    return _winners(as_argument(crowd), as_argument(counts), rounds, rng)


@entry
def _winners(crowd, counts, rounds, rng):
    crowds.choose_level(crowd, counts)
    crowd.wanted[0], crowd.wanted[2] = 0.0, math.inf
    chosen = np.zeros(len(counts.pulls), np.int64)
    for _ in range(rounds):
        chosen[crowds.largest_sample(crowd, counts, rng)] += 1
    return chosen


STATES = {
    "young": ([30, 0, 1, 1, 2, 3, 3, 5, 8, 13, 2, 2], [15, 0, 0, 1, 1, 1, 2, 1, 3, 5, 0, 1]),
    "an old leader": ([4000, 40, 60, 90, 30, 50, 80], [2200, 20, 31, 44, 14, 22, 45]),
    "a leader among equals": ([600, 590, 580, 700, 650], [302, 290, 280, 345, 320]),
    "a sure arm": ([20, 10, 5, 3, 4], [20, 10, 4, 3, 2]),
    "no win yet": ([50, 20, 30, 40], [1, 0, 0, 0]),
}


@pytest.mark.parametrize("wanted", [0.3, 1.5, 5.0])
@pytest.mark.parametrize("name", STATES)
def test_a_round_has_its_law(name, wanted):
    """400 000 rounds, with few flags (nobody is above the level, most times) and with many."""
    pulls, wins = (np.array(numbers) for numbers in STATES[name])
    counts, arms = counts_of(pulls, wins), list(range(len(pulls)))
    rounds, share = 400_000, law((pulls, wins), arms)
    chosen = winners(crowd_around(0, counts, arms), counts, rounds, wanted)
    seen = rounds * share > 20.0
    z = (chosen - rounds * share)[seen] / np.sqrt(rounds * share * (1.0 - share))[seen]
    chance.assert_normal(z)


@pytest.mark.parametrize("prior", [(0.5, 0.5), (2.0, 0.7), (3.0, 0.2)])
def test_a_round_has_its_law_for_any_prior(prior):
    """Against plain sampling: 300 000 rounds of both."""
    rng = np.random.default_rng(chance.seed(1))
    pulls = np.array([25, 0, 1, 3, 6, 9, 12])
    wins = np.array([11, 0, 1, 1, 2, 6, 3])
    counts, rounds = counts_of(pulls, wins), 300_000
    theta = rng.beta(wins + prior[0], pulls - wins + prior[1], (rounds, len(pulls)))
    plain = np.bincount(theta.argmax(axis=1), minlength=len(pulls))
    crowd = crowd_around(0, counts, range(len(pulls)), make_prior(*prior))
    chosen = winners(crowd, counts, rounds, 1.5)
    chance.assert_likely(stats.chi2_contingency(np.array([plain, chosen])).pvalue)


def test_an_error_of_five_per_cent_is_seen():
    """Flags at 95 % of their rate: the test above fails by far."""
    pulls, wins = (np.array(numbers) for numbers in STATES["an old leader"])
    counts, arms = counts_of(pulls, wins), list(range(len(pulls)))
    rounds, share = 400_000, law((pulls, wins), arms)
    crowd = crowd_around(0, counts, arms)
    crowds.choose_level(crowd, counts)
    crowd.flags[:] *= 0.95
    crowd.wanted[:] = 0.0, 1.0, math.inf
    rng = np.random.default_rng(5)
    chosen = _rounds(as_argument(crowd), as_argument(counts), rounds, rng)
    z = (chosen - rounds * share) / np.sqrt(rounds * share * (1.0 - share))
    assert np.abs(z).max() > 6.0


@entry
def _rounds(crowd, counts, rounds, rng):
    chosen = np.zeros(len(counts.pulls), np.int64)
    for _ in range(rounds):
        chosen[crowds.largest_sample(crowd, counts, rng)] += 1
    return chosen


def test_flags_bound_the_tails_whatever_happened_before():
    """Pulls, new leaders and new levels: every rate is that of the counts as they are."""
    rng = np.random.default_rng(2)
    arms = 24
    counts = no_counts(arms)
    crowd = crowds.make_crowd(arms, 14, UNIFORM)
    looked_at = 0
    for _ in range(300):
        if rng.random() < 0.3 or crowd.leader[0] < 0:
            around = np.sort(rng.choice(arms, 14, replace=False))
            crowds.gather(crowd, counts, int(rng.choice(around)), around)
        if rng.random() < 0.2 or crowd.level[0] == 0.0:
            crowds.choose_level(crowd, counts)
        arm = int(rng.integers(arms))
        record(counts, arm, 1, int(rng.random() < 0.4))
        crowds.note_pull(crowd, counts, arm)
        rivals = crowd.rivals[: crowd.size[0]]
        half = len(crowd.flags) // 2
        flags = -np.expm1(-crowd.flags[half : half + len(rivals)])
        wins, losses = counts.wins[rivals], counts.pulls[rivals] - counts.wins[rivals]
        tails = special.betaincc(wins + 1.0, losses + 1.0, crowd.level[0])
        assert crowd.leader[0] not in rivals
        assert np.all(flags * (1.0 + 1e-9) >= tails)
        exact = crowd.mass[rivals] > 0.0
        assert flags[exact] == pytest.approx(tails[exact], rel=1e-8)
        assert crowd.flags[1] == pytest.approx(crowd.flags[half : half + len(rivals)].sum())
        assert np.all(crowd.flags[half + len(rivals) :] == 0.0)
        looked_at += np.sum(~exact)
    assert looked_at > 1000


def test_a_level_has_the_flags_that_are_wanted():
    rng = np.random.default_rng(3)
    for most in (1, 5, 100, 10**6):
        pulls = rng.integers(0, most, 30)
        counts = counts_of(pulls, rng.binomial(pulls, 0.3))
        crowd = crowd_around(0, counts, range(30))
        crowds.choose_level(crowd, counts)
        assert crowd.wanted[0] < crowd.flags[1] < crowd.wanted[2]


class Cell:
    """A comparison of fast and plain on an instance with neighbourhoods that are large enough."""

    def __init__(self, instance, horizon, runs, **parameters):
        self.instance, self.horizon, self.runs = instance, horizon, runs
        self.parameters = parameters


def line(first, others, size):
    return [first] + [others] * (size - 1)


CELLS = {
    "close": Cell(rankone.rank_one(line(0.55, 0.5, 8), line(0.55, 0.5, 8)), 800, 5000),
    "apart": Cell(rankone.rank_one(line(0.9, 0.3, 9), line(0.8, 0.2, 7)), 1000, 6000, gamma=5),
    "never forced": Cell(
        rankone.rank_one(line(0.6, 0.5, 10), line(0.7, 0.5, 10)), 1000, 4000, gamma=math.inf
    ),
    "one of twenty": Cell(
        rankone.graph(line(0.5, 0.4, 20), [(i, j) for i in range(20) for j in range(i)]),
        600,
        7000,
        warm_up=False,
    ),
}


VISIBLE = 0.03  # the shift of the regret that is seen with a probability of 0.9


@pytest.mark.parametrize("name", CELLS)
def test_whole_runs_have_the_law_of_the_plain_policy(name):
    """Regret at four times, and pulls per arm."""
    cell = CELLS[name]
    checkpoints = np.unique(np.geomspace(100, cell.horizon, 4).astype(int))
    plain, fast = (
        rankone.simulate(
            "uts",
            cell.instance,
            cell.horizon,
            cell.runs,
            seed=seed,
            checkpoints=checkpoints,
            exact=exact,
            **cell.parameters,
        )
        for seed, exact in ((chance.seed(1), "plain"), (chance.seed(2), "fast"))
    )
    one, other = plain.regret[:, -1], fast.regret[:, -1]
    error = math.hypot(one.std(), other.std()) / math.sqrt(cell.runs)
    seen = (stats.norm.isf(chance.LEVEL / 2) + stats.norm.isf(0.1)) * error / one.mean()
    assert seen < VISIBLE, f"only a shift of {seen:.1%} would be seen"
    for one, other in zip(plain.regret.T, fast.regret.T, strict=True):
        chance.assert_same_law(one, other)
    for one, other in zip(plain.pulls.T, fast.pulls.T, strict=True):
        chance.assert_same_law(one, other)
