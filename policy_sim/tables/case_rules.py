"""CDC's ten checks of a file of case records, each as its text and as its program read it.

The checks are those of the COVID-19 case file with counties (``policy-sim rules show cdc-geo``). A record shows a value
where the cell is not blank and does not say that nobody knows. ``text`` and ``program`` are two readings: where they
differ, both are in the answer.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from policy_sim.people.names import county_code, county_names
from policy_sim.people.population import ETHNICITIES, RACES, SEXES, Population
from policy_sim.records.census_values import ColumnMapping, column_place, race_text, read_field
from policy_sim.records.classes import Classes, agreeing, number_groups
from policy_sim.records.column_kinds import is_mark, name_words
from policy_sim.records.covered_values import plain
from policy_sim.records.formats import CodedColumn, CodedTable, read_coded, refuse_counts
from policy_sim.words.arguments import choice, of_kind, one_path, one_state, several, text, whole_number
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS

PLACE_RECORDS = 1_000  # of a state or a county that records may name
COUNTY_PEOPLE = 20_000  # of a county that records may name
PEOPLE_PER_K = 20  # people of a group that records may name: 220 for k = 11
READINGS = ("text", "program")
HOLDS, FAILS, NOT_TESTED = "holds", "fails", "not tested"

# The fields of the ten checks, and the names of columns that hold them.
FIELD_NAMES: Mapping[str, tuple[str, ...]] = {
    "month": ("case month", "month", "report month", "onset month", "event month"),
    "state": ("res state", "state", "residence state", "state of residence"),
    "county": ("res county", "county", "county name", "residence county", "county of residence"),
    "state_code": ("state fips code", "state fips", "state code"),
    "county_code": ("county fips code", "county fips", "fips", "fips code", "county code", "geoid"),
    "age": ("age group", "age", "age class", "age range", "agegroup"),
    "sex": ("sex", "gender"),
    "race": ("race", "race ethnicity", "race ethnicity combined"),
    "ethnicity": ("ethnicity", "hispanic", "hispanic latino"),
    "death": ("death yn", "death", "died", "deceased", "outcome"),
}
PERSON = ("sex", "race", "ethnicity")
ALL_FIELDS = ("month", "state", "county", "age", "sex", "race", "ethnicity", "death")
_UNKNOWN = frozenset({"missing", "unknown", "unk", "suppressed", "hidden", "redacted", "not reported", "not stated"})
_OTHERS = frozenset({"multiple other", "other multiple", "multiple or other"})
_UNREAD = "\0"  # before a value of sex, race or ethnicity that no census has
_MOST_PLACES = 5  # named in a row


_ASKS = {
    1: f"each state that records name has at least {PLACE_RECORDS:,} records",
    2: f"each county that records name has at least {PLACE_RECORDS:,} records",
    3: f"no record names a county of fewer than {COUNTY_PEOPLE:,} people",
    4: "no record names a county and a sex, race and ethnicity that fewer than {people:,} people there have",
    5: "the cases of a county with one sex, race and ethnicity are at most half of the people who have them",
    6: "each record has the values of at least {k} records, itself included",
    7: "a record that hides the state hides the county",
    8: "a record that hides the state hides the codes of state and county",
    9: "a record that hides the county hides its code",
    10: "no state shows all of its counties but one",
}
_REMEDIES = {
    1: "blank the state and the county of these records",
    2: "blank the county of these records",
    3: "blank the county of these records",
    4: "blank sex, race or ethnicity of these records, or their county",
    5: "blank sex, race or ethnicity of these records, or their county",
    6: "blank one more field of these records, or use wider classes",
    7: "blank the county of these records",
    8: "blank the codes of these records",
    9: "blank the code of the county of these records",
    10: "blank a second county of the state",
}


@dataclass(frozen=True)
class RuleResult:
    """What one check says in one reading, or in both where they agree.

    ``records`` and ``combinations`` of values break the check; ``places`` names counties or states, never a record.
    """

    rule: int
    reading: str
    asks: str
    status: str
    records: int
    combinations: int
    fields: tuple[str, ...]
    places: str
    reason: str
    remedy: str


@dataclass(frozen=True, eq=False)
class CaseCheck:
    """The ten checks of one file.

    Attributes
    ----------
    results : One per check and reading.
    combinations : The values that break a check, one row per check, reading and combination, with its records.
    notes : How the columns were read, and whose people the file is compared with.
    """

    results: tuple[RuleResult, ...]
    combinations: pd.DataFrame
    notes: tuple[str, ...]
    records: int

    def having(self, status: str) -> tuple[int, ...]:
        """Return the numbers of the checks that have a status in some reading."""
        return tuple(sorted({result.rule for result in self.results if result.status == status}))

    @property
    def passes(self) -> bool:
        """Whether every check holds in every reading."""
        return all(result.status == HOLDS for result in self.results)

    @property
    def verdict(self) -> str:
        """One sentence: a check that was not tested is never counted as one that holds."""
        failed, untested = (", ".join(map(str, self.having(status))) for status in (FAILS, NOT_TESTED))
        parts = [f"fails {failed}"] * bool(failed) + [f"not tested {untested}"] * bool(untested)
        word = "FAILS" if failed else "NOT ALL TESTED" if untested else "PASSES"
        rest = f"rules of CDC's ten: {'; '.join(parts)}" if parts else "all of CDC's ten rules hold"
        return f"{word}: {rest} ({self.records:,} records)."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check and reading."""
        rows = [{**vars(result), "fields": ",".join(result.fields)} for result in self.results]
        return pd.DataFrame(rows)


