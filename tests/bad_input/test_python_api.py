"""The Python API on input that nobody meant: it works, or a ValueError says in one sentence why."""

from typing import Any

import numpy as np
import pytest
from helpers.fuzzing import CASES, NUMBERS, nasty, refused_or_done, spoiled, survive
from hypothesis import strategies as st

import rankone
from rankone import simulation
from rankone.stats import comparing

SQUARE = rankone.rank_one([0.8, 0.3], [0.9, 0.4])
LINE = rankone.graph([0.2, 0.9, 0.5], [(0, 1), (1, 2)])
# A sound call is short; a horizon that fuzzing makes up is not played, since it may be any number.
LONGEST = 10_000


def vectors() -> st.SearchStrategy[Any]:
    entries = st.one_of(st.floats(0, 1), st.sampled_from(NUMBERS), nasty())
    return st.one_of(nasty(), st.lists(entries, max_size=5), st.lists(st.floats(0, 1), max_size=5))


def edges() -> st.SearchStrategy[Any]:
    ends = st.one_of(st.integers(-2, 6), nasty())
    pairs = st.one_of(st.tuples(ends, ends), st.lists(ends, max_size=4), nasty())
    return st.one_of(nasty(), st.lists(pairs, max_size=4))


def numbers() -> st.SearchStrategy[Any]:
    return st.one_of(st.integers(0, 12), st.sampled_from(NUMBERS), nasty())


INSTANCES = {
    "rank_one": st.tuples(vectors(), vectors()),
    "tensor": st.lists(vectors(), max_size=4).map(tuple),
    "matrix": st.tuples(st.one_of(vectors(), st.lists(vectors(), max_size=3))),
    "product": st.tuples(st.one_of(vectors(), st.lists(vectors(), max_size=3))),
    "graph": st.tuples(vectors(), edges()),
    "line": st.tuples(vectors()),
    "cycle": st.tuples(vectors()),
    "complete": st.tuples(vectors()),
    "tree": st.tuples(vectors(), st.one_of(nasty(), st.lists(st.integers(-1, 4), max_size=5))),
    "grid": st.tuples(st.one_of(vectors(), st.lists(vectors(), max_size=3))),
    "random_tree": st.tuples(numbers(), numbers()),
    "random_graph": st.tuples(numbers(), numbers(), numbers()),
}


@pytest.mark.parametrize("cases", CASES)
@pytest.mark.parametrize("make", INSTANCES)
def test_instances(make: str, cases: int, record_property: Any) -> None:
    def attempt(arguments: tuple[Any, ...]) -> bool:
        made = []
        if not refused_or_done(lambda: made.append(getattr(rankone, make)(*arguments))):
            return False
        instance = made[0]
        assert np.all((instance.means >= 0) & (instance.means <= 1))
        assert instance.means.dtype == np.float64
        assert instance.starts[-1] == len(instance.neighbours)
        assert all(k in instance.neighbourhood(k) for k in range(instance.arms))
        return True

    survive(cases, INSTANCES[make], attempt, record_property)


CALL = {
    "policy": "uts",
    "instance": SQUARE,
    "horizon": 50,
    "runs": 2,
    "seed": 1,
    "first_run": 0,
    "checkpoints": None,
    "exact": "fast",
    "cores": 1,
}


@pytest.mark.parametrize("cases", CASES)
def test_simulate(cases: int, record_property: Any) -> None:
    def attempt(call: dict[str, Any]) -> bool:
        def play() -> None:
            runs = rankone.simulate(**call)
            assert np.all(runs.pulls.sum(axis=1) == runs.checkpoints[-1])
            assert np.all(np.isfinite(runs.regret))

        return refused_or_done(play)

    survive(cases, spoiled(CALL).filter(short_enough), attempt, record_property)


def short_enough(call: dict[str, Any]) -> bool:
    """Whether a call, if it is sound, ends in a moment."""

    def small(name: str, most: int) -> bool:
        value = call[name]
        return not isinstance(value, int | float | np.number) or not value > most

    return small("horizon", LONGEST) and small("runs", 100) and small("cores", 8)


PARAMETERS = {
    name: sorted(parameter.name for parameter in simulation.load(name).known)
    for name in simulation.names()
}


@pytest.mark.parametrize("cases", CASES)
def test_parameters_of_policies(cases: int, record_property: Any) -> None:
    """Every policy with nasty values for its own parameters, and for one that it does not have."""

    def attempt(case: tuple[str, dict[str, Any], Any]) -> bool:
        policy, parameters, instance = case
        return refused_or_done(lambda: rankone.simulate(policy, instance, 40, 2, **parameters))

    cases_of = {
        name: st.dictionaries(st.sampled_from([*known, "other"]), nasty(), max_size=3)
        for name, known in PARAMETERS.items()
    }
    strategy = st.sampled_from(sorted(cases_of)).flatmap(
        lambda name: st.tuples(st.just(name), cases_of[name], st.sampled_from([SQUARE, LINE]))
    )
    survive(cases, strategy, attempt, record_property)


@pytest.mark.parametrize("cases", CASES)
def test_runs(cases: int, record_property: Any) -> None:
    """What is asked of runs: a round, a level, other runs."""
    runs = rankone.simulate("uts", SQUARE, 50, 4)

    def attempt(case: tuple[Any, Any, Any]) -> bool:
        other, t, level = case
        at = refused_or_done(lambda: runs.at(t))
        compared = refused_or_done(lambda: comparing.compare(runs, other, t=t, level=level))
        return at and compared

    others = st.one_of(st.just(runs), nasty())
    rounds = st.one_of(st.sampled_from([1, 50]), nasty())
    survive(cases, st.tuples(others, rounds, st.one_of(st.just(0.9), nasty())), attempt,
            record_property)  # fmt: skip
