"""CDC's ten rules: planted faults in both readings, and what CDC's own program printed; plans for counties.

The program is R/review_public_geo.R of CDCgov/covid_case_privacy_review (commit 5829a07) with freqCalc of sdcMicro
(commit 0394d0c), run in R 4.2.2. CDC's example, its case file of March 2021, is not in its repository.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from small_people import people_of

from policy_sim.records.census_values import ColumnMapping, FieldColumn
from policy_sim.tables.case_rules import check_cases, read_cases
from policy_sim.tables.cases import ReleasedFields, allowed_fields, county_counts, plan, read_county_counts
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
NAMES = {"53001": "ADAMS", "53003": "ASOTIN", "53005": "BENTON", "53007": "CHELAN"}


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


STATE_CODES = {"WA": "53", "DE": "10", "VT": "50", "HI": "15"}


def records(number, state, county="NA", code="NA", **changed):
    """So many records, as CDC writes them."""
    place = {"res_state": state, "state_fips_code": STATE_CODES.get(state, "NA"), "res_county": county}
    person = {"sex": "Female", "race": "White", "ethnicity": "Non-Hispanic/Latino"}
    told = {"county_fips_code": code, "case_month": "2021-01", "age_group": "18 to 49 years", "death_yn": "No"}
    return [place | told | person | changed] * number


def of_county(number, county="53001", **changed):
    """So many records of a county of Washington."""
    return records(number, "WA", NAMES.get(county, "NA"), county, **changed)


CLEAN = [*of_county(1200), *of_county(1200, "53003"), *of_county(1000, "NA")]


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


@pytest.mark.parametrize("time", ["onset_date", "ReportDate", "MMWR week", "specimen date"])
@pytest.mark.parametrize("age", ["age_years", "Age at onset"])
def test_fields_under_the_names_that_line_lists_use(tmp_path, people, time, age):
    """The same faults are found as under CDC's names."""
    rows, expected = PLANTED["6"]
    named = {"case_month": time, "age_group": age, "res_county": "County of residence", "sex": "Patient sex"}
    answer = checked(tmp_path, pd.DataFrame(rows).rename(columns=named), people)
    assert broken(answer) == expected
    assert f"{time} as month" in answer.notes[0]


def test_two_columns_of_dates_are_asked_about(tmp_path, people):
    rows = pd.DataFrame(CLEAN).rename(columns={"case_month": "onset_date"}).assign(report_date="2021-02")
    with pytest.raises(PolicySimError, match="month may be column 'onset_date' or 'report_date'"):
        checked(tmp_path, rows, people)


