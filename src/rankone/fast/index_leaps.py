"""Who has the largest index, and for how long: leaps for any index policy.

An index policy pulls the arm with the largest U_k = index(N_k, S_k, f), where the exploration level
f never falls. Nothing is used of the index but that

    it rises (or stays) with the level, at the same counts;
    it rises (or stays) with the wins, at the same pulls and level, or rises first and then falls
    (no valley: UCB-V falls next to a mean of one);
    it falls (or stays) with the pulls, at the same empirical mean and level.

- Sleep: an arm whose index at a later level is below a common bar is below it until that level, if
  it is not pulled before. The levels sit in a tree (sleepers.py): only the awake are looked at.
- Vouch: the winner is pulled again and again as long as no other index can reach a height q, and
  its own stays above q. With an empirical mean of at least r its index after m more pulls is at
  least the smaller one of index(N + m, r (N + m), f) and index(N + m, N + m, f), and at least that
  at any time before: it is enough that both are above q, and that the wins stay above the line
  r (N + j).
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.loop import Commitment, once
from rankone.fast import sleepers as tree
from rankone.fast.sleepers import AWAKE, MIXED, Sleepers

CLOSE = 1e-14  # a computed index is surely this close to the true one, relative to 1 + |index|
ROUNDING = 1e-15  # a line of guard is off by at most this, per pull
EARLY = 1e-6  # who wakes up within this of the level, relative to 1 + |level|, is woken now
LOG_2 = math.log(2.0)
CELLS = 16  # of a guard that rises with the rivals
FAST = 64.0  # rivals that rise so much faster than the winner's wins walk are met half-way


class Race(NamedTuple):
    """The arms that compete, the bar below which they sleep, and those found awake."""

    sleepers: Sleepers
    bar: np.ndarray  # (1,)
    depth: np.ndarray  # (1,) how far below the largest index a new bar goes
    node: np.ndarray  # of the tree, below which the awake have equal counts
    value: np.ndarray  # their index
    crowd: np.ndarray  # (1,) with more kinds awake than this the bar goes up
    at: np.ndarray  # the ends of the cells of a rising guard,
    needed: np.ndarray  # and the wins needed there
    rival: np.ndarray  # the arms that it is to be kept above


def new_race(most):
    return Race(
        tree.no_sleepers(most),
        np.full(1, math.inf),
        np.full(1, 0.05),
        np.empty(most, np.int64),
        np.empty(most),
        np.full(1, max(6, 2 * int(math.sqrt(most)))),
        np.zeros(CELLS + 1, np.int64),
        np.zeros(CELLS + 1),
        np.empty(most, np.int64),
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
            step = (1.0 + abs(f)) * ((bar - value) / (value - mean) if value > mean else 1.0)
            known, known_value, tried = 0.0, value, math.inf
            for _ in range(5):
                seen = index(pulls, wins, f + step, settings)
                slope = (seen - known_value) / (step - known)
                if below(seen, bar):
                    known, known_value = step, seen
                else:
                    tried = step
                further = (bar - known_value) / slope if slope > 0.0 else 1e9 * known
                if tried < math.inf:
                    further = min(0.9 * further, 0.5 * (tried - known))
                if further < 0.01 * known or (known > 0.0 and tried < math.inf):
                    break
                step = known + further
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
        race.bar[0] = largest - (largest - race.bar[0]) / 2.0
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
        """Find the kinds that are awake: how many, when the next one wakes up, the largest index.

        Who has slept long enough and is still below the bar goes to sleep again, but for those of
        whom no level was found up to which they stay below it.
        """
        sleepers, stack = race.sleepers, race.sleepers.stack
        leaves = len(sleepers.wakes) // 2
        found, next_up, now = 0, math.inf, f + EARLY * (1.0 + abs(f))
        largest = -math.inf
        stack[0] = 1
        depth = 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if sleepers.wakes[node] > now:
                next_up = min(next_up, sleepers.wakes[node])
            elif node >= leaves or (sleepers.later[node] > now and sleepers.kind[node] != MIXED):
                position = tree.first_to_wake(sleepers, node, 0)
                k = sleepers.members[position]
                pulls, wins = counts.pulls[k], counts.wins[k]
                value = index(pulls, wins, f, settings)
                next_up = min(next_up, sleepers.later[node])
                wakes = wake_up(pulls, wins, f, value, race.bar[0], settings)
                if wakes == AWAKE:
                    race.node[found], race.value[found] = node, value
                    largest = max(largest, value)
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
        return found, next_up, largest

    @kernel
    def rounds_below(f, reached, clock, most, settings):
        """For how many rounds, this one included, the level surely stays below another one."""
        if level(clock + most - 1, settings) < reached:
            return most
        # guesses as if the level were linear in the logarithm of time; each is checked
        rounds, here, too_many = 1, f, most
        rate = level(2 * clock, settings) - f
        while too_many - rounds > 1 and rate > 0.0:
            share = min((reached - here) / rate, 62.0)
            further = int(min((clock + rounds) * math.expm1(share * LOG_2), 4e18))
            guess = min(max(rounds + further, rounds + 1), too_many - 1)
            there = level(clock + guess - 1, settings)
            if there < reached:
                if guess - rounds < rounds // 1024:
                    return guess
                if guess > rounds and there > here:
                    rate = LOG_2 * (there - here) / math.log((clock + guess) / (clock + rounds))
                rounds, here = guess, there
            else:
                too_many = guess
                rate *= 1.0 + 1e-6 if guess - rounds > rounds // 2 else 2.0
                rate = max(
                    rate, LOG_2 * (there - here) / math.log((clock + guess) / (clock + rounds))
                )
        return rounds

    @kernel
    def least_mean(pulls, mean, f, q, settings):
        """A mean that gives an index above q after so many pulls, about as low as that takes.

        Searched for from a mean nearby; it belongs to a whole number of wins, and was seen to do.
        All higher means do, too: there is no valley between it and a mean of one. More than one if
        none was found.
        """
        if not below(q, index(pulls, pulls, f, settings)):
            return 2.0
        wins = math.floor(mean * pulls)
        value = index(pulls, int(wins), f, settings)
        enough, slope = 2.0 * pulls, 1.0 / pulls
        for _ in range(5):
            fits = below(q, value)
            if fits and wins < enough:
                enough = wins
            guess = wins - (value - q) / slope
            # a bit above the guess: what is tried next should do
            guess = math.ceil(max(guess + 0.03 * abs(guess - wins), 0.0))
            guess = min(guess, float(pulls), enough)
            if guess == wins or (fits and guess > enough - 0.1 * (guess - wins)):
                break
            seen = index(pulls, int(guess), f, settings)
            if seen != value:
                slope = max((seen - value) / (guess - wins), 0.05 / pulls)
            if fits and below(q, seen):
                return guess / pulls
            wins, value = guess, seen
        return enough / pulls

    @kernel
    def rivals_reach(race, counts, f, q, found, largest, next_up, settings):
        """A level up to which nobody but the winner gets to q, at or above the bar."""
        sleepers = race.sleepers
        reached = next_up
        for i in range(found):
            if race.value[i] < largest:
                k = sleepers.members[tree.first_to_wake(sleepers, race.node[i], 0)]
                pulls, wins = counts.pulls[k], counts.wins[k]
                # most rivals are not the first to get there: one look tells
                if reached == math.inf or not below(index(pulls, wins, reached, settings), q):
                    wakes = sleeps_until(pulls, wins, f, race.value[i], q, settings)
                    reached = min(reached, wakes)
        return reached

    @kernel
    def stairs(race, counts, arm, f, clock, found, lowest, largest, rounds, settings):
        """A guard that rises with the rivals: the commitment for so many rounds, or for fewer.

        The rounds are cut into cells. In a cell nobody else gets higher than at its end, and the
        arm's index is at least what its lowest mean would give it at the end, with the level of the
        beginning. So the line must be at the mean that this takes at both ends of every cell.
        """
        sleepers, at, needed, rival = race.sleepers, race.at, race.needed, race.rival
        pulls, wins = counts.pulls[arm], counts.wins[arm]
        mean = wins / pulls
        last, rivals = level(clock + rounds - 1, settings), 0
        for i in range(found):  # who may ever be higher than all are now
            if race.value[i] < largest:
                k = sleepers.members[tree.first_to_wake(sleepers, race.node[i], 0)]
                if not below(index(counts.pulls[k], counts.wins[k], last, settings), lowest):
                    rival[rivals] = k
                    rivals += 1
        while rounds > 1:
            begin, here, cells = 0, f, 0
            least, before = mean, 0.0
            while begin < rounds:
                cells += 1
                end = max(rounds * cells // CELLS, begin + 1)
                there = level(clock + end - 1, settings)
                q = lowest
                for i in range(rivals):
                    k = rival[i]
                    q = max(q, index(counts.pulls[k], counts.wins[k], there, settings))
                guess = math.ceil((least + 1.02 * (q - before)) * (pulls + end))
                if (
                    begin > 0
                    and guess <= pulls + end
                    and below(q, index(pulls + end, int(guess), here, settings))
                    and below(q, index(pulls + end, pulls + end, here, settings))
                ):
                    least = guess / (pulls + end)
                else:
                    least = least_mean(pulls + end, mean, here, q, settings)
                before = q
                wanted = least * (pulls + begin) - wins
                needed[cells - 1] = max(needed[cells - 1], wanted) if begin > 0 else wanted
                needed[cells] = least * (pulls + end) - wins
                at[cells] = end
                begin, here = end, there
                if needed[0] >= 0.0:
                    break
            slope = max((needed[cells] - needed[0]) / begin, 0.0)
            floor = needed[0]
            for i in range(1, cells + 1):
                floor = max(floor, needed[i] - slope * at[i])
            floor += ROUNDING * (pulls + rounds)
            if floor < 0.0:
                return Commitment(arm, begin, floor, slope)
            rounds //= 8
        return once(arm)

    @kernel
    def until_loss(race, counts, arm, f, clock, found, largest, next_up, most, settings):
        """Commit until the first loss.

        An index such as KL-UCB's comes closer to one than numbers can tell. Where the arm's index
        stays at the very number that it has, the others need only be below it as computed, at a
        level a bit farther than rounding could make a difference.
        """
        sleepers = race.sleepers
        pulls, wins = counts.pulls[arm], counts.wins[arm]
        rounds = rounds_below(f, next_up, clock, most, settings)
        if wins < pulls:  # by then it will have lost
            rounds = min(rounds, int(8.0 * (pulls + 2.0) / (pulls - wins)))
        while rounds > 1:
            own = index(pulls + rounds, pulls + rounds, f, settings)
            begin = 0
            while begin < rounds:  # while the pulls double, the mean is at least that of before
                end = min(pulls + 2 * begin, rounds)
                held = math.floor((wins + begin) / (pulls + begin) * (pulls + end))
                own = min(own, index(pulls + end, int(held), f, settings))
                begin = end
            last = level(clock + rounds - 1, settings)
            last += 1e-9 * (1.0 + abs(last))
            later = race.bar[0]
            for i in range(found):
                if race.value[i] < largest:
                    k = sleepers.members[tree.first_to_wake(sleepers, race.node[i], 0)]
                    later = max(later, index(counts.pulls[k], counts.wins[k], last, settings))
            if below(later, own) or later < own == largest:
                return Commitment(arm, rounds, 0.0, 1.0)
            rounds //= 2
        return once(arm)

    @kernel
    def vouch(race, counts, arm, f, clock, found, second, next_up, largest, most, settings):
        """Commit to the one arm with the largest index for as long as no other can get there.

        The winner's wins walk at random: it takes about (2 slack)^2 rounds until they have lost so
        much ground. If the rivals rise faster than that, a height q is put between them and the
        winner: nobody else may reach it, and the winner stays above it. If not, the guard rises
        with the rivals. Also returns whether only the bar was in the way.
        """
        pulls, wins = counts.pulls[arm], counts.wins[arm]
        lowest = max(second, race.bar[0])
        gap = largest - lowest
        if pulls == 0 or gap == math.inf:
            return once(arm), False
        mean, slack = wins / pulls, gap * pulls
        in_the_way = second < race.bar[0]
        if slack < 2.0 or not below(lowest, largest):  # a loss or two would be the end of it
            if mean < 0.75 or race.bar[0] == largest:
                return once(arm), in_the_way
            return until_loss(
                race, counts, arm, f, clock, found, largest, next_up, most, settings
            ), in_the_way
        q = lowest + gap / 2.0
        reached = rivals_reach(race, counts, f, q, found, largest, next_up, settings)
        rounds = rounds_below(f, reached, clock, most, settings)
        ratio = 2.0 * slack * slack / rounds
        if ratio < FAST:
            reached = rivals_reach(race, counts, f, largest, found, largest, next_up, settings)
            rounds = rounds_below(f, reached, clock, most, settings)
            commitment = stairs(
                race, counts, arm, f, clock, found, lowest, largest, rounds, settings
            )
            return commitment, second < race.bar[0] and ratio < 0.25
        ratio /= 3.0
        share = 1.0 + (1.0 - math.sqrt(1.0 + 4.0 * ratio)) / (2.0 * ratio)
        q = lowest + share * gap
        reached = rivals_reach(race, counts, f, q, found, largest, next_up, settings)
        rounds = rounds_below(f, reached, clock, most, settings)
        while rounds > 1:
            line = least_mean(pulls + rounds, mean, f, q, settings)
            if line * pulls < wins:
                floor = line * pulls - wins + ROUNDING * (pulls + rounds)
                return Commitment(arm, rounds, min(floor, 0.0), line), False
            rounds //= 4
        return once(arm), False

    @kernel
    def strongest(race, counts, f, clock, most, settings, rng):
        """The position of the largest index at this level, and a commitment to it.

        `clock` is the time of which f is the level, `most` how many rounds are of interest.
        """
        sleepers = race.sleepers
        found, next_up, largest = look(race, counts, f, settings)
        if found == 0 or largest < race.bar[0]:  # a sleeper may have a larger one
            lower_bar(race, counts, f, settings)
            found, next_up, largest = look(race, counts, f, settings)
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
        commitment, in_the_way = vouch(
            race, counts, arm, f, clock, found, second, next_up, largest, most, settings
        )
        if in_the_way and 2 * found <= race.crowd[0]:
            lower_bar(race, counts, f, settings)
        return position, commitment

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
