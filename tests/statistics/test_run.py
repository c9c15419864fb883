"""The script adds up the levels of every test that chance could fail."""

import runpy
from pathlib import Path


def test_files_that_hand_in_p_values_are_found_also_through_another_helper():
    found = runpy.run_path(str(Path(__file__).with_name("run.py")))["files"]()
    assert "tests/engine/test_blocks.py" in found  # imports the helper
    assert "tests/fast/test_tea.py" in found  # imports helpers.versions, which does
    assert "tests/test_theory.py" not in found
