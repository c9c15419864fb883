"""Compiled code is never that of yesterday, wherever it is kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankone
from rankone.engine import cache
from rankone.engine.compiled import entry, kernel

PULLS = (
    "import rankone; print(rankone.simulate('ucb1', rankone.rank_one([0.9, 0.1], [0.9, 0.1]),"
    " 300, 1, exact='plain').pulls[0].tolist())"
)

# the same, and whether the compiler was loaded for it
LOADED = PULLS + "; import sys; print('numba.np.arraymath' in sys.modules)"


@pytest.fixture
def copied(tmp_path):
    """A copy of the package that may be edited."""
    shutil.copytree(Path(rankone.__file__).parent, tmp_path / "src" / "rankone")
    return tmp_path


def run(copied, script=PULLS, **environment):
    """What a new process prints, and what it says."""
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.Popen(
        [sys.executable, "-W", "always", "-c", script],
        env={**inherited, "PYTHONPATH": str(copied / "src"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(copied, script=PULLS, **environment):
    process = run(copied, script, **environment)
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return out, errors


def edit(copied):
    """The helper that picks the best arm picks the worst; no policy's own file changes."""
    helper = copied / "src" / "rankone" / "engine" / "argmax.py"
    text = helper.read_text()
    assert text.count("values[k] > best") == 1
    helper.write_text(text.replace("values[k] > best", "values[k] < best"))


def kept(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.nbc"))


@pytest.mark.slow
def test_an_edited_helper_is_never_answered_from_the_cache(copied):
    folder = copied / "cache"
    first, _ = output(copied, NUMBA_CACHE_DIR=str(folder))
    files = kept(folder)
    assert files, "nothing was kept, so nothing could be stale"
    assert output(copied, NUMBA_CACHE_DIR=str(folder))[0] == first
    assert kept(folder) == files, "the second process did not take what the first one had compiled"
    edit(copied)
    assert output(copied, NUMBA_CACHE_DIR=str(folder))[0] != first


@pytest.mark.slow
def test_an_unusable_folder_gives_one_sentence_and_keeps_no_code(copied):
    """A file in the place of the folder; as root, a folder without write permission is none."""
    blocked = copied / "file"
    blocked.write_text("")
    _, said = output(copied, XDG_CACHE_HOME=str(blocked))
    assert said.count("compiled code is not kept") == 1
    assert not list(copied.rglob("*.nb[ci]")), "Numba fell back to __pycache__"


@pytest.mark.slow
def test_of_cold_starts_side_by_side_one_compiles_and_the_others_wait(copied):
    folder = str(copied / "cache")
    processes = [run(copied, LOADED, NUMBA_CACHE_DIR=folder) for _ in range(3)]
    outputs = [process.communicate(timeout=300)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    pulls, loaded = zip(*outputs, strict=True)
    assert len({*pulls, output(copied, NUMBA_CACHE_DIR=folder)[0].strip()}) == 1
    assert sorted(loaded) == ["False", "False", "True"], "more than one compiled"
    assert not [file for file in Path(folder).rglob("*.*") if file.suffix != ".nbc"]


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"NUMBA_CACHE_DIR": "/a/b", "XDG_CACHE_HOME": "/c"}, "/a/b"),
        ({"XDG_CACHE_HOME": "/c", "HOME": "/d"}, "/c/rankone"),
        ({"HOME": "/d"}, "/d/.cache/rankone"),
    ],
)
def test_where_compiled_code_is_kept(environment, folder, monkeypatch):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache.root() == Path(folder)


def test_numba_itself_is_told_nothing():
    """The cache is for our functions alone: a user's own njit(cache=True) keeps its folder."""
    code = "import numba; before = numba.config.CACHE_DIR; import rankone.simulation; "
    code += "assert numba.config.CACHE_DIR == before"
    subprocess.run([sys.executable, "-c", code], check=True)


def make(step, function):
    @kernel
    def made(x):
        return function(x) + step

    return made


@kernel
def same(x):
    return x


@kernel
def negative(x):
    return -x


def wrapped(function):
    return lambda x: function(x)


def test_functions_of_one_factory_are_told_apart():
    made = [make(1, same), make(2, same), make(1, negative)]
    assert len({cache.identity(function) for function in made}) == 3
    assert cache.identity(make(1, same)) == cache.identity(made[0])
    assert [entry(wrapped(function))(5) for function in made] == [6, 7, -4]


def test_the_file_of_a_function_that_was_handed_in_is_part_of_the_digest(tmp_path):
    """Else an edit of that file would be answered with the old code."""
    found = set()
    for number in (1, 2, 2):
        file = tmp_path / f"{number}.py"
        file.write_text(f"def f(x):\n    return {number} * x\n")
        scope = {}
        exec(compile(file.read_text(), file, "exec"), scope)
        found |= {cache.digest(wrapped(scope["f"])), cache.digest(wrapped(make(1, scope["f"])))}
    assert None not in found
    assert len(found) == 2


def test_a_function_typed_into_a_prompt_is_not_kept():
    scope = {"kernel": kernel}
    exec("@kernel\ndef typed(x):\n    return x", scope)
    assert cache.digest(scope["typed"]) is None
    assert scope["typed"].compiled._cache.cache_path is None


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """An empty folder in which compiled code is kept."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    cache.usable_root.cache_clear()
    yield tmp_path
    cache.usable_root.cache_clear()


@pytest.mark.parametrize("damage", [lambda content: content, lambda content: content[:50]])
def test_a_damaged_file_is_compiled_again(damage, empty):
    call = wrapped(negative)
    assert entry(call)(2.5) == -2.5
    again = entry(call)
    assert again(2.5) == -2.5
    assert sum(again.stats.cache_hits.values()) == 1
    for file in empty.rglob("*.nbc"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(damage(bytes(content)))
    again = entry(call)
    assert again(2.5) == -2.5
    assert not again.stats.cache_hits


def test_who_compiles_tells_the_others_and_who_finds_code_does_not(empty, monkeypatch):
    told = []
    monkeypatch.setattr(cache.compiling, "begin", lambda file: told.append(file.parent.parent))
    call = wrapped(negative)
    entry(call)(2.5)
    assert told == [empty]
    entry(call)(2.5)
    assert told == [empty]
    entry(call)(2)  # of another type
    assert told == [empty, empty]


HELPED = """
import math

import numpy as np

from rankone.engine.compiled import entry, kernel


@kernel
def helped(x):
    return np.dot(x, x) + np.sum(x) + math.gamma(x[0]) + math.erf(x[1]) + math.lgamma(x[2])


def call(x):
    return helped(x)


print(entry(call)(np.array([1.5, 2.5, 3.5])))
"""


def twice(program, folder):
    """What a program prints with an empty folder for compiled code, and what after that."""
    script = folder / "program.py"
    script.write_text(program)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    for _ in range(2):
        command = [sys.executable, str(script)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        yield done.stdout.splitlines()


def test_kept_code_finds_what_numba_and_blas_bring_along(tmp_path):
    first, second = twice(HELPED, tmp_path)
    assert first == second


def test_kept_code_is_played_without_loading_the_compiler(tmp_path):
    (pulls, loaded), (again, still) = twice(LOADED, tmp_path)
    assert pulls == again
    assert (loaded, still) == ("True", "False")


def test_the_warning_names_who_asked_for_compiled_code():
    """Not a line further up."""
    cache._say_once.cache_clear()
    with pytest.warns(UserWarning, match="compiled code is not kept") as seen:
        cache._say_once("for no reason")
    assert seen[0].filename == __file__
