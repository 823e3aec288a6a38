"""A population from the Bureau's own files: choose a reader, check the totals, save it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.census_files.estimates import ESTIMATES, read_estimates
from policy_sim.io.census_files.sf1 import LAYOUTS, read_sf1
from policy_sim.io.census_files.tables_csv import read_tables
from policy_sim.io.census_service.editions import EDITIONS, NOISE_NOTE
from policy_sim.io.population_store.cache import Entry, PopulationCache
from policy_sim.io.population_store.keep import PUBLISHER, keep
from policy_sim.population.census_tables import ORIGIN_TABLES, SINGLE_YEARS

__all__ = ["FORMATS", "load_files", "places_from"]

_A_NATION = 50  # with this many states or more, a missing state is an error and not a choice
_NOISY = {2020: " (counts carry the Bureau's noise)"}
_PARTIAL = " Set partial to load the counties that are present."
_CLASSES_NOTE = (
    "Ages are in classes: people are assumed to be spread evenly over the years of a class; those aged 85 and over, "
    "up to 110."
)
_ORIGIN_NOTE = (
    "Races are those of PCT12H to PCT12O: people of Hispanic origin are one group, and the seven races are everyone "
    "else. They are not the races of PCT12A to PCT12G."
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
    """Read a population from official files, audit it and save it.

    Parameters
    ----------
    path : File, zip or folder.
    form : One of :data:`FORMATS`.
    name : The name to save it under; made from the format and the states by default.
    year : For ``pct12-csv`` the census, for the estimates the file's YEAR code.
    geography : For Summary File 1, ``county`` or ``tract``.
    partial : Accept missing counties as left out on purpose.
    places : For files that name places without codes: the county code of each name to read.

    Raises
    ------
    UnknownNameError : no such format.
    SourceError, SchemaError : files are missing, damaged, or do not add up; nothing is saved.
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
        how="read from the Bureau's Summary File 1 and checked against published totals",
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
        how="read from tables as data.census.gov or the service gives them, checked against published totals",
        notes=tuple(notes),
        **facts,
    )


def _estimates(path: Path, options: _Facts, cache: PopulationCache, name: str, facts: _Facts) -> Entry:
    form = options["form"]
    estimates = read_estimates(path, form, options["year"], partial=options["partial"])
    states = tuple(sorted(estimates.cells["state"].unique()))
    entry = Entry(
        name=name or _default_name(f"{form}-{estimates.date}", "county", states),
        title=f"{ESTIMATES[form].title}, {estimates.date}",
        publisher=PUBLISHER,
        date=estimates.date,
        how="read from the Population Estimates Program's file and checked against its own totals",
        universe="resident population",
        ages="18 or 19 age groups, six races",
        counted=0.0,
        estimated=1.0,
        notes=("Estimates have no race 'some other': those people are counted in the other races.", _CLASSES_NOTE),
        checks=estimates.checks,
        **facts,
    )
    return cache.put(entry, estimates.cells)


def _named(states: Sequence[str]) -> tuple[str, ...]:
    """States that a load must have in full: those in the files, or none named if they look like the nation."""
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
    codes = {}
    for pair in pairs:
        name, equals, code = pair.rpartition("=")
        if not equals or not name.strip() or len(code.strip()) != 5 or not code.strip().isdigit():
            raise InputError(f"place {pair!r} must be NAME=CODE with a five-digit county code.")
        codes[name.strip()] = code.strip()
    return codes
