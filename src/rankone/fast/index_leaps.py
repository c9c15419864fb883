"""Who has the largest index, and for how long: leaps for any index policy.

An index policy pulls the arm with the largest U_k = index(N_k, S_k, f), where the exploration level
f never falls. Nothing is used of the index but that

    it rises (or stays) with the level, at the same counts;
    it rises (or stays) with the wins, at the same pulls and level, or rises first and then falls
    (no valley: UCB-V falls next to a mean of one);
    it falls (or stays) with the pulls, at the same empirical mean and level.

- Epoch: what an index will be at a later level bounds it until then, if the arm is not pulled. All
  bounds are worked out once an epoch. Who has a bound below the largest index is not looked at: the
  arms with the largest bounds are kept in order (front.py), and a look begins at the top.
- Nap: an arm that was looked at and does not have the largest index is left alone until a time at
  which it is still below it.
- Vouch: the winner is pulled again and again as long as no other index can reach a height q, and
  its own stays above q. With an empirical mean of at least r its index after m more pulls is at
  least the smaller one of index(N + m, r (N + m), f) and index(N + m, N + m, f), and at least that
  at any time before: it is enough that both are above q, and that the wins stay above the line
  r (N + j). The arm that wins again and again, the *king*, is kept out of the front.
"""

import math
from typing import NamedTuple

import numpy as np

from rankone.engine.argmax import uniform_index
from rankone.engine.compiled import kernel
from rankone.engine.loop import Commitment, for_sure, once
from rankone.fast import front as fronts
from rankone.fast.front import Front, kind_of

CLOSE = 1e-14  # a computed index is surely this close to the true one, relative to 1 + |index|
ROUNDING = 1e-15  # a line of guard is off by at most this, per pull
CELLS = 8  # of a guard that rises with the rivals
SLOW, FAST = 0.03, 30.0
AT_LEAST = 8.0  # rounds of a commitment to the king, if nobody is likely to meet it before
STREAK = 3  # an arm that wins so often in a row is kept out of the front
NOBODY = -1


class Race(NamedTuple):
    """The arms that compete, by their positions among the members."""

    members: np.ndarray  # the arms, ascending
    size: np.ndarray  # (1,) how many, 0 before the race begins
    front: Front
    bound: np.ndarray  # no index exceeds this until the end of the epoch
    nap: np.ndarray  # nor this...
    nap_end: np.ndarray  # ... up to this clock
    group: np.ndarray  # the first slots of the kinds in the front that were looked at,
    value: np.ndarray  # and their indices, -inf for those that nap
    king: np.ndarray  # (1,) the position of the arm that is kept out of the front, or NOBODY
    winner: np.ndarray  # (1,) who won last,
    streak: np.ndarray  # (1,) and how often in a row
    slot: np.ndarray  # (1,) its slot in the front when it won
    end: np.ndarray  # (1,) the clock at the end of the epoch,
    level: np.ndarray  # (1,) and the level
    work: np.ndarray  # (1,) indices worked out in this epoch
    bar: np.ndarray  # (1,) who is neither in the front nor king has a bound below this
    depth: np.ndarray  # (1,) how far below the largest bound the bar is put
    room: np.ndarray  # (1,) about so many should be in the front
    length: np.ndarray  # (1,) of an epoch, relative to the clock


def new_race(most):
    def one(value):
        return np.full(1, value)

    return Race(
        np.arange(most),
        one(0),
        fronts.new_front(most),
        np.empty(most),
        np.empty(most),
        np.full(most, -1),
        np.empty(most, np.int64),
        np.empty(most),
        one(NOBODY),
        one(NOBODY),
        one(0),
        one(-1),
        one(-1),
        one(0.0),
        one(0),
        one(0.0),
        one(0.1),
        one(8 + int(1.5 * math.sqrt(most))),
        one(0.125),
    )


@kernel
def below(value, bar):
    """Whether a computed index is surely below another one."""
    return value < (bar - CLOSE * (1.0 + abs(bar)) if bar < math.inf else bar)


