"""Thompson Sampling around a leader whose neighbours are still young: only the large samples.

Fix a level x so high that only a few of the samples of the leader's rivals are above it. If any is,
the largest of those is the largest of all rivals, and nobody needs the samples below; if not, and
if the leader's sample is below x, too, everybody is sampled below x. Each rival raises a flag with
a probability that bounds the chance of its sample being above x, and the flag is thinned down to
that chance when it is looked at (posterior_flags.py has the same at a low level, which tells when
the leader wins; here the rivals win most rounds).

A rate depends on the counts of its arm and the level alone. So it is kept for the arms of other
neighbourhoods, too: while two arms take turns as the leader, little is worked out anew.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.fast.posterior_classes import HIGHEST, LATEST, build_sums, draw_leaf, set_sum
from rankone.fast.posterior_tails import (
    USELESS,
    Prior,
    flag_chance,
    is_accepted,
    jump_beyond,
    sample_above,
    slope,
)

NEAR = 0.35  # a level is good enough if ln(flags) is this close to what is wanted


class Crowd(NamedTuple):
    """The rivals of a leader, the level, and the rates at which they raise flags."""

    prior: Prior
    wanted: np.ndarray  # (3,) least, chosen and largest number of flags in a round
    level: np.ndarray  # (3,) x, ln x, ln(1 - x); 0: not chosen yet
    decay: np.ndarray  # (1,) how fast ln(flags) falls in y = -ln(1 - x), when last looked at
    era: np.ndarray  # (1,) how many levels have been chosen
    known: np.ndarray  # arm -> the era in which its rate was worked out, -1: before its last pull
    rate: np.ndarray  # arm -> the rate of its flag,
    mass: np.ndarray  # and the mass of its tail where the flag has it exactly, else 0
    leader: np.ndarray  # (1,) the arm whose rivals they are, -1: none
    rivals: np.ndarray  # position -> arm
    size: np.ndarray  # (1,) how many
    position: np.ndarray  # arm -> position, -1 where the arm is not a rival
    flags: np.ndarray  # a sum tree over positions: node i has the children 2 i and 2 i + 1
    marked: np.ndarray  # position -> the last round in which it raised a flag
    round: np.ndarray  # (1,) number of the round


def make_crowd(arms: int, largest: int, prior: Prior) -> Crowd:
    """No neighbourhood yet; room for `largest` arms."""
    leaves = 1 << (largest - 1).bit_length()
    return Crowd(
        prior,
        np.zeros(3),
        np.zeros(3),
        np.ones(1),
        np.zeros(1, np.int64),
        np.full(arms, -1),
        np.zeros(arms),
        np.zeros(arms),
        np.full(1, -1),
        np.zeros(largest, np.int64),
        np.zeros(1, np.int64),
        np.full(arms, -1),
        np.zeros(2 * leaves),
        np.zeros(largest, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def disperse(crowd):
    """Leave the neighbourhood."""
    for position in range(crowd.size[0]):
        crowd.position[crowd.rivals[position]] = -1
    crowd.size[0] = 0
    crowd.leader[0] = -1


@kernel
def gather(crowd, counts, leader, around):
    """Turn to the neighbourhood of an arm."""
    disperse(crowd)
    crowd.leader[0] = leader
    half = len(crowd.flags) // 2
    n = 0
    for arm in around:
        if arm != leader:
            crowd.rivals[n] = arm
            crowd.position[arm] = n
            crowd.flags[half + n] = rate_of(crowd, counts, arm)
            n += 1
    crowd.size[0] = n
    crowd.flags[half + n :] = 0.0
    build_sums(crowd.flags)
    # a flag costs about as much as a sample, and without any flag all arms are sampled
    wanted = 0.8 * math.log(n + 1.0)
    crowd.wanted[0], crowd.wanted[1], crowd.wanted[2] = 0.5 * wanted, wanted, 2.2 * wanted


@kernel
def rate_of(crowd, counts, arm):
    """The rate of an arm's flag at the level, 0 as long as there is none."""
    if crowd.level[0] > 0.0 and crowd.known[arm] != crowd.era[0]:
        wins = counts.wins[arm]
        losses = counts.pulls[arm] - wins
        x, log_x, log_rest = crowd.level[0], crowd.level[1], crowd.level[2]
        chance, _, exact = flag_chance(crowd.prior, wins, losses, x, log_x, log_rest, True)
        crowd.rate[arm] = -math.log1p(-min(chance, LATEST))
        crowd.mass[arm] = chance if exact else 0.0
        crowd.known[arm] = crowd.era[0]
    return crowd.rate[arm]


@kernel
def note_pull(crowd, counts, arm):
    """An arm was pulled: its rate is another one."""
    crowd.known[arm] = -1
    if crowd.position[arm] >= 0:
        set_sum(crowd.flags, crowd.position[arm], rate_of(crowd, counts, arm))


