"""What values of a file mean in the census: of race and Hispanic origin, and of each field of a voter list."""

from __future__ import annotations

import datetime as dt
import difflib
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from policy_sim.files.area_tables import area_table
from policy_sim.people.population import RACES
from policy_sim.records.covered_values import OLDEST
from policy_sim.records.dates import read_dates, read_years
from policy_sim.records.race_texts import OR, RaceText, race_text
from policy_sim.records.state_codes import (
    ASK,
    FIPS,
    MEDICARE_COLUMN,
    SSA,
    numbers_note,
    refuse_open_question,
    state_numbers,
    state_of,
)
from policy_sim.records.vocabularies import plain
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, Granularities, is_area
from policy_sim.words.states import STATES

HISPANIC, NOT_HISPANIC = "hispanic", "not_hispanic"
RACE_FIELDS = ("race", "ethnicity", "race_ethnicity")
_SEVERAL = re.compile(r"[^;|,+&]+[;|,+&]\s*\w")
_YES_NO = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


# What a column says follows from all of its values.


def race_column(name: str, field: str, texts: Sequence[str], coded: Iterable[str] = ()) -> Reading:
    """Read the distinct values of a column that is called race, ethnicity or race_ethnicity.

    Several races that a value may mean stand with " or " between them. ``coded``: what else the codes of its mapping
    mean, which tells of the column though no record has it.
    """
    understood, possible = ([_said(field, text) for text in values] for values in (texts, coded))
    seen = _field(name, field, [*understood, *possible])
    meanings = tuple(_meaning(seen, text) for text in understood)
    counted = {
        "with the race of Hispanic people, which is not used": [
            seen == "race_ethnicity" and bool(text.hispanic and text.races) for text in understood
        ],
        "for the Middle East or North Africa, read as white because the census counts them so": [
            text.middle_eastern and meaning == "white" for text, meaning in zip(understood, meanings, strict=True)
        ],
        "that are finer than the census counts, such as Korean, read as its race or origin": [
            text.finer and meaning is not None for text, meaning in zip(understood, meanings, strict=True)
        ],
        "with several marks, read as more than one race, or as Hispanic where that is among them": [
            _SEVERAL.search(text) is not None and meaning in ("multiple", HISPANIC)
            for text, meaning in zip(texts, meanings, strict=False)
        ],
        "such as Unknown or Declined, which are missing": [text.unknown for text in understood],
    }
    notes = [f"{name}: values {which}: {sum(holds):,}" for which, holds in counted.items() if any(holds)]
    if seen != field:
        notes.insert(0, f"{name} is read as race_ethnicity, because its values have Hispanic among the races")
    return Reading(seen, meanings, notes=tuple(notes), unknown=tuple(text.unknown for text in understood))


def tells_origin(texts: Iterable[str]) -> bool:
    """Tell whether some of the texts say that a person is Hispanic, some that not, and none a race.

    >>> tells_origin(["Hispanic", "Not Hispanic", "Unknown"]), tells_origin(["Hispanic", "White"])
    (True, False)
    """
    read = [race_text(text) or RaceText() for text in texts]
    return {True, False} <= {text.hispanic for text in read} and not any(text.races for text in read)


def _said(field: str, text: str) -> RaceText:
    """Return what a value says; a yes is an origin only where the field is that."""
    answer = _YES_NO.get(plain(text)) if field == "ethnicity" else None
    return RaceText(hispanic=answer) if answer is not None else race_text(text) or RaceText()


def _field(name: str, field: str, values: Sequence[RaceText]) -> str:
    """Return which of the three fields the values tell."""
    if field == "race_ethnicity":
        return field
    races, origins = any(text.races for text in values), any(text.hispanic is not None for text in values)
    if not (races and origins):
        if field == "race" and origins:
            raise InputError(f"{name}: its values say who is Hispanic and no race: name the field ethnicity.")
        if field == "ethnicity" and races:
            raise InputError(f"{name}: its values are races and none says who is Hispanic: name the field race.")
        return field
    how = "name the field race_ethnicity to count Hispanic people of any race as one class."
    if any(text.hispanic and text.races for text in values):
        raise InputError(f"{name}: some of its values show the race of Hispanic people: {how}")
    others = {text.races for text in values if text.hispanic is False}
    if others & {text.races for text in values if text.races and text.hispanic is None}:
        raise InputError(f"{name}: a race appears both with and without non-Hispanic: {how}")
    return "race_ethnicity"


