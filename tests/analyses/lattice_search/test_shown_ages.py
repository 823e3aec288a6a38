"""Classes of ages as they are written."""

from __future__ import annotations

from policy_sim.analyses.lattice_search.shown_ages import AgeClass, written


def test_classes_are_written_with_an_open_end():
    lower, years = [*range(100), 100, 105, 110], [1] * 100 + [5, 5, 1]
    assert AgeClass(0, 5).text(lower, years) == "0-4"
    assert AgeClass(5, 6, "quarter").text(lower, years) == "5 by quarter"
    assert AgeClass(100, 101, "year").text(lower, years) == "100-104 by year"
    assert AgeClass(85, 103).text(lower, years) == "85+"


def test_single_years_that_follow_each_other_are_put_together():
    lower, years = [*range(100), 100, 105, 110], [1] * 100 + [5, 5, 1]
    classes = [
        *(AgeClass(age, age + 1) for age in range(3)),
        AgeClass(3, 4, "month"),
        AgeClass(4, 5),
        AgeClass(5, 100),
        AgeClass(100, 101, "year"),
        AgeClass(101, 103),
    ]
    assert written(classes, lower, years) == "0 to 2 by year, 3 by month, 4, 5-99, 100-104 by year, 105+"


def test_the_last_age_is_open_and_stands_alone():
    assert written([AgeClass(0, 1), AgeClass(1, 2), AgeClass(2, 3)], range(3), [1] * 3) == "0 to 1 by year, 2+"
