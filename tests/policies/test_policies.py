"""Every plain policy pulls the arms of its naive twin round by round, given the same generator.

And every policy that leaps has the law of its plain version.
"""

import inspect
import itertools
import math

import numpy as np
import pytest
from helpers import chance, reference, reference_index, reference_phases
from helpers.traces import rewards, trace
from scipy import stats

import rankone
from rankone import loading, simulation
from rankone.engine import sources
from rankone.policies import _elimination as elimination
from rankone.policies import rank1elim, rank1elim_kl, ucb_u

HORIZON = 300
RUNS = 3

INSTANCES = {
    "symmetric": rankone.rank_one([0.75, 0.25, 0.25, 0.25], [0.75, 0.25, 0.25, 0.25]),
    "K != L": rankone.rank_one([0.3, 0.9], [0.2, 0.5, 0.8]),
    "close means": rankone.rank_one([0.55, 0.5, 0.5], [0.55, 0.5, 0.5]),
    "zero in u": rankone.rank_one([0.0, 0.8, 0.4], [0.6, 0.9]),
    "sure win": rankone.rank_one([1.0, 0.5], [0.7, 1.0]),
    "one row": rankone.rank_one([0.9], [0.3, 0.6, 0.5]),
    "line": rankone.graph([0.1, 0.3, 0.5, 0.7, 0.4, 0.2], [(k, k + 1) for k in range(5)]),
    "tensor": rankone.tensor([0.9, 0.5], [0.8, 0.4, 0.4], [0.3, 0.9]),
    "star": rankone.graph([0.8, 0.2, 0.5, 0.5], [(0, 1), (0, 2), (0, 3)]),
}
TWINS = {**reference.POLICIES, **reference_index.POLICIES, **reference_phases.POLICIES}

PARAMETERS = {
    "uts": [
        {},
        {"gamma": 2, "warm_up": False},
        {"gamma": 5},
        {"gamma": math.inf},
        {"gamma": math.inf, "warm_up": False},
        {"gamma": "degree"},
    ],
    "osub": [
        {},
        {"c": 0},
        {"gamma": 2, "c": 0},
        {"gamma": 5},
        {"gamma": math.inf},
        {"clock": "global", "forced": 0},
        {"clock": "global", "forced": 0, "width": 0.01},
        {"forced": 0, "c": 1.5},
        {"warm_up": False},
    ],
    "kl_ucb": [{}, {"c": 0}, {"width": 0.01}],
    "ucb1": [{}],
    "ts": [{}],
    "rank1elim": [{}],
    "rank1elim_kl": [{}, {"variant": "released"}, {"variant": "trinh"}],
    "kl_ucb_plus": [{}, {"c": 3}],
    "kl_ucb_h_plus": [{}, {"c": 1.5}],
    "kl_ucb_pp": [{}, {"power": 1}],
    "ucb_alpha": [{}, {"alpha": 2}],
    "moss": [{}, {"anytime": True}, {"anytime": True, "scale": 0.6}],
    "klucb_ub": [{}, {"plus": False}],
    "ucb_u": [{}, {"gamma": 3, "clock": "leader", "warm_up": False}, {"gamma": "degree"}],
    "imed": [{}],
    "imed_ub": [{}],
    "epsilon_greedy": [{}, {"c": 0}, {"c": 0.7}],
    "sw_osub": [{}, {"tau": 20, "gamma": 3, "c": 0}, {"tau": 100}],
    "rank1elim_doubling": [{}],
    "ossb": [{}, {"g": 0.5}, {"eps": 0.1}, {"settle": False}],
    "ossb_rank_one": [{}, {"g": 0.5, "eps": 0.1}, {"settle": False}],
    # large slopes and small constants: something is eliminated within few rounds
    "lse": [{}, {"slope": 0.9, "samples": 0.5}, {"slope": 1, "samples": 0.1}],
    "glse": [{}, {"slope": 0.9, "samples": 0.5}, {"slope": 1, "samples": 0.1}],
    "pair_elim": [{}],
    "tea": [{}, {"constant": 0.5}, {"constant": 0.02}],
}


