"""A written file attacked by someone who knows only the file, and the verdict that follows."""

from __future__ import annotations

import ast
import csv
import datetime as dt
import json
import random
import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pandas as pd
import pytest

from policy_sim.release.attack.closed_lists import event_of
from policy_sim.release.attack.report import AttackReport, Claim, Finding, Verdict, Word
from policy_sim.release.attack.run import attack
from policy_sim.words.errors import InputError

PACKAGE = Path(__file__).resolve().parents[2] / "policy_sim"
DAY = dt.date(2026, 6, 30)
SAFE_HARBOR = Claim("safe-harbor", "year", ("state", "zip3"), oldest=90, day=DAY, small=("036", "059"))
LIMITED = Claim(
    "limited-dataset", places=("state", "zip3", "zip5", "county", "town"), letters="ADEFGHIJKLMNOPQ", day=DAY
)
OFFICER = Word("A. Officer")
RNG = random.Random(5)


OTHERS = ("what others know of the people", "no other file was compared")


def spread(*values: str, rows: int = 60) -> list[str]:
    """Values in turn, so that each repeats."""
    return [values[at % len(values)] for at in range(rows)]


@pytest.fixture
def attacked(tmp_path):
    """Write columns to a CSV file and attack it; columns may be named as no Python name is."""

    def attack_columns(claim: Claim, columns: dict[str, list[str]]) -> AttackReport:
        with (tmp_path / "release.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
        return attack(tmp_path / "release.csv", claim)

    return attack_columns


def found(report: AttackReport) -> str:
    assert report.broken == ""
    return "; ".join(map(str, report.findings))


def said(*names: str) -> dict[str, Word]:
    return dict.fromkeys(names, OFFICER)


# What is met, and what each line says.

ORDINARY = {
    "sex": spread("F", "M"),
    "race": spread("White", "Black or African American", "Asian"),
    "age": spread("34", "80", "90+"),
    "birth_year": spread("1937", "1980", "1936 or before"),
    "admit_year": spread("2024", "2025"),
    "zip": spread("432", "000"),
    "state": spread("OH", "PA"),
    "dx": spread("E11.9", "I10"),
    "ms_drg": spread("470", "871"),
    "cpt": spread("99213", "99214", "70450"),
    "loinc": spread("2345-7", "4548-4"),
}


def test_what_the_rule_allows_is_met(attacked):
    report = attacked(SAFE_HARBOR, ORDINARY)
    assert found(report) == ""
    assert str(Verdict(report)) == "MET: 11 of 11 columns attacked"
    assert dict(report.explained) == {
        "sex": "sex", "race": "race or ethnicity", "age": "age", "birth_year": "year", "admit_year": "year",
        "zip": "zip3", "state": "state", "dx": "ICD-10-CM", "ms_drg": "MS-DRG", "cpt": "CPT or HCPCS", "loinc": "LOINC",
    }  # fmt: skip
    assert len(report.tried) == 4
    assert report.not_tried == (OTHERS,)
    linked = ("the rows of one person", "the file does not show which rows belong to one person")
    assert attacked(SAFE_HARBOR.but(person="mrn"), ORDINARY).not_tried == (linked, OTHERS)
    joined = (linked[0], "no column of the file names the person; the release counted people, by all rows of a person")
    assert attacked(SAFE_HARBOR.but(person="mrn", known_rows="all"), ORDINARY).not_tried == (joined, OTHERS)
    by_sex = attacked(SAFE_HARBOR.but(person="sex"), ORDINARY)
    joins, others = (what for what, _ in by_sex.not_tried)
    assert joins.startswith("other ways to join the rows")
    assert others == OTHERS[0]


def test_what_no_list_explains_rests_on_a_word_or_is_found(attacked):
    columns = {"sex": spread("F", "M"), "los": spread("1", "7", "12")}
    assert "los: no closed list has its values" in found(attacked(SAFE_HARBOR, columns))
    report = attacked(SAFE_HARBOR.but(words=said("los")), columns)
    assert str(Verdict(report)) == "MET for 1; 1 on A. Officer's word"
    two = SAFE_HARBOR.but(words={"los": OFFICER, "sex": Word("B. Smith"), "x": Word("C.")})
    assert attacked(two, columns).words == {"los": "A. Officer"}  # sex is explained, x is not in the file


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mrn", [f"{n}-0" for n in range(27600, 27660)]),
        ("px", spread("99213", "99214")),
        ("px_mrn", spread("10136", "10137")),
        ("procedure_patient_number", spread("10136", "10137")),
        ("cpt", [str(n) for n in range(10136, 10196)]),  # a different value in every record
        ("cpt", spread("45805", "45801", "43215", "43201", "44101", "44105")),  # ZIP codes
        ("cpt", spread("10136-02-27-06", "10137-03-11-44")),
        ("drg_pt_no", spread("470", "871")),
        ("ms_drg", spread("104", "105")),  # no numbers in force
        ("aprdrg", spread("470", "871")),  # another system's numbers
        ("loinc", [f"{n}-0" for n in range(27600, 27660)]),
        ("x", [f"S{n:02}" for n in range(60)]),  # numbered subjects, which are categories of ICD-10-CM too
        ("subject_id", spread("E11.9", "I10")),
        ("x", spread("1", "2")),  # sex by its values only where the name says so
        ("data_id", [str(n) for n in range(1950, 2010)]),
        ("week_id", spread("1950", "1951")),
        ("birth_year", [str(n) for n in range(1940, 2000)]),  # running numbers
        ("zip", spread("43215", "432")),
        ("pharmacy_zip", spread("43215", "44101")),
        ("county", spread("39049", "39035")),
        ("ward", spread("Lima", "Kent", "Dover")),
        ("age_code", spread(*map(str, range(21)))),
        ("agegrp", spread("1", "2", "13")),
        ("drg_age", spread("90", "104")),
        ("age", spread("34", "95")),
        ("age", spread("34", "95+")),
        ("enlisted_on", spread("1940", "1961", "2024")),
        ("medicare_start", spread("1987", "2005")),
        ("exam_year", spread("1943", "2024")),
        ("admit_year", spread("1990", "2024")),
        ("birth_year", spread("1936", "1980")),
        ("seen", spread("2025-03-04", "2025-03-05")),
        ("seen", ["2025", *spread("2024", "2025"), "2025-03-04"]),
        ("seen_mon", spread("3", "12")),
        ("seen", spread("March", "April")),
        ("seen", spread("4 Mar", "11 Apr")),
        ("seen", spread("3/4/25", "3/5/25")),
        ("seen", spread("19010801", "19520301")),
        ("zip", spread("432", "036")),
    ],
)  # fmt: skip
def test_what_looks_harmless_is_asked_about(attacked, name, values):
    """Nothing of it is said to be met; a person's word may settle some of it, and a certain finding never."""
    report = attacked(SAFE_HARBOR, {"sex": spread("F", "M", rows=len(values)), name: values})
    assert report.findings
    assert all(finding.columns in ((name,), (name, "sex")) for finding in report.findings)
    assert not any(value in found(report) for value in values if len(value) > 4)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["a.roe@example.org", "none"], "e-mail addresses (1 record)"),
        (["20MAR2025", "21MAR2025"], "contains dates (2 values)"),
        (["March", "April"], "parts of dates"),
        (["Roe, Mary", "Smith, John", "Jones, Anna"], "names of people"),
        (["10.0.0.1", "-"], "IP addresses"),
        (["12 Elm Street", "-"], "street addresses"),
        (["Medicare"] * 60 + ["Anna Smith", "Blue Cross"], "names of people in rare values (1 record)"),
        (["F\u200b", "F"], "characters that nobody sees"),
        (["seen by Dr. Okafor", "none"], "names of people, by their titles (1 value)"),
        (["1HGCM82633A004352", "none"], "vehicle numbers (1 value)"),
        (["March 14", "none", "ok"], "parts of dates"),
        (["03/14", "none", "ok"], "parts of dates"),
        (["age 97", "none"], "ages of 90 and over"),
        (["97 yo", "none"], "ages of 90 and over"),
        (
            [*map(str, range(614000001, 614000005)), *["4.0", "12.0"] * 20],
            "long numbers among short values (4 records)",
        ),
        ([str(1_589_366_400 + 86399 * at) for at in range(9)], "seconds since 1970 (9 records)"),
    ],
)
def test_a_word_does_not_cover_what_is_certain(attacked, values, what):
    report = attacked(SAFE_HARBOR.but(words=said("x")), {"x": values, "sex": spread("F", "M", rows=len(values))})
    (finding,) = report.findings
    assert what in str(finding)
    assert not any(value in str(finding) for value in values if len(value) > 1)


