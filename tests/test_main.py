"""The command line, as typed: the same numbers as the function, and no traceback for a mistake."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import rankone
from rankone import progress
from rankone.__main__ import cli, main
from rankone.runs import load
from rankone.simulation import names

SMALL = rankone.rank_one([0.8, 0.3, 0.3], [0.9, 0.4])
TYPED = ["--u", ".8,.3*2", "--v", ".9,.4", "--horizon", "200", "--runs", "3", "--seed", "5"]


@pytest.mark.parametrize(
    ("policy", "options", "parameters"),
    [
        ("uts", ["--gamma", "2"], {}),
        ("uts", ["--gamma", "inf", "--warm-up", "false"], {"gamma": np.inf, "warm_up": False}),
        ("uts", ["--gamma=degree", "--first-run", "4"], {"gamma": "degree", "first_run": 4}),
        (
            "uts",
            ["--plain", "--checkpoints", "10,1e2"],
            {"exact": "plain", "checkpoints": [10, 100]},
        ),
        ("kl_ucb", ["--c", "0"], {"c": 0}),
        ("osub", ["--clock", "global", "--forced", "0"], {"clock": "global", "forced": 0}),
    ],
)
def test_gives_the_numbers_of_the_function(tmp_path, policy, options, parameters):
    out = tmp_path / "new" / "runs.npz"
    assert main(["simulate", policy, *TYPED, *options, "--out", str(out)]) == 0
    expected = rankone.simulate(policy, SMALL, 200, 3, 5, **parameters)
    for name in ("checkpoints", "regret", "pulls"):
        np.testing.assert_array_equal(getattr(load(out), name), getattr(expected, name))
    assert [file.name for file in out.parent.iterdir()] == ["runs.npz"]


def test_plays_on_a_graph(tmp_path):
    out = tmp_path / "runs.npz"
    graph = ["--means", ".2,.5,.9", "--edges", "0-1,1-2", "--horizon", "1e2", "--runs", "2"]
    assert main(["simulate", "uts", *graph, "--out", str(out)]) == 0
    line = rankone.graph([0.2, 0.5, 0.9], [(0, 1), (1, 2)])
    expected = rankone.simulate("uts", line, 100, 2)
    np.testing.assert_array_equal(load(out).regret, expected.regret)


@pytest.mark.parametrize(
    ("words", "instance"),
    [
        ("--factor .9,.2 --factor .8,.3 --factor .5,.1", ([0.9, 0.2], [0.8, 0.3], [0.5, 0.1])),
        ("--means .1,.9,.3 --graph line", rankone.line([0.1, 0.9, 0.3])),
        ("--means .1,.9,.3 --graph cycle", rankone.cycle([0.1, 0.9, 0.3])),
        ("--means .9,.5,.3,.1 --graph tree:3", rankone.tree([0.9, 0.5, 0.3, 0.1], branching=3)),
        ("--means .9,.5,.3,.1 --graph grid:2x2", rankone.grid([[0.9, 0.5], [0.3, 0.1]])),
        ("--means .9,.5,.3,.1 --graph product:2x2", rankone.matrix([[0.9, 0.5], [0.3, 0.1]])),
        ("--random 6 --instance-seed 3", rankone.random_tree(6, 3)),
        ("--random 6,9", rankone.random_graph(6, 9, 0)),
        ("--csv example_clicks", rankone.from_csv("example_clicks")),
        ("--u .5,0 --v .5,0 --not-unimodal", rankone.matrix([[0.25, 0], [0, 0]], unimodal=False)),
    ],
)
def test_every_kind_of_instance_can_be_typed(capsys, words, instance):
    instance = rankone.tensor(*instance) if isinstance(instance, tuple) else instance
    assert main(["bound", *words.split()]) == 0
    told = capsys.readouterr().out.splitlines()
    found = [float(line.removesuffix(" ln T").split()[-1]) for line in told]
    assert found == pytest.approx([*instance.lower_bound], abs=1e-6)


def test_a_click_log_is_fitted_and_told(capsys):
    assert main(["clicks", "example_clicks"]) == 0
    told = capsys.readouterr().out
    assert told.strip() == str(rankone.fit_clicks("example_clicks"))


def test_prints_a_table(capsys):
    assert main(["simulate", "uts", *TYPED]) == 0
    title, *lines = capsys.readouterr().out.splitlines()
    assert title.split() == ["round", "mean", "regret", "std.", "error", "p10", "p90"]
    assert [line.split()[0] for line in lines] == ["10", "100", "200"]
    mean = rankone.simulate("uts", SMALL, 200, 3, 5).regret[:, -1].mean()
    assert float(lines[-1].split()[1]) == pytest.approx(mean, abs=5e-4)


def test_one_run_has_no_standard_error(capsys):
    assert main(["simulate", "uts", *TYPED, "--runs", "1"]) == 0
    assert "nan" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "nope", *TYPED], ["'nope'", "uts"]),
        (["simulate", "uts", *TYPED, "--horizon", "many"], ["--horizon", "'many'", "3e5"]),
        (["simulate", "uts", *TYPED, "--horizon", "inf"], ["--horizon", "'inf'", "3e5"]),
        (["simulate", "uts", *TYPED, "--horizon", "2.5"], ["--horizon", "'2.5'", "3e5"]),
        (["simulate", "uts", *TYPED, "--horizon", "1e20"], ["horizon is 1", "at most", "10^15"]),
        (["simulate", "uts", *TYPED, "--horizon", "0"], ["horizon is 0", "at least 1"]),
        (["simulate", "uts", *TYPED, "--runs", "0"], ["runs is 0", "at least 1"]),
        (["simulate", "uts", *TYPED, "--seed", "-1"], ["seed is -1", "at least 0"]),
        (["simulate", "uts", *TYPED, "--u", ".8,x"], ["--u", "'x'", ".25*3"]),
        (
            ["simulate", "uts", *TYPED, "--u", ".8*9999999999999"],
            ["--u", "'.8*9", "GiB", "this machine"],
        ),
        (["simulate", "uts", *TYPED, "--u", "2,.1"], ["u[0] is 2", "[0, 1]"]),
        (["simulate", "uts", *TYPED, "--u", ".5,.5"], ["share the best mean", "one best arm"]),
        (["simulate", "uts", *TYPED, "--gamma", "1"], ["gamma is 1", "at least 2"]),
        (
            ["simulate", "uts", *TYPED, "--gama", "3"],
            ["--gama", "Did you mean --gamma?"],
        ),
        (["simulate", "uts", *TYPED, "--gamma"], ["'--gamma'", "--name value"]),
        (["simulate", "uts", *TYPED, "word"], ["'word'", "--name value"]),
        (["simulate", "uts", *TYPED, "--checkpoints", "5,inf"], ["--checkpoints", "'5,inf'"]),
        (["simulate", "uts", *TYPED, "--checkpoints", "50,5"], ["[50, 5]", "increasing"]),
        (["simulate", "uts", *TYPED, "--means", ".5"], ["--u and --v", "--means and --edges"]),
        (["simulate", "uts", *TYPED[:4]], ["--horizon", "missing"]),
        (["simulate", "uts", "--means", ".5,.1", "--edges", "0+1", "--horizon", "9"], ["'0+1'"]),
        (
            ["simulate", "rank1elim", "--means", ".5,.1", "--graph", "line", "--horizon", "9"],
            ["rows and columns"],
        ),
        (["bound", "--means", ".5,.1"], ["no edges", "--not-unimodal, if this is meant"]),
        (["bound", "--means", ".5,.1", "--graph", "lines"], ["'lines'", "line, cycle"]),
        (["bound", "--means", ".5,.1", "--graph", "grid"], ["'grid'", "grid:3x4"]),
        (["bound", "--means", ".5,.1", "--graph", "grid:2x2"], ["2 means", "4 means"]),
        (["bound", "--means", ".5,.1", "--graph", "line:3"], ["'line:3'", "tree:3"]),
        (["bound", "--random", "x"], ["--random is 'x'", "whole numbers"]),
        (["bound", "--csv", "none.csv"], ["none.csv", "No such file"]),
        (["bound", "--csv", "a.csv", "--u", ".5", "--v", ".1"], ["not clear"]),
        (["clicks", "none.csv"], ["none.csv", "No such file"]),
        (["compile", "nope"], ["'nope'", "uts"]),
        (["simulate", "uts", *TYPED, "--horizn", "9"], ["--horizn", "Did you mean --horizon?"]),
        (["simulate", "uts", *TYPED, "--out", "x.txt"], ["--out is x.txt", ".npz or .csv"]),
        (["plot", "uts", *TYPED, "--out", "x.gif"], ["--out is x.gif", ".png, .svg or .pdf"]),
        (["plot", "uts", "--horizn", "9"], ["--horizn", "Did you mean --horizon?"]),
        (["plot", *TYPED], ["POLICY"]),
        (["compile", "uts", "--fast"], ["there is no option --fast"]),
        (["compare", "uts:gamma", "ts", *TYPED], ["'gamma'", "gamma=5"]),
        (["compare", "uts", "nope", *TYPED], ["'nope'", "uts"]),
        (["compare", "uts", "ts", *TYPED, "--level", "x"], ["--level is 'x'", "a number above 0"]),
        (["compare", "uts", "ts", *TYPED, "--level", "2"], ["level is 2", "between 0 and 1"]),
        (["check", "uts", "--patience", "nan"], ["--patience is 'nan'", "a number above 0"]),
        (["bound", *TYPED[:4], "--horizon", "-5"], ["--horizon is -5", "at least 1"]),
        (["bound", *TYPED[:4], "--horizon", "0"], ["--horizon is 0", "at least 1"]),
        (["bound", "--means", ".5,.1", "--edges", "0-" + "9" * 5000], ["--edges", "like 0-1"]),
        (["bound", "--random", "20,30,40"], ["--random is '20,30,40'", "20,30"]),
        (["bound", "--csv", "a\0b"], ["'a\\x00b' is typed", "text in UTF-8"]),
        (["clicks", "\udcff"], ["'\\udcff' is typed", "text in UTF-8"]),
        (["plot", "uts", *TYPED, "--title", "\x07"], ["title is '\\x07'", "can be printed"]),
        (["bound"], ["--u and --v", "--means and --edges"]),
        (["fly"], ["fly", "allowed: what --help shows"]),
    ],
)
def test_a_mistake_is_told_without_traceback(capsys, arguments, words):
    assert main(arguments) == 2
    told = capsys.readouterr().err.strip().splitlines()[-1]
    for word in words:
        assert word in told


def test_writes_a_table_and_says_so(tmp_path, capsys):
    out = tmp_path / "runs.csv"
    assert main(["simulate", "uts", *TYPED, "--checkpoints", "10,200", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"3 runs of 200 rounds are in {out}.\n"
    table = pd.read_csv(out)
    expected = rankone.simulate("uts", SMALL, 200, 3, 5, checkpoints=[10, 200])
    assert table["run"].tolist() == [0, 0, 1, 1, 2, 2]
    assert table["regret"].tolist() == expected.regret.ravel().tolist()


def test_compares_two_policies(capsys):
    assert main(["compare", "uts:gamma=2", "ucb1", *TYPED, "--runs", "60"]) == 0
    first, second, verdict = capsys.readouterr().out.splitlines()
    runs = [rankone.simulate(policy, SMALL, 200, 60, 5) for policy in ("uts", "ucb1")]
    for line, found in ((first, runs[0]), (second, runs[1])):
        assert float(line.split()[1]) == pytest.approx(found.regret[:, -1].mean(), abs=6e-4)
    assert verdict == str(rankone.compare(*runs))


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_draws_policies_to_a_file_and_says_so(tmp_path, capsys, suffix):
    out = tmp_path / "new" / f"regret.{suffix}"
    assert main(["plot", "uts:gamma=3", "ucb1", *TYPED, "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert told == f"The regret of uts:gamma=3, ucb1 over 200 rounds is drawn in {out}.\n"
    rankone.plot(
        rankone.simulate("uts", SMALL, 200, 3, 5, gamma=3),
        rankone.simulate("ucb1", SMALL, 200, 3, 5),
        bound=True,
    ).savefig(tmp_path / f"same.{suffix}")
    assert out.read_bytes() == (tmp_path / f"same.{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("typed", "names"),
    [("rankone p", {"plot", "policies"}), ("rankone plot u", {"uts", "ucb1"})],
)
def test_a_shell_completes_commands_and_policies(typed, names):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    environment = {**os.environ, **words, "_RANKONE_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "rankone"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    assert {line.split(",")[1] for line in told.splitlines()} >= names


def test_quiet_shows_no_progress(monkeypatch):
    monkeypatch.setattr(progress, "display", lambda: pytest.fail("a display was opened"))
    assert main(["simulate", "uts", *TYPED, "--quiet"]) == 0


def test_every_command_has_an_example_and_tells_defaults(capsys):
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    for name in cli.commands:
        assert main([name, "--help"]) == 0
        told = capsys.readouterr().out
        assert f"\n  rankone {name}" in told
        assert "..." not in next(
            line for line in overview.splitlines() if line[2:].startswith(name)
        )
        if "--runs" in told:
            assert "[default: 100]" in told


def test_without_a_command_there_is_help(capsys):
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("Usage: rankone")


def test_tells_the_bounds(capsys):
    assert main(["bound", "--u", ".75,.25*3", "--v", ".75,.25*3", "--horizon", "3e5"]) == 0
    told = capsys.readouterr().out
    assert "7.576279 ln T = 95.5" in told
    assert "15.37" in told


def test_lists_every_policy(capsys):
    assert main(["policies"]) == 0
    told = capsys.readouterr().out
    for name in names():
        assert f"{name}(" in told


def test_help_and_version(capsys):
    assert main(["--version"]) == 0
    assert rankone.__version__ in capsys.readouterr().out
    assert main(["simulate", "--help"]) == 0
    assert "rankone simulate uts --u" in capsys.readouterr().out


def test_a_file_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    out = tmp_path / "file" / "runs.npz"
    assert main(["simulate", "uts", *TYPED, "--out", str(out)]) == 2
    assert str(out) in capsys.readouterr().err


def test_as_a_process():
    command = [sys.executable, "-m", "rankone", "simulate", "uts", *TYPED]
    sound = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "mean regret" in sound.stdout
    wrong = subprocess.run([*command, "--gamma", "1"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr == (
        "rankone: gamma is 1; allowed: a whole number of at least 2, inf or 'degree'.\n"
    )


def test_compile_plays_every_policy_it_is_asked_for():
    assert main(["compile", "uts"]) == 0
    assert main(["compile", "uts", "--plain"]) == 0
