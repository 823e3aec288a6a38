"""The ends of unknown whole numbers: narrowed by hand, and against every solution enumerated."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize

from policy_sim.formulas import whole_ranges
from policy_sim.formulas.whole_ranges import ContradictionError, Ranges, Rule

FAR = Ranges.unlimited()


def ranges(rules, least, greatest):
    return Ranges([Rule(*rule) for rule in rules], np.array(least, dtype=np.int64), np.array(greatest, dtype=np.int64))


def ends(found):
    return list(zip(found.least.tolist(), found.greatest.tolist(), strict=True))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (({0: 1, 1: -1}, None, 2), [(0, 10), (0, FAR)]),
        (({0: 1, 1: -1}, 3, None), [(3, 10), (0, 7)]),
        (({0: 1, 1: 1}, None, 4), [(0, 4), (0, 4)]),
        (({0: 1, 1: 1}, 12, None), [(0, 10), (2, FAR)]),
        (({0: 2, 1: 3}, 7, 8), [(1, 4), (0, 2)]),
        (({0: -2, 1: -3}, -8, -7), [(1, 4), (0, 2)]),
        (({0: 1, 1: 2}, 25, 25), [(1, 9), (8, 12)]),
    ],
)
def test_one_rule_narrows_both_unknowns(rule, expected):
    """The first is between 0 and 10, the second has no limit. 2x + 3y of 7 or 8 leaves x 1 to 4 and y at most 2."""
    assert ends(ranges([rule], [0, 0], [10, FAR])) == expected


def test_without_a_limit_on_one_there_is_none_on_the_other():
    found = ranges([({0: 2, 1: -1}, None, 2), ({2: 3, 1: -1}, None, 0)], [0] * 3, [FAR] * 3)
    assert ends(found) == [(0, FAR)] * 3


def test_what_narrows_an_unknown_to_one_value_is_its_cause():
    found = ranges([({0: 1, 1: 1}, 5, 5), ({1: 1}, 3, 3)], [0, 0], [FAR, FAR])
    assert ends(found) == [(2, 2), (3, 3)]
    assert found.cause.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("rules", "number"),
    [
        ([({0: 1}, 0, 9), ({0: 1, 1: 1}, 9, 9)], 1),
        ([({0: 1, 1: 1}, None, 1)], 0),
        ([({0: 1, 1: -1}, None, -7)], 0),
    ],
)
def test_a_rule_that_cannot_be_met_is_named(rules, number):
    with pytest.raises(ContradictionError) as caught:
        ranges(rules, [1, 1], [4, 4])
    assert caught.value.rule == number


def test_rules_that_no_whole_numbers_meet_together():
    """x + y = y + z = x + z = 3 has halves only."""
    found = ranges([({0: 1, 1: 1}, 3, 3), ({1: 1, 2: 1}, 3, 3), ({0: 1, 2: 1}, 3, 3)], [0] * 3, [9] * 3)
    with pytest.raises(ContradictionError) as caught:
        found.settle([0])
    assert caught.value.rule is None


def test_only_solutions_are_kept():
    found = ranges([({0: 1, 1: 1, 2: 1}, 6, 6)], [0, 0, 2], [5, 5, 2])
    inside = np.array([True, True, False])
    assert not found.keep(np.array([5, -1, 2]), inside)
    assert not found.keep(np.array([3, 2, 2]), inside)
    assert not found.keep(np.array([3, 1]), inside)
    assert found.seen_high.tolist() == [-1, -1, -1]
    assert found.keep(np.array([3, 1, 9]), inside)  # of another part nothing is asked
    assert (found.seen_low[:2].tolist(), found.seen_high.tolist()) == ([3, 1], [3, 1, -1])
    assert found.sure(0) == (False, False)
    assert found.keep(np.array([0, 4, 2]), inside)
    assert found.keep(np.array([4, 0, 2]), inside)
    assert found.sure(0) == found.sure(1) == (True, True)


def test_known_numbers_count_in_the_rules_of_others():
    """Of four numbers with 10 in all one is 3, and the first is at most the second and third together."""
    found = ranges([({0: 1, 1: 1, 2: 1, 3: 1}, 10, 10), ({0: 1, 1: -1, 2: -1}, None, 0)], [0, 0, 0, 3], [9, 9, 9, 3])
    assert not found.settle([0, 1, 2])
    assert ends(found) == [(0, 3), (0, 7), (0, 7), (3, 3)]


def test_ends_of_parts_that_share_nothing_are_settled_apart():
    rules = [({0: 2, 1: 2}, 6, 7), ({2: 1, 3: -2}, 1, 1)]
    found = ranges(rules, [0] * 4, [9] * 4)
    assert not found.settle([0, 2])
    assert ends(found)[0] == (0, 3)
    assert ends(found)[2] == (1, 9)
    assert found.seen_high[1] >= 0


def test_no_limit_is_found_to_be_none():
    found = ranges([({0: 1, 1: -1, 2: 1}, None, 5)], [0, 0, 0], [10, FAR, 10])
    assert not found.settle([0, 1])
    assert ends(found)[:2] == [(0, 10), (0, FAR)]
    assert found.sure(1) == (True, True)


def test_an_unknown_that_grows_with_another_has_no_limit():
    """x - y >= 5 with no limit on either; the cap of the program is no end. y + z <= 8 limits y and z, but not x."""
    found = ranges([({0: 1, 1: -1}, 5, None)], [0, 0], [FAR, FAR])
    assert not found.settle([0, 1])
    assert ends(found) == [(5, FAR), (0, FAR)]
    found = ranges([({0: 1, 1: -1}, 5, None), ({1: 1, 2: 1}, None, 8)], [0] * 3, [FAR] * 3)
    assert not found.settle([0, 1, 2])
    assert ends(found) == [(5, FAR), (0, 8), (0, 8)]


def test_an_end_far_beyond_the_numbers_of_the_rules_is_found():
    """50,000 x = y + z and x + w = 3, so y is at most 150,000, which no rule says alone."""
    rules = [({0: 50_000, 1: -1, 2: -1}, 0, 0), ({0: 1, 3: 1}, 3, 3), ({1: 1, 2: -1}, 0, None)]
    found = ranges(rules, [0] * 4, [FAR] * 4)
    assert not found.settle([1])
    assert ends(found)[1] == (0, 150_000)


def test_the_search_stops_where_enough_is_seen():
    rule = ({0: 1, 1: 1, 2: 1}, 8, 8)
    hints = [np.array([2, 3, 3]), np.array([5, 3, 0]), np.array([9, 9, 9])]
    found = ranges([rule], [0] * 3, [9] * 3)
    assert not found.settle([0], {0: (2, 5)}, hints)
    assert (found.seen_low[0] <= 2, found.seen_high[0], found.greatest[0]) == (True, 5, 8)
    found = ranges([rule], [0] * 3, [9] * 3)
    assert not found.settle([0], {0: None}, hints[:2])
    assert (found.seen_high[0], found.greatest[0]) == (5, 8)
    found = ranges([rule], [0] * 3, [9] * 3)
    assert not found.settle([0], {0: (1, 6)}, hints)
    assert (found.seen_low[0] <= 1, found.seen_high[0]) == (True, 8)


def test_without_time_nothing_is_claimed():
    found = ranges([({0: 1, 1: 1, 2: 1}, 8, 8)], [0] * 3, [9] * 3)
    assert found.settle([0, 2], seconds=-1.0) == [0, 2]
    assert found.seen_high.tolist() == [-1] * 3


def test_half_a_second_is_time(monkeypatch):
    """A clock that stands still leaves the half second whole."""
    monkeypatch.setattr(whole_ranges, "time", SimpleNamespace(monotonic=lambda: 0.0))
    found = ranges([({0: 1, 1: 1, 2: 1}, 8, 8)], [0] * 3, [9] * 3)
    assert found.settle([0, 2], seconds=0.5) == []


def test_a_rounded_answer_that_is_no_solution_is_no_bound(monkeypatch):
    """A solver may be off by its tolerance: what it calls a solution is checked in whole numbers."""
    found = ranges([({0: 1, 1: 1, 2: 1}, 8, 8)], [0] * 3, [9] * 3)
    right = SimpleNamespace(x=np.array([3.0, 3.0, 2.0]), fun=0.0, status=0)
    wrong = SimpleNamespace(x=np.array([2.6, 2.6, 2.6]), fun=7.0, status=0)
    monkeypatch.setattr(optimize, "milp", lambda price, **_: wrong if price.any() else right)
    assert found.settle([0]) == [0]
    assert (ends(found)[0], found.seen_high.tolist()) == ((0, 8), [3, 3, 2])
    monkeypatch.setattr(optimize, "milp", lambda *_, **__: wrong)
    assert ranges([({0: 1, 1: 1, 2: 1}, 8, 8)], [0] * 3, [9] * 3).settle([0]) == [0]  # no proof that nothing fits


def test_many_unknowns_against_every_solution():
    """Six unknowns of 0 to 3 under three sums: more than the few that random prices are left out for."""
    rng = np.random.default_rng(11)
    every = np.stack(np.meshgrid(*[range(4)] * 6, indexing="ij"), axis=-1).reshape(-1, 6)
    for _ in range(6):
        true, signs = rng.integers(0, 4, 6), rng.integers(-1, 2, (3, 6))
        rules = [({at: int(c) for at, c in enumerate(row) if c}, int(row @ true), int(row @ true)) for row in signs]
        found = ranges(rules, [0] * 6, [3] * 6)
        assert not found.settle(range(6))
        fits = every[np.all(every @ signs.T == signs @ true, axis=1)]
        assert ends(found) == list(zip(fits.min(axis=0).tolist(), fits.max(axis=0).tolist(), strict=True))


def test_two_unknowns_that_only_both_rules_together_limit():
    """x = w + y and x = 2w + z leave x = 2y - z: at most 10, though neither rule alone limits x or w."""
    rules = [({0: 1, 1: -1, 2: -1}, 0, 0), ({0: 1, 1: -2, 3: -1}, 0, 0)]
    found = ranges(rules, [0, 0, 0, 0], [FAR, FAR, 5, 5])
    assert found.settle([0, 1]) == []
    assert ends(found)[:2] == [(0, 10), (0, 5)]