def _meaning(field: str, text: RaceText) -> str | None:
    """Return the class of what a text says; None where it says nothing of the field."""
    if field == "ethnicity":
        return None if text.hispanic is None else HISPANIC if text.hispanic else NOT_HISPANIC
    if field == "race_ethnicity" and text.hispanic:
        return HISPANIC
    return OR.join(race for race in RACES if race in text.races) or None


def classes_of(meaning: str) -> tuple[str, ...]:
    """Return the classes of the census that a meaning stands for.

    >>> classes_of("asian or nhpi")
    ('asian', 'nhpi')
    """
    return tuple(meaning.split(OR))


def possible_people(values: Mapping[Any, object], races: Sequence[str]) -> list[tuple[str, str]]:
    """Return the race and the ethnicity of whom a record with these values may be; Hispanics are of any of ``races``.

    >>> possible_people({"race_ethnicity": "asian or nhpi"}, RACES)
    [('asian', 'not_hispanic'), ('nhpi', 'not_hispanic')]
    >>> possible_people({"race": "asian", "ethnicity": "hispanic"}, RACES)
    [('asian', 'hispanic')]
    """
    if "race_ethnicity" not in values:
        return [(race, str(values.get("ethnicity"))) for race in classes_of(str(values.get("race")))]
    classes = classes_of(str(values["race_ethnicity"]))
    others = [(race, NOT_HISPANIC) for race in classes if race != HISPANIC]
    return [*others, *((race, HISPANIC) for race in races if HISPANIC in classes)]


def overlapping(meanings: Sequence[str | None]) -> frozenset[str]:
    """Return the meanings of several classes of which another meaning tells some apart.

    >>> overlapping(["asian or nhpi", "asian", "other or multiple", None])
    frozenset({'asian or nhpi'})
    """
    held = {meaning: frozenset(classes_of(meaning)) for meaning in meanings if meaning is not None}
    return frozenset(
        meaning
        for meaning, classes in held.items()
        if len(classes) > 1 and any(classes & others for other, others in held.items() if other != meaning)
    )


# What a file's columns and codes mean.


@dataclass(frozen=True)
class FieldColumn:
    """Which column holds a field, and how to read it against a population.

    Parameters
    ----------
    column : The file's column; the field's own name by default.
    codes : What each code of the file means, such as ``{"1": "M"}``.
    format : How dates are written, as in ``strptime``; the program also reads other forms if they are unambiguous.
    width : Years in an age class: 1, 2, 3, 4, 5, 10, 15 or 20. Values begin with the lower bound of the class.
    top : Age from which everyone is in one class, such as 90.
    """

    column: str
    codes: Mapping[str, str] = field(default_factory=dict)
    format: str = "%Y-%m-%d"
    width: int = 1
    top: int | None = None


@dataclass(frozen=True)
class ColumnMapping:
    """A column mapping: what a file's columns and codes mean.

    ``missing`` lists the codes for a missing value, in addition to a null. ``reference_date`` is the day on which
    ages are taken; None means the population's own date. ``sheet`` is the sheet of a workbook with several. ``person``
    is the column that identifies the person, where a person has several rows.
    """

    fields: Mapping[str, FieldColumn] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)
    separator: str | None = None
    reference_date: dt.date | None = None
    sheet: str = ""
    person: str = ""

    def column(self, name: str) -> FieldColumn:
        """Return the column of a field; without an entry, the column with the field's name.

        If no entry has exactly the field's name, case does not matter.
        """
        entry = self.entry(name)
        return FieldColumn(name) if entry is None else entry

    def entry(self, name: str) -> FieldColumn | None:
        """Return the entry of a field in the mapping, or None if it has none; of areas else that of ZIP codes."""
        folded = {field_name.casefold(): column for field_name, column in self.fields.items()}
        entry = self.fields.get(name, folded.get(name.casefold()))
        return self.entry("zip5") if entry is None and is_area(name) else entry


