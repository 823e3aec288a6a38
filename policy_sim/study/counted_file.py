"""What a file of records says of itself: how many people it has, where they live, and which fields it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from policy_sim.attackers.in_file import Catchment, InFile
from policy_sim.people.file_chances import people_by_place
from policy_sim.people.names import county_code
from policy_sim.people.population import AnyPopulation
from policy_sim.records.census_values import BIRTH_FIELDS, ColumnMapping, known_field, read_field
from policy_sim.records.race_values import RACE_FIELDS
from policy_sim.study.record_file import RecordFile
from policy_sim.words.errors import InputError, UnknownNameError

_PLACES = ("county", "zip3", "zip5")  # the first that the file has says where people live
_LEAST_SHARE = 0.01  # of the file: smaller places have their people's part of what is left
_FIELDS = {"sex": ("sex",), "race": RACE_FIELDS, "ethnicity": ("ethnicity",), "birth": tuple(BIRTH_FIELDS)}


@dataclass(frozen=True)
class CountedFile:
    """The people of a file of records by place; nothing in it names a record.

    Attributes
    ----------
    in_file : How many people, and the places they come from.
    name : The file, as a reader knows it.
    place : ``counties`` or ``three-digit ZIP codes``.
    by_person : Whether people were counted by the column that identifies them; else each record is a person.
    outside : People (or records) who live elsewhere, or whose place is blank or not understood.
    lacking : Fields that neither the mapping nor a header names; a column may hold them all the same.
    """

    in_file: InFile
    name: str
    place: str
    by_person: bool
    outside: int
    lacking: tuple[str, ...]

    @property
    def measured(self) -> str:
        """What the file says itself, and what is modeled, in one or two sentences."""
        how = "people, by the column that identifies them" if self.by_person else "records, one counted per person"
        left_out = (
            f" Left out: {self.outside:,} who live elsewhere or whose place is blank or not understood."
            if self.outside
            else ""
        )
        unknown = f"No column is known as {_or_words(self.lacking)}" if self.lacking else ""
        lacking = f" {unknown}: the figures are for a file that shows what the rule lets it show." if unknown else ""
        return (
            f"Counted in {self.name}: {how}, and the {self.place} where they live (places with less than 1% of them "
            "are taken together)."
            f"{left_out} Modeled from the census: their sex, race and age in each place.{lacking}"
        )


def _or_words(words: Sequence[str]) -> str:
    """Return words as one of them.

    >>> _or_words(["sex"]), _or_words(["sex", "race", "birth"])
    ('sex', 'sex, race or birth')
    """
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def counted_file(
    location: str | Path, state: str, population: AnyPopulation, mapping: ColumnMapping | str | Path | None = None
) -> CountedFile:
    """Count the people of a file of records by county, or by three-digit ZIP code, within one state.

    Raises
    ------
    InputError : a file without a county or a ZIP code, or with fewer than two people of the state.
    SourceError, SchemaError : as for :class:`~policy_sim.study.record_file.RecordFile`.
    """
    file, field = _placed(location, mapping)
    with file.opened() as engine:
        grouped = engine.group(file.records)
        texts = grouped.values_of(field)
        classes = grouped.classes(file.most_classes)
    codes = _codes(field, texts, file.records.mapping, state)
    people: Counter[str | None] = Counter()
    for code, size in zip(classes.codes[:, 0].tolist(), classes.sizes.tolist(), strict=True):
        people[codes[code - 1] if code else None] += size
    outside = people.pop(None, 0)
    held = {code: number for code, number in people.items() if code is not None}
    in_state = set(people_by_place(population, state, "county" if field == "county" else "zip3"))
    outside += sum(number for code, number in held.items() if code not in in_state)
    held = {code: number for code, number in held.items() if code in in_state}
    total = sum(held.values())
    if total < 2:
        raise InputError(f"{file.records.short_name}: fewer than two people live in {state}. Name their state.")
    if outside > total:
        raise InputError(
            f"{file.records.short_name}: {outside:,} of {outside + total:,} people live in no place of {state}. Name "
            "their state, or give codes for their places in a mapping."
        )
    large = {code: number / total for code, number in held.items() if number >= _LEAST_SHARE * total}
    places = {code: large.get(code) for code in held}
    header = {known_field(name) for name in (*file.records.mapping.fields, *file.records.header)}
    lacking = tuple(name for name, columns in _FIELDS.items() if not header & set(columns))
    return CountedFile(
        InFile(people=total, catchment=Catchment(tuple(places.items()))),
        file.records.short_name,
        "counties" if field == "county" else "three-digit ZIP codes",
        bool(file.records.mapping.person),
        outside,
        lacking,
    )


def _placed(location: str | Path, mapping: ColumnMapping | str | Path | None) -> tuple[RecordFile, str]:
    """Return the file with the field that says where people live as its only one, and that field."""
    for field in _PLACES:
        try:
            return RecordFile(location, [field], mapping=mapping), field
        except UnknownNameError:
            continue
    raise InputError(
        f"{Path(str(location)).name}: no column says where people live. Name the county, zip3 or zip5 in a mapping."
    )


def _codes(field: str, texts: Sequence[str], mapping: ColumnMapping, state: str) -> list[str | None]:
    """Return the code of the county, or the three-digit ZIP code, of each text; None where it is not understood."""
    column = mapping.column(field)
    meanings = read_field(field, column, texts).meanings
    if field != "county":
        return [None if meaning is None else str(meaning)[:3] for meaning in meanings]
    named = [column.codes.get(text, text) for text in texts]
    return [
        county_code(state, text) if meaning is None else str(meaning)
        for meaning, text in zip(meanings, named, strict=True)
    ]
