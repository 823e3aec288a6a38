"""Look at a file before any question: what each column seems to be, and what to fix first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.people.names import county_in_text, state_of_zips, states_of_zips, states_with
from policy_sim.records.census_values import BIRTH_FIELDS, RACE_FIELDS, ColumnMapping, known_field, read_field
from policy_sim.records.check import CheckedColumn, column_findings, column_frame, finding_frame
from policy_sim.records.column_kinds import ColumnValues, column_kind
from policy_sim.records.engines.readable_file import (
    ReadableFile,
    check_text,
    no_record,
    read_otherwise,
    skipped_index,
)
from policy_sim.records.engines.sources import open_records
from policy_sim.records.formats import CodedTable, column_values
from policy_sim.records.tables import FileResult
from policy_sim.words.arguments import name_of
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

if TYPE_CHECKING:
    from policy_sim.attackers.in_file import InFile
    from policy_sim.people.population import AnyPopulation
    from policy_sim.records.engines.engine import Engine
    from policy_sim.records.engines.sources import Records


_MOST_VALUES = 2_000_000
_MANY_COLUMNS, _MOST_BYTES = 30, 300_000_000  # of a file that is read once and not column by column
_WITH_ZIP_CODES = "us-2020-zcta"


def checked(
    location: str | Path, *, table: str | None = None, sheet: str = "", **reading: Any
) -> FileResult[tuple[CheckedColumn, ...]]:
    """Answer :meth:`policy_sim.study.record_file.RecordFile.check`."""
    location = name_of("location", location, "'visits.csv', or the URL of a database")
    if table is not None:
        check_text("table", table)
    names, twice = _columns(location, table, sheet)
    columns = []
    first = ReadableFile(location, names[:1], table=table, sheet=sheet, **reading)
    for file in first.records.files[:1]:
        file.refuse_no_header()
    with first.opened() as opened:
        at_once = _read_at_once(first, names)
        for at, name in enumerate(names, 1):
            first.progress(f"looking at column {at} of {len(names)}")
            if at_once is not None:
                values = column_values(name, at_once[name])
            else:
                values = _values(opened, replace(first.records, fields=(name,)), name)
            kind = column_kind(values, beside=first.records.column_names())
            columns.append(CheckedColumn(values, kind, column_findings(values, kind)))
    number = columns[0].held.filled + columns[0].held.missing
    if not number:
        raise InputError(no_record(first.records.name))
    notes = (
        f"file: {first.records.short_name}: {number:,} records, {len(names)} columns",
        *read_otherwise(first.records),
        *skipped_index(first.records),
        "kinds are guesses from the names and the values of the columns",
        *(f"column {name!r} appears twice in the header and was not read: rename one" for name in twice),
    )
    tables = {"columns": column_frame(columns), "findings": finding_frame(columns)}
    shared_names = [name for name, number in twice.items() for _ in range(number)]
    return first.result("check", tuple(columns), tables, notes, {"fields": names, "named_twice": shared_names})


def _read_at_once(file: ReadableFile, names: Sequence[str]) -> CodedTable | None:
    """Return every column of a wide CSV file at once, as a release reads it; None where columns are read one by one."""
    from policy_sim.records.formats import read_coded

    files, codes = file.records.files, file.records.mapping.missing
    if file.engine != "duckdb" or len(codes) > 1 or len(names) < _MANY_COLUMNS or file.records.kind != "csv":
        return None
    if len(files) != 1 or len(names) < sum(bool(name.strip()) for name in files[0].header):  # a name twice
        return None
    path = files[0].path
    if path.suffix == ".gz" or path.stat().st_size > _MOST_BYTES:
        return None
    file.progress("reading the file")
    return read_coded(path, sheet=file.sheet)


def _columns(location: str, table: str | None, sheet: str) -> tuple[list[str], dict[str, int]]:
    """Return the columns that are named once, and how many columns have each of the other names."""
    records = open_records(location, (), ColumnMapping(sheet=sheet), table)
    if records.kind != "sql" and not records.files:
        raise InputError(f"{location}: only Spark can read this file. Check a part of it on this machine.")
    named = [name for name in records.column_names() if name.strip()]
    twice = {name: named.count(name) for name in sorted(set(named)) if named.count(name) > 1}
    once = [name for name in named if name not in twice]
    if not once:
        raise InputError(f"{Path(location).name}: no column has a unique name.")
    return once, twice


def _values(engine: Engine, records: Records, name: str) -> ColumnValues:
    grouped = engine.group(records)
    classes = grouped.classes(max(grouped.number(), 1))
    missing = classes.missing[0] if classes.number else 0
    code = classes.codes[:, 0]
    sizes = np.zeros(grouped.values[0], dtype=np.int64)
    sizes[code[code > 0] - 1] = classes.sizes[code > 0]
    texts = grouped.values_of(name) if grouped.values[0] <= _MOST_VALUES else None
    return ColumnValues(name, texts, sizes, missing)


@dataclass(frozen=True)
class ScoredPlace:
    """The fields by which a score places the records, and what else it needs to be told."""

    fields: tuple[str, ...]
    options: Mapping[str, str]


def scored_place(columns: Sequence[CheckedColumn]) -> ScoredPlace | None:
    """Return how a census can place the records of a checked file; None where its columns do not tell the state."""
    texts: dict[str, Sequence[str]] = {}
    for column in columns:
        if column.kind.kind == "key field":
            texts.setdefault(column.kind.field, column.held.texts or ())
    by_column = ("state",) if "state" in texts else ()
    if "county" in texts:
        names = [text for text in texts["county"] if county_in_text(text) is None]
        if by_column or 2 * len(names) < len(texts["county"]):  # most say their state
            return ScoredPlace(("county", *(by_column if names else ())), {})
        states = states_with(names)
        if len(states) == 1:
            return ScoredPlace(("county",), {"state": states[0]})
    if "zip5" in texts:
        states = () if by_column else states_of_zips(texts["zip5"])
        options = {"population": _WITH_ZIP_CODES, **({"state": states[0]} if states else {})}
        return ScoredPlace(("zip5", *by_column), options)
    return ScoredPlace(by_column, {}) if by_column else None


# The people of a file by the places where they live.


_PLACES = ("county", "zip3", "zip5")  # the first that the file has says where people live
_LEAST_SHARE = 0.01  # of the file: smaller places have their people's part of what is left
_FIELDS = {
    "sex": ("sex",),
    "race": RACE_FIELDS,
    "ethnicity": ("ethnicity", "race_ethnicity"),
    "birth": tuple(BIRTH_FIELDS),
}


@dataclass(frozen=True)
class CountedFile:
    """The people of a file of records by place, ``counties`` or ``three-digit ZIP codes``; nothing names a record.

    Without ``by_person``, a column that identifies people, each record is a person. ``elsewhere`` are people of other
    states, by postal code; the place of those ``unread`` is blank or not understood. Neither the mapping nor a header
    names the fields ``lacking``; a column may hold them all the same.
    """

    in_file: InFile
    name: str
    place: str
    by_person: bool
    elsewhere: Mapping[str, int]
    unread: int
    lacking: tuple[str, ...]

    @property
    def outside(self) -> int:
        """People of the file who are not counted."""
        return sum(self.elsewhere.values()) + self.unread

    @property
    def measured(self) -> str:
        """What the file says itself, and what is modeled, in one or two sentences."""
        how = "people, by the column that identifies them" if self.by_person else "records, one counted per person"
        blank = f"the place of {self.unread:,} is blank, not understood or without people" if self.unread else ""
        parts = "; ".join(filter(None, [_named_states(self.elsewhere), blank]))
        left_out = f" Left out: {parts}." if parts else ""
        unknown = f"No column is known as {_or_words(self.lacking)}" if self.lacking else ""
        lacking = f" {unknown}: the figures are for a file that shows what the rule lets it show." if unknown else ""
        return (
            f"Counted in {self.name}: {how}, and the {self.place} where they live (places with less than 1% of them "
            "are taken together)."
            f"{left_out} Modeled from the census: their sex, race and age in each place.{lacking}"
        )


def _named_states(people: Mapping[str, int], before: str = "", after: str = "") -> str:
    """Return how many people live in each state, the most first; empty for nobody."""
    ordered = sorted((item for item in people.items() if item[0] in STATES), key=lambda item: -item[1])
    words = "; ".join(f"{number:,} live in {STATES[state].name}" for state, number in ordered)
    return f"{before}{words}{after}" if words else ""


def _or_words(words: Sequence[str]) -> str:
    """Return words as one of them: ``sex, race or birth``."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def counted_file(
    location: str | Path,
    state: str | None,
    population: AnyPopulation,
    mapping: ColumnMapping | str | Path | None = None,
) -> CountedFile:
    """Count the people of a file of records by state and county, or three-digit ZIP code.

    ``state`` comes first, and counties named without a state are its own; other states with one per cent of the people
    follow it, those with most of them first.
    """
    from policy_sim.attackers.in_file import Catchment, InFile
    from policy_sim.people.file_chances import people_by_place

    file, field = _placed(location, mapping)
    people = _people_by_place(file, field, state or "")
    if 2 * _placed_people(people) < people.total():  # names of counties alone say no state: ZIP codes may
        for other in _PLACES[1:]:
            with suppress(UnknownNameError):
                by_other = ReadableFile(location, [other], mapping).with_state()
                found = _people_by_place(by_other, other, state or "")
                if _placed_people(found) > _placed_people(people):
                    file, field, people = by_other, other, found
    kind = "county" if field == "county" else "zip3"
    by_state: Counter[str] = Counter()
    for (own, _), number in people.items():
        by_state[own] += number
    every, least = by_state.total(), max(_LEAST_SHARE * (by_state.total() - by_state[""]), 2)
    states = [own for own, number in by_state.most_common() if own in population.states and number >= least]
    states = list(dict.fromkeys([*([state] if state else []), *states]))
    residents = {own: set(people_by_place(population, own, kind)) for own in states}
    held = {place: number for place, number in people.items() if place[1] in residents.get(place[0], ())}
    elsewhere = {own: number for own, number in by_state.items() if own and own not in states}
    total = sum(held.values())
    unread = every - total - sum(elsewhere.values())
    if total < 2 or (state and by_state[state] < 2):
        raise InputError(
            f"{file.records.short_name}: fewer than two people live in {state or 'any state'}"
            f"{_named_states(by_state, ' (', ')')}. Name their state ({ask('states', 'OH', option='--state')})."
        )
    if unread > total:
        raise InputError(
            f"{file.records.short_name}: the place of {unread:,} of {every:,} people is not understood, or without "
            f"people. Name their state ({ask('states', 'OH', option='--state')}), or give codes for their places in a "
            f"mapping ({ask('mapping')})."
        )
    is_told = kind == "county" or (state is not None and len(states) == 1)  # in which state a place is
    names = {place: place[1] if is_told else f"{place[0]}: {place[1]}" for place in held}
    large = {place: number / total for place, number in held.items() if number >= _LEAST_SHARE * total}
    places = {names[place]: large.get(place) for state in states for place in held if place[0] == state}
    header = {known_field(name) for name in (*file.records.mapping.fields, *file.records.header)}
    lacking = tuple(name for name, columns in _FIELDS.items() if not header & set(columns))
    by_person, catchment = bool(file.records.mapping.person), Catchment(tuple(places.items()))
    return CountedFile(
        InFile(people=total, catchment=catchment, records=None if by_person else total),
        file.records.short_name,
        "counties" if field == "county" else "three-digit ZIP codes",
        by_person,
        elsewhere,
        unread,
        lacking,
    )


