"""Thompson Sampling without the rounds in which nothing happens.

One arm, the reference, has most of the pulls. Fix a level x a little below its mean. In a round of
Thompson Sampling every arm raises a *flag* with a probability that bounds the chance of its sample
falling on the wrong side of x: above it for a competitor, below it for the reference. No flag means
that the reference has the largest sample, so all rounds up to the first flag are one commitment; a
flagged round is then resolved exactly. Nothing is approximated: a flag is an upper bound, thinned
down to the true probability when it is resolved.

Flags are points of a Poisson process, a round being a unit of time: arm k has the rate h_k, hence
raises a flag with probability p_k = 1 - exp(-h_k). The rates sit in a sum tree, so the next flag
and its arm cost one exponential and O(log arms). An arm too young for a useful bound is sampled in
every round.

In all formulas the wins and losses are the exponents s = S + a - 1 and l = F + b - 1 of the
posterior Beta(S + a, F + b).
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.engine.loop import Commitment
from rankone.fast import posterior_tails as tails
from rankone.fast.posterior_classes import build_sums, draw_leaf, set_sum
from rankone.fast.posterior_tails import USELESS, Prior

GUARD = (
    2.0  # posterior standard deviations the reference may sink before the window closes, at most
)
REJECTED = 0.3  # a flag that a look ahead finds to be raised in vain, as a part of another one
SAMPLE = 0.4  # a sample costs about as much as such a part of a flag,
FALL = 16.0  # and a fall of the reference about as much as so many flags
ROUNDING = 1e-12  # a commitment that ended at the guard must not leave the window open
NEVER = 1e18  # a time that no window sees: it would not fit into an integer number of rounds
YOUTH = 25.0  # pulls of the reference below which the level stays close to its mean


class Window(NamedTuple):
    """A reference arm, its competitors, the level between them and the rates of the flags."""

    prior: Prior
    reference: np.ndarray  # (1,) the arm, -1: the window is closed
    level: np.ndarray  # (3,) x, ln x, ln(1 - x)
    guard: np.ndarray  # (1,) the ratio s / (s + l) of the reference below which the window closes
    least: np.ndarray  # (1,) the empirical mean S / N below which it closes
    expires: np.ndarray  # (1,) pulls of the reference at which the level should be chosen anew
    depth: np.ndarray  # (1,) how far below the reference the level is chosen: 1 is far
    tally: np.ndarray  # (2,) flags raised in vain, by the competitors and by the reference
    wait: np.ndarray  # (1,) time to the next flag, in rounds of sampling; negative: not drawn yet
    next: np.ndarray  # (1,) the position that raises it,
    sample: np.ndarray  # (1,) and its sample, above the level, if that is not the reference
    round: np.ndarray  # (1,) number of the last round with a flag
    marked: np.ndarray  # position -> the last round in which its flag was seen
    arms: np.ndarray  # position -> arm; the reference has the last position
    rivals: np.ndarray  # (1,) number of competitors
    position: np.ndarray  # arm -> position, -1 where the arm is not in the window
    rates: np.ndarray  # sum tree: node i has children 2i and 2i + 1, leaf p is at half + p
    mass: np.ndarray  # position -> the mass of the tail where the flag has it exactly, else 0
    young: np.ndarray  # positions sampled in every round
    youngs: np.ndarray  # (1,) how many
    place: np.ndarray  # position -> place in young, -1
    flagged: np.ndarray  # room for the positions that raise a flag in a round
    samples: np.ndarray  # position -> sample of a young arm


def closed_window(arms, largest, prior):
    """No window yet; room for `largest` arms, the reference included."""
    half = 1
    while half < largest:
        half *= 2
    return Window(
        prior,
        np.full(1, -1),
        np.zeros(3),
        np.zeros(1),
        np.zeros(1),
        np.zeros(1, np.int64),
        np.ones(1),
        np.zeros(2),
        np.full(1, -1.0),
        np.zeros(1, np.int64),
        np.zeros(1),
        np.zeros(1, np.int64),
        np.zeros(largest, np.int64),
        np.zeros(largest, np.int64),
        np.zeros(1, np.int64),
        np.full(arms, -1),
        np.zeros(2 * half),
        np.zeros(largest),
        np.zeros(largest, np.int64),
        np.zeros(1, np.int64),
        np.full(largest, -1),
        np.zeros(largest, np.int64),
        np.zeros(largest),
    )


@kernel
def exponents(window, counts, arm):
    """s and l of an arm's posterior."""
    wins = counts.wins[arm]
    return wins + (window.prior.a - 1.0), counts.pulls[arm] - wins + (window.prior.b - 1.0)


