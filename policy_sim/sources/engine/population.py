"""A population too large for memory, merged by a linkage key where it lies.

The engine adds up the cells and returns only how many groups there are of each kind: a census of
three hundred million block cells comes down to some thousand rows. What follows is the same as for a
population in memory (:mod:`policy_sim.population.merge`).
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.errors import InputError, SchemaError, UnknownNameError
from policy_sim.fields import Field, Granularities
from policy_sim.groups import Groups
from policy_sim.policies.conditions import NO_CONDITIONS, Conditions
from policy_sim.population.cells import COLUMNS, OPTIONAL_COLUMNS, Provenance
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.sources.engine.engine import Engine
from policy_sim.sources.engine.merge import CountedGroups, MergedCounts, age_classes_of, counted_groups, visible
from policy_sim.sources.engine.opening import open_engine
from policy_sim.sources.own_population import own_provenance

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["EnginePopulation", "groups_from_engine", "open_engine_population", "population_of_engine"]

_NUMBERS = ("age", "age_width", "people")
# More cells than this are added up by county once: most keys ask for no finer place, and each reads all cells.
_MANY_CELLS = 5_000_000
_FINER_THAN_COUNTY = ("tract", "zip3", "zip5")


@dataclass(frozen=True, eq=False)
class EnginePopulation:
    """Counted people whose cells stay in the engine (:class:`~policy_sim.population.elsewhere.PeopleElsewhere`).

    ``by_county`` has the same people as ``cells``, without places finer than a county.
    """

    engine: Engine
    location: str
    cells: ir.Table = field(repr=False)
    by_county: ir.Table = field(repr=False)
    provenance: Provenance

    @property
    def name(self) -> str:
        """The name by which the population is called: that of its file."""
        return self.provenance.name

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""
        return tuple(self._by_state)

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""
        return {state: people for state, (people, _) in self._by_state.items()}

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state; empty where the file has no counties."""
        return {state: number for state, (_, number) in self._by_state.items() if number}

    def of_age(self, least_age: int) -> EnginePopulation:
        """Return the part that is ``least_age`` years old or older, by the lower age of each cell."""
        cells, by_county = (cells.filter(cells.age >= least_age) for cells in (self.cells, self.by_county))
        return replace(self, cells=cells, by_county=by_county)

    def merge(
        self,
        key: Granularities,
        states: Sequence[str] | None = None,
        *,
        days_per_year: float = DAYS_PER_YEAR,
        conditions: Conditions = NO_CONDITIONS,
    ) -> Groups:
        """Return the groups of a linkage key, as :func:`policy_sim.population.merge.merge` does in memory.

        Raises
        ------
        InputError : the file lacks a column that the key needs.
        UnknownNameError : a state without people.
        SourceError : the engine failed.
        """
        counts = self.counts(key, states, days_per_year=days_per_year, conditions=conditions)
        bins = counts.bins[counts.age_class]
        return CountedGroups(counts.unit, counts.people, bins, counts.own, len(counts.states), counts.number)

    def counts(
        self,
        key: Granularities,
        states: Sequence[str] | None = None,
        *,
        days_per_year: float = DAYS_PER_YEAR,
        conditions: Conditions = NO_CONDITIONS,
    ) -> MergedCounts:
        """Return the whole numbers that leave the engine for :meth:`merge`."""
        for state in states or ():
            if state not in self._by_state:
                raise UnknownNameError(f"state in population {self.name}:", state, self.states)
        wanted = tuple(states or self.states)
        with self.engine.plainly(self.location):
            self.engine.progress("merging the cells by the linkage key")
            coarse = key[Field.GEOGRAPHY] in ("nation", "state", "county") and conditions.small_places is None
            cells = self.by_county if coarse else self.cells
            ages, bins = age_classes_of(self.engine, cells, key, days_per_year, conditions)
            shown = visible(self.engine, cells, self.name, key, conditions)
            merged = self.engine.fetch(counted_groups(shown, ages, key, wanted))
        place = {state: unit for unit, state in enumerate(wanted)}
        unit = np.array([place[str(state)] for state in merged["state"].to_pylist()], dtype=np.int64)
        age_class, people, own, number = (
            merged[name].to_numpy().astype(np.int64) for name in ("age_class", "people", "own", "number")
        )
        order = np.lexsort([own, people, age_class, unit])
        return MergedCounts(wanted, unit[order], age_class[order], people[order], own[order], number[order], bins)

    @cached_property
    def _by_state(self) -> dict[str, tuple[int, int]]:
        """People and counties of each state that has people."""
        cells = self.by_county.filter(self.by_county.people > 0)
        sums = {"people": cells.people.sum().cast("int64")}
        if "county" in cells.columns:
            sums["counties"] = cells.county.nunique()
        with self.engine.plainly(self.location):
            self.engine.progress("counting the people of each state")
            found = self.engine.fetch(cells.group_by("state").aggregate(**sums)).to_pylist()
        return {row["state"]: (row["people"], row.get("counties", 0)) for row in sorted(found, key=_state)}


