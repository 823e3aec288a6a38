"""The counts printed in the notes on the load programs, recomputed; histories and differences by hand."""

from __future__ import annotations

import pytest

from policy_sim.policies.states.files import (
    element_counts_frame,
    elements_frame,
    findings_frame,
    load_releases,
    newest_releases,
    programs_frame,
    release_diff_frame,
    release_history_frame,
    releases_frame,
)
from policy_sim.words.errors import UnknownNameError


def shown(year=None):
    frame = element_counts_frame(newest_releases(year=year).values())
    return frame.set_index("element")["shown"], int(frame["files"].iloc[0])


def test_the_newest_inpatient_files_show_what_is_printed_of_them():
    count, files = shown()
    assert files == 36
    printed = {
        "birth_month": 26,
        "birth_year": 26,
        "zip5": 26,
        "zip3": 31,
        "county": 28,
        "any_county": 34,
        "race_ethnicity": 34,
        "hispanic_origin": 29,
        "admission_month": 33,
        "person_link": 21,
        "birth_month+sex+race+zip5": 20,
    }
    assert {name: int(count[name]) for name in printed} == printed


def test_the_trend_is_what_is_printed_of_it():
    early, of_early = shown(1998)
    late, of_late = shown(2020)
    assert (early["zip5"], of_early, late["zip5"], of_late) == (9, 15, 26, 35)
    assert (early["birth_month"], late["birth_month"]) == (7, 25)


def test_programs_have_the_files_that_are_printed():
    frame = programs_frame(release for file in load_releases().values() for release in file.releases)
    frame = frame.set_index("program")
    assert frame.loc[["hcup-sid", "hcup-sedd"], "files"].tolist() == [770, 421]
    assert frame.loc["hcup-sid", ["jurisdictions", "first", "last"]].tolist() == [36, 1990, 2021]
    assert frame.loc["hcup-sid", ["agreement", "price"]].tolist() == ["required", "unknown"]
    assert frame.loc["chars", ["agreement", "price"]].tolist() == ["unknown", "flat"]


def test_a_row_of_the_list_has_both_ends_where_one_is_unknown():
    frame = releases_frame(newest_releases().values()).set_index("state")
    assert frame.loc["ME", "birth"] == "none or five_years"
    shown = frame[["sex", "race", "ethnicity", "birth", "geography"]]
    assert shown.loc["NC"].tolist() == ["value", "five_races", "value", "month", "county_zip5"]
    assert shown.loc["CO", ["race", "ethnicity"]].tolist() == ["hcup", "with race"]
    assert frame["price_usd"].isna().all()  # no source has the price of a single state


def test_history_says_what_came_and_went():
    (inpatient, _) = load_releases()["NC"].releases
    frame = release_history_frame(inpatient).set_index("year")
    assert frame.loc[2000, "change"] == ""
    assert frame.loc[2009, "change"] == "+person_link +days_between_visits -race_ethnicity"
    assert frame.loc[2010, "change"] == "+race_ethnicity +zip3"
    assert len(frame) == 21


def test_diff_lists_what_is_shown_in_one_year_only():
    inpatient = load_releases()["CA"].releases[0]
    frame = release_diff_frame(inpatient, 2011, 2020)
    assert frame["element"].tolist() == ["birth_year", "hispanic_origin", "zip5", "zip3"]
    assert frame["2011"].tolist() == ["not shown", "unknown", "not shown", "not shown"]
    assert release_diff_frame(inpatient, 2020, 2020).empty
    with pytest.raises(UnknownNameError, match="2012"):
        release_diff_frame(inpatient, 2012, 2020)  # no file of 2012 is recorded


def test_elements_have_the_years_that_show_them():
    frame = elements_frame(load_releases()["NC"].releases[:1]).set_index("element")
    assert frame.loc["race_ethnicity", "shown"] == "2000-2008, 2010-2020"
    assert frame.loc["person_link", "newest"] == "not shown"


def test_findings_keep_their_counts():
    assert findings_frame(load_releases()["US"].findings)["counted"].tolist() == [33, 13, 3]
