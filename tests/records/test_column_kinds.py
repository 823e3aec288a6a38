"""What a column seems to be, from names and values as exports write them."""

import numpy as np
import pytest

from policy_sim.records.column_kinds import KINDS, ColumnValues, column_kind
from policy_sim.records.covered_values import reads
from policy_sim.records.vocabularies import name_words


def held(name, texts, records=None, missing=0):
    return ColumnValues(name, texts, np.array(records or [1] * len(texts), dtype=np.int64), missing)


NAMES = {
    ("direct identifier", ""): ["SSN", "patientName", "Medical Record #", "HOME_PHONE"],
    ("key field", "birth_date"): ["DOB", "Patient DOB"],
    ("key field", "birth_year"): ["birthYear"],
    ("key field", "sex"): ["GENDER_CD"],
    ("key field", "age"): ["pt_age"],
    ("key field", "zip5"): ["Zip Code"],
    ("key field", "zip3"): ["zip3"],
    ("key field", "county"): ["COUNTY_FIPS"],
    ("key field", "state"): ["state"],
    ("key field", "race"): ["race_1"],
    ("place", ""): ["residence city"],
    ("date", ""): ["admit_dt"],
    ("free text", ""): ["Notes"],
    # most only contain a word that means something else
    ("code", ""): ["stage", "provider_state", "beta_blocker", "platelets", "cell_count", "surface", "newborn_weight"],
}
NAMES["code", ""] += ["trace_elements", "urinary_tract_infection", "capacity", "photophobia_grade"]


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for kind, names in NAMES.items() for name in names])
def test_names_of_exports(name, kind):
    seen = column_kind(held(name, ["a", "b", "c"], [4, 4, 4]))
    assert (seen.kind, seen.field) == kind


def test_the_code_of_a_state_is_no_county():
    assert column_kind(held("STATE_FIPS", ["39", "18", "21"], [4, 4, 4])).field == "state"
    assert column_kind(held("FIPS", ["39049", "39035", "39001"], [4, 4, 4])).field == "county"


@pytest.mark.parametrize(
    ("texts", "codes", "agree"), [("12", {}, False), ("12", {"1": "M", "2": "F"}, True), ("MF", {}, True)]
)
def test_numbers_of_a_sex_agree_with_its_name_only_where_somebody_says_what_they_mean(texts, codes, agree):
    seen = column_kind(held("gndr_cd", [*texts], [400, 300]), codes=codes)
    assert (seen.field, seen.accepted, "agree" in seen.reason) == ("sex", True, agree)


@pytest.mark.parametrize("name", ["nativeBorn", "has_phone", "DOB_known", "ZIP"])
def test_yes_and_no_are_no_dates_and_no_numbers(name):
    for texts in (["yes", "no"], ["0", "1"], ["True", "False "]):
        assert column_kind(held(name, texts, [400, 300])).kind == "code"


def test_zip_codes_under_another_name_are_possible_and_other_numbers_are_none():
    codes = ["43215", "43201-1234", "44114", "45202", "45801"]
    seen = column_kind(held("plz5", codes, [9] * 5))
    assert (seen.kind, [hit.called for hit in seen.hits]) == ("direct identifier", ["ZIP codes"])
    assert column_kind(held("zip", codes, [9] * 5)).field == "zip5"
    for others in (codes[:4], [*codes[:4], "00001"], [*codes[:4], "4521"]):
        assert "ZIP codes" not in [hit.called for hit in column_kind(held("plz5", others, [9] * len(others))).hits]


def test_nine_digits_are_a_zip_code_only_where_the_census_knows_the_first_five():
    assert reads("zip", ["43215", "432151234", "43215-1234", "4321512.0", "000121234"]) == [True] * 3 + [False] * 2


def test_hours_per_week_are_no_date():
    hours = [str(n) for n in range(20, 60)]
    assert column_kind(held("hours-per-week", hours, [10] * 40)).kind == "number"
    weeks = [str(n) for n in range(1, 54)]
    assert column_kind(held("week", weeks, [10] * 53)).kind == "date"
    assert column_kind(held("week", hours, [10] * 40)).kind == "number"
    days = [f"2020-01-{n:02d}" for n in range(1, 21)]
    assert column_kind(held("visits per day", days, [10] * 20)).kind == "date"


