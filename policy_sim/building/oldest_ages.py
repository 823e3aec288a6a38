"""The ages of the people of 85 and over by race: the pattern of Texas, fitted to the facts about each state.

Table PCT12 by race is available for all counties of Texas (2000, 2010 and 2020), and the shares of 85-89, 90-94, ...,
110 and over of Census 2000 for 21 areas, all races together: 12 states, and the parts of California and Georgia.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.arrays import FloatArray
from policy_sim.building.official_tables import RACE_LABELS, SEX_ORDER, read_shares_85_over, read_table, to_array
from policy_sim.building.state_tables import Decennial
from policy_sim.population.ages import AGES, OPEN_AGE
from policy_sim.population.cells import RACES

__all__ = ["AREAS", "read_area_shares", "read_open_shares", "with_ages_by_race"]


_OLDEST = AGES[AGES >= OPEN_AGE]
# 85-89, 90-94, 95-99, 100-104, 105-109, 110 and over: the class of each of the 18 ages.
_CLASS = np.minimum((_OLDEST - OPEN_AGE) // 5, 5)
_FOLD = np.eye(6)[_CLASS]
# The fit adds this many people with the ages of all races to each race, so that no age of a small race is 0.
_PRIOR_PEOPLE = 20.0
_ALASKA, _AIAN = "02", RACES.index("aian")
_SHARES = "shares_of_85_over_2000_pct12.csv.gz"
_SEX_NAMES = {"M": "Male", "F": "Female"}

# Areas whose shares are available and that make up a state: column -> counties (codes without the state's), or None
# for all the others. They are areas of the National Cancer Institute's registries. That they are these counties is
# tested: shares times the people of 85 and over that Census 2000 counts there are whole people.
AREAS: Mapping[str, Mapping[str, tuple[str, ...] | None]] = {
    "06": {
        "LosAngeles_13": ("037",),
        "SanFrancisco_9": ("001", "013", "041", "075", "081"),
        "SanJose_13": ("053", "069", "085", "087"),
        "OtherCA_18": None,
    },
    "13": {
        "Atlanta_9": ("063", "067", "089", "121", "135"),
        "RuralGA_13": ("125", "133", "141", "159", "163", "211", "237", "265", "301", "303"),
        "OtherGA_18": None,
    },
}


def read_open_shares(folder: Path, year: int, *, own_areas: bool = False) -> dict[str, FloatArray]:
    """Read the shares of the 18 ages from 85 up, by sex and race; shape (2, 7, 18) for each state (FIPS code).

    The five-year classes of each race are those of Texas in ``year``, times the ratio of the state's classes in
    Census 2000 to those of Texas (the median of 21 areas for states without such classes). Single years inside a
    class are those of all races in Texas.

    Parameters
    ----------
    folder : The folder of official tables.
    year : Census whose ages by race in Texas are the pattern: 2000, 2010 or 2020.
    own_areas : Whether to use facts about parts of states too: California and Georgia from their areas, and American
        Indians and Alaska Natives of Alaska as Census 2000 counts them.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    counted = _texas(folder, year)
    everyone = counted.sum(axis=1, keepdims=True)
    classes = (counted + _PRIOR_PEOPLE * everyone / everyone.sum(axis=2, keepdims=True)) @ _FOLD
    texas_2000 = _texas(folder, 2000).sum(axis=1) @ _FOLD
    texas_2000 /= texas_2000.sum(axis=1, keepdims=True)
    inside = everyone / (everyone @ _FOLD)[..., _CLASS]
    shares_by_state = read_shares_85_over(folder) | (read_area_shares(folder) if own_areas else {})
    open_shares = {}
    for state, shares in shares_by_state.items():
        of_state = classes * (shares / texas_2000)[:, None]
        of_state /= of_state.sum(axis=2, keepdims=True)
        if own_areas and state == _ALASKA:
            of_state[:, _AIAN] = _columns(folder, "Alaska_13")
        open_shares[state] = np.asarray(of_state[..., _CLASS] * inside)
    return open_shares


def read_area_shares(folder: Path) -> dict[str, FloatArray]:
    """Read the six shares of the states of :data:`AREAS`; shape (2 sexes, 6) for each (FIPS code).

    The weight of an area is its people of 85 and over in table P12 of Census 2000.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    table = read_table(folder, "county_2000_sf1_p12_p12a_b_h_i.parquet")
    table = table[(table["table"] == "P12") & (table["age"] == OPEN_AGE)]
    shares = {}
    for state, areas in AREAS.items():
        left = table[table["county_fips"].str[:2] == state]
        people = np.zeros((2, 6))
        for area, codes in areas.items():
            counties = left["county_fips"].unique() if codes is None else [state + code for code in codes]
            in_area = left["county_fips"].isin(counties)
            people += _columns(folder, area) * _by_sex(left[in_area])[:, None]
            left = left[~in_area]
        shares[state] = people / people.sum(axis=1, keepdims=True)
    return shares


def with_ages_by_race(census: Mapping[str, Decennial], folder: Path, year: int) -> dict[str, Decennial]:
    """Return the tables of each state with ages from 85 up by race (:func:`read_open_shares`, own areas).

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    shares = read_open_shares(folder, year, own_areas=True)
    return {
        state: replace(tables, patterns=replace(tables.patterns, open_shares=shares[state]))
        for state, tables in census.items()
    }


def _columns(folder: Path, area: str) -> FloatArray:
    """Return the shares of one area; shape (2, 6)."""
    table = read_table(folder, _SHARES).set_index(["sex", "ages"])[area]
    return np.stack([table.loc[name].sort_index().to_numpy(np.float64) for name in _SEX_NAMES.values()])


def _by_sex(table: pd.DataFrame) -> FloatArray:
    """Return the people of a table by sex; shape (2,)."""
    return to_array(table, {"sex": SEX_ORDER}, "people of 85 and over")


def _texas(folder: Path, year: int) -> FloatArray:
    """Return the people of 85 and over in Texas by sex, race and age; shape (2, 7, 18)."""
    name = f"county_{year}_pct12_race_origin_texas.parquet"
    table = read_table(folder, name)
    table = table[table["age"] >= OPEN_AGE]
    return to_array(table, {"sex": SEX_ORDER, "race": RACE_LABELS, "age": _OLDEST.tolist()}, name)
