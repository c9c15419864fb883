"""The league plays one policy everywhere it can, and says where it cannot."""

import math
import time

import numpy as np
import pytest

import rankone
from rankone.stats import league

BANDITS = {"square": rankone.rank_one([0.9, 0.3], [0.8, 0.2]), "line": rankone.line([0.2, 0.9])}
SHORT = {"horizon": 200, "runs": 4, "matrices": 3, "sides": [2, 3], "matrix_runs": 2}


def played(policy, seed=1, **options):
    entry = {"name": policy, "label": policy.upper(), "policy": policy, "parameters": {}}
    return league.league(entry, BANDITS, seed, **SHORT, **options)


def test_one_row_for_each_instance_and_matrix():
    found = played("uts")
    assert found["group"].tolist() == ["square", "line", "random", "random", "random"]
    assert found["runs"].tolist() == [4, 4, 2, 2, 2]
    runs = rankone.simulate("uts", BANDITS["square"], 200, 4, 1, checkpoints=[200])
    assert found["mean"][0] == pytest.approx(runs.regret[:, -1].mean())
    bound = BANDITS["line"].lower_bound.unimodal * np.log(200)
    assert found["bound"][1] == pytest.approx(bound)


def test_the_cost_of_a_run_is_part_of_the_time_that_was_used():
    begin = time.process_time()
    found = played("uts")
    used = time.process_time() - begin
    assert (found["cpu_ms"] >= 0).all()
    assert (found["cpu_ms"] * found["runs"]).sum() <= 1e3 * used


def test_the_standard_error_is_that_of_the_mean_and_one_run_has_none():
    regret = rankone.simulate("uts", BANDITS["square"], 200, 4, 1, checkpoints=[200]).regret[:, -1]
    assert played("uts")["se"][0] == pytest.approx(np.std(regret, ddof=1) / 2)
    assert math.isnan(played("uts", fewer={"uts": 1})["se"][0])
    assert not math.isnan(played("uts", fewer={"uts": 2})["se"][0])


def test_every_policy_meets_the_same_matrices_and_another_seed_gives_others():
    one, other, third = played("uts"), played("ts"), played("ts", seed=2)
    assert one["bound"].tolist() == other["bound"].tolist()
    assert (other["bound"][2:] != third["bound"][2:]).all()


def test_a_policy_that_cannot_play_says_why():
    found = played("rank1elim")
    assert found["plays"].tolist() == [True, False, True, True, True]
    assert "rows and columns" in found["reason"][1]


def test_slow_policies_play_fewer_runs():
    assert played("uts", fewer={"uts": 3})["runs"].tolist() == [3, 3, 2, 2, 2]
    assert played("uts", fewer={"ts": 3})["runs"].tolist() == [4, 4, 2, 2, 2]