def counted_places(
    location: str | Path, mapping: ColumnMapping | str | Path | None = None
) -> tuple[list[tuple[str, str, int]], str]:
    """Count the people of a file of records by place.

    Of counties and ZIP codes those count by which more people are placed: names of counties alone say no state.

    Returns
    -------
    State (postal code), place (county FIPS code or three digits of a ZIP code) and people, most people first, and what
    the places are, ``county``, ``zip3``, or ``state`` where the file says nothing finer: the place is then empty. State
    and place are empty where they are not understood.

    Raises
    ------
    InputError : no column says where people live.
    """
    with suppress(UnknownNameError):
        stated = ReadableFile(location, ["state"], mapping)
        if not any(_has_field(location, field, mapping) for field in _PLACES):
            return _people_by_state(stated), "state"
    _placed(location, mapping)  # refuses a file without any
    found: dict[str, Counter[tuple[str, str]]] = {}
    for field in _PLACES:
        with suppress(UnknownNameError):
            file = ReadableFile(location, [field], mapping).with_state()
            found[field] = _people_by_place(file, field, "")
    field = max(found, key=lambda name: sum(number for (_, place), number in found[name].items() if place))
    people = found[field]
    rows = [(state, place, number) for (state, place), number in people.most_common()]
    return rows, "county" if field == "county" else "zip3"