def test_what_may_be_counts_unless_the_person_saw_it(attacked):
    columns = {"x": [str(123_456_000 + 17 * n) for n in range(40)], "sex": spread("F", "M", rows=40)}
    assert "may contain Social Security or taxpayer numbers" in found(
        attacked(SAFE_HARBOR.but(words=said("x")), columns)
    )
    seen = Word("A. Officer", ("Social Security or taxpayer numbers",))
    verdict = str(Verdict(attacked(SAFE_HARBOR.but(words={"x": seen}), columns)))
    doubt = "x may contain Social Security or taxpayer numbers (40 records)"
    assert verdict == f"MET for 1; 1 on A. Officer's word; {doubt}"


def test_the_limited_data_set_lets_dates_and_places_show_and_no_number(attacked):
    shown = {
        "seen": spread("2025-03-04", "2025-03-05"), "zip": spread("43215", "45805"), "county": spread("39049", "39003"),
        "age": spread("34", "101"), "born": spread("1931-01-01", "1980-05-05"),
    }  # fmt: skip
    assert found(attacked(LIMITED, shown)) == ""
    assert "holds telephone numbers" in found(attacked(LIMITED, shown | {"x": spread("330-555-0142", "330-555-0143")}))
    assert "holds coordinates" in found(attacked(LIMITED, shown | {"x": spread("40.1234, -81.1234", "40.2, -81")}))
    numbers = [str(n) for n in range(19010801, 19010861)]  # eight digits are no dates
    assert "nobody has decided" in found(attacked(LIMITED, shown | {"x": numbers}))


