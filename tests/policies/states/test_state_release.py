"""A release: what it shows in a year, by hand; and what is refused."""

from __future__ import annotations

import csv
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.policies.policy import PolicyByState
from policy_sim.policies.states.files import load_releases, newest_releases, release_policy
from policy_sim.policies.states.state_release import (
    RELEASE_ELEMENTS,
    Agreement,
    Program,
    ReleasePrice,
    StateRelease,
    newest_policy,
    policies_of,
    views_of,
    year_ranges,
    years_of,
)
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Field

PROGRAM = Program("p", "A file", "Somebody", "inpatient")
ONE = frozenset({2020})


def release(**facts):
    return StateRelease("NC", "inpatient", PROGRAM, **{"years": (2019, 2020), **facts})


def test_an_element_that_nothing_names_is_withheld_only_where_the_source_lists_everything():
    assert release().availability("race", 2020) == "withheld"
    assert release(complete=False).availability("race", 2020) == "unknown"
    assert release(complete=False, withholds={"race": ONE}).availability("race", 2020) == "withheld"
    assert release(unknown={"race": ONE}).availability("race", 2020) == "unknown"


def test_elements_are_those_shown_in_the_year():
    made = release(shows={"zip5": ONE, "age": frozenset({2019, 2020})})
    assert made.elements(2020) == ("age", "zip5")
    assert made.elements(2019) == ("age",)


def test_a_year_in_two_parts_is_two_files():
    assert release(two_files=(2020,)).files == 3


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"years": ()}, "no year"),
        ({"shows": {"zip5": frozenset({2021})}}, "2021 is not a year"),
        ({"shows": {"zip5": ONE}, "unknown": {"zip5": ONE}}, "another table"),
    ],
)
def test_what_cannot_be_is_refused(facts, said):
    with pytest.raises(InputError, match=said):
        release(**facts)


def test_an_unknown_element_or_year_names_those_that_there_are():
    with pytest.raises(UnknownNameError, match="zip5"):
        release(shows={"zip": ONE})
    with pytest.raises(UnknownNameError, match="2019, 2020"):
        release().availability("zip5", 1999)


@pytest.mark.parametrize(
    ("price", "said"),
    [
        (ReleasePrice(), "unknown"),
        (ReleasePrice(note="each state its own"), "unknown (each state its own)"),
        (ReleasePrice("free"), "free"),
        (ReleasePrice("flat", 1234.5), "$1,234.50"),
    ],
)
def test_a_price_that_is_not_known_is_never_a_number(price, said):
    assert price.describe() == said


def test_an_agreement_says_what_it_forbids():
    assert Agreement("X", True, "linking").describe() == "X, which forbids linking"
    assert Agreement("X", False).describe() == "no agreement is required"


# Years as text, there and back.


@given(st.sets(st.integers(1900, 2100), min_size=1))
def test_the_text_of_years_gives_the_years_back(years):
    assert years_of(year_ranges(years)) == years


def test_no_years_are_no_text():
    assert year_ranges([]) == ""


@pytest.mark.parametrize("text", ["", "20", "2000-", "2001-2000", "2000, 2000", "2005, 2001", "2000-2004, 2003", "all"])
def test_what_is_not_years_is_refused(text):
    with pytest.raises(ValueError, match="years"):
        years_of(text)


# The vocabulary of elements is closed and without doubles.


def test_every_element_has_a_group_and_a_title_of_its_own():
    groups = {element.group for element in RELEASE_ELEMENTS.values()}
    assert groups == {"birth", "sex", "race", "place", "dates", "visits", "hospital", "other"}
    titles = [element.title for element in RELEASE_ELEMENTS.values()]
    assert len(set(titles)) == len(titles)


def test_the_model_measures_who_a_person_is_and_not_when_they_came():
    assert RELEASE_ELEMENTS["birth_month"].measured
    assert not RELEASE_ELEMENTS["admission_month"].measured


# From the elements of a file to a policy: rule by rule, and the published counts over all states.


