"""CDC's ten checks of a file of case records, each as its text and as its program read it.

The checks are those of the COVID-19 case file with counties (``policy-sim table rules show cdc-geo``). A record shows a
value where the cell is not blank and does not say that nobody knows. ``text`` and ``program`` are two readings: where
they differ, both are in the answer.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from policy_sim.files.toml import shipped_table
from policy_sim.people.names import county_in_text, county_names
from policy_sim.people.population import ETHNICITIES, RACES, SEXES, Population
from policy_sim.records.blank_rows import blank_rows_text
from policy_sim.records.census_values import ColumnMapping, column_place, read_field
from policy_sim.records.classes import Classes, agreeing
from policy_sim.records.column_kinds import field_by_name, is_case_time
from policy_sim.records.formats import CodedColumn, CodedTable, header_of, read_coded, refuse_counts
from policy_sim.records.race_texts import race_text
from policy_sim.records.vocabularies import is_mark, name_words, plain
from policy_sim.words.arguments import choice, of_kind, one_path, one_state, several, text, whole_number
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS

PLACE_RECORDS = 1_000  # of a state or a county that records may name
COUNTY_PEOPLE = 20_000  # of a county that records may name
PEOPLE_PER_K = 20  # people of a group that records may name: 220 for k = 11
READINGS = ("text", "program")
HOLDS, FAILS, NOT_TESTED = "holds", "fails", "not tested"
_FACTS = shipped_table("disclosure_rules/checks/cdc-geo.toml")
FIELD_NAMES: Mapping[str, Sequence[str]] = _FACTS["columns"]
PERSON = ("sex", "race", "ethnicity")
_UNKNOWN = frozenset({"missing", "unknown", "unk", "suppressed", "hidden", "redacted", "not reported", "not stated"})
_OTHERS = frozenset({"multiple other", "other multiple", "multiple or other"})
_BY_WORDS = ("age", "county", "ethnicity", "race", "sex", "state")  # fields that other words may name
_UNREAD = "\0"  # before a value of sex, race or ethnicity that no census has
_MOST_PLACES = 5  # named in a row


@dataclass(frozen=True, eq=False)
class CaseCheck:
    """The ten checks of one file.

    Attributes
    ----------
    results : One row per check and reading (``both`` where they agree): records and combinations of values that break
        it, and ``places``, which names counties or states, never a record.
    combinations : The values that break a check, one row per check, reading and combination, with its records.
    notes : How the columns were read, and whose people the file is compared with.
    """

    results: pd.DataFrame
    combinations: pd.DataFrame
    notes: tuple[str, ...]
    records: int

    def having(self, status: str) -> tuple[int, ...]:
        """Return the numbers of the checks that have a status in some reading."""
        return tuple(sorted(set(self.results.loc[self.results["status"] == status, "rule"])))

    @property
    def verdict(self) -> str:
        """One sentence: a check that was not tested is never counted as one that holds."""
        failed, untested = (", ".join(map(str, self.having(status))) for status in (FAILS, NOT_TESTED))
        parts = [f"fails {failed}"] * bool(failed) + [f"not tested {untested}"] * bool(untested)
        word = "FAILS" if failed else "NOT ALL TESTED" if untested else "PASSES"
        rest = f"rules of CDC's ten: {'; '.join(parts)}" if parts else "all of CDC's ten rules are met"
        return f"{word}: {rest} ({self.records:,} records)."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check and reading."""
        return self.results