# Years, by when in life their event happens.


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("year_of_birth", "birth"), ("dob", "birth"), ("admit_date", "care"), ("fiscal_year", "care"), ("year", "time"),
        ("enlisted_on", ""), ("data_id", ""), ("day_room", ""), ("medicare_start", ""), ("wedding_date", ""),
    ],
)  # fmt: skip
def test_a_name_says_when_an_event_happens_only_by_all_of_its_words(name, event):
    assert event_of(name) == event


def test_a_stated_age_moves_the_last_year_that_must_not_show(attacked):
    """Whoever is 65 at the start of Medicare was born in 1936 or before if it started in 2001 or before."""
    columns = {"medicare_start": spread("2001", "2010", "2020"), "sex": spread("F", "M")}
    unknown = found(attacked(SAFE_HARBOR, columns))
    assert "1 value of the year 2005 or before" in unknown
    assert 'youngest="medicare_start=AGE"' in unknown
    stated = SAFE_HARBOR.but(words={"medicare_start": Word("A. Officer", youngest=65)})
    assert "year 2001 or before" in found(attacked(stated, columns))
    for first in ("2002", "2001 or before"):
        assert found(attacked(stated, columns | {"medicare_start": spread(first, "2010", "2020")})) == ""


def test_a_recent_event_needs_no_age(attacked):
    assert found(attacked(SAFE_HARBOR, {"t_in": spread("2006", "2026"), "sex": spread("F", "M")})) == ""
    assert "the year 2005 or before" in found(
        attacked(SAFE_HARBOR, {"t_in": spread("2005", "2026"), "sex": spread("F", "M")})
    )


