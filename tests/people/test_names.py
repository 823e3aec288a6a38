"""Counties by name, and files that are scored by them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from official_tables import official
from said import numbers
from small_people import run

from policy_sim import RecordFile
from policy_sim.people.names import (
    county_code,
    county_in_text,
    load_birthdays,
    load_zip3_lists,
    small_prefixes,
    small_zip3_frame,
    small_zip3_notes,
    with_zip3_list,
)
from policy_sim.people.zips import small_zip3, zip_parts
from policy_sim.policies.files import load_policy
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.mark.parametrize(
    ("state", "text", "code"),
    [
        ("OH", "allen county", "39003"),
        ("LA", "Saint Tammany Parish", "22103"),
        ("MO", "St. Louis", None),  # a county and a city
        ("MO", "St. Louis County", "29189"),
        ("MO", "St. Louis City", "29510"),
        ("VA", "James City County", "51095"),
        ("AK", "Kusilvak Census Area", "02158"),
        ("NM", "Dona Ana", "35013"),
        ("OH", "Nowhere", None),
        ("XX", "Allen", None),
    ],
)
def test_the_code_of_a_name(state, text, code):
    assert county_code(state, text) == code


@pytest.mark.parametrize(
    ("text", "state", "code"),
    [
        ("Monroe, MI", "OH", "26115"),
        ("Monroe County, Michigan", "", "26115"),
        ("MI: Monroe", "OH", "26115"),
        ("Monroe MI", "OH", "26115"),
        ("MONROE CO", "OH", "39111"),  # the county, not Colorado
        ("Fond du Lac", "WI", "55039"),
        ("26115.0", "OH", "26115"),
        ("115", "MI", "26115"),
        ("1.0", "CA", "06001"),
        ("9003", "", "09003"),
        ("26-115", "", "26115"),
        ("MI-115", "OH", "26115"),
        ("0500000US26115", "", "26115"),
        ("115", "", None),
        ("Capitol Planning Region", "CT", "09110"),
        ("Capitol", "CT", "09110"),
        ("Western Connecticut", "CT", "09190"),
        ("Nowhere, MI", "OH", None),
    ],
)
def test_a_county_in_any_form_is_of_the_state_that_it_names(text, state, code):
    assert county_in_text(text, state) == code


@pytest.mark.slow
def test_a_file_with_names_scores_as_one_with_codes(tmp_path):
    rows = [(34, "F", "Allen", "39003"), (35, "M", "Lucas County", "39095"), (36, "M", "LUCAS", "39095")]
    named, coded, stated = (tmp_path / f"{name}.csv" for name in ("named", "coded", "stated"))
    named.write_text("age,sex,county\n" + "".join(f"{age},{sex},{name}\n" for age, sex, name, _ in rows))
    coded.write_text("age,sex,county\n" + "".join(f"{age},{sex},{code}\n" for age, sex, _, code in rows))
    stated.write_text("age,sex,county,state\n" + "".join(f"{age},{sex},{name},Ohio\n" for age, sex, name, _ in rows))
    expected = RecordFile(coded, "age,sex,county").score("OH").to_frame()
    assert RecordFile(named, "age,sex,county").score("OH").to_frame().equals(expected)
    assert RecordFile(stated, "age,sex,county,state").score().to_frame()["total_risk"].equals(expected["total_risk"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "values"),
    [("zip5", ["19701", "19801", "19801"]), ("county", ["New Castle", "Sussex", "New Castle County"])],
)
def test_the_score_that_check_prints_works_as_printed(tmp_path, monkeypatch, place, values):
    rows = zip((34, 35, 36), "FMM", values, strict=True)
    text = f"age,sex,{place}\n" + "".join(f"{age},{sex},{value}\n" for age, sex, value in rows)
    (tmp_path / "v.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    printed = run("dataset", "check", "v.csv", "--write-mapping", "v.toml").stderr
    line = next(line for line in printed.splitlines() if "dataset score" in line)
    assert "--state DE" in line
    scored = run(*line.partition("policy-sim ")[2].split())
    assert "records outside the population's cells: none" in scored.stdout + scored.stderr


@pytest.mark.slow
def test_people_are_counted_once_each(tmp_path):
    """A profile counts person 1 by all three rows, a score by one that lacks nothing and is rarest.

    A row without a person is one of its own.
    """
    path = tmp_path / "v.csv"
    path.write_text("MRN,age,sex\n1,,M\n1,40,M\n1,41,M\n2,50,F\n3,50,F\n,50,F\n")
    (tmp_path / "m.toml").write_text('person = "mrn"\n')
    for file in (RecordFile(path, "age,sex", person="mrn"), RecordFile(path, "age,sex", tmp_path / "m.toml")):
        result = file.profile()
        assert (result.answer.risk.records, result.answer.risk.uniques) == (4, 1)
        assert sorted(file.classes().sizes.tolist()) == [1, 3]
        (said,) = (note for note in result.notes if note.startswith("people are counted"))
        assert numbers(said)[:3] == ["6", "4", "1"]  # rows, people, and people with several rows
        assert file.score("OH").to_frame()["records"].tolist() == [4, 4]
        with pytest.raises(InputError, match="cannot be listed one by one"):
            file.profile(list_records=True)
    assert RecordFile(path, "age,sex").profile().answer.risk.records == 6


# The lists of small three-digit ZIP areas: as computed, as printed, and as computed again.


# 67 FR 53182 (2002), at 53233-53234.
PRINTED = {f"{n:03}" for n in (36, 59, 63, 102, 203, 556, 692, 790, 821, 823, 830, 831, 878, 879, 884, 890, 893)}


def test_printed_list_has_the_17_prefixes_of_the_federal_register():
    assert small_prefixes("hhs2000", "2000-04-01") == PRINTED
    assert len(PRINTED) == 17


@pytest.mark.parametrize("year", [2010, 2020])
def test_computed_lists_have_18_prefixes_and_follow_from_the_counts(year):
    counted = official("zip3")[["zip3", str(year)]].dropna()  # a prefix stands for all its ZIP codes
    again = small_zip3(counted["zip3"].tolist(), counted[str(year)].to_numpy(np.int64))
    assert small_prefixes("computed", f"{year}-04-01") == frozenset(again)
    assert len(again) == 18
    assert max(again.values()) <= 20_000


def test_both_censuses_give_one_list_and_the_union_is_both():
    computed = small_prefixes("computed", "2010-04-01")
    assert computed == small_prefixes("computed", "not stated")
    assert computed - PRINTED == {"202", "204", "205", "369", "753", "772"}
    assert PRINTED - computed == {"063", "790", "830", "831", "890"}
    assert small_prefixes("union", "2020-04-01") == computed | PRINTED


def test_no_list_is_computed_for_2000_and_it_says_what_to_use():
    with pytest.raises(InputError, match="zip3 = 'hhs2000'"):
        small_prefixes("computed", "2000-04-01")
    with pytest.raises(UnknownNameError, match="computed, hhs2000, union"):
        small_prefixes("hhs", "2010-04-01")


def test_only_a_policy_that_speaks_of_zip3_takes_a_list():
    taken = with_zip3_list(load_policy("safe-harbor"), "hhs2000", "2010-04-01").conditions.small_places
    assert taken is not None
    assert taken.listed == PRINTED
    county = load_policy("county")
    assert with_zip3_list(county, "union", "not stated") is county


def test_parts_of_2020_add_up_to_the_published_people_of_each_prefix():
    parts = zip_parts("us-2020")
    found = parts["people"].groupby(parts["zip5"].str[:3]).sum()
    counted = official("zip3").set_index("zip3")["2020"].dropna().astype(int)
    counted = counted[~counted.index.isin(["006", "007", "009"])]  # Puerto Rico
    assert found.reindex(counted.index, fill_value=0).to_dict() == counted.to_dict()


def test_every_list_says_where_it_is_from():
    lists = load_zip3_lists()
    assert set(lists) == {"hhs-2000", "census-2010", "census-2020"}
    assert all(found.citation and found.most == 20_000 for found in lists.values())


def test_the_day_of_christmas_is_the_rarest():
    rate = load_birthdays().rate
    assert rate.min() == pytest.approx(0.592, abs=0.001)
    assert rate.max() < 1.11


# The table of small prefixes by census.


def test_the_small_prefixes_by_census_are_17_printed_and_18_counted():
    rows = small_zip3_frame()
    lists = load_zip3_lists()
    for year, name in (("2000", "hhs-2000"), ("2010", "census-2010"), ("2020", "census-2020")):
        assert set(rows.loc[rows[f"small_{year}"] == "yes", "prefix"]) == lists[name].prefixes
    assert [sum(rows[f"small_{year}"] == "yes") for year in (2000, 2010, 2020)] == [17, 18, 18]
    assert len(rows) == 23
    by_prefix = rows.set_index("prefix")
    assert by_prefix.loc["036", ["states", "people_2010", "people_2020"]].tolist() == ["NH", 13_759, 13_153]
    assert by_prefix.loc["202", ["states", "people_2020"]].tolist() == ["", 0], "counted, and nobody"
    notes = "\n".join(small_zip3_notes(rows))
    assert re.search("check of 2020: .* the same prefixes", notes)
    assert "OTHER" not in notes
    assert "67 FR 53182" in notes


def test_the_people_of_each_prefix_are_those_that_the_bureau_counts(shared):
    for year in (2010, 2020):
        areas = pd.read_csv(shared / "census" / f"zcta_{year}_population.csv.gz", dtype={"zcta": str})
        sums = areas.groupby(areas["zcta"].str[:3])["population"].sum()
        rows = small_zip3_frame().set_index("prefix")
        assert rows[f"people_{year}"].to_dict() == sums[rows.index].to_dict()
        assert set(rows.index[rows[f"small_{year}"] == "yes"]) == set(sums.index[sums <= 20_000])


def test_of_another_size_nothing_was_printed():
    rows = small_zip3_frame(22_000)
    assert set(rows["small_2000"]) == {"unknown"}
    assert [sum(rows[f"small_{year}"] == "yes") for year in (2010, 2020)] == [22, 20]
    assert "2000: printed for 20,000 people only" in small_zip3_notes(rows)[0]
