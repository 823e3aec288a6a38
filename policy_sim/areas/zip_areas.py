"""The ZIP code areas of a state: their people, the county that each counts to, approximate shapes, which of them touch.

Nobody publishes small shapes of ZIP code areas that can ship. Each gets the part of its county that is nearest to its
internal point (Voronoi cells, clipped by the county). Which areas touch, and what a map draws, comes from the same
cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.files.boundaries import load_boundaries, page_scale, place_counties
from policy_sim.files.parquet import read_frame
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import damaged_if_wrong
from policy_sim.people.by_name import load_population
from policy_sim.people.zips import parts_of, zip_parts
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

CENSUS = "us-2020"  # whose parts of ZIP code areas in counties are used
OF_2020, FEWEST = COUNTS = ("2020", "fewest")  # which counts of people make areas
_SEEN = 20.0  # meters: cells that are as near as this touch
_LEAST_BORDER = 200.0  # meters of common border that make neighbors


@dataclass(frozen=True, eq=False)
class ZipAreas:
    """The ZIP code areas of one state, sorted by code; all arrays have one value for each.

    Attributes
    ----------
    state : Postal code; an area on a state line is in the state of most of its people.
    zip5 : Five-digit code.
    people : Residents in 2020; or the fewest of 2010, 2020 and 2022, where that was asked for.
    county : FIPS code of the county of most of its people.
    x, y : Internal point, meters on the page of the boundaries.
    cells : Approximate shape on the page; empty where the point lies far outside its county.
    """

    state: str
    zip5: NDArray[np.str_]
    people: IntArray
    county: NDArray[np.str_]
    x: FloatArray
    y: FloatArray
    cells: NDArray[Any]

    @classmethod
    def of(cls, state: str, counts: str = OF_2020) -> ZipAreas:
        """Return those of a state (postal code).

        ``counts``: people of ``2020``, or the ``fewest`` of the censuses of 2010 and 2020 and the estimates of 2022.
        """
        if counts not in COUNTS:
            raise InputError(f"counts = {counts!r}: give 2020 or fewest.")
        if state not in STATES or state == "PR":
            raise InputError(f"state {state!r}: areas are made of the 50 states and DC; give a code such as OH.")
        table = _every_area()
        own = table[table["state"] == state]
        cells = _cells(own)
        columns = (own[name].to_numpy() for name in ("zip5", "people", "county", "x", "y"))
        zip5, people, county, x, y = columns
        if counts == FEWEST:
            people = _fewest().reindex(own["zip5"]).fillna(0).to_numpy(np.int64)
        return cls(state, zip5.astype(str), people, county.astype(str), x.astype(float), y.astype(float), cells)

    @property
    def scale(self) -> float:
        """Meters on the page for one on the ground."""
        return page_scale(self.state)

    @cached_property
    def touching(self) -> list[tuple[int, int]]:
        """Pairs of areas with a common border of 200 m or more, each once; positions, the lesser first."""
        import shapely

        held = np.flatnonzero(~shapely.is_empty(self.cells))
        cells, seen = self.cells[held], _SEEN * self.scale
        wide = shapely.buffer(cells, seen, quad_segs=1)
        first, second = shapely.STRtree(cells).query(wide, predicate="intersects")
        once = first < second
        first, second = first[once], second[once]
        border = shapely.area(shapely.intersection(wide[first], cells[second])) / seen
        near = border > _LEAST_BORDER * self.scale
        pairs = zip(held[first[near]].tolist(), held[second[near]].tolist(), strict=True)
        return sorted(pairs)

    def of_counties(self) -> dict[str, list[int]]:
        """Return the positions of the areas of each county, by its FIPS code."""
        held: dict[str, list[int]] = {}
        for at, county in enumerate(self.county.tolist()):
            held.setdefault(county, []).append(at)
        return held


@cache
def _every_area() -> pd.DataFrame:
    """Return each ZIP code area of the states: code, people, county and state of most of them, and its point."""
    parts = zip_parts(CENSUS)
    parts = parts.assign(state=parts["county"].astype(str).str[:2].map(POSTAL_OF_FIPS), zip5=parts["zip5"].astype(str))
    people = parts.groupby("zip5")["people"].sum()
    by_state = parts.groupby(["zip5", "state"])["people"].sum().reset_index()
    state = _most(by_state, "state")
    inside = parts[parts["state"] == parts["zip5"].map(state)]
    county = _most(inside.assign(county=inside["county"].astype(str)), "county")
    path = data_dir() / "zip" / "zcta_points_2020.parquet"
    with damaged_if_wrong(path):
        points = read_frame(path)
    points = points[~points["zip5"].astype(str).str.startswith(("006", "007", "009"))]
    table = points.assign(zip5=points["zip5"].astype(str)).set_index("zip5")
    table = table.assign(people=people.reindex(table.index).fillna(0).astype("int64"), county=county, state=state)
    return _with_empty_ones(table).sort_index().rename_axis("zip5").reset_index()


@cache
def _fewest() -> pd.Series:
    """Return the fewest people that each ZIP code area had in 2010, 2020 and 2022, by its code; 0 if it was not there.

    Nobody counts ZIP code areas in 2022: each part of one grew as its county did.
    """
    recent = load_population("us-2022")
    parts = parts_of(recent)
    whole = parts.groupby(parts["county"].astype(str))["people"].sum()
    now = pd.Series(recent.people_by_county, index=recent.counties.astype(str))
    county = parts["county"].astype(str)
    grown = parts.assign(people=parts["people"] * (county.map(now) / county.map(whole)).to_numpy())
    of_year = [table.groupby(table["zip5"].astype(str))["people"].sum() for table in _counted()]
    of_year.append(grown.groupby(grown["zip5"].astype(str))["people"].sum())
    together = pd.concat(of_year, axis=1).fillna(0).min(axis=1)
    fewest: pd.Series = np.floor(together).astype("int64")
    return fewest


def _counted() -> list[pd.DataFrame]:
    return [zip_parts("us-2010"), zip_parts(CENSUS)]


def _most(parts: pd.DataFrame, name: str) -> pd.Series:
    """Return where most people of each ZIP code area live, of equals the first by code."""
    order = parts.sort_values(["zip5", "people", name], ascending=[True, False, True], kind="stable")
    return order.drop_duplicates("zip5").set_index("zip5")[name]


def _with_empty_ones(table: pd.DataFrame) -> pd.DataFrame:
    """Place areas without people in the county in which their point is, or to which it is nearest."""
    import shapely

    empty = table["county"].isna()
    counties = load_boundaries("county")
    nearest = shapely.STRtree(counties["geometry"].to_numpy()).nearest(
        shapely.points(table.loc[empty, "x"], table.loc[empty, "y"])
    )
    shape_code = counties.index.to_numpy()[nearest]
    drawn = place_counties(table["county"].dropna().unique()).drawn
    code = [drawn.get(str(area), str(area)) for area in shape_code]
    table.loc[empty, "county"] = code
    table.loc[empty, "state"] = [POSTAL_OF_FIPS[name[:2]] for name in code]
    return table


def county_shapes(counties: Iterable[str]) -> dict[str, BaseGeometry]:
    """Return the shape of each county on the page; a county of today that 2010 had as a part is with its neighbor."""
    import shapely

    codes = sorted(set(counties))
    shapes = load_boundaries("county")["geometry"]
    held: dict[str, list[Any]] = {}
    for area, code in place_counties(codes).drawn.items():
        held.setdefault(code, []).append(shapes[area])
    return {code: shapely.union_all(parts) for code, parts in held.items()}


def _cells(own: pd.DataFrame) -> NDArray[Any]:
    """Return the part of each area's county that is nearest to its point."""
    import shapely

    shapes = county_shapes(own["county"])
    land = own["county"].where(own["county"].isin(list(shapes)))
    points = shapely.points(own["x"].to_numpy(float), own["y"].to_numpy(float))
    if land.isna().any():  # a county without a shape is drawn in the nearest one
        codes = list(shapes)
        lost = land.isna().to_numpy()
        land[lost] = [codes[at] for at in shapely.STRtree([shapes[code] for code in codes]).nearest(points[lost])]
    cells = np.full(len(own), shapely.Polygon(), dtype=object)
    for code, at in land.groupby(land.to_numpy()).indices.items():
        shape = shapes[str(code)]
        whole = shapely.box(*shape.bounds).buffer(1e5)
        regions = (
            shapely.get_parts(
                shapely.voronoi_polygons(shapely.multipoints(points[at]), extend_to=whole, ordered=len(at) > 1)
            )
            if len(at) > 1
            else np.array([whole])
        )
        cells[at] = shapely.intersection(regions, shape)
    return cells