def test_an_age_next_to_a_year_tells_a_birth(attacked):
    """Of 73 in 2009, one was born in 1935 or 1936."""
    columns = {"age": spread("73", "40"), "visit_year": spread("2009", "2024")}
    assert re.search("age together with visit_year .* 1936 or before", found(attacked(SAFE_HARBOR, columns)))
    assert found(attacked(SAFE_HARBOR, columns | {"age": spread("72", "40")})) == ""
    born = {"age": spread("88", "40", "51", "62"), "birth_year": spread("1937", "1985", "1974", "1963")}
    assert found(attacked(SAFE_HARBOR, born)) == ""


# Names of columns, and files of another layout.


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("dx 2025-03-04", "a date"), ("dx 7MAR2025", "a date"), ("MRN 1000234 dx", "record numbers"),
        ("dx 330-555-0142", "telephone numbers"), ("dx maria.okafor@example.org", "e-mail addresses"),
        ("dx 123-45-6789", "Social Security numbers"), ("Okafor, Maria", "names of people"),
        ("dx_44503", "a long number"), ("x7MAR2025", "a date"), ("mar14", "a date"),
        ("1J20-BG2-JM50_year", "Medicare numbers (MBI)"), ("Mahoning County_year", "a county"),
        ("sex (2001:db8::7a3f:1a2)", "IP addresses"), ("dx_2001:db8::7a3f:1a2", "IP addresses"),
        ("sex (2001:db8::36b405:ff9)", "IP addresses"),
        ("dx maria7 (at) example (dot) com", "e-mail addresses"), ("dx_maria at example dot com", "e-mail addresses"),
    ],
)  # fmt: skip
def test_a_name_of_a_column_is_attacked_like_a_value(attacked, name, what):
    columns = {
        "sex": spread("F", "M"),
        "age": spread("34", "60"),
        "race": spread("White", "Asian"),
        name: spread("I10", "E11.9"),
    }
    assert f"its name contains {what}. Give the column another name" in found(attacked(SAFE_HARBOR, columns))


@pytest.mark.parametrize(
    ("ages", "asked"),
    [
        (range(18, 90), True),
        ([18 + at % 72 for at in range(100)], True),  # 28 pairs where chance makes 69
        ([18 + at % 72 for at in range(120)], False),  # most have two people
        ([*range(18, 40), *range(18, 40, 7)], False),  # 4 pairs where chance makes 15 of at least
        (range(20, 80, 4), False),
        ([*range(18, 90), "90+", "unknown"], True),
        ([*range(18, 90), *["under 18"] * 3, *[f"{n} months" for n in range(80)]], False),
    ],
)
def test_ages_that_hardly_any_two_people_share_are_asked_about(attacked, ages, asked):
    for claim in (SAFE_HARBOR, LIMITED):
        report = found(attacked(claim, {"age_code": [str(age) for age in ages]}))
        assert ("hardly any two people have the same" in report) is asked


def test_numbers_called_ages_are_counted_by_people(attacked):
    """Of 45 people with four rows each, none shares the number; where the sexes contradict it, rows are people."""
    people = [at for at in range(45) for _ in range(4)]
    sexes, races, rng = RNG.choices("FM", k=45), RNG.choices(("White", "Asian"), k=45), random.Random(3)
    columns = {"Alter": [str(18 + at) for at in people], "sex": [sexes[at] for at in people]}
    columns["race"] = [races[at] for at in people]
    assert "Alter: hardly any two people" in found(attacked(SAFE_HARBOR, columns))
    assert "hardly" not in found(attacked(SAFE_HARBOR.but(words=said("Alter")), columns))
    loose = columns | {"sex": rng.choices("FM", k=180)}
    assert "hardly" not in found(attacked(SAFE_HARBOR, loose))
    linked = loose | {"key": [f"{2**127 + at:032x}" for at in people]}
    claim = SAFE_HARBOR.but(person="key", pseudonyms=("key",))
    assert "Alter: hardly any two people" in found(attacked(claim, linked))
    shared = linked | {"Alter": [str(18 + at % 15) for at in people]}
    assert "hardly" not in found(attacked(claim, shared))