@dataclass(frozen=True, eq=False)
class CaseFile:
    """Combinations of the ten fields in a file: the text of each, blank where hidden, and how many records have it."""

    texts: Mapping[str, np.ndarray[tuple[int], np.dtype[np.object_]]]
    codes: Mapping[str, IntArray]
    records: IntArray
    lacking: tuple[str, ...]  # fields that neither the file nor the caller explains
    notes: tuple[str, ...] = ()

    def shown(self, name: str) -> BoolArray:
        """Tell which combinations show a field."""
        return np.asarray(self.codes[name] > 0)

    def grouped(self, names: Sequence[str]) -> tuple[IntArray, IntArray]:
        """Return the group of each combination on some fields, and the records of its group."""
        columns = [self.codes[name] for name in names]
        group, number = number_groups(columns, [int(column.max(initial=0)) for column in columns], len(self.records))
        return group, np.bincount(group, weights=self.records, minlength=number).astype(np.int64)[group]

    @cached_property
    def places(self) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
        """The county's five-digit code of each combination; empty where no county is shown or none is recognized."""
        own, names, states = self.texts["county_code"], self.texts["county"], self.texts["state"]
        code_by_name = {(s, n): county_code(s, n) or "" for s, n in set(zip(states, names, strict=True)) if s and n}
        by_name = (n if n.isdigit() else code_by_name.get((s, n), "") for s, n in zip(states, names, strict=True))
        return np.array([code or name for code, name in zip(own, by_name, strict=True)], dtype=object)

    @property
    def shows_county(self) -> BoolArray:
        """Which combinations show a county, by name or by code."""
        return self.shown("county") | self.shown("county_code")