def views(*shown, complete=True, unknown=()):
    made = release(shows=dict.fromkeys(shown, ONE), unknown=dict.fromkeys(unknown, ONE), complete=complete)
    return [str(view) for view in dict.fromkeys(views_of(made, 2020))]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (("sex", "race", "birth_month", "birth_year", "zip5"), ["gender+race=five_races+birth=month+geography=zip5"]),
        (("birth_date", "county", "zip5"), ["birth=date+geography=county_zip5"]),
        (("birth_month", "age", "county_from_zip"), ["birth=month+geography=county"]),  # the year follows from the age
        (("birth_month", "zip3"), ["geography=zip3"]),  # a month of an unknown year
        (("age", "infant_days", "zip3", "county"), ["birth=year+geography=county_zip3"]),
        (("age_in_months",), ["birth=month+geography=state"]),
        (("age_class", "age"), ["birth=year+geography=state"]),
        (("age_class",), ["geography=state", "birth=five_years+geography=state"]),
        (("hispanic_origin", "admission_month", "person_link"), ["ethnicity+geography=state"]),
        (("race_ethnicity", "age"), ["race=hcup+birth=year+geography=state"]),
        (
            ("race_ethnicity", "hispanic_origin"),
            ["race=five_races+ethnicity+geography=state"],
        ),  # HCUP's RACE and HISPANIC
        (("race", "hispanic_origin"), ["race=five_races+ethnicity+geography=state"]),
    ],
)
def test_elements_become_granularities(shown, expected):
    assert views(*shown) == expected


def test_unknown_elements_give_two_ends():
    assert views("age", "zip5", unknown=("sex",)) == ["birth=year+geography=zip5", "gender+birth=year+geography=zip5"]
    low, high = views("age_in_months", "sex", "zip5", complete=False)
    assert low == "gender+birth=month+geography=zip5"
    assert high == "gender+race=five_races+ethnicity+birth=month+geography=county_zip5"
    assert views("race_ethnicity", unknown=("hispanic_origin",)) == [
        "race=hcup+geography=state",
        "race=five_races+ethnicity+geography=state",
    ]


@given(st.dictionaries(st.sampled_from(sorted(RELEASE_ELEMENTS)), st.sampled_from(["shown", "withheld", "unknown"])))
def test_what_is_surely_shown_follows_from_what_is_shown_at_most(words):
    """Whatever is known of the elements; and both ends are one where nothing is unknown but classes of age."""
    tables = {
        table: {name: ONE for name, each in words.items() if each == word}
        for table, word in (("shows", "shown"), ("withholds", "withheld"), ("unknown", "unknown"))
    }
    low, high = views_of(release(**tables), 2020)
    assert low.is_coarser_or_equal(high)
    if not tables["unknown"] and words.get("age_class") != "shown":
        assert low == high


def test_a_policy_carries_agreement_and_price():
    low, high = policies_of(*newest_releases()["NC"])
    assert low == high
    assert low.name == "release:NC:2020"
    assert "HCUP data use agreement" in low.remarks[0]
    assert "price: unknown" in low.remarks[0]


def test_the_policy_of_the_newest_has_the_finest_of_every_field():
    policy = newest_policy(newest_releases())
    assert isinstance(policy, PolicyByState)
    assert str(policy.releases) == "gender+race=five_races+ethnicity+birth=month+geography=county_zip5"
    assert len(policy.by_state) == 36


# Printed in the notes on the load programs, for people of 2010: about 43%, 27% and 26%.
@pytest.mark.slow
@pytest.mark.parametrize(("state", "share"), [("VT", 0.43), ("NC", 0.27), ("WA", 0.26)])
def test_month_of_birth_and_zip_code_of_2010(state, share):
    study = Study("us-2010")
    found = study.compare("gender+race+birth=month+geography=zip5", "general", state, 1)
    assert found.profiles[0].share("total-risk").low == pytest.approx(share, abs=0.005)


@pytest.mark.slow
def test_every_jurisdiction_runs_and_no_other_state_has_a_figure():
    found = Study("us-2020").compare(release_policy("newest"), "general", g=1)
    measured = {profile.state for profile in found if profile.figures}
    assert measured == set(newest_releases())
    assert len(measured) == 36
    assert {profile.status for profile in found if profile.state not in measured} == {"unknown"}


@pytest.mark.slow
def test_a_state_under_its_own_release_is_that_release_alone():
    study = Study("us-2010")
    both = study.compare(["release:newest", "release:NC:2020"], "general", ["NC", "AZ"], 1)
    own, one = (both.profile("NC", name, "general") for name in ("release:newest", "release:NC:2020"))
    assert own.figures == one.figures
    arizona = both.profile("AZ", "release:newest", "general")
    assert arizona.linkage_key == "gender+race=five_races+ethnicity+birth=year+geography=zip5"


