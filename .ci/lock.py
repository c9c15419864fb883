"""Write environment.yml from requirements.lock; `make lock` calls it after compiling the lock."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# ${PWD} and not `.`: Snakemake copies this file elsewhere, and pip would look beside the copy.
HEADER = """\
# Written by `make lock` from requirements.lock; do not edit by hand.
# From the repository's root: conda env create -f environment.yml
name: rankone
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python=3.11
  - pip
  - pip:
"""
FOOTER = "      - -e ${PWD}\n"


def pins(lock: str) -> list[str]:
    """The lines `name==version [; marker]` of a lock, without hashes and comments."""
    return re.findall(r"^([a-z0-9][^\s\\]*==[^\\\n]*?) *\\?$", lock, flags=re.MULTILINE)


def environment(lock: str) -> str:
    """The text of environment.yml: Python and pip from conda, all else from the lock."""
    return HEADER + "".join(f"      - {pin}\n" for pin in pins(lock)) + FOOTER


if __name__ == "__main__":
    text = environment((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    (ROOT / "environment.yml").write_text(text, encoding="utf-8")