def read_cases(
    path: Path, mapping: ColumnMapping | None = None, absent: Sequence[str] = (), state: str | None = None
) -> CaseFile:
    """Read the fields of the checks from CSV, Excel or Parquet.

    ``absent`` are fields that the file does not have. The caller must name them: a column under a name that nobody
    recognized would otherwise go untested. ``state`` is that of all records where no column shows it.
    """
    path = one_path("path", path)
    mapping = of_kind("mapping", ColumnMapping() if mapping is None else mapping, ColumnMapping, "a ColumnMapping")
    named = several("absent", absent, str, "'death'") if not isinstance(absent, list | tuple) or absent else ()
    absent = [choice("absent field", name, tuple(FIELD_NAMES)) for name in named]
    table = read_coded(path, mapping.missing, mapping.separator or "", mapping.sheet)
    refuse_counts(str(path), table)
    columns = _columns(table, mapping, str(path))
    for name in set(absent) & set(columns):
        raise InputError(f"{path}: {name} is given as absent, but column {columns[name]!r} holds it. Decide which.")
    coded, notes = {}, [f"columns: {', '.join(f'{column} as {name}' for name, column in columns.items())}"]
    for name, column in columns.items():
        coded[name], unread = _read(name, table[column], mapping)
        notes += [f"{name}: {unread:,} of its values are those of no census"] * bool(unread)
    rest = [name for name in table.names if name not in columns.values()]
    notes += [f"not part of the checks: {', '.join(rest[:10])}{', ...' * (len(rest) > 10)}"] * bool(rest)
    whole = "" if state is None else one_state(state)
    if whole and "state" in coded:
        raise InputError(f"{path}: column {columns['state']!r} shows the state. Leave the state out.")
    if "county" not in coded and "county_code" in coded:  # one column is enough: it is the county
        coded["county"] = coded.pop("county_code")
        absent.append("county_code")
    if "county" in coded and "state" not in coded:
        coded["state"] = _states_of(coded["county"], whole, str(path))
        absent.append("state_code")
        notes.append(f"state: {whole or 'of the county codes'}")
    lacking = tuple(name for name in FIELD_NAMES if name not in coded and name not in absent)
    if "county" not in coded and "county" in lacking:
        raise InputError(
            f"{path}: no column is known as the county. Its columns: {', '.join(table.names[:12])}. Name the column in "
            "a mapping ([fields.county] column = ...), or declare county and county_code absent."
        )
    blank = CodedColumn(np.zeros(table.rows, dtype=np.int32), ())
    coded = {name: coded.get(name, blank) for name in FIELD_NAMES}
    return _combined(coded, lacking, tuple(notes))


def _states_of(counties: CodedColumn, whole: str, where: str) -> CodedColumn:
    """Return the state of each record: the one named, the only one of the county codes, or that of each code."""
    held = {POSTAL_OF_FIPS[text[:2]] for text in counties.texts() if text[:2] in POSTAL_OF_FIPS}
    if not whole and not held:
        raise InputError(f"{where}: counties by name need their state. Name the state, or add a column of it.")
    only = whole or (held.copy().pop() if len(held) == 1 else "")
    if only:
        return CodedColumn(np.ones(len(counties.codes), dtype=np.int32), (only,))
    return CodedColumn.of([POSTAL_OF_FIPS.get(text[:2], "") for text in counties.texts()])


def _combined(coded: Mapping[str, CodedColumn], lacking: tuple[str, ...], notes: tuple[str, ...]) -> CaseFile:
    names = tuple(coded)
    rows = len(coded[names[0]].codes)
    group, number = number_groups([coded[n].codes for n in names], [len(coded[n].values) for n in names], rows)
    first = np.zeros(number, dtype=np.int64)
    first[group] = np.arange(rows)
    codes = {name: coded[name].codes[first].astype(np.int64) for name in names}
    texts = {name: coded[name].take(first).texts() for name in names}
    return CaseFile(texts, codes, np.bincount(group, minlength=number).astype(np.int64), lacking, notes)


def _columns(table: CodedTable, mapping: ColumnMapping, where: str) -> dict[str, str]:
    """Return the column of each field: the one of the mapping, or the only one with a usual name."""
    columns: dict[str, str] = {}
    for name, usual in FIELD_NAMES.items():
        entry = mapping.entry(name) or (mapping.entry("gender") if name == "sex" else None)
        if entry:
            columns[name] = table.names[column_place(where, entry.column, table.names)]
            continue
        held = [column for column in table.names if name_words(column) in usual]
        if len(held) > 1:
            raise InputError(f"{where}: {name} may be column {' or '.join(map(repr, held))}. Say which in a mapping.")
        columns |= dict.fromkeys([name], held[0]) if held else {}
    return columns


