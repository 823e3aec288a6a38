"""A voter list counted: its records alone with their values and in small groups, next to what the model expects.

Only counts leave this module. Of a record there are codes while it is counted, and nothing after.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from policy_sim.attackers.coverage import Coverage
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.formulas.histogram import number_combinations
from policy_sim.model.measuring import Job, Measuring, part_of
from policy_sim.people.names import county_in_text
from policy_sim.people.places import able_to_show, has_place
from policy_sim.people.population import AnyPopulation
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.records.census_values import ColumnMapping, file_granularities, known_field, read_field, seen_fields
from policy_sim.records.classes import Classes
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities

SMALL = 20  # records that share their values are a small group up to this number
LIST_FIELDS = ("birth_date", "birth_year", "age", "sex", "race", "race_ethnicity", "county", "zip5")
_BIRTHS = {"date": ("date", "month", "year"), "month": ("month", "year"), "year": ("year",)}
_PLACES = {
    "county": ("state", "county"),
    "zip3": ("state", "zip3"),
    "zip5": ("state", "zip3", "zip5"),
    "county_zip3": ("state", "county", "zip3", "county_zip3"),
    "county_zip5": ("state", "county", "zip3", "zip5", "county_zip5"),
}
_COLUMNS = ("alone", "small", "values")  # records alone, in small groups, and the small groups


class SmallGroups(NamedTuple):
    """Records alone with their values, records in groups of up to :data:`SMALL`, and how many such groups there are."""

    alone: float
    small: float
    values: float

    @classmethod
    def of_sizes(cls, sizes: FloatArray) -> SmallGroups:
        """Count the groups of a list, given the records of each."""
        few = sizes[sizes <= SMALL]
        return cls(float((sizes == 1).sum()), float(few.sum()), float(len(few)))

    @classmethod
    def of_steps(cls, upto: FloatArray) -> SmallGroups:
        """Do it from the expected records in groups of 1, 2, ... or fewer; shape (SMALL,)."""
        exactly = np.diff(upto, prepend=0.0)
        return cls(float(upto[0]), float(upto[-1]), float((exactly / np.arange(1, SMALL + 1)).sum()))


@dataclass(frozen=True, eq=False)
class ListColumns:
    """A list as codes: for each field and how finely it is seen, the value of each class of records, -1 for none.

    ``sizes``: records of each class. ``view``: how finely the list shows each field. ``unread``: records of which a
    field is missing or not understood, by field.
    """

    codes: Mapping[tuple[Field, str], IntArray]
    sizes: IntArray
    view: Granularities
    unread: Mapping[str, int]

    @classmethod
    def of(
        cls, classes: Classes, values: Mapping[str, Sequence[str]], mapping: ColumnMapping, state: str
    ) -> ListColumns:
        """Read the values of each field as ``dataset`` does, and give each class its codes."""
        fields = seen_fields(classes.fields, mapping, values.__getitem__)
        has_zip = any(known_field(name) == "zip5" for name in fields)
        of_one_place = [name for name in fields if not (has_zip and known_field(name) == "county")]
        view = file_granularities(of_one_place, mapping.fields, has_state=True)
        if len(of_one_place) < len(fields):
            view = Granularities({field.value: name for field, name in view.items()} | {"geography": "county_zip5"})
        codes: dict[tuple[Field, str], IntArray] = {}
        unread: dict[str, int] = {}
        for at, name in enumerate(classes.fields):
            for where, meanings in _seen(name, _meanings(name, values[name], mapping, state), view):
                codes[where] = _coded(meanings)[classes.codes[:, at]]
                unread[name] = int(classes.sizes[codes[where] < 0].sum())
        return cls(codes, classes.sizes.astype(np.int64), view, unread)

    def every_key(self) -> Iterator[Granularities]:
        """Yield every key that the list allows: each place, with births and with or without sex and race."""
        birth, place = self.view[Field.BIRTH], self.view[Field.GEOGRAPHY]
        if birth not in _BIRTHS:
            raise InputError("a list is measured by birth_date, birth_year or age: map the column of one.")
        sexes, races = (dict.fromkeys(("none", self.view[field])) for field in (Field.GENDER, Field.RACE))
        for geography, born, sex, race in product(_PLACES.get(place, ("state",)), _BIRTHS[birth], sexes, races):
            yield Granularities(gender=sex, race=race, birth=born, geography=geography)

    def counted(self, key: Granularities) -> tuple[SmallGroups, int]:
        """Return the small groups of a key, and the records that have all of its values."""
        columns = [self.codes[where] for where in _parts(key)]
        held = np.all([column >= 0 for column in columns], axis=0)
        if not held.any():
            return SmallGroups(0.0, 0.0, 0.0), 0
        group = number_combinations([column[held] for column in columns])
        sizes: FloatArray = np.bincount(group, weights=self.sizes[held]).astype(np.float64)
        return SmallGroups.of_sizes(sizes[sizes > 0]), int(self.sizes[held].sum())


def _parts(key: Granularities) -> Iterator[tuple[Field, str]]:
    """The columns that a key reads: a place of two kinds is two."""
    for field in (Field.GENDER, Field.RACE, Field.BIRTH):
        if key[field] != "none":
            yield field, key[field]
    for place in key[Field.GEOGRAPHY].split("_"):
        if place != "state":
            yield Field.GEOGRAPHY, place


def _meanings(name: str, texts: Sequence[str], mapping: ColumnMapping, state: str) -> list[Any]:
    column = mapping.column(name)
    if known_field(name) == "county":
        return [county_in_text(column.codes.get(text, text), state) for text in texts]
    return list(read_field(name, column, texts).meanings)


def _seen(name: str, meanings: list[Any], view: Granularities) -> Iterator[tuple[tuple[Field, str], list[Any]]]:
    """Yield what a field shows, and each coarser form of it."""
    field = known_field(name)
    if field == "sex":
        yield (Field.GENDER, "value"), meanings
    elif field in ("race", "race_ethnicity"):
        yield (Field.RACE, view[Field.RACE]), meanings
    elif field in ("birth_date", "birth_year", "age"):
        dates = [born if isinstance(born, dt.date) else None for born in meanings]
        if view[Field.BIRTH] == "date":
            yield (Field.BIRTH, "date"), dates
            yield (Field.BIRTH, "month"), [born and (born.year, born.month) for born in dates]
        years = [born.year if isinstance(born, dt.date) else born for born in meanings]
        yield (Field.BIRTH, "year"), years
    elif field == "county":
        yield (Field.GEOGRAPHY, "county"), meanings
    elif field == "zip5":
        yield (Field.GEOGRAPHY, "zip5"), meanings
        yield (Field.GEOGRAPHY, "zip3"), [code and str(code)[:3] for code in meanings]


def _coded(meanings: Sequence[Any]) -> IntArray:
    """Return the code of each value by its place, after that of a missing one."""
    number: dict[Any, int] = {None: -1}
    return np.array([-1, *(number.setdefault(meaning, len(number) - 1) for meaning in meanings)], dtype=np.int64)


def expected_groups(
    population: AnyPopulation, state: str, key: Granularities, coverage: Coverage, days_per_year: float
) -> SmallGroups:
    """Return the small groups that the model expects among all records of a state's list.

    The model has the listed residents in groups of so many entries or fewer; stale records are spread as these are, so
    that their shares are the same.
    """
    people = able_to_show(part_of(population, [state]), [key])

    def upto(groups: AnyGroups, chances: Chances) -> FloatArray:
        return chances.g_distinct(groups, range(1, SMALL + 1))

    job = Job((key, NO_CONDITIONS, coverage), (state,), None)
    (listed,) = Measuring(people, upto, "", days_per_year, None).rows(job).values()
    return SmallGroups.of_steps(listed * _records_per_listed(people, state, coverage))


def expected_range(
    population: AnyPopulation, state: str, key: Granularities, coverage: Coverage, days_per_year: float
) -> tuple[SmallGroups, SmallGroups, SmallGroups]:
    """Return the small groups that the model expects, and the least and most of each over what is assumed of a list."""
    people = part_of(population, [state])
    ends = [
        expected_groups(people, state, key, each, days_per_year)
        for each in (coverage, *coverage.alternatives(people, state))
    ]
    least, most = (SmallGroups(*map(end, zip(*ends, strict=True))) for end in (min, max))
    return ends[0], least, most


def _records_per_listed(people: AnyPopulation, state: str, coverage: Coverage) -> float:
    adults = people.of_age(*coverage.ages_in(people)).people_by_state()[state]
    listed = float(coverage.shares(people, [state])[0]) * adults
    return coverage.records(people)[state] / listed if listed else 1.0


def measured_rows(
    columns: ListColumns, population: AnyPopulation, state: str, coverage: Coverage, days_per_year: float
) -> pd.DataFrame:
    """Return one row a key: what was counted, what the model expects, and its range over what is assumed of a list.

    Columns: ``key``; ``records`` that have its values, and ``records_expected``; of ``alone``, ``small`` and ``values``
    the count, and ``_expected``, ``_low`` and ``_high``.
    """
    rows = []
    whole = coverage.records(part_of(population, [state]))[state]
    for key in columns.every_key():
        counted, records = columns.counted(key)
        row: dict[str, Any] = {
            "key": str(key),
            "records": records,
            "records_expected": whole,
        }
        can_show = has_place(population, key[Field.GEOGRAPHY])
        ends = expected_range(population, state, key, coverage, days_per_year) if can_show else None
        for place, name in enumerate(_COLUMNS):
            row[name] = int(counted[place])
            for number, end in enumerate(("expected", "low", "high")):
                row[f"{name}_{end}"] = ends[number][place] if ends else None
        rows.append(row)
    table = pd.DataFrame(rows)
    kinds = {name: "Int64" if name in ("records", *_COLUMNS) else "Float64" for name in table}
    return table.astype(kinds | {"key": "string"})


# What to send back: ten counts, those first that tell most of where the model is right or wrong.
_TEN = (
    ("birth=date+geography=state", ("alone", "values")),
    ("gender+birth=date+geography=state", ("alone", "values")),
    ("birth=date+geography=county", ("alone", "small")),
    ("birth=date+geography=zip5", ("alone", "small")),
    ("gender+birth=date+geography=county_zip5", ("alone",)),
    ("gender+birth=year+geography=zip3", ("alone", "small")),
    ("birth=month+geography=county", ("alone", "small")),
    ("birth=year+geography=county", ("alone", "small")),
    ("birth=year+geography=state", ("alone", "small")),
)


def ten_counts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return at most ten counts with what was expected: ``key``, ``count_of``, ``counted``, ``expected``, ends."""
    by_key: dict[Any, dict[Any, Any]] = rows.set_index("key").to_dict("index")
    most = max(by_key.values(), key=lambda row: int(row["records"]))
    first = [("", "records", most["records"], *[most["records_expected"]] * 3)]
    counts = [
        (key, name, *(by_key[key][f"{name}{end}"] for end in ("", "_expected", "_low", "_high")))
        for key, names in _TEN
        if key in by_key
        for name in names
    ]
    return pd.DataFrame([*first, *counts][:10], columns=["key", "count_of", "counted", "expected", "low", "high"])
