"""The attack on columns together at its limits: what undoes a treated one, whose rows are whose, and how many alike."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from written_columns import column

from policy_sim.release.attack import together
from policy_sim.release.attack.report import Claim
from policy_sim.release.attack.written import WrittenFile

RULE = Claim(rule="safe-harbor", dates="year", places=("state", "zip3"), oldest=90, day=dt.date(2020, 7, 1))


def pairs(fine, coarse, as_many=False):
    return together.undoes(column("fine", fine), column("coarse", coarse), as_many=as_many)


def test_a_value_that_contains_another():
    assert "contains" in pairs(["44101", "44102", "45201"], ["441", "441", "452"])
    assert "contains" not in pairs(["44101", "44102", "45201"], ["441", "441", "999"])
    fine, coarse = ["44101", "44102", "45201", "45202"] * 10, ["441", "441", "452", "452"] * 10
    assert "contains" in pairs(fine, [*coarse[:30], *[""] * 10])  # what is blank contradicts nothing
    assert pairs(fine, ["441"] * 40) == ""
    assert "contains" not in pairs(
        ["44101", *["45201", "x", "y", "z"] * 20], ["441", *["452", "999", "452", "999"] * 20]
    )


def test_as_many_values_count_where_they_may_be_places():
    fine, coarse = ["a", "b"] * 30, ["10", "20"] * 30
    assert pairs(fine, coarse) == ""
    assert pairs(fine, coarse, as_many=True) == "fine determines coarse"
    assert pairs(["a", "b", "c", "b"] * 15, ["10", "20"] * 30) == "fine determines coarse"


def test_the_first_value_counts_too():
    assert pairs(["a"] * 20 + ["b", "c"] * 20, ["10", "20"] * 10 + ["30", "40"] * 20) == ""


def test_a_column_that_contains_another_may_do_so_in_all_but_one_row_of_fifty():
    fine, coarse = ["44101", "45201"] * 24, ["441", "452"] * 24
    assert "contains" in pairs([*fine, "44102", "45202"], [*coarse, "441", "999"])
    assert "contains" not in pairs([*fine, "44102"], [*coarse, "999"])
    assert "contains" not in pairs(["a10", "b20", "c10"] * 2, ["10", "20", "10"] * 2)  # two digits are too few


def determined(rows, wrong):
    fine, coarse = np.arange(rows) % 4 + 1, np.arange(rows) % 4 // 2 + 1
    coarse = np.where(np.arange(rows) < wrong, 3 - coarse, coarse)
    return fine, coarse


def test_what_chance_would_contradict_as_often_is_not_determined():
    """By the definition: at most 2% of the rows, at most a tenth of what chance contradicts, and that at least 10."""
    tried = set()
    for rows in range(16, 112, 2):
        for wrong in (0, 1, 2):
            fine, coarse = determined(rows, wrong)
            chance = together._exceptions(fine, np.random.default_rng(0).permutation(coarse))
            contradicted = together._exceptions(fine, coarse)
            expected = contradicted <= 0.02 * rows and chance >= 10 and contradicted <= 0.1 * chance
            assert together.determines(fine, coarse) == expected
            tried.add((chance == 10, contradicted > 0 and 10 * contradicted == chance, expected))
    assert any(ten and expected for ten, _, expected in tried)


def test_a_tenth_of_what_chance_contradicts_is_few():
    fine, coarse = np.array([1] * 91 + [2] * 9), np.array([2] + [1] * 90 + [2] * 9)
    assert together.determines(fine, coarse)  # one row of the ten that chance contradicts


def test_exceptions_are_the_rows_without_the_commonest_value():
    assert together._exceptions(np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 1, 2])) == 2


def test_years_and_ages_that_add_up_are_births():
    ages = np.array([30, 40, 50, 0, 70, 31, 41, 51, 61, 71])
    years = 2020 - ages
    assert together._is_birth(ages, years)
    assert not together._is_birth(ages, np.where(np.arange(10) < 3, 1990 + ages, years))
    two_off = years + np.where(np.arange(10) < 2, 5, 0)
    assert together._is_birth(ages, two_off)  # eight of ten
    assert not together._is_birth(ages, years + np.where(np.arange(10) < 3, 2, 0))
    assert together._is_birth(ages, years + np.where(np.arange(10) < 3, 1, 0))  # born after their birthday
    assert not together._is_birth(np.array([30, 40, 50] * 3), np.array([1990, 1980, 1970] * 3))
    assert not together._is_birth(ages, np.array([2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009, 2010]))
    assert not together._is_birth(
        np.array([0, 0, 0, 30, 40, 50, 60]), np.array([1900, 1901, 1902, 1990, 1980, 1970, 1960])
    )


@pytest.mark.parametrize(
    ("age", "year", "tells"),
    [("73", "2003", True), ("73", "2004", False), ("0", "1930", False), ("1", "1931", True), ("90+", "2010", False)],
)
def test_an_age_in_a_year_tells_a_birth(age, year, tells):
    """At 73 in 2003 somebody was born in 1929 or 1930, the last year that must not show."""
    file = WrittenFile((column("age", [age, "30", "31", "33"]), column("visit_year", [year, "2019", "2018", "2018"])))
    seen = together._ages_beside_years(file, {"age": "age", "visit_year": "year"}, RULE)
    assert bool(list(seen)) == tells


@pytest.mark.parametrize("blank", ["", "unknown"])
def test_blank_years_do_not_hide_that_years_are_births(blank):
    ages = [str(age) for age in range(20, 90)]
    years = [str(2020 - int(age)) for age in ages]
    file = WrittenFile((column("age", [*ages, *ages[:30]]), column("visit_year", [*years, *[blank] * 30])))
    assert not list(together._ages_beside_years(file, {"age": "age", "visit_year": "year"}, RULE))


def test_ages_beside_years_need_a_day():
    file = WrittenFile((column("age", ["73", "30"]), column("visit_year", ["2003", "2019"])))
    assert not list(together._ages_beside_years(file, {"age": "age", "visit_year": "year"}, Claim("x", oldest=90)))


def test_only_a_rule_and_key_fields_are_treated():
    file = WrittenFile((column("x", ["44101", "44102", "45201"]), column("zip3", ["441", "441", "452"])))
    kinds = {"x": "", "zip3": "zip3"}
    assert together.attack_pairs(file, kinds, RULE)
    assert together.attack_pairs(file, kinds, Claim(k=2, keys=("zip3",)))
    assert not together.attack_pairs(file, kinds, Claim(k=2))


def numbers_of_people(file, kinds):
    return [finding.columns for finding in together._numbers_of_people(file, kinds)]


def test_codes_that_go_with_two_of_three_fields_are_numbers_of_people():
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(100, 140), 5)
    sex, age = (rng.integers(0, 9, 40)[codes - 100] for _ in range(2))
    free = rng.integers(0, 9, 200)

    def file(*fields):
        return WrittenFile(
            tuple(column(name, [str(v) for v in values]) for name, values in (("loinc", codes), *fields))
        )

    kinds = {"loinc": "LOINC", "sex": "sex", "age": "age", "year": "year", "x": ""}
    assert numbers_of_people(file(("sex", sex), ("age", age), ("year", free)), kinds) == [("loinc",)]
    assert numbers_of_people(file(("sex", sex), ("age", free), ("year", free)), kinds) == []
    assert numbers_of_people(file(("sex", sex)), kinds) == [("loinc",)]
    assert numbers_of_people(file(("sex", sex), ("age", np.zeros(200, dtype=int))), kinds) == [("loinc",)]
    assert numbers_of_people(file(("sex", sex), ("x", age)), {**kinds, "loinc": ""}) == []
    assert numbers_of_people(file(), kinds) == []


def header(*named):
    found = together.attack_header(WrittenFile(tuple(column(name, values) for name, values in named)))
    return "; ".join(finding.what for finding in found)


def test_names_of_columns_that_are_values():
    plain = [("sex", ["M", "F"]), ("stay", ["a", "b"]), ("unit", ["c", "d"]), ("dx1", ["e", "f"])]
    assert header(*plain) == ""
    assert header(("12", ["12", "13"]), *plain) == ""
    assert "2 of 4" in header(("12", ["12", "13"]), ("M", ["M", "F"]), *plain[1:3])
    assert "1 of 1" in header(("E11.9", ["x", "y"]))
    assert header(("dx1", ["x", "y"]), ("dx2", ["x", "y"])) == ""


def test_names_of_columns_that_are_people():
    people = ["James Smith", "Mary Johnson", "Robert Williams"]
    other = [(f"field {at} of the form", ["a", "b"]) for at in range(7)]
    assert "names of people" in header(*[(name, ["a", "b"]) for name in people])
    assert "names of people" not in header(*[(name, ["a", "b"]) for name in people], *other)
    assert "names of people" not in header(*[(name, ["a", "b"]) for name in people[:2]])


def test_fields_that_run_down_a_file():
    assert "3 of 6" in header(("x", ["sex", "age", "date of birth", "u", "v", "w"]))
    assert header(("x", ["sex", "age", "u", "v"])) == ""
    assert header(("x", ["sex", "age", "date of birth", "u", "v", "w", "z"])) == ""


@pytest.mark.parametrize(("known", "least"), [("1", 2), ("2", 1), ("all", 1)])
def test_people_by_what_is_known_of_their_rows(known, least):
    """Rows 0 and 1 of a, 0 and 1 of b, 0 twice of c, 1 of d and e."""
    number, whose = np.array([0, 1, 1, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2, 3, 4])
    people = together._people_by_rows(number, whose, known)
    assert people.min() == {"1": 3, "2": 1, "all": 1}[known] or people.min() == least
    assert sorted(together._people_by_rows(number, whose, "1").tolist()) == [3, 4]
    assert sorted(together._people_by_rows(number, whose, "all").tolist()) == [1, 2, 2, 3, 4]


@pytest.mark.parametrize(
    ("persons", "sexes", "least"),
    [
        (["p1", "p2", ""], "FFF", 3),  # a row without a person counts as one person
        (["", "", ""], "FFF", 3),
        (["", "p1", "p2"], "FFF", 3),
        (["p1", "p1", "p2"], "FFF", 2),
        (["p1", "p2", "p3", "p4"], "FFFM", 1),
    ],
)
def test_people_of_each_class(persons, sexes, least):
    file = WrittenFile((column("id", persons), column("sex", list(sexes))))
    for k in (least, least + 1):
        claim = Claim(k=k, keys=("sex",), person="id")
        found = together.attack_classes(file, claim)
        assert [finding.what for finding in found] == [
            f"the smallest class has {least} of at least {k}, by one row of a person"
        ] * (k > least)


def test_classes_of_a_file_of_one_column():
    (finding,) = together.attack_classes(WrittenFile((column("sex", list("FFM")),)), Claim(k=2, keys=("sex",)))
    assert finding.what.endswith("smallest class has 1 of at least 2, by one row")


# Ages that hardly any two people share.


@pytest.mark.parametrize(
    ("people", "numbers", "hardly"),
    [
        ([1] * 20, [18, 40], True),  # 190 pairs over 23 ages: 8.3 alike by chance
        ([1] * 20, [18, 41], False),  # 7.9
        ([1] * 69 + [2] * 3, [18, 89], True),
        ([1] * 36 + [2] * 36, [18, 89], True),
        ([1] * 35 + [2] * 37, [18, 89], False),  # most have two people
        ([1] * 30 + [2] * 5, [18, 47], True),  # 5 pairs where chance makes 26
        ([1] * 30 + [2] * 6, [18, 71], False),  # 6 where it makes 15.9
        ([1] * 30 + [9], [18, 89], False),  # more than by chance
    ],
)
def test_people_who_hardly_share_a_number(people, numbers, hardly):
    assert together._is_hardly_shared(np.array(people), numbers) is hardly


def test_people_of_a_value_are_of_linked_rows_of_rows_alike_or_of_all():
    rows, rng = np.repeat(np.arange(30), 3), np.random.default_rng(2)
    ages = column("age", [str(20 + at // 2) for at in rows])
    own = column("age", [str(20 + at) for at in rows])
    sex = column("sex", ["FM"[at] for at in rng.integers(0, 2, 30)[rows]])
    whose = column("id", [f"p{at}" for at in rows])
    assert together._people_of(ages, whose, []).tolist() == [2] * 15
    race = column("race", ["abc"[at] for at in rng.integers(0, 3, 30)[rows]])
    assert together._people_of(own, None, [sex, race]).tolist() == [1] * 30
    assert together._people_of(own, None, [sex]).tolist() == [3] * 30  # one column alone may be so by chance
    assert together._people_of(own, None, []).tolist() == [3] * 30
    some = column("age", [str(20 + at) if at else "" for at in rows])
    assert together._people_of(some, whose, []).tolist() == [1] * 29
