"""The naive twins on cases small enough to be worked out by hand."""

import math

import numpy as np
import pytest
from helpers import reference
from helpers.reference import kl, kl_lower, kl_upper, play


class Script:
    """A generator that says what it was told to, and remembers which posteriors were asked for."""

    def __init__(self, uniforms=(), betas=()):
        self.uniforms, self.betas, self.asked = list(uniforms), list(betas), []

    def random(self):
        return self.uniforms.pop(0)

    def beta(self, a, b):
        self.asked.append((a, b))
        return self.betas.pop(0)

    def spent(self):
        return not self.uniforms and not self.betas


def table(*rows):
    """Rewards by arm and pull; asking for more than was written is an error."""
    return lambda arm, nth: rows[arm][nth]


def complete(arms):
    return [list(range(arms)) for _ in range(arms)]


PAIR = complete(2)
LINE = [[0, 1], [0, 1, 2], [1, 2]]


def test_kl():
    assert kl(0.3, 0.3) == kl(0.0, 0.0) == kl(1.0, 1.0) == 0.0
    assert kl(0.0, 0.5) == pytest.approx(math.log(2), rel=1e-15)
    assert kl(1.0, 0.25) == pytest.approx(math.log(4), rel=1e-15)
    assert kl(0.5, 0.25) == pytest.approx(math.log(4 / 3) / 2, rel=1e-14)
    assert kl(0.5, 1.0) == kl(0.5, 0.0) == math.inf


def test_kl_bounds_in_closed_form():
    assert kl_upper(0.0, 0.7) == 1 - math.exp(-0.7)
    assert kl_lower(1.0, 0.7) == math.exp(-0.7)
    assert kl_upper(1.0, 0.7) == 1.0
    assert kl_lower(0.0, 0.7) == 0.0
    assert kl_upper(0.4, 0.0) == kl_lower(0.4, 0.0) == 0.4
    # kl(1/2, q) = -log(4 q (1 - q)) / 2, so 4 q (1 - q) = exp(-2 d)
    for d in (0.01, 0.5, 3.0):
        half_width = math.sqrt(1 - math.exp(-2 * d)) / 2
        assert kl_upper(0.5, d) == pytest.approx(0.5 + half_width, abs=1e-14)
        assert kl_lower(0.5, d) == pytest.approx(0.5 - half_width, abs=1e-14)


@pytest.mark.parametrize("p", [0.001, 0.25, 0.5625, 0.99])
@pytest.mark.parametrize("d", [0.001, 0.1, 2.0])
def test_kl_bounds_are_the_last_floats_within_d(p, d):
    assert kl(p, kl_upper(p, d)) <= d < kl(p, math.nextafter(kl_upper(p, d), 1))
    assert kl(p, kl_lower(p, d)) <= d < kl(p, math.nextafter(kl_lower(p, d), 0))
    assert kl_lower(p, d) == pytest.approx(1 - kl_upper(1 - p, d), abs=1e-13)


def test_crude_bisection():
    # from [0, 1] at d = log 2, whose bound is exactly 1/2: 1/2 is inside, then 3/4 and 5/8 are not
    assert reference.bracket_upper(0.0, math.log(2), steps=1) == 0.75
    assert reference.bracket_upper(0.0, math.log(2), steps=3) == 0.5625
    # brackets 1, 1/2, 1/4: a quarter is not narrower than a quarter
    assert reference.bracket_upper(0.0, math.log(2), width=0.26) == 0.625
    assert reference.bracket_upper(0.0, math.log(2), width=0.25) == 0.5625
    # from [0, 1] at d = log 3, bound 1/3: 1/2 is inside, 1/4 is not
    assert reference.bracket_lower(1.0, math.log(3), 2) == 0.375
    # the bounds are close to the exact ones, and not equal to them
    for p, d in ((0.2, 0.05), (0.7, 0.4)):
        assert 0 < abs(reference.bracket_upper(p, d, steps=10) - kl_upper(p, d)) < (1 - p) / 1024
        assert 0 < abs(reference.bracket_lower(p, d, 10) - kl_lower(p, d)) < p / 1024


def test_exploration_rate():
    assert reference.exploration(0, 3) == reference.exploration(1, 3) == 0.0
    assert reference.exploration(2, 3) == math.log(2)  # log log is cut at 0 until t = e
    assert reference.exploration(100, 0) == math.log(100)
    by_hand = 4.605170186 + 3 * 1.527179626
    assert reference.exploration(100, 3) == pytest.approx(by_hand, abs=1e-8)


