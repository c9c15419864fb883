"""Write docs/licences.md: the licence of every package in requirements.lock, as it says itself."""

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = """\
# Licences

What the locked environment is made of, as each package's own metadata says; written by
`make licences`. The package itself has the [MIT licence](../LICENSE) and contains none of these.

| package | version | licence |
|---|---|---|
"""
LONGEST = 60  # some packages put the whole text there


def pins(lock: str) -> list[tuple[str, str]]:
    """Names and versions."""
    return re.findall(r"^([a-z0-9][^\s=]*)==([^\s;\\]+)", lock, flags=re.MULTILINE)


def licence(name: str) -> str:
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "(for another platform)"
    found = about.get("License-Expression") or ""
    classes = [c.rpartition(" :: ")[2] for c in about.get_all("Classifier") or () if "License" in c]
    found = found or "; ".join(classes) or (about.get("License") or "not stated").splitlines()[0]
    return found if len(found) <= LONGEST else f"{found[: LONGEST - 3]}..."


if __name__ == "__main__":
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    rows = [f"| {name} | {version} | {licence(name)} |\n" for name, version in pins(lock)]
    (ROOT / "docs" / "licences.md").write_text(HEADER + "".join(rows), encoding="utf-8")