@pytest.mark.parametrize(
    ("odd", "asked"),
    [
        (["K81", "F48", "N48"], True),
        (["K81", "F48"], False),
        (["K81", "F48", "N48"] * 2, False),  # categories that come again
        (["I10", "R05.9", "J00"], False),  # no other codes stand below these
    ],
)
def test_categories_that_stand_once_each_among_codes_are_asked_about(attacked, odd, asked):
    columns = {"dx": [*odd, *spread("E11.9", "M54.50", "F32.9")], "sex": spread("F", "M", rows=60 + len(odd))}
    report = found(attacked(SAFE_HARBOR, columns))
    assert (report == "") is not asked
    assert ("3 values that are only categories" in report) is asked
    assert found(attacked(SAFE_HARBOR.but(words=said("dx")), columns)) == ""


def test_a_column_of_categories_only_is_one(attacked):
    columns = {"dx": [*spread("E11", "M54", "F32"), "K81", "F48", "N48"], "sex": spread("F", "M", rows=63)}
    assert found(attacked(SAFE_HARBOR, columns)) == ""


def test_names_of_columns_that_are_built_as_a_person_is_named_in_others_are_found(attacked):
    columns = {
        name: spread("F", "M") for name in ("sex (Rosa Castellanos)", "sex (Ngozi Obradovic)", "use (Total Charges)")
    }
    report = attacked(SAFE_HARBOR.but(words=said(*columns)), columns)
    assert {name for finding in report.findings for name in finding.columns} == {*list(columns)[:2]}


def test_dates_in_names_are_found_without_a_rule_too(attacked):
    columns = {"1988-06": spread("1", "2"), "sex": spread("F", "M")}
    assert "its name contains a date" in found(attacked(Claim(k=2, keys=("sex",)), columns))


def test_a_year_in_a_name_and_ordinary_names_are_no_finding(attacked):
    names = ("visits_2024", "Total Charges", "Max Dose", "Art Line", "Kosten", "q_11", "Grace Period", "loinc_2345_7")
    columns = {name: spread("3", "7", "12") for name in names}
    assert found(attacked(SAFE_HARBOR.but(words=said(*names)), columns)) == ""


@pytest.mark.parametrize(
    "columns",
    [
        {"F": spread("F", "M"), "1941": spread("1941", "1980"), "E11.9": spread("E11.9", "I10")},
        {"F": spread("F", "M"), "03/14/1941": spread("1941", "1980"), "44503": spread("445", "432")},
        {"M": spread("F", "M"), "White": spread("White", "Black")},
    ],
)
def test_a_file_without_a_header_is_asked_about(attacked, columns):
    assert "as in a file without a header" in found(attacked(SAFE_HARBOR, columns))


def test_a_column_per_person_and_a_file_that_runs_down_are_asked_about(attacked):
    people = ("Okafor, Maria", "Ramirez, James", "Smith, Linda")
    wide = {name: spread("I10", "E11.9") for name in people}
    assert "one column per person" in found(attacked(SAFE_HARBOR, wide))
    firsts = {name: spread("I10", "E11.9") for name in ("Maria", "James", "Linda", "Robert")}
    assert "one column per person" in found(attacked(SAFE_HARBOR, firsts))
    plain = {name: spread("1", "2") for name in ("race", "age", "vote")}
    assert "one column per person" not in found(attacked(SAFE_HARBOR, plain))
    down = {"field": ["sex", "age", "zip", "dx"], "p1": ["F", "34", "432", "I10"]}
    claim = SAFE_HARBOR.but(words=said("field", "p1"))
    assert re.search("field: .* a file that runs down: 3 of 4", found(attacked(claim, down)))