def _read(name: str, column: CodedColumn, mapping: ColumnMapping) -> tuple[CodedColumn, int]:
    """Return a column with one text per meaning, blank where nothing is known, and how many are not understood."""
    entry = mapping.column(name)
    held_texts: tuple[str, ...] = column.values  # noqa: PD011
    texts = [" ".join(entry.codes.get(text, text).split()) for text in held_texts]
    blank = [not t or is_mark(t) or plain(t) in _UNKNOWN or t in mapping.missing for t in texts]
    if name in PERSON:
        texts = ["other or multiple" if name == "race" and plain(text) in _OTHERS else text for text in texts]
        blank = [b or bool((meaning := race_text(t)) and meaning.unknown) for b, t in zip(blank, texts, strict=True)]
        held = [text for text, is_blank in zip(texts, blank, strict=True) if not is_blank]
        reading = read_field(name, entry, held)
        read = iter(zip(reading.meanings, held, strict=True))
        labels = ["" if b else _label(reading.field, *next(read)) for b in blank]
    else:
        labels = ["" if b else _plain_value(name, text) for b, text in zip(blank, texts, strict=True)]
    unread = sum(label.startswith(_UNREAD) for label in labels)
    return column.relabeled(["", *labels]), unread


def _label(seen: str, meaning: object, text: str) -> str:
    if meaning is None:
        return _UNREAD + text
    return f"{meaning}, not hispanic" if seen == "race_ethnicity" and meaning != "hispanic" else str(meaning)


def _plain_value(name: str, text: str) -> str:
    number = text.removesuffix(".0")
    if name in ("county", "county_code") and number.isascii() and number.isdigit() and len(number) in (4, 5):
        return number.zfill(5)
    if name == "state":
        reading = read_field("state", ColumnMapping().column("state"), [text])
        return str(reading.meanings[0] or text.upper())
    return text.casefold() if name in ("county", "age", "death") else text


@dataclass(frozen=True, eq=False)
class _People:
    """People of each county by sex, race and ethnicity: what the counts of cases are compared with."""

    counties: frozenset[str]
    people: Mapping[Any, int]  # by county, sex, race and ethnicity

    @classmethod
    def of(cls, population: Population, states: Sequence[str]) -> _People:
        covered = [state for state in states if state in population.counties_by_state()]
        if not covered:
            return cls(frozenset(), {})
        cells, keys = population.in_states(covered).with_ethnicity.cells, ["county", *PERSON]
        if lacking := [name for name in keys if name not in cells]:
            raise InputError(f"population {population.name} has no {', '.join(lacking)}: choose one such as us-2020.")
        people = cells.groupby(keys, observed=True)["people"].sum().astype(int).to_dict()
        return cls(frozenset(cells["county"].astype(str)), people)

    def group(self, place: str, sex: str, race: str, ethnicity: str) -> int:
        """Return the people of a county with these values; -1 where it is not known. A blank is anyone."""
        if place not in self.counties or any(text.startswith(_UNREAD) for text in (sex, race, ethnicity)):
            return -1
        race, _, only = race.partition(", ")
        origins = [ethnicity] if ethnicity else ["not_hispanic"] if only else list(ETHNICITIES)
        if race == "hispanic":
            origins, race = ["hispanic"], ""
        kinds = itertools.product([sex] if sex else SEXES, race.split(" or ") if race else RACES, origins)
        return sum(self.people.get((place, *kind), 0) for kind in kinds)


