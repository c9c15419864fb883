"""The fast version commits once a single cell is left, and pulls the arms of the plain one."""

from helpers import elimination

from rankone.fast import rank1elim as fast
from rankone.policies import rank1elim as plain


def test_pulls_the_same_arms_and_ends_in_one_commitment():
    elimination.assert_same_arms_and_one_commitment("rank1elim")


def test_is_configured_as_the_plain_one():
    elimination.assert_configured_alike(fast, plain)
