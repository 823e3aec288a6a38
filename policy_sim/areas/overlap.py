"""Differencing: how few people are in an area and in another place that a release shows, or has shown, as well.

A person in area A and county B is one of the people of both. Where an area crosses a county line, a release with both
(or two releases, one with each) says more than either.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from policy_sim.areas.zip_areas import CENSUS
from policy_sim.people.zips import zip_parts
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS

_COLUMNS = ["next_to", "area", "other", "people"]


def without_people(area_of: Mapping[str, str]) -> int:
    """Return how many ZIP codes of a table have no people in 2020, so that nothing is said of them."""
    return len(set(area_of) - set(zip_parts(CENSUS)["zip5"].astype(str)))


def people_of_areas(area_of: Mapping[str, str]) -> pd.DataFrame:
    """Return the people of each area by Census 2020: ``area`` and ``people``."""
    parts = zip_parts(CENSUS)
    people = parts.groupby(parts["zip5"].astype(str).map(area_of))["people"].sum()
    people = people.reindex(sorted(set(area_of.values())), fill_value=0)
    return people.rename_axis("area").rename("people").reset_index()


def overlaps(area_of: Mapping[str, str], next_to: Mapping[str, Mapping[str, str]] | None = None) -> pd.DataFrame:
    """Return how many people are in each area and in each place that it shares people with, the fewest first.

    Columns ``next_to`` (``state``, ``county``, ``zip3`` or the name of another table of areas), ``area``, ``other``
    (the place) and ``people``. Intersections that are a whole area are left out.

    ``next_to``: other tables by their names; ZIP codes that they lack have no place in them.
    """
    parts = zip_parts(CENSUS)
    zip5, county = parts["zip5"].astype(str), parts["county"].astype(str)
    held = pd.DataFrame({"area": zip5.map(area_of), "people": parts["people"].astype("int64")})
    others = {"state": county.str[:2].map(POSTAL_OF_FIPS), "county": county, "zip3": zip5.str[:3]}
    others |= {name: zip5.map(table) for name, table in (next_to or {}).items()}
    if not held["area"].notna().any():
        raise InputError("no ZIP code of the table has people in 2020: check its column zip.")
    whole = held.groupby("area")["people"].sum()
    frames = []
    for name, other in others.items():
        counted = held.assign(other=other).dropna()
        sums = counted[counted["people"] > 0].groupby(["area", "other"])["people"].sum().reset_index()
        part = sums[sums["people"] < sums["area"].map(whole)]
        frames.append(part.assign(next_to=name))
    return pd.concat(frames)[_COLUMNS].sort_values(["people", *_COLUMNS[:3]], ignore_index=True)
