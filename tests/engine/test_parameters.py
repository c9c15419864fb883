"""Checks of parameters: the value and what is allowed, in one sentence."""

import math
from pathlib import Path

import numpy as np
import pytest

from rankone.engine import parameters
from rankone.engine.parameters import is_number, leader_period, not_negative, positive, truth


@pytest.mark.parametrize(("gamma", "period"), [(2, 2.0), (7.0, 7.0), (math.inf, math.inf)])
def test_periods(gamma, period):
    assert leader_period(gamma) == period
    assert leader_period("degree") == 0.0


@pytest.mark.parametrize("gamma", [1, 2.5, -math.inf, math.nan, "two", True, None])
def test_wrong_periods(gamma):
    with pytest.raises(ValueError, match=r"^gamma is .*; allowed: a whole number of at least 2"):
        leader_period(gamma)


@pytest.mark.parametrize("value", [-1, math.inf, math.nan, "3", True])
def test_wrong_numbers(value):
    with pytest.raises(ValueError, match=r"^c is .*; allowed: a number of at least 0\.$"):
        not_negative("c", value)


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, "3", True])
def test_numbers_that_are_not_positive(value):
    with pytest.raises(ValueError, match=r"^c is .*; allowed: a number above 0\.$"):
        positive("c", value)


def test_right_numbers():
    assert not_negative("c", np.int64(3)) == 3.0
    assert not_negative("c", 0) == 0.0
    assert positive("c", 5e-324) == 5e-324
    assert is_number(np.float32(1.5))
    assert not is_number(True)


def test_truth():
    assert truth("warm_up", False) is False
    with pytest.raises(ValueError, match=r"^warm_up is 'no'; allowed: True or False\.$"):
        truth("warm_up", "no")


def test_a_value_in_a_message_is_one_short_line():
    assert parameters.shown("a\nb") == repr("a\nb")
    assert parameters.shown([7] * 1000) == "[" + "7, " * 12 + "...]"
    assert len(parameters.shown("x" * 300)) <= parameters.LONGEST
    many = [1234567] * 12
    assert parameters.shown(many) == repr(many)[:77] + "..."
    assert parameters.shown([7654321] * 8 + [123456]) == repr([7654321] * 8 + [123456])  # 80
    assert parameters.shown(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"


def test_a_sentence_is_one_line_that_can_be_printed():
    assert parameters.one_sentence("a\nb \x07 is é; allowed: c.") == r"a b \x07 is é; allowed: c."
    longest = "x" * parameters.SENTENCE
    assert parameters.one_sentence(longest) == longest
    cut = parameters.one_sentence("a" * 300 + "b" * 301 + "c" * 300)
    assert cut == "a" * 300 + " ... " + "c" * 300


def test_paths_and_words():
    assert parameters.file_path("keep", "a/b.npz") == Path("a/b.npz")
    assert parameters.file_path("keep", Path("c")) == Path("c")
    for wrong in ("", "a\0b", "\ud800", None, 3, b"a"):
        with pytest.raises(ValueError, match=r"^keep is .*; allowed: the path of a file\.$"):
            parameters.file_path("keep", wrong)
    assert parameters.words("title", "γ = 2,\nK\xa0= 4") == "γ = 2,\nK\xa0= 4"
    for wrong in ("\x07", "a\0b", "\udfff", None, 3):
        with pytest.raises(ValueError, match=r"^title is .*; allowed: words that can be printed"):
            parameters.words("title", wrong)


def test_what_does_not_fit_into_memory_is_refused_with_what_it_needs(monkeypatch):
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**18}
    monkeypatch.setattr(parameters.os, "sysconf", sizes.__getitem__)
    parameters.require_memory("half of it", 2**26)
    parameters.require_memory("all of it", 2**27)
    told = "twice of it needs 2 GiB of memory; allowed: at most 1 GiB, what this machine has."
    with pytest.raises(ValueError, match=told):
        parameters.require_memory("twice of it", 2**28)
    with pytest.raises(ValueError, match="GiB of memory"):
        parameters.require_memory("more than a float can say", 10**400)
