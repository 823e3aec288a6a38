"""One group worked through, by hand and beside the figures of the whole state."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.attackers.coverage import ADULTS
from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.groups import total_risk
from policy_sim.model.explanation import explain_groups
from policy_sim.people.merge import merge
from policy_sim.people.population import Population, Provenance, check_cells
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
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made"),
    Provenance("made", "made for a test", "nobody", "2010-04-01", "by hand", 1.0, 0.0, 0.0),
)
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


def test_a_key_without_the_state_is_refused():
    with pytest.raises(InputError, match="without the state, the linkage key"):
        explain_groups(PEOPLE, "OH", _key(birth="year"), 1)
