"""`rankone.plot`: curves, bands and bounds of runs, in a file, a notebook or axes of one's own."""

from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import rankone
from rankone.show import style

INSTANCE = rankone.rank_one([0.75, 0.25, 0.25], [0.6, 0.3])


def played(policy="uts", **parameters):
    return rankone.simulate(policy, INSTANCE, 2000, 10, **parameters)


def words(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def curves(figure):
    """The lines with markers: the means."""
    return [line for line in figure.axes[0].lines if line.get_marker() != "None"]


def test_draws_the_mean_of_each_policy():
    uts, ucb1 = played(), played("ucb1")
    figure = rankone.plot(uts, ucb1)
    assert words(figure) == ["uts", "ucb1"]
    for line, runs in zip(curves(figure), (uts, ucb1), strict=True):
        late = runs.checkpoints >= 10
        np.testing.assert_array_equal(line.get_xdata(), runs.checkpoints[late])
        np.testing.assert_allclose(line.get_ydata(), runs.regret.mean(axis=0)[late])
    assert curves(figure)[0].get_color() == style.LOOKS["uts"].colour


def test_runs_draw_themselves_with_the_bound():
    runs = played()
    figure = runs.plot(bound=True)
    constant = rankone.theory.unimodal_constant(INSTANCE)
    assert words(figure) == ["uts", f"Lower bound, {constant:.4g} ln t"]
    (line,) = [one for one in figure.axes[0].lines if one.get_color() == style.GREY]
    np.testing.assert_allclose(line.get_ydata(), constant * np.log(line.get_xdata()))


def test_a_bound_on_a_linear_axis_is_a_curve():
    figure = played().plot(bound=True, log=False)
    (line,) = [one for one in figure.axes[0].lines if one.get_color() == style.GREY]
    assert np.all(np.isfinite(line.get_ydata()))
    assert len(line.get_ydata()) > 50
    assert figure.axes[0].get_xscale() == "linear"


def test_labels_tell_apart_what_differs():
    figure = rankone.plot(played(), played(gamma=5), played("ts"))
    assert words(figure) == ["uts, gamma = 2", "uts, gamma = 5", "ts"]
    assert len({line.get_marker() for line in curves(figure)}) == 3
    assert words(rankone.plot(played(), played("ts"), labels=["a", "b"])) == ["a", "b"]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_is_saved_as_it_was_drawn(tmp_path, suffix):
    for name in "ab":
        played().plot(bound=True).savefig(tmp_path / f"{name}.{suffix}")
    one, other = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in "ab")
    assert one == other  # no date, no random ids
    assert suffix != "pdf" or b"/FontFile2" in one  # TrueType, embedded


def test_a_notebook_shows_it():
    assert played().plot()._repr_png_().startswith(b"\x89PNG")


def test_draws_into_axes_of_ones_own():
    left, right = (figure := Figure()).subplots(1, 2)
    assert rankone.plot(played(), ax=right) is figure
    assert not left.lines
    assert right.lines


def test_leaves_settings_alone(tmp_path):
    before = dict(matplotlib.rcParams)
    played().plot().savefig(tmp_path / "a.png")
    assert dict(matplotlib.rcParams) == before


def test_a_mistake_is_one_sentence():
    other = rankone.simulate("uts", rankone.rank_one([0.9, 0.1], [0.9, 0.1]), 2000, 10)
    with pytest.raises(ValueError, match="of several instances; allowed: runs of one"):
        rankone.plot(played(), other)
    with pytest.raises(ValueError, match="nothing to plot"):
        rankone.plot()
    with pytest.raises(ValueError, match="None is plotted; allowed: runs"):
        rankone.plot(None)
    with pytest.raises(ValueError, match="labels are 'a'; allowed: a list of words"):
        rankone.plot(played(), labels="a")
    with pytest.raises(ValueError, match="a label is 3; allowed: words that can be printed"):
        rankone.plot(played(), labels=[3])
    with pytest.raises(ValueError, match="title is None; allowed: words that can be printed"):
        rankone.plot(played(), title=None)
    with pytest.raises(ValueError, match="2 labels; allowed: one for each of 1"):
        rankone.plot(played(), labels=["a", "b"])
    twice = rankone.rank_one([0.9, 0.9], [0.9, 0.1], unimodal=False)
    with pytest.raises(ValueError, match="lower bound of the instance is not known"):
        rankone.simulate("ts", twice, 100, 2).plot(bound=True)
    with pytest.raises(ValueError, match="do not know their instance; allowed: bound=False"):
        rankone.plot(replace(played(), instance=None), bound=True)
