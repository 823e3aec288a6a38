import numpy as np
import pytest

from policy_sim.building.goodness import CLASS_WIDTHS, closeness, misplaced_share, total_risk_by_class
from policy_sim.population.ages import OPEN_ENDED_WIDTH
from policy_sim.population.census_tables import AGE_CLASSES


def test_misplaced_people_are_counted_once():
    assert misplaced_share(np.array([3, 7, 0]), np.array([5, 4, 1])) == pytest.approx(0.3)


def test_widths_reach_from_birth_to_a_hundred():
    assert CLASS_WIDTHS.sum() == 100
    assert CLASS_WIDTHS[[0, 3, 5, 22]].tolist() == [5, 3, 1, 15]


def test_total_risk_of_one_group_by_hand():
    people = np.zeros((1, 2, 23, 1), dtype=np.int64)
    people[0, 0, 5, 0] = 2  # two men of 20: one bin unless they share one of 365 birthdays
    assert total_risk_by_class(people) == pytest.approx(1 + 364 / 365)


def test_equal_tables_have_no_error():
    people = np.random.default_rng(2).integers(0, 9, (3, 2, 23, 4))
    found = closeness(people, people)
    assert (found.misplaced, found.total_risk_date, found.five_distinct_year) == (0, 0, 0)


def test_one_width_of_the_open_class_everywhere():
    assert CLASS_WIDTHS[-1] == AGE_CLASSES.ages[-1][1] == OPEN_ENDED_WIDTH == 15
