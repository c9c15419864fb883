"""The one loop that plays every policy, and the Bernoulli arms that answer it.

A policy *commits*: it names an arm and for how many rounds it will pull it. The paper's policies
commit to one round; their fast twins to as many as they can prove to be spent on that arm anyway.
The engine keeps the count of pulls, hence the regret; a policy never sees the means.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.binomial import DICE, throw
from rankone.engine.compiled import kernel, loop

# Rounds are skipped only if they break the guard with a chance below exp(-LOG_RISK) = 2^-53: what
# is rarer is beyond the resolution of a uniform random number too.
LOG_RISK = 53 * math.log(2)
HOEFFDING = math.sqrt(LOG_RISK / 2.0)

# An arm that wins more often than that is followed from loss to loss, where that takes it further.
OFTEN = 0.9


class Commitment(NamedTuple):
    """Pull `arm` for `rounds` rounds, or until its wins fall below a line.

    After j pulls with w wins the commitment ends early where w < floor + slope * j (floor <= 0): a
    policy that can vouch for an arm only as long as it does not disappoint says so with this guard.
    """

    arm: int
    rounds: int
    floor: float
    slope: float


@kernel
def once(arm):
    """A commitment to a single round."""
    return Commitment(arm, 1, -math.inf, 0.0)


@kernel
def for_sure(arm, rounds):
    """A commitment to a number of rounds whatever the rewards."""
    return Commitment(arm, rounds, -math.inf, 0.0)


@kernel
def safe_block(slack, drift):
    """How many rounds a guarded walk surely (up to LOG_RISK) stays above its guard.

    The walk starts `slack` above the line and gains `drift` on it per round on average. Hoeffding's
    maximal inequality: it dips below within m rounds with probability at most
    exp(-2 (slack + drift m)^2 / m) while drift m <= slack, and ever with at most
    exp(-8 drift slack). Solving for m gives a quadratic in sqrt(m).
    """
    discriminant = HOEFFDING * HOEFFDING - 4.0 * drift * slack
    if discriminant <= 0.0:
        return math.inf
    root = 2.0 * slack / (HOEFFDING + math.sqrt(discriminant))
    return root * root


@kernel
def safe_slack(rounds, slope, drift):
    """From what slack on so many rounds are safe: losing them all, or by Hoeffding's inequality."""
    unlikely = max(HOEFFDING * math.sqrt(rounds) - drift * rounds, drift * rounds)
    return min(slope * rounds, unlikely)


@kernel
def until_loss(mean, rounds, rng):
    """Rounds and wins up to the first loss, or all rounds: one draw, however near one the mean."""
    before = math.log1p(-rng.random()) / math.log(mean) if mean < 1.0 else math.inf
    if before < rounds:
        return int(before) + 1, int(before)
    return rounds, rounds


@kernel
def pull(means, dice, commitment, rounds, rng):
    """Pull a Bernoulli arm up to `rounds` times; return the rounds played and the wins.

    Blocks that cannot break the guard are one draw, the smaller the closer the guard is.
    """
    arm, floor, slope = commitment.arm, commitment.floor, commitment.slope
    mean = means[arm]
    if rounds == 1:
        return 1, int(rng.random() < mean)
    big = -math.inf
    # not even if all is lost, or with no more than the risk that is taken anyway: one draw
    unbreakable = max(floor, floor + slope * rounds) <= 0.0
    unbreakable = unbreakable or safe_block(-floor, mean - slope) >= rounds
    if not unbreakable:
        for die in range(DICE):
            dice.need[die] = safe_slack(1 << die, slope, mean - slope)
        big = 2.0 * dice.need[DICE - 1]
    die, played, wins = 0, 0, 0
    while played < rounds:
        slack = wins - floor - slope * played
        if slack >= big:
            block = max(safe_block(slack, mean - slope), slack / slope)
            step = rounds if unbreakable else int(min(block, float(rounds - played)))
        else:
            die = 0  # counted without a branch: which die it is cannot be foreseen
            for larger in range(1, DICE):
                die += slack >= dice.need[larger]
            while (1 << die) > rounds - played:
                die -= 1
            step = 1 << die
        harmless = rounds - played  # so many wins in a row cannot break the guard
        if slope > 1.0:
            harmless = int(min(slack / (slope - 1.0), float(harmless)))
        if mean > OFTEN and not unbreakable and step * (1.0 - mean) < 1.0 and step < harmless:
            step, won = until_loss(mean, harmless, rng)
            wins += won
        elif slack >= big:
            wins += rng.binomial(step, mean)
        else:
            wins += throw(dice, die, arm, mean, rng)
        played += step
        if wins < floor + slope * played:
            break
    return played, wins


@loop
def play(decide, observe, pull, state, dice, means, checkpoints, rng):
    """Play one run; return the pseudo-regret at the checkpoints and the pulls of each arm."""
    horizon = checkpoints[-1]
    best = means.max()
    regret = np.zeros(len(checkpoints))
    pulls = np.zeros(len(means), dtype=np.int64)
    t = 0
    checkpoint = 0
    while t < horizon:
        commitment = decide(state, t, rng)
        arm = commitment.arm
        left = min(commitment.rounds, horizon - t)
        played = 0
        wins = 0
        while left > 0:  # a commitment may run past checkpoints: the policy need not know them
            step = min(left, checkpoints[checkpoint] - t)
            done, won = pull(means, dice, commitment, step, rng)
            played += done
            wins += won
            t += done
            pulls[arm] += done
            broken = won < commitment.floor + commitment.slope * done
            left = 0 if broken else left - done
            commitment = Commitment(
                arm, left, commitment.floor - won + commitment.slope * done, commitment.slope
            )
            if t == checkpoints[checkpoint]:
                # from the integer counts, not summed up round by round: no rounding builds up
                total = 0.0
                for k in range(len(means)):
                    total += pulls[k] * (best - means[k])
                regret[checkpoint] = total
                checkpoint += 1
        observe(state, arm, played, wins)
    return regret, pulls