def plays_on(policy, instance):
    return not loading.load(policy).supports(instance)


def cases():
    for policy, choices in PARAMETERS.items():
        for parameters in choices:
            for name in (n for n, instance in INSTANCES.items() if plays_on(policy, instance)):
                label = ",".join(f"{k}={v}" for k, v in parameters.items())
                yield pytest.param(policy, parameters, name, id=f"{policy}({label})-{name}")


def as_the_twin_says_it(policy, parameters):
    """The one default that the twin spells in another way: OSUB's gamma."""
    if policy == "osub" and parameters.get("gamma", "degree") == "degree":
        return {**parameters, "gamma": None}
    return parameters


def twin(policy, instance, horizon, rng, parameters):
    """The naive twin's arms, and the pulls of each arm after each round."""
    around = [instance.neighbourhood(k).tolist() for k in range(instance.arms)]
    arms = reference.play(
        TWINS[policy],
        instance.means.tolist(),
        around,
        instance.shape,
        horizon,
        rng,
        **as_the_twin_says_it(policy, parameters),
    )
    return np.cumsum(np.eye(instance.arms, dtype=np.int64)[arms], axis=0)


def regret_of(counts, instance):
    """The pseudo-regret after each round, added up in the engine's order: equal to the bit."""
    total = np.zeros(len(counts))
    for k in range(instance.arms):
        total += counts[:, k] * (instance.means.max() - instance.means[k])
    return total


def plain(policy, instance, horizon, rng, parameters):
    every_round = np.arange(1, horizon + 1)
    return simulation.one_run(policy, instance, every_round, rng, **parameters)


def same(policy, instance, horizon, seed, parameters):
    here, there = np.random.default_rng(seed), np.random.default_rng(seed)
    regret, pulls = plain(policy, instance, horizon, here, parameters)
    counts = twin(policy, instance, horizon, there, parameters)
    np.testing.assert_array_equal(regret, regret_of(counts, instance))
    np.testing.assert_array_equal(pulls, counts[-1])
    assert here.random() == there.random(), "one of the two has drawn more numbers"


def test_the_twins_are_of_policies_that_there_are():
    """A policy without a twin is checked for its contract alone (test_contract.py)."""
    assert {*PARAMETERS} <= {*simulation.names()}


def defaults(function):
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


@pytest.mark.parametrize("policy", sorted(PARAMETERS))
def test_defaults_are_those_of_the_twin(policy):
    """Also where another default would not be seen within few rounds."""
    ours = as_the_twin_says_it(policy, defaults(loading.load(policy).configure))
    theirs = defaults(TWINS[policy])
    assert {name: theirs[name] for name in ours} == ours


@pytest.mark.parametrize(("policy", "parameters", "name"), list(cases()))
def test_equals_its_naive_twin(policy, parameters, name):
    for seed in range(RUNS):
        same(policy, INSTANCES[name], HORIZON, seed, parameters)


@pytest.mark.parametrize("policy", sorted(PARAMETERS))
def test_equals_its_naive_twin_on_random_instances(policy):
    """Other sizes, other means, other horizons, one long run included: matrices, or else lines."""
    rng = np.random.default_rng(5)
    for seed, horizon in enumerate([1, 2, 7, 60, 300, 1000]):
        rows, columns = rng.integers(1, 6, 2)
        instance = rankone.rank_one(rng.random(rows), rng.random(columns))
        if not plays_on(policy, instance):
            ends = [(k, k + 1) for k in range(rows + columns - 1)]
            up, down = np.sort(rng.random(rows)), -np.sort(-rng.random(columns))
            instance = rankone.graph([*up, *down], ends)
        for parameters in PARAMETERS[policy]:
            same(policy, instance, horizon, seed, parameters)


