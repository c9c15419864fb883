"""Click logs: the position-based model is found again, and mistakes are one sentence."""

import numpy as np
import pytest
from scipy import optimize

import rankone
from rankone import clicks
from rankone.csv_files import SHIPPED

U, V = [0.5, 0.3, 0.1], [1.0, 0.6, 0.4, 0.2]


def write(folder, text):
    file = folder / "log.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_counts_that_fit_exactly_give_the_model_back():
    shown = np.full((3, 4), 1000)
    fit = clicks.fit_counts(np.rint(shown * np.outer(U, V)), shown)
    np.testing.assert_allclose(fit.attraction, U, atol=1e-9)
    np.testing.assert_allclose(fit.examination, V, atol=1e-9)
    assert fit.deviance == pytest.approx(0.0, abs=1e-6)
    assert fit.degrees_of_freedom == 12 - (3 + 4 - 1)
    assert fit.instance().shape == (3, 4)
    np.testing.assert_array_equal(fit.instance().means, fit.fitted.ravel())


def test_it_is_the_maximum_that_another_method_finds():
    """EM, which knows nothing of logarithms: an unclicked item was seen and did not attract, ..."""
    wins, trials = clicks.synthetic_counts(U, V, 3000, 5)
    u, v = np.full(3, 0.5), np.full(4, 0.5)
    for _ in range(20_000):
        p = np.outer(u, v)
        attracted = wins + (trials - wins) * u[:, None] * (1 - v) / (1 - p)
        seen = wins + (trials - wins) * v * (1 - u[:, None]) / (1 - p)
        u, v = attracted.sum(axis=1) / trials.sum(axis=1), seen.sum(axis=0) / trials.sum(axis=0)
    fit = clicks.fit_counts(wins, trials)
    np.testing.assert_allclose(fit.fitted, np.outer(u, v), rtol=1e-5)
    assert fit.examination.max() == 1.0


def test_standard_errors_are_those_of_repeated_logs():
    fits = [clicks.fit_counts(*clicks.synthetic_counts(U, V, 5000, seed)) for seed in range(150)]
    for name in ("attraction", "examination"):
        found = np.array([getattr(fit, name) for fit in fits])
        told = np.mean([getattr(fit, f"{name}_se") for fit in fits], axis=0)
        np.testing.assert_allclose(found.std(axis=0), told, rtol=0.2)
        np.testing.assert_allclose(found.mean(axis=0), U if name == "attraction" else V, rtol=0.03)


def test_the_deviance_of_a_true_model_has_its_degrees_of_freedom():
    fits = [clicks.fit_counts(*clicks.synthetic_counts(U, V, 20_000, seed)) for seed in range(150)]
    assert np.mean([fit.deviance for fit in fits]) == pytest.approx(6, abs=1)
    assert np.mean([fit.p_value < 0.05 for fit in fits]) < 0.12
    crossed = np.array([[900, 100], [100, 900]])  # not of rank one
    assert clicks.fit_counts(crossed, np.full((2, 2), 1000)).p_value < 1e-9


def test_an_item_without_clicks_attracts_nobody():
    fit = clicks.fit_counts([[50, 20], [0, 0], [10, 4]], [[100, 100], [80, 90], [100, 100]])
    assert fit.attraction[1] == 0.0
    assert np.isnan(fit.attraction_se[1])
    assert np.isfinite(fit.attraction_se[[0, 2]]).all()
    assert fit.degrees_of_freedom == 1
    assert fit.instance().unimodal  # zeros on one side do no harm
    both = clicks.fit_counts([[50, 20, 0], [0, 0, 0]], np.full((2, 3), 100))
    assert both.examination[2] == 0.0
    with pytest.raises(ValueError, match=r"arm 5 = \(1, 2\) of mean 0"):
        both.instance()
    assert both.instance(unimodal=False).arms == 6


def test_a_cell_that_is_always_clicked():
    fit = clicks.fit_counts([[100, 40], [30, 12]], [[100, 100], [100, 100]])
    assert fit.attraction[0] == pytest.approx(1.0, abs=1e-6)
    assert fit.fitted.max() <= 1.0
    assert fit.instance().best == 0


