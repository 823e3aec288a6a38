"""Cells merged by a linkage key inside an engine: the queries, and the whole numbers that come out."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from policy_sim.files.writing import sha256_of
from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.groups import Groups
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.people.by_name import own_provenance
from policy_sim.people.county_tables import Listing
from policy_sim.people.merge import MergeKey, age_classes
from policy_sim.people.places import compared_kinds
from policy_sim.people.population import (
    CATEGORIES,
    CLOSED,
    COLUMNS,
    NUMBERS,
    OPTIONAL_COLUMNS,
    Population,
    Provenance,
    check_states,
)
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.records.engines.engine import Engine
from policy_sim.records.engines.expressions import Table, holds, one_of, quoted
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.records.engines.sources import kind_of
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError, SchemaError
from policy_sim.words.fields import Field, Granularities, RaceComparison, census_views, race_comparison
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_Number = TypeVar("_Number", np.int64, np.float64)


_RELEASED = "released"  # of the candidates of a record, which cells are of its class: 1, else 0


# What adds up over the people of a group on a list, besides the people.
_ENTRIES = ("listed", "squared", "stale")
_DIGITS = 12  # behind the point, that sums of chances keep: groups of the same people in any order are alike


def counted_groups(cells: Table, ages: Table, key: Granularities, states: Sequence[str]) -> Table:
    """Return how many groups there are of each state, class of age, people and own people.

    ``own`` people of a group live in the state and are released. Groups on a list have also sums of :data:`_ENTRIES`,
    rounded so that groups of the same people are one kind, whatever the order in which the engine added them up.
    """
    query = f"SELECT * FROM {cells} AS cells JOIN {ages} AS ages ON age = of_age AND age_width = of_width"
    classed = Table(query, {**cells.kinds, **ages.kinds})
    parts = ["age_class", *(name for name in cells.columns if name.startswith("part"))]
    released = f" * {_RELEASED}" if _RELEASED in cells.columns else ""
    entries = [name for name in _ENTRIES if name in cells.columns]
    sums = {"everyone": _whole("people"), **{f"all_{name}": f"ROUND(SUM({name}), {_DIGITS})" for name in entries}}
    own = {"own": _whole(f"people{released}")}
    if entries:
        own["own_listed"] = f"ROUND(SUM(listed{released}), {_DIGITS})"
    ours = classed.filter(one_of("state", states))
    if key[Field.GEOGRAPHY] == "nation":  # a group has also the people of all other states who show the same
        in_state, everyone = ours.grouped("state", *parts, **own), classed.grouped(*parts, **sums)
        query = f"SELECT * FROM {in_state} AS ours JOIN {everyone} AS nation USING ({', '.join(parts)})"
        groups = Table(query, {**in_state.kinds, **everyone.kinds})
    else:
        groups = ours.grouped("state", *parts, **sums, **own)
    every = {name: f"all_{name}" for name in entries}
    kinds = groups.filter("own > 0").select("state", "age_class", *own, people="everyone", **every)
    return kinds.grouped("state", "age_class", "people", *entries, *own, number="COUNT(*)")


def _whole(number: str) -> str:
    return f"CAST(SUM({number}) AS BIGINT)"


# A population too large for memory, merged by a linkage key where it lies.
#
# The engine adds up the cells and returns only how many groups there are of each kind: a census of
# three hundred million block cells comes down to some thousand rows. What follows is the same as for a
# population in memory (:mod:`policy_sim.people.merge`).


@dataclass(frozen=True, eq=False)
class EnginePopulation:
    """Counted people whose cells stay in the engine (:class:`~policy_sim.people.population.PeopleElsewhere`).

    ``by_county`` has the same people as ``cells``, without places finer than a county.
    """

    engine: Engine
    location: str
    cells: Table = field(repr=False)
    by_county: Table = field(repr=False)
    provenance: Provenance

    @property
    def name(self) -> str:
        """The name by which the population is called: that of its file."""
        return self.provenance.name

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""
        return tuple(self._by_state)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish."""
        return tuple(self.cells.columns)

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""
        return {state: people for state, (people, _) in self._by_state.items()}

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state; empty where the file has no counties."""
        return {state: number for state, (_, number) in self._by_state.items() if number}

    def of_age(self, least_age: int, most_age: int | None = None) -> EnginePopulation:
        """Return the part that is ``least_age`` years old or older, up to ``most_age``, by the lower age of cells."""
        ages = [f"age >= {least_age}", *([] if most_age is None else [f"age <= {most_age}"])]
        return replace(self, cells=self.cells.filter(*ages), by_county=self.by_county.filter(*ages))

    def merge(self, merged_by: MergeKey) -> Groups | ListedGroups | AddedGroups:
        """Return the groups of a linkage key, as :func:`policy_sim.people.merge.merge` does in memory."""
        key, names, days_per_year, conditions, listing = merged_by[:5]
        comparison = race_comparison(key)
        if comparison is not None:
            judged = self._judged(conditions, key)
            without_race = merged_by._replace(key=key.replace(race="none"), conditions=judged)
            of_classes = tuple(part.merge(without_race) for part in self._compared(comparison, key))
            return AddedGroups(of_classes, overlap=True)
        check_states(self, names)
        with self.engine.plainly(self.location):
            self.engine.progress("merging the cells by the linkage key")
            coarse = key[Field.GEOGRAPHY] in ("nation", "state", "county") and conditions.small_places is None
            cells = self.by_county if coarse else self.cells
            kinds = self.engine.fetch(Table(f"SELECT DISTINCT age, age_width FROM {cells} ORDER BY age, age_width", {}))
            # kinds of age are a hundred or so, however many cells: the rule is applied to them in memory
            age, width = _columns(kinds, ("age", "age_width"), np.int64)
            seen = age_classes(age, width, key[Field.BIRTH], days_per_year, conditions.top_age, conditions.shift_days)
            classes, place = np.unique(np.column_stack(seen), axis=0, return_inverse=True)
            ages = self.engine.hold({"of_age": age, "of_width": width, "age_class": place.reshape(-1)})
            if listing is not None:
                cells = self._with_entries(cells, kinds.to_pandas(), listing)
            merged = self.engine.fetch(counted_groups(self._visible(cells, key, conditions), ages, key, names))
        return _groups(merged, classes[:, 1].astype(np.float64), names)

    def _with_entries(self, cells: Table, kinds: pd.DataFrame, listing: Listing) -> Table:
        """Return the cells with listed people, squares of chances and stale records, as :data:`_ENTRIES`.

        Chances by county and kind of age are a small table, which the engine joins to the cells.
        """
        chance, kind, stale = listing.of_kinds(kinds, listing.county)
        many = len(listing.county)
        chances = self.engine.hold(
            {
                "in_county": np.tile(np.array(listing.county, dtype=object), len(kinds)),
                "of_age": np.repeat(kinds["age"].to_numpy(np.int64), many),
                "of_width": np.repeat(kinds["age_width"].to_numpy(np.int64), many),
                "chance": chance[kind].ravel(),
                "no_longer": np.tile(stale, len(kinds)),
            }
        )
        same = "county = in_county AND age = of_age AND age_width = of_width"
        joined = Table(f"SELECT * FROM {cells} AS cells JOIN {chances} AS chances ON {same}", cells.kinds)
        entries = ("people * chance", "people * chance * chance", "people * chance * no_longer")
        return joined.select(*cells.columns, **dict(zip(_ENTRIES, entries, strict=True)))

    def _visible(self, cells: Table, key: Granularities, conditions: Conditions) -> Table:
        """Return the cells with what the key shows of place, sex and race as ``part0``, ``part1``, ..."""
        parts: list[str] = []
        if key[Field.GEOGRAPHY] not in ("nation", "state"):
            place, small = self._place(key[Field.GEOGRAPHY]), conditions.small_places
            if small is not None:  # all small places are one
                hidden = one_of(self._place(small.place), sorted(self._small_names(small)))
                place = f"CASE WHEN {hidden} THEN '' ELSE {place} END"
            parts.append(place)
        for view in census_views(key).values():
            self._check_columns(view.columns, key)
            seen = view.column
            if view.classes:
                first = {quoted(name): quoted(together[0]) for together in view.classes for name in together}
                whens = " ".join(f"WHEN {name} THEN {label}" for name, label in first.items())
                seen = f"CASE {view.column} {whens} ELSE '' END"
            if view.apart:  # no value of a race is the name of a column
                column, value = view.apart
                seen = f"CASE WHEN {column} = {quoted(value)} THEN {quoted(f'{column}=')} ELSE {seen} END"
            parts.append(seen)
        added = [column for column in (_RELEASED, *_ENTRIES) if column in cells.columns]
        columns = ("state", "age", "age_width", "people", *added)
        return cells.select(*columns, **{f"part{at}": part for at, part in enumerate(parts)})

    def _check_columns(self, needed: Iterable[str], key: Granularities) -> None:
        for column in set(needed) - set(self.columns):
            raise InputError(
                f"population {self.name} has no {column}, but the linkage key {key} needs it. Choose a policy without "
                "it or a population with it."
            )

    def _place(self, place: str) -> str:
        if place in self.columns:
            return place
        if place == "zip3" and "zip5" in self.columns:
            return "SUBSTRING(zip5, 1, 3)"
        area = place.removeprefix("county_")
        if area != place and "county" in self.columns and {area, "zip5"} & set(self.columns):
            return f"(county || '/' || {self._place(area)})"
        raise InputError(
            f"population {self.name} has no {place.replace('county_', 'county with ')}, but a policy by {place} needs "
            f"it. Choose a policy without it or a population with it."
        )

    def _small_names(self, small: SmallPlaces) -> frozenset[str]:
        """Return the small places: those listed, or those of few people."""
        if small.listed is not None:
            return small.listed
        sums = self.cells.select("people", place=self._place(small.place))
        sums = sums.grouped("place", sum_of_people=_whole("people"))
        few = self.engine.fetch(sums.filter(f"sum_of_people <= {small.most}").select("place"))
        return frozenset(few["place"].to_pylist())

    @cached_property
    def county_population(self) -> Population | None:
        """The people by county and age alone, in memory; None where the file has no counties."""
        if "county" not in self.columns:
            return None
        columns = ("state", "county", "age", "age_width")
        kinds = self.by_county.filter("people > 0").grouped(*columns, people=_whole("people"))
        with self.engine.plainly(self.location):
            self.engine.progress("counting the people of each county by age")
            table = self.engine.fetch(kinds)
        frame = table.to_pandas().sort_values(list(columns), ignore_index=True)
        return Population(frame.astype({"state": "category", "county": "category"}), self.provenance)

    def _judged(self, conditions: Conditions, key: Granularities) -> Conditions:
        """Return the conditions with their small places by name: they are judged on everyone."""
        small = conditions.small_places
        if small is None or key[Field.GEOGRAPHY] in ("nation", "state"):
            return conditions
        with self.engine.plainly(self.location):
            return replace(conditions, small_places=replace(small, listed=self._small_names(small)))

    def _compared(self, comparison: RaceComparison, key: Granularities) -> Iterator[EnginePopulation]:
        """Yield the candidates of each class of a key whose race is asked in two ways; released ones are marked."""
        self._check_columns(("race", "ethnicity"), key)
        with self.engine.plainly(self.location):
            races = sorted(self.engine.fetch(self.by_county.grouped("race"))["race"].to_pylist())
        kind = "(race || '/' || ethnicity)"
        for kinds in compared_kinds(tuple(races), comparison):
            candidates, released = (
                one_of(kind, [f"{race}/{ethnicity}" for race, ethnicity in side])
                for side in (kinds.candidates, kinds.released)
            )
            cells, by_county = (
                cells.select(*cells.columns, **{_RELEASED: f"CAST({released} AS BIGINT)"}).filter(candidates)
                for cells in (self.cells, self.by_county)
            )
            yield replace(self, cells=cells, by_county=by_county)

    @cached_property
    def _by_state(self) -> dict[str, tuple[int, int]]:
        """People and counties of each state that has people."""
        sums = {"people": _whole("people")}
        if "county" in self.columns:
            sums["counties"] = "COUNT(DISTINCT county)"
        with self.engine.plainly(self.location):
            self.engine.progress("counting the people of each state")
            rows = self.engine.fetch(self.by_county.filter("people > 0").grouped("state", **sums)).to_pylist()
        rows.sort(key=operator.itemgetter("state"))
        return {row["state"]: (row["people"], row.get("counties", 0)) for row in rows}


def _groups(merged: pa.Table, bins: FloatArray, states: Sequence[str]) -> Groups | ListedGroups:
    """Return the groups that left the engine, by the bins of each class of age."""
    # engines return rows in any order
    merged = merged.sort_by([(name, "ascending") for name in merged.column_names])
    place = {state: unit for unit, state in enumerate(states)}
    unit = np.array([place[str(state)] for state in merged["state"].to_pylist()], dtype=np.int64)
    age_class, people, own, number = _columns(merged, ("age_class", "people", "own", "number"), np.int64)
    if "listed" not in merged.column_names:
        return Groups(unit, people, bins[age_class], own, len(states), number=number)
    listed, squared, stale, own_listed = _columns(merged, (*_ENTRIES, "own_listed"), np.float64)
    whole, times = people.astype(np.float64), number.astype(np.float64)
    sums = (listed, squared, stale, own * times, own_listed * times)
    return ListedGroups(unit, whole, bins[age_class], *sums, len(states), number=times)


def _columns(merged: pa.Table, names: Sequence[str], kind: type[_Number]) -> list[NDArray[_Number]]:
    return [merged[name].to_numpy().astype(kind) for name in names]


# Finds a population in Parquet, checks its cells inside the engine, and leaves them there.


# More cells than this are added up by county once: most keys ask for no finer place, and each reads all cells.
_MANY_CELLS = 5_000_000
_FINER_THAN_COUNTY = ("tract", "zip3", "zip5")
_BLANKS = "' \t\n\r\v\f'"


def open_engine_population(engine: Engine, location: str) -> EnginePopulation:
    """Find a population in Parquet, a file, folder or pattern where the engine runs, and check its cells there."""
    named = mask_credentials(location)
    with engine.plainly(named):
        engine.progress("checking the cells of the population")
        cells = engine.parquet(location)
        held = [name for name in (*COLUMNS, *OPTIONAL_COLUMNS) if name in cells.columns]
        problems = _wrong_columns(cells, held)
        if problems:
            raise SchemaError(named, problems)
        texts = [name for name in held if name not in NUMBERS]
        # whole numbers written as text are numbers, as they are in memory
        cells = cells.select(*texts, **{name: f"TRY_CAST({name} AS DOUBLE)" for name in NUMBERS})
        number = _checked_number(engine, cells, held, named)
        cells = by_county = cells.select(*texts, **{name: f"CAST({name} AS BIGINT)" for name in NUMBERS})
        if number > _MANY_CELLS:
            engine.progress("adding up the cells of each county")
            columns = [name for name in (*texts, "age", "age_width") if name not in _FINER_THAN_COUNTY]
            by_county = engine.keep(cells.grouped(*columns, people=_whole("people")))
    return EnginePopulation(engine, named, cells, by_county, _provenance(engine, location))


def _checked_number(engine: Engine, cells: Table, held: Sequence[str], location: str) -> int:
    """Return the number of cells, all of which can be."""
    bad = " OR ".join(_bad(name) for name in held)
    checked = {"cells": "COUNT(*)", "wrong": f"COUNT(*) FILTER (WHERE {bad})", "most": "MAX(people)"}
    (result,) = engine.fetch(cells.grouped(**checked)).to_pylist()
    if number := result["wrong"]:
        ranges = ", ".join(f"{name} from {least} to {most:,}" for name, (least, most) in NUMBERS.items())
        problem = f"{number:,} cells are wrong: each needs whole numbers ({ranges}) and a text in every other column"
        closed = "".join(f", {name} {' or '.join(CATEGORIES[name])}" for name in CLOSED if name in held)
        raise SchemaError(location, [f"{problem}, without blanks around it{closed}."])
    if not result["most"]:
        raise SchemaError(location, ["the population is empty: all counts are 0."])
    return int(result["cells"])


def _bad(name: str) -> str:
    """Tell the cells that a population in memory would not have either."""
    if name in NUMBERS:
        least, most = NUMBERS[name]
        return f"NOT COALESCE({name} BETWEEN {least} AND {most} AND {name} = FLOOR({name}), FALSE)"
    bad = f"{name} IS NULL OR {name} <> TRIM(BOTH {_BLANKS} FROM {name})"
    return f"{bad} OR NOT {one_of(name, CATEGORIES[name])}" if name in CLOSED else bad


def _wrong_columns(cells: Table, held: Sequence[str]) -> list[str]:
    missing = [name for name in COLUMNS if name not in held]
    if missing:
        return [f"columns {', '.join(missing)} are missing; a population needs {', '.join(COLUMNS)}."]
    problems = [
        f"{name} does not contain numbers."
        for name in NUMBERS
        if not (holds(cells.kinds[name], "number") or holds(cells.kinds[name], "text"))
    ]
    return problems + [
        f"{name} is not text. Write codes as text, so that 01001 keeps its leading zero."
        for name in held
        if name not in NUMBERS and not holds(cells.kinds[name], "text")
    ]


def _provenance(engine: Engine, location: str) -> Provenance:
    path = Path(location)
    if "://" in location and not path.exists():
        path = Path(mask_credentials(location))
    digest = sha256_of(path) if path.is_file() else ""
    return own_provenance(path, digest, f", merged by the engine {engine.name}")


def population_of_engine(source: object, engine: Engine | str) -> EnginePopulation:
    """Return the population that an engine reads for a study; an engine by name is closed with the population."""
    location = str(source)
    if not isinstance(source, str | Path) or not (kind_of(location) == "parquet" or Path(location).is_dir()):
        what = f"{mask_credentials(location)} is not one" if isinstance(source, str | Path) else "no such file is given"
        raise InputError(
            f"an engine needs a population in a Parquet file, and {what}. Name a file FILE.parquet, or use no engine."
        )
    if isinstance(engine, Engine):
        return open_engine_population(engine, location)
    opened = open_engine(engine)
    try:
        population = open_engine_population(opened, location)
    except BaseException:
        opened.close()
        raise
    weakref.finalize(population, opened.close)
    return population