def test_regret_adds_gaps():
    assert reference.regret([0, 1, 2, 0], [0.5, 0.25, 0.0]) == [0.0, 0.25, 0.75, 0.75]


def test_rewards_are_drawn_below_the_mean():
    script = Script([0.3, 0.2, 0.1, 0.29])
    # warm-up: arm 0 loses (.3 is not below .3), arm 1 wins; then index 1 for arm 1, twice
    assert play("kl_ucb", [0.3, 0.3], PAIR, None, 4, script) == [0, 1, 1, 1]
    assert script.spent()


@pytest.mark.parametrize("name", [*reference.POLICIES])
@pytest.mark.parametrize("horizon", [0, 1, 3, 50])
def test_the_horizon_is_never_passed(name, horizon):
    means = [0.5625, 0.1875, 0.1875, 0.0625]
    hoods = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    arms = play(name, means, hoods, (2, 2), horizon, np.random.default_rng(1))
    assert len(arms) == horizon
    assert all(arm in range(4) for arm in arms)


def test_uts_samples_then_checks_the_leader():
    rewards = table([1, 0, 1], [0, 0, 0])
    script = Script(betas=[0.3, 0.6, 0.8, 0.7])
    arms = play("uts", [0.5, 0.5], PAIR, None, 5, script, rewards)
    # lead 1: samples, arm 1 wins; lead 2: forced; lead 3: samples again, arm 0 wins
    assert arms == [0, 1, 1, 0, 0]
    assert script.asked == [(2, 1), (1, 2), (2, 2), (1, 3)]
    assert script.spent()


def test_uts_looks_only_around_the_leader():
    rewards = table([0], [0], [1, 1])
    script = Script(betas=[0.4, 0.5])
    assert play("uts", [0.5] * 3, LINE, None, 4, script, rewards) == [0, 1, 2, 2]
    assert script.asked == [(1, 2), (2, 1)]  # arms 1 and 2, ascending, and not arm 0


def test_uts_breaks_ties_between_leaders_uniformly():
    rewards = table([0], [1], [1, 0])
    script = Script(uniforms=[0.5], betas=[0.1, 0.9])
    # arms 1 and 2 are tied: .5 is the second; then arm 2 beats arm 1 by its sample
    assert play("uts", [0.5] * 3, LINE, None, 4, script, rewards) == [0, 1, 2, 2]
    assert script.spent()


def test_uts_breaks_ties_between_samples_uniformly():
    rewards = table([1, 0], [0, 0])
    script = Script(uniforms=[0.99], betas=[0.7, 0.7])
    assert play("uts", [0.5] * 2, PAIR, None, 3, script, rewards) == [0, 1, 1]
    assert script.spent()


def test_uts_without_warm_up_takes_unpulled_means_as_zero():
    # all tied at 0: .0 makes arm 0 the leader; its neighbour 1 has the higher sample, and loses.
    # All tied again: .7 makes arm 2 the leader
    script = Script(uniforms=[0.0, 0.7], betas=[0.2, 0.9, 0.1, 0.8])
    rewards = table([], [0], [1])
    arms = play("uts", [0.5] * 3, LINE, None, 2, script, rewards, warm_up=False)
    assert arms == [1, 2]
    assert script.asked == [(1, 1), (1, 1), (1, 2), (1, 1)]
    assert script.spent()


@pytest.mark.parametrize(
    ("gamma", "forced"),
    [(1, {1, 2, 3, 4, 5, 6}), (2, {2, 4, 6}), (5, {5}), (math.inf, set()), ("degree", {3, 6})],
)
def test_uts_forces_at_multiples_of_gamma(gamma, forced):
    # arm 1 leads for ever with mean 1, and its neighbourhood has three arms; its sample is
    # always the lowest, so that it is pulled only where it is forced
    means, leads = [0.0, 1.0, 0.0], 6
    script = Script(betas=[0.9, 0.1, 0.2] * (leads - len(forced)))
    arms = play(
        "uts", means, LINE, None, 3 + leads, script, lambda arm, nth: int(arm == 1), gamma=gamma
    )
    assert {lead for lead, arm in enumerate(arms[3:], 1) if arm == 1} == forced
    assert script.spent()


def twelve_arms(arm, nth):
    """Arm 0 wins every other time, the eleven others never."""
    return 1 if arm == 0 and nth % 2 == 0 else 0


