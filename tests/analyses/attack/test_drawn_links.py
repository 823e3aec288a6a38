"""Links drawn at random: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.analyses.attack.drawn_links import Sides, link, sides_of
from policy_sim.analyses.attack.drawn_lists import Listed

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


def test_records_of_those_who_can_be_on_no_list_are_left_alone():
    lists = Listed(possible=np.array([False, True, True, False]), listed=np.array([False, True, False, False]))
    sides = sides_of(lists, np.arange(4), 4, is_file=False)
    assert sides.records.tolist() == [1, 2]
    assert sides.people.tolist() == [1]


def test_in_a_file_only_its_own_people_are_candidates():
    file = np.array([1, 3])
    assert sides_of(None, file, 4, is_file=True).people.tolist() == [1, 3]
    assert sides_of(None, file, 4, is_file=False).people.tolist() == [0, 1, 2, 3]
    lists = Listed(possible=np.full(4, True), listed=np.array([True, True, False, False]))
    assert sides_of(lists, file, 4, is_file=True).people.tolist() == [1]
    assert sides_of(lists, file, 4, is_file=False).people.tolist() == [0, 1]
