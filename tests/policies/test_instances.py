"""Policies on instances other than matrices: plain and fast agree in law."""

import pytest
from helpers import chance
from scipy import stats

import rankone
from rankone.simulation import load

GRID = [[0.2, 0.4, 0.3], [0.5, 0.8, 0.6], [0.3, 0.6, 0.4]]
INSTANCES = {
    "tensor": rankone.tensor([0.9, 0.6, 0.3], [0.8, 0.5], [0.9, 0.7, 0.2]),
    "grid": rankone.grid(GRID),
    "tree": rankone.random_tree(12, 3),
    "graph": rankone.random_graph(9, 14, 5),
    "cycle": rankone.cycle([0.2, 0.5, 0.7, 0.6, 0.4, 0.3]),
    "clicks": rankone.from_csv("example_clicks"),
}
RUNS, HORIZON = 200, 2000
PLAYERS = [("uts", {}), ("uts", {"gamma": "degree"}), ("osub", {}), ("ts", {}), ("kl_ucb", {})]


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize(("policy", "parameters"), PLAYERS, ids=str)
def test_plain_and_fast_agree_in_law(policy, parameters, name):
    instance = INSTANCES[name]
    plain, fast = (
        rankone.simulate(policy, instance, HORIZON, RUNS, seed, exact=exact, **parameters)
        for exact, seed in (("plain", chance.seed(1)), ("fast", chance.seed(2)))
    )
    pairs = [(plain.at(t), fast.at(t)) for t in (HORIZON // 10, HORIZON)]
    pairs += [(plain.pulls[:, arm], fast.pulls[:, arm]) for arm in range(instance.arms)]
    for one, other in pairs:
        chance.assert_likely(stats.ks_2samp(one, other, method="asymp").pvalue)


@pytest.mark.parametrize("name", INSTANCES)
def test_gamma_by_degree_is_the_leaders_neighbourhood_or_the_largest(name):
    """UTS asks the leader's own neighbourhood, OSUB the largest: both from the graph alone."""
    instance = INSTANCES[name]
    largest = max(len(instance.neighbourhood(arm)) for arm in range(instance.arms))
    settings = load("osub").configure(instance.problem(100))
    assert settings.leader.period == largest
    one = rankone.simulate("osub", instance, 500, 3)
    other = rankone.simulate("osub", instance, 500, 3, gamma=largest)
    assert one.regret.shape == other.regret.shape


def test_a_line_and_a_tensor_are_learnt():
    """Most pulls are of the best arm."""
    for instance in INSTANCES.values():
        runs = rankone.simulate("uts", instance, 200_000, 5)
        assert runs.pulls[:, instance.best].min() > 150_000