def check_cases(cases: CaseFile, population: Population, k: int = 11, origin: str = "") -> CaseCheck:
    """Put CDC's ten checks to a file of case records.

    Parameters
    ----------
    cases : The file, by :func:`read_cases`.
    population : People by county, sex, race and ethnicity, such as ``us-2020``.
    k : Records that must share all values, 2 to 1,000; 20 times as many people must share place, sex, race, ethnicity.
    origin : What the notes say of the population; its own words by default.

    Returns
    -------
    Each check by the text and by the program. A check whose fields are not known, or which needs the people of a
    county or of a value that no census has, is ``not tested`` unless other records break it.
    """
    of_kind("cases", cases, CaseFile, "what read_cases returns")
    of_kind("population", population, Population, "a Population, such as Study('us-2020').population")
    k, origin = whole_number("k", k, 2, 1000), text("origin", origin)
    states = sorted({str(state) for state in cases.texts["state"] if state})
    states = sorted({*states, *(POSTAL_OF_FIPS.get(str(code)[:2], "") for code in cases.places if code)} - {""})
    people = _People.of(population, states)
    results, frames = list[RuleResult](), list[pd.DataFrame]()
    for number, check in _CHECKS.items():
        finding_of = {reading: check.finding(_RuleQuestion(cases, people, k, reading)) for reading in READINGS}
        rows = [_result(cases, number, reading, finding, k) for reading, finding in finding_of.items()]
        both = [replace(row, reading="both") for row in rows]
        for finding, row in zip(finding_of.values(), both[:1] if both[0] == both[1] else rows, strict=False):
            results.append(row)
            frames += [_combinations(cases, row, finding)] if row.records else []
    notes = (*cases.notes, f"people: {origin or population.provenance.describe(states)}")
    return CaseCheck(tuple(results), _stacked(frames), notes, int(cases.records.sum()))


def _result(cases: CaseFile, number: int, reading: str, finding: _Finding, k: int) -> RuleResult:
    check, broken = _CHECKS[number], finding.broken
    lacking = ", ".join(name for name in check.needs or check.fields if name in cases.lacking)
    untested = f"no column is known as {lacking}: name it in a mapping, or declare it absent" if lacking else ""
    untested = untested or finding.untested
    status = FAILS if broken.any() else NOT_TESTED if untested else HOLDS
    return RuleResult(
        number,
        reading,
        _ASKS[number].format(k=k, people=PEOPLE_PER_K * k),
        status,
        int(cases.records[broken].sum()),
        len(set(cases.grouped(check.fields)[0][broken].tolist())),
        check.fields,
        _places(cases, broken, number) if number != 6 else "",
        untested,
        _REMEDIES[number] if status == FAILS else "",
    )


def _places(cases: CaseFile, broken: BoolArray, number: int) -> str:
    """Name the states or counties of the broken combinations, those with the most records first."""
    by_state = number in (1, 7, 8, 10)
    totals: dict[str, int] = {}
    for state, code, county, records in zip(
        cases.texts["state"][broken],
        cases.places[broken],
        cases.texts["county"][broken],
        cases.records[broken].tolist(),
        strict=True,
    ):
        name = county_names(POSTAL_OF_FIPS.get(code[:2], "")).get(code, county) if code else county
        place = (state or "no state") if by_state else f"{name or 'no county'} ({code or state or 'no state'})"
        totals[place] = totals.get(place, 0) + records
    ordered = sorted(totals, key=lambda place: (-totals[place], place))
    return "; ".join(ordered[:_MOST_PLACES]) + f" and {len(ordered) - _MOST_PLACES:,} more" * (
        len(ordered) > _MOST_PLACES
    )


def _combinations(cases: CaseFile, result: RuleResult, finding: _Finding) -> pd.DataFrame:
    columns = {
        name: [text.removeprefix(_UNREAD) for text in cases.texts[name][finding.broken]] for name in result.fields
    }
    rows = pd.DataFrame(columns | {name: values[finding.broken] for name, values in finding.beside.items()})
    rows["records"] = cases.records[finding.broken]
    keys = [name for name in rows if name != "records"]
    rows = rows.groupby(keys, sort=True, dropna=False)["records"].sum().reset_index()
    return rows.assign(rule=result.rule, reading=result.reading)


