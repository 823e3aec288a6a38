"""Areas of at least N people: which ZIP code areas each has, and how many areas there could be at most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.areas.county_rule import COUNTY, Units, units_of
from policy_sim.areas.graph import Graph, bound, people_of
from policy_sim.areas.packing import packed
from policy_sim.areas.partition import partition
from policy_sim.areas.zip_areas import OF_2020, ZipAreas
from policy_sim.model.measure import Shown
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_state

if TYPE_CHECKING:
    import geopandas as gpd

LEAST = 20_000  # people of a three-digit ZIP code that Safe Harbor shows have more
PEOPLE = 1_000, 1_000_000  # the least and the greatest number that areas may be asked to have
_PROVED_UNITS = 1_500  # in larger states the bound of the graph stands, which takes no time


@dataclass(frozen=True)
class StateAreas:
    """The areas of one state: their number, the most there can be, and what was linked by water.

    ``bound``: no partition under the same lines has more areas. ``proved``: whether the number is the greatest.
    ``by_water``: pairs of ZIP codes, linked though they do not touch. ``spread``: root mean squared distance of people
    from the center of their area, km.
    """

    state: str
    number: int
    bound: int
    proved: bool
    spread: float
    by_water: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Areas(Shown):
    """Areas of at least ``least`` people in some states: each is a union of whole ZIP code areas of one state.

    Attributes
    ----------
    least : People that each area has at least, by the census.
    lines : ``county``: a county of fewer than twice as many people is not cut, and only a whole county of fewer than
        ``least`` joins another; ``none``: county lines do not count.
    compact : Whether shape was preferred to number.
    zips : One row a ZIP code area: ``zip5``, ``area``, ``people``, ``county``, ``state``; sorted by code.
    by_state : What is known of each state.
    cells : Approximate shape of each ZIP code area, by its code.
    counts : Which counts of people made them.

    Examples
    --------
    >>> areas = Areas.make("RI", 100_000)
    >>> len(areas), areas.zips["people"].sum().item()
    (8, 1097450)
    """

    least: int
    lines: str
    compact: bool
    zips: pd.DataFrame
    by_state: Mapping[str, StateAreas]
    cells: Mapping[str, Any] = field(default_factory=dict)
    counts: str = OF_2020

    @classmethod
    def make(
        cls,
        states: str | Sequence[str],
        least: int = LEAST,
        *,
        lines: str = COUNTY,
        compact: bool = False,
        counts: str = OF_2020,
        keep: Mapping[str, str] | None = None,
    ) -> Areas:
        """Make the areas of some states.

        Parameters
        ----------
        states : Names or codes.
        least : People that each area has at least, 1,000 to 1,000,000.
        counts : People of ``2020``, or the ``fewest`` of 2010, 2020 and 2022, so that areas hold in all three.
        keep : For each ZIP code the district whose border no area crosses.
        """
        if not isinstance(least, int) or isinstance(least, bool) or not PEOPLE[0] <= least <= PEOPLE[1]:
            raise InputError(f"least = {least!r}: give a whole number of people from {PEOPLE[0]:,} to {PEOPLE[1]:,}.")
        named = [states] if isinstance(states, str) else list(states)
        tables, facts, cells = [], dict[str, StateAreas](), dict[str, Any]()
        for state in dict.fromkeys(find_state(name).postal for name in named):
            areas = ZipAreas.of(state, counts)
            units = units_of(areas, least, lines, keep)
            parts = partition(units.graph, least, compact=compact)
            _refuse_few(state, units, parts, least)
            facts[state] = _facts(areas, units, parts, least)
            tables.append(_table(areas, units, parts))
            cells |= dict(zip(areas.zip5.tolist(), areas.cells, strict=True))
        table = pd.concat(tables).sort_values("zip5", ignore_index=True)
        return cls(least, lines, compact, table, facts, cells, counts)

    def __len__(self) -> int:
        return sum(state.number for state in self.by_state.values())

    @property
    def states(self) -> tuple[str, ...]:
        """Postal codes, in the order asked for."""
        return tuple(self.by_state)

    @property
    def vintage(self) -> str:
        """Which counts of people made the areas; the ZIP code areas are those of 2020."""
        return OF_2020 if self.counts == OF_2020 else "fewest of 2010, 2020 and 2022"

    @cached_property
    def people(self) -> pd.Series:
        """People of each area, by its name."""
        return self.zips.groupby("area")["people"].sum()

    @property
    def bits(self) -> float:
        """How much an area says of where a person lives: the entropy of the areas, in bits."""
        share = self.people / self.people.sum()
        return float(-(share[share > 0] * np.log2(share[share > 0])).sum())

    @cached_property
    def whole_counties(self) -> pd.DataFrame:
        """Counties that are whole in one area: ``county``, ``area``, ``people``."""
        by_county = self.zips.groupby("county").agg(
            area=("area", "first"), many=("area", "nunique"), people=("people", "sum")
        )
        return by_county[by_county["many"] == 1].drop(columns="many").reset_index()

    def to_frame(self) -> pd.DataFrame:
        """Return one row an area: state, people, ZIP code areas, counties, and whether it is whole counties."""
        whole = set(self.whole_counties["county"])
        rows = []
        for name, held in self.zips.groupby("area"):
            counties = held.groupby("county")["people"].sum().sort_values(ascending=False, kind="stable").index
            rows.append(
                {
                    "area": str(name),
                    "state": str(held["state"].iloc[0]),
                    "people": int(held["people"].sum()),
                    "zip_codes": len(held),
                    "counties": " ".join(str(county) for county in counties),
                    "whole_counties": all(county in whole for county in counties),
                }
            )
        return pd.DataFrame(rows)

    def to_geo_frame(self) -> gpd.GeoDataFrame:
        """Return the same with an approximate shape of each area, on the page of the shipped boundaries (EPSG:5070).

        Alaska and Hawaii have their place and scale on that page. Borders are not those of ZIP codes: each ZIP code has
        the part of its county that is nearest to its internal point.
        """
        import geopandas as gpd

        cells = gpd.GeoDataFrame(
            self.zips[["area"]], geometry=[self.cells[code] for code in self.zips["zip5"]], crs="EPSG:5070"
        )
        shapes = cells.dissolve("area")["geometry"]
        rows = self.to_frame()
        return gpd.GeoDataFrame(rows, geometry=rows["area"].map(shapes).to_numpy(), crs="EPSG:5070")

    def of_zip(self) -> dict[str, str]:
        """Return the area of each ZIP code area."""
        return dict(zip(self.zips["zip5"], self.zips["area"], strict=True))

    def _headline(self) -> str:
        return f"{len(self):,} areas of at least {self.least:,} people in {', '.join(self.states)}"


def _refuse_few(state: str, units: Units, parts: Iterable[Sequence[int]], least: int) -> None:
    """Refuse areas that cannot have their people, as those of a state or a district with fewer."""
    fewest = min(people_of(units.graph, part) for part in parts)
    if fewest < least:
        raise InputError(
            f"{state}: {fewest:,} people have no neighbors that they may join, and cannot make an area of {least:,}. "
            "Ask for fewer people, or leave out the districts to keep."
        )


def _facts(areas: ZipAreas, units: Units, parts: Iterable[Sequence[int]], least: int) -> StateAreas:
    graph, parts = units.graph, list(parts)
    most = bound(graph, least)
    if len(parts) < most and len(graph.people) <= _PROVED_UNITS:
        most = min(most, packed(graph, least).bound)
    whole = sum(graph.people)
    spread = (
        math.sqrt(sum(_spread(areas, units, part) for part in parts) / whole) / 1000 / areas.scale if whole else 0.0
    )
    shaped = (pair for pair in units.links if not any(areas.cells[at].is_empty for at in pair))
    links = tuple((str(areas.zip5[one]), str(areas.zip5[other])) for one, other in shaped)
    return StateAreas(areas.state, len(parts), most, len(parts) == most, spread, links)


def _spread(areas: ZipAreas, units: Units, part: Iterable[int]) -> float:
    """Return the squared distances of people from the center of a part, added up; square meters on the page."""
    held = [at for unit in part for at in units.zips[unit]]
    ground = Graph(areas.people[held].tolist(), areas.x[held].tolist(), areas.y[held].tolist(), [])
    vars(ground)["weight"] = [float(people) for people in ground.people]  # people alone, not empty country
    return ground.spread(range(len(held)))


def _table(areas: ZipAreas, units: Units, parts: Sequence[Sequence[int]]) -> pd.DataFrame:
    """Return the ZIP code areas of a state with their area, numbered by county and from the most people down."""
    zips = [[at for unit in part for at in units.zips[unit]] for part in parts]

    def place(held: Sequence[int]) -> tuple[str, int, str]:
        people: dict[str, int] = {}
        for at in held:
            people[areas.county[at]] = people.get(areas.county[at], 0) + int(areas.people[at])
        county = min(people, key=lambda code: (-people[code], code))
        return county, -sum(people.values()), str(areas.zip5[min(held)])

    number: dict[int, str] = {}
    for rank, held in enumerate(sorted(zips, key=place), 1):
        number |= dict.fromkeys(held, f"{areas.state}{rank:0{max(3, len(str(len(zips))))}d}")
    order = range(len(areas.zip5))
    columns = {"zip5": areas.zip5, "area": [number[at] for at in order], "people": areas.people, "county": areas.county}
    return pd.DataFrame(columns | {"state": areas.state})
