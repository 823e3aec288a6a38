"""CDC's ten rules beside what CDC's own program printed, on files that are made here from its table of people.

The program is R/review_public_geo.R of CDCgov/covid_case_privacy_review (commit 5829a07) with freqCalc of sdcMicro
(commit 0394d0c), run in R 4.2.2. CDC's example, its case file of March 2021, is not in its repository.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from small_people import people_of

from policy_sim.tables.case_rules import check_cases, read_cases

STATES = {"Delaware": "DE", "Vermont": "VT", "Hawaii": "HI"}
CODE_OF = {"DE": "10", "VT": "50", "HI": "15"}
RACES = {
    "White": ("WA", "white"),
    "Black": ("BA", "black"),
    "Asian": ("AA", "asian"),
    "American Indian/Alaska Native": ("IA", "aian"),
    "Native Hawaiian/Other Pacific Islander": ("NA", "nhpi"),
    "Multiple/Other": ("TOM", "multiple"),
}
ORIGINS = {"H": "hispanic", "NH": "not_hispanic"}
KEYS = ["res_county", "res_state", "state_fips_code", "county_fips_code"]


@pytest.fixture(scope="module")
def people_of_2019(shared):
    """CDC's people of three states."""
    path = shared / "rules" / "cases" / "cdc_county_pop_demo_2019.csv.gz"
    table = pd.read_csv(path, dtype={0: str}, encoding="utf-8-sig")
    table.columns = ["county", *(name.removeprefix("SUM_of_") for name in table.columns[1:])]
    return table[table["STNAME"].isin(STATES)].set_index("county")


@pytest.fixture(scope="module")
def population(people_of_2019):
    rows = [
        {"state": STATES[row["STNAME"]], "county": county, "sex": sex[0], "race": race, "ethnicity": ORIGINS[origin]}
        | {"people": row[f"{origin}{code}_{sex}"], "age": 0, "age_width": 100}
        for county, row in people_of_2019.iterrows()
        for code, race in RACES.values()
        for origin in ORIGINS
        for sex in ("MALE", "FEMALE")
    ]
    return people_of(pd.DataFrame(rows), "2019-07-01")


def records(number, state, county="NA", code="NA", **changed):
    """So many records, as CDC writes them."""
    place = dict(zip(KEYS, (county, state, CODE_OF.get(state, "NA"), code), strict=True))
    person = {"sex": "Female", "race": "White", "ethnicity": "Non-Hispanic/Latino"}
    return [
        place | person | {"case_month": "2021-01", "age_group": "18 to 49 years", "death_yn": "No"} | changed
    ] * number


CASTLE, CHITTENDEN = ("DE", "NEW CASTLE", "10003"), ("VT", "CHITTENDEN", "50007")
CLEAN = [*records(1200, *CASTLE), *records(1200, *CHITTENDEN), *records(1000, "DE"), *records(1000, "VT")]
HISPANIC = {"race": "Asian", "ethnicity": "Hispanic/Latino"}  # in New Castle 207 men and 226 women
PLANTED = {
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
    rows["state_fips_code"] = rows["res_state"].map(CODE_OF).fillna("NA")
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
def test_the_program_reading_counts_what_cdcs_program_printed(name, people_of_2019, population, tmp_path):
    planted = name in PLANTED
    rows = pd.DataFrame([*CLEAN, *PLANTED[name]]) if planted else random_records(people_of_2019, name)
    rows.to_csv(tmp_path / "cases.csv", index=False)
    results = list(check_cases(read_cases(tmp_path / "cases.csv"), population).results.itertuples())
    counted = {of.rule: of.records for of in results if of.reading != "text"}
    counted[10] = {place for of in results if of.rule == 10 and of.reading != "text" for place in of.places.split("; ")}
    counted[10].discard("")
    expected = dict.fromkeys(range(2, 10), 0) | {10: set()} | PRINTED[name] | OTHERWISE.get(name, {})
    assert counted == expected | {1: counted[1]}
    assert counted[1] <= counted[2]