def column_place(where: str, name: str, held: Sequence[str], *, names_shown: bool = True) -> int:
    """Return the place of a column among the names of a file: the exact name wins, otherwise case does not matter."""
    places = [at for at, held_name in enumerate(held) if held_name == name]
    if len(places) > 1:
        raise InputError(f"{where}: column {name!r} appears twice in the header: rename one.")
    places = places or [at for at, held_name in enumerate(held) if held_name.casefold() == name.casefold()]
    if not places:
        hidden = "" if names_shown else "The first line looks like a record, but it must name the columns."
        raise UnknownNameError(f"{where}: column", name, filter(None, held) if names_shown else (), allowed=hidden)
    if len(places) > 1:
        alike = " and ".join(repr(held[at]) for at in places)
        raise InputError(f"{where}: column {name!r} may be {alike}. Write the name exactly, or rename one.")
    return places[0]


def column_advice(field: str, fields: Sequence[str], mapping: ColumnMapping, held: Sequence[str], location: str) -> str:
    """Say what to do about a field, one of ``fields``, whose column is not among those of a file.

    ``location`` is empty for a database.
    """
    column, births = mapping.column(field).column, alike_name(mapping.column("birth_date").column, held)
    meant = ["birth_date" if births and name.casefold() in _FROM_BIRTHS else name for name in fields]
    found = [name for name in dict.fromkeys(meant) if alike_name(mapping.column(name).column, held)]
    if births and field.casefold() in _FROM_BIRTHS:
        return f"Column {births!r} has the dates of birth: use {ask('fields', ','.join(found))}."
    if field and column != field:
        return f"The mapping ({ask('mapping')}) names it: correct fields.{field}.column there."
    if mapping.fields and found:
        return f"The mapping ({ask('mapping')}) names no column for it. Without it: {ask('fields', ','.join(found))}."
    if not location or ALIASES.get(field.casefold(), field.casefold()) not in KNOWN_FIELDS:
        return ""
    check = f"policy-sim dataset check {shlex.quote(location)}"
    return (
        f"If a column of another name is the {field}, add a mapping ({ask('mapping')}): the end of '{check}' says how."
    )


def name_in_file(where: str, name: str, held: Sequence[str]) -> str:
    """Return a column's name as the file writes it, by :func:`column_place`; the name itself where it has none."""
    with suppress(UnknownNameError):
        return held[column_place(where, name, held)]
    return name


def alike_name(name: str, held: Sequence[str]) -> str:
    """Return the column of that name, or the only one that has it in other upper and lower case; else an empty text."""
    alike = [column for column in held if column.casefold() == name.casefold()]
    return name if name in alike else alike[0] if len(alike) == 1 else ""


Meaning = str | int | dt.date | None

BIRTH_FIELDS: Mapping[str, str] = {
    "age": "year",
    "birth_year": "year",
    "birth_month": "month",
    "birth_date": "date",
}
PLACE_FIELDS = ("tract", "county", "zip5", "zip3", "state")
ALIASES = {"gender": "sex", "hispanic": "ethnicity"}
# What a date of birth says too: a score takes ages from it on the day of the population.
_FROM_BIRTHS = ("age", "birth_year")
_WIDTHS = {years: name for name, years in YEARS_IN_A_CLASS.items()}

