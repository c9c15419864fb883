"""Pull a Bernoulli arm many times, as long as its wins stay above a guard.

A commitment may be guarded: it ends early where the wins fall below a line. Rounds that cannot
break the guard, but with a chance too small to matter, are drawn as one binomial block: large ones
far above the line, small ones close to it.
"""

import math

from rankone.engine.binomial import TABLES, draw_wins
from rankone.engine.compiled import kernel

# A block is drawn at once only if it breaks the guard with a chance below exp(-LOG_RISK) = 2^-53:
# what is rarer is beyond the resolution of a uniform random number anyway.
LOG_RISK = 53 * math.log(2)
HOEFFDING = math.sqrt(LOG_RISK / 2.0)

# Up to so many rounds are drawn one by one.
FEW = 8

# An arm with a mean above this is followed from loss to loss, where that takes it further.
HIGH_MEAN = 0.9


@kernel
def safe_block(slack, drift):
    """For how many rounds the wins stay above the guard, but with a chance of exp(-LOG_RISK).

    They start `slack` above the line and gain `drift` on it per round on average. Hoeffding's
    maximal inequality: they dip below it within m rounds with probability at most
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
    """From what slack on so many rounds are safe: even if all are lost, or by Hoeffding."""
    unlikely = max(HOEFFDING * math.sqrt(rounds) - drift * rounds, drift * rounds)
    return min(slope * rounds, unlikely)


@kernel
def until_loss(mean, rounds, rng):
    """Rounds and wins up to the first loss, or all rounds: one draw, however high the mean."""
    before = math.log1p(-rng.random()) / math.log(mean) if mean < 1.0 else math.inf
    if before < rounds:
        return int(before) + 1, int(before)
    return rounds, rounds


@kernel
def few_wins(rounds, mean, rng):
    """Wins in a few rounds, one by one: faster than a binomial draw for a new number."""
    wins = 0
    for _ in range(rounds):
        wins += rng.random() < mean
    return wins


@kernel
def pull(means, tables, commitment, rounds, rng):
    """Pull the arm of a commitment up to `rounds` times; return the rounds played and the wins."""
    arm, floor, slope = commitment.arm, commitment.floor, commitment.slope
    mean = means[arm]
    if rounds == 1:
        return 1, int(rng.random() < mean)
    # the guard holds even if every round is lost, or but for the risk taken anyway: one block
    unbreakable = max(floor, floor + slope * rounds) <= 0.0
    unbreakable = unbreakable or safe_block(-floor, mean - slope) >= rounds
    if unbreakable:
        return rounds, few_wins(rounds, mean, rng) if rounds <= FEW else rng.binomial(rounds, mean)
    for i in range(TABLES):
        tables.slack[i] = safe_slack(1 << i, slope, mean - slope)
    return guarded(tables, arm, mean, floor, slope, rounds, rng)


@kernel
def guarded(tables, arm, mean, floor, slope, rounds, rng):
    """Pull block by block, each as large as the slack above the guard allows."""
    large = 2.0 * tables.slack[TABLES - 1]  # from this slack on, blocks need not come from a table
    i, played, wins = 0, 0, 0
    while played < rounds:
        slack = wins - floor - slope * played
        if slack >= large:
            block = max(safe_block(slack, mean - slope), slack / slope)
            step = int(min(block, float(rounds - played)))
        else:
            i = 0  # counted without a branch: the processor could not predict which table it is
            for larger in range(1, TABLES):
                i += slack >= tables.slack[larger]
            while (1 << i) > rounds - played:
                i -= 1
            step = 1 << i
        harmless = rounds - played  # so many wins in a row cannot break the guard
        if slope > 1.0:
            harmless = int(min(slack / (slope - 1.0), float(harmless)))
        if mean > HIGH_MEAN and step * (1.0 - mean) < 1.0 and step < harmless:
            step, won = until_loss(mean, harmless, rng)
            wins += won
        elif slack >= large:
            wins += rng.binomial(step, mean)
        else:
            wins += draw_wins(tables, i, arm, mean, rng)
        played += step
        if wins < floor + slope * played:
            break
    return played, wins
