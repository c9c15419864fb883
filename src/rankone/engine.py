"""The one loop that plays every policy, and the Bernoulli arms that answer it.

A policy *commits*: it names an arm and for how many rounds it will pull it. The paper's policies
commit to one round; their fast twins to as many as they can prove would be spent on that arm anyway.
The engine keeps the count of pulls, hence the regret; a policy never sees the means.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.jit import kernel, loop

# A guarded block is skipped over only if it breaks its guard with probability below exp(-LOG_RISK) = 1e-30.
LOG_RISK = 30 * math.log(10)


class Commitment(NamedTuple):
    """Pull `arm` for `rounds` rounds, or until its wins fall below a line.

    After j pulls with w wins the commitment ends early where w < floor + slope * j: a policy that
    can vouch for an arm only as long as it does not disappoint says so with this guard.
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
    c = math.sqrt(LOG_RISK / 2.0)
    discriminant = c * c - 4.0 * drift * slack
    if discriminant <= 0.0:
        return math.inf
    root = 2.0 * slack / (c + math.sqrt(discriminant))
    return root * root


@kernel
def pull(means, commitment, rounds, rng):
    """Pull a Bernoulli arm up to `rounds` times; return the rounds played and the wins.

    Blocks that cannot break the guard are one Binomial draw; next to the guard it goes one by one.
    """
    mean = means[commitment.arm]
    if rounds == 1:
        return 1, int(rng.random() < mean)
    if commitment.floor == -math.inf:
        return rounds, rng.binomial(rounds, mean)
    played, wins = 0, 0
    while played < rounds:
        slack = wins - commitment.floor - commitment.slope * played
        block = safe_block(slack, mean - commitment.slope)
        if block >= 16.0:  # below that a Binomial draw is dearer than the rounds it replaces
            step = int(min(block, float(rounds - played)))
            wins += rng.binomial(step, mean)
            played += step
        else:
            wins += int(rng.random() < mean)
            played += 1
            if wins < commitment.floor + commitment.slope * played:
                break
    return played, wins


@loop
def play(start, decide, observe, pull, means, problem, parameters, checkpoints, rng):
    """Play one run; return the pseudo-regret at the checkpoints and the pulls of each arm."""
    horizon = checkpoints[-1]
    best = means.max()
    regret = np.zeros(len(checkpoints))
    pulls = np.zeros(len(means), dtype=np.int64)
    state = start(problem, parameters)
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
            done, won = pull(means, commitment, step, rng)
            played += done
            wins += won
            t += done
            pulls[arm] += done
            left = left - done if done == step else 0
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
