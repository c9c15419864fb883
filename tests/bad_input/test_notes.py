"""Fuzzing never loses a case to a time limit: what is tried and what is lost stands in files."""

from pathlib import Path
from typing import Any

import pytest
from helpers import fuzzing
from hypothesis import strategies as st


@pytest.mark.parametrize(("choice", "told"), [("", "the fixed cases"), ("77", "RANKONE_FUZZ=77")])
def test_a_lost_case_is_noted_at_once(
    choice: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzing, "NOTES", tmp_path)
    monkeypatch.setattr(fuzzing, "CHOICE", choice)
    recorded: dict[str, Any] = {}
    noted: list[str] = []

    def attempt(case: int) -> bool:
        (trying,) = tmp_path.glob("*.trying")
        assert trying.read_text().splitlines()[1] == repr(case)
        noted.extend(file.read_text() for file in tmp_path.glob("*.lost"))
        assert case < 1000, "too large"
        return True

    with pytest.raises(AssertionError, match="too large") as caught:
        fuzzing.survive(500, st.integers(0, 10**6), attempt, recorded.__setitem__)
    assert noted, "nothing was noted while it was going on"
    (lost,) = tmp_path.iterdir()  # the note of what is being tried is gone
    assert "too large" in lost.read_text()
    assert lost.read_text().splitlines()[0].endswith(told)
    assert f"{told}: all cases that were lost are in {lost}" in caught.value.__notes__
    assert recorded["fuzz lost"] > 0


def test_the_same_number_gives_the_same_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzing, "NOTES", tmp_path)

    def cases(choice: str) -> list[int]:
        monkeypatch.setattr(fuzzing, "CHOICE", choice)
        seen: list[int] = []
        fuzzing.survive(20, st.integers(), lambda n: not seen.append(n), lambda *_: None)
        return seen

    assert cases("77") == cases("77") != cases("78")
    assert cases("") == cases("")
    assert cases("fresh") != cases("fresh")