# What is just allowed and what is just not, by policy and parameter, and the words of the refusal.
ABOVE_0 = ([1e-9, 1e300], [0, -1e-9, math.inf, math.nan, "2", None], "allowed: a number above 0")
NOT_NEGATIVE = ([0, 2.5], [-1e-9, math.inf, math.nan, "2", None], "allowed: a")
WIDTH = ([0, 1e-15, 2.5], [5e-324, 9e-16, -1, math.inf, math.nan, "2", None], "width is .* allowed")
TRUTH = ([True, False], [2, "yes", None], "allowed: ")
GAMMA = ([2, 3.0, math.inf, "degree"], [1, 2.5, -2, math.nan, "x", None], "gamma is .* allowed: ")
CLOCK = (["leader", "global"], ["", "Leader", 1, ["leader"]], "allowed: 'leader' or 'global'")
SLOPE = ([1e-9, 1], [0, 1.001, math.nan, "1", None], "allowed: a number above 0 and at most 1")
SAMPLES = ([1e-9, 7], [0, -1, math.inf, math.nan, "1"], r"allowed: a number above 0\.")
ENDS = {
    "uts": {"gamma": GAMMA, "warm_up": TRUTH},
    "osub": {
        "gamma": GAMMA,
        "c": NOT_NEGATIVE,
        "width": WIDTH,
        "clock": CLOCK,
        "forced": ([0, 1, 1.0], [2, -1, 0.5, "1", None], "forced is .* allowed: 0 or 1"),
        "warm_up": TRUTH,
    },
    "kl_ucb": {"c": NOT_NEGATIVE, "width": WIDTH},
    "kl_ucb_plus": {"c": NOT_NEGATIVE},
    "kl_ucb_h_plus": {"c": NOT_NEGATIVE},
    "kl_ucb_pp": {"power": NOT_NEGATIVE},
    "klucb_ub": {"plus": TRUTH},
    "moss": {"anytime": TRUTH, "scale": ABOVE_0},
    "ucb_alpha": {"alpha": ABOVE_0},
    "ucb_u": {"alpha": ABOVE_0, "gamma": GAMMA, "clock": CLOCK, "warm_up": TRUTH},
    "epsilon_greedy": {"c": NOT_NEGATIVE},
    "sw_osub": {
        "tau": ([1, 999_999_999.0], [0, 1e9, 1.5, math.nan, "9", None], "allowed: a whole number"),
        "gamma": GAMMA,
        "c": NOT_NEGATIVE,
    },
    "rank1elim_kl": {"variant": ([*rank1elim_kl.VARIANTS], ["", 1, ["paper"]], "allowed: paper, ")},
    "ossb": {"g": NOT_NEGATIVE, "eps": NOT_NEGATIVE, "settle": TRUTH},
    "ossb_rank_one": {"g": NOT_NEGATIVE, "eps": NOT_NEGATIVE, "settle": TRUTH},
    "lse": {"slope": SLOPE, "samples": SAMPLES},
    "glse": {"slope": SLOPE, "samples": SAMPLES},
    "tea": {"constant": ABOVE_0},
}


@pytest.mark.parametrize("policy", sorted(PARAMETERS))
def test_parameters_are_taken_up_to_the_ends_of_their_ranges(policy):
    problem = INSTANCES["K != L"].problem(1000)
    assert {*ENDS.get(policy, {})} == {*sources.parameters(policy)}
    for name, (allowed, refused, words) in ENDS.get(policy, {}).items():
        for value in allowed:
            loading.load(policy).configure(problem, **{name: value})
        for value in refused:
            with pytest.raises(ValueError, match=words) as error:
                loading.load(policy).configure(problem, **{name: value})
            assert str(error.value).startswith(f"{name} is {value!r}"), value


LEAPING = [(p, q) for p in PARAMETERS for q in PARAMETERS[p] if loading.load(p).leaps]


# A bisection that stops at a width is no monotone index: only the tuned engines leap with it.
INDEXED = [
    (policy, parameters)
    for policy, parameters in LEAPING
    if loading.load(policy).declared is not None
    and policy not in ("ts", "uts")
    and "width" not in parameters
]


def test_ucb_u_has_no_bonus_before_the_leader_has_led():
    assert [ucb_u.level(leads) for leads in (0, 1, 2)] == [0.0, 0.0, math.log(2)]