@kernel
def is_open(window, counts, reference):
    """Whether the window is about this reference, which is still where it was vouched for."""
    s, f = exponents(window, counts, reference)
    pulls, wins = counts.pulls[reference], counts.wins[reference]
    return (
        window.reference[0] == reference
        and pulls < window.expires[0]
        and s >= window.guard[0] * (s + f) * (1.0 + ROUNDING)
        and wins >= window.least[0] * pulls * (1.0 + ROUNDING)
    )


@kernel
def open_window(window, counts, reference, around, least):
    """Open a window on `around`, in which the reference's mean may sink to `least` at most.

    False where the reference is too young, or too close to `least`, for a useful level.
    """
    close(window)
    wins, losses = exponents(window, counts, reference)
    pulls = wins + losses
    if wins < 0.0 or losses < 0.0 or pulls < 1.0:
        return False
    mean = (wins + 1.0) / (pulls + 2.0)
    deviation = math.sqrt(mean * (1.0 - mean) / (pulls + 3.0))
    sink = deviation * GUARD * min(0.35 + window.depth[0], 1.0)
    guard = max(wins / pulls - sink, least)
    # where the reference flags about once in its pulls: a normal tail, and a longer one near 1
    age = math.log1p(pulls / YOUTH)
    level = guard - window.depth[0] * deviation * math.sqrt(2.0 * age)
    level -= max(0.0, 2.0 * mean - 1.0) * age / pulls
    # the bound at the guard covers every later state above it: it falls with each win and along the
    # ray wins = guard * pulls, if the level is a pull away from it and there are counts to speak of
    if (
        level < min(0.01, 0.1 * guard)
        or guard * pulls >= wins
        or pulls * (guard - level) < 1.0
        or pulls * guard * (1.0 - guard) < 0.25
    ):
        window.depth[0] = min(1.0, 1.2 * window.depth[0])
        return False
    bound = tails.tail_bound(guard * pulls, (1.0 - guard) * pulls, level)
    if bound > USELESS:
        window.depth[0] = min(1.0, 1.2 * window.depth[0])
        return False
    window.reference[0] = reference
    window.guard[0], window.least[0] = guard, least
    window.level[0], window.level[1], window.level[2] = level, math.log(level), math.log1p(-level)
    window.expires[0] = counts.pulls[reference] + max(8, counts.pulls[reference] // 2)
    n = 0
    for k in around:
        if k != reference:
            window.arms[n] = k
            window.position[k] = n
            n += 1
    window.rivals[0] = n
    window.arms[n] = reference
    window.position[reference] = n
    half = len(window.rates) // 2
    for position in range(n):
        window.rates[half + position] = _rate(window, counts, position)
    window.rates[half + n] = -math.log1p(-bound * (1.0 + 1e-9))
    window.mass[n] = 0.0
    window.rates[half + n + 1 :] = 0.0
    build_sums(window.rates)
    return True


@kernel
def close(window):
    """Forget the window; learn from it how deep the next level should be."""
    if window.reference[0] >= 0:
        for position in range(window.rivals[0] + 1):
            window.position[window.arms[position]] = -1
            window.place[position] = -1
        vain, own = window.tally[0], window.tally[1]
        if vain > 3.0 * own + 0.5 * window.rivals[0]:
            window.depth[0] = max(0.15, 0.9 * window.depth[0])
        elif own > vain:
            window.depth[0] = min(1.0, 1.2 * window.depth[0])
    window.tally[0] = 0.0
    window.tally[1] = 0.0
    window.reference[0] = -1
    window.youngs[0] = 0
    window.wait[0] = -1.0


@kernel
def _rate(window, counts, position):
    """The rate of a competitor's flag; 0 for a young one, which is put on the list instead."""
    k = window.arms[position]
    wins = counts.wins[k]
    losses = counts.pulls[k] - wins
    x, log_x, log_rest = window.level[0], window.level[1], window.level[2]
    tail, _, exact = tails.flag_chance(window.prior, wins, losses, x, log_x, log_rest, False)
    window.mass[position] = tail if exact else 0.0
    _set_young(window, position, tail > USELESS)
    return -math.log1p(-tail) if tail <= USELESS else 0.0


@kernel
def _set_young(window, position, young):
    place = window.place[position]
    if young and place < 0:
        window.place[position] = window.youngs[0]
        window.young[window.youngs[0]] = position
        window.youngs[0] += 1
    elif place >= 0 and not young:
        window.youngs[0] -= 1
        last = window.young[window.youngs[0]]
        window.young[place] = last
        window.place[last] = place
        window.place[position] = -1


@kernel
def note_pull(window, counts, arm):
    """Renew the rate of a competitor that was pulled."""
    position = window.position[arm]
    if window.reference[0] < 0 or position < 0 or arm == window.reference[0]:
        return
    set_sum(window.rates, position, _rate(window, counts, position))
    window.wait[0] = -1.0


@kernel
def rounds_to_flag(window, counts, rng):
    """How many rounds of sampling it takes to the next one that needs a look, that one included."""
    if window.youngs[0] > 0:
        return 1.0
    if window.wait[0] < 0.0:
        find_flag(window, counts, rng)
    return math.floor(window.wait[0]) + 1.0


@kernel
def find_flag(window, counts, rng):
    """Find the next flag of the reference, or of a competitor whose sample is above the level.

    Whether a competitor's sample is does not depend on what the reference wins until then: a flag
    raised in vain is settled here and now, and the commitment goes on beyond it.
    """
    time, now, n, level = 0.0, -1.0, window.rivals[0], window.level[0]
    while True:
        time += rng.standard_exponential() / max(window.rates[1], 1.0 / NEVER**2)  # may be 0
        if time > NEVER:
            time, position = NEVER, n
            break
        position = draw_leaf(window.rates, rng)
        if math.floor(time) != now:
            now = math.floor(time)
            window.round[0] += 1
        if window.marked[position] != window.round[0]:  # else it is a second point of the same flag
            window.marked[position] = window.round[0]
            if position == n:
                break
            window.sample[0] = _settle(window, counts, position, -1.0, rng)
            if window.sample[0] > level:
                break
            window.tally[0] += REJECTED
    window.wait[0], window.next[0] = time, position


@kernel
def wait_out(window, counts, rounds):
    """The commitment to the reference for some rounds before the one that needs a look."""
    if window.youngs[0] == 0:  # else none of them is a round of sampling, and no time goes by
        window.wait[0] -= math.floor(window.wait[0])
    reference, guard = window.reference[0], window.guard[0]
    pulls = counts.pulls[reference]
    s, f = exponents(window, counts, reference)
    rounds = min(rounds, float(window.expires[0] - pulls))
    # both lines, that of the guard and the flatter one of the least mean, are kept if this one is
    floor = max(guard * (s + f) - s, window.least[0] * pulls - counts.wins[reference])
    return Commitment(reference, int(rounds), floor, guard)


@kernel
def resolve(window, counts, rng):
    """The arm with the largest sample in a round that needs a look.

    The round is the unit of time beginning now: its flags are settled, the young are sampled.
    """
    n, level = window.rivals[0], window.level[0]
    fallen, found, raised, fall = False, -1, 0, level
    if window.youngs[0] > 0:
        window.round[0] += 1
        time = rng.standard_exponential() / window.rates[1]
    else:
        time = window.wait[0] - math.floor(window.wait[0])
        if window.next[0] == n:
            fall = _fall(window, counts, rng)
        else:
            found = window.next[0]
        time += rng.standard_exponential() / window.rates[1]
    window.wait[0] = -1.0
    while time < 1.0:
        position = draw_leaf(window.rates, rng)
        time += rng.standard_exponential() / window.rates[1]
        if window.marked[position] != window.round[0]:  # else it is a second point of the same flag
            window.marked[position] = window.round[0]
            if position == n:
                fall = _fall(window, counts, rng)
            else:
                window.flagged[raised] = position
                raised += 1
    fallen = fall < level
    # a competitor must beat the reference, so where it has not fallen its sample is drawn first
    theta = -1.0
    if not fallen and (found >= 0 or raised + window.youngs[0] > 0):
        theta = _posterior(window, counts, window.reference[0], rng)
        while theta <= level:
            theta = _posterior(window, counts, window.reference[0], rng)
    top, best = -1, max(theta, level)
    if found >= 0 and window.sample[0] > best:
        top, best = found, window.sample[0]
    for i in range(raised):
        position = window.flagged[i]
        sample = _settle(window, counts, position, best, rng)
        if sample > best:
            top, best = position, sample
    for i in range(window.youngs[0]):
        position = window.young[i]
        window.samples[position] = _posterior(window, counts, window.arms[position], rng)
        if window.samples[position] > best:
            top, best = position, window.samples[position]
    if top >= 0:
        return window.arms[top]
    if fallen:
        window.tally[1] += FALL
        window.samples[n] = fall
        return window.arms[_all_below(window, counts, rng)]
    window.tally[0] += raised + (found >= 0) + SAMPLE * window.youngs[0]
    return window.reference[0]


@kernel
def _fall(window, counts, rng):
    """The sample of the flagged reference if it is below the level, else the level."""
    window.tally[1] += 1.0
    n, level = window.rivals[0], window.level[0]
    s, f = exponents(window, counts, window.reference[0])
    x, accept = tails.sample_beyond(s, f, level, -1.0, rng)
    if accept > 0.0:
        # its flag has the bound at the guard: thin it down to the bound where it is now
        flag = -math.expm1(-window.rates[len(window.rates) // 2 + n])
        accept *= tails.tail_bound(s, f, level) / flag
    return x if accept > 0.0 and rng.random() < accept else level


@kernel
def _settle(window, counts, position, needed, rng):
    """The sample of a flagged competitor if it is above the level; the level itself if it is not.

    Also the level where the sample is surely no larger than needed.
    """
    arm = window.arms[position]
    level = window.level[0]
    if window.mass[position] > 0.0:
        wins = counts.wins[arm]
        losses = counts.pulls[arm] - wins
        return tails.sample_above(window.prior, wins, losses, level, window.mass[position], rng)
    s, f = exponents(window, counts, arm)
    return tails.jump_beyond(s, f, level, needed, rng)


@kernel
def _posterior(window, counts, arm, rng):
    wins = counts.wins[arm]
    return rng.beta(wins + window.prior.a, counts.pulls[arm] - wins + window.prior.b)


@kernel
def _all_below(window, counts, rng):
    """The position of the largest sample when all are below the level, the reference's known."""
    n = window.rivals[0]
    level = window.level[0]
    best = n
    for position in range(n):
        if window.place[position] < 0:
            theta = _posterior(window, counts, window.arms[position], rng)
            while theta > level:
                theta = _posterior(window, counts, window.arms[position], rng)
            window.samples[position] = theta
        if window.samples[position] > window.samples[best]:
            best = position
    return best
