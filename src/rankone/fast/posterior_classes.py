"""Thompson Sampling among many young arms: classes of equal counts in the place of arms.

Fix a level x so high that only a few of all samples are above it. If any is, the largest of those
is the largest of all, and nobody needs the samples below. Arms with equal counts are exchangeable,
so a class of m of them raises flags together: one arm has a sample above x with probability
p = P(theta > x), so the arms above x are found by points of a Poisson process in a unit of time,
with the rate -ln(1 - p) for each arm; a point belongs to a uniformly chosen arm of its class, and
an arm with any point is above x. Only if there is no point at all, everybody is sampled below x.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import uniform_index
from rankone.engine.compiled import kernel
from rankone.fast.posterior_tails import Prior, sample_above, upper_tail

AGE = 32  # arms with fewer pulls are in classes
SLOTS = AGE * (AGE + 1) // 2  # one for each pair of pulls and wins
LATEST = 1.0 - 1e-15
HIGHEST = 34.0  # -ln(1 - x) of the highest level


class Classes(NamedTuple):
    """The arms by classes, the level, and the rates at which they raise flags."""

    prior: Prior
    order: np.ndarray  # the arms, class by class; those of AGE pulls and more at the end
    place: np.ndarray  # arm -> where it is in the order
    first: np.ndarray  # class -> where it begins in the order
    level: np.ndarray  # (3,) x, ln x, ln(1 - x); 0: not chosen yet
    wanted: np.ndarray  # (3,) least, chosen and largest number of flags in a round
    rate: np.ndarray  # class -> of one arm of it; nan: not worked out for this level
    flags: np.ndarray  # a sum tree over classes: node i has the children 2 i and 2 i + 1,
    old_flags: np.ndarray  # and one over the arms of AGE pulls and more
    marked: np.ndarray  # arm -> the last round in which it was above the level
    round: np.ndarray  # (1,) number of the round


def make_classes(arms: int, prior: Prior) -> Classes:
    first = np.full(SLOTS + 2, arms)
    first[0] = 0
    leaves = 1 << (arms - 1).bit_length()
    wanted = math.log(arms) + 2.0
    return Classes(
        prior,
        np.arange(arms),
        np.arange(arms),
        first,
        np.zeros(3),
        np.array([wanted - 2.5, wanted, 2.0 * wanted]),
        np.full(SLOTS, math.nan),
        np.zeros(2 << (SLOTS - 1).bit_length()),
        np.zeros(2 * leaves),
        np.zeros(arms, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def slot_of(pulls, wins):
    """The class of an arm; SLOTS for all that are too old for one."""
    return pulls * (pulls + 1) // 2 + wins if pulls < AGE else SLOTS


@kernel
def set_sum(tree, leaf, value):
    """Change a leaf of a sum tree."""
    node = len(tree) // 2 + leaf
    tree[node] = value
    while node > 1:
        value += tree[node ^ 1]  # its sibling: what was stored just now is not read again
        node //= 2
        tree[node] = value


@kernel
def build_sums(tree):
    """Work out a sum tree from its leaves."""
    for node in range(len(tree) // 2 - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@kernel
def draw_leaf(tree, rng):
    """A leaf, with a probability in proportion to its value."""
    half = len(tree) // 2
    whole = rng.random() * tree[1]
    target, node = whole, 1
    # without a branch, which the processor could not predict, and two generations at a time
    while 2 * node < half:
        node *= 4
        first, second = tree[node], tree[node // 2]
        third = second + tree[node + 2]
        one, two, three = target >= first, target >= second, target >= third
        lower, upper = first if one else 0.0, third if three else second
        target -= upper if two else lower
        node += one  # one by one: in plain Python the sum of two flags of NumPy is a flag
        node += two
        node += three
    if node < half:
        node *= 2
        node += target >= tree[node]
    if tree[node] > 0.0:
        return node - half
    return last_leaf(tree, whole)


@kernel(inline=False)
def last_leaf(tree, target):
    """The same, but never a leaf of value 0, where rounding errors can lead to."""
    half = len(tree) // 2
    node = 1
    while node < half:
        node *= 2
        if target >= tree[node] and tree[node + 1] > 0.0:
            target -= tree[node]
            node += 1
    return node - half


@kernel
def flag_rate(prior, wins, losses, x, log_x, log_rest):
    """-ln(1 - p), where p is the probability of a sample above x."""
    return -math.log1p(-min(upper_tail(prior, wins, losses, x, log_x, log_rest), LATEST))


@kernel
def move(classes, arm, old, new):
    """Put an arm into a later class: one arm of every class in between changes its place."""
    order, place, first = classes.order, classes.place, classes.first
    for slot in range(old, new):
        last = first[slot + 1] - 1
        other, here = order[last], place[arm]
        order[here], order[last] = other, arm
        place[other], place[arm] = here, last
        first[slot + 1] = last


@kernel
def set_class_flags(classes, slot):
    """The flags of a class, by the number of its arms."""
    members = classes.first[slot + 1] - classes.first[slot]
    x, log_x, log_rest = classes.level[0], classes.level[1], classes.level[2]
    if members > 0 and math.isnan(classes.rate[slot]):
        pulls = int((math.sqrt(8.0 * slot + 1.0) - 1.0) / 2.0)
        wins = slot - pulls * (pulls + 1) // 2
        classes.rate[slot] = flag_rate(classes.prior, wins, pulls - wins, x, log_x, log_rest)
    set_sum(classes.flags, slot, members * classes.rate[slot] if members > 0 else 0.0)


@kernel
def note_pulls(classes, counts, arm, rounds, wins):
    """Bring the classes up to date after an arm was pulled."""
    pulls = counts.pulls[arm]
    old = slot_of(pulls - rounds, counts.wins[arm] - wins)
    new = slot_of(pulls, counts.wins[arm])
    if old < new:
        move(classes, arm, old, new)
    if classes.level[0] > 0.0:
        if old < SLOTS:
            set_class_flags(classes, old)
        if new < SLOTS:
            set_class_flags(classes, new)
        else:
            losses = pulls - counts.wins[arm]
            x, log_x, log_rest = classes.level[0], classes.level[1], classes.level[2]
            rate = flag_rate(classes.prior, counts.wins[arm], losses, x, log_x, log_rest)
            set_sum(classes.old_flags, arm, rate)


@kernel
def flags_at(classes, counts, x):
    """Set the level, and return how many flags a round has there on average."""
    log_x, log_rest = math.log(x), math.log1p(-x)
    classes.level[0], classes.level[1], classes.level[2] = x, log_x, log_rest
    half, old_half = len(classes.flags) // 2, len(classes.old_flags) // 2
    for slot in range(SLOTS):
        members = classes.first[slot + 1] - classes.first[slot]
        classes.rate[slot] = math.nan
        classes.flags[half + slot] = 0.0
        if members > 0:
            pulls = int((math.sqrt(8.0 * slot + 1.0) - 1.0) / 2.0)
            wins = slot - pulls * (pulls + 1) // 2
            classes.rate[slot] = flag_rate(classes.prior, wins, pulls - wins, x, log_x, log_rest)
            classes.flags[half + slot] = members * classes.rate[slot]
    for i in range(classes.first[SLOTS], len(classes.order)):
        k = classes.order[i]
        losses = counts.pulls[k] - counts.wins[k]
        rate = flag_rate(classes.prior, counts.wins[k], losses, x, log_x, log_rest)
        classes.old_flags[old_half + k] = rate
    build_sums(classes.flags)
    build_sums(classes.old_flags)
    return classes.flags[1] + classes.old_flags[1]


@kernel
def choose_level(classes, counts):
    """A level with about as many flags as wanted: secants of ln(flags) in y = -ln(1 - x)."""
    low, high = 0.0, HIGHEST
    y = -classes.level[2] if classes.level[0] > 0.0 else -math.log1p(-0.5)
    slope, before, before_y = -4.0, 0.0, -1.0
    for _ in range(60):
        excess = math.log(flags_at(classes, counts, -math.expm1(-y)) / classes.wanted[1])
        if abs(excess) < 0.1:
            break
        if excess > 0.0:
            low = y
        else:
            high = y
        if before_y >= 0.0 and (excess - before) * (y - before_y) < 0.0:
            slope = (excess - before) / (y - before_y)
        before, before_y = excess, y
        y -= excess / slope
        if not low + 0.01 * (high - low) < y < high - 0.01 * (high - low):
            y = (low + high) / 2.0 if high < HIGHEST else min(2.0 * before_y + 0.1, 33.0)


@kernel
def largest_sample(classes, counts, rng):
    """The arm with the largest posterior sample in a round."""
    total = classes.flags[1] + classes.old_flags[1]
    if not (classes.level[0] > 0.0 and classes.wanted[0] <= total <= classes.wanted[2]):
        choose_level(classes, counts)
        total = classes.flags[1] + classes.old_flags[1]
    x = classes.level[0]
    classes.round[0] += 1
    best, winner = -1.0, -1
    time = rng.standard_exponential() / total
    while time < 1.0:
        if rng.random() * total < classes.flags[1]:
            slot = draw_leaf(classes.flags, rng)
            members = classes.first[slot + 1] - classes.first[slot]
            arm = classes.order[classes.first[slot] + uniform_index(members, rng)]
        else:
            arm = draw_leaf(classes.old_flags, rng)
        time += rng.standard_exponential() / total
        if classes.marked[arm] != classes.round[0]:  # a second point of an arm is no new sample
            classes.marked[arm] = classes.round[0]
            wins = counts.wins[arm]
            losses = counts.pulls[arm] - wins
            tail = 0.0
            if counts.pulls[arm] < AGE:
                tail = -math.expm1(-classes.rate[slot_of(counts.pulls[arm], wins)])
            else:
                leaf = len(classes.old_flags) // 2 + arm
                tail = -math.expm1(-classes.old_flags[leaf])
            theta = sample_above(classes.prior, wins, losses, x, tail, rng)
            if theta > best:
                best, winner = theta, arm
    return winner if winner >= 0 else largest_below(classes, counts, x, rng)


@kernel
def largest_below(classes, counts, x, rng):
    """The arm with the largest sample, given that all are at most x."""
    best, winner = -1.0, 0
    for arm in range(len(counts.pulls)):
        a, b = counts.wins[arm] + classes.prior.a, classes.prior.b + counts.pulls[arm]
        theta = rng.beta(a, b - counts.wins[arm])
        while theta > x:
            theta = rng.beta(a, b - counts.wins[arm])
        if theta > best:
            best, winner = theta, arm
    return winner