def _placed_people(people: Mapping[tuple[str, str], int]) -> int:
    return sum(number for (state, place), number in people.items() if state and place)


def _has_field(location: str | Path, field: str, mapping: ColumnMapping | str | Path | None) -> bool:
    try:
        ReadableFile(location, [field], mapping)
    except UnknownNameError:
        return False
    return True


def _people_by_state(file: ReadableFile) -> list[tuple[str, str, int]]:
    with file.opened() as engine:
        grouped = engine.group(file.records)
        texts, classes = grouped.values_of("state"), grouped.classes(file.most_classes)
    meanings = read_field("state", file.records.mapping.column("state"), texts).meanings
    stated = ["", *("" if meaning is None else str(meaning) for meaning in meanings)]
    people: Counter[str] = Counter()
    for codes, size in zip(classes.codes.tolist(), classes.sizes.tolist(), strict=True):
        people[stated[codes[0]]] += size
    return [(state, "", number) for state, number in people.most_common()]


def _placed(location: str | Path, mapping: ColumnMapping | str | Path | None) -> tuple[ReadableFile, str]:
    """Return the file with the field that says where people live as its only one, and that field."""
    for field in _PLACES:
        try:
            return ReadableFile(location, [field], mapping).with_state(), field
        except UnknownNameError:
            continue
    raise InputError(
        f"{Path(str(location)).name}: no column says where people live. Name the county, zip3 or zip5 in a mapping "
        f"({ask('mapping')})."
    )


