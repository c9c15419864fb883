"""Instances from CSV files."""

import pytest

import rankone


def write(folder, text, **how):
    file = folder / "mine.csv"
    file.write_text(text, **{"encoding": "utf-8", **how})
    return file


def test_a_matrix_of_means(tmp_path):
    instance = rankone.from_csv(write(tmp_path, "0.9, 0.4\n\n# a note\n.5,.2\n"))
    assert instance.content == rankone.matrix([[0.9, 0.4], [0.5, 0.2]]).content
    from_a_spreadsheet = write(tmp_path, "0.9,0.4\n0.5,0.2", encoding="utf-8-sig")
    assert rankone.from_csv(from_a_spreadsheet).content == instance.content


def test_a_graph_by_numbers_and_by_names(tmp_path):
    line = rankone.line([0.1, 0.9, 0.4])
    numbers = write(tmp_path, "mean,neighbours\n.1,1\n.9,0 2\n.4,\n")
    assert rankone.from_csv(numbers).content == line.content
    names = write(tmp_path, "arm,Neighbours,mean\nlow,high,.1\nhigh,,.9\nmiddle,high,.4\n")
    assert rankone.from_csv(names).content == line.content


def test_a_click_log(tmp_path):
    text = "item,position,shown,clicks\na,1,100,50\na,2,100,20\nb,1,100,25\nb,2,100,10\n"
    instance = rankone.from_csv(write(tmp_path, text))
    assert instance.shape == (2, 2)
    assert instance.means.tolist() == pytest.approx([0.5, 0.2, 0.25, 0.1], abs=1e-6)


def test_means_that_are_meant(tmp_path):
    file = write(tmp_path, "0.9,0.1\n0.1,0.8\n")
    with pytest.raises(ValueError, match=r"arm 3 = \(1, 1\) of mean 0.8"):
        rankone.from_csv(file)
    assert not rankone.from_csv(file, unimodal=False).unimodal


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["mine.csv is empty"]),
        ("0.9,x\n", ["line 1", "'x'", "numbers"]),
        ("0.9,1.5\n", ["line 1", "1.5", "[0, 1]"]),
        ("0.9,nan\n", ["line 1", "nan", "[0, 1]"]),
        ("0.9,0.1\n0.2\n", ["line 2", "1 numbers", "2"]),
        ("mean\n0.4\n", ["line 1", "mean, neighbours"]),
        ("mean,neighbours\n0.4,1\n0.9,5\n", ["line 3", "'5'", "such as '0'"]),
        ('mean,neighbours\n0.4,"' + "x" * 200_000, ["line 2 cannot be read"]),
        ("mean,neighbours\n" + "9" * 500 + ",1\n", ["line 2", "999...", "[0, 1]"]),
        ("mean,neighbours\n0.4,0\n", ["line 2", "'0'"]),
        ("arm,mean,neighbours\na,0.4,\na,0.9,\n", ["line 3", "'a'", "twice"]),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, text, words):
    with pytest.raises(ValueError, match=r"^[^\n]+\.$") as caught:
        rankone.from_csv(write(tmp_path, text))
    for word in words:
        assert word in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"none\.csv cannot be read: No such file"):
        rankone.from_csv(tmp_path / "none.csv")
