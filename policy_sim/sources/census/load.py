"""A population from the Bureau's own files: which reader, what it must add up to, where it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.population.sex_by_age import ORIGIN_TABLES, SINGLE_YEARS
from policy_sim.sources.census.cache import Entry, PopulationCache
from policy_sim.sources.census.editions import EDITIONS, NOISE_NOTE
from policy_sim.sources.census.estimates import ESTIMATES, read_estimates
from policy_sim.sources.census.keep import PUBLISHER, keep
from policy_sim.sources.census.sf1 import LAYOUTS, read_sf1
from policy_sim.sources.census.tables_csv import read_tables

__all__ = ["FORMATS", "load_files", "places_from"]

_A_NATION = 50  # states from which on a missing one is a fault, not a choice
_NOISY = {2020: " (counts carry the Bureau's noise)"}
_PARTIAL = " Say --partial to load what is there."
_CLASSES_NOTE = (
    "Ages stand in classes: people are taken as spread evenly over the years of a class, "
    "those of 85 and over up to 110."
)
_ORIGIN_NOTE = (
    "Races are those of PCT12H to PCT12O: Hispanics of any race are one group, and the seven races hold "
    "everyone else; they are not the races of PCT12A to PCT12G."
)


def load_files(
    path: str,
    form: str,
    *,
    cache: PopulationCache,
    name: str = "",
    year: int = 0,
    geography: str = "county",
    partial: bool = False,
    places: Mapping[str, str] | None = None,
) -> Entry:
    """Read a population from official files, audit it and keep it.

    Parameters
    ----------
    path : File, zip or folder.
    form : One of :data:`FORMATS`.
    name : Under which it is kept; made from the format by default.
    year : For ``pct12-csv`` the census, for the estimates the file's YEAR code.
    geography : For Summary File 1, ``county`` or ``tract``.
    partial : Take counties that are missing as left out on purpose.
    places : For files that name places instead of coding them: the county code of each name wanted.

    Raises
    ------
    UnknownNameError : no such format.
    SourceError, SchemaError : files are missing, damaged, or do not add up; nothing is kept.
    """
    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    options = {
        "path": str(Path(path).resolve()),
        "form": form,
        "year": year,
        "geography": geography,
        "partial": partial,
        "places": dict(places or {}),
    }
    facts = {
        "geography": geography,
        "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
        "origin": {"kind": "files", "options": options},
        "addresses": (Path(path).name,),
    }
    return FORMATS[form](Path(path), options, cache, name, facts)


_Facts = dict[str, Any]


def _sf1(path: Path, options: _Facts, cache: PopulationCache, name: str, facts: _Facts) -> Entry:
    form = options["form"]
    tables = read_sf1(path, form, options["geography"])
    states = tuple(sorted(tables.places["state"].unique()))
    return keep(
        tables,
        cache,
        LAYOUTS[form].year,
        _named(states),
        partial=options["partial"],
        hint=_PARTIAL,
        name=name or _default_name(form, options["geography"], states),
        title=f"{EDITIONS[form].title}, by {options['geography']}",
        how="read from the Bureau's Summary File 1 and held against published totals",
        notes=(),
        **facts,
    )


def _csv(path: Path, options: _Facts, cache: PopulationCache, name: str, facts: _Facts) -> Entry:
    tables, year = read_tables(path, options["year"], options["places"])
    states = tuple(sorted(tables.places["state"].unique()))
    notes = [
        note
        for note, applies in (
            (NOISE_NOTE, year == 2020),
            (_CLASSES_NOTE, tables.shape is not SINGLE_YEARS),
            (_ORIGIN_NOTE, tables.partition is ORIGIN_TABLES),
        )
        if applies
    ]
    return keep(
        tables,
        cache,
        year,
        _named(states),
        partial=options["partial"],
        hint=_PARTIAL,
        name=name or _default_name(f"tables-{year}", "county", states),
        title=f"{year} Census, tables of sex by age and race{_NOISY.get(year, '')}",
        how="read from tables in the shape of data.census.gov or of the service, held against published totals",
        notes=tuple(notes),
        **facts,
    )


def _estimates(path: Path, options: _Facts, cache: PopulationCache, name: str, facts: _Facts) -> Entry:
    form = options["form"]
    found = read_estimates(path, form, options["year"], partial=options["partial"])
    states = tuple(sorted(found.cells["state"].unique()))
    entry = Entry(
        name=name or _default_name(f"{form}-{found.date}", "county", states),
        title=f"{ESTIMATES[form].title}, {found.date}",
        publisher=PUBLISHER,
        date=found.date,
        how="read from the Population Estimates Program's file and held against its own totals",
        universe="resident population",
        ages="18 or 19 age groups, six races",
        counted=0.0,
        estimated=1.0,
        notes=("Estimates have no race 'some other': those people are moved to the other races.", _CLASSES_NOTE),
        checks=found.checks,
        **facts,
    )
    return cache.put(entry, found.cells)


def _named(states: Sequence[str]) -> tuple[str, ...]:
    """States that a load must have in full: those that are there, or none named for what looks like the nation."""
    return tuple(states) if len(states) < _A_NATION else ()


def _default_name(form: str, geography: str, states: Sequence[str]) -> str:
    parts = [form, *([] if geography == "county" else [geography])]
    if len(states) <= 3:
        parts += [state.lower() for state in states]
    elif len(states) < _A_NATION:
        parts.append(f"{len(states)}-states")
    return "-".join(parts)


_Reader = Callable[[Path, _Facts, PopulationCache, str, _Facts], Entry]
FORMATS: Mapping[str, _Reader] = MappingProxyType(
    {
        "sf1-2000": _sf1,
        "sf1-2010": _sf1,
        "co-est00int": _estimates,
        "cc-est": _estimates,
        "pct12-csv": _csv,
    }
)


def places_from(pairs: Sequence[str]) -> dict[str, str]:
    """Turn ``NAME=CODE`` into a county code by name.

    >>> places_from(["Cook County, Illinois=17031"])
    {'Cook County, Illinois': '17031'}
    """
    found = {}
    for pair in pairs:
        name, equals, code = pair.rpartition("=")
        if not equals or not name.strip() or len(code.strip()) != 5 or not code.strip().isdigit():
            raise InputError(f"place {pair!r} must be NAME=CODE with a five-digit county code.")
        found[name.strip()] = code.strip()
    return found
