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
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.compiled import kernel
from rankone.engine.loop import Commitment
from rankone.fast import posterior_tails as tails

USELESS = 0.5  # a competitor's bound above this is not worth a flag: sample the arm in every round
GUARD = 2.0  # posterior standard deviations the reference may sink before the window closes
ROUNDING = 1e-12  # a commitment that ended at the guard must not leave the window open
YOUTH = 25.0  # pulls of the reference below which the level stays close to its mean


class Window(NamedTuple):
    """A reference arm, its competitors, the level between them and the rates of the flags."""

    reference: np.ndarray  # (1,) the arm, -1: the window is closed
    level: np.ndarray  # (3,) x, ln x, ln(1 - x)
    guard: np.ndarray  # (1,) the empirical mean below which the window closes
    expires: np.ndarray  # (1,) pulls of the reference at which the level should be chosen anew
    wait: np.ndarray  # (1,) time to the next flag, in rounds of sampling; negative: not drawn yet
    arms: np.ndarray  # position -> arm; the reference has the last position
    rivals: np.ndarray  # (1,) number of competitors
    position: np.ndarray  # arm -> position, -1 where the arm is not in the window
    rates: np.ndarray  # sum tree: node i has children 2i and 2i + 1, leaf p is at half + p
    young: np.ndarray  # positions sampled in every round
    youngs: np.ndarray  # (1,) how many
    place: np.ndarray  # position -> place in young, -1
    samples: np.ndarray  # position -> sample, nan where all that is known is that it is below x


def closed_window(arms, largest):
    """No window yet; room for `largest` arms, the reference included."""
    half = 1
    while half < largest:
        half *= 2
    return Window(
        np.full(1, -1, np.int64),
        np.zeros(3),
        np.zeros(1),
        np.zeros(1, np.int64),
        np.full(1, -1.0),
        np.zeros(largest, np.int64),
        np.zeros(1, np.int64),
        np.full(arms, -1),
        np.zeros(2 * half),
        np.zeros(largest, np.int64),
        np.zeros(1, np.int64),
        np.full(largest, -1),
        np.zeros(largest),
    )


@kernel
def is_open(window, counts, reference):
    """Whether the window is about this reference, which is still where it was vouched for."""
    pulls, wins = counts.pulls[reference], counts.wins[reference]
    return (
        window.reference[0] == reference
        and pulls < window.expires[0]
        and wins >= window.guard[0] * pulls * (1.0 + ROUNDING)
    )


@kernel
def open_window(window, counts, reference, around, least):
    """Open a window on `around`, in which the reference's mean may sink to `least` at most.

    False where the reference is too young, or too close to `least`, for a useful level.
    """
    close(window)
    pulls, wins = float(counts.pulls[reference]), float(counts.wins[reference])
    mean = (wins + 1.0) / (pulls + 2.0)
    deviation = math.sqrt(mean * (1.0 - mean) / (pulls + 3.0))
    guard = max(wins / pulls - GUARD * deviation, least)
    # where the reference flags about once in its pulls: a normal tail, and a longer one near 1
    age = math.log1p(pulls / YOUTH)
    level = guard - deviation * math.sqrt(2.0 * age) - max(0.0, 2.0 * mean - 1.0) * age / pulls
    # the bound at the guard covers every later state above it: it falls with each win and along the
    # ray wins = guard * pulls, if the level is a pull away from it and there are counts to speak of
    if (
        level < min(0.01, 0.1 * guard)
        or guard * pulls >= wins
        or pulls * (guard - level) < 1.0
        or pulls * guard * (1.0 - guard) < 0.25
    ):
        return False
    bound = tails.tail_bound(guard * pulls, (1.0 - guard) * pulls, level)
    if bound > USELESS:
        return False
    window.reference[0] = reference
    window.guard[0] = guard
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
    window.rates[half + n + 1 :] = 0.0
    for node in range(half - 1, 0, -1):
        window.rates[node] = window.rates[2 * node] + window.rates[2 * node + 1]
    return True


@kernel
def close(window):
    """Forget the window."""
    if window.reference[0] >= 0:
        for position in range(window.rivals[0] + 1):
            window.position[window.arms[position]] = -1
            window.place[position] = -1
    window.reference[0] = -1
    window.youngs[0] = 0
    window.wait[0] = -1.0


