"""What jobs ask for: more runs, arms, rounds and attempts never ask for less."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankone.pipeline import campaigns, costs

ROOT = Path(__file__).parents[2]
JOB = costs.Job("uts", arms=16, gap=0.375, horizon=300_000, checkpoints=15, runs=100_000)


def test_a_job_asks_for_what_was_measured() -> None:
    # 10^5 runs of UTS at 16 arms took 9 to 28 s and 198 MB
    assert 30 < JOB.seconds() < 120
    assert 4 * JOB.seconds() / 60 <= JOB.minutes() < 4 * JOB.seconds() / 60 + 1
    assert JOB.megabytes() == 500 + 3 * 8 * 100_000 * (15 + 16) // 10**6 + 1


# Policy, arms, gap, horizon, runs, and the CPU time beyond that of a job without runs (0.9 s): the
# longest cells of a paper that went through Slurm, and one of 10^5 runs.
MEASURED = [
    ("kl_ucb", 16384, 0.375, 2_000_000, 50, 51.9),
    ("kl_ucb", 4096, 0.375, 2_000_000, 50, 3.4),
    ("kl_ucb", 1024, 0.0275, 2_000_000, 50, 44.5),
    ("kl_ucb", 256, 0.0275, 2_000_000, 50, 12.0),
    ("kl_ucb", 64, 0.0275, 2_000_000, 50, 3.3),
    ("osub", 16384, 0.375, 2_000_000, 50, 3.4),
    ("osub", 1024, 0.0275, 2_000_000, 50, 26.7),
    ("osub", 256, 0.0275, 2_000_000, 50, 11.6),
    ("osub", 64, 0.0275, 2_000_000, 50, 3.3),
    ("uts", 16384, 0.375, 2_000_000, 50, 1.8),
    ("uts", 1024, 0.0275, 2_000_000, 50, 3.6),
    ("uts", 256, 0.0275, 2_000_000, 50, 3.2),
    ("uts", 64, 0.0275, 2_000_000, 50, 2.1),
    ("uts", 16, 0.375, 300_000, 100_000, 15.9),
    ("rank1elim_kl", 16384, 0.375, 2_000_000, 50, 0.9),
    ("rank1elim_kl", 1024, 0.0275, 2_000_000, 50, 1.4),
    ("rank1elim_kl", 256, 0.0275, 2_000_000, 50, 1.7),
    ("ucb1", 256, 0.375, 300_000, 100, 1.5),
    ("ts", 256, 0.375, 300_000, 100, 0.9),
]


@pytest.mark.parametrize("cell", MEASURED, ids=str)
def test_the_model_is_within_a_factor_of_three_of_what_was_measured(cell: tuple) -> None:
    policy, arms, gap, horizon, runs, seconds = cell
    job = costs.Job(policy, arms, gap, horizon, checkpoints=200, runs=runs)
    assert 1 / 3 < (job.seconds() - costs.START) / seconds < 3


@pytest.mark.parametrize(
    "change",
    [{"arms": 10_000}, {"gap": 0.01}, {"horizon": 10**12}, {"runs": 10**7}, {"policy": "mine"}],
    ids=str,
)
def test_more_work_asks_for_more_time(change: dict) -> None:
    assert replace(JOB, **change).minutes() > JOB.minutes()


@pytest.mark.parametrize("change", [{"arms": 10_000}, {"checkpoints": 400}, {"runs": 10**7}])
def test_more_numbers_ask_for_more_memory(change: dict) -> None:
    assert replace(JOB, **change).megabytes() > JOB.megabytes()


def test_each_attempt_asks_for_more_up_to_a_day() -> None:
    assert JOB.megabytes(2) == 2 * JOB.megabytes()
    assert JOB.minutes(2) == 2 * JOB.minutes()
    assert replace(JOB, runs=10**12).minutes(3) == 24 * 60


def test_only_short_jobs_share_a_place_in_the_queue() -> None:
    assert replace(JOB, runs=100).short()
    assert not JOB.short()


def test_a_summary_asks_for_one_batch_however_many_runs_there_are() -> None:
    study = campaigns.load(ROOT / "tests/slurm/million.yaml").studies["million"]
    assert costs.recorded(study) == 15
    larger = replace(study, runs=10 * study.runs)
    assert costs.summary_megabytes(larger) == costs.summary_megabytes(study)
    assert costs.summary_minutes(larger) > costs.summary_minutes(study)


@pytest.mark.parametrize("name", ["paper", "claims", "beyond", "smoke"])
def test_every_job_of_our_campaigns_fits_a_small_node(name: str) -> None:
    campaign = campaigns.load(ROOT / f"config/{name}.yaml")
    for study in campaign.studies.values():
        for instance in study.instances:
            for policy in study.policies:
                place = (study.name, instance.name, policy.name)
                job = costs.simulation(campaign, *place, min(study.batch, study.runs))
                assert job.megabytes() < 2000, place
                assert 1 <= job.minutes() <= costs.LONGEST, place