# Columns together.


def drawn(values: list[str], rows: int = 300) -> list[str]:
    rng = random.Random(3)
    return [rng.choice(values) for _ in range(rows)]


def test_a_column_that_contains_a_treated_one_is_found(attacked):
    fine = drawn(["45805", "45801", "43215", "43201"])
    columns = {"zip": [code[:3] for code in fine], "x7": fine}
    claim = SAFE_HARBOR.but(words={"x7": Word("A. Officer", ("ZIP codes",))})
    assert "x7 and zip: x7 contains zip" in found(attacked(claim, columns))
    claims = {"year": spread("2024", "2025", rows=len(fine))}
    claims |= {"claim": [f"CL-{year}-{at % 40:02}" for at, year in enumerate(claims["year"])]}
    assert "claim contains year" in found(attacked(SAFE_HARBOR.but(words=said("claim")), claims))


def test_a_column_that_determines_a_treated_one_is_found(attacked):
    facility = drawn([f"H{n}" for n in range(9)])
    columns = {"facility": facility, "zip": [("432", "458", "441")[int(name[1]) % 3] for name in facility]}
    claim = SAFE_HARBOR.but(words=said("facility"))
    assert "facility and zip: facility determines zip" in found(attacked(claim, columns))
    few = columns | {"zip": ["432" if at % 60 == 0 else code for at, code in enumerate(columns["zip"])]}
    assert "facility determines zip" in found(attacked(claim, few))  # but for a few rows
    many = columns | {"zip": ["432" if at % 8 == 0 else code for at, code in enumerate(columns["zip"])]}
    assert found(attacked(claim, many)) == ""
    as_many = columns | {"facility": [("A", "B", "C")[int(name[1]) % 3] for name in facility]}
    assert "facility determines zip" in found(attacked(claim, as_many))  # it may be one town in each
    fewer = columns | {"facility": [("A", "B", "B")[int(name[1]) % 3] for name in facility]}
    assert found(attacked(claim, fewer)) == ""
    wave = {"wave": [("A", "B", "C")[int(name[1]) % 3] for name in facility]}
    years = {"year": [("2023", "2024", "2025")[int(name[1]) % 3] for name in facility]}
    assert found(attacked(SAFE_HARBOR.but(words=said("wave")), wave | years)) == ""  # the same years again
    chance = columns | {"zip": drawn(["432", "458", "441"], 301)[1:]}
    assert found(attacked(claim, chance)) == ""


@pytest.mark.parametrize("name", ["cpt", "loinc", "zip3"])
def test_numbers_of_people_with_several_rows_are_no_codes(attacked, name):
    """Sixty people with four rows each: their numbers repeat as codes do, and each has one sex and one age."""
    rng = random.Random(4)
    codes = {"cpt": [f"{n}" for n in range(10200, 10800, 10)], "zip3": [f"{n}" for n in range(300, 360)]}
    codes["loinc"] = [f"{n}-{check_digit(str(n))}" for n in range(1000, 1060)]
    people = [(rng.choice("FM"), str(rng.randrange(20, 80)), code) for code in codes[name]]
    columns = {key: [person[at] for person in people for _ in range(4)] for at, key in enumerate(("sex", "age", name))}
    assert f"{name}: each of its values goes with one" in found(attacked(SAFE_HARBOR, columns))
    columns["age"] = [str(rng.randrange(20, 80)) for _ in columns["age"]]
    columns["sex"] = [rng.choice("FM") for _ in columns["sex"]]
    assert found(attacked(SAFE_HARBOR, columns)) == ""


