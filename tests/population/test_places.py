"""A policy by county and ZIP code, for a population that counts one of the two."""

import pandas as pd
import pytest

from policy_sim.errors import InputError
from policy_sim.granularity import Field
from policy_sim.io.policy_files import load_policy
from policy_sim.population.cells import check_cells
from policy_sim.population.places import as_shown, shown_note, without_zip, without_zip_note
from policy_sim.population.population import Population, Provenance
from policy_sim.study import Study

AS_WRITTEN = "limited-dataset"


def population(*places: str) -> Population:
    """40 people of one ZIP code and 60 of another, 30 of these in a second county."""
    rows = [("CT", "09001", "06001", 40), ("CT", "09001", "06002", 30), ("CT", "09003", "06002", 30)]
    table = pd.DataFrame(rows, columns=["state", "county", "zip5", "people"])
    cells = table.groupby(["state", *places], as_index=False)["people"].sum().assign(sex="M", age=40, age_width=1)
    cells["race"] = "white"
    return Population(check_cells(cells, "made"), Provenance("made", "", "", "2020-04-01", "", 1.0, 0.0, 0.0))


def test_without_counties_the_zip_code_alone_is_released():
    people, policy = population("zip5"), load_policy(AS_WRITTEN)
    assert as_shown(policy, people).releases[Field.GEOGRAPHY] == "zip5"
    assert as_shown(policy, people).rules == policy.rules
    assert "no counties" in shown_note(policy, people)


@pytest.mark.parametrize("name", ["safe-harbor", "limited-dataset-paper", "zip5"])
def test_no_other_policy_is_touched(name):
    policy = load_policy(name)
    assert as_shown(policy, population("zip5")) is policy
    assert shown_note(policy, population("zip5")) == ""


@pytest.mark.parametrize("places", [("county", "zip5"), ("county",)])
def test_with_counties_or_without_zip_codes_the_policy_stays(places):
    policy = load_policy(AS_WRITTEN)
    assert as_shown(policy, population(*places)) is policy


def test_a_study_measures_whole_zip_code_areas():
    """Areas of 40 and 60 people, each over 365 dates: occupied dates by hand."""
    (profile,) = Study(population("zip5")).compare([AS_WRITTEN], ["general"]).profiles
    by_hand = sum(365 * (1 - (1 - 1 / 365) ** people) for people in (40, 60))
    assert profile.linkage_key.endswith("geography=zip5")
    (total, *_) = profile.values.values()
    assert total.low == pytest.approx(by_hand, rel=1e-12)


def test_a_study_by_county_alone_is_measured_by_county_and_says_so():
    answer = Study(population("county")).compare([AS_WRITTEN], ["general"])
    assert answer[0].linkage_key.endswith("geography=county")
    assert any("measured by county, not by ZIP code" in note for note in answer.provenance.notes)


def test_a_policy_by_zip_code_of_ones_own_is_still_refused():
    with pytest.raises(InputError, match="has no zip5"):
        Study(population("county")).compare(["zip5"], ["general"])


@pytest.mark.parametrize(
    ("name", "places", "shown"),
    [
        ("safe-harbor", ("county",), "state"),
        (AS_WRITTEN, ("county",), "county"),
        (AS_WRITTEN, (), "state"),
        (AS_WRITTEN, ("county", "zip5"), "county_zip5"),
        (AS_WRITTEN, ("zip5",), "county_zip5"),
        ("safe-harbor", ("zip5",), "zip3"),
        ("limited-dataset-paper", ("county",), "county"),
    ],
)
def test_zip_codes_become_what_the_population_has(name, places, shown):
    policy, people = load_policy(name), population(*places)
    coarser = without_zip(policy, people)
    assert coarser.releases[Field.GEOGRAPHY] == shown
    assert (coarser is policy) == (without_zip_note(policy, people) == "")
    if coarser is not policy:
        assert coarser.conditions.small_places is None
        assert coarser.conditions.top_age == policy.conditions.top_age
        assert coarser.name == f"{name}-without-zip"
        assert coarser.left_out in without_zip_note(policy, people)