def _stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    names = ["rule", "reading", *FIELD_NAMES, "people", "cases", "same_values", "records"]
    whole = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    whole = whole.reindex(columns=[name for name in names if name in whole or name in ("rule", "reading", "records")])
    return whole.astype({name: "Int64" for name in ("people", "cases", "same_values") if name in whole})


# The checks, each in one reading.


class _RuleQuestion(NamedTuple):
    """What a check looks at: the file, the people, k, and the reading."""

    cases: CaseFile
    people: _People
    k: int
    reading: str

    @property
    def program(self) -> bool:
        return self.reading == "program"


class _Finding(NamedTuple):
    """Which combinations break a check, or why nobody can tell; ``beside`` names the numbers next to the limit."""

    broken: BoolArray
    untested: str = ""
    beside: Mapping[str, IntArray] = MappingProxyType({})


class _Check(NamedTuple):
    """A check, the fields whose values break it, and those that it cannot lack where these are others."""

    finding: Callable[[_RuleQuestion], _Finding]
    fields: tuple[str, ...]
    needs: tuple[str, ...] = ()


def _by_place(*names: str) -> Callable[[_RuleQuestion], _Finding]:
    def check(question: _RuleQuestion) -> _Finding:
        """In the program a record that hides a place also counts those that show one which agrees with the rest."""
        cases = question.cases
        _, records = cases.grouped(names)
        visible = np.stack([cases.shown(name) for name in names])
        whole = visible.all(axis=0)
        if not question.program:
            return _Finding((records < PLACE_RECORDS) & visible[-1])
        for pattern in np.unique(visible[:, ~whole], axis=1).T:
            group, _ = cases.grouped([name for name, held in zip(names, pattern, strict=True) if held])
            rows = (pattern == visible.T).all(axis=1)
            records[rows] += np.bincount(group, weights=cases.records * whole).astype(np.int64)[group[rows]]
        return _Finding(records < PLACE_RECORDS)

    return check


def _small_county(question: _RuleQuestion) -> _Finding:
    """The program takes a county that it cannot find for one of nobody."""
    numbers = np.array([question.people.group(place, "", "", "") for place in question.cases.places], dtype=np.int64)
    named, unknown = question.cases.shows_county, question.cases.shows_county & (numbers < 0)
    broken = named & (numbers < COUNTY_PEOPLE) & ((numbers >= 0) | question.program)
    why = f"counties of {question.cases.records[unknown].sum():,} records are not known" if unknown.any() else ""
    return _Finding(broken, why, {"people": numbers})


def _group_people(question: _RuleQuestion) -> IntArray:
    """Return the people who may have the place, sex, race and ethnicity of each combination; -1 if not known.

    The program takes a value that it does not know for a blank.
    """
    columns = [question.cases.texts[name] for name in PERSON]
    if question.program:
        columns = [np.array(["" if t.startswith(_UNREAD) else t for t in texts], dtype=object) for texts in columns]
    keys = list(zip(question.cases.places, *columns, strict=True))
    numbers = {key: question.people.group(*key) for key in set(keys)}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def _small_group(question: _RuleQuestion) -> _Finding:
    """The text asks about records that show a sex, race or ethnicity; the program about all that show a county."""
    cases, numbers = question.cases, _group_people(question)
    judged = cases.shows_county
    if not question.program:
        judged = judged & np.any([cases.shown(name) for name in PERSON], axis=0)
    return _judged(question, judged, numbers < PEOPLE_PER_K * question.k, {"people": numbers})


