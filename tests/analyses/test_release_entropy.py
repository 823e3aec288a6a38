"""Entropy of a release, counted and placed by chance."""

import numpy as np
import pytest

from policy_sim.analyses.release_entropy import entropy_bits
from policy_sim.groups import CountyPartGroups, Groups, PlacedGroups


def test_by_hand():
    assert entropy_bits(Groups.of([1, 1, 2])).tolist() == [1.5]
    assert entropy_bits(Groups.of([8], [4])).tolist() == [2.0]


def _placed(kind, place):
    facts = {"people": np.array([[6.0, 2.0]]), "bins": np.array([1.0, 1.0]), "unit": np.zeros(1, int)} | {
        "residents": np.array([np.inf])
    }
    return kind(**facts, county=np.zeros(2, int), place=np.array(place), share=np.array([0.5, 0.5]), units=1)


def test_a_place_by_chance_adds_its_own_entropy():
    alone = entropy_bits(Groups.of([6, 2]))[0]
    for kind in (CountyPartGroups, PlacedGroups):
        assert entropy_bits(_placed(kind, [0, 1]))[0] == pytest.approx(alone + 1.0)


def test_two_parts_of_one_place_are_one_place():
    assert entropy_bits(_placed(PlacedGroups, [0, 0]))[0] == pytest.approx(entropy_bits(Groups.of([6, 2]))[0])
