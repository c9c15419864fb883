"""Classes of equal counts: the law of a round and of whole runs, with many arms and any prior."""

import types

import numpy as np
import pytest
from helpers import chance
from scipy import special, stats

import rankone
from rankone.engine.counts import no_counts, record
from rankone.fast.declared import Leader, NoSettings, beta_sampling
from rankone.fast.posterior_classes import (
    SLOTS,
    build_sums,
    choose_level,
    draw_leaf,
    largest_sample,
    make_classes,
    note_pulls,
    set_sum,
    slot_of,
)
from rankone.fast.posterior_tails import make_prior
from rankone.simulation import simulate

PRIORS = [(1.0, 1.0), (0.5, 0.5), (2.0, 0.7)]


def played(arms, prior, seed, most=40):
    """Counts of arms pulled up to `most` times, in random order, and their classes."""
    rng = np.random.default_rng(seed)
    counts, classes = no_counts(arms), make_classes(arms, make_prior(*prior))
    for arm in rng.permutation(np.repeat(np.arange(arms), rng.integers(0, most, arms))):
        wins = int(rng.random() < 0.3)
        record(counts, arm, 1, wins)
        note_pulls(classes, counts, arm, 1, wins)
    return counts, classes


def test_every_arm_is_in_its_class():
    counts, classes = played(60, (1.0, 1.0), 1)
    assert sorted(classes.order) == list(range(60))
    for arm in range(60):
        slot = slot_of(counts.pulls[arm], counts.wins[arm])
        assert classes.order[classes.place[arm]] == arm
        assert classes.first[slot] <= classes.place[arm] < classes.first[slot + 1]
    assert classes.first[SLOTS] < 60, "no arm is too old for a class"


def law(counts, prior):
    """The probability of each arm to have the largest sample, by integration."""
    a, b = counts.wins + prior[0], counts.pulls - counts.wins + prior[1]
    cuts = [special.betaincinv(a[k], b[k], np.linspace(0.0, 1.0, 41)) for k in range(len(a))]
    cuts += [special.betainccinv(a[k], b[k], np.logspace(-12, -2, 21)) for k in range(len(a))]
    edges = np.unique(np.concatenate([[0.0, 1.0], *cuts]))
    nodes, weights = np.polynomial.legendre.leggauss(8)
    half = np.diff(edges)[:, None] / 2.0
    x = np.clip((edges[:-1, None] + half) + half * nodes, 1e-300, 1 - 1e-16)
    log_below = np.array([np.log(special.betainc(a[k], b[k], x)) for k in range(len(a))])
    total = log_below.sum(axis=0)
    density = [stats.beta.pdf(x, a[k], b[k]) for k in range(len(a))]
    return np.array(
        [np.sum(weights * half * density[k] * np.exp(total - log_below[k])) for k in range(len(a))]
    )


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("arms", "most"), [(5, 4), (40, 6), (12, 60)])
def test_a_round_has_its_law(prior, arms, most):
    counts, classes = played(arms, prior, 3, most)
    share = law(counts, prior)
    assert share.sum() == pytest.approx(1.0, abs=1e-3)
    rng = np.random.default_rng(chance.seed(5))
    rounds = 6_000
    chosen = np.bincount(
        [largest_sample(classes, counts, rng) for _ in range(rounds)], minlength=arms
    )
    seen = rounds * share > 8.0
    z = (chosen - rounds * share)[seen] / np.sqrt(rounds * share * (1 - share))[seen]
    chance.assert_normal(z)


def test_a_level_has_the_flags_that_are_wanted():
    counts, classes = played(300, (1.0, 1.0), 2)
    choose_level(classes, counts)
    flags = classes.flags[1] + classes.old_flags[1]
    assert flags == pytest.approx(classes.wanted[1], rel=0.12)
    tails = special.betaincc(counts.wins + 1.0, counts.pulls - counts.wins + 1.0, classes.level[0])
    assert flags == pytest.approx(-np.log1p(-tails).sum(), rel=1e-9)


def declared(prior, around_leader, **options):

    module = types.ModuleType(f"sampling_{prior}_{around_leader}".replace(".", "_"))
    module.policy = beta_sampling(prior, around_leader=around_leader, **options)
    module.configure = lambda problem: NoSettings(Leader(3.0, 1, warm_up=False))
    return module


# more than FEW arms in all, and more than AROUND of them around a leader (sampling_engines.py)
WIDE = rankone.rank_one([0.8] + [0.4] * 2, [0.8] + [0.4] * 10)
LINE = rankone.graph([0.2, 0.5, 0.8, 0.5, 0.2], [(k, k + 1) for k in range(4)])


@pytest.mark.parametrize("around_leader", [False, True])
@pytest.mark.parametrize("prior", [(0.5, 0.5), (2.0, 3.0), (3.0, 0.2)])
@pytest.mark.parametrize("instance", [WIDE, LINE], ids=["wide", "line"])
def test_whole_runs_have_the_law_of_the_plain_engine(prior, around_leader, instance):
    module = declared(prior, around_leader)
    plain, fast = (
        simulate(module, instance, 600, runs, seed, checkpoints=[60, 200, 600], exact=exact)
        for seed, exact, runs in ((chance.seed(1), "plain", 2000), (chance.seed(2), "fast", 6000))
    )
    for one, other in zip(plain.regret.T, fast.regret.T, strict=True):
        chance.assert_same_law(one, other)
    for one, other in zip(plain.pulls.T, fast.pulls.T, strict=True):
        chance.assert_same_law(one, other)


@pytest.mark.parametrize("leaves", [1, 2, 4, 8, 16, 32])
def test_a_leaf_is_where_a_number_falls_in_the_sums(leaves):
    """With any number of generations; and never a leaf of value 0, whatever rounding does."""
    rng = np.random.default_rng(leaves)
    values = rng.random(leaves) * (rng.random(leaves) < 0.7)
    values[rng.integers(leaves)] = 1.0
    tree = np.zeros(2 * leaves)
    for leaf in rng.permutation(leaves):
        set_sum(tree, leaf, values[leaf])
    built = np.concatenate([np.zeros(leaves), values])
    build_sums(built)
    np.testing.assert_array_equal(tree[1:], built[1:])
    for uniform in rng.random(300):
        drawn = draw_leaf(tree, types.SimpleNamespace(random=lambda uniform=uniform: uniform))
        assert drawn == np.searchsorted(np.cumsum(values), uniform * values.sum(), side="right")
    for uniform in (0.0, 1.0 - 2.0**-53, 1.0, 1.0 + 2.0**-52):
        drawn = draw_leaf(tree, types.SimpleNamespace(random=lambda uniform=uniform: uniform))
        assert values[drawn] > 0.0
