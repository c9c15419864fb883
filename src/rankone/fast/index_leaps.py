"""Who has the largest index, and for how long: leaps for any index policy.

An index policy pulls the arm with the largest U_k = index(N_k, S_k, f), where the exploration level f
never falls. Nothing is used of the index but that

    it rises (or stays) with the level, at the same counts;
    it rises (or stays) with the wins, at the same pulls and level;
    it falls (or stays) with the pulls, at the same empirical mean and level.

- Sleep: an arm whose index at a later level is below a common bar is below it until that level, if
  it is not pulled before. The levels sit in a tree (sleepers.py): only the awake are looked at.
- Vouch: the winner is pulled again and again as long as no other index can reach a height q, and its
  own stays above q. After m more pulls with an empirical mean of at least r its index is at least
  index(N + m, r (N + m), f), and at least that at any time before: so it is enough that this number
  is above q, and that the wins stay above the line r (N + j).
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.loop import HOEFFDING, Commitment, once
from rankone.fast import sleepers as tree
from rankone.fast.sleepers import AWAKE, MIXED, Sleepers

CLOSE = 1e-13  # a computed index is surely this close to the true one, relative to 1 + |index|
ROUNDING = 1e-15  # a line of guard is off by at most this, per pull
FOREVER = 1 << 62  # no commitment is longer


class Race(NamedTuple):
    """The arms that compete, the bar below which they sleep, and those found awake."""

    sleepers: Sleepers
    bar: np.ndarray  # (1,)
    depth: np.ndarray  # (1,) how far below the largest index a new bar goes
    node: np.ndarray  # of the tree, below which the awake have equal counts
    value: np.ndarray  # their index
    crowd: np.ndarray  # (1,) with more kinds awake than this the bar goes up


def new_race(most):
    return Race(
        tree.no_sleepers(most),
        np.full(1, math.inf),
        np.full(1, 0.05),
        np.empty(most, np.int64),
        np.empty(most),
        np.full(1, max(6, int(math.sqrt(most)) // 2)),
    )


@kernel
def below(value, bar):
    """Whether a computed index is surely below a bar."""
    return value < bar - CLOSE * (1.0 + abs(bar))


def make_race(index, level, reach=None):
    """The kernels of a race between indices: `enter`, `strongest` and `after_pull`."""

    if reach is None:

        @kernel
        def sleeps_until(pulls, wins, f, value, bar, settings):
            """A level up to which the index stays below the bar, given its value at the level f.

            Found by secants from the mean and from what was tried before; whatever is returned was
            seen to give an index below the bar, or is the level f itself.
            """
            mean = wins / pulls if pulls > 0 else 0.0
            rise = bar - value
            step = (1.0 + abs(f)) * (rise / (value - mean) if value > mean else 1e9)
            known = 0.0
            for _ in range(4):
                seen = index(pulls, wins, f + step, settings)
                guess = step * (rise / (seen - value) if seen > value else 1e9)
                if below(seen, bar):
                    worthwhile = known == 0.0 and guess > 1.2 * step
                    known = step
                    if not worthwhile:
                        break
                    step = min(0.98 * guess, 1e9 * step)
                elif known > 0.0:
                    break
                else:
                    step = min(0.9 * guess, 0.5 * step)
            return f + known

    else:

        @kernel
        def sleeps_until(pulls, wins, f, value, bar, settings):
            """A level up to which the index stays below the bar."""
            wakes = reach(pulls, wins, bar, settings)
            return max(f, wakes - CLOSE * (1.0 + abs(wakes)) - ROUNDING * pulls)

    @kernel
    def wake_up(pulls, wins, f, value, bar, settings):
        """When an arm with this index wakes up; AWAKE if it may be at the bar already."""
        if not below(value, bar):
            return AWAKE
        wakes = sleeps_until(pulls, wins, f, value, bar, settings)
        return wakes if wakes > f else AWAKE

    @kernel
    def lower_bar(race, counts, f, settings):
        """Put the bar below the largest of all indices."""
        sleepers = race.sleepers
        largest, last, value = -math.inf, MIXED, 0.0
        for position in range(sleepers.size[0]):
            k = sleepers.members[position]
            kind = tree.kind_of(k, counts.pulls[k], counts.wins[k])
            if kind != last:
                value, last = index(counts.pulls[k], counts.wins[k], f, settings), kind
            race.value[position] = value
            largest = max(largest, value)
        race.depth[0] = min(2.0 * race.depth[0], 1e3 * (1.0 + abs(largest)))
        bar = largest - max(race.depth[0], 4.0 * CLOSE * (1.0 + abs(largest)))
        race.bar[0] = bar
        last, wakes = MIXED, 0.0
        for position in range(sleepers.size[0]):
            k = sleepers.members[position]
            pulls, wins = counts.pulls[k], counts.wins[k]
            kind = tree.kind_of(k, pulls, wins)
            if kind != last:
                wakes, last = wake_up(pulls, wins, f, race.value[position], bar, settings), kind
            tree.set_leaf(sleepers, position, kind, wakes)
        tree.build(sleepers)

    @kernel
    def raise_bar(race, counts, f, found, largest, next_up, settings):
        """Put the bar closer to the largest index; who is below it falls asleep."""
        sleepers = race.sleepers
        race.bar[0] = largest - (largest - race.bar[0]) / 4.0
        race.depth[0] /= 2.0
        left = 0
        for i in range(found):
            node, value = race.node[i], race.value[i]
            position = tree.first_to_wake(sleepers, node, 0)
            k = sleepers.members[position]
            wakes = wake_up(counts.pulls[k], counts.wins[k], f, value, race.bar[0], settings)
            if wakes == AWAKE:
                race.node[left], race.value[left] = node, value
                left += 1
            else:
                next_up = min(next_up, wakes)
                for _ in range(sleepers.ties[node]):
                    tree.set_wake(
                        sleepers, tree.first_to_wake(sleepers, node, 0), sleepers.kind[node], wakes
                    )
        return left, next_up

    @kernel
    def look(race, counts, f, settings):
        """Find the kinds that are awake and at the bar: how many; and when the next one wakes up.

        Who has slept long enough and is still below the bar goes to sleep again.
        """
        sleepers, stack = race.sleepers, race.sleepers.stack
        leaves = len(sleepers.wakes) // 2
        found, next_up = 0, math.inf
        stack[0] = 1
        depth = 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if sleepers.wakes[node] > f:
                next_up = min(next_up, sleepers.wakes[node])
            elif node >= leaves or (sleepers.later[node] > f and sleepers.kind[node] != MIXED):
                position = tree.first_to_wake(sleepers, node, 0)
                k = sleepers.members[position]
                pulls, wins = counts.pulls[k], counts.wins[k]
                value = index(pulls, wins, f, settings)
                next_up = min(next_up, sleepers.later[node])
                wakes = wake_up(pulls, wins, f, value, race.bar[0], settings)
                if wakes == AWAKE:
                    race.node[found], race.value[found] = node, value
                    found += 1
                else:
                    next_up = min(next_up, wakes)
                    kind = sleepers.kind[node]
                    for _ in range(sleepers.ties[node]):
                        here = tree.first_to_wake(sleepers, node, 0)
                        tree.set_wake(sleepers, here, kind, wakes)
            else:
                stack[depth] = 2 * node + 1
                stack[depth + 1] = 2 * node
                depth += 2
        return found, next_up

    @kernel
    def rounds_below(f, reached, clock, most, settings):
        """For how many rounds, this one included, the level surely stays below one to be reached."""
        if level(clock + most - 1, settings) < reached:
            return most
        rate = level(2 * clock, settings) - f  # while the clock doubles; a guess, checked below
        factor = math.exp2(min((reached - f) / rate, 60.0)) - 1.0 if rate > 0.0 else 1.0
        rounds = min(most, int(min(clock * factor * 0.999, 1e18)))
        while rounds > 1 and not level(clock + rounds - 1, settings) < reached:
            rounds //= 2
        return max(rounds, 1)

    @kernel
    def least_wins(pulls, mean, f, q, settings):
        """Wins that give an index above q after so many pulls, about as few as that takes.

        -1 if the mean at hand does not.
        """
        high = math.floor(mean * pulls)
        top = index(pulls, int(high), f, settings)
        if not below(q, top):
            return -1.0
        wins = high
        guess = max(high - 0.97 * (top - q) * pulls, 0.0)
        for _ in range(3):
            guess = math.ceil(guess)
            seen = index(pulls, int(guess), f, settings)
            if below(q, seen):
                wins = guess
                slope = (top - seen) / (high - guess) if guess < high else math.inf
                guess = max(high - 0.97 * (top - q) / slope, 0.0) if slope > 0.0 else 0.0
                if not guess < wins - 0.1 * (high - wins):
                    break
            else:
                guess = (guess + high) / 2.0 if wins == high else (guess + wins) / 2.0
        return wins

    @kernel
    def vouch(race, counts, arm, f, clock, found, second, next_up, largest, most, settings):
        """Commit to the one arm with the largest index for as long as no other can get there."""
        sleepers = race.sleepers
        pulls, wins = counts.pulls[arm], counts.wins[arm]
        mean = wins / pulls if pulls > 0 else 0.0
        lowest = max(second, race.bar[0])
        gap = largest - lowest
        first_loss = pulls * gap < abs(largest) and mean < 0.75  # would be the end of it, and soon
        if pulls == 0 or first_loss or not below(lowest, largest) or gap == math.inf:
            return once(arm)
        share, rounds, q = 0.9, 1, lowest
        while True:
            q = lowest + share * gap
            reached = next_up
            for i in range(found):
                if race.value[i] < largest:
                    k = sleepers.members[tree.first_to_wake(sleepers, race.node[i], 0)]
                    reached = min(
                        reached,
                        sleeps_until(
                            counts.pulls[k], counts.wins[k], f, race.value[i], q, settings
                        ),
                    )
            rounds = rounds_below(f, reached, clock, most, settings)
            steady = HOEFFDING * math.sqrt(rounds) < (1.0 - share) * gap * pulls
            if steady or share < 0.6:
                break
            share = 0.5
        for _ in range(4):
            if rounds < 2:
                break
            least = least_wins(pulls + rounds, mean, f, q, settings)
            line = least / (pulls + rounds)
            if least >= 0.0 and line * pulls < wins:
                floor = line * pulls - wins + ROUNDING * (pulls + rounds)
                return Commitment(arm, rounds, min(floor, 0.0), line)
            rounds //= 4
        return once(arm)

    @kernel
    def strongest(race, counts, f, clock, most, settings, rng):
        """The position of the largest index at this level, and a commitment to it.

        `clock` is the time of which f is the level, `most` how many rounds are of interest.
        """
        sleepers = race.sleepers
        found, next_up = look(race, counts, f, settings)
        if found == 0:
            lower_bar(race, counts, f, settings)
            found, next_up = look(race, counts, f, settings)
        largest = -math.inf
        for i in range(found):
            largest = max(largest, race.value[i])
        if found > race.crowd[0] and largest < math.inf:
            found, next_up = raise_bar(race, counts, f, found, largest, next_up, settings)
        ties, second = 0, -math.inf
        for i in range(found):
            if race.value[i] == largest:
                ties += sleepers.ties[race.node[i]]
            else:
                second = max(second, race.value[i])
        skip = 0 if ties == 1 else uniform_index(ties, rng)
        position = -1
        for i in range(found):
            if race.value[i] == largest:
                here = sleepers.ties[race.node[i]]
                if 0 <= skip < here:
                    position = tree.first_to_wake(sleepers, race.node[i], skip)
                skip -= here
        arm = sleepers.members[position]
        if ties > 1 or most == 1:
            return position, once(arm)
        return position, vouch(
            race, counts, arm, f, clock, found, second, next_up, largest, most, settings
        )

    @kernel
    def enter(race, counts, f, settings):
        """All members are in place: put them to sleep below a bar."""
        lower_bar(race, counts, f, settings)

    @kernel
    def after_pull(race, counts, position):
        """The arm at a position was pulled: it is awake until it is looked at."""
        k = race.sleepers.members[position]
        kind = tree.kind_of(k, counts.pulls[k], counts.wins[k])
        tree.set_wake(race.sleepers, position, kind, AWAKE)

    return enter, strongest, after_pull
