"""Homes of made-up people: every area gets its people, and attacks by ZIP code meet the means over all draws."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.analyses.attack import simulate
from policy_sim.analyses.attack.made_up_homes import deal_homes
from policy_sim.attackers import GENERAL, Coverage, covered, voter
from policy_sim.attackers.in_file import InFile
from policy_sim.io.policy_files import load_policy
from policy_sim.io.populations.by_name import load_population
from policy_sim.io.populations.zip_population import with_zip_codes
from policy_sim.policies.policy import SmallPlaces
from policy_sim.population.merge import people_of_age
from policy_sim.population.zip_shares import ZipShares
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.voter_list import VoterList

# Two counties that share the area 43001.
ZIPS = ZipShares(
    np.array([0, 0, 2, 2, 2]),
    np.array(["43001", "44002", "43001", "43003", "45004"]),
    np.array([0.75, 0.25, 0.5, 0.25, 0.25]),
    np.array([8.0, 0.0, 12.0]),
    {"440": 2},
)
COUNTY = np.array([2, 0] * 8 + [2] * 4)


def test_every_area_gets_as_many_people_of_a_county_as_were_counted():
    homes = deal_homes(COUNTY, ZIPS, np.random.default_rng(3))
    assert np.bincount(homes.part).tolist() == [6, 2, 6, 3, 3]
    np.testing.assert_array_equal(ZIPS.county[homes.part], COUNTY)


def test_who_lives_where_is_chance():
    """Each of the 8 people of a county lives in its first area in three of four draws (4,000 draws: within 4%)."""
    rng, here = np.random.default_rng(4), np.flatnonzero(COUNTY == 0)
    first = np.mean([deal_homes(COUNTY, ZIPS, rng).part[here] == 0 for _ in range(4000)], axis=0)
    np.testing.assert_allclose(first, 0.75, atol=0.03)


@pytest.mark.parametrize(
    ("place", "small", "together"),
    [
        ("zip3", None, [(0, 2, 3), (1,), (4,)]),
        ("zip5", None, [(0, 2), (1,), (3,), (4,)]),
        ("county_zip5", None, [(0,), (1,), (2,), (3,), (4,)]),
        ("zip3", SmallPlaces("zip3", 20_000), [(0, 2, 3), (1,), (4,)]),
        ("zip5", SmallPlaces("zip3", 20_000, frozenset({"440", "450"})), [(0, 2), (1, 4), (3,)]),
    ],
)
def test_parts_that_a_key_shows_alike(place, small, together):
    homes = deal_homes(COUNTY, ZIPS, np.random.default_rng(3))
    shown = homes.shown(place, small)
    codes = [set(shown[np.isin(homes.part, parts)].tolist()) for parts in together]
    assert [len(code) for code in codes] == [1] * len(together)
    assert len(set.union(*codes)) == len(together)


LISTED = VoterList(
    "DE",
    "x",
    "available",
    fields={
        name: ListField("included", value)
        for name, value in (
            *(("gender", "value"), ("race", "value"), ("birth", "date"), ("geography", "county")),
            ("zip", "value"),
        )
    },
)


@pytest.mark.parametrize("share", [None, 0.1, 0.01])
def test_delaware_as_written_lies_in_the_interval(share):
    """Both rules as written, everyone and 0.65 of the adults listed: 99 % intervals of 6 attacks, seeded.

    Homes are drawn anew in each attack, so that the mean over the make-up of the county is what is tested.
    """
    people = with_zip_codes(load_population("us-2020"))
    adults = people_of_age(people, 18).people_by_state()["DE"]
    listed = Coverage("registered", "0.65 of them", {"DE": round(0.65 * adults)})
    some = covered(voter({"DE": LISTED}, "x"), listed)
    rules = [load_policy("safe-harbor"), load_policy("limited-dataset")]
    attacks = simulate(people, rules, [some, GENERAL], "DE", runs=6, seed=11, in_file=InFile.of(share))
    keys = {attack.case.label() for attack in attacks}
    assert {"gender+race+birth=date+geography=county_zip5"} <= keys
    assert {"claims", "correct-claims", "precision"} <= {str(attack.measure) for attack in attacks}
    assert all(attack.agrees for attack in attacks), attacks.to_frame()
