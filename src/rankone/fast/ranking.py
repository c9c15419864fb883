"""Who leads among many arms, looked up only when that may have changed.

A tournament tree of the means knows the leader, the ties and the runner-up, but every change of it
climbs the tree, and most of them change nothing at the top. So the arms pulled since the last look
are kept on a list. As long as the leader of that look is above a bound of all the other means, it
leads alone, and the tree is not touched.
"""

from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.fast import tournament
from rankone.fast.tournament import Tournament


class Ranking(NamedTuple):
    tree: Tournament  # of the means at the last look, and of later ones
    first: np.ndarray  # (1,) the arm that led alone at the last look, -1: none did
    bound: np.ndarray  # (1,) no mean of another arm is larger
    late: np.ndarray  # the arms whose means in the tree are out of date
    lates: np.ndarray  # (1,) how many
    is_late: np.ndarray  # arm -> whether it is on that list


def new_ranking(arms):
    """All means are 0."""
    return Ranking(
        tournament.tournament(np.zeros(arms)),
        np.full(1, -1),
        np.zeros(1),
        np.zeros(arms, np.int64),
        np.zeros(1, np.int64),
        np.zeros(arms, np.int64),
    )


@kernel
def note_mean(ranking, arm, mean):
    """The mean of an arm is another one."""
    if ranking.is_late[arm] == 0:
        ranking.is_late[arm] = 1
        ranking.late[ranking.lates[0]] = arm
        ranking.lates[0] += 1
    if arm != ranking.first[0]:
        ranking.bound[0] = max(ranking.bound[0], mean)


@kernel
def leader_of(ranking, means, rng):
    """The arm with the largest mean, by the same draws as argmax.best_of."""
    first = ranking.first[0]
    if first >= 0 and means[first] > ranking.bound[0]:
        return first
    bring_up_to_date(ranking, means)
    leader = tournament.champion(ranking.tree, rng)
    ranking.first[0] = leader if ranking.tree.ties[1] == 1 else -1
    ranking.bound[0] = tournament.second(ranking.tree, leader)
    return leader


@kernel
def runner_up(ranking, means, leader):
    """The best mean among all arms but the leader; -inf if it is alone."""
    bring_up_to_date(ranking, means)
    return tournament.second(ranking.tree, leader)


@kernel(inline=False)
def bring_up_to_date(ranking, means):
    """Put the new means into the tree."""
    for i in range(ranking.lates[0]):
        arm = ranking.late[i]
        tournament.update(ranking.tree, arm, means[arm])
        ranking.is_late[arm] = 0
    ranking.lates[0] = 0
