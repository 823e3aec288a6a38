import pytest
from official_tables import official

from policy_sim.errors import UnknownNameError
from policy_sim.io.population_store.census_facts import expected_counties, published
from policy_sim.states import STATES


@pytest.mark.parametrize(
    ("year", "nation", "puerto_rico"),
    [(2000, 281_421_906, 3_808_610), (2010, 308_745_538, 3_725_789), (2020, 331_449_281, 3_285_874)],
)
def test_totals_are_those_the_bureau_printed(year, nation, puerto_rico):
    people = published(year).people
    assert set(people) == set(STATES)
    assert people["PR"] == puerto_rico
    assert sum(people.values()) - puerto_rico == nation


@pytest.mark.parametrize("year", [2000, 2010])
def test_races_add_up_to_the_nation(year):
    facts = published(year)
    assert sum(facts.races.values()) == sum(facts.people.values()) - facts.people["PR"]
    assert "".join(facts.races) == "ABCDEFG"


def test_2020_has_no_race_totals():
    assert not published(2020).races


@pytest.mark.parametrize("year", [2000, 2010, 2020])
def test_state_totals_equal_the_sums_of_the_official_counties(year):
    counted = official("counties").set_index("county_fips")[f"population-{year}"].dropna().astype(int)
    sums = counted.groupby(counted.index.str[:2]).sum()
    assert {state.fips: published(year).people[state.postal] for state in STATES.values()} == sums.to_dict()


def test_counties_of_some_states():
    assert expected_counties(2010, ("DE",)) == {"10001", "10003", "10005"}
    assert len(expected_counties(2000)) == 3219


def test_other_years_are_not_known():
    with pytest.raises(UnknownNameError, match="'1990' is not known"):
        published(1990)