def test_sexes_and_ages_may_be_coded_0_and_1():
    for name, field in (("sex", "sex"), ("race", "race"), ("age", "age")):
        assert column_kind(held(name, ["0", "1"], [400, 300])).field == field


@pytest.mark.parametrize(
    ("name", "texts", "field"),
    [
        ("race", ["White", "Black", "Asian"], "race"),
        ("race", ["White", "Black", "Hispanic"], "race_ethnicity"),
        ("v", ["White", "Black or African American", "Asian", "Hispanic or Latino"], "race_ethnicity"),
        ("Ethnicity", ["Hispanic or Latino", "Not Hispanic or Latino"], "ethnicity"),
        ("hispanic", ["Yes", "No"], "ethnicity"),
        ("v", ["Hispanic", "Not Hispanic", "Unknown"], "ethnicity"),
        ("ETHNICITY", ["WHITE", "BLACK/AFRICAN AMERICAN", "HISPANIC OR LATINO"], "race_ethnicity"),
        ("RaceEth", ["1", "2", "3"], "race_ethnicity"),
        ("race_ethnicity", ["1", "2", "3"], "race_ethnicity"),
        ("RACE", ["1", "2", "3"], "race"),
        ("race", ["White", "White Hispanic", "Black"], "race"),  # a score asks which field it is
    ],
)
def test_race_and_hispanic_origin(name, texts, field):
    seen = column_kind(held(name, texts, [40] * len(texts)))
    assert (seen.kind, seen.field, seen.accepted) == ("key field", field, True)


@pytest.mark.parametrize(
    ("texts", "kind", "reason"),
    [
        ([f"a{n}@b.org" for n in range(20)], "direct identifier", "e-mail"),
        ([f"555-{n:03d}-1234" for n in range(20)], "direct identifier", "telephone"),
        ([f"123-45-{n:04d}" for n in range(20)], "direct identifier", "Social Security"),
        ([f"2020-01-{n:02d}" for n in range(1, 21)], "date", "dates"),
        ([f"0{n}/0{m}/2020" for n in range(1, 5) for m in range(1, 6)], "date", "dates"),
        ([f"X{n}" for n in range(20)], "direct identifier", "nearly every record"),
        ([f"{n}.5" for n in range(30)], "number", "numbers"),
        ([f"a long note about what happened, number {n % 25}" for n in range(25)], "free text", "long texts"),
        (["male", "female"], "key field", "sex"),
        (["x"], "constant", "one value"),
        ([], "empty", "no record"),
    ],
)
def test_values(texts, kind, reason):
    seen = column_kind(held("v", texts))
    assert seen.kind == kind
    assert reason in seen.reason
    assert seen.kind in KINDS


DIAGNOSES = ["E11.9", "I10", "J45.909", "F32.1", "E119"]
SUBJECTS = [f"S{n:02d}" for n in range(1, 41)]


@pytest.mark.parametrize(
    ("name", "texts", "is_clinical"),
    [
        ("x4", DIAGNOSES, True),
        ("dx", ["I10", "E11", "J45"], True),
        ("CAUSE_1", SUBJECTS, True),
        ("icd10cm", ["I10", "E11", "J45"], True),
        ("x4", ["I10", "E11", "J45"], False),  # rooms, too, are called so
        ("subject", SUBJECTS, False),
        ("code", [f"{ward}{n:02d}" for ward in "AEI" for n in (10, 11, 12)], False),
        ("x4", ["S001", "S002", "S003", "S004", "S005"], False),
        ("patient_id", DIAGNOSES, False),
    ],
)
def test_numbers_behind_a_letter_are_diagnoses_only_where_the_name_says_so(name, texts, is_clinical):
    seen = column_kind(held(name, texts, [9] * len(texts)))
    assert (seen.kind == "clinical code") == is_clinical
    assert seen.accepted == is_clinical


def test_a_column_with_too_many_values_to_look_at_is_judged_by_their_number():
    assert column_kind(ColumnValues("v", None, np.ones(50, dtype=np.int64), 0)).kind == "direct identifier"
    assert column_kind(ColumnValues("v", None, np.full(50, 9, dtype=np.int64), 0)).kind == "code"


def test_words_of_a_name():
    assert name_words("PatientDOB_1") == "patient dob 1"
