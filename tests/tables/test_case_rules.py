"""CDC's ten rules: a planted fault for each, in both readings."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from small_people import people_of

from policy_sim.records.census_values import ColumnMapping, FieldColumn
from policy_sim.tables.case_rules import check_cases, read_cases
from policy_sim.words.errors import PolicySimError

COUNTIES = {
    "53001": 60_000,
    "53003": 60_000,
    "53005": 19_000,
    "53007": 8_000,
    "53009": 8_000,
    "10001": 60_000,
    "10003": 60_000,
}
NAMES = {"53001": "ADAMS", "53003": "ASOTIN", "53005": "BENTON", "53007": "CHELAN", "10001": "KENT"}


def population(people):
    """People by county, sex, race and ethnicity, all of one age class."""
    return people_of(people.assign(age=0, age_width=100), "2019-07-01")


@pytest.fixture(scope="module")
def people():
    rows = [
        {"county": county, "sex": sex, "race": race, "ethnicity": origin, "people": number // 8}
        for county, number in COUNTIES.items()
        for sex in "FM"
        for race in ("white", "asian")
        for origin in ("hispanic", "not_hispanic")
    ]
    rows += [
        {"county": county, "sex": "F", "race": "black", "ethnicity": "hispanic", "people": number}
        for county, number in (("53001", 219), ("53003", 300))
    ]
    frame = pd.DataFrame(rows)
    frame["state"] = np.where(frame["county"].str.startswith("53"), "WA", "DE")
    return population(frame)


def records(number, county="53001", **changed):
    """So many records of a county, as CDC writes them."""
    shown = {
        "case_month": "2021-01",
        "res_state": "WA",
        "state_fips_code": "53",
        "res_county": NAMES.get(county, "NA"),
        "county_fips_code": county,
        "age_group": "18 to 49 years",
        "sex": "Female",
        "race": "White",
        "ethnicity": "Non-Hispanic/Latino",
        "death_yn": "No",
    }
    return [shown | changed] * number


CLEAN = [*records(1200), *records(1200, "53003"), *records(1000, "NA")]


def checked(tmp_path, rows, people, k=11, mapping=None, **named):
    path = tmp_path / "cases.csv"
    (rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows)).to_csv(path, index=False)
    return check_cases(read_cases(path, mapping, **named), people, k)


def broken(answer):
    """How many records break each rule in each reading."""
    return {
        (result.rule, reading): result.records
        for result in answer.results.itertuples()
        for reading in (("text", "program") if result.reading == "both" else (result.reading,))
        if result.records
    }


def both(rule, number):
    return {(rule, "text"): number, (rule, "program"): number}


def test_a_file_that_keeps_all_rules_passes(tmp_path, people):
    answer = checked(tmp_path, CLEAN, people)
    assert broken(answer) == {}
    assert set(answer.results["status"]) == {"holds"}
    assert answer.verdict.startswith("PASSES")


DELAWARE = {"res_state": "DE", "state_fips_code": "10"}
PLANTED = {
    # a state of 999 records: each of its places has fewer than 1,000 too, and the program counts those of both rules
    "1": ([*CLEAN, *records(999, "NA", **DELAWARE)], both(1, 999) | {(2, "program"): 999}),
    "2": ([*records(1200), *records(999, "53003"), *records(1000, "NA")], both(2, 999)),
    "3": ([*records(1200), *records(1200, "53003"), *records(1000, "53005"), *records(1000, "NA")], both(3, 1000)),
    # 219 people of 53001, 300 of 53003; their cases are fewer than half
    "4": ([*CLEAN, *records(20, race="Black", ethnicity="Hispanic/Latino")], both(4, 20)),
    "5": ([*CLEAN, *records(151, "53003", race="Black", ethnicity="Hispanic/Latino")], both(5, 151)),
    "5, exactly half": (
        [*CLEAN, *records(150, "53003", race="Black", ethnicity="Hispanic/Latino")],
        {(5, "program"): 150},
    ),
    "6": ([*CLEAN, *records(10, death_yn="Yes")], both(6, 10)),
    # ten that hide the outcome agree with the 1,200 that do not, where a blank agrees with everything
    "6, a blank": ([*CLEAN, *records(10, death_yn="NA")], {(6, "text"): 10}),
    # what hides the state is itself a state of few records for the program
    "7": (
        [*CLEAN, *records(1000, "NA", res_state="NA", state_fips_code="NA", res_county="ADAMS")],
        both(7, 1000) | {(3, "program"): 1000},
    ),
    "8": ([*CLEAN, *records(1000, "NA", res_state="NA")], both(8, 1000)),
    "9": ([*CLEAN, *records(1000, "53001", res_county="NA")], {(9, "program"): 1000}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found_and_no_other(name, tmp_path, people):
    rows, expected = PLANTED[name]
    answer = checked(tmp_path, rows, people)
    assert broken(answer) == expected
    named = sum(answer.combinations.groupby(["rule", "reading"])["records"].sum())
    assert named == answer.results["records"].sum()


def test_a_state_that_shows_all_counties_but_one_tells_it(tmp_path, people):
    """Delaware has two counties here. Where nobody hides a county the text has nothing to say, and the program has."""
    kent = records(1000, "10001", **DELAWARE)
    answer = checked(tmp_path, [*CLEAN, *kent, *records(1000, "NA", **DELAWARE)], people)
    assert broken(answer) == {(10, "text"): 1000, (10, "program"): 2000}
    assert [result.places for result in answer.results.itertuples() if result.rule == 10] == ["DE", "DE"]
    assert broken(checked(tmp_path, [*CLEAN, *kent], people)) == {(10, "program"): 1000}


def test_any_k(tmp_path, people):
    rows = [*CLEAN, *records(20, death_yn="Yes")]
    assert checked(tmp_path, rows, people).verdict.startswith("PASSES")
    answer = checked(tmp_path, rows, people, k=21)
    assert broken(answer) == both(6, 20)


def test_what_cannot_be_tested_is_not_passed(tmp_path, people):
    rows = pd.DataFrame(CLEAN)
    answer = checked(tmp_path, rows.drop(columns="death_yn"), people)
    assert answer.having("not tested") == (6,)
    assert answer.verdict.startswith("NOT ALL TESTED")
    assert checked(tmp_path, rows.drop(columns="death_yn"), people, absent=["death"]).verdict.startswith("PASSES")
    other = checked(tmp_path, [*CLEAN, *records(30, sex="Other")], people)
    assert other.having("not tested") == (4, 5)
    county = checked(tmp_path, [*CLEAN, *records(1000, "53999", res_county="NOWHERE")], people)
    assert {3, 4, 5} <= set(county.having("not tested"))
    assert broken(county)[3, "program"] == 1000


def test_a_file_with_other_names_codes_and_lost_zeros(tmp_path, people):
    rows = pd.DataFrame(CLEAN).assign(res_state="DE", county_fips_code="")
    rows["county_fips_code"] = ["1001.0"] * 1200 + ["1003.0"] * 1200 + [""] * 1000
    rows = rows.rename(columns={"sex": "Geschlecht", "county_fips_code": "FIPS"}).drop(
        columns=["res_county", "res_state", "state_fips_code"]
    )
    rows["Geschlecht"] = "2"
    mapping = ColumnMapping({"sex": FieldColumn("Geschlecht", {"2": "F"})})
    frame = people.cells.astype({"county": str})
    frame["county"] = frame["county"].replace({"10001": "01001", "10003": "01003"})
    frame["state"] = np.where(frame["county"].str.startswith("01"), "AL", frame["state"].astype(str))
    answer = checked(tmp_path, rows, population(frame[frame["county"] != "x"]), mapping=mapping)
    # both counties are shown, one record hides its own: there is no second one, so it is not one of all but one
    assert broken(answer) == {}
    assert set(answer.results["status"]) == {"holds"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.drop(columns=["res_county", "county_fips_code"]), "no column is known as the county"),
        (lambda rows: rows.assign(gender="F"), "'sex' or 'gender'"),
        (lambda rows: rows.drop(columns=["res_state", "county_fips_code", "state_fips_code"]), "need their state"),
        (lambda rows: rows.head(0), "no record"),
    ],
)
def test_files_that_are_not_understood_are_refused(change, message, tmp_path, people):
    with pytest.raises(PolicySimError, match=re.escape(message)):
        checked(tmp_path, change(pd.DataFrame(CLEAN)), people)


def test_no_record_and_no_value_beside_places_stand_in_the_answer(tmp_path, people):
    """The table of results may be shown: it names counties and states only."""
    rows = [*CLEAN, *records(3, race="Black", ethnicity="Hispanic/Latino", age_group="65+ years", death_yn="Yes")]
    text = checked(tmp_path, rows, people).to_frame().to_csv(index=False)
    assert not re.search(r"65\+|2021-01|Yes", text)
