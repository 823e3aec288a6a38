from __future__ import annotations

import pytest

from policy_sim import Study
from policy_sim.attackers.county_coverage import county_coverage
from policy_sim.model.breakdown import (
    flagged_counties,
    listed_by_age,
    listed_by_age_class,
    listed_by_county,
    listed_by_state,
)
from policy_sim.voter_lists.registration import load_registration
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.fixture(scope="module")
def study():
    return Study("us-2020", 2026)


@pytest.fixture(scope="module")
def ohio(study):
    return county_coverage(study.people.in_states(["OH"]), 2024)


@pytest.fixture(scope="module")
def nation(study):
    return county_coverage(study.people, 2024)


def test_ages_add_up_to_counties(ohio):
    ages, counties = listed_by_age(ohio), listed_by_county(ohio)
    assert ages["age"].tolist() == list(range(18, 120))
    for name in ("listed", "stale"):
        assert ages[name].sum() == counties[name].sum()
    assert ages["people"].sum() == counties["adults"].sum()
    assert (ages["records"] == ages["listed"] + ages["stale"]).all()
    assert (ages["listed"] <= ages["people"]).all()
    assert (ages[["people", "listed", "stale"]] >= 0).all(axis=None)
    assert all(dtype.kind == "i" for dtype in ages.dtypes)


def test_classes_of_ages_are_the_ages_together(ohio):
    classes, ages = listed_by_age_class(ohio), listed_by_age(ohio)
    assert classes[["people", "listed", "stale", "records"]].sum().tolist() == ages.drop(columns="age").sum().tolist()
    young = ages[ages["age"].isin([18, 19])]
    assert classes.loc[0, ["state", "ages"]].tolist() == ["OH", "18-19"]
    assert classes.loc[0, "listed_share"] == young["listed"].sum() / young["people"].sum()


def test_states_add_up_to_the_nation(nation):
    states, counties = listed_by_state(nation), listed_by_county(nation)
    assert len(states) == 51
    assert (states["registered"].sum(), states["active"].sum()) == (232_361_684, 209_026_966)
    assert states["listed"].sum() == counties["listed"].sum() == listed_by_age(nation)["listed"].sum()
    assert (states["records"] == states["listed"] + states["stale"]).all()
    north_dakota = states.set_index("state").loc["ND"]
    assert north_dakota.isna()["registered"]
    assert north_dakota["stale"] == 0
    assert states.set_index("state").loc["WY", "per_surveyed"] == pytest.approx(296_960 / 307_000)


def test_what_a_county_reported_stands_beside_what_is_made_of_it(nation):
    row = listed_by_county(nation).set_index("county").loc["17021"]
    assert (row["registered"], row["flag"]) == (10_767, "outlier")
    assert row["listed"] + row["stale"] == load_registration().usable(2024)["17021"].records
    assert row.isna()["active"]


def test_every_particular_county_is_shown(nation):
    rows, every = flagged_counties(nation), listed_by_county(nation)
    assert set(rows["county"]) == set(every[(every["flag"] != "") | (every["note"] != "")]["county"])
    capped = every[every["listed"] == every["adults"]]
    assert set(capped["county"]) >= set(rows[rows["flag"].str.contains("capped")]["county"])
    words = {word for flag in rows["flag"] for word in flag.split("+")} - {""}
    assert words == {"capped", "high", "low", "none", "outlier", "parts", "state", "survey"}


def test_the_election_is_the_one_nearest_to_the_lists(study):
    assert "November 2024" in "".join(study.listed_by("state", "DE").provenance.notes)
    assert "November 2010" in "".join(Study("us-2020", 2008).listed_by("state", "DE").provenance.notes)
    assert study.listed_by("state", "DE", year=2018).coverage.year == 2018
    assert study.listed_by_age("Delaware").to_frame().equals(study.listed_by("age", ["DE"]).to_frame())


def test_the_manifest_names_the_counts(study):
    manifest = study.listed_by("county", "DE").provenance.manifest()
    files = {"by_county.parquet", "registration.toml", "registered_voters.toml"}
    assert files | {"population us-2020"} == set(manifest["inputs"])
    assert manifest["options"]["year"] == 2024


def test_what_cannot_be_asked(study):
    with pytest.raises(UnknownNameError, match="table of listed people by 'sex' is not known"):
        study.listed_by("sex")
    with pytest.raises(InputError, match="year = 2023"):
        study.listed_by("age", "DE", year=2023)
    with pytest.raises(InputError, match="only an answer by age has a curve"):
        study.listed_by("state", "DE").plot()
    with pytest.raises(InputError, match="only an answer by county or state has a map"):
        study.listed_by("age", "DE").map()
