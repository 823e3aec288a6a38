"""What is known of one ZIP code area: people by county, age and group at each census, next to those of its counties."""

from __future__ import annotations

from importlib.metadata import version
from itertools import pairwise

import numpy as np
import pandas as pd

from policy_sim.files.toml import shipped_table
from policy_sim.people.composition import (
    AGE_STARTS,
    CLASSES,
    GROUPS,
    class_of,
    composition_file,
    composition_of,
)
from policy_sim.people.county_tables import CountyTable
from policy_sim.people.names import county_names
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import zip_parts
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS

CENSUSES = ("us-2010", "us-2020")
_DIGITS = 5
_GROUP_WORDS = dict(
    zip(GROUPS, ("Hispanic", "White", "Black", "AIAN", "Asian, NHPI", "other", "multiple"), strict=True)
)


def zip_area_frame(code: str) -> pd.DataFrame:
    """Return what is known of a ZIP code area, one row per census and item.

    ``people``: those who live there by the fit, whole; ``share``: of the area's people; ``share_of_counties``: of the
    people of its counties. ``basis``: ``counted``, or ``fitted`` to counts of area and county.

    Raises
    ------
    InputError : no census has an area of that code.
    """
    if len(code) != _DIGITS or not code.isdecimal():
        raise InputError(f"ZIP code {code!r}: give five digits, such as 43604.")
    rows = [row for name in CENSUSES for row in _rows_of(name, code)]
    if not rows:
        raise InputError(
            f"ZIP code {code}: neither Census 2010 nor 2020 has an area of that code. Codes of post-office boxes and "
            "of single buildings have none: take the code of the place around it."
        )
    columns = ["population", "item", "value", "people", "share", "share_of_counties", "basis"]
    return pd.DataFrame(rows, columns=columns).astype({"people": "Int64"})


def zip_area_notes(rows: pd.DataFrame) -> list[str]:
    """Say where the rows of :func:`zip_area_frame` come from."""
    facts = [
        (name, shipped_table("manifest.toml")["zip"][composition_file(name).stem])
        for name in rows["population"].unique()
    ]
    return [
        *(f"{name}: {of['how']}" for name, of in facts),
        "a ZIP code tabulation area is not a ZIP code: codes of post-office boxes have none",
        f"cite: policy_sim {version('policy-sim')}, people of a ZIP code area, from the sources above",
    ]


def _rows_of(name: str, code: str) -> list[tuple[object, ...]]:
    parts = zip_parts(name)
    here = set(parts.loc[parts["zip5"] == code, "county"])
    parts = parts[parts["county"].isin(here) & (parts["people"] > 0)].sort_values(["county", "zip5"], ignore_index=True)
    if parts.empty:
        return []
    table = load_shipped(name).laid_out_by_origin
    assert table is not None  # shipped populations have Hispanic origin
    names = sorted(here)
    county, whole = np.searchsorted(names, parts["county"].to_numpy(dtype=str)), _by_class(table, names)
    counted = parts["people"].to_numpy(np.float64)
    residents = np.bincount(county, weights=counted)
    codes = (parts[column].to_numpy(dtype=str) for column in ("county", "zip5"))
    chances = composition_of(name, *codes).chances(county, counted / residents[county])
    of_area = np.flatnonzero(parts["zip5"].to_numpy(dtype=str) == code)
    living = (whole[county[of_area]] * chances[of_area]).reshape(-1, len(AGE_STARTS), len(GROUPS))
    everyone, in_counties = living.sum(), whole.sum()
    by_class = whole.sum(axis=0).reshape(len(AGE_STARTS), len(GROUPS))
    own: list[tuple[object, ...]] = [
        (
            name,
            "everyone",
            code,
            round(counted[of_area].sum()),
            1.0,
            counted[of_area].sum() / residents.sum(),
            "counted",
        )
    ]
    for place in of_area.tolist():
        fips = names[county[place]]
        where = f"{county_names(POSTAL_OF_FIPS[fips[:2]])[fips]}, {POSTAL_OF_FIPS[fips[:2]]}"
        of_county = counted[place] / residents[county[place]]
        own.append(
            (
                name,
                "county",
                where,
                round(counted[place]),
                counted[place] / counted[of_area].sum(),
                of_county,
                "counted",
            )
        )
    for item, axis, words in (("age", 2, _age_words()), ("group", 1, list(_GROUP_WORDS.values()))):
        people, of_counties = living.sum(axis=(0, axis)), by_class.sum(axis=axis - 1)
        own += [
            (name, item, word, round(people[at]), people[at] / everyone, of_counties[at] / in_counties, "fitted")
            for at, word in enumerate(words)
        ]
    return own


def _by_class(table: CountyTable, names: list[str]) -> FloatArray:
    """Return the people of some counties by class; shape (counties, 77)."""
    people = np.zeros((CLASSES, len(names)))
    np.add.at(people, class_of(table.kinds.cells), table.people[:, table.counties.get_indexer(pd.Index(names))])
    return people.T


def _age_words() -> list[str]:
    ends = [f"{first} to {following - 1}" for first, following in pairwise(AGE_STARTS)]
    return [*ends, f"{AGE_STARTS[-1]} and over"]


def state_of_areas(zip5: pd.Series, name: str = "us-2020") -> pd.Series:
    """Return the state (postal code) in which most people of each ZIP code area live, by a census.

    An area without people is in the state of its first three digits; one of Puerto Rico by these alone.

    >>> state_of_areas(pd.Series(["43215", "00601"])).tolist()
    ['OH', 'PR']
    """
    parts = zip_parts(name)
    people = parts.assign(state=parts["county"].astype(str).str[:2].map(POSTAL_OF_FIPS)).sort_values("people")
    of_area = people.groupby("zip5")["state"].last()
    of_prefix = people.groupby(people["zip5"].str[:3])["state"].last()
    islands = dict.fromkeys(("006", "007", "009"), "PR")
    return zip5.map(of_area).fillna(zip5.str[:3].map(of_prefix)).fillna(zip5.str[:3].map(islands))
