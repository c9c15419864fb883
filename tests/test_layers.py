"""The rooms of the package: imports point downwards, and each module has a test file."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rankone"

# Lowest first; a module may import from its own layer and from those before it.
LAYERS = (
    ("engine", "instances", "theory"),
    ("fast", "policy", "policies"),
    ("clicks", "csv_files", "entries", "graphs"),
    ("contract", "loading", "progress", "simulation", "runs"),
    ("stats",),
    ("show",),
    ("paper",),
    ("pipeline",),
    ("report",),
    ("__main__",),
)
MODULES = sorted(
    file.relative_to(PACKAGE)
    for file in PACKAGE.rglob("*.py")
    if file.name != "__init__.py" or file.parent != PACKAGE
)


def layer(room: str) -> int:
    return next(place for place, rooms in enumerate(LAYERS) if room in rooms)


def imported(text: str) -> set[str]:
    """The rooms that a module imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "rankone":
            names |= {f"rankone.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative import"
            names.add(node.module or "")
    return {name.split(".")[1] for name in names if name.startswith("rankone.")}


def upward(room: str, text: str) -> list[str]:
    """The imports of a module in a room that point upwards."""
    return sorted(name for name in imported(text) if layer(name) > layer(room))


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_no_import_points_upwards(module: Path) -> None:
    room = module.parts[0].removesuffix(".py")
    assert upward(room, (PACKAGE / module).read_text(encoding="utf-8")) == []


def test_an_import_that_points_upwards_is_seen() -> None:
    assert upward("engine", "def f():\n    from rankone.show import style\n") == ["show"]
    assert upward("stats", "from rankone import paper, runs\n") == ["paper"]
    assert upward("pipeline", "import rankone.show.style, numpy\n") == []


def test_every_room_has_a_layer() -> None:
    for module in MODULES:
        layer(module.parts[0].removesuffix(".py"))


def test_every_module_has_a_test_file_of_its_name() -> None:
    """Those of a room beside each other: tests/show/test_style.py.

    The policies are tested by what they have in common, whichever there are (tests/policies).
    """
    missing = []
    for module in MODULES:
        if module.name == "__init__.py" or module.parts[0] == "policies":
            continue
        name = "main" if module.stem == "__main__" else module.stem.lstrip("_")
        test = ROOT / "tests" / module.parent / f"test_{name}.py"
        if not test.exists():
            missing.append(str(test.relative_to(ROOT)))
    assert missing == []
