"""The screen with the relative entropy as deviance: for KL-UCB, and for OSUB around a leader."""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine import kl
from rankone.engine.argmax import best_of
from rankone.engine.compiled import kernel
from rankone.engine.kl import exploration
from rankone.engine.loop import Commitment, once
from rankone.fast import index_screen as screens
from rankone.fast.index_screen import CLOSE, FOREVER, SLIP, Bar

# An index closer to one than this belongs to an arm that hardly ever loses.
NEAR_ONE = 1e-9

# A level that is so much higher or lower, per loss of the arm, moves ln(1 - index) of an index next
# to one by at least as much, which is further than rounding does.
MARGIN = 1e-12


@kernel
def index(pulls, wins, f):
    """As the plain policy computes it."""
    return kl.index(pulls, wins, f, 0.0)


@kernel
def bar(q):
    """Weights of the deviance N kl(S/N, q); all are awake at a q too small for them."""
    inside = min(max(q, CLOSE), 1.0 - CLOSE)
    return Bar(
        inside if q >= CLOSE else 0.0,
        -math.log(inside),
        -math.log1p(-inside),
        -1.0 / inside,
        1.0 / (1.0 - inside),
    )


@kernel
def constant(pulls, wins):
    """S ln(S/N) + F ln(F/N), the part of the deviance without q."""
    losses = pulls - wins
    total = 0.0
    if wins > 0:
        total += wins * math.log(wins / pulls)
    if losses > 0:
        total += losses * math.log(losses / pulls)
    return total


@kernel
def least_mean(q, d, mean):
    """The smallest p with kl(p, q) <= d, or a bit more, by Newton's iteration.

    It starts where a cubic in the place of kl(., q) is d or, if q is too close to 0 for that, from
    a mean below q. kl(., q) is convex: the first step leads to the left of the root, the next ones
    towards it, and what is left is at most half of step^2 times the ratio of the second to the
    first derivative.
    """
    q = min(q, 1.0 - CLOSE / 2.0)  # a guard for an index of 1 must be a number, too
    if -math.log1p(-q) <= d:
        return 0.0
    guess = q - math.sqrt(2.0 * d * q * (1.0 - q)) + (1.0 - 2.0 * q) * d / 3.0
    p = min(max(guess if guess > 0.1 * q else mean, CLOSE), q * (1.0 - CLOSE))
    for _ in range(60):
        up = math.log1p((q - p) / p)
        down = math.log1p((p - q) / (1.0 - p))
        step = (-p * up - (1.0 - p) * down - d) / (up - down)
        p = max(p + step, 1e-3 * p)
        if abs(step) < 1e-5 * min(q - p, p):
            break
    return p + step * step / (p * (1.0 - p) * (up - down))


@kernel
def pace(t, c):
    """A number of rounds after t in which f(t) = ln t + c ln ln t grows by less than one.

    It is 1 / f'(t), and enough because f is concave.
    """
    return t / (1.0 + c / math.log(t))


class Stairs(NamedTuple):
    """Indices found by a bisection to a width, one entry per arm.

    As a function of f such an index is a staircase. The last value is kept with the range of f in
    which it holds, so that the bisection is repeated only outside of it.
    """

    pulls: np.ndarray  # of the arm when the bisection was done
    value: np.ndarray  # the index found
    since: np.ndarray  # it holds from this f on
    until: np.ndarray  # and below this f


def new_stairs(arms, width):
    steps = arms if width > 0.0 else 0
    return Stairs(np.full(steps, -1), np.empty(steps), np.empty(steps), np.empty(steps))


@kernel
def step(stairs, counts, arm, f, width):
    """The index by bisection, which is done anew only where the last one does not hold any more."""
    same = stairs.pulls[arm] == counts.pulls[arm]
    if not same or f < stairs.since[arm] or f >= stairs.until[arm]:
        pulls, mean = counts.pulls[arm], counts.means[arm]
        low, high = kl.bisect(pulls, mean, f, width) if pulls > 0 else (1.0, 1.0)
        stairs.pulls[arm] = pulls
        stairs.value[arm] = (low + high) / 2.0
        stairs.since[arm], stairs.until[arm] = pulls * kl.kl(mean, low), pulls * kl.kl(mean, high)
    return stairs.value[arm]


@kernel
def solve_all(screen, stairs, counts, f, width, rng):
    """The position of the largest index in a screen, without its help."""
    values = screen.values[: screen.size[0]]
    for position in range(len(values)):
        k = screen.members[position]
        if width > 0.0:
            values[position] = step(stairs, counts, k, f, width)
        else:
            values[position] = index(counts.pulls[k], counts.wins[k], f)
    return best_of(values, rng)


@kernel
def until_loss(screen, counts, arm, f, clock, found, next_up, rate, c):
    """Commit until the first loss to an arm whose index is close to one.

    One more win lowers the deviance S ln(S/N) + F ln(F/N) - S ln q - F ln(1 - q) at every q above
    the mean, by about ln(q N / S): until it loses, the arm's index only rises. Computed indices so
    close to one are 1 - y rounded, with y good to 13 digits. So where a computed index is below
    another one, both at levels that are a margin to the wrong side, it stays below: rounding keeps
    the order. Where they are equal they tie, as in the plain policy.
    """
    pulls, wins = counts.pulls[arm], counts.wins[arm]
    rounds = int(min(max(rate * (next_up - f - SLIP), 1.0), FOREVER / 4.0))
    if wins < pulls:  # by then it will have lost
        rounds = min(rounds, int(8.0 * (pulls + 2.0) / (pulls - wins)))
    own = index(pulls, wins, f - SLIP - MARGIN * (pulls - wins))
    while rounds > 1:
        last, later = exploration(clock + rounds, c) + SLIP, screen.bar[0]
        for i in range(found):
            k = screen.awake[i]
            if k != arm:
                lost = counts.pulls[k] - counts.wins[k]
                later = max(later, index(counts.pulls[k], counts.wins[k], last + MARGIN * lost))
        if later < own:
            return Commitment(arm, rounds, 0.0, 1.0)
        rounds //= 2
    return once(arm)


@kernel
def strongest(screen, stairs, counts, clock, settings, rng):
    """The position of the largest index at this clock, and a commitment to it."""
    f = exploration(clock, settings.c)
    found, next_up, largest, level = 0, f, 0.0, screens.common_bar(screen)
    if clock >= 3 and settings.width <= 0.0:
        found, next_up, largest, level = screens.survey(screen, counts, f, index, bar)
    if found == 0:
        position = solve_all(screen, stairs, counts, f, settings.width, rng)
        return position, once(screen.members[position])
    position, ties = screens.pick(screen, found, rng)
    arm = screen.members[position]
    if ties > 1:
        return position, once(arm)
    rate = pace(clock, settings.c)
    commitment = once(arm)
    if largest < 1.0 - NEAR_ONE or counts.pulls[arm] == 0:
        commitment = screens.vouch(
            screen, counts, arm, f, rate, found, next_up, largest, level, least_mean
        )
    # closer to each other than the screen can tell, next to one two indices may stay so for long
    if commitment.rounds == 1 and largest > 1.0 - kl.NEXT_TO_ONE and counts.pulls[arm] > 0:
        commitment = until_loss(screen, counts, arm, f, clock, found, next_up, rate, settings.c)
    return position, commitment