@dataclass(frozen=True, eq=False)
class CaseFile:
    """Combinations of the ten fields: a row has the text of each, blank where hidden, and how many ``records``."""

    rows: pd.DataFrame
    lacking: tuple[str, ...]  # fields that neither the file nor the caller explains
    notes: tuple[str, ...] = ()

    @cached_property
    def records(self) -> IntArray:
        """How many records have each combination."""
        return self.rows["records"].to_numpy(dtype=np.int64)

    def shown(self, *names: str) -> BoolArray:
        """Tell which combinations show one of these fields."""
        return np.asarray((self.rows[list(names)] != "").any(axis=1))

    def alike(self, columns: Sequence[Any], counted: BoolArray | None = None) -> IntArray:
        """Return how many records agree with each combination on some columns, of all or of those to be counted."""
        records = pd.Series(self.records if counted is None else self.records * counted)
        of = records.groupby(list(columns)).transform("sum") if columns else records.map(lambda _: records.sum())
        return of.to_numpy(dtype=np.int64)

    @cached_property
    def places(self) -> pd.Series[Any]:
        """The county's five-digit code of each combination; empty where no county is shown or none is recognized."""
        places = self.rows[["state", "county"]].drop_duplicates()
        codes = {
            (state, name): (name and county_in_text(name, state)) or ""
            for state, name in places.itertuples(index=False)
        }
        by_name = [codes[pair] for pair in zip(self.rows["state"], self.rows["county"], strict=True)]
        return self.rows["county_code"].where(self.shown("county_code"), pd.Series(by_name))

    @property
    def shows_county(self) -> BoolArray:
        """Which combinations show a county, by name or by code."""
        return self.shown("county", "county_code")


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
        raise InputError(
            f"{path}: {name} is given as absent, but column {columns[name]!r} has it. Remove one of the two."
        )
    blank = len(header_of(path, mapping.separator or "", mapping.sheet).blank)
    coded, notes = {}, [blank_rows_text(blank)] * bool(blank)
    notes += [f"columns: {', '.join(f'{column} as {name}' for name, column in columns.items())}"]
    for name, column in columns.items():
        coded[name] = _read(name, table[column], mapping)
        unread = sum(value.startswith(_UNREAD) for value in coded[name].cat.categories)
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
            f"a mapping ({ask('mapping')}; [fields.county] column = ...), or list county and county_code in "
            f"{ask('absent')}."
        )
    rows = pd.DataFrame(coded).groupby(list(coded), observed=True).size().reset_index(name="records")
    rows = rows.astype(dict.fromkeys(coded, object)).reindex(columns=[*FIELD_NAMES, "records"], fill_value="")
    return CaseFile(rows, lacking, tuple(notes))


def _states_of(counties: pd.Series[Any], whole: str, where: str) -> pd.Series[Any]:
    """Return the state of each record: that of its county, or where it says none, the one named or the only one."""
    codes_of = {text: (text and county_in_text(text, whole)) or "" for text in counties.unique()}
    states = {text: POSTAL_OF_FIPS.get(code[:2], "") for text, code in codes_of.items()}
    codes = set(states.values()) - {""}
    if not whole and not codes:
        raise InputError(
            f"{where}: counties by name need their state. Add {ask('state', 'OH')}, or a column of states."
        )
    only = whole or (codes.pop() if len(codes) == 1 else "")
    return counties.map(lambda text: states.get(text) or only).astype("category")


def _columns(table: CodedTable, mapping: ColumnMapping, where: str) -> dict[str, str]:
    """Return the column of each field: the one of the mapping, or the only one with a usual name."""
    columns: dict[str, str] = {}
    for name, usual in FIELD_NAMES.items():
        entry = mapping.entry(name) or (mapping.entry("gender") if name == "sex" else None)
        if entry:
            columns[name] = table.names[column_place(where, entry.column, table.names)]
            continue
        held = [column for column in table.names if name_words(column) in usual]
        held = held or [column for column in table.names if _says_field(name, name_words(column))]
        if len(held) > 1:
            raise InputError(f"{where}: {name} may be column {' or '.join(map(repr, held))}. Say which in a mapping.")
        columns |= dict.fromkeys([name], held[0]) if held else {}
    return columns


def _says_field(name: str, column: str) -> bool:
    """Whether the name of a column says by other words that it holds a field, as ``dataset`` reads names."""
    return is_case_time(column) if name == "month" else name in _BY_WORDS and field_by_name(column) == name


def _read(name: str, column: CodedColumn, mapping: ColumnMapping) -> pd.Series[Any]:
    """Return a column with one text per meaning, blank where nothing is known."""
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
    whole = column.relabeled(["", *labels])
    return pd.Series(pd.Categorical.from_codes(whole.codes, pd.Index(["", *whole.values])))  # noqa: PD011


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

    def group(self, place: str, sex: str = "", race: str = "", ethnicity: str = "") -> int:
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
    """Put CDC's ten checks, each by the text and by the program, to a file that :func:`read_cases` has read.

    ``k`` records (2 to 1,000) must share all values, and 20 times as many people, such as those of ``us-2020``, must
    share place, sex, race and ethnicity. A check whose fields are not known, or which needs the people of a county or
    of a value that no census has, is ``not tested`` unless other records break it.
    """
    of_kind("cases", cases, CaseFile, "what read_cases returns")
    of_kind("population", population, Population, "a Population, such as Study('us-2020').population")
    k, origin = whole_number("k", k, 2, 1000), text("origin", origin)
    states = {*cases.rows["state"], *(POSTAL_OF_FIPS.get(code[:2], "") for code in cases.places)}
    people = _People.of(population, sorted(states - {""}))
    results, frames = list[dict[str, object]](), list[pd.DataFrame]()
    for number, check in enumerate(_CHECKS, 1):
        findings = [check(_RuleQuestion(cases, people, k, reading == "program")) for reading in READINGS]
        rows = [_result(cases, number, finding, k) for finding in findings]
        readings = ("both",) if rows[0] == rows[1] else READINGS
        for reading, finding, row in zip(readings, findings, rows, strict=False):
            results.append({"rule": number, "reading": reading, **row})
            frames += [_combinations(cases, number, reading, finding)] * bool(row["records"])
    notes = (*cases.notes, f"people: {origin or population.provenance.describe(sorted(states - {''}))}")
    return CaseCheck(pd.DataFrame(results), _stacked(frames), notes, int(cases.records.sum()))