def check_digit(number: str) -> int:
    doubled = (2 * int(d) - 9 * (int(d) > 4) if at % 2 == 0 else int(d) for at, d in enumerate(reversed(number)))
    return -sum(doubled) % 10


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("birth_wt_mg", ["10050", "98900", "30240"]),
        ("lab_loinc", ["2085-9", "2951-2", "2093-3"]),
        ("week", ["1", "52"]),
    ],
)
def test_a_word_brings_a_harmless_column_back(attacked, name, values):
    columns = {"sex": spread("F", "M"), name: spread(*values)}
    assert found(attacked(SAFE_HARBOR.but(words=said(name)), columns)) == ""


def test_classes_are_counted_by_their_texts(attacked):
    columns = {"sex": spread("F", "M"), "age": spread("30-39", "40-49"), "facility": spread("A", "B", "C")}
    claim = Claim(k=30, keys=("sex", "age"), words=said("facility"))
    assert str(Verdict(attacked(claim, columns))) == "MET for 2; 1 on A. Officer's word"
    assert "smallest class has 30 of at least 31" in found(attacked(claim.but(k=31), columns))
    columns["age"][0] = "50-59"
    assert "smallest class has 1 of at least 30" in found(attacked(claim, columns))


def test_people_are_counted_by_all_of_their_rows(attacked):
    """Sixteen people with two rows each: every row is shared by four people, every pair of rows is one person's."""
    pairs = [(a, b) for a in "abcd" for b in "efgh"]
    columns = {
        "id": [f"{2**127 + at:032x}" for at in range(16) for _ in "12"],
        "x": [value for pair in pairs for value in pair],
    }
    claim = Claim(k=4, keys=("x",), person="id", pseudonyms=("id",))
    assert found(attacked(claim, columns)) == ""
    by_all = claim.but(known_rows="all")
    assert re.search("smallest class has 1 of at least 4, by all rows", found(attacked(by_all, columns)))
    turned = {name: values[::-1] for name, values in columns.items()}
    assert found(attacked(by_all, turned)) == found(attacked(by_all, columns))


def test_labels_that_the_release_made_are_no_names(attacked):
    columns = {"origin": spread("Anna Smith", "Linda Okafor", "Robert Haddad")}
    claim = Claim(k=2, keys=("origin",))
    assert "names of people" in found(attacked(claim, columns))
    assert found(attacked(claim.but(coined={"origin": ("Anna Smith", "Linda Okafor", "Robert Haddad")}), columns)) == ""


@pytest.mark.parametrize("values", [["White", "Black"], ["Georgia", "Virginia", "Montana"], ["Female", "Male"]])
def test_a_closed_vocabulary_names_nobody(attacked, values):
    assert found(attacked(Claim(k=2, keys=("x",)), {"x": spread(*values)})) == ""


@pytest.mark.parametrize("values", [["Jordan", "Chad", "Georgia", "Israel"], ["Head", "Child", "Son", "Husband"]])
def test_names_in_a_key_field_are_names_in_whatever_class(attacked, values):
    assert "may contain first or last names" in found(attacked(Claim(k=2, keys=("first",)), {"first": spread(*values)}))


# Containers, and attacks that fail.


def test_three_containers_are_opened(attacked, tmp_path):
    frame = pd.DataFrame(ORDINARY)
    report = attacked(SAFE_HARBOR, ORDINARY)
    frame.to_parquet(tmp_path / "r.parquet", index=False)
    frame.to_excel(tmp_path / "r.xlsx", index=False)
    assert attack(tmp_path / "r.parquet", SAFE_HARBOR) == report
    assert attack(tmp_path / "r.xlsx", SAFE_HARBOR) == report


def test_what_a_workbook_holds_beside_its_cells_is_attacked(tmp_path):
    with pd.ExcelWriter(tmp_path / "r.xlsx") as book:
        pd.DataFrame({"sex": spread("F", "M")}).to_excel(book, index=False)
        pd.DataFrame({"x": ["a.roe@example.org"]}).to_excel(book, sheet_name="old", index=False)
    report = attack(tmp_path / "r.xlsx", SAFE_HARBOR)
    assert re.search("outside its cells .* e-mail addresses", found(report))


