"""Source files found by reading imports, for the workflow and for the cache."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from rankone import simulation
from rankone.engine import sources


def test_reading_imports_costs_no_numba():
    program = "import sys; from rankone.engine import sources; "
    program += (
        "sources.of_policy('uts'); sources.parameters('uts'); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("policy", sources.policies())
def test_a_policy_depends_on_its_own_files_and_the_engine(policy):
    files = sources.of_policy(policy)
    own = [file for file in files if file.stem in sources.policies()]
    assert {file.stem for file in own} == {policy}
    names = {str(file.relative_to(sources.PACKAGE)) for file in files}
    assert {"simulation.py", "loading.py", "engine/loop.py", "engine/blocks.py"} <= names
    assert {"instances.py", "engine/seeds.py", "engine/cache.py"} <= names
    assert not [name for name in names if name.split("/")[0] in ("stats", "show", "paper")]


@pytest.mark.parametrize("policy", sources.policies())
def test_parameters_are_those_of_configure(policy):
    _, *known = inspect.signature(simulation.load(policy).configure).parameters
    assert sources.parameters(policy) == known


@pytest.fixture
def package(tmp_path):
    """A package in which a imports b and, from a folder, c; d is alone."""
    home = tmp_path / "toy"
    (home / "inner").mkdir(parents=True)
    (home / "__init__.py").write_text("from toy import d\n")
    (home / "a.py").write_text("import math\nfrom toy import b\nfrom toy.inner.c import f\n")
    (home / "b.py").write_text("def g():\n    from . import inner\n")
    (home / "inner" / "__init__.py").write_text("")
    (home / "inner" / "c.py").write_text("from ..e import h\n")
    (home / "d.py").write_text("")
    (home / "e.py").write_text("")
    return home


def test_imports_are_followed(package):
    found = sources.closure([package / "a.py"], package)
    names = [str(file.relative_to(package)) for file in found]
    assert names == ["a.py", "b.py", "e.py", "inner/__init__.py", "inner/c.py"]


def test_an_edited_file_is_read_again(package):
    assert len(sources.closure([package / "d.py"], package)) == 1
    (package / "d.py").write_text("import toy.e\n")
    assert len(sources.closure([package / "d.py"], package)) == 2


@pytest.fixture
def outside(tmp_path):
    """A policy outside of the package, and a helper beside it."""
    (tmp_path / "mine.py").write_text(
        "from rankone.policy import kernel\nimport numpy\nimport beside\n"
        "def configure(problem, a, b=2, *, c=3): ...\n"
    )
    (tmp_path / "beside.py").write_text("")
    (tmp_path / "numpy.txt").write_text("")
    return tmp_path / "mine.py"


def test_a_policy_outside_depends_on_what_is_beside_it(outside):
    files = sources.of_policy(outside)
    assert outside in files
    assert outside.with_name("beside.py") in files
    names = {file.name for file in files if file.is_relative_to(sources.PACKAGE)}
    assert {"policy.py", "simulation.py", "loop.py"} <= names
    assert sources.parameters(str(outside)) == ["a", "b", "c"]


def test_a_sketch_has_the_parameters_of_its_class(outside):
    outside.write_text("class Policy:\n    def __init__(self, problem, rate, *, power=1): ...\n")
    assert sources.parameters(outside) == ["rate", "power"]
    outside.write_text("class Policy:\n    def choose(self, t, rng): ...\n")
    assert sources.parameters(outside) == []


@pytest.mark.parametrize(
    ("policy", "is_path"),
    [("uts", False), ("./mine.py", True), ("mine.py", True), ("a/b", True), (Path("uts"), True)],
)
def test_what_is_a_path(policy, is_path):
    assert sources.is_path(policy) == is_path


def test_what_is_not_python_is_told_with_its_line(outside):
    outside.write_text("x = 1\n)\n")
    told = r"^mine\.py, line 2, failed with SyntaxError: unmatched '\)'; allowed: Python\.$"
    with pytest.raises(ValueError, match=told):
        sources.parameters(outside)


def test_a_path_without_a_file(tmp_path):
    with pytest.raises(ValueError, match=r"^policy is '.*none.py'; allowed: a file, and .*$"):
        sources.policy_file(str(tmp_path / "none.py"))
    (tmp_path / "two words.py").write_text("")
    with pytest.raises(ValueError, match="a file name of letters, digits and underscores"):
        sources.policy_file(tmp_path / "two words.py")


@pytest.mark.parametrize(
    "text",
    [
        "import toy.e\n",
        "from toy import (\n    b,  # (first)\n    e,\n)\n",
        "from toy import (  # why :)\n    e,\n)\n",
        "if True: import toy.e\n",
        "a = 1; import toy.e\n",
        "from toy \\\n    import e\n",
        "import math, \\\n    toy.e\n",
        "def f():\n\tfrom toy.e import(h)\n",
        '"""\nfrom here on\nimport a tool\n"""\nfrom toy import e\n',
        "from math import pi; from toy import e\n",
        "if True: \\\n  import toy.e\n",
        "class A:\n    try:\n        import toy.e as e\n    except ImportError: import toy.d\n",
    ],
)
def test_no_form_of_an_import_is_missed(package, text):
    (package / "a.py").write_text(text)
    assert package / "e.py" in sources.closure([package / "a.py"], package)


def test_reading_imports_alone_finds_what_reading_everything_finds(monkeypatch):
    files = sorted(sources.PACKAGE.rglob("*.py"))
    quick = {file: set(sources._imports(file, sources.PACKAGE)) for file in files}
    assert sum(bool(sources._quickly(file.read_bytes())) for file in files) > len(files) / 2
    monkeypatch.setattr(sources, "_quickly", lambda text: [])
    sources._imported.cache_clear()
    assert quick == {file: set(sources._imports(file, sources.PACKAGE)) for file in files}