def _state(row: dict[str, str]) -> str:
    return row["state"]


def open_engine_population(engine: Engine, location: str) -> EnginePopulation:
    """Find a population in Parquet and check its cells inside the engine.

    Parameters
    ----------
    engine : Where the cells are added up.
    location : Parquet file, folder or pattern with the columns of a population
        (:mod:`policy_sim.population.cells`), where the engine runs.

    Raises
    ------
    SchemaError : the file lacks a column, or has impossible cells.
    SourceError : the file cannot be read, or the engine failed.
    """
    with engine.plainly(location):
        engine.progress("checking the cells of the population")
        cells = engine.parquet(location)
        held = [name for name in (*COLUMNS, *OPTIONAL_COLUMNS) if name in cells.columns]
        problems = _wrong_columns(cells, held)
        if problems:
            raise SchemaError(location, problems)
        wrong = cells.age_width < 1
        for name in held:
            wrong = wrong | cells[name].isnull() | ((cells[name] < 0) if name in _NUMBERS else False)
        checked = cells.aggregate(cells=cells.count(), wrong=wrong.sum(), most=cells.people.max())
        (found,) = engine.fetch(checked).to_pylist()
        if found["wrong"]:
            raise SchemaError(
                location, [f"{found['wrong']:,} cells lack a value in {', '.join(held)} or count negatively."]
            )
        if not found["most"]:
            raise SchemaError(location, ["nobody is counted: all people are 0."])
    whole = {name: cells[name].cast("int64") for name in _NUMBERS}
    texts = [name for name in held if name not in _NUMBERS]
    cells = by_county = cells.select(*texts, **whole)
    if found["cells"] > _MANY_CELLS:
        with engine.plainly(location):
            engine.progress("adding up the cells of each county")
            kept = [name for name in (*texts, "age", "age_width") if name not in _FINER_THAN_COUNTY]
            by_county = engine.keep(cells.group_by(kept).aggregate(people=cells.people.sum().cast("int64")))
    return EnginePopulation(engine, location, cells, by_county, _provenance(engine, location))


def _wrong_columns(cells: ir.Table, held: Sequence[str]) -> list[str]:
    missing = [name for name in COLUMNS if name not in held]
    if missing:
        return [f"columns {', '.join(missing)} are missing; a population needs {', '.join(COLUMNS)}."]
    problems = [f"{name} does not hold numbers." for name in _NUMBERS if not cells[name].type().is_numeric()]
    return problems + [
        f"{name} is not text: write codes as text, so that 01001 keeps its first zero."
        for name in held
        if name not in _NUMBERS and not cells[name].type().is_string()
    ]


def _provenance(engine: Engine, location: str) -> Provenance:
    path = Path(location)
    digest = ""
    if path.is_file():
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return own_provenance(path, digest, f", merged by the engine {engine.name}")


def population_of_engine(given: object, engine: Engine | str) -> EnginePopulation:
    """Return the population that a study asks an engine for; an engine by name is closed with the population.

    Raises
    ------
    InputError : not a Parquet file, or no such engine.
    """
    location = str(given)
    if not isinstance(given, str | Path) or not (_is_parquet(location) or Path(location).is_dir()):
        what = f"--population {given} is not one" if isinstance(given, str | Path) else "no such file is given"
        raise InputError(
            f"--engine merges a population in Parquet where it lies, and {what}: give --population FILE.parquet, or "
            f"leave --engine out."
        )
    if isinstance(engine, Engine):
        return open_engine_population(engine, location)
    opened = open_engine(engine)
    try:
        found = open_engine_population(opened, location)
    except BaseException:
        opened.close()
        raise
    weakref.finalize(found, opened.close)
    return found


def _is_parquet(location: str) -> bool:
    return location.casefold().endswith((".parquet", ".pq"))


def groups_from_engine(
    engine: Engine,
    path: str,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
) -> Groups:
    """Return the groups of a linkage key from a Parquet file; see :class:`EnginePopulation`."""
    return open_engine_population(engine, path).merge(key, states, days_per_year=days_per_year)
