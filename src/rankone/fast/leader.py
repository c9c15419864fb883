"""The leader, the arm with the best empirical mean: when it is forced, and while it leads."""

import math
from typing import NamedTuple

from rankone.engine.compiled import kernel
from rankone.engine.loop import Commitment, once

ROUNDING = 1e-15  # a mean is off by at most this, relatively

# The clock of the level: what t is in level(t). Each goes on by one when the leader is pulled.
TIME = 0  # the pulls made so far
LEADER_LEADS = 1  # how often the leader has been the leader, this round included
LEADER_PULLS = 2  # the pulls of the leader


class Leader(NamedTuple):
    """What the settings of a policy around a leader say of it, in their field `leader`."""

    period: float = math.inf  # forced when its leads are `residue` modulo this; inf: never;
    residue: int = 0  # 0: the size of its closed neighbourhood
    clock: int = TIME  # or LEADER_LEADS, or LEADER_PULLS
    warm_up: bool = True  # each arm once, first


@kernel
def period_of(leader, size):
    """The period in a closed neighbourhood of this size."""
    return leader.period if leader.period > 0.0 else float(size)


@kernel
def clock_of(leader, t, lead, pulls):
    """What the level is a function of, given the leader's count of leads and its pulls."""
    if leader.clock == LEADER_LEADS:
        return lead
    return pulls if leader.clock == LEADER_PULLS else t


@kernel
def is_forced(leads, period, residue):
    """Whether the leader is pulled at this one of its leads, without a contest."""
    return period < math.inf and leads % int(period) == residue


@kernel
def while_leading(commitment, counts, rival):
    """Raise the guard so that the leader's mean stays above the best other mean, too.

    Two lines are both kept if the line through their higher ends is.
    """
    arm, rounds = commitment.arm, commitment.rounds
    if rounds == 1:
        return commitment
    pulls, wins = counts.pulls[arm], counts.wins[arm]
    rival *= 1.0 + ROUNDING
    first = max(commitment.floor, rival * pulls - wins)
    last = max(commitment.floor + commitment.slope * rounds, rival * (pulls + rounds) - wins)
    if first > 0.0:
        return once(arm)
    return Commitment(arm, rounds, first, (last - first) / rounds)
