"""Progress: a bar on a terminal and in a notebook, lines in a log, nothing when asked."""

import io
import os
import subprocess
import sys
import types

import nbformat
import pytest
from nbclient import NotebookClient

import rankone
from rankone import progress

INSTANCE = rankone.rank_one([0.75, 0.25], [0.75, 0.25])


class Clock:
    """A time that goes on only when it is told to."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


class Screen:
    first, every = 1.0, 0.5

    def __init__(self):
        self.shown = []

    def show(self, text, share):
        self.shown.append((text, share))

    def clear(self):
        self.shown.append("cleared")


def test_tells_the_share_and_the_time_that_is_left(monkeypatch):
    clock, screen = Clock(monkeypatch), Screen()
    meter = progress.Meter("uts", screen)
    for now, share in ((0.0, 0.0), (0.9, 0.1), (1.0, 0.2), (1.2, 0.3), (2.0, 0.5)):
        clock.now = now
        meter(share)
    assert screen.shown == [("uts:  20 %, 4 s left", 0.2), ("uts:  50 %, 2 s left", 0.5)]


def test_a_simulation_that_goes_on_counts_from_where_it_was(monkeypatch):
    clock, screen = Clock(monkeypatch), Screen()
    meter = progress.Meter("uts", screen)
    meter(0.6)
    clock.now = 10.0
    meter(0.8)
    assert screen.shown == [("uts:  80 %, 10 s left", 0.8)]


def test_compiling_is_told_only_before_the_first_round():
    screen = Screen()
    meter = progress.Meter("uts", screen)
    meter.compiling()
    meter(0.1)
    meter.compiling()
    assert screen.shown == [("Compiling uts, once ...", None)]


def test_compiling_is_told_of_what_takes_a_second(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with progress.shown(None, "slow", first=True):
        progress.time.sleep(0.2)
    with progress.shown(None, "known", first=False):
        progress.time.sleep(0.2)
    assert capsys.readouterr().err == "Compiling slow, once ...\n"


def test_a_line_on_a_terminal_is_written_again_and_goes(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    line = progress.Terminal()
    line.show("Compiling uts, once ...", None)
    line.show("uts:  50 %, 2 s left", 0.5)
    line.clear()
    first, second, blank, rest = screen.getvalue().split("\r")[1:]
    assert first == "Compiling uts, once ..."
    assert second == f"uts:  50 %, 2 s left [{'#' * 15}{'-' * 15}]"
    assert (blank.strip(), len(blank), rest) == ("", len(second), "")


def test_a_notebook_has_one_output_that_changes(monkeypatch):
    told = []

    class Handle:
        def update(self, content):
            told.append(content)

    def display(content, display_id):
        told.append(content)
        return Handle()

    ipython = types.SimpleNamespace(HTML=str, display=display)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython)
    output = progress.Notebook()
    output.show("uts:  50 %, 2 s left", 0.5)
    output.show("uts:  75 %, 1 s left", 0.75)
    output.clear()
    assert told == [
        '<progress value="0.5000"></progress> uts:  50 %, 2 s left',
        '<progress value="0.7500"></progress> uts:  75 %, 1 s left',
        "",
    ]


def test_a_log_has_lines(capsys):
    log = progress.Log()
    log.show("uts:  50 %, 2 s left", 0.5)
    log.clear()
    assert capsys.readouterr().err == "uts:  50 %, 2 s left\n"


def test_the_display_fits_the_place(monkeypatch):
    assert isinstance(progress.display(), progress.Log)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert isinstance(progress.display(), progress.Terminal)
    shell = types.SimpleNamespace(kernel=1)
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace())
    assert isinstance(progress.display(), progress.Notebook)


def test_silent_when_asked(monkeypatch):
    monkeypatch.setattr(progress, "display", lambda: pytest.fail("a display was opened"))
    rankone.simulate("uts", INSTANCE, 100, 2, progress=False)


def test_a_function_of_the_callers_is_told(monkeypatch):
    monkeypatch.setattr(progress, "display", lambda: pytest.fail("a display was opened"))
    shares = []
    rankone.simulate("uts", INSTANCE, 100, 2, progress=shares.append)
    assert shares[-1] == 1.0


SLOW = """
import time, rankone
class Slow:
    def __init__(self, problem):
        pass
    def choose(self, t, rng):
        time.sleep(0.02)
        return 0
    def update(self, arm, reward):
        pass
rankone.simulate(Slow, rankone.rank_one([0.75, 0.25], [0.75, 0.25]), 100, 1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_real_terminal_sees_the_bar():
    import pty  # only where there are some

    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", SLOW], stderr=theirs, check=True)
    os.set_blocking(ours, False)
    seen = os.read(ours, 10_000).decode()
    os.close(theirs)
    os.close(ours)
    assert "Slow:" in seen
    assert "s left [" in seen
    assert seen.endswith("\r")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_times_in_words(seconds, words):
    assert progress.spell(seconds) == words


def test_a_real_notebook_sees_the_bar():
    keep = "from rankone import progress\nprogress.Notebook.clear = lambda self: None\n"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(keep + SLOW)])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    bar, result = notebook.cells[0].outputs
    assert "<progress value=" in bar["data"]["text/html"]
    assert "Slow:" in bar["data"]["text/html"]
    assert result["output_type"] == "execute_result"
