"""Which index is the largest, and for how long: the part that the fast index policies share.

An index policy pulls the arm with the largest U_k = max{q : N_k d(S_k/N_k, q) <= f}, where f grows
with time. Arm k's *deviance* at a bar q above its mean is g_k(q) = N_k d(S_k/N_k, q): its index is
above the bar just when g_k(q) < f. Three things follow.

- Screen: one bar and two products tell which arms can have the largest index; few roots are solved.
- Sleep: an arm that is not pulled keeps its g_k(q), so until f gets there it can be left alone. The
  deviances at a common bar sit in a tournament tree: the next to wake up is on top of it.
- Vouch: as long as its own index stays above a bar under which all others sleep, the winner wins
  again. {(N, S) : N d(S/N, q) <= f} is convex, so that is sure while its wins stay above a line.

What differs between the policies is d. It comes in as kernels: index(pulls, wins, f) exactly as the
plain policy computes it, so that what ties there ties here; bar(q); and least_mean(q, d, mean), the
smallest p with d(p, q) <= d.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.loop import Commitment, once
from rankone.fast.tournament import Tournament, fill, holder, room, update

# A computed index is surely this close to the true one, so bars are kept this far from it.
CLOSE = 1e-13

# A computed f is surely this close to the true one.
SLIP = 1e-12

# A deviance is off by at most this, per pull and unit of its weights.
ROUNDING = 1e-15

# With more nodes awake than this the bar goes up; the square root of the members, if that is more.
CROWD = 16

# No commitment is longer than this, and 64 bits hold its end.
FOREVER = 4e18


class Bar(NamedTuple):
    """A level q: a deviance at it is constant_k + S_k win + F_k loss, its slope in q likewise."""

    q: float
    win: float
    loss: float
    win_slope: float
    loss_slope: float


class Screen(NamedTuple):
    constant: np.ndarray  # of all arms: the part of the deviance that no bar changes
    members: np.ndarray  # the arms compared, ascending
    size: np.ndarray  # how many they are
    tree: Tournament  # over the members: minus the f at which their index reaches the common bar
    bar: np.ndarray  # the common bar
    reach: np.ndarray  # how far below the largest index a new bar goes, in variances
    values: np.ndarray  # room for a number per member
    stack: np.ndarray  # room for a walk in the tree
    nodes: np.ndarray  # the nodes of the tree below which someone is awake,
    awake: np.ndarray  # an arm that is,
    shares: np.ndarray  # whether it shares the largest index,
    spare: np.ndarray  # and if not, how far f is from where it might,
    slope: np.ndarray  # and how fast that shrinks as the bar goes down


def new_screen(arms, most):
    """A screen of at most so many of the arms at a time."""
    crowd = max(CROWD, int(math.sqrt(most)))
    return Screen(
        np.zeros(arms),
        np.arange(most),
        np.zeros(1, np.int64),
        room(most),
        np.full(5, 0.5),
        np.full(1, 0.1),
        np.empty(most),
        np.empty(64, np.int64),
        np.empty(crowd, np.int64),
        np.empty(crowd, np.int64),
        np.empty(crowd, np.bool_),
        np.empty(crowd),
        np.empty(crowd),
    )


@kernel
def wake_up(screen, counts, arm, bar):
    """The f at which an arm's index reaches a bar, or a bit less; negative if its mean is there."""
    pulls, wins = counts.pulls[arm], counts.wins[arm]
    deviance = screen.constant[arm] + wins * bar.win + (pulls - wins) * bar.loss
    if counts.means[arm] >= bar.q:
        deviance = -abs(deviance)
    return deviance - ROUNDING * pulls * (1.0 + abs(bar.win) + abs(bar.loss))


@kernel
def set_bar(screen, counts, q, bar):
    """Choose a new common bar: every member's wake-up changes."""
    level = bar(q)
    screen.bar[0], screen.bar[1], screen.bar[2] = level.q, level.win, level.loss
    screen.bar[3], screen.bar[4] = level.win_slope, level.loss_slope
    for position in range(screen.size[0]):
        screen.values[position] = -wake_up(screen, counts, screen.members[position], level)
    fill(screen.tree, screen.values[: screen.size[0]])


@kernel
def common_bar(screen):
    bar = screen.bar
    return Bar(bar[0], bar[1], bar[2], bar[3], bar[4])


@kernel
def renew(screen, counts, position):
    """Bring a member's wake-up up to date after it was pulled."""
    wakes = wake_up(screen, counts, screen.members[position], common_bar(screen))
    update(screen.tree, position, -wakes)


@kernel
def look(screen, f):
    """Find who is awake: the number of nodes, -1 if it is a crowd, and when the next one wakes up.

    Below each node the awake are of one kind, with equal counts and so indices: thousands of arms
    that are still alike cost no more than one. The nodes are in the order of their arms.
    """
    tree, stack = screen.tree, screen.stack
    found, next_up = 0, math.inf
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if -tree.best[node] > f:
            next_up = min(next_up, -tree.best[node])
        elif -tree.runner[node] > f:
            if found == len(screen.nodes):
                return -1, f
            screen.nodes[found] = node
            screen.awake[found] = screen.members[holder(tree, node, 0)]
            next_up = min(next_up, -tree.runner[node])
            found += 1
        else:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
    return found, next_up


