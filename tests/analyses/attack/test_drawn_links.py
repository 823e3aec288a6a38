"""Links drawn at random: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.analyses.attack.drawn_links import Sides, link, sides_of
from policy_sim.attackers import ADULTS, Coverage

KEY = np.array([7, 5, 5, 9])


def test_two_people_alone_in_their_bins_are_always_found_and_of_a_pair_one_on_average():
    everyone = np.arange(4)
    linked = [link(KEY, Sides(everyone, everyone), np.random.default_rng(seed)) for seed in range(400)]
    assert {counts[1:] for counts in linked} == {(2, 2)}
    assert np.mean([right for right, _, _ in linked]) == pytest.approx(3, abs=5 * np.sqrt(0.5 / 400))


def test_a_record_whose_person_is_not_listed_is_claimed_for_the_one_who_is():
    """Person 1 is listed, person 2 shows the same; nobody with key 9 is listed."""
    found = link(KEY, Sides(np.arange(4), np.array([0, 1])), np.random.default_rng(1))
    assert found == (2, 3, 2)


def test_nobody_is_claimed_where_nobody_is_listed():
    assert link(KEY, Sides(np.arange(4), np.array([], dtype=int)), np.random.default_rng(1)) == (0, 0, 0)


def test_children_are_neither_listed_nor_linked():
    age = np.array([17, 18, 40, 3])
    sides = sides_of(age, ADULTS, "OH", np.arange(4), np.random.default_rng(1), is_file=False)
    assert sides.records.tolist() == sides.people.tolist() == [1, 2]


def test_in_a_file_only_its_own_people_are_candidates():
    sides = sides_of(np.full(4, 30), None, "OH", np.array([1, 3]), np.random.default_rng(1), is_file=True)
    assert sides.people.tolist() == [1, 3]
    without = sides_of(np.full(4, 30), None, "OH", np.array([1, 3]), np.random.default_rng(1), is_file=False)
    assert without.people.tolist() == [0, 1, 2, 3]


def test_so_many_are_listed_as_are_registered():
    half = Coverage("registered", "half", {"OH": 5_000})
    sides = sides_of(np.full(10_000, 30), half, "OH", np.arange(10_000), np.random.default_rng(1), is_file=False)
    assert len(sides.records) == 10_000
    assert len(sides.people) == pytest.approx(5_000, abs=5 * 50)
