"""Summary File 1 of 2000 and 2010 as the Bureau delivers it: a geographic header and segments per state.

The header has fixed width and one line per place; each PCT12 table fills one comma-separated segment. Lines
join on LOGRECNO. Files are streamed: only the lines of the places to read stay in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from policy_sim.people.census.files import (
    A_NATION,
    ESTIMATES,
    Estimates,
    Member,
    members,
    read_estimates,
    read_tables,
)
from policy_sim.people.census.keep import PUBLISHER, keep
from policy_sim.people.census.tables import (
    EDITIONS,
    EVERYONE,
    NOISE_NOTE,
    ORIGIN_TABLES,
    RACE_TABLES,
    SINGLE_YEARS,
    SexByAge,
)
from policy_sim.people.population import NOISY_CENSUS
from policy_sim.people.store import Entry, PopulationCache
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS

# The same in both censuses, as the layouts below counted from 0.
SUMLEV, GEOCOMP, LOGRECNO = slice(8, 11), slice(11, 13), slice(18, 25)
# Whole places only: no part of one (GEOCOMP 00).
_WHOLE = b"00"
SUMMARY_LEVELS: Mapping[str, bytes] = MappingProxyType({"county": b"050", "tract": b"140"})
_IDENTIFIERS = 5  # FILEID, STUSAB, CHARITER, CIFSN, LOGRECNO


@dataclass(frozen=True)
class Layout:
    """The columns (counted from 0), which segment has which table, and how a header's file is called.

    Summary File 1 Technical Documentation, chapters 2 and 7 (geographic header record, segments).
    """

    year: int
    header: str
    state: slice
    county: slice
    tract: slice
    people: slice
    segments: Mapping[str, int]


def _segments(everyone: int, first: int) -> dict[str, int]:
    letters = (*RACE_TABLES, *ORIGIN_TABLES)
    return {EVERYONE: everyone, **dict(zip(letters, range(first, first + len(letters)), strict=True))}


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "sf1-2000": Layout(
            2000, "ohgeo.uf1", slice(29, 31), slice(31, 34), slice(55, 61), slice(292, 301), _segments(14, 16)
        ),
        "sf1-2010": Layout(
            2010, "ohgeo2010.sf1", slice(27, 29), slice(29, 32), slice(54, 60), slice(318, 327), _segments(17, 20)
        ),
    }
)

_HEADER_FILE = re.compile(r"([a-z]{2})geo(?:2010)?\.(?:uf1|sf1|txt)")
_SEGMENT_FILE = re.compile(r"([a-z]{2})(\d{5})(?:2010)?\.(?:uf1|sf1|txt)")


class _Place(NamedTuple):
    row: int
    codes: tuple[str, ...]
    people: int


def read_sf1(path: Path, name: str, geography: str = "county") -> SexByAge:
    """Read PCT12A to PCT12G, and PCT12 and PCT12H to PCT12O if they are there, for every state at a path.

    The path has ``xxgeo`` headers and ``xxNNNNN`` segments. ``geography``: ``county`` or ``tract``.
    """
    if geography not in SUMMARY_LEVELS:
        raise InputError(f"{name} files can be read by county or tract, not by {geography}.")
    layout = LAYOUTS[name]
    headers, segments = _delivery(path, layout)
    letters = [letter for letter in layout.segments if all((state, letter) in segments for state in headers)]
    parts: dict[str, list[IntArray]] = {letter: [] for letter in letters}
    codes: list[tuple[str, ...]] = []
    for state, header in sorted(headers.items()):
        places = _read_header(header, layout, geography)
        codes += [place.codes for place in places.values()]
        for letter in letters:
            member = segments[state, letter]
            parts[letter].append(_read_segment(member, layout.segments[letter], places))
        _check_people(header, [parts[letter][-1] for letter in RACE_TABLES], places)
    frame = pd.DataFrame(codes, columns=["state", "county", "tract"][: len(codes[0])])
    return SexByAge(SINGLE_YEARS, frame, {letter: np.concatenate(tables) for letter, tables in parts.items()})


def _delivery(path: Path, layout: Layout) -> tuple[dict[str, Member], dict[tuple[str, str], Member]]:
    headers: dict[str, Member] = {}
    segments: dict[tuple[str, str], Member] = {}
    letter_of = {number: letter for letter, number in layout.segments.items()}
    for member in members(path):
        if match := _HEADER_FILE.fullmatch(member.name):
            headers[match[1]] = member
        elif (match := _SEGMENT_FILE.fullmatch(member.name)) and int(match[2]) in letter_of:
            segments[match[1], letter_of[int(match[2])]] = member
    headers.pop("us", None)  # the national file repeats the states' counties
    if not headers:
        raise SourceError(
            f"{path}: the geographic header is missing. Summary File 1 has one per state, such as {layout.header}, "
            "on its own or in a zip."
        )
    missing = [
        f"{state.upper()} segment {layout.segments[letter]} (PCT12{letter})"
        for state in sorted(headers)
        for letter in RACE_TABLES
        if (state, letter) not in segments
    ]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise SourceError(f"{path}: files are missing: {', '.join(missing[:5])}{more}.")
    return headers, segments


def _read_header(member: Member, layout: Layout, geography: str) -> dict[bytes, _Place]:
    level = SUMMARY_LEVELS[geography]
    places: dict[bytes, _Place] = {}
    with member.stream() as file:
        for line in file:
            if line[SUMLEV] != level or line[GEOCOMP] != _WHOLE:
                continue
            try:
                fips = line[layout.state].decode("ascii")
                codes = [POSTAL_OF_FIPS[fips], fips + line[layout.county].decode("ascii")]
                if geography == "tract":  # blanks stand for 00 where a tract has no suffix
                    tract = line[layout.tract].decode("ascii").rstrip().ljust(6, "0")
                    codes.append(codes[1] + tract)
                people = int(line[layout.people])
            except (ValueError, KeyError) as error:
                raise SchemaError(
                    member.where, [f"a line of level {level.decode()} does not follow the {layout.year} layout."]
                ) from error
            record = line[LOGRECNO]
            if record in places:
                raise SchemaError(member.where, [f"LOGRECNO {record.decode('latin-1')} appears twice."])
            places[record] = _Place(len(places), tuple(codes), people)
    if not places:
        raise SchemaError(
            member.where, [f"no place of level {level.decode()} was found. Is this a {layout.year} file?"]
        )
    return places


def _read_segment(member: Member, number: int, places: Mapping[bytes, _Place]) -> IntArray:
    table = np.full((len(places), SINGLE_YEARS.columns), -1, dtype=np.int64)
    with member.stream() as file:
        for line in file:
            identifiers = line.split(b",", _IDENTIFIERS)
            place = places.get(identifiers[_IDENTIFIERS - 1]) if len(identifiers) > _IDENTIFIERS else None
            if place is None:
                continue
            try:
                counts = [int(text) for text in identifiers[_IDENTIFIERS].split(b",")]
                if int(identifiers[3]) != number or table[place.row, 0] >= 0:
                    raise ValueError
                table[place.row] = counts
            except (ValueError, OverflowError) as error:
                raise SchemaError(
                    member.where,
                    [
                        f"the line of {' '.join(place.codes)} is not segment {number} with "
                        f"{SINGLE_YEARS.columns} whole numbers, or appears twice."
                    ],
                ) from error
    lost = [" ".join(place.codes) for place in places.values() if table[place.row, 0] < 0]
    if lost:
        raise SchemaError(member.where, [f"{len(lost)} places have no line, the first {', '.join(lost[:5])}."])
    return table


def _check_people(member: Member, races: list[IntArray], places: Mapping[bytes, _Place]) -> None:
    counted = np.sum([table[:, 0] for table in races], axis=0)
    wrong = [place for place in places.values() if counted[place.row] != place.people]
    if wrong:
        named = "; ".join(
            f"{' '.join(place.codes)} {int(counted[place.row]):,} against {place.people:,}" for place in wrong[:5]
        )
        raise SchemaError(
            member.where,
            [f"PCT12A to PCT12G do not add up to the header's population in {len(wrong)} places: {named}."],
        )


# A population from the Bureau's own files: choose a reader, check the totals, save it.


FORMATS = (*LAYOUTS, *ESTIMATES, "pct12-csv")
_HOW_TABLES = "read from tables as data.census.gov or the service gives them, checked against published totals"
_NOISY = " (counts carry the Bureau's noise)"
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

    ``name``: made from the format and the states by default. ``year``: for ``pct12-csv`` the census, for the estimates
    the file's YEAR code. ``geography``: for Summary File 1, ``county`` or ``tract``. ``places``: for files that name
    places without codes: the county code of each name to read.
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
    facts: dict[str, Any] = {
        "geography": geography,
        "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
        "origin": {"kind": "files", "options": options},
        "addresses": (Path(path).name,),
    }
    if form in ESTIMATES:
        estimates = read_estimates(Path(path), form, year, partial=partial)
        states = sorted(estimates.cells["state"].unique())
        facts["name"] = name or _default_name(f"{form}-{estimates.date}", "county", states)
        return _keep_estimates(estimates, f"{ESTIMATES[form].title}, {estimates.date}", cache, facts)
    if form in LAYOUTS:
        tables, census = read_sf1(Path(path), form, geography), LAYOUTS[form].year
        stem, title = form, f"{EDITIONS[form].title}, by {geography}"
        facts |= {"how": "read from the Bureau's Summary File 1 and checked against published totals", "notes": ()}
    else:
        tables, census = read_tables(Path(path), year, places or {})
        stem, title, geography = f"tables-{census}", f"{census} Census, tables of sex by age and race", "county"
        title += _NOISY if census == NOISY_CENSUS else ""
        facts |= {"how": _HOW_TABLES, "notes": _notes(tables, census)}
    states = sorted(tables.places["state"].unique())
    facts |= {"name": name or _default_name(stem, geography, states), "title": title}
    return keep(tables, cache, census, _named(states), partial=partial, hint=_PARTIAL, **facts)


def _named(states: Sequence[str]) -> tuple[str, ...]:
    """States that a load must have in full: those in the files, or none named if they look like the nation."""
    return tuple(states) if len(states) < A_NATION else ()


def _notes(tables: SexByAge, census: int) -> tuple[str, ...]:
    """Return what a reader must know of tables as people download them."""
    noise = (NOISE_NOTE,) if census == NOISY_CENSUS else ()
    classes = (_CLASSES_NOTE,) if tables.shape is not SINGLE_YEARS else ()
    return noise + classes + ((_ORIGIN_NOTE,) if tables.partition is ORIGIN_TABLES else ())


def _keep_estimates(estimates: Estimates, title: str, cache: PopulationCache, facts: Mapping[str, Any]) -> Entry:
    entry = Entry(
        title=title,
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


def _default_name(form: str, geography: str, states: Sequence[str]) -> str:
    parts = [form, *([] if geography == "county" else [geography])]
    if len(states) <= 3:
        parts += [state.lower() for state in states]
    elif len(states) < A_NATION:
        parts.append(f"{len(states)}-states")
    return "-".join(parts)


def places_from(pairs: Sequence[str]) -> dict[str, str]:
    """Turn ``Cook County, Illinois=17031`` and the like into a county code by name."""
    codes = {}
    for pair in pairs:
        name, equals, code = pair.rpartition("=")
        if not equals or not name.strip() or len(code.strip()) != 5 or not code.strip().isdigit():
            raise InputError(f"place {pair!r} must be NAME=CODE with a five-digit county code.")
        codes[name.strip()] = code.strip()
    return codes