def _half_of_group(question: _RuleQuestion) -> _Finding:
    """Exactly one half breaks the program's rule, and not the text's."""
    cases, numbers = question.cases, _group_people(question)
    columns = [pd.factorize(cases.places)[0], *(cases.codes[name] for name in PERSON)]
    group, number = number_groups(columns, [int(column.max(initial=0)) for column in columns], len(numbers))
    records = np.bincount(group, weights=cases.records, minlength=number).astype(np.int64)[group]
    most = 2 * records >= numbers if question.program else 2 * records > numbers
    return _judged(question, cases.shows_county, most, {"people": numbers, "cases": records})


def _judged(question: _RuleQuestion, judged: BoolArray, over: BoolArray, beside: Mapping[str, IntArray]) -> _Finding:
    counted = beside["people"] >= 0
    unknown = question.cases.records[judged & ~counted].sum()
    why = f"no population has the county or the values of {unknown:,} records" if unknown else ""
    return _Finding(judged & counted & over, why, beside)


def _k_records(question: _RuleQuestion) -> _Finding:
    """A blank is a value in the text; in the program it agrees with every value."""
    stacked = np.stack([question.cases.codes[name] for name in ALL_FIELDS], axis=1).astype(np.int32)
    merged, group = Classes(ALL_FIELDS, stacked, question.cases.records, tuple(stacked.max(axis=0).tolist())).merged(
        range(len(ALL_FIELDS))
    )
    sizes = (agreeing(merged) if question.program else merged.sizes)[group]
    return _Finding(sizes < question.k, beside={"same_values": sizes})


def _linked(*names: str) -> Callable[[_RuleQuestion], _Finding]:
    """What hides the state shows none of these fields; for the program a hidden county hides its code too."""

    def check(question: _RuleQuestion) -> _Finding:
        cases = question.cases
        hidden = ~cases.shown("state")
        if names == ("county_code",) and question.program:
            hidden = hidden | ~cases.shown("county")
        return _Finding(hidden & np.any([cases.shown(name) for name in names], axis=0))

    return check


def _all_but_one(question: _RuleQuestion) -> _Finding:
    """Find states that show all counties but one.

    The program compares two numbers: counties of the census, and different counties of the records, even those of
    another state; it leaves out states that show none, and Washington, DC. The text asks whether a record that hides
    its county tells it.
    """
    cases, unclear, of_state = question.cases, list[str](), defaultdict[str, set[str]](set)
    broken: BoolArray = np.zeros(len(cases.records), dtype=np.bool_)
    for code in question.people.counties:
        of_state[POSTAL_OF_FIPS.get(code[:2], "")].add(code)
    for state, counties in sorted(of_state.items()):
        rows = cases.texts["state"] == state
        hidden = rows & ~cases.shows_county
        named = set(cases.places[rows & cases.shows_county])
        if question.program:
            broken |= rows & bool(state != "DC" and named and len(counties) - len(named) == 1)
        elif hidden.any() and "" in named:
            unclear.append(state)
        else:
            broken |= hidden & (len(counties - named) == 1)
    return _Finding(broken, f"counties of {', '.join(unclear)} are not known" if unclear else "")


_COUNTY = ("state", "county", "county_code")
_CHECKS: Mapping[int, _Check] = {
    1: _Check(_by_place("state"), ("state",)),
    2: _Check(_by_place("state", "county"), ("state", "county")),
    3: _Check(_small_county, _COUNTY, ("county",)),
    4: _Check(_small_group, (*_COUNTY, *PERSON), ("county", *PERSON)),
    5: _Check(_half_of_group, (*_COUNTY, *PERSON), ("county", *PERSON)),
    6: _Check(_k_records, ALL_FIELDS),
    7: _Check(_linked("county"), ("state", "county")),
    8: _Check(_linked("state_code", "county_code"), ("state", "state_code", "county_code")),
    9: _Check(_linked("county_code"), _COUNTY),
    10: _Check(_all_but_one, ("state",), ("state", "county")),
}