@kernel
def contest(screen, counts, f, found, index, bar):
    """The largest index among the awake, and the bar just below it.

    Marks who shares it, and notes how far f is from where the others may reach that bar. A root is
    solved only for an arm that may be there already.
    """
    tree, shares, spare = screen.tree, screen.shares, screen.spare
    i = 0  # the top of the tree goes first: it is the likeliest winner
    while tree.best[screen.nodes[i]] != tree.best[1]:
        i += 1
    largest, level, kind = -math.inf, common_bar(screen), math.nan
    while i < found:
        k = screen.awake[i]
        shares[i] = tree.best[screen.nodes[i]] == kind
        if not shares[i]:
            spare[i] = max(wake_up(screen, counts, k, level) - f - SLIP, 0.0)
            if spare[i] == 0.0:
                challenge = index(counts.pulls[k], counts.wins[k], f)
                shares[i] = challenge == largest
                if challenge > largest:
                    largest, level = challenge, bar(challenge - CLOSE)
                    kind = tree.best[screen.nodes[i]]
                    i = -1  # all others anew
        i += 1
    return largest, level


@kernel
def survey(screen, counts, f, index, bar):
    """Find who has the largest index, moving the bar while a crowd or nobody is surely above it.

    Returns how many nodes are awake, or 0 if no bar is of use; when the next wakes up; the largest
    index; and the bar just below it. Rounding keeps a member with many pulls awake a bit below the
    common bar: its index alone does not say that the sleepers have smaller ones.
    """
    for _ in range(8):
        found, next_up = look(screen, f)
        if found > 0:
            largest, level = contest(screen, counts, f, found, index, bar)
            if largest - CLOSE >= screen.bar[0]:
                return found, next_up, largest, level
        else:
            first = screen.members[holder(screen.tree, 1, 0)]
            largest = index(counts.pulls[first], counts.wins[first], f)
            level = bar(largest)
        variance = 1.0 / (level.loss_slope - level.win_slope)
        screen.reach[0] = min(max(screen.reach[0] * (2.0 if found >= 0 else 0.5), 1e-9), 8.0)
        set_bar(screen, counts, largest - screen.reach[0] * variance - 2.0 * CLOSE, bar)
    return 0, f, 0.0, common_bar(screen)


@kernel
def pick(screen, found, rng):
    """The position of one of those who share the largest index, and how many they are."""
    ties = 0
    for i in range(found):
        if screen.shares[i]:
            ties += screen.tree.ties[screen.nodes[i]]
    skip = 0 if ties == 1 else uniform_index(ties, rng)
    position = -1
    for i in range(found):
        if screen.shares[i]:
            here = screen.tree.ties[screen.nodes[i]]
            if 0 <= skip < here:
                position = holder(screen.tree, screen.nodes[i], skip)
            skip -= here
    return position, ties


@kernel
def slope(counts, arm, bar):
    """How fast an arm's deviance grows with the bar."""
    wins = counts.wins[arm]
    return wins * bar.win_slope + (counts.pulls[arm] - wins) * bar.loss_slope


@kernel
def vouch(screen, counts, arm, f, pace, found, next_up, largest, level, least_mean):
    """Commit to the arm with the largest index for as long as no rival's index can reach its own.

    f grows by less than one in `pace` rounds. A rival's deviance is convex in q, so it lies above
    its tangent at the bar `level`. Two things follow. Now, its index is at least spare / slope
    below the bar; and while it is not pulled, its index stays below a line that rises with f, and
    so with time. The commitment is guarded by the wins at which the arm's own index would have
    sunk to that line.
    """
    pulls, mean = counts.pulls[arm], counts.means[arm]
    gap = level.q - screen.bar[0]
    for i in range(found):
        if not screen.shares[i]:
            screen.slope[i] = slope(counts, screen.awake[i], level)
            gap = min(gap, screen.spare[i] / screen.slope[i])
    if pulls * gap < level.q and mean < 0.75:  # the first loss would be the end of it, and soon
        return once(arm)
    rise = gap if largest + gap < 1.0 - CLOSE else 0.0
    meet = math.inf  # by then, no rival can be higher than `rise` above the bar
    for i in range(found):
        if not screen.shares[i]:
            meet = min(meet, screen.spare[i] + rise * screen.slope[i])
    rounds = math.floor(min(pace * min(meet, next_up - f - SLIP), FOREVER))
    if not rounds >= 2.0:
        return once(arm)
    later = gap - (gap + rise) * min(rounds / (pace * meet), 1.0)
    lowest = pulls * least_mean(largest - gap, f / pulls, mean)
    end = (pulls + rounds) * least_mean(largest - later, f / (pulls + rounds), mean)
    floor = lowest - counts.wins[arm] + ROUNDING * (pulls + rounds)
    return Commitment(arm, int(rounds), floor, (end - lowest) / rounds)
