"""OSSB's commitments: the arms of the plain version, its law, and no run that gets stuck."""

import numpy as np
import pytest
from helpers import versions
from helpers.versions import LINE, MATRIX, TENSOR, assert_same_arms, assert_same_law, random_graph

import rankone
from rankone.engine.compiled import kernel
from rankone.engine.kl import kl
from rankone.fast import _ossb
from rankone.fast import ossb as fast
from rankone.policies._ossb import level

INSTANCES = {
    "line": LINE,
    "matrix": MATRIX,
    "tensor": TENSOR,
    "graph": random_graph(1),
    "another graph": random_graph(2),
    "a sure arm": rankone.rank_one([1.0, 0.9], [1.0, 0.4, 0.3]),
    "close": rankone.rank_one([0.52, 0.5, 0.5], [0.52, 0.5]),
    "rare": rankone.rank_one([0.1, 0.05], [0.1, 0.02, 0.0]),
    "zeros": rankone.graph([0.0, 0.0, 0.3, 0.0], [(0, 1), (1, 2), (2, 3)], unimodal=False),
    "one arm": rankone.graph([0.4], []),
    "two arms": rankone.graph([0.4, 0.5], [(0, 1)]),
}


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("parameters", [{}, {"g": 0.3}, {"eps": 0.05}, {"settle": False}], ids=str)
def test_the_same_arms_as_the_plain_version(name, parameters):
    assert_same_arms("ossb", INSTANCES[name], **parameters)


def test_most_rounds_are_not_decided():
    assert assert_same_arms("ossb", LINE, 60_000) > 0.95


@pytest.mark.parametrize("total", [10**7, 10**12])
def test_the_same_arms_late_in_a_run(total):
    """The competitors have just about the pulls that ln t asks for: the leader is on the edge."""
    rng = np.random.default_rng(3)
    means = [0.5, 0.8, 0.6]
    line = rankone.graph(means, [(0, 1), (1, 2)])
    some = 0
    for trial in range(40):
        past = np.zeros((3, 2), np.int64)
        past[1] = total, round(0.8 * total) + int(rng.normal(0, 0.4 * total**0.5))
        for k in (0, 2):
            kl = means[k] * np.log(means[k] / 0.8) + (1 - means[k]) * np.log((1 - means[k]) / 0.2)
            pulls = int(np.log(total) / kl) + int(rng.integers(-1, 3))
            past[k] = pulls, round(means[k] * pulls)
        some += assert_same_arms("ossb", line, 3000, 1, past) < 1 - 2 / 3000
        assert trial < 39 or some > 5, "no competitor was explored"


@pytest.mark.parametrize("name", ["line", "matrix", "tensor", "graph", "another graph"])
def test_the_law_is_that_of_the_plain_version(name):
    assert_same_law("ossb", INSTANCES[name], runs=7200, visible=0.1)


def test_on_the_guard_the_evidence_is_enough_to_the_last_bit():
    """At the end of a commitment, with the least mean that the guard allows."""
    rng, tight = np.random.default_rng(6), 0
    for _ in range(200):
        total = int(10 ** rng.uniform(3, 6))
        problem = LINE.problem(10 * total)
        state = fast.start(problem, fast.configure(problem))
        leader = LINE.best
        for k in range(LINE.arms):
            pulls = total if k == leader else int(rng.uniform(1.3, 3) * np.log(total) / 0.05)
            fast.observe(state, k, pulls, int(LINE.means[k] * pulls))
        t = int(state.plain.counts.pulls.sum())
        found = fast.decide(state, t, rng)
        if found.rounds > 1:
            size = fast.weigh(state.plain, leader)
            others = state.plain.competitors[:size]
            pulls, means = state.plain.counts.pulls[others], state.plain.counts.means[others]
            evidence = min(n * kl(p, found.slope) for n, p in zip(pulls, means, strict=True))
            needed = level(t + found.rounds, state.plain.settings)
            assert evidence >= needed
            tight += evidence < needed * (1.0 + 1e-9)
    assert tight > 20, "the means of other arms, not the evidence, set the guard"


def no_level(state, position, level, mean):
    return mean


def test_a_commitment_that_is_too_long_is_seen(monkeypatch):
    """An engine that forgets how much evidence is needed until the end of a commitment."""
    careless = _ossb.leaping(fast.weigh, kernel(no_level))
    plain, _ = versions.engines("ossb")
    monkeypatch.setattr(versions, "engines", lambda policy: [plain, careless])
    with pytest.raises(AssertionError):
        assert_same_arms("ossb", LINE)


# Ties, gaps of zero, means of 0 and of 1: where a rule that divides by kl, or counts the leader in,
# stays with a wrong arm for ever.
AWKWARD = {
    "equal neighbours": rankone.rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25, 0.25]),
    "mean one": rankone.rank_one([1.0, 0.5, 0.5], [1.0, 0.5]),
    "mean zero": rankone.graph(
        [0.0, 0.0, 0.5, 0.0, 0.0], [(0, 1), (1, 2), (2, 3), (0, 4), (4, 2)], unimodal=False
    ),
    "equal rivals": rankone.graph([0.6] * 5 + [0.9], [(j, k) for k in range(6) for j in range(k)]),
    "long line": rankone.graph(np.linspace(0.1, 0.9, 17).tolist(), [(k, k + 1) for k in range(16)]),
    "tensor": rankone.tensor([0.9, 0.3, 0.3], [0.9, 0.3], [0.9, 0.3]),
}


@pytest.mark.parametrize("policy", ["ossb", "ossb_rank_one"])
@pytest.mark.parametrize("name", AWKWARD)
def test_no_run_gets_stuck(policy, name):
    """Runs of many lengths, in which nearly all rounds go to the best arm."""
    instance = AWKWARD[name]
    if policy == "ossb_rank_one" and not instance.rows:
        pytest.skip("not a matrix")
    for horizon, runs, share in ((10**5, 500, 0.9), (10**8, 100, 0.99)):
        played = rankone.simulate(policy, instance, horizon, runs, checkpoints=[horizon])
        assert played.pulls[:, instance.best].min() > share * horizon


def test_without_settling_runs_get_stuck():
    """What the default is for: a leader that happens to have a neighbour's mean."""
    played = rankone.simulate("ossb", AWKWARD["equal neighbours"], 10**5, 400, settle=False)
    assert (played.regret[:, -1] > 3000).mean() > 0.01