@kernel
def fill_front(race, counts, everybody):
    """Take those into the front whose bound is at the bar, a bit below the largest bound."""
    front, king, top = race.front, race.king[0], -math.inf
    for position in range(race.size[0]):
        if position != king:
            top = max(top, race.bound[position])
    bar = -math.inf
    if not everybody:
        bar = top - max(race.depth[0], 8.0 * CLOSE * (1.0 + abs(top))) if top < math.inf else top
    inside = 0
    for position in range(race.size[0]):
        front.position[inside] = position
        inside += position != king and race.bound[position] >= bar
    front.size[0] = inside
    for slot in range(inside):
        position = front.position[slot]
        k = race.members[position]
        front.bound[slot] = race.bound[position]
        front.kind[slot] = kind_of(k, counts.pulls[k], counts.wins[k])
    fronts.sort(front)
    race.bar[0] = bar
    if inside > 2 * race.room[0]:
        race.depth[0] *= 0.7
    elif 2 * inside < race.room[0]:
        race.depth[0] *= 1.5


@kernel
def pick(race, largest, own, ties, seen, skip):
    """The position of one of those who share the largest index, and its slot in the front.

    They are counted in ascending order, as the plain engine does it.
    """
    front = race.front
    if own == largest and ties == 1:
        return race.king[0], -1
    groups, only = 0, 0
    for i in range(seen):
        if race.value[i] == largest:
            groups += 1
            only = race.group[i]
    if groups == 1 and own < largest:
        return front.position[only + skip], only + skip
    # several kinds share it: always the next one of them
    position, slot = -1, -1
    for _ in range(skip + 1):
        following, there = race.size[0], -1
        if own == largest and race.king[0] > position:
            following = race.king[0]
        last = front.size[0]
        for i in range(seen):
            if race.value[i] == largest:
                for candidate in range(race.group[i], last):
                    if position < front.position[candidate] < following:
                        following, there = front.position[candidate], candidate
            last = race.group[i]
        position, slot = following, there
    return position, slot


@kernel
def note_winner(race, position, slot):
    """Count how often in a row the same one has won."""
    race.streak[0] = race.streak[0] + 1 if position == race.winner[0] else 1
    race.winner[0], race.slot[0] = position, slot


@kernel
def share_of(ratio):
    """The part of the time until a rival meets the king for which a flat guard is likely to last.

    The king's wins walk at random: after about (2 slack)^2 rounds they have lost as much ground as
    the rival has to make up for. `ratio` is about that over the time until they meet.
    """
    if ratio < 1e-6:
        return ratio
    return 1.0 + (1.0 - math.sqrt(1.0 + 4.0 * ratio)) / (2.0 * ratio)