@kernel
def flags_at(crowd, counts, y):
    """Set the level to x = 1 - exp(-y), and return how many flags a round has on average."""
    x, log_rest = -math.expm1(-y), -y
    log_x = math.log(x)
    crowd.level[0], crowd.level[1], crowd.level[2] = x, log_x, log_rest
    crowd.era[0] += 1
    half = len(crowd.flags) // 2
    falls = 0.0
    for position in range(crowd.size[0]):
        arm = crowd.rivals[position]
        wins = counts.wins[arm]
        losses = counts.pulls[arm] - wins
        chance, density, exact = flag_chance(crowd.prior, wins, losses, x, log_x, log_rest, True)
        chance = min(chance, LATEST)
        crowd.rate[arm] = -math.log1p(-chance)
        crowd.mass[arm] = chance if exact else 0.0
        crowd.known[arm] = crowd.era[0]
        crowd.flags[half + position] = crowd.rate[arm]
        falls += density / (1.0 - chance)
    build_sums(crowd.flags)
    flags = max(crowd.flags[1], 1e-300)  # far above all arms there may be none at all
    crowd.decay[0] = max(falls * (1.0 - x) / flags, 1e-9)
    return flags


@kernel
def choose_level(crowd, counts):
    """A level with about as many flags as wanted, by Newton's steps for ln(flags)."""
    low, high = 0.0, HIGHEST
    flags = crowd.flags[1] if crowd.level[0] > 0.0 else flags_at(crowd, counts, math.log(2.0))
    for _ in range(60):
        excess = math.log(flags / crowd.wanted[1])
        if abs(excess) < NEAR:
            break
        y = -crowd.level[2]
        if excess > 0.0:
            low = y
        else:
            high = y
        y += excess / crowd.decay[0]
        if not low < y < high:
            y = (low + high) / 2.0 if high < HIGHEST else 2.0 * low + 0.1
        flags = flags_at(crowd, counts, y)


@kernel
def largest_sample(crowd, counts, rng):
    """The arm with the largest posterior sample in a round, the leader included."""
    if not (crowd.level[0] > 0.0 and crowd.wanted[0] <= crowd.flags[1] <= crowd.wanted[2]):
        choose_level(crowd, counts)
    total, leader = crowd.flags[1], crowd.leader[0]
    crowd.round[0] += 1
    theta = rng.beta(
        counts.wins[leader] + crowd.prior.a,
        counts.pulls[leader] - counts.wins[leader] + crowd.prior.b,
    )
    best, winner = crowd.level[0], -1
    if theta > best:
        best, winner = theta, leader
    time = rng.standard_exponential() / total
    while time < 1.0:
        position = draw_leaf(crowd.flags, rng)
        time += rng.standard_exponential() / total
        if crowd.marked[position] != crowd.round[0]:  # a second point of an arm is the same flag
            crowd.marked[position] = crowd.round[0]
            sample = look_at(crowd, counts, crowd.rivals[position], best, rng)
            if sample > best:
                best, winner = sample, crowd.rivals[position]
    return winner if winner >= 0 else largest_below(crowd, counts, theta, rng)


@kernel
def look_at(crowd, counts, arm, needed, rng):
    """The sample of a flagged arm if it is above the level and larger than needed, else needed."""
    x, wins = crowd.level[0], counts.wins[arm]
    losses = counts.pulls[arm] - wins
    if crowd.mass[arm] > 0.0:
        return sample_above(crowd.prior, wins, losses, x, crowd.mass[arm], rng)
    s, f = wins + (crowd.prior.a - 1.0), losses + (crowd.prior.b - 1.0)
    return max(jump_beyond(s, f, x, needed, rng), needed)


@kernel
def largest_below(crowd, counts, theta, rng):
    """The arm with the largest sample if none is above the level, the leader's being theta."""
    best, winner = theta, crowd.leader[0]
    for position in range(crowd.size[0]):
        arm = crowd.rivals[position]
        sample = math.inf
        while sample > crowd.level[0]:
            sample = sample_beyond_best(crowd, counts, arm, best, rng)
        if sample > best:
            best, winner = sample, arm
    return winner


@kernel
def risen(rate, rise):
    """The chance of a flag with this rate, and of as many more as lie under the tangent."""
    return -math.expm1(-rate) * math.exp(rise)


@kernel
def sample_beyond_best(crowd, counts, arm, best, rng):
    """The sample of an arm if it is larger than the best one, which is below the level, else that.

    The tangent of the log density at the level lies above it everywhere, below the level as well:
    it bounds the chance of a sample above `best`, too. Where that is of no use, the arm is sampled.
    """
    x, wins = crowd.level[0], counts.wins[arm]
    losses = counts.pulls[arm] - wins
    if crowd.mass[arm] == 0.0:
        s, f = wins + (crowd.prior.a - 1.0), losses + (crowd.prior.b - 1.0)
        steep, rate = slope(s, f, x), crowd.rate[arm]
        rise = steep * (x - best)
        # exp(y) < 1 + y + y^2 up to y = 1.79, and the rate is above the chance: mostly that will do
        rough = rate * (1.0 + rise * (1.0 + rise)) if rise < 1.79 else math.inf
        if rough < USELESS or risen(rate, rise) < USELESS:
            uniform = rng.random()
            if uniform >= rough or uniform >= risen(rate, rise):
                return best
            step = best - x + rng.standard_exponential() / steep
            accepted = step < 1.0 - x and is_accepted(s, f, x, step, rng)
            return x + step if accepted else best
    return rng.beta(wins + crowd.prior.a, losses + crowd.prior.b)
