"""People by ZIP code without drawing them, beside draws of the same people, and by conservation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.groups import g_distinct, total_risk
from policy_sim.io.population_store.shipped import load_shipped
from policy_sim.io.populations.zip_population import zip_parts
from policy_sim.policies.policy import NO_CONDITIONS, SmallPlaces
from policy_sim.population.cells import check_cells
from policy_sim.population.merge import merge
from policy_sim.population.population import Population, Provenance
from policy_sim.population.zip_areas import in_zip_areas
from policy_sim.population.zip_shares import PeopleByZip, ZipShares
from policy_sim.study import Study

G = (1, 3, 5, 10)
DRAWS = 20


@pytest.fixture(scope="module")
def delaware():
    return load_shipped("us-2010").in_states(["DE"])


@pytest.fixture(scope="module")
def parts():
    return zip_parts("us-2010")


@pytest.fixture(scope="module")
def draws(delaware, parts):
    return [in_zip_areas(delaware, parts, seed) for seed in range(DRAWS)]


def _key(geography):
    return Granularities(gender="value", race="value", birth="date", geography=geography)


@pytest.mark.parametrize("geography", ["zip3", "zip5", "county_zip5"])
def test_the_mean_of_draws_is_the_closed_form(delaware, parts, draws, geography):
    """Total risk and g-distinct of 20 draws of Delaware lie within three standard errors of what needs no draw."""
    key = _key(geography)
    placed = PeopleByZip(delaware, ZipShares.of(delaware, parts)).merge(
        key, ["DE"], days_per_year=365.0, conditions=NO_CONDITIONS
    )
    expected = np.concatenate([total_risk(placed), g_distinct(placed, G)[0]])
    drawn = []
    for people in draws:
        groups = merge(people, key, ["DE"])
        drawn.append(np.concatenate([total_risk(groups), g_distinct(groups, G)[0]]))
    mean, error = np.mean(drawn, axis=0), np.std(drawn, axis=0, ddof=1) / np.sqrt(DRAWS)
    assert (error > 0).all()
    assert (np.abs(mean - expected) <= 3 * error).all()


PEOPLE = Population(
    check_cells(
        pd.DataFrame(
            [
                ("OH", "39001", "M", 30, 1, "white", 400),
                ("OH", "39001", "F", 30, 1, "white", 600),
                ("OH", "39003", "F", 31, 1, "asian", 1),
                ("WV", "54001", "F", 31, 1, "black", 7),
            ],
            columns=["state", "county", "sex", "age", "age_width", "race", "people"],
        ),
        "made",
    ),
    Provenance("made", "made for a test", "nobody", "2010-04-01", "by hand", 1.0, 0.0, 0.0),
)
PARTS = pd.DataFrame(
    [("39001", "44101", 750), ("39001", "44102", 250), ("39003", "44101", 1), ("54001", "25001", 7), ("01001", "1", 5)],
    columns=["county", "zip5", "people"],
)


@pytest.mark.parametrize("geography", ["zip3", "zip5", "county_zip5"])
@pytest.mark.parametrize("birth", ["year", "date"])
def test_nobody_is_lost(geography, birth):
    """With g above everybody, g-distinct counts each person once."""
    key = Granularities(gender="value", birth=birth, geography=geography)
    people = PeopleByZip(PEOPLE, ZipShares.of(PEOPLE, PARTS))
    groups = people.merge(key, None, days_per_year=365.0, conditions=NO_CONDITIONS)
    np.testing.assert_allclose(g_distinct(groups, [2000])[:, 0], [1001, 7], rtol=1e-9)


def test_by_year_and_county_part_by_hand():
    """The one person of 39003 is alone; of 600 women and 400 men nobody is, and an empty part has no value to hit.

    Occupied groups: 1 in 39003, and in 39001 both sexes in both parts, but for chances below 1e-50; 1 in 54001.
    """
    key = Granularities(gender="value", birth="year", geography="county_zip5")
    people = PeopleByZip(PEOPLE, ZipShares.of(PEOPLE, PARTS))
    groups = people.merge(key, ["WV", "OH"], days_per_year=365.0, conditions=NO_CONDITIONS)
    np.testing.assert_allclose(total_risk(groups), [1, 5], rtol=1e-12)


def test_other_keys_are_the_county_population_s_own():
    key = Granularities(gender="value", birth="year", geography="county")
    people = PeopleByZip(PEOPLE, ZipShares.of(PEOPLE, PARTS))
    ours = people.merge(key, None, days_per_year=365.0, conditions=NO_CONDITIONS)
    assert total_risk(ours).tolist() == total_risk(merge(PEOPLE, key)).tolist() == [3, 1]
    assert (people.states, people.people_by_state()) == (("OH", "WV"), {"OH": 1001, "WV": 7})


def test_older_people_live_in_the_same_shares():
    people = PeopleByZip(PEOPLE, ZipShares.of(PEOPLE, PARTS))
    older = people.of_age(31)
    assert older.people_by_state() == {"OH": 1, "WV": 7}
    assert older.zips is people.zips


def test_small_places_share_one_code():
    zips = ZipShares.of(PEOPLE, PARTS)
    every = zips.places("zip5", SmallPlaces("zip3", 0, frozenset({"441"})))
    assert every[1].tolist().count(0) == 2, "39001 and 39003 each show 000 once"
    np.testing.assert_allclose(np.bincount(every[0], weights=every[2]), 1)


def test_a_rule_on_small_places_by_another_place_is_refused():
    with pytest.raises(InputError, match=r"^a rule on small places by county cannot be applied to ZIP code areas"):
        ZipShares.of(PEOPLE, PARTS).places("zip5", SmallPlaces("county", 0))


def test_a_county_without_a_part_says_so():
    with pytest.raises(InputError, match="county 54001 of population made is in no part of a ZIP code area"):
        ZipShares.of(PEOPLE, PARTS[PARTS["county"] != "54001"])


@pytest.mark.slow
def test_ohio_as_written_for_the_voter_list():
    """20 draws of us-2010-zip, Safe Harbor and Limited Data Set as written, VOTER: within three standard errors.

    By county, birth date and ZIP code the cells are so many that falling by itself is off by six standard errors:
    each part holds as many people as were counted.
    """
    ohio = load_shipped("us-2010").in_states(["OH"])

    def figures(people):
        rows = Study(people).compare(attackers="voter", states="OH", rules="regulation").to_frame()
        return rows[rows["measure"].isin(["total-risk", "g-distinct"])]

    rows = figures(ohio)
    parts = zip_parts("us-2010")
    drawn = np.array([figures(in_zip_areas(ohio, parts, seed))["people"] for seed in range(DRAWS)], dtype=np.float64)
    mean, error = drawn.mean(axis=0), drawn.std(axis=0, ddof=1) / np.sqrt(DRAWS)
    assert rows["measure"].tolist() == (["total-risk"] + ["g-distinct"] * 4) * 2
    assert (np.abs(mean - rows["people"].to_numpy(np.float64)) <= 3 * error + 1e-6).all()