@pytest.mark.parametrize("name", ["none.csv", "empty.csv", "wrong.parquet", "wrong.xlsx", "r.txt"])
def test_what_cannot_be_opened_is_not_tested(tmp_path, name):
    if not name.startswith("none"):
        (tmp_path / name).write_text("" if name.startswith("empty") else "Roe, Mary\n1\n")
    verdict = Verdict(attack(tmp_path / name, SAFE_HARBOR))
    assert str(verdict).startswith("NOT TESTED: ")
    assert "Roe" not in str(verdict)
    assert (verdict.exit_status, verdict.is_met) == (3, False)


def test_an_attack_that_breaks_is_not_tested(attacked, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("Roe, Mary")

    monkeypatch.setattr("policy_sim.release.attack.run.attack_pairs", broken)
    assert str(Verdict(attacked(SAFE_HARBOR, ORDINARY))) == "NOT TESTED: the attack failed (ZeroDivisionError)"


# The verdict.


def test_a_verdict_is_made_from_a_report_alone():
    for other in ("MET: 7 of 7 columns attacked", None, {}, Verdict(AttackReport())):
        with pytest.raises(InputError, match="report of an attack"):
            Verdict(other)
    verdict = Verdict(AttackReport())
    assert str(verdict).startswith("NOT TESTED: no attack")
    with pytest.raises(FrozenInstanceError):
        verdict.report = AttackReport(("a",), {}, ("b",))


def test_what_a_verdict_says_of_findings():
    findings = tuple(Finding((name,), "contains dates", "Leave it out") for name in "abcde")
    verdict = Verdict(AttackReport(tuple("abcde"), {}, ("values",), findings, broken="half"))
    assert str(verdict).startswith("NOT MET: a: contains dates. Leave it out; b: ")
    assert str(verdict).endswith("; and 2 more")
    assert verdict.exit_status == 1
    held = json.loads(json.dumps(verdict.as_json()))
    assert list(held) == ["verdict", "conditions", "tried", "found", "not_tried"]
    assert held["found"][0] == {"columns": ["a"], "what": "contains dates", "do": "Leave it out"}
    nothing = dict.fromkeys(("recognized_as", "on_word_of", "guess", "may_contain"), "")
    assert held["tried"][0]["columns"][0] == {"column": "a", **nothing}
    assert "; and" not in str(Verdict(AttackReport(("a",), {}, ("values",), findings[:3])))


def test_a_claim_comes_back_from_a_file():
    claim = SAFE_HARBOR.but(words={"x": Word("A.", ("ZIP codes",), 65)}, coined={"y": ("z",)}, k=3, keys=("x",))
    assert Claim.of_json(json.loads(json.dumps(claim.as_json()))) == claim
    assert Claim.of_json(json.loads(json.dumps(Claim().as_json()))) == Claim()
    with pytest.raises(InputError, match="one of none, year, month, day"):
        Claim(dates="week")


# What the attack may know.

MAY_KNOW = (
    "records/identifiers.py",
    "records/dates.py",
    "records/vocabularies.py",
    "formulas/known_rows.py",  # a formula: it knows arrays and nothing of a release
    "formulas/histogram.py",
)


def _ours(path: Path):
    """Modules that a module imports, at its top, inside functions or for types."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            place = PACKAGE.parent.joinpath(*name.split("."))
            yield from (p for p in (place.with_suffix(".py"), place / "__init__.py") if p.is_file())


def test_the_attack_knows_the_file_and_nothing_of_the_release():
    todo, seen = sorted((PACKAGE / "release" / "attack").glob("*.py")), set()
    while todo:
        path = todo.pop()
        if path not in seen and path != PACKAGE / "__init__.py":
            seen.add(path)
            todo += _ours(path)
    names = {path.relative_to(PACKAGE).as_posix() for path in seen}
    others = {n for n in names if not n.startswith(("words/", "files/", "release/attack/")) and n not in MAY_KNOW}
    assert others <= {"release/__init__.py", "records/__init__.py"}