@kernel
def _rate(window, counts, position):
    """The rate of a competitor's flag; 0 for a young one, which is put on the list instead."""
    k = window.arms[position]
    wins = counts.wins[k]
    losses = counts.pulls[k] - wins
    level = window.level[0]
    s = tails.slope(wins, losses, level)
    bound = 1.0
    if s > 0.0:
        log_density = tails.log_density(wins, losses, level, window.level[1], window.level[2])
        bound = math.exp(log_density) / s
    _set_young(window, position, bound > USELESS)
    return -math.log1p(-bound) if bound <= USELESS else 0.0


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
    node = len(window.rates) // 2 + position
    window.rates[node] = _rate(window, counts, position)
    while node > 1:
        node //= 2
        window.rates[node] = window.rates[2 * node] + window.rates[2 * node + 1]
    window.wait[0] = -1.0


@kernel
def rounds_to_flag(window, rng):
    """How many rounds of sampling it takes to the next one that needs a look, that one included."""
    if window.wait[0] < 0.0:
        window.wait[0] = rng.standard_exponential() / window.rates[1]
    if window.youngs[0] > 0:
        return 1.0
    return math.floor(window.wait[0]) + 1.0


@kernel
def wait_out(window, counts, rounds):
    """The commitment to the reference for some rounds before the one that needs a look."""
    if window.youngs[0] == 0:  # else none of them is a round of sampling, and no time goes by
        window.wait[0] -= math.floor(window.wait[0])
    reference, guard = window.reference[0], window.guard[0]
    pulls = counts.pulls[reference]
    rounds = min(rounds, float(window.expires[0] - pulls))
    return Commitment(reference, int(rounds), guard * pulls - counts.wins[reference], guard)


@kernel
def resolve(window, counts, rng):
    """The arm with the largest sample in a round that needs a look.

    The round is the unit of time beginning now: its flags are settled, the young are sampled.
    """
    n = window.rivals[0]
    level = window.level[0]
    samples = window.samples
    samples[: n + 1] = np.nan
    fallen = False
    top = -1
    time = window.wait[0]
    if window.youngs[0] == 0:
        time -= math.floor(time)
    window.wait[0] = -1.0
    while time < 1.0:
        position = _flagged(window, rng)
        time += rng.standard_exponential() / window.rates[1]
        if not math.isnan(samples[position]):
            continue  # a second point of the same arm is the same flag
        samples[position] = _settle(window, counts, position, rng)
        if position == n:
            fallen = samples[n] < level
        elif samples[position] > level and (top < 0 or samples[position] > samples[top]):
            top = position
    for i in range(window.youngs[0]):
        position = window.young[i]
        samples[position] = _posterior(counts, window.arms[position], rng)
        if samples[position] > level and (top < 0 or samples[position] > samples[top]):
            top = position
    if fallen and top < 0:
        return window.arms[_all_below(window, counts, rng)]
    if fallen:
        return window.arms[top]
    if top < 0:
        return window.reference[0]
    theta = _posterior(counts, window.reference[0], rng)
    while theta <= level:
        theta = _posterior(counts, window.reference[0], rng)
    return window.arms[top] if samples[top] > theta else window.reference[0]


@kernel
def _flagged(window, rng):
    """The position whose flag is up, with a probability in proportion to its rate."""
    rates = window.rates
    half = len(rates) // 2
    target = rng.random() * rates[1]
    node = 1
    while node < half:
        node *= 2
        if target >= rates[node] and rates[node + 1] > 0.0:
            target -= rates[node]
            node += 1
    return node - half


@kernel
def _settle(window, counts, position, rng):
    """The sample of a flagged arm if it is beyond the level; the level itself if it is not."""
    arm = window.arms[position]
    wins = counts.wins[arm]
    losses = counts.pulls[arm] - wins
    level = window.level[0]
    x, accept = tails.sample_beyond(wins, losses, level, rng)
    if position == window.rivals[0]:
        # the reference's flag has the bound at the guard: thin it down to the bound where it is now
        flag = -math.expm1(-window.rates[len(window.rates) // 2 + position])
        accept *= tails.tail_bound(wins, losses, level) / flag
    return x if rng.random() < accept else level


@kernel
def _posterior(counts, arm, rng):
    return rng.beta(counts.wins[arm] + 1.0, counts.pulls[arm] - counts.wins[arm] + 1.0)


@kernel
def _all_below(window, counts, rng):
    """The position of the largest sample when all are below the level, the reference's known."""
    n = window.rivals[0]
    level = window.level[0]
    best = n
    for position in range(n):
        if window.place[position] < 0:
            theta = _posterior(counts, window.arms[position], rng)
            while theta > level:
                theta = _posterior(counts, window.arms[position], rng)
            window.samples[position] = theta
        if window.samples[position] > window.samples[best]:
            best = position
    return best