@pytest.mark.parametrize(("clock", "last"), [("leader", 0), ("global", 6)])
def test_osub_clocks_part_by_hand(clock, last):
    # c = 0: an arm of mean 0 pulled once has index 1 - 1/x; arm 0, with 2 wins of 4, has
    # 4 q (1 - q) = x^(-1/2). At its fourth lead x = 4 gives .75 < .854, and x = t = 15 gives
    # .9333 > .9307: eleven tied arms, and a uniform .5 is the sixth of them
    script = Script(uniforms=[0.5])
    arms = play("osub", [0.5] * 12, complete(12), None, 16, script, twelve_arms, c=0, clock=clock)
    assert arms == [*range(12), 0, 0, 0, last]


@pytest.mark.parametrize(
    ("params", "forced"),
    [
        ({}, {1, 4, 7}),
        ({"forced": 0}, {3, 6}),
        ({"gamma": 2}, {1, 3, 5, 7}),
        ({"gamma": 1}, {1, 2, 3, 4, 5, 6, 7}),
        ({"gamma": math.inf}, set()),
    ],
)
def test_osub_forces_the_leader_as_written_and_as_coded(params, forced):
    # every arm wins always: all indices are 1 and all means are 1, so each unforced choice of
    # LINE's middle arm is a three-way tie; the script sends the choice to arm 0, the lead to arm 1
    script = Script()
    for lead in range(1, 8):
        script.uniforms += [0.5] if lead in forced else [0.5, 0.0]
    arms = play("osub", [1.0] * 3, LINE, None, 10, script, lambda arm, nth: 1, **params)
    assert {lead for lead, arm in enumerate(arms[3:], 1) if arm == 1} == forced
    assert script.spent()


def test_osub_without_warm_up_gives_unpulled_arms_index_one():
    # lead 1 of arm 2 is forced and lost; then arm 1 leads, forced; then arm 0 leads, forced;
    # then arm 1 leads again: all three arms lost once, tied
    script = Script(uniforms=[0.9, 0.4, 0.2, 0.4, 0.7])
    arms = play("osub", [0.0] * 3, LINE, None, 4, script, lambda arm, nth: 0, warm_up=False)
    assert arms == [2, 1, 0, 2]
    assert script.spent()
    # forced = 0: nothing is forced on the first lead, and the unpulled neighbour is the highest
    script = Script(uniforms=[0.9, 0.9, 0.9])
    rewards = table([], [0], [0])
    arms = play("osub", [0.0] * 3, LINE, None, 2, script, rewards, warm_up=False, forced=0)
    # first: tied leaders -> 2, tied indices of 1 and 2 -> 2; second: leader 2, index of arm 1 is 1
    assert arms == [2, 1]
    assert script.spent()


@pytest.mark.parametrize(("c", "last"), [(0, 0), (3, 1)])
def test_kl_ucb_by_hand(c, last):
    # at t = 4 arm 0 has one win of three and arm 1, a single loss, has q = 1 - exp(-f). With
    # c = 0, q = .75 and 3 kl(1/3, .75) = 1.15 < f = 1.39: arm 0 is higher. With c = 3, q = .906
    # and 3 kl(1/3, .906) = 2.92 > f = 2.37: arm 1 is
    rewards = table([1, 0, 0, 0], [0, 0])
    arms = play("kl_ucb", [0.5] * 2, PAIR, None, 5, Script(), rewards, c=c)
    assert arms == [0, 1, 0, 0, last]


def test_kl_ucb_turns_to_the_arm_pulled_least():
    # both always lose: index 1 - exp(-f / N), so the arm pulled less, and a draw when level
    script = Script(uniforms=[0.6, 0.1])
    arms = play("kl_ucb", [0.0] * 2, PAIR, None, 6, script, lambda arm, nth: 0)
    assert arms == [0, 1, 1, 0, 0, 1]
    assert script.spent()


def test_kl_ucb_width_makes_close_indices_equal():
    # c = 0, t = 3 pulls: arm 0 (0 of 2) has 1 - 3^(-1/2) = .42, arm 1 has 1 - 1/3 = .67.
    # Width 1 tells [0, 1/2] from [1/2, 1]; width 2 leaves [0, 1] for both
    for width, uniforms, last in ((1.0, [0.0], 1), (2.0, [0.0, 0.0], 0)):
        script = Script(uniforms)
        arms = play(
            "kl_ucb", [0.0] * 2, PAIR, None, 4, script, lambda arm, nth: 0, c=0, width=width
        )
        assert arms == [0, 1, 0, last]
        assert script.spent()


