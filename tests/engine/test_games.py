"""Runs in slices and on several cores: the same numbers, an end to waiting."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import rankone
from rankone.engine import games, seeds
from rankone.simulation import load, session

INSTANCE = rankone.rank_one([0.75, 0.25, 0.25], [0.75, 0.3])
GRID = np.array([10, 1000, 50_000])


def new_session(policy="uts", runs=3):
    starts = seeds.starts(seeds.stream(1, INSTANCE, policy), 0, runs)
    return session(load(policy, "fast"), INSTANCE, GRID, starts, {})


def finished(made, decisions=10**9):
    while not made.advance(decisions):
        pass
    return made.game.regret, made.game.pulls


@pytest.mark.parametrize("policy", ["uts", "ts", "kl_ucb", "osub", "rank1elim_kl"])
def test_slices_change_nothing(policy):
    for one, other in zip(
        finished(new_session(policy)), finished(new_session(policy), 13), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_a_killed_session_is_resumed_from_its_snapshot():
    whole = finished(new_session())
    killed = new_session()
    killed.advance(200)
    assert 0 < killed.rounds < 3 * 50_000
    snapshot = killed.snapshot()
    killed.advance(100)  # what came after the snapshot does not matter
    again = new_session()
    again.resume(snapshot)
    for one, other in zip(whole, finished(again), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_snapshot_of_something_else_is_refused():
    with pytest.raises(ValueError, match="is that of another session"):
        new_session(runs=2).resume(new_session(runs=3).snapshot())


@pytest.mark.parametrize("cores", [2, 3, 8])
def test_cores_change_nothing(cores):
    one = rankone.simulate("ts", INSTANCE, 3000, 11, seed=4)
    many = rankone.simulate("ts", INSTANCE, 3000, 11, seed=4, cores=cores)
    np.testing.assert_array_equal(one.regret, many.regret)
    np.testing.assert_array_equal(one.pulls, many.pulls)


@pytest.mark.parametrize("cores", [1, 2])
def test_progress_goes_up_to_one(cores, monkeypatch):
    monkeypatch.setattr(games, "SLICE", 1e-4)
    shares = []
    rankone.simulate("uts", INSTANCE, 10_000, 20, progress=shares.append, cores=cores)
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[2] < 0.5  # after slices of 1, 10 and 100 decisions, or two parts of eight
    assert shares[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("cores", [1, 2])
def test_an_error_in_one_part_ends_all(cores):
    def tell(share):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rankone.simulate("uts", INSTANCE, 10_000, 20, progress=tell, cores=cores)


@pytest.mark.slow
@pytest.mark.parametrize("cores", [1, 2])
def test_an_interrupt_is_answered_soon(cores):
    """A run that would take hours; the limit leaves room for a busy machine."""
    code = (
        # a process that was started in the background may have been told to ignore interrupts
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import rankone; i = rankone.rank_one([0.6, 0.5], [0.6, 0.5]); "
        f"play = lambda t: rankone.simulate('uts', i, t, 4, exact='plain', cores={cores}); "
        "play(100); print('ready', flush=True); play(10**12)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)  # it is playing by then, since what it plays is compiled
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
