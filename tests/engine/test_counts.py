"""Counts of pulls and wins."""

from rankone.engine.counts import no_counts, record


def test_counts_add_up():
    counts = no_counts(3)
    assert counts.means.tolist() == [0.0, 0.0, 0.0]
    record(counts, 1, 4, 3)
    record(counts, 1, 1, 0)
    assert counts.pulls.tolist() == [0, 5, 0]
    assert counts.wins.tolist() == [0, 3, 0]
    assert counts.means.tolist() == [0.0, 3 / 5, 0.0]
