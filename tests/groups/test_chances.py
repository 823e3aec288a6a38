"""Everyone on a list, or in a file, or both: against every way counted, thrown people, and the formulas without."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from policy_sim.groups import Chances, CountyPartGroups, Groups, PlacedGroups, claims, g_distinct, total_risk


def by_hand(people: int, bins: int, listed: float, in_file: float) -> tuple[float, float, float, float]:
    """Correct links, listed people of the file who are alone among them, claims and right claims: all ways counted.

    Each person has a bin, is listed or not and in the file or not. Each record of the file is linked to one of the
    listed people of the file in its bin, drawn at random.
    """
    correct = alone = claimed = right = 0.0
    for where in product(range(bins), repeat=people):
        for on_list in product((0, 1), repeat=people):
            for inside in product((0, 1), repeat=people):
                chance = bins**-people
                for a, f in zip(on_list, inside, strict=True):
                    chance *= (listed if a else 1 - listed) * (in_file if f else 1 - in_file)
                for place in range(bins):
                    records = [i for i in range(people) if inside[i] and where[i] == place]
                    known = [i for i in records if on_list[i]]
                    correct += chance * sum(1 / len(known) for i in records if i in known)
                    alone += chance * (len(known) == 1)
                    claimed += chance * len(records) * (len(known) == 1)
                    right += chance * (len(known) == 1)
    return correct, alone, claimed, right


@pytest.mark.parametrize(("people", "bins"), [(1, 1), (2, 1), (3, 2), (4, 2)])
@pytest.mark.parametrize(("listed", "in_file"), [(1.0, 0.3), (0.65, 0.3), (0.65, 1.0), (0.2, 0.9)])
def test_every_way_counted(people, bins, listed, in_file):
    chances, groups = Chances(np.array([listed]), np.array([in_file])), Groups.of([people], [bins])
    ours = (
        chances.total_risk(groups).item(),
        chances.g_distinct(groups, [1]).item(),
        *chances.claims(groups)[0].tolist(),
    )
    np.testing.assert_allclose(ours, by_hand(people, bins, listed, in_file), rtol=1e-12, atol=1e-13)


def some_groups() -> list[Groups | CountyPartGroups | PlacedGroups]:
    counted = Groups.of([1, 30, 200, 5000], [365, 365, 1825, 1], unit=[0, 0, 1, 1])
    parts = CountyPartGroups(
        people=np.array([[200.0, 0.0], [40.0, 40.0]]),
        bins=np.full(2, 365.0),
        unit=np.array([0, 1]),
        county=np.array([0, 0, 1]),
        place=np.array([0, 1, 0]),
        share=np.array([0.3, 0.7, 1.0]),
        residents=np.array([9000.0, 2000.0]),
        units=2,
    )
    placed = PlacedGroups(
        people=np.array([[200.0], [40.0], [50.0]]),
        bins=np.full(1, 365.0),
        unit=np.array([0, 0, 1]),
        county=np.array([0, 1, 2]),
        place=np.array([0, 0, 1]),
        share=np.array([0.3, 1.0, 0.5]),
        residents=np.array([9000.0, 2000.0, 3000.0]),
        units=2,
    )
    return [counted, parts, placed]


@pytest.mark.parametrize("groups", some_groups())
def test_a_file_of_everyone_changes_nothing_whatever_the_list(groups):
    for listed in (np.ones(2), np.array([0.65, 0.2])):
        with_file, without = Chances(listed, np.ones(2)), Chances(listed)
        np.testing.assert_allclose(with_file.total_risk(groups), total_risk(groups, listed), rtol=1e-12)
        np.testing.assert_allclose(with_file.g_distinct(groups, [1, 3]), g_distinct(groups, [1, 3], listed), rtol=1e-12)
        np.testing.assert_allclose(with_file.claims(groups), without.claims(groups), rtol=1e-12)
        np.testing.assert_allclose(without.claims(groups)[:, 0], claims(groups, listed), rtol=1e-12)


@pytest.mark.parametrize("groups", some_groups())
def test_of_a_small_file_nearly_everyone_listed_is_told_apart(groups):
    listed = np.array([0.65, 0.65])
    tiny = Chances(listed, np.full(2, 1e-9))
    records = 1e-9 * total_people(groups)
    np.testing.assert_allclose(tiny.total_risk(groups), 0.65 * records, rtol=1e-5)
    claimed, right = tiny.claims(groups).T
    np.testing.assert_allclose(right, 0.65 * records, rtol=1e-5)
    np.testing.assert_allclose(claimed, right, rtol=1e-5)  # hardly anybody else of the file has the same values


def total_people(groups: Groups | CountyPartGroups | PlacedGroups) -> np.ndarray:
    """Everyone: those in bins of as many as there are."""
    return g_distinct(groups, [6000])[:, 0]


def test_shares_of_a_unit_hold_for_each_of_its_parts():
    twice = Chances(np.array([0.5, 1.0]), np.array([0.1, 0.2])).repeated(2)
    assert twice.listed.tolist() == [0.5, 0.5, 1.0, 1.0]
    assert twice.linkable.tolist() == [0.05, 0.05, 0.2, 0.2]
    assert Chances(np.ones(1)).repeated(3).in_file is None


def test_people_thrown_as_the_model_was_tried():
    """150 people, 365 days, a share of 0.1 in the file: 0.9799 of them are linked rightly, 0.9600 are alone."""
    chances, groups = Chances(np.ones(1), np.full(1, 0.1)), Groups.of([150], [365])
    assert chances.total_risk(groups).item() / 15 == pytest.approx(0.9799, abs=1e-3)
    assert chances.g_distinct(groups, [1]).item() / 15 == pytest.approx(0.9600, abs=1e-3)
