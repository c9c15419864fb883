"""Pull a Bernoulli arm many times, as long as its wins stay above a guard.

A commitment may be guarded: it ends early where the wins fall below a line. Rounds that cannot
break the guard, but with a chance too small to matter, are drawn as one binomial block: large ones
far above the line, small ones close to it.
"""

import math

from rankone.engine.binomial import LARGEST, TABLES, draw_wins
from rankone.engine.bridges import LOG_RISK, follow, keeps_guard
from rankone.engine.compiled import kernel

HOEFFDING = math.sqrt(LOG_RISK / 2.0)

# A small block is tried if it moves the wins by less than the slack, in deviations of a fair coin,
SPREAD = 1.2
ROOTS = tuple(math.sqrt(1 << i) for i in range(TABLES))
# or if losing so many times more often than it usually does would not break the guard.
USUAL = 1.2

# Up to so many rounds are drawn one by one.
FEW = 8

# An arm with a mean above this is followed from loss to loss, where that takes it further,
HIGH_MEAN = 0.9
# or by calm blocks, where these are so many times longer and expect so many losses.
MUCH_LONGER, LOSSES = 4.0, 4.0


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
def calm_block(slack, mean, drift):
    """The same by Bernstein's maximal inequality, for an arm that hardly varies: a high mean.

    With q = 1 - mean the losses in m rounds are beyond q m by y at some time with probability at
    most exp(-y^2 / (2 (q m + y / 3))). Where the wins drift towards the line, half of the slack is
    left to the drift.
    """
    allowed = slack if drift >= 0.0 else 0.5 * slack
    longest = math.inf if drift >= 0.0 else allowed / -drift
    rounds = (allowed * allowed / (2.0 * LOG_RISK) - allowed / 3.0) / (1.0 - mean)
    return min(rounds, longest)


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
    return guarded(tables, arm, mean, floor, slope, rounds, rng)


@kernel
def guarded(tables, arm, mean, floor, slope, rounds, rng):
    """Pull block by block, each as large as the slack above the guard allows."""
    # from this slack on blocks are longer than a table, and safe without a look at how they end
    large = safe_slack(LARGEST, slope, mean - slope)
    set_reach(tables, mean, slope)
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
        calm = calm_block(slack, mean, mean - slope) if HIGH_MEAN < mean < 1.0 else 0.0
        if calm > MUCH_LONGER * step and calm * (1.0 - mean) > LOSSES:
            step = int(min(calm, float(rounds - played)))
            won = rng.binomial(step, mean)
        elif mean > HIGH_MEAN and step * (1.0 - mean) < 1.0 and step < harmless:
            step, won = until_loss(mean, harmless, rng)
        elif slack >= large:
            won = rng.binomial(step, mean)
        else:
            won = draw_wins(tables, i, arm, mean, rng)
            end = slack + won - slope * step
            luck = rng.standard_exponential()
            if i > 0 and not keeps_guard(slack, end, i, step - won, slope, luck):
                step, won = follow(tables, i, won, wins, played, floor, slope, luck, rng)
        wins += won
        played += step
        if wins < floor + slope * played:
            break
    return played, wins


@kernel
def set_reach(tables, mean, slope):
    """From what slack on a block of 2^i rounds will hardly break the guard.

    That decides the speed alone: whether it did is looked at once the wins are drawn.
    """
    sinks = max(slope - mean, 0.0)
    loses = USUAL * slope * (1.0 - mean)
    for i in range(TABLES):
        rounds = float(1 << i)
        tables.slack[i] = min(SPREAD * ROOTS[i] + sinks * rounds, loses * rounds)