def test_ucb1_by_hand():
    # 1 + sqrt(2 log t / N_0) against sqrt(2 log t): 2.18 1.18, 2.05 1.48, 1.96 1.67, 1.90 1.79,
    # then at t = 6: 1.85 against 1.89
    arms = play("ucb1", [1.0, 0.0], PAIR, None, 8, Script(), lambda arm, nth: 1 - arm)
    assert arms == [0, 1, 0, 0, 0, 0, 1, 0]


def test_ts_samples_every_arm_from_the_start():
    script = Script(betas=[0.1, 0.5, 0.2, 0.3, 0.2, 0.9])
    arms = play("ts", [0.5] * 3, LINE, None, 2, script, table([], [1], [0]))
    assert arms == [1, 2]
    assert script.asked == [(1, 1), (1, 1), (1, 1), (1, 1), (2, 1), (1, 1)]


class FirstThen:
    """Uniforms equal to `first` until `many` were asked for, and to `then` afterwards."""

    def __init__(self, first, many, then):
        self.first, self.left, self.then, self.asked = first, many, then, 0

    def random(self):
        self.asked += 1
        self.left -= 1
        return self.first if self.left >= 0 else self.then


def test_rank1elim_stage_and_elimination_by_hand():
    # n = 100: n_1 = ceil(4 log 100) = 19 and the radius is sqrt(log 100 / 19) = .492. Partner 0
    # always: row 0 has mean 1, LCB .508, above row 1's UCB .492; so have the columns. Then the
    # partner drawn is 1, out of play: its stand-in 0 takes its place
    rng = FirstThen(0.0, 2 * 19, 0.9)
    arms = play("rank1elim", [1.0, 0, 0, 0], None, (2, 2), 100, rng, lambda arm, nth: int(arm == 0))
    assert arms == [0, 2, 0, 1] * 19 + [0, 0] * 12
    assert rng.asked == 2 * 19 + 2 * 12


def test_rank1elim_shares_the_partner_and_cuts_the_stage():
    script = Script(uniforms=[0.9, 0.4, 0.1])
    # 2 x 3: column 2 for both rows, row 0 for the three columns, column 0 for row 0, and the end
    arms = play("rank1elim", [0.0] * 6, None, (2, 3), 6, script, lambda arm, nth: 0)
    assert arms == [2, 5, 0, 1, 2, 0]
    assert script.spent()


def test_rank1elim_keeps_everyone_when_nothing_differs():
    # all lose: the bounds are equal, so each stage ends with two draws for the best, and goes on
    rng = FirstThen(0.0, 10**6, 0.0)
    arms = play("rank1elim", [0.0] * 4, None, (2, 2), 400, rng, lambda arm, nth: 0)
    first = math.ceil(4 * math.log(400))
    assert first == 24  # stage 2 is to end at 96 repetitions, 384 pulls: then 4 repetitions more
    assert arms == [0, 2, 0, 1] * 100
    assert rng.asked == 2 * 100 + 2 * 2


def test_merge_is_strict_or_not_at_equality():
    game = reference.Game([0.0] * 3, None, None, 1, Script())
    bounds = [(0.0, 0.5), (0.5, 1.0), (0.1, 0.7)]
    assert reference.merge(game, [0, 1, 2], bounds, strict=False) == [1, 1, 2]
    assert reference.merge(game, [0, 1, 2], bounds, strict=True) == [0, 1, 2]
    # a line that stands behind another follows it, and its own bounds are not read
    assert reference.merge(game, [0, 1, 0], [*bounds[:2], (9.0, 9.0)], strict=False) == [1, 1, 1]
    # ties for the best are drawn among the lines in play
    game.rng = Script([0.6])
    assert reference.merge(game, [0, 1, 2], [(0.5, 1.0), (0.1, 0.4), (0.5, 1.0)], False) == [
        0,
        2,
        2,
    ]