_SEXES = {"m": "M", "male": "M", "f": "F", "female": "F"}
KNOWN_FIELDS = ("sex", *RACE_FIELDS, *BIRTH_FIELDS, *PLACE_FIELDS)
# What a field of who people are shows: its granularity of a field of the model.
_SHOWN = {
    "sex": (Field.GENDER, "value"),
    "race": (Field.RACE, "value"),
    "ethnicity": (Field.ETHNICITY, "value"),
    "race_ethnicity": (Field.RACE, "race_ethnicity"),
}
# Fewest and most digits of a place's code: programs that read it as a number drop leading zeros.
_PLACES = {"county": (4, 5), "tract": (10, 11), "zip5": (3, 5), "zip3": (1, 3)}
_MENDED = ("that had lost leading zeros, which were put back", "of ZIP+4 that were cut to five digits")


def file_granularities(fields: Sequence[str], mapping: Mapping[str, FieldColumn], has_state: bool) -> Granularities:
    """Return how finely a file shows each field: the policy that it follows."""
    if {"race_ethnicity", "ethnicity"} <= set(map(known_field, fields)):
        raise InputError(
            "two fields show who is Hispanic, the races and ethnicity: leave ethnicity out, or give the "
            "races of Hispanic people in the codes of race."
        )
    seen: dict[str, str] = {}
    for name in fields:
        field, granularity = _granularity(name, mapping)
        if field in seen and known_field(name) != "state" and seen[field] != "state":
            raise InputError(f"the fields name {field} twice: keep the finer of the two.")
        if seen.get(field, "state") == "state":
            seen[field] = granularity
    if "geography" not in seen:
        if not has_state:
            raise InputError(
                f"no field shows the state: add {ask('states', 'OH', option='--state')}, or add a place to the fields."
            )
        seen["geography"] = "state"
    return Granularities(seen)


def _granularity(name: str, mapping: Mapping[str, FieldColumn]) -> tuple[str, str]:
    original_name, name = name, known_field(name)
    if name in _SHOWN:
        model_field, granularity = _SHOWN[name]
        return model_field.value, granularity
    if name in BIRTH_FIELDS:
        width = ColumnMapping(mapping).column(original_name).width
        return Field.BIRTH.value, BIRTH_FIELDS[name] if width == 1 else _WIDTHS[width]
    if name in PLACE_FIELDS or is_area(name):
        return Field.GEOGRAPHY.value, name
    near = difflib.get_close_matches(name.casefold(), [*KNOWN_FIELDS, *ALIASES], n=1, cutoff=0.7)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(
        f"field {name!r} is not in any census.{hint} Score on {', '.join(KNOWN_FIELDS)}, naming the columns in a "
        f"mapping."
    )


@dataclass(frozen=True, eq=False)
class Reading:
    """What the values of a field mean: a text, a number or a date for each, None if there is none, and the ``reasons``.

    ``field`` is the one that was asked for, or ``race_ethnicity`` where Hispanic is among the races. ``notes`` are
    corrections made while reading, without any value; ``unknown`` values say themselves that the value is missing.
    """

    field: str
    meanings: Sequence[Meaning]
    reasons: Sequence[str] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[bool, ...] = ()

    @property
    def unread(self) -> int:
        """Values that the program does not understand."""
        return sum(meaning is None for meaning in self.meanings) - sum(self.unknown)


def read_field(name: str, column: FieldColumn, texts: Sequence[str]) -> Reading:
    """Read the distinct values of a census field: first by the file's codes, then by the usual words."""
    canonical = known_field(name)
    texts = [column.codes.get(text, column.codes.get(text.strip(), text)) for text in texts]
    notes: tuple[str, ...] = ()
    unknown: tuple[bool, ...] = (False,) * len(texts)
    meanings: Sequence[Meaning]
    if canonical in _PLACES or is_area(canonical):
        pairs = [_area(canonical, text) if is_area(canonical) else _place(canonical, text) for text in texts]
        meanings = [meaning for meaning, _ in pairs]
        notes = tuple(
            f"{name}: codes {remark}: {number:,}"
            for remark in _MENDED
            if (number := sum(mended == remark for _, mended in pairs))
        )
    elif canonical == "state":
        meanings, notes = read_states(name, column, texts)
    elif canonical == "birth_date":
        dates, notes = read_dates(name, texts, column.format)
        meanings = list(dates)
    elif canonical == "birth_year":
        with_dates = read_years(texts, column.format)
        meanings = [_year(text) or born for text, born in zip(texts, with_dates, strict=True)]
    elif canonical == "birth_month":
        meanings, notes = _months(name, texts, column.format)
    elif canonical in RACE_FIELDS:
        read = race_column(name, canonical, texts, column.codes.values())
        canonical, meanings, unknown, notes = read.field, read.meanings, read.unknown, read.notes
    else:
        column = with_open_class(column, texts) if canonical == "age" else column
        meanings = [_WORDS[canonical](text, column) for text in texts]
    reasons = [
        "" if meaning is not None else f"{name} is {'missing' if nobody_knows else 'not understood'}"
        for meaning, nobody_knows in zip(meanings, unknown, strict=True)
    ]
    return Reading(canonical, meanings, reasons, notes, unknown)