def _result(cases: CaseFile, number: int, finding: _Finding, k: int) -> dict[str, object]:
    facts, broken = _FACTS["check"][number - 1], finding.broken
    lacking = ", ".join(name for name in facts.get("needs", facts["fields"]) if name in cases.lacking)
    untested = (
        f"no column is known as {lacking}: name it in a mapping, or list it in {ask('absent')}" if lacking else ""
    )
    untested = untested or finding.untested
    status = FAILS if broken.any() else NOT_TESTED if untested else HOLDS
    return {
        "asks": facts["asks"].format(k=k, people=PEOPLE_PER_K * k),
        "status": status,
        "records": int(cases.records[broken].sum()),
        "combinations": len(cases.rows.loc[broken, facts["fields"]].drop_duplicates()),
        "fields": ",".join(facts["fields"]),
        "places": _places(cases, broken, number) if number != 6 else "",
        "reason": untested,
        "remedy": facts["remedy"] if status == FAILS else "",
    }


def _places(cases: CaseFile, broken: BoolArray, number: int) -> str:
    """Name the states or counties of the broken combinations, those with the most records first."""
    by_state = number in (1, 7, 8, 10)
    totals: dict[str, int] = defaultdict(int)
    rows = cases.rows[broken].assign(code=cases.places[broken])
    for state, code, county, records in rows[["state", "code", "county", "records"]].itertuples(index=False):
        name = county_names(POSTAL_OF_FIPS.get(code[:2], "")).get(code, county) if code else county
        place = (state or "no state") if by_state else f"{name or 'no county'} ({code or state or 'no state'})"
        totals[place] += records
    ordered = sorted(totals, key=lambda place: (-totals[place], place))
    more = f" and {len(ordered) - _MOST_PLACES:,} more" * (len(ordered) > _MOST_PLACES)
    return "; ".join(ordered[:_MOST_PLACES]) + more


def _combinations(cases: CaseFile, number: int, reading: str, finding: _Finding) -> pd.DataFrame:
    rows = cases.rows[_FACTS["check"][number - 1]["fields"]].replace(f"^{_UNREAD}", "", regex=True)
    rows = rows.assign(**finding.beside)[finding.broken]
    of = pd.Series(cases.records[finding.broken], rows.index, name="records")
    summed = of.groupby([rows[name] for name in rows], dropna=False).sum().reset_index()
    return summed.assign(rule=number, reading=reading)


def _stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    names = ["rule", "reading", *FIELD_NAMES, "people", "cases", "same_values", "records"]
    whole = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["rule", "reading", "records"])
    whole = whole[[name for name in names if name in whole]]
    return whole.astype({name: "Int64" for name in ("people", "cases", "same_values") if name in whole})


# The checks, each in one reading.


class _RuleQuestion(NamedTuple):
    """What a check looks at: the file, the people, k, and whether it reads as the program does."""

    cases: CaseFile
    people: _People
    k: int
    program: bool


class _Finding(NamedTuple):
    """Which combinations break a check, or why nobody can tell; ``beside`` names the numbers next to the limit."""

    broken: BoolArray
    untested: str = ""
    beside: Mapping[str, IntArray] = MappingProxyType({})