@pytest.mark.slow
def test_a_file_of_unknown_age_classes_has_both_ends():
    found = Study("us-2020").compare("release:newest", ["general", "voter"], "ME", 1)
    for attacker in ("general", "voter"):
        profile = found.profile("ME", "release:newest", attacker)
        risk = profile.people("total-risk")
        assert profile.status == "interval"
        assert 0 < risk.low < risk.high
        assert "birth" in profile.reason
    # by sex and place alone: one record of each sex in each of the 42 parts of counties in one three-digit ZIP code
    assert found.profile("ME", "release:newest", "general").people("total-risk").low == pytest.approx(84)


# The columns of the load programs, each with its element.
LOAD_PROGRAMS = """
    AGE=age AGEMONTH=infant_months AGEDAY=infant_days AGEGROUP=age_class BMONTH=birth_month BYEAR=birth_year
    DOB=birth_date RACE=race_ethnicity ZIP=zip5 ZIP3=zip3 ZIP_S=zip_synthetic PSTCO=county PSTATE=state_of_residence
    AMONTH=admission_month AYEAR=admission_year ADATE=admission_date DMONTH=discharge_month DQTR=discharge_quarter
    DDATE=discharge_date AHOUR=admission_hour DHOUR=discharge_hour AWEEKEND=admission_weekend VISITLINK=person_link
    DAYSTOEVENT=days_between_visits HOMELESS=homeless MARITALSTATUSUB04=marital_status DSHOSPID=hospital_state_id
    HOSPID=hospital_id HOSP_NPI=hospital_npi
"""


def test_every_element_of_every_year_is_that_of_the_load_programs(shared):
    columns = dict(pair.split("=") for pair in LOAD_PROGRAMS.split())
    files = load_releases()
    seen = 0
    with (shared / "releases" / "hcup_core_fields.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            wanted = {"SID": "inpatient", "SEDD": "emergency"}[row["database"]]
            (release,) = (each for each in files[row["state"]].releases if each.id == wanted)
            year = int(row["year"])
            for column, element in columns.items():
                assert (release.availability(element, year) == "shown") == (row[column] == "1"), (row, element)
            assert release.availability("discharge_year", year) == "shown"
            assert release.availability("county_from_zip", year) == county_from_zip(row)
            coded = (row["state"], row["database"], year) == ("MI", "SID", 1999)  # HISPANIC_X, which the table lacks
            origin = "shown" if row["HISPANIC"] == "1" or coded else "unknown" if year < 2015 else "withheld"
            assert release.availability("hispanic_origin", year) == origin
            sex = "shown" if row["FEMALE"] == "1" else "unknown" if year < 1998 else "withheld"
            assert release.availability("sex", year) == sex
            assert (year in release.two_files) == bool(row["part"])
            seen += 1
    assert seen == 1191


def county_from_zip(row):
    """PSTCO2 to 2018; then PSTCO_GEO, which the table lacks: 12 inpatient and 11 emergency files of five states."""
    if row["PSTCO2"] == "1" or (int(row["year"]) >= 2019 and row["state"] in ("AZ", "MA", "MI", "MN", "UT")):
        return "shown"
    return "unknown" if int(row["year"]) >= 2019 and row["PSTCO"] == "1" else "withheld"


def test_the_county_from_the_center_of_the_zip_code_is_recorded_from_2019():
    added = [
        (state, release.id, year)
        for state, file in load_releases().items()
        for release in file.releases
        for year in release.years
        if year >= 2019 and release.availability("county_from_zip", year) == "shown"
    ]
    assert Counter(name for _, name, _ in added) == {"inpatient": 12, "emergency": 11}
    assert {state for state, _, _ in added} == {"AZ", "MA", "MI", "MN", "UT"}


def test_a_county_from_the_zip_code_adds_nothing_to_five_digits_and_a_place_to_three():
    files = load_releases()
    arizona, massachusetts = files["AZ"].releases[0], files["MA"].releases[0]
    assert [str(view) for view in set(views_of(arizona, 2021))] == [
        "gender+race=five_races+ethnicity+birth=year+geography=zip5"
    ]
    assert views_of(massachusetts, 2020)[0][Field.GEOGRAPHY] not in ("zip3", "state")


@pytest.mark.parametrize(("state", "share"), [("AR", 0.1717), ("KS", 0.1740), ("NM", 0.1481), ("HI", 0.0363)])
def test_county_and_three_digit_zip_code_together(state, share):
    found = Study("us-2020").compare("release:newest", "general", state, 1, rules="paper")
    profile = found.profile(state, "release:newest", "general")
    assert "geography=county_zip3" in profile.linkage_key
    assert profile.share("total-risk").low == pytest.approx(share, abs=5e-5)
