"""The lines that say how far the simulations are."""

import logging

import pytest

from rankone.pipeline import progress

COSTS = {1: 10.0, 2: 10.0, 3: 60.0, 4: 1.0}


@pytest.fixture
def listening():
    """A logger that a handler of four cells listens to, the lines it says, and its clock."""
    lines, now = [], [100.0]
    logger = logging.Logger("like Snakemake's")
    logger.addHandler(progress.Cells(COSTS, lines.append, lambda: now[0]))

    def finish(job, at, event="job_finished"):
        now[0] = 100.0 + at
        logger.info("Finished", extra={"event": event, "job_id": job})

    return finish, lines


def test_the_time_left_follows_the_costs_of_what_is_left(listening):
    finish, lines = listening
    finish(4, 15)
    finish(2, 42)  # 11 of 81 took 42 s, so the other 70 take 267 s
    finish(1, 63)  # 21 of 81
    assert lines == [
        "1 of 4 cells are simulated.",
        "2 of 4 cells are simulated, about 4 min left for the others.",
        "3 of 4 cells are simulated, about 3 min left for the others.",
    ]
    finish(3, 70)
    assert lines[-1] == "4 of 4 cells are simulated; what follows is made from them."


def test_lines_come_seldom_but_the_last_one_always(listening):
    finish, lines = listening
    finish(1, 1)
    finish(2, 2)
    finish(4, 2)
    assert lines == []
    finish(3, 3)
    assert len(lines) == 1


def test_other_jobs_and_messages_are_none_of_its_business(listening):
    finish, lines = listening
    finish(7, 20)
    finish(1, 40, event="job_info")
    finish(1, 60)
    finish(1, 80)
    assert len(lines) == 1
    assert lines[0].startswith("1 of 4")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (59.7, "60 s"), (100, "2 min"), (5000, "83 min"), (7200, "2 h")],
)
def test_times_in_words(seconds, words):
    assert progress.in_words(seconds) == words