def _by_place(*names: str) -> Callable[[_RuleQuestion], _Finding]:
    def check(question: _RuleQuestion) -> _Finding:
        """In the program a record that hides a place also counts those that show one which agrees with the rest."""
        cases = question.cases
        records = cases.alike([cases.rows[name] for name in names])
        visible = np.stack([cases.shown(name) for name in names])
        whole = np.asarray(visible.all(axis=0))
        if not question.program:
            return _Finding((records < PLACE_RECORDS) & visible[-1])
        for pattern in np.unique(visible[:, ~whole], axis=1).T:
            held = [cases.rows[name] for name, is_held in zip(names, pattern, strict=True) if is_held]
            records = records + cases.alike(held, whole) * (pattern == visible.T).all(axis=1)
        return _Finding(records < PLACE_RECORDS)

    return check


def _small_county(question: _RuleQuestion) -> _Finding:
    """The program takes a county that it cannot find for one of nobody."""
    numbers = np.array([question.people.group(place) for place in question.cases.places], dtype=np.int64)
    named, unknown = question.cases.shows_county, question.cases.shows_county & (numbers < 0)
    broken = named & (numbers < COUNTY_PEOPLE) & ((numbers >= 0) | question.program)
    why = f"counties of {question.cases.records[unknown].sum():,} records are not known" if unknown.any() else ""
    return _Finding(broken, why, {"people": numbers})


def _group_people(question: _RuleQuestion) -> IntArray:
    """Return the people who may have the place, sex, race and ethnicity of each combination; -1 if not known.

    The program takes a value that it does not know for a blank.
    """
    values = question.cases.rows[list(PERSON)]
    values = values.replace(f"^{_UNREAD}.*", "", regex=True) if question.program else values
    keys = list(zip(question.cases.places, *(values[name] for name in PERSON), strict=True))
    numbers = {key: question.people.group(*key) for key in set(keys)}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def _small_group(question: _RuleQuestion) -> _Finding:
    """The text asks about records that show a sex, race or ethnicity; the program about all that show a county."""
    numbers, judged = _group_people(question), question.cases.shows_county
    judged = judged if question.program else judged & question.cases.shown(*PERSON)
    return _judged(question, judged, numbers < PEOPLE_PER_K * question.k, {"people": numbers})


def _half_of_group(question: _RuleQuestion) -> _Finding:
    """Exactly one half breaks the program's rule, and not the text's."""
    cases, numbers = question.cases, _group_people(question)
    records = cases.alike([cases.places, *(cases.rows[name] for name in PERSON)])
    most = 2 * records >= numbers if question.program else 2 * records > numbers
    return _judged(question, cases.shows_county, most, {"people": numbers, "cases": records})


def _judged(question: _RuleQuestion, judged: BoolArray, over: BoolArray, beside: Mapping[str, IntArray]) -> _Finding:
    counted = beside["people"] >= 0
    unknown = question.cases.records[judged & ~counted].sum()
    why = f"no population has the county or the values of {unknown:,} records" if unknown else ""
    return _Finding(judged & counted & over, why, beside)


def _k_records(question: _RuleQuestion) -> _Finding:
    """A blank is a value in the text; in the program it agrees with every value."""
    fields = _FACTS["check"][5]["fields"]
    codes = np.stack([CodedColumn.of(question.cases.rows[name]).codes for name in fields], axis=1)
    classes = Classes(tuple(fields), codes, question.cases.records, tuple(codes.max(axis=0).tolist()))
    merged, group = classes.merged(range(len(fields)))
    sizes = (agreeing(merged) if question.program else merged.sizes)[group]
    return _Finding(sizes < question.k, beside={"same_values": sizes})


def _linked(*names: str) -> Callable[[_RuleQuestion], _Finding]:
    """What hides the state shows none of these fields; for the program a hidden county hides its code too."""

    def check(question: _RuleQuestion) -> _Finding:
        hidden = ~question.cases.shown("state")
        if names == ("county_code",) and question.program:
            hidden = hidden | ~question.cases.shown("county")
        return _Finding(hidden & question.cases.shown(*names))

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
        rows = (cases.rows["state"] == state).to_numpy()
        hidden = rows & ~cases.shows_county
        named = set(cases.places[rows & cases.shows_county])
        if question.program:
            broken |= rows & bool(state != "DC" and named and len(counties) - len(named) == 1)
        elif hidden.any() and "" in named:
            unclear.append(state)
        else:
            broken |= hidden & (len(counties - named) == 1)
    return _Finding(broken, f"counties of {', '.join(unclear)} are not known" if unclear else "")


_CHECKS = (
    *(_by_place("state"), _by_place("state", "county"), _small_county, _small_group, _half_of_group, _k_records),
    *(_linked("county"), _linked("state_code", "county_code"), _linked("county_code"), _all_but_one),
)