def make_race(index, level):
    """The kernels of a race between indices: `enter`, `strongest` and `after_pull`."""

    @kernel
    def index_of(race, counts, position, f, settings):
        k = race.members[position]
        return index(counts.pulls[k], counts.wins[k], f, settings)

    @kernel
    def begin_epoch(race, counts, clock, most, settings):
        """Work out all bounds for a while."""
        race.end[0] = clock + int(min(race.length[0] * clock, most - 1.0))
        f = level(race.end[0], settings)
        race.level[0] = f
        race.work[0] = 0
        for position in range(race.size[0]):
            k = race.members[position]
            race.bound[position] = index(counts.pulls[k], counts.wins[k], f, settings)
        for position in range(race.size[0]):
            race.nap_end[position] = -1
        fill_front(race, counts, False)

    @kernel
    def next_epoch(race, counts, clock, most, settings):
        """The next epoch is longer or shorter, as was the work in the last one."""
        if 2 * race.work[0] < race.size[0]:
            race.length[0] *= 2.0
        elif race.work[0] > 2 * race.size[0]:
            race.length[0] /= 2.0
        begin_epoch(race, counts, clock, most, settings)

    @kernel
    def look(race, counts, own, f, clock, settings):
        """The largest index, how many share it, and how many kinds of the front come into question.

        Those do whose bound is not below the largest index found so far.
        """
        front = race.front
        largest, ties = own, int(race.king[0] != NOBODY)
        seen, slot = 0, front.size[0] - 1
        while slot >= 0 and not below(front.bound[slot], largest):
            first = fronts.first_alike(front, slot)
            position = front.position[first]
            race.group[seen], race.value[seen] = first, -math.inf
            if clock > race.nap_end[position] or not below(race.nap[position], largest):
                value = index_of(race, counts, position, f, settings)
                race.value[seen] = value
                race.work[0] += 1
                if value == largest:
                    ties += slot - first + 1
                elif value > largest:
                    largest, ties = value, slot - first + 1
            seen += 1
            slot = first - 1
        race.work[0] += seen >> 3
        return largest, ties, seen

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
    def above(race, counts, f, q, rounds, settings):
        """Commit to the king for at most so many rounds, while its index surely stays above q."""
        king = race.members[race.king[0]]
        if q == -math.inf:
            return for_sure(king, rounds)
        pulls, wins = counts.pulls[king], counts.wins[king]
        mean = wins / pulls
        while rounds > 1:
            line = least_mean(pulls + rounds, mean, f, q, settings)
            if line * pulls < wins:
                floor = line * pulls - wins + ROUNDING * (pulls + rounds)
                return Commitment(king, rounds, min(floor, 0.0), line)
            rounds //= 4
        return once(king)

    @kernel
    def until_loss(race, counts, f, clock, own, bar, rounds, settings):
        """Commit to the king until its first loss.

        An index such as KL-UCB's comes closer to one than numbers can tell. Where the king's index
        stays at the very number that it has, the others need only be below it as computed, at a
        level a bit farther than rounding could make a difference.
        """
        king = race.members[race.king[0]]
        pulls, wins = counts.pulls[king], counts.wins[king]
        if wins < pulls:  # by then it will have lost
            rounds = min(rounds, int(8.0 * (pulls + 2.0) / (pulls - wins)))
        while rounds > 1:
            lowest = index(pulls + rounds, pulls + rounds, f, settings)
            begin = 0
            while begin < rounds:  # while the pulls double, the mean is at least that of before
                end = min(pulls + 2 * begin, rounds)
                held = math.floor((wins + begin) / (pulls + begin) * (pulls + end))
                lowest = min(lowest, index(pulls + end, int(held), f, settings))
                begin = end
            last = level(clock + rounds - 1, settings)
            last += 1e-9 * (1.0 + abs(last))
            later, slot = bar, race.front.size[0] - 1
            while slot >= 0 and race.front.bound[slot] > later:
                slot = fronts.first_alike(race.front, slot)
                position = race.front.position[slot]
                later = max(later, index_of(race, counts, position, last, settings))
                slot -= 1
            if below(later, lowest) or later < lowest == own:
                return Commitment(king, rounds, 0.0, 1.0)
            rounds //= 2
        return once(king)

    @kernel
    def nap(race, counts, slot, clock, rounds, settings):
        """Leave those in the front that are like this one alone for so many rounds."""
        position = race.front.position[slot]
        end = clock + rounds - 1
        race.nap[position] = index_of(race, counts, position, level(end, settings), settings)
        race.nap_end[position] = end
        race.work[0] += 1
        return race.nap[position]

    @kernel
    def long_nap(race, counts, slot, value, pulls, own, clock, settings):
        """Leave a rival alone for as long as it is likely to stay below the king.

        Returns for how many rounds, and in how many it would meet the king.
        """
        gap, rise = own - value, race.front.bound[slot] - value
        left = race.end[0] - clock + 1
        if rise < 0.75 * gap:
            position = race.front.position[slot]
            race.nap[position], race.nap_end[position] = race.front.bound[slot], race.end[0]
            return left, math.inf
        meet = left * min(gap / rise, 1.0)
        share = share_of(4.0 / 3.0 * (gap * pulls) ** 2 / meet)
        rounds = max(int(share * meet), int(min(AT_LEAST, 0.5 * meet)), 1)
        wanted = max(share, 0.5) * gap
        for _ in range(4):  # the guess is that of a straight line, which may be too high
            reached = nap(race, counts, slot, clock, rounds, settings) - value
            if rounds == 1 or reached < 0.5 * (wanted + gap):
                break
            rounds = max(int(0.99 * rounds * wanted / reached), 1)
        return rounds, meet

    @kernel
    def climb(race, counts, f, clock, second, rounds, settings):
        """Commit to the king with a guard that rises with the rivals.

        The rounds are cut into cells. In a cell nobody else gets higher than at its end, and the
        king's index is at least what its lowest mean would give it at the end, with the level of
        the beginning. The line is put through what the first and the last cell need, and the
        commitment ends before the first cell for which it is too low.
        """
        front, king = race.front, race.members[race.king[0]]
        pulls, wins = counts.pulls[king], counts.wins[king]
        rivals, slot = 0, front.size[0] - 1
        last = level(clock + rounds - 1, settings)
        top = second
        first = level(clock + rounds // CELLS - 1, settings)
        lowest = top
        while slot >= 0 and front.bound[slot] > second:  # who may ever be higher than all are now
            slot = fronts.first_alike(front, slot)
            position = front.position[slot]
            if clock + rounds - 1 > race.nap_end[position] or race.nap[position] > second:
                value = index_of(race, counts, position, last, settings)
                if value > second:
                    race.group[rivals] = position
                    rivals += 1
                    top = max(top, value)
                    lowest = max(lowest, index_of(race, counts, position, first, settings))
            slot -= 1
        mean = wins / pulls
        least = least_mean(pulls + rounds // CELLS, mean, f, lowest, settings)
        here = least * pulls - wins
        late = rounds - rounds // CELLS  # where the last cell begins
        there = least_mean(pulls + rounds, mean, f, top, settings) * (pulls + late) - wins
        slope = max((there - here) / late, least)  # at the end of the first cell, too
        floor = here + ROUNDING * (pulls + rounds)
        if not floor < 0.0:
            return once(king)
        played, before = rounds // CELLS, first
        for cell in range(2, CELLS + 1):
            end = rounds * cell // CELLS
            now = level(clock + end - 1, settings)
            q = second
            for i in range(rivals):
                q = max(q, index_of(race, counts, race.group[i], now, settings))
            lower = min(
                (wins + here + slope * played) / (pulls + played),
                (wins + here + slope * end) / (pulls + end),
            )
            held = math.floor(lower * (pulls + end))
            if not below(q, index(pulls + end, int(held), before, settings)):
                break
            played, before = end, now
        return Commitment(king, played, floor, slope)

    @kernel
    def vouch(race, counts, f, clock, own, seen, settings):
        """Commit to the king for as long as no other can get there."""
        front, king = race.front, race.members[race.king[0]]
        pulls, left = counts.pulls[king], race.end[0] - clock + 1
        rest = (race.group[seen - 1] if seen > 0 else front.size[0]) - 1
        if seen == 0 and rest >= 0:  # the next one sets the pace
            race.group[0] = fronts.first_alike(front, rest)
            race.value[0] = index_of(race, counts, front.position[rest], f, settings)
            rest, seen = race.group[0] - 1, 1
        rounds, meet, second = left, math.inf, -math.inf
        for i in range(seen):
            slot, value = race.group[i], race.value[i]
            position = front.position[slot]
            if value == -math.inf and (own - race.nap[position]) * pulls < 2.0:
                value = index_of(race, counts, position, f, settings)
            if value > -math.inf:
                asleep, met = long_nap(race, counts, slot, value, pulls, own, clock, settings)
                rounds, meet = min(rounds, asleep), min(meet, met)
                second = max(second, value)
        q = -math.inf
        for i in range(seen):
            slot = race.group[i]
            if race.nap_end[front.position[slot]] < clock + rounds - 1:
                q = max(q, nap(race, counts, slot, clock, rounds, settings))
            else:
                q = max(q, race.nap[front.position[slot]])
        while rest >= 0 and front.bound[rest] > q:
            first = fronts.first_alike(front, rest)
            position = front.position[first]
            if race.nap_end[position] < clock + rounds - 1:
                q = max(q, nap(race, counts, first, clock, rounds, settings))
            else:
                q = max(q, race.nap[position])
            rest = first - 1
        bar = race.bar[0]
        if bar > q and own - bar < 0.5 * (own - q):  # the bar is in the way: another one next time
            race.depth[0] *= 2.0
            race.bar[0] = math.inf
        q = max(q, bar)
        high = counts.wins[king] >= 0.75 * pulls > 0.0
        if high and not (below(q, own) and (own - q) * pulls >= 2.0):
            return until_loss(race, counts, f, clock, own, bar, left, settings)
        if pulls == 0 or not below(q, own):
            return once(king)
        slack = (own - second) * pulls
        if SLOW * meet < slack * slack < FAST * meet and meet > 4 * CELLS:
            climbing = climb(race, counts, f, clock, max(second, bar), int(meet), settings)
            if climbing.rounds > 1:
                return climbing
        return above(race, counts, f, q, rounds, settings)

    @kernel
    def after_pull(race, counts, position, settings):
        """The arm at a position was pulled: it gets another bound."""
        if position == race.king[0]:
            return
        front, k, slot = race.front, race.members[position], race.slot[0]
        bound = index_of(race, counts, position, race.level[0], settings)
        kind = kind_of(k, counts.pulls[k], counts.wins[k])
        race.bound[position], race.nap_end[position] = bound, -1
        if not 0 <= slot < front.size[0] or front.position[slot] != position:
            slot = fronts.slot_of(front, position)
        if slot < 0 and bound >= race.bar[0]:
            fronts.add(front, bound, kind, position)
        elif slot >= 0 and bound >= race.bar[0]:
            fronts.settle(front, slot, bound, kind, position)
        elif slot >= 0:
            fronts.take_out(front, slot)

    @kernel
    def crown(race, counts, settings):
        """Keep the winner out of the front, and put the last king back."""
        old = race.king[0]
        fronts.take_out(race.front, race.slot[0])
        race.king[0] = race.winner[0]
        if old != NOBODY:
            race.slot[0] = -1
            after_pull(race, counts, old, settings)

    @kernel
    def strongest(race, counts, f, clock, most, settings, rng):
        """The position of the largest index at this level, and a commitment to it.

        `clock` is the time of which f is the level, `most` how many rounds are of interest.
        """
        own = -math.inf
        if race.king[0] != NOBODY:
            own = index_of(race, counts, race.king[0], f, settings)
        if clock > race.end[0]:
            next_epoch(race, counts, clock, most, settings)
        largest, ties, seen = look(race, counts, own, f, clock, settings)
        tries = 0
        while not below(race.bar[0], largest) and race.bar[0] > -math.inf:
            fill_front(race, counts, tries > 8)  # one that is not in it may have a larger index
            tries += 1
            race.depth[0] *= 2.0 if tries > 1 else 1.0
            largest, ties, seen = look(race, counts, own, f, clock, settings)
        skip = 0 if ties == 1 else uniform_index(ties, rng)
        position, slot = pick(race, largest, own, ties, seen, skip)
        note_winner(race, position, slot)
        if ties == 1 and most > 1:
            if slot < 0:
                return position, vouch(race, counts, f, clock, own, seen, settings)
            if race.streak[0] >= STREAK:
                crown(race, counts, settings)
        return position, once(race.members[position])

    @kernel
    def enter(race, counts, clock, most, king, settings):
        """All members are in place: the race begins, with this one as the king."""
        race.king[0] = race.winner[0] = king
        begin_epoch(race, counts, clock, most, settings)

    return enter, strongest, after_pull
