"""What is seen of an age: classes and hidden bins, by hand."""

import numpy as np
import pytest

from policy_sim.population.visible_ages import DAYS_PER_YEAR, YEARS_IN_A_CLASS, age_classes, values_in_a_year


def test_ages_as_benitez_and_malin_count_them():
    """2 sexes x (100 single years + 5 + 5 + 1) = 222 bins: the Safe Harbor total of New York, Table 2."""
    age = np.array([*range(100), 100, 105, 110])
    width = np.array([*[1] * 100, 5, 5, 1])
    _, bins = age_classes(age, width, "year")
    assert 2 * bins.sum() == 222


@pytest.mark.parametrize(
    ("granularity", "classes", "bins"),
    [
        ("none", [0, 0, 0, 0], [1, 1, 1, 1]),
        ("decade", [30, 30, 100, 0], [1, 1, 1, 2]),
        ("five_years", [30, 35, 100, 0], [1, 1, 1, 4]),
        ("year", [31, 39, 100, 0], [1, 1, 5, 20]),
        ("month", [31, 39, 100, 0], [12, 12, 60, 240]),
        ("date", [31, 39, 100, 0], [365, 365, 1825, 7300]),
    ],
)
def test_age_classes(granularity, classes, bins):
    lower, hidden = age_classes(np.array([31, 39, 100, 0]), np.array([1, 1, 5, 20]), granularity)
    assert lower.tolist() == classes
    assert hidden.tolist() == bins


def test_finer_than_a_year():
    assert [values_in_a_year(name) for name in ("quarter", "month", "date")] == [4, 12, DAYS_PER_YEAR]
    assert values_in_a_year("date", 365.25) == 365.25
    assert sorted(YEARS_IN_A_CLASS.values(), reverse=True) == list(YEARS_IN_A_CLASS.values())


def test_regulation_form_has_182_classes_of_sex_and_age_where_the_paper_has_222():
    """Ages 0 to 89 and one class above them, for each sex."""
    age = np.array([*range(100), 100, 105, 110])
    width = np.array([*[1] * 100, 5, 5, 1])
    lower, bins = age_classes(age, width, "year", top_age=90)
    assert 2 * len(set(zip(lower, bins, strict=True))) == 182
    assert set(bins) == {1.0}


@pytest.mark.parametrize(
    ("granularity", "classes", "bins"),
    [("none", 0, 1), ("decade", 85, 2), ("year", 85, 6), ("month", 85, 61), ("date", 85, 1826)],
)
def test_an_open_class_that_reaches_over_the_top_keeps_its_years_below_and_one_bin_above(granularity, classes, bins):
    lower, hidden = age_classes(np.array([85]), np.array([26]), granularity, top_age=90)
    assert (lower.tolist(), hidden.tolist()) == ([classes], [bins])