def test_cells_that_were_never_shown_are_told_by_the_model():
    trials = np.array([[1000, 1000, 0], [1000, 0, 1000]])
    fit = clicks.fit_counts([[500, 250, 0], [300, 0, 60]], trials)
    np.testing.assert_allclose(fit.fitted, [[0.5, 0.25, 0.1], [0.3, 0.15, 0.06]], atol=1e-6)
    assert len(fit.to_frame()) == 4


def test_the_log_may_be_showings_or_counts(tmp_path):
    rows = ["item,position,click", *["b,2,1", "b,2,0", "a,2,1", "a,10,0", "a,10,1", "b,10,0"]]
    single = clicks.fit_clicks(write(tmp_path, "\n".join(rows)))
    assert (single.items, single.positions) == (("a", "b"), ("2", "10"))  # 10 comes after 2
    text = "Position, Item ,clicks,shown\n\n2,b,1,2\n# a note\n2,a,1,1\n10,a,1,2\n10,b,0,1\n"
    counts = clicks.fit_clicks(write(tmp_path, text))
    np.testing.assert_array_equal(single.clicks, counts.clicks)
    np.testing.assert_array_equal(single.shown, counts.shown)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item,position\na,1\n", ["line 1", "item, position, shown, clicks"]),
        ("item,position,click\n", ["no line follows"]),
        ("item,position,click\na,1,2\n", ["line 2", "0 or 1"]),
        ("item,position,click\na,1,yes\n", ["line 2", "'yes'", "numbers"]),
        ("item,position,click\na,1\n", ["line 2", "2 cells", "3"]),
        ("item,position,shown,clicks\na,1,3,4\n", ["line 2", "clicks <= shown"]),
        ("item,position,shown,clicks\na,1,3,0\n", ["no click"]),
        ("item,position,shown,clicks\na,1,1e300,3\n", ["line 2", "'1e300'", "1,000,000,000,000"]),
        ("item,position,click\na,1,1\nb,2,1\n", ["item 'b'", "item 'a'", "linked"]),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, text, words):
    with pytest.raises(ValueError, match=r"^[^\n]+\.$") as caught:
        clicks.fit_clicks(write(tmp_path, text))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("wins", "trials", "words"),
    [([1, 2], [1, 2], "shapes"), ([[1]], [[1, 2]], "shapes"), ([[2]], [[1]], "no counts")],
)
def test_matrices_that_are_no_counts(wins, trials, words):
    with pytest.raises(ValueError, match=words):
        clicks.fit_counts(wins, trials)


def test_the_shipped_log_is_what_its_first_lines_say():
    assert SHIPPED["example_clicks"].read_text(encoding="utf-8") == clicks.example_log()
    fit = rankone.fit_clicks("example_clicks")
    for name in ("attraction", "examination"):
        found, told = getattr(fit, name), clicks.EXAMPLE[name]
        assert np.all(np.abs(found - told) <= 4 * getattr(fit, f"{name}_se") + 1e-12)
    assert fit.p_value > 0.01
    assert rankone.from_csv("example_clicks").content == fit.instance().content


def test_the_fit_as_text_and_as_a_table():
    fit = rankone.fit_clicks("example_clicks")
    text = str(fit)
    for word in ("60,577 showings", "max examination = 1", "log-likelihood", "worst cell"):
        assert word in text
    table = fit.to_frame()
    assert len(table) == 50
    assert (table["clicks"] / table["shown"] == table["observed"]).all()
    squares = (table["residual"] ** 2).sum()
    assert squares == pytest.approx(fit.deviance, rel=0.1)  # Pearson's statistic is near it


def test_it_is_a_corner_or_the_gradient_is_zero():
    """The slope of the log-likelihood in every logarithm, by differences."""
    wins, trials = clicks.synthetic_counts(U, V, 2000, 3)
    fit = clicks.fit_counts(wins, trials)

    def height(logs):
        return clicks._log_likelihood(wins, trials, np.exp(logs[:3, None] + logs[3:]))

    logs = np.log(np.concatenate([fit.attraction, fit.examination]))
    assert np.abs(optimize.approx_fprime(logs, height, 1e-7)).max() < 0.05