def one_in_four(arm, nth):
    """Cell 0 wins at every fourth of its row pulls (nth even) and of its column pulls (nth odd)."""
    return int(arm == 0 and (nth // 2) % 4 == 0)


@pytest.mark.parametrize(("variant", "eliminated"), [("paper", False), ("trinh", True)])
def test_rank1elim_kl_levels_by_hand(variant, eliminated):
    # n = 1000: n_1 = ceil(16 log 1000) = 111, and 28 wins make a mean of .252 against 0. At level
    # log n + 3 log log n = 12.7 the loser's UCB is 1 - exp(-12.7/111) = .108 and kl(.252, .108) =
    # .082 < .114: it stays. At level 1.1 log n = 7.6 it is .066 and kl(.252, .066) = .171 > .068:
    # it goes
    rng = FirstThen(0.0, 10**6, 0.0)
    arms = play("rank1elim_kl", [0.0] * 4, None, (2, 2), 1000, rng, one_in_four, variant=variant)
    assert arms[:444] == [0, 2, 0, 1] * 111
    assert arms[444:] == ([0] * 556 if eliminated else [0, 2, 0, 1] * 139)


def test_trinh_divides_the_gap_by_one_and_a_half():
    # n = 1200, all lose: two tie draws at each stage end. 300 repetitions in all: stages end at
    # ceil(16 log 1200) = 114 and ceil(16 * 2.25 log 1200) = 256; with D halved the second is at 454
    for variant, stages in (("trinh", 2), ("paper", 1)):
        rng = FirstThen(0.0, 10**6, 0.0)
        play("rank1elim_kl", [0] * 4, None, (2, 2), 1200, rng, lambda arm, nth: 0, variant=variant)
        assert rng.asked == 2 * 300 + 2 * stages


def test_released_draws_a_partner_for_each_pull():
    # row 0 with column 1, row 1 with column 0; column 0 with row 1, column 1 with row 0
    script = Script(uniforms=[0.9, 0.1, 0.9, 0.1])
    arms = play(
        "rank1elim_kl", [0.0] * 4, None, (2, 2), 4, script, lambda arm, nth: 0, variant="released"
    )
    assert arms == [1, 2, 2, 1]
    assert script.spent()


def released_drops_row_one(columns, horizon, wins):
    """Whether row 1 of two, which never wins, is out after stage 1, row 0 having `wins` wins."""
    stage = math.ceil(16 * math.log(horizon))
    arms = play(
        "rank1elim_kl",
        [0.0] * (2 * columns),
        None,
        (2, columns),
        horizon,
        FirstThen(0.0, 10**6, 0.0),
        # partners are always 0, so that cell 0 is pulled for its row and for its column in turn
        lambda arm, nth: int(arm == 0 and nth % 2 == 0 and nth < 2 * wins),
        variant="released",
    )
    rounds = stage * (2 + columns)
    assert arms[:rounds] == [0, columns, *range(columns)] * stage
    assert arms[rounds] == 0
    return arms[rounds + 1] != columns


@pytest.mark.parametrize(("wins", "dropped"), [(33, False), (36, True)])
def test_released_counts_the_phantom_pulls_of_a_row(wins, dropped):
    # 2 x 200, n = 40000: 170 repetitions, t = 34340, level 10.44 + 2.35 = 12.79. Row 1 never wins.
    # Count 170 + 200: d = .0346, its UCB is .034, and kl(wins / 370, .034) = .033 for 33, .042 for
    # 36. Without phantoms 33 would do: d = .075, UCB .072, kl(33 / 170, .072) = .078
    assert released_drops_row_one(200, 40000, wins) == dropped


@pytest.mark.parametrize(("wins", "dropped"), [(33, False), (36, True)])
def test_released_counts_the_phantom_pulls_of_a_column(wins, dropped):
    # the same game on its side, 200 x 2: the wins come at the pulls made for columns
    arms = play(
        "rank1elim_kl",
        [0.0] * 400,
        None,
        (200, 2),
        40000,
        FirstThen(0.0, 10**6, 0.0),
        lambda arm, nth: int(arm == 0 and nth % 2 == 1 and nth < 2 * wins),
        variant="released",
    )
    rows = list(range(0, 400, 2))
    assert arms[:34340] == [*rows, 0, 1] * 170
    assert arms[34340:34543] == [*rows, 0, *([0, 2] if dropped else [1, 0])]


@pytest.mark.parametrize(
    ("columns", "horizon", "wins", "dropped"),
    [
        (27, 11500, 27, False),  # both bounds are 117/2048 = 27/177 * 767/2048: equal is not below
        (
            3,
            9500,
            22,
            False,
        ),  # LCB .05507 < UCB .05518; exact bounds, .05512 > .05501, would drop it
        (2, 5500, 21, True),  # LCB .05618 > UCB .05615; exact bounds, .05621 < .05659, would not
    ],
)
def test_released_compares_ten_bisections_strictly(columns, horizon, wins, dropped):
    assert released_drops_row_one(columns, horizon, wins) == dropped


def test_unknown_variant_is_refused():
    with pytest.raises(ValueError, match="'aistats' is none of"):
        play("rank1elim_kl", [0.0] * 4, None, (2, 2), 4, Script(), variant="aistats")