def random_graph(rng, arms):
    """A connected graph with random means: a tree and as many edges again."""
    tree = [(int(rng.integers(k)), k) for k in range(1, arms)]
    more = [tuple(int(k) for k in rng.choice(arms, 2, replace=False)) for _ in range(arms)]
    return rankone.graph(rng.random(arms), tree + more, unimodal=False)


def unseen(seed):
    """A line, a random graph and a matrix that is not square."""
    rng = np.random.default_rng([seed, 9])
    rows, columns = rng.permutation([2, 5])
    return {
        "line": rankone.graph(
            np.sort(rng.random(7))[[0, 2, 4, 6, 5, 3, 1]], [(k, k + 1) for k in range(6)]
        ),
        "random graph": random_graph(rng, 9),
        "matrix": rankone.rank_one(rng.random(rows), rng.random(columns)),
    }


@pytest.mark.parametrize(("policy", "parameters"), [one for one in LEAPING if one not in INDEXED])
def test_fast_has_the_law_of_plain(policy, parameters):
    """Regret over time and the pulls of each arm, on instances that were made for nobody.

    Of an index the very arms are compared, below; its law is in test_contract.py.
    """
    checkpoints = [60, 400, 2000]
    for instance in unseen(len(policy)).values():
        if loading.load(policy).supports(instance):
            continue
        one, two = (
            simulation.simulate(
                policy,
                instance,
                2000,
                300,
                chance.seed(3),
                checkpoints=checkpoints,
                exact=exact,
                **parameters,
            )
            for exact in ("plain", "fast")
        )
        pairs = [
            *zip(one.regret.T, two.regret.T, strict=True),
            *zip(one.pulls.T, two.pulls.T, strict=True),
        ]
        for a, b in pairs:
            if np.ptp(np.concatenate([a, b])) > 0:
                chance.assert_likely(stats.ks_2samp(a, b, method="asymp").pvalue)


@pytest.mark.parametrize(("policy", "parameters"), INDEXED)
def test_an_index_leaps_to_the_same_arms(policy, parameters):
    """With a table of rewards only ties are left to chance: the very same arms and draws."""
    declared = loading.load(policy).declared
    for seed, instance in enumerate([*unseen(1).values(), *unseen(2).values()]):
        problem = instance.problem(4000)
        settings = loading.load(policy).configure(problem, **parameters)
        table = rewards(instance, 4000, seed)
        one, _, here = trace(declared.plain, problem, settings, table, seed)
        two, _, there = trace(declared.fast, problem, settings, table, seed)
        assert np.array_equal(one, two)
        assert here == there


def eliminations():
    """What eliminates rows and columns, or arms, on a matrix."""
    for policy in ("rank1elim", "rank1elim_kl", "rank1elim_doubling", "pair_elim", "glse", "tea"):
        for parameters in PARAMETERS[policy]:
            if parameters or policy not in ("glse", "tea"):  # these two would take too long
                yield policy, parameters


@pytest.mark.parametrize(("policy", "parameters"), list(eliminations()))
def test_eliminates_as_its_twin(policy, parameters):
    """Long enough for several stages: without eliminations the best arm would get a sixth."""
    instance = rankone.rank_one([1.0, 0.1, 0.2], [1.0, 0.0])
    horizon = 20_000
    same(policy, instance, horizon, 3, parameters)
    _, pulls = plain(policy, instance, horizon, np.random.default_rng(3), parameters)
    assert pulls[instance.best] > 0.6 * horizon


@pytest.mark.parametrize(("policy", "parameters"), list(eliminations()))
@pytest.mark.parametrize(
    ("rows", "columns", "horizon", "runs"), [(2, 2, 3000, 120), (4, 2, 12_000, 25)]
)
def test_eliminates_as_its_twin_where_it_is_a_close_call(
    policy, parameters, rows, columns, horizon, runs
):
    """Many instances: in some of them a bound is next to its threshold, and its details count."""
    rng = np.random.default_rng(8)
    for seed in range(runs):
        u, v = rng.uniform(0.2, 1.0, rows), rng.uniform(0.2, 1.0, columns)
        same(policy, rankone.rank_one(u, v), horizon, seed, parameters)