def _people_by_place(file: ReadableFile, field: str, state: str) -> Counter[tuple[str, str]]:
    """Return the people of each state and county or three-digit ZIP code; empty texts where none is understood.

    A county is of the state that its own text or the file's state column names, and of ``state`` where the file has
    no such column.
    """
    with file.opened() as engine:
        grouped = engine.group(file.records)
        texts = {name: grouped.values_of(name) for name in file.records.fields}
        classes = grouped.classes(file.most_classes)
    mapping = file.records.mapping
    columns = [mapping.column(name) for name in file.records.fields]
    named = [columns[0].codes.get(text, text) for text in texts[field]]
    areas = [
        "",
        *("" if area is None else str(area)[:3] for area in read_field(field, columns[0], texts[field]).meanings),
    ]
    stated: Sequence[str] = ()
    if len(columns) > 1:
        meanings = read_field("state", columns[1], texts[file.records.fields[1]]).meanings
        stated = ["", *("" if meaning is None else str(meaning) for meaning in meanings)]
    people: Counter[tuple[str, str]] = Counter()
    for codes, size in zip(classes.codes.tolist(), classes.sizes.tolist(), strict=True):
        own = stated[codes[1]] if stated else ""
        if field == "county":
            text = named[codes[0] - 1] if codes[0] else ""
            place = _county_and_state(text, own, own if stated else state)
        else:
            text = texts[field][codes[0] - 1] if codes[0] else ""
            place = (own if stated else _state_of_zip(text, areas[codes[0]]) or state), areas[codes[0]]
        people[place] += size
    return people


def _state_of_zip(text: str, area: str) -> str:
    """Return the state in which most people of a ZIP code, or of its three digits, live."""
    states = state_of_zips()
    return states.get(text.strip()[:5]) or states.get(area, "")


def _county_and_state(text: str, stated: str, hint: str) -> tuple[str, str]:
    """Return the state and the code of a county; no code where the text and the stated state differ."""
    code = county_in_text(text, hint) or ""
    of_code = POSTAL_OF_FIPS.get(code[:2], "")
    if code and stated in ("", of_code):
        return of_code, code
    return ("", "") if code else (stated, "")
