"""When a leader is forced, and how long it surely leads."""

import math

import numpy as np
import pytest

from rankone.engine.counts import no_counts, record
from rankone.engine.loop import Commitment
from rankone.fast.leader import (
    LEADER_LEADS,
    LEADER_PULLS,
    TIME,
    Leader,
    clock_of,
    is_forced,
    period_of,
    while_leading,
)


def test_by_default_each_arm_is_pulled_once_and_no_leader_is_forced():
    assert Leader() == (math.inf, 0, TIME, True)


def test_the_clock_of_the_level():
    told = {TIME: 50, LEADER_LEADS: 7, LEADER_PULLS: 20}
    for clock, found in told.items():
        assert clock_of(Leader(clock=clock), 50, 7, 20) == found


def test_forced_leads():
    assert [lead for lead in range(1, 12) if is_forced(lead, 5.0, 1)] == [1, 6, 11]
    assert [lead for lead in range(1, 12) if is_forced(lead, 5.0, 0)] == [5, 10]
    assert not any(is_forced(lead, math.inf, 1) for lead in range(1, 12))
    assert period_of(Leader(0.0), 7) == 7.0
    assert period_of(Leader(3.0), 7) == 3.0


@pytest.mark.parametrize("rival", [0.1, 0.5, 0.59])
def test_above_the_guard_the_leader_leads_and_the_old_guard_holds(rival):
    counts = no_counts(1)
    record(counts, 0, 100, 60)
    given = Commitment(0, 50, -4.0, 0.3)
    raised = while_leading(given, counts, rival)
    for j in np.arange(51):
        line = raised.floor + raised.slope * j
        assert line >= given.floor + given.slope * j - 1e-12
        assert (60 + line) / (100 + j) >= rival - 1e-12


def test_who_does_not_lead_is_pulled_once():
    counts = no_counts(1)
    record(counts, 0, 100, 60)
    assert while_leading(Commitment(0, 50, -4.0, 0.3), counts, 0.61).rounds == 1