def seen_fields(
    fields: Sequence[str], mapping: ColumnMapping, values_of: Callable[[str], Sequence[str]]
) -> tuple[str, ...]:
    """Return the fields as their values show them: race is ``race_ethnicity`` where Hispanic is among the races."""
    return tuple(
        read_field(name, mapping.column(name), values_of(name)).field if known_field(name) in RACE_FIELDS else name
        for name in fields
    )


def read_ages(name: str, column: FieldColumn, texts: Sequence[str], date: dt.date) -> Reading:
    """Read a field as :func:`read_field` does, and convert births to ages in years on a day."""
    reading = read_field(name, column, texts)
    if known_field(name) not in BIRTH_FIELDS or known_field(name) == "age":
        return reading
    ages, reasons = list(reading.meanings), list(reading.reasons)
    for at, born in enumerate(reading.meanings):
        if born is None:
            continue
        # half of a year's children are born by July 1
        later = (date.month, date.day) < (born.month, born.day) if isinstance(born, dt.date) else date.month < 7
        year = born.year if isinstance(born, dt.date) else int(born)
        age = date.year - year - int(later)
        if not 0 <= age <= OLDEST:
            after = f"after {date}, the day on which ages are taken"
            reasons[at] = f"{name} is {after}" if age < 0 else f"{name} gives an age above {OLDEST}"
        ages[at] = age if 0 <= age <= OLDEST else None
    return replace(reading, meanings=ages, reasons=reasons)


def known_field(name: str) -> str:
    """Return the standard name of a field, ignoring case.

    >>> known_field("Gender"), known_field("AGE"), known_field("shoe")
    ('sex', 'age', 'shoe')
    """
    folded = name.strip().casefold()
    return ALIASES.get(folded, folded if folded in KNOWN_FIELDS else name)


def read_states(name: str, column: FieldColumn, texts: Sequence[str]) -> tuple[list[Meaning], tuple[str, ...]]:
    """Return the postal code of each state, and by which numbers they were read; a person says where that is open."""
    form = column.format
    if form not in (SSA, FIPS):
        form = state_numbers(column.column, texts, [MEDICARE_COLUMN] if form == ASK else [])
    refuse_open_question(name, form)
    postal = [state_of(text, form) for text in texts]
    meanings: list[Meaning] = [state if state in STATES else None for state in postal]
    return meanings, (numbers_note(name, form),) if state_numbers(column.column, texts) else ()


def _area(name: str, text: str) -> tuple[str | None, str]:
    """Return the area that a text names or that has its ZIP code, and what was corrected; names begin with a letter."""
    areas, (code, mended) = area_table(name), _place("zip5", text)
    area = text.strip() if code is None else areas.of_zip.get(code)
    return (area, mended) if area in areas.state_of else (None, "")


def _place(name: str, text: str) -> tuple[str | None, str]:
    """Return a place's code, and the correction made to it."""
    text = text.strip()
    longer = re.fullmatch(r"(?:(\d{3,5})-|(\d{4,5}))\d{4}(?:[.,]0+)?", text) if name == "zip5" else None
    whole = re.fullmatch(r"(\d+)(?:[.,]0+)?", longer[1] or longer[2] if longer else text)
    fewest, digits = _PLACES[name]
    if not whole or not fewest <= len(whole[1]) <= digits:
        return None, ""
    return whole[1].zfill(digits), _MENDED[0] if len(whole[1]) < digits else _MENDED[1] if longer else ""


