from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from policy_sim.errors import InputError
from policy_sim.groups import Groups
from policy_sim.groups.groups import codes


def triples(groups: Groups) -> dict[tuple[int, int, float], float]:
    d = groups.distinct()
    keys = zip(d.unit.tolist(), d.people.tolist(), d.bins.tolist(), strict=True)
    return dict(zip(keys, d.weight.tolist(), strict=True))


def test_alike_groups_are_counted_once_with_their_number():
    groups = Groups.of([3, 3, 0, 3, 5], [2, 2, 2, 365.25, 2], unit=[1, 1, 1, 1, 0])
    assert groups.units == 2
    assert len(groups) == 5
    assert triples(groups) == {(1, 3, 2.0): 2.0, (1, 3, 365.25): 1.0, (0, 5, 2.0): 1.0}


def test_a_part_released_weighs_its_share():
    groups = Groups.of([4, 4, 4], 12, released=[1, 2, 0])
    d = groups.distinct()
    assert (d.people.tolist(), d.weight.tolist()) == ([4], [0.75])
    assert d.weight_squared.tolist() == [0.25**2 + 0.5**2]


def test_distinct_matches_a_plain_count():
    rng = np.random.default_rng(3)
    unit, people = rng.integers(0, 4, 5000), rng.integers(0, 30, 5000)
    bins = rng.choice([1.0, 12.0, 365.0, 365.25, 1825.0], 5000)
    counted = Counter((u, n, b) for u, n, b in zip(unit.tolist(), people.tolist(), bins.tolist(), strict=True) if n)
    assert triples(Groups.of(people, bins, unit=unit)) == counted


def test_people_and_released_are_conserved():
    rng = np.random.default_rng(4)
    people = rng.integers(0, 50, 1000)
    released = rng.integers(0, people + 1)
    d = Groups.of(people, 365, released, unit=rng.integers(0, 7, 1000), units=9).distinct()
    assert d.units == 9
    np.testing.assert_allclose(d.weight @ d.people, released.sum(), rtol=1e-13)


def test_no_groups_is_no_people():
    empty = Groups.of([], 365, units=3)
    assert len(empty) == len(empty.distinct().people) == 0


@pytest.mark.parametrize("different", [1, 15, 16, 17, 400])
def test_codes_are_those_of_unique(different):
    values = np.random.default_rng(5).integers(0, different, 2000) / 4 + 1
    kinds, code = codes(values)
    known, expected = np.unique(values, return_inverse=True)
    np.testing.assert_array_equal(kinds, known)
    np.testing.assert_array_equal(code, expected)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"people": [1, -2]}, "people = -2 (value 2 of 2) must be a whole number of 0 or more."),
        ({"people": 3}, "people has 0 dimensions: give a list, one value per group."),
        ({"people": [1, 2], "bins": [1, 2, 3]}, "bins has shape (3,) where people has 2 values: give one per group."),
        ({"people": [1, 2], "unit": [0]}, "unit has shape (1,) where people has 2 values: give one per group."),
        ({"people": [1, 2], "bins": [1, 0.5]}, "bins = 0.5 (value 2 of 2) must be a number of 1 or more."),
        ({"people": [1, 2], "released": [1, 3]}, "released = 3 (value 2 of 2) must be 0 to its group's 2 people."),
        (
            {"people": [1, 2], "released": [1, np.nan]},
            "released = nan (value 2 of 2) must be 0 to its group's 2 people.",
        ),
        ({"people": [1, 2], "unit": [0, 5], "units": 5}, "units = 5 must be more than the largest unit, 5."),
        ({"people": [1, 2], "unit": [0, -1]}, "unit = -1 (value 2 of 2) must be a whole number of 0 or more."),
    ],
)
def test_bad_input_is_one_clear_line(arguments, line):
    with pytest.raises(InputError) as caught:
        Groups.of(**arguments)
    assert str(caught.value) == line


def test_arrays_cannot_be_written_to_and_are_apart_from_the_callers():
    people, bins, released = np.array([3, 4]), np.array([2.0, 365.0]), np.array([1.0, 4.0])
    groups = Groups.of(people, bins, released)
    for name in ("unit", "people", "bins", "released"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(groups, name)[0] = 99
    bins[0], released[0] = 99, 99  # the caller's own arrays stay theirs
    assert (groups.bins.tolist(), groups.released.tolist()) == ([2, 365], [1, 4])
    with pytest.raises(ValueError, match="read-only"):
        groups.distinct().weight[0] = 99
    everyone = Groups.of(people)
    assert everyone.released is everyone.people