@pytest.mark.parametrize("parameters", PARAMETERS["lse"])
def test_lse_comes_to_the_best_arm_as_its_twin(parameters):
    """Lines of all sizes from 1 to 13 arms; where the best arm is an end, no means are equal."""
    rng = np.random.default_rng(9)
    for arms, best in itertools.product(range(1, 14), ("first", "last", "any")):
        place = {"first": 0, "last": arms - 1, "any": int(rng.integers(arms))}[best]
        means = [0.95 - 0.07 * abs(k - place) for k in range(arms)]
        line = rankone.graph(means, [(k, k + 1) for k in range(arms - 1)])
        same("lse", line, 2000, arms, parameters)
        if best != "any":
            _, pulls = plain("lse", line, 300_000, rng, parameters)
            assert pulls.argmax() == place


def naive_bounds(rules, mean, count, horizon, t):
    """Lower and upper bound of a line, from the papers' formulas."""
    if rules is RANK1ELIM:
        radius = math.sqrt(math.log(horizon) / count)
        return mean - radius, mean + radius
    if rules is rank1elim_kl.VARIANTS["released"]:
        d = reference.exploration(t, 1) / count
        return reference.bracket_lower(mean, d, 10), reference.bracket_upper(mean, d, steps=10)
    paper = rules is rank1elim_kl.VARIANTS["paper"]
    level = reference.exploration(horizon, 3) if paper else 1.1 * math.log(horizon)
    return reference.kl_lower(mean, level / count), reference.kl_upper(mean, level / count)


FIVE_BY_THREE = rankone.rank_one([0.9, 0.5, 0.4, 0.3, 0.2], [0.8, 0.4, 0.2])
RANK1ELIM = rank1elim.configure(FIVE_BY_THREE.problem(10))


@pytest.mark.parametrize("name", ["rank1elim", *rank1elim_kl.VARIANTS])
@pytest.mark.parametrize("horizon", [1, 1000])
def test_stand_ins_are_those_of_the_twin(name, horizon):
    """Two eliminations in a row on random wins: who stands for whom, phantoms and ties included.

    At horizon 1 the bounds have no width, so that ties abound and decide.
    """
    rules = RANK1ELIM if name == "rank1elim" else rank1elim_kl.VARIANTS[name]
    problem = FIVE_BY_THREE.problem(horizon)
    rng = np.random.default_rng(6)
    chains = 0
    for trial in range(1500 if name == "released" else 150):
        state = elimination.start(problem, rules)
        here, there = np.random.default_rng(trial), np.random.default_rng(trial)
        game = reference.Game([], [], (5, 3), horizon, there)
        side = int(rng.integers(2))
        size = (5, 3)[side]
        stand_in = list(range(size))
        chance = rng.choice([0.05, 0.1, 0.5, 0.7, 0.9, 0.95], size) * rng.uniform(0.8, 1.05, size)
        pulls = 0
        for more in (60, 1000):
            pulls += more
            t = 1 if horizon == 1 else 6 * pulls
            state.pulls[0] = pulls
            state.wins[side, :size] += rng.binomial(more, chance)
            elimination._eliminate(state, side, t, here)
            count = pulls + ((3, 5)[side] if rules.phantoms else 0)
            wins = state.wins[side, :size].tolist()
            bounds = [naive_bounds(rules, w / count, count, horizon, t) for w in wins]
            before = stand_in
            stand_in = reference.merge(game, stand_in, bounds, rules.strict)
            assert state.stand_in[side, :size].tolist() == stand_in
            active = state.active[side, : state.actives[side]].tolist()
            assert active == reference.active(stand_in)
            chains += any(
                b != i and a != b for i, (a, b) in enumerate(zip(stand_in, before, strict=True))
            )
            chance = rng.permutation(chance)  # so that today's stand-in may go tomorrow
        assert here.random() == there.random()
    assert chains > 0 or horizon == 1, "no stand-in was ever replaced"
