"""Ladders: nesting, classes and losses."""

import numpy as np
import pytest

from policy_sim.deidentify.hierarchies import Hierarchy, given_hierarchy
from policy_sim.errors import InputError

ROWS = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "e", "*")]


def test_losses_by_hand():
    """Five values: two under one label leave 1 of 4 open; all five leave 4 of 4, a missing value too."""
    ladder = given_hierarchy("f", ROWS)
    assert ladder.losses(0).tolist() == [0] * 6
    assert ladder.losses(1).tolist() == [0, 0.25, 0.25, 0.25, 0.25, 0]
    assert ladder.losses(2).tolist() == [1, 1, 1, 1, 1, 1]


def test_a_missing_value_is_a_class_of_its_own_until_the_field_is_gone():
    ladder = given_hierarchy("f", ROWS)
    groups, number = ladder.groups(1)
    assert (groups.tolist(), number) == ([0, 1, 1, 2, 2, 3], 4)
    groups, number = ladder.groups(2)
    assert (set(groups.tolist()), number) == ({0}, 1)
    assert ladder.texts(1)[0] == ""
    assert ladder.texts(2)[0] == "*"


def test_a_level_that_splits_a_class_is_refused():
    with pytest.raises(InputError, match=r"level 2 \(2\) splits a class of level 1"):
        given_hierarchy("f", [("a", "ab", "x"), ("b", "ab", "y")])


@pytest.mark.parametrize("rows", [[], [("a", "*"), ("b",)], [("a", "*"), ("a", "*")], [()]])
def test_tables_that_are_no_hierarchy(rows):
    with pytest.raises(InputError, match="hierarchy of f"):
        given_hierarchy("f", rows)


def test_values_outside_are_counted_and_not_named():
    ladder = given_hierarchy("f", ROWS)
    np.testing.assert_array_equal(ladder.over(["b", "e"]), [0, 2, 5])
    with pytest.raises(InputError, match="1 of the 2 values of f") as raised:
        ladder.over(["b", "secret"])
    assert "secret" not in str(raised.value)


def test_a_ladder_of_one_value_loses_nothing():
    assert Hierarchy("f", ("a",), (("a",), ("*",)), ("value", "nothing")).losses(1).tolist() == [0, 0]