def _months(name: str, texts: Sequence[str], form: str) -> tuple[list[Meaning], tuple[str, ...]]:
    """Read months of birth as the first of the month; whole dates are read too."""
    monthly = form.replace("-%d", "").replace("/%d", "").replace("%d.", "").replace("%d/", "")
    meanings: list[Meaning] = []
    for text in texts:
        date: dt.date | None = None
        with suppress(ValueError):
            date = dt.datetime.strptime(text.strip(), monthly).date().replace(day=1)
        if date is None and (numbers := re.fullmatch(r"\s*(?:(\d{4})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{4}))\s*", text)):
            with suppress(ValueError):
                date = dt.date(int(numbers[1] or numbers[4]), int(numbers[2] or numbers[3]), 1)
        meanings.append(date)
    rest = [at for at, date in enumerate(meanings) if date is None]
    dates, notes = read_dates(name, [texts[at] for at in rest], form)
    for at, day in zip(rest, dates, strict=True):
        meanings[at] = day.replace(day=1) if day else None
    return meanings, notes


_CLASS = re.compile(r"\s*(\d{1,3})(?:[.,]0+)?(\s*(?:-|–|to|\+|and|or|plus).*|\s*)$")
_OPEN = re.compile(
    r"\s*(?:(?P<from>\d{1,3})(?:[.,]0+)?\s*(?:years?|yrs?|y)?\s*"
    r"(?:\+|plus|(?:and|or|&)\s*(?:over|older|above|more|up|greater))"
    r"|(?:>=|≥)\s*(?P<least>\d{1,3})|(?:>|over|above|older than)\s*(?P<below>\d{1,3}))"
    r"\s*(?:years?(?: old)?|yrs?|y)?\s*",
    re.IGNORECASE,
)


def _open_class(text: str) -> int | None:
    """Return the age from which a text is an open class; None where it is none.

    >>> [_open_class(text) for text in ("90+", "85 and over", ">89", "20-24", "5 and under")]
    [90, 85, 90, None, None]
    """
    match = _OPEN.fullmatch(text)
    return int(match["from"] or match["least"] or int(match["below"]) + 1) if match else None


def with_open_class(column: FieldColumn, texts: Sequence[str]) -> FieldColumn:
    """Return how to read ages whose oldest class is open, such as 90+: from there on everyone is in one class.

    As it was where the mapping says so itself, where several classes are open, or where other values tell ages in the
    class apart: then the class is none of its own.
    """
    opened = {_open_class(text) for text in texts} - {None}
    if column.top is not None or len(opened) != 1:
        return column
    (first,) = opened
    others = [int(match[1]) for text in texts if _open_class(text) is None and (match := _CLASS.match(text))]
    apart = first is None or first > OLDEST or any(first <= age <= OLDEST for age in others)
    return column if apart else replace(column, top=first)


def _age(text: str, column: FieldColumn) -> int | None:
    """Read an age, or the lower bound of an age class such as 20-24 or 90+."""
    opened = _open_class(text)
    match = _CLASS.match(text)
    if opened is None and not match:
        return None
    age = opened if opened is not None else int(match[1]) if match else 0
    if column.top is not None and OLDEST >= age >= column.top:
        return column.top
    is_class = opened is not None or bool(match and match[2].strip())
    if age % column.width or (is_class and column.width == 1):
        return None
    return age if age <= OLDEST else None


def _year(text: str) -> int | None:
    match = re.fullmatch(r"\s*(\d{4})(?:[.,]0+)?\s*", text)
    return int(match[1]) if match else None


_WORDS: Mapping[str, Callable[[str, FieldColumn], Meaning]] = {
    "sex": lambda text, _: _SEXES.get(text.strip().casefold()),
    "age": _age,
}
