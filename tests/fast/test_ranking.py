"""The ranking against a look at all the means."""

import numpy as np
import pytest

from rankone.engine.argmax import best_of
from rankone.fast import tournament
from rankone.fast.ranking import leader_of, new_ranking, note_mean, runner_up


@pytest.mark.parametrize("arms", [1, 2, 3, 8, 21])
def test_leads_by_the_same_draws_as_a_look_at_all_means(arms):
    """Few levels, so that ties abound; many changes between two looks, or none."""
    rng = np.random.default_rng(arms)
    here, there = np.random.default_rng(7), np.random.default_rng(7)
    means, ranking = np.zeros(arms), new_ranking(arms)
    for _ in range(2000):
        for arm in rng.integers(arms, size=rng.integers(4)):
            means[arm] = rng.integers(0, 6) / 5.0
            note_mean(ranking, arm, means[arm])
        leader = leader_of(ranking, means, here)
        assert leader == best_of(means, there)
        if rng.random() < 0.3:
            others = np.delete(means, leader)
            assert runner_up(ranking, means, leader) == (others.max() if arms > 1 else -np.inf)
    assert here.random() == there.random()  # neither has drawn more than the other


def test_the_tree_is_left_alone_while_the_leader_is_above_the_others(monkeypatch):
    means, ranking, rng = np.array([0.9, 0.2, 0.1]), new_ranking(3), np.random.default_rng(1)
    for arm in range(3):
        note_mean(ranking, arm, means[arm])
    assert leader_of(ranking, means, rng) == 0
    monkeypatch.setattr(tournament, "update", None)  # a call would fail
    for arm, mean in [(1, 0.5), (0, 0.8), (1, 0.3), (0, 0.51), (2, 0.5)]:
        means[arm] = mean
        note_mean(ranking, arm, mean)
        assert leader_of(ranking, means, rng) == 0
    means[0] = 0.5  # no longer above the bound, though above arm 1
    note_mean(ranking, 0, 0.5)
    with pytest.raises(TypeError):
        leader_of(ranking, means, rng)
