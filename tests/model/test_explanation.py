"""One group worked through, by hand and beside the figures of the whole state."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from small_people import population_of

from policy_sim.attackers.coverage import ADULTS
from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.groups import Chances, g_distinct, total_risk
from policy_sim.model.explanation import explain_groups
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merging import merge
from policy_sim.people.zips import PeopleByZip, ZipShares
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 400),
    ("OH", "39001", "F", 30, 1, "white", 600),
    ("OH", "39001", "F", 5, 1, "black", 70),
    ("OH", "39003", "F", 30, 1, "asian", 50),
    ("WV", "54001", "F", 31, 1, "black", 7),
]
PEOPLE = population_of(ROWS, date="2010-04-01")
PARTS = pd.DataFrame(
    [("39001", "44101", 750), ("39001", "44201", 250), ("39003", "44101", 50), ("54001", "25001", 7)],
    columns=["county", "zip5", "people"],
)


def _key(conditions=NO_CONDITIONS, coverage=None, **fields):
    return Granularities(**fields), conditions, coverage


def test_the_group_of_the_person_in_the_middle():
    """Groups of 50, 70, 400 and 600: of 1,120 people the 560th is of the 600."""
    counts, worked = explain_groups(
        PEOPLE, "OH", _key(gender="value", race="value", birth="date", geography="county"), 1
    )
    assert (counts.groups, counts.people, counts.middle) == (4, 1120, 600)
    assert dict(worked.values) == {"sex": "female", "race": "white", "age": "30", "county": "39001"}
    assert (worked.bins, worked.parts[0].people, worked.parts[0].county) == (365, 600, "39001")
    assert worked.correct == occupied_bins(600, 365).item()
    assert worked.alone == people_g_distinct(600, 365, 1).item()


def test_without_a_county_the_people_of_all_are_together():
    counts, worked = explain_groups(PEOPLE, "OH", _key(birth="year", geography="state"), 0.5)
    assert (counts.groups, counts.people, worked.people) == (2, 1120, 1050)
    assert dict(worked.values) == {"age": "30"}
    assert worked.correct == pytest.approx(1)


def test_those_who_may_be_listed_alone():
    counts, _ = explain_groups(PEOPLE, "OH", _key(birth="year", geography="state", coverage=ADULTS), 1)
    assert (counts.groups, counts.people) == (1, 1050)


def test_groups_of_a_state_add_up_to_its_total_risk():
    """With one group in the state, that group is the whole figure."""
    key = _key(gender="value", birth="month", geography="county")
    _, worked = explain_groups(PEOPLE, "WV", key, 0.4)
    assert worked.correct == total_risk(merge(PEOPLE, key[0], ["WV"]), 0.4)[0]


@pytest.mark.parametrize("geography", ["county_zip5", "zip5", "zip3"])
def test_a_place_by_chance(geography):
    """The 600 women of 39001: three quarters of them in 44101, where women of 39003 live too, all but the Asian."""
    people = PeopleByZip(PEOPLE, ZipShares.of(PEOPLE, PARTS))
    key = _key(gender="value", birth="date", geography=geography)
    counts, worked = explain_groups(people, "OH", key, 1)
    assert (counts.people, worked.bins) == (1120, 365)
    expected = {"county_zip5": [600], "zip5": [600, 50], "zip3": [600, 50]}[geography]
    assert [part.people for part in worked.parts] == expected
    assert worked.parts[0].share == 0.75
    assert worked.values["place"] == ("441" if geography == "zip3" else "44101")
    by_itself = 365 * (1 - np.prod([(1 - part.share / 365) ** part.people for part in worked.parts]))
    assert worked.correct == pytest.approx(by_itself, rel=1e-3)
    assert 0 < worked.alone < worked.correct < worked.people


AGES = np.arange(YEARS_OF_AGE)
LISTING = Listing(
    ("39001", "39003", "54001"), np.where(AGES < 18, 0.0, [[0.8], [0.5], [0.9]]), np.array([0.25, 0.1, 0.2])
)


def test_the_formula_that_is_printed_gives_the_figures_of_a_list_by_county_and_age():
    key = _key(gender="value", birth="date", geography="county")
    _, worked = explain_groups(PEOPLE, "WV", key, LISTING)
    n, c, s, b = 7, 0.9, 7 * 0.9 * 0.2, 365
    assert (worked.trials, worked.linked, worked.stale) == (n, pytest.approx(c), pytest.approx(s))
    u = (np.arange(100_000) + 0.5) / 100_000
    mean = ((1 - c * u / b) ** (n - 1) * np.exp(-s * u / b)).mean()
    assert worked.correct == pytest.approx(n * c * mean, rel=1e-5)
    assert worked.alone == pytest.approx(n * c * (1 - c / b) ** (n - 1) * np.exp(-s / b), rel=1e-9)
    groups = merge(PEOPLE, key[0], ["WV"], listing=LISTING)
    assert worked.correct == total_risk(groups)[0], "the state's only group"
    assert worked.alone == g_distinct(groups, [1])[0, 0]


def test_nobody_who_left_is_in_a_file():
    key = _key(gender="value", birth="date", geography="county")
    _, worked = explain_groups(PEOPLE, "WV", key, LISTING, 0.1)
    assert (worked.linked, worked.stale) == (pytest.approx(0.09), 0)
    chances = Chances(np.ones(1), np.full(1, 0.1))
    assert worked.correct == pytest.approx(chances.total_risk(merge(PEOPLE, key[0], ["WV"], listing=LISTING))[0])


def test_people_listed_with_different_chances_count_as_fewer_alike():
    key = _key(gender="value", birth="year", geography="state")
    _, worked = explain_groups(PEOPLE.in_states(["OH"]), "OH", key, LISTING)
    listed, squared = 600 * 0.8 + 50 * 0.5, 600 * 0.8**2 + 50 * 0.5**2
    assert worked.trials == pytest.approx(listed**2 / squared)
    assert worked.linked == pytest.approx(listed / 650)
    assert worked.correct <= 1


@pytest.mark.parametrize("geography", ["county_zip5", "zip5"])
def test_a_place_by_chance_and_a_list_by_county_and_age(geography):
    """The state has one group, so that the group's figures are the state's."""
    one = PEOPLE.in_states(["WV"])
    people = PeopleByZip(one, ZipShares.of(one, PARTS[PARTS["county"] == "54001"]))
    key = _key(gender="value", birth="date", geography=geography)
    _, worked = explain_groups(people, "WV", key, LISTING)
    groups = merge(people, key[0], ["WV"], listing=LISTING)
    assert worked.correct == pytest.approx(total_risk(groups)[0], rel=1e-6)
    assert worked.alone == pytest.approx(g_distinct(groups, [1])[0, 0], rel=1e-6)
    assert worked.parts[0].linked == pytest.approx(0.9)


def test_a_key_without_the_state_is_refused():
    with pytest.raises(InputError, match="without the state, the linkage key"):
        explain_groups(PEOPLE, "OH", _key(birth="year"), 1)