PLANTED = {
    # a state of 999 records: each of its places has fewer than 1,000 too, and the program counts those of both rules
    "1": ([*CLEAN, *records(999, "DE")], both(1, 999) | {(2, "program"): 999}),
    "2": ([*of_county(1200), *of_county(999, "53003"), *of_county(1000, "NA")], both(2, 999)),
    "3": ([*CLEAN, *of_county(1000, "53005")], both(3, 1000)),
    # 219 people of 53001, 300 of 53003; their cases are fewer than half
    "4": ([*CLEAN, *of_county(20, race="Black", ethnicity="Hispanic/Latino")], both(4, 20)),
    "5": ([*CLEAN, *of_county(151, "53003", race="Black", ethnicity="Hispanic/Latino")], both(5, 151)),
    "5, exactly half": (
        [*CLEAN, *of_county(150, "53003", race="Black", ethnicity="Hispanic/Latino")],
        {(5, "program"): 150},
    ),
    "6": ([*CLEAN, *of_county(10, death_yn="Yes")], both(6, 10)),
    # ten that hide the outcome agree with the 1,200 that do not, where a blank agrees with everything
    "6, a blank": ([*CLEAN, *of_county(10, death_yn="NA")], {(6, "text"): 10}),
    # what hides the state is itself a state of few records for the program
    "7": (
        [*CLEAN, *records(1000, "NA", "ADAMS")],
        both(7, 1000) | {(3, "program"): 1000},
    ),
    "8": ([*CLEAN, *of_county(1000, "NA", res_state="NA")], both(8, 1000)),
    "9": ([*CLEAN, *of_county(1000, "53001", res_county="NA")], {(9, "program"): 1000}),
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
    kent = records(1000, "DE", "KENT", "10001")
    answer = checked(tmp_path, [*CLEAN, *kent, *records(1000, "DE")], people)
    assert broken(answer) == {(10, "text"): 1000, (10, "program"): 2000}
    assert [result.places for result in answer.results.itertuples() if result.rule == 10] == ["DE", "DE"]
    assert broken(checked(tmp_path, [*CLEAN, *kent], people)) == {(10, "program"): 1000}


def test_any_k(tmp_path, people):
    rows = [*CLEAN, *of_county(20, death_yn="Yes")]
    assert checked(tmp_path, rows, people).verdict.startswith("PASSES")
    answer = checked(tmp_path, rows, people, k=21)
    assert broken(answer) == both(6, 20)


def test_what_cannot_be_tested_is_not_passed(tmp_path, people):
    rows = pd.DataFrame(CLEAN)
    answer = checked(tmp_path, rows.drop(columns="death_yn"), people)
    assert answer.having("not tested") == (6,)
    assert answer.verdict.startswith("NOT ALL TESTED")
    assert checked(tmp_path, rows.drop(columns="death_yn"), people, absent=["death"]).verdict.startswith("PASSES")
    other = checked(tmp_path, [*CLEAN, *of_county(30, sex="Other")], people)
    assert other.having("not tested") == (4, 5)
    county = checked(tmp_path, [*CLEAN, *of_county(1000, "53999", res_county="NOWHERE")], people)
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
    rows = [*CLEAN, *of_county(3, race="Black", ethnicity="Hispanic/Latino", age_group="65+ years", death_yn="Yes")]
    text = checked(tmp_path, rows, people).to_frame().to_csv(index=False)
    assert not re.search(r"65\+|2021-01|Yes", text)


# What CDC's own program printed, on files that are made here from its table of people.


STATES = {"Delaware": "DE", "Vermont": "VT", "Hawaii": "HI"}
RACES = {
    "White": ("WA", "white"),
    "Black": ("BA", "black"),
    "Asian": ("AA", "asian"),
    "American Indian/Alaska Native": ("IA", "aian"),
    "Native Hawaiian/Other Pacific Islander": ("NA", "nhpi"),
    "Multiple/Other": ("TOM", "multiple"),
}
ORIGINS = {"H": "hispanic", "NH": "not_hispanic"}


@pytest.fixture(scope="module")
def people_of_2019(shared):
    """CDC's people of three states."""
    path = shared / "rules" / "cases" / "cdc_county_pop_demo_2019.csv.gz"
    table = pd.read_csv(path, dtype={0: str}, encoding="utf-8-sig")
    table.columns = ["county", *(name.removeprefix("SUM_of_") for name in table.columns[1:])]
    return table[table["STNAME"].isin(STATES)].set_index("county")


@pytest.fixture(scope="module")
def official(people_of_2019):
    rows = [
        {"state": STATES[row["STNAME"]], "county": county, "sex": sex[0], "race": race, "ethnicity": ORIGINS[origin]}
        | {"people": row[f"{origin}{code}_{sex}"], "age": 0, "age_width": 100}
        for county, row in people_of_2019.iterrows()
        for code, race in RACES.values()
        for origin in ORIGINS
        for sex in ("MALE", "FEMALE")
    ]
    return people_of(pd.DataFrame(rows), "2019-07-01")


CASTLE, CHITTENDEN = ("DE", "NEW CASTLE", "10003"), ("VT", "CHITTENDEN", "50007")
ELSEWHERE = [*records(1200, *CASTLE), *records(1200, *CHITTENDEN), *records(1000, "DE"), *records(1000, "VT")]
HISPANIC = {"race": "Asian", "ethnicity": "Hispanic/Latino"}  # in New Castle 207 men and 226 women
FAULTS = {
    "no fault": [],
    "1": records(999, "HI"),
    "2": records(999, "VT", "WASHINGTON", "50023"),
    "3": records(1000, "VT", "ESSEX", "50009"),
    "4": records(20, *CASTLE, **HISPANIC, sex="Male"),
    "5": records(114, *CASTLE, **HISPANIC),
    "5, exactly half": records(113, *CASTLE, **HISPANIC),
    "6": records(10, *CASTLE, death_yn="Yes"),
    "6, a blank": records(10, *CASTLE, death_yn="NA"),
    "7": records(1000, "NA", "CHITTENDEN"),
    "8": records(1000, "NA", state_fips_code="50"),
    "9": records(1000, "VT", "NA", "50007"),
    "10": records(1000, "DE", "KENT", "10001"),
    "a place of few beside hidden ones": records(500, "VT", "WASHINGTON", "50023") + records(30, "NA"),
    "all hidden": [
        *records(8, *CASTLE, death_yn="Yes"),
        *records(5, "NA", case_month="NA", age_group="NA", sex="NA", race="NA", ethnicity="NA", death_yn="NA"),
    ],
    "Missing": records(20, *CASTLE, race="Missing", ethnicity="Unknown") + records(1000, "VT", "Unknown"),
}


def random_records(table, seed):
    """Random records of three states with faults of every rule but the seventh to ninth."""
    rng = np.random.default_rng(seed)
    counties = np.array([*table.index, "NA"])
    rows = pd.DataFrame({"county_fips_code": rng.choice(counties, 4000, p=rng.dirichlet(np.ones(len(counties))))})
    rows["res_county"] = rows["county_fips_code"].map(table["CTYNAME"].str.upper()).fillna("NA")
    state = rows["county_fips_code"].map(table["STNAME"]).map(STATES)
    rows["res_state"] = state.fillna(pd.Series(rng.choice(["DE", "VT", "NA"], len(rows))))
    rows["state_fips_code"] = rows["res_state"].map(STATE_CODES).fillna("NA")
    rows["case_month"] = rng.choice(["2020-12", "2021-01"], len(rows))
    values = {
        "age_group": (["0 - 17 years", "18 to 49 years", "NA"], [0.1, 0.8, 0.1]),
        "sex": (["Male", "Female", "NA"], [0.45, 0.45, 0.1]),
        "race": ([*RACES, "NA"], [0.6, 0.1, 0.05, 0.05, 0.02, 0.08, 0.1]),
        "ethnicity": (["Hispanic/Latino", "Non-Hispanic/Latino", "NA"], [0.2, 0.6, 0.2]),
        "death_yn": (["Yes", "No", "NA"], [0.05, 0.85, 0.1]),
    }
    for name, (choices, shares) in values.items():
        rows[name] = rng.choice(choices, len(rows), p=shares)
    return rows


# The records that the program printed for each rule; it has one count for rules 1 and 2, and names states for rule 10.
# Rules 7 to 9 are as it counts where NA was read as missing: as a text, in its Parquet files, it takes NA for a place.
PRINTED = {
    "no fault": {},
    "1": {2: 999},
    "2": {2: 999},
    "3": {3: 1000},
    "4": {4: 20},
    "5": {5: 114},
    "5, exactly half": {5: 113},
    "6": {6: 10},
    "6, a blank": {},
    "7": {3: 1000, 4: 1000, 7: 1000},
    "8": {8: 1000},
    "9": {9: 1000},
    "10": {10: {"DE"}},
    "a place of few beside hidden ones": {2: 500},
    "all hidden": {6: 8},
    "Missing": {3: 1000, 4: 1000},
    0: {2: 3903, 3: 839, 4: 939, 5: 184, 6: 724, 10: {"HI", "VT"}},
    1: {2: 3682, 3: 1063, 4: 1280, 5: 859, 6: 397},
    2: {2: 3768, 3: 555, 4: 851, 5: 123, 6: 558},
}
# Where check_cases counts otherwise in its reading of the program.
OTHERWISE = {
    "7": {4: 0},  # a county whose state nobody knows is looked up nowhere: rule 4 is not tested
    "all hidden": {6: 0},  # a record that hides all eight values agrees with every record; in the program with none
    "Missing": {3: 0, 4: 0},  # Missing and Unknown hide a county as NA does; the program takes them for its name
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_program_reading_counts_what_cdcs_program_printed(name, people_of_2019, official, tmp_path):
    planted = name in FAULTS
    rows = pd.DataFrame([*ELSEWHERE, *FAULTS[name]]) if planted else random_records(people_of_2019, name)
    rows.to_csv(tmp_path / "cases.csv", index=False)
    results = list(check_cases(read_cases(tmp_path / "cases.csv"), official).results.itertuples())
    counted = {of.rule: of.records for of in results if of.reading != "text"}
    counted[10] = {place for of in results if of.rule == 10 and of.reading != "text" for place in of.places.split("; ")}
    counted[10].discard("")
    expected = dict.fromkeys(range(2, 10), 0) | {10: set()} | PRINTED[name] | OTHERWISE.get(name, {})
    assert counted == expected | {1: counted[1]}
    assert counted[1] <= counted[2]


# Plans for counties: what they need, and which fields a week's counts allow.


@pytest.fixture
def two_counties():
    rows = [
        {"state": "WA", "county": county, "sex": sex, "race": race, "ethnicity": origin, "age": age, "age_width": 1}
        | {"people": number}
        for county, number in (("53001", 40), ("53003", 2))
        for sex in "FM"
        for race in ("white", "asian")
        for origin in ("hispanic", "not_hispanic")
        for age in (30, 70)
    ]
    return people_of(pd.DataFrame(rows), "2020")


def test_a_county_whose_groups_are_fewer_than_k_never_gets_there(two_counties):
    rows = plan(two_counties, "WA", "sex,age60,race").set_index("county")
    assert rows.loc["53001", "status"] == "ok"
    assert rows.loc["53001", "cases_by_mean"] <= rows.loc["53001", "cases_by_percentile"] <= 640
    assert (rows.loc["53003", "status"], rows.loc["53003", "groups"]) == ("never", 8)


def test_every_way_is_compared_and_a_finer_one_is_never_allowed_alone(two_counties):
    rows = allowed_fields(two_counties, {"53001": 90}, "WA")
    allowed = dict(zip(rows["fields"], rows["allowed"], strict=True))
    assert len(allowed) == 96
    assert allowed["county only"]
    for shown in ReleasedFields.every():
        assert not allowed[str(shown)] or all(allowed[str(coarser)] for coarser in shown.coarser)
    assert (rows["allowed_by_mean"] | ~rows["allowed"]).all()


def _counts(folder, *lines, state=""):
    (folder / "counts.csv").write_text("\n".join(["county,cases", *lines, ""]), encoding="utf-8")
    return county_counts(read_county_counts(folder / "counts.csv"), state)


@pytest.mark.parametrize("lines", [["King,3"], ["53033,few"], ["53033,1", "53033,2"], ["1001,1", "01001,2"]])
def test_counts_that_are_not_understood_are_refused(tmp_path, lines):
    with pytest.raises(PolicySimError, match=r"not a county code|neither a whole number|twice"):
        _counts(tmp_path, *lines)


def test_a_county_is_known_by_its_name_in_a_state(tmp_path):
    lines = ["King,3", "Pierce County,4", "53001,"]
    assert _counts(tmp_path, *lines, state="WA") == {"53033": 3, "53053": 4}
    with pytest.raises(PolicySimError, match=r"'Kong' is not .* no county of WA"):
        _counts(tmp_path, "Kong,3", state="WA")


def test_a_county_of_a_file_is_of_the_state_beside_it(tmp_path):
    (tmp_path / "counts.csv").write_text("state,county,cases\nOH,Monroe,3\nMI,Monroe,4\n", encoding="utf-8")
    assert county_counts(read_county_counts(tmp_path / "counts.csv"), "OH") == {"39111": 3, "26115": 4}
    (tmp_path / "counts.csv").write_text('county,cases\n"Monroe, MI",4\n', encoding="utf-8")
    assert county_counts(read_county_counts(tmp_path / "counts.csv"), "OH") == {"26115": 4}


def test_fields_that_are_not_known_are_refused():
    with pytest.raises(PolicySimError, match="age5"):
        ReleasedFields.of("age6")
