"""Every plain policy pulls the arms of its naive twin round by round, given the same generator."""

import math

import numpy as np
import pytest
import reference

import rankone
from rankone import simulation

HORIZON = 300
RUNS = 3

INSTANCES = {
    "symmetric": rankone.rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25, 0.25]),
    "K != L": rankone.rank_one([0.3, 0.9], [0.2, 0.5, 0.8]),
    "close means": rankone.rank_one([0.55, 0.5, 0.5], [0.55, 0.5, 0.5]),
    "zero in u": rankone.rank_one([0.0, 0.8, 0.4], [0.6, 0.9]),
    "sure win": rankone.rank_one([1.0, 0.5], [0.7, 1.0]),
    "one row": rankone.rank_one([0.9], [0.3, 0.6, 0.5]),
    "line": rankone.graph([0.1, 0.3, 0.5, 0.7, 0.4, 0.2], [(k, k + 1) for k in range(5)]),
    "star": rankone.graph([0.8, 0.2, 0.5, 0.5], [(0, 1), (0, 2), (0, 3)]),
}
MATRICES = [name for name, instance in INSTANCES.items() if instance.shape]

PARAMETERS = {
    "uts": [
        {},
        {"gamma": 2, "warm_up": False},
        {"gamma": 5},
        {"gamma": math.inf},
        {"gamma": math.inf, "warm_up": False},
        {"gamma": "degree"},
    ],
    "osub": [
        {},
        {"c": 0},
        {"gamma": 2, "c": 0},
        {"gamma": 5},
        {"gamma": math.inf},
        {"clock": "global", "forced": 0},
        {"clock": "global", "forced": 0, "width": 0.01},
        {"forced": 0, "c": 1.5},
        {"warm_up": False},
    ],
    "kl_ucb": [{}, {"c": 0}, {"width": 0.01}],
    "ucb1": [{}],
    "ts": [{}],
    "rank1elim": [{}],
    "rank1elim_kl": [{}, {"variant": "released"}, {"variant": "trinh"}],
}


def cases():
    for policy, choices in PARAMETERS.items():
        for parameters in choices:
            for name in MATRICES if policy.startswith("rank1elim") else INSTANCES:
                label = ",".join(f"{k}={v}" for k, v in parameters.items())
                yield pytest.param(policy, parameters, name, id=f"{policy}({label})-{name}")


def as_the_twin_says_it(policy, parameters):
    """The one default that the twin spells in another way: OSUB's gamma."""
    if policy == "osub" and parameters.get("gamma", "degree") == "degree":
        return {**parameters, "gamma": None}
    return parameters


def twin(policy, instance, horizon, rng, parameters):
    """The naive twin's arms, and the pulls of each arm after each round."""
    around = [instance.neighbourhood(k).tolist() for k in range(instance.arms)]
    arms = reference.play(
        policy,
        instance.means.tolist(),
        around,
        instance.shape,
        horizon,
        rng,
        **as_the_twin_says_it(policy, parameters),
    )
    return np.cumsum(np.eye(instance.arms, dtype=np.int64)[arms], axis=0)


def regret_of(counts, instance):
    """The pseudo-regret after each round, added up in the engine's order: equal to the bit."""
    total = np.zeros(len(counts))
    for k in range(instance.arms):
        total += counts[:, k] * (instance.means.max() - instance.means[k])
    return total


def plain(policy, instance, horizon, rng, parameters):
    module = simulation.load(policy, "plain")
    problem = instance.problem(horizon)
    settings = module.configure(problem, **simulation.resolve(policy, parameters))
    every_round = np.arange(1, horizon + 1)
    return module.run(instance.means, problem, settings, every_round, rng)


def same(policy, instance, horizon, seed, parameters):
    here, there = np.random.default_rng(seed), np.random.default_rng(seed)
    regret, pulls = plain(policy, instance, horizon, here, parameters)
    counts = twin(policy, instance, horizon, there, parameters)
    np.testing.assert_array_equal(regret, regret_of(counts, instance))
    np.testing.assert_array_equal(pulls, counts[-1])
    assert here.random() == there.random(), "one of the two has drawn more numbers"


def test_there_is_a_case_for_every_policy():
    assert sorted(PARAMETERS) == simulation.names()


@pytest.mark.parametrize(("policy", "parameters", "name"), list(cases()))
def test_equals_its_naive_twin(policy, parameters, name):
    for seed in range(RUNS):
        same(policy, INSTANCES[name], HORIZON, seed, parameters)


@pytest.mark.parametrize("policy", sorted(PARAMETERS))
def test_equals_its_naive_twin_on_random_matrices(policy):
    """Other sizes, other means, other horizons, one long run included."""
    rng = np.random.default_rng(5)
    for seed, horizon in enumerate([1, 2, 7, 60, 300, 1000]):
        rows, columns = rng.integers(1, 6, 2)
        instance = rankone.rank_one(rng.random(rows), rng.random(columns))
        for parameters in PARAMETERS[policy]:
            same(policy, instance, horizon, seed, parameters)


@pytest.mark.parametrize(
    ("policy", "parameters"),
    [(p, q) for p in ("rank1elim", "rank1elim_kl") for q in PARAMETERS[p]],
)
def test_eliminates_as_its_twin(policy, parameters):
    """Long enough for several stages: without eliminations the best arm would get a sixth."""
    instance = rankone.rank_one([1.0, 0.1, 0.2], [1.0, 0.0])
    horizon = 20_000
    same(policy, instance, horizon, 3, parameters)
    _, pulls = plain(policy, instance, horizon, np.random.default_rng(3), parameters)
    assert pulls[instance.best] > 0.6 * horizon
