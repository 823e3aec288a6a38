"""Boundaries of states and counties, laid on one page, and what of a table they can show.

The shapes are those of 2010 (``boundaries_build``). Coordinates are metres on the page: the 48 states and
DC in Albers' equal-area projection, Alaska (at 0.35), Hawaii and Puerto Rico (at 1.6) moved in beside
them. County codes came and went between 2000 and 2022; :func:`place_counties` says which code is
drawn where and names what cannot be drawn, so that a blank on a map is never silent.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.sources.paths import data_dir

if TYPE_CHECKING:
    import geopandas as gpd

__all__ = [
    "CountyChange",
    "Placement",
    "boundaries_file",
    "county_changes",
    "load_boundaries",
    "place_counties",
    "place_states",
]

_FILES = {"state": "states-2010.parquet", "county": "counties-2010.parquet"}


def boundaries_file(level: str) -> Path:
    """Return where the boundaries of this level (``state`` or ``county``) are shipped."""
    if level not in _FILES:
        raise UnknownNameError("level of boundaries", level, _FILES)
    return data_dir() / "boundaries" / _FILES[level]


@cache
def load_boundaries(level: str) -> gpd.GeoDataFrame:
    """Return the shapes, indexed by postal code (``state``) or five-digit FIPS code (``county``).

    Columns: ``name`` and ``geometry``; states have ``label_x`` and ``label_y`` (where a label has
    most room), counties have ``state``. Treat the frame as read-only: it is loaded once.

    Raises
    ------
    SourceError : the file is missing or damaged.
    """
    import geopandas as gpd

    path = boundaries_file(level)
    try:
        return gpd.read_parquet(path).set_index(level)
    except (OSError, ValueError, KeyError) as error:
        raise SourceError(
            f"{path}: the boundaries cannot be read; build them with "
            "'python -m policy_sim.sources.boundaries_build' or install again."
        ) from error


@dataclass(frozen=True)
class CountyChange:
    """County codes that gave way to others: see ``data/boundaries/county_changes.toml`` for ``kind``."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    since: int
    kind: str
    note: str


@cache
def county_changes() -> tuple[CountyChange, ...]:
    """Return every change of county codes between Census 2000 and 2022, oldest first."""
    text = (data_dir() / "boundaries" / "county_changes.toml").read_text(encoding="utf-8")
    return tuple(
        CountyChange(tuple(row["before"]), tuple(row["after"]), row["since"], row["kind"], row["note"])
        for row in tomllib.loads(text)["change"]
    )


@dataclass(frozen=True)
class Placement:
    """Which code is drawn on which area of the map, and what cannot be drawn.

    Parameters
    ----------
    drawn : Area of the map -> code of the table whose value is drawn there.
    not_drawn : Code of the table -> why the map has no area for it.
    blank : Area of the map, in a state that the table has -> why no code of the table belongs there.
    """

    drawn: Mapping[str, str]
    not_drawn: Mapping[str, str]
    blank: Mapping[str, str]

    def notes(self) -> tuple[str, ...]:
        """Say in words what is drawn elsewhere, not drawn, or blank; empty if all is in its place."""
        moved = [f"{area} shows {code}" for area, code in sorted(self.drawn.items()) if area != code]
        lines = [f"Shown on the boundaries of 2010: {', '.join(moved)}."] if moved else []
        for what, reasons in (("Not drawn", self.not_drawn), ("Blank", self.blank)):
            by_reason: dict[str, list[str]] = {}
            for code, why in sorted(reasons.items()):
                by_reason.setdefault(why, []).append(code)
            lines += [f"{what}: {', '.join(codes)} ({why})." for why, codes in by_reason.items()]
        return tuple(lines)


def place_states(codes: Iterable[str]) -> Placement:
    """Say which states (postal codes) the map can draw; Puerto Rico is no blank if it was not asked for."""
    given = dict.fromkeys(codes)
    areas = load_boundaries("state").index
    blank = {area: "not in the table" for area in areas if area not in given and area != "PR"}
    unknown = {code: "no such state on the map" for code in given if code not in areas}
    return Placement({area: area for area in areas if area in given}, unknown, blank)


def place_counties(codes: Iterable[str]) -> Placement:
    """Say which counties (five-digit FIPS codes) of any vintage from 2000 on the map can draw, and where.

    A code that the map of 2010 lacks is drawn where its land is wholly known: on the county it was
    renamed from, or on the parts it was later divided into; a county that was merged away shows the
    county it is now part of.
    """
    given = dict.fromkeys(codes)
    areas = load_boundaries("county").index
    drawn = {area: area for area in areas if area in given}
    for area, code in _stand_ins(areas):
        if area not in drawn and code in given:
            drawn[area] = code
    shown = set(drawn.values())
    states = {code[:2] for code in given}
    return Placement(
        drawn,
        {code: _why(code, "after") for code in given if code not in shown},
        {area: _why(area, "before") for area in areas if area[:2] in states and area not in drawn},
    )


def _stand_ins(areas: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of an area of the map and another code whose value holds for all of it."""
    known = set(areas)
    pairs: list[tuple[str, str]] = []
    for change in county_changes():
        if change.kind in ("renamed", "merged"):
            pairs += [(area, change.after[0]) for area in change.before if area in known]
        if change.kind in ("renamed", "divided"):
            pairs += [(area, change.before[0]) for area in change.after if area in known]
    return pairs


def _why(code: str, side: str) -> str:
    """Return what became of the code, or that nothing is known of it."""
    for change in county_changes():
        if code in change.before + change.after:
            return f"{change.note}, {change.since}"
    return "no such county on the map" if side == "after" else "not in the table"
