"""Groups of people placed by chance, of as many facts as a test is about."""

from __future__ import annotations

import numpy as np

from policy_sim.people.merge import MergeKey
from policy_sim.people.merging import merge, merge_parted
from policy_sim.people.places import split_people
from policy_sim.policies.policy import NO_CONDITIONS


def placed(kind, people, share, *, bins=1.0, unit=0, county=0, place=None, units=1, **chances):
    """Groups of ``people`` by county and cell: one county of one unit, each piece a place of its own, by default."""
    people, share = np.array(people, dtype=np.float64, ndmin=2), np.array(share, dtype=np.float64)
    counties, cells = people.shape
    pieces = np.arange(len(share)) if place is None else np.array(place)
    return kind(
        people,
        np.array(np.broadcast_to(bins, cells), dtype=np.float64),
        np.array(np.broadcast_to(unit, counties)),
        np.array(np.broadcast_to(county, len(share))),
        pieces,
        share,
        units,
        **chances,
    )


def parted(people, by, key, states, *, conditions=NO_CONDITIONS, listing=None):
    """Groups of people by ZIP code whose figures are parted by what people are."""
    split = split_people(people.county_population, by)
    if "zip" not in key["geography"]:
        return merge(people.county_population, key, states, by=split, listing=listing)
    return merge_parted(people, MergeKey(key, tuple(states), conditions=conditions, listing=listing), split)
