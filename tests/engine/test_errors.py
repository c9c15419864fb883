"""Numba's messages, the part of an author that is worth reading."""

import pytest
from numba.core.errors import TypingError

from rankone.engine.errors import blame, explain

TEXT = """Failed in nopython mode pipeline (step: nopython frontend)
{reason}
During: typing of call at /elsewhere/numba/np/arrayobj.py (4902)
During: typing of call at {file} ({line})
File "../mine.py", line 99:
"""


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("NRT required but not enabled", "a kernel makes no arrays"),
        ("Cannot unify int64 and float64 for 'x.2', defined at", "int64 and float64"),
        ("Unknown attribute 'gain' of type State_0123456789ab", "State has no field 'gain'"),
        ("Something new in Numba.", "Something new in Numba."),
    ],
)
def test_the_sentence(reason, hint, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("first\nsecond = wrong\n")
    error = TypingError(TEXT.format(reason=reason, file=file, line=2))
    found = explain(error, [str(file)])
    assert str(found).startswith("mine.py, line 2, cannot be compiled (second = wrong): ")
    assert hint in str(found)
    assert reason in found.details


def test_without_a_place():
    assert str(explain(TypingError("No idea"), [])).endswith("No idea.")


def test_a_long_message_is_cut():
    """Three hundred characters of it with the name of the error, the last one included."""
    whole = "ValueError: " + "x" * (300 - len("ValueError: "))
    assert f"failed with {whole}; allowed" in str(blame(ValueError(whole[12:])))
    assert f"failed with {whole}; allowed" in str(blame(ValueError(whole[12:] + "y")))
