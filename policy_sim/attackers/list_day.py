"""Voter lists on their day: birth cohorts are as old as they are then, and records of the dead are those of the old.

Counts of records are those of an election; people are of a census. Without this module the people of each age at the
census are listed like people of that age, and records of people who left have the ages of the listed.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from policy_sim.attackers.county_coverage import CountyCoverage, RegisteredCoverage, scaled
from policy_sim.attackers.county_records import ages_by_county
from policy_sim.attackers.coverage import VOTING_AGE, Coverage
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.population import AnyPopulation, Population
from policy_sim.people.survival import LIFE_TABLE, aged, years_between
from policy_sim.words.arrays import FloatArray

KEPT: Final = 2.0
"""Years for which the record of somebody who died is assumed to stay on a list. No list was fitted."""
KEPT_ENDS: Final = (0.0, 4.0)
"""The least and the most years of a range: federal law lets the record of somebody who does not vote go after two
general federal elections, four years (52 U.S.C. 20507(d))."""
RANGE_NOTE: Final = (
    "ranges are from the least to the most of these: the figure, every record as that of a resident, the records of "
    f"the federal election before, and records of the dead that stay for {KEPT_ENDS[0]:g} or {KEPT_ENDS[1]:g} years. "
    "They are no intervals of chance"
)
_NOVEMBER, _TUESDAY = 11, 1


def election_day(year: int) -> dt.date:
    """Return the Tuesday after the first Monday of November.

    >>> election_day(2024).isoformat(), election_day(2022).isoformat()
    ('2024-11-05', '2022-11-08')
    """
    second = dt.date(year, _NOVEMBER, 2)
    return second + dt.timedelta(days=(_TUESDAY - second.weekday()) % 7)


@dataclass(frozen=True, eq=False)
class CohortCoverage(CountyCoverage):
    """Who is on the lists of counties, by age on the day of the census.

    ``listed`` has the records of people of the census, ``dead`` of them those of people who died since; the other
    records, of people who moved away, are ``stale``. ``by_cohort``: chance (0..1) that a person of the census has a
    record, by county and age at the census from 0 to 119. The other attributes are those of
    :class:`~policy_sim.attackers.county_coverage.CountyCoverage`; ``chance`` is that of residents on the list's day.
    """

    dead: FloatArray = field(repr=False, kw_only=True)
    by_cohort: FloatArray = field(repr=False, kw_only=True)

    @cached_property
    def listing(self) -> Listing:
        """Who has a record, for merging."""
        moved = np.divide(self.stale, self.listed, out=np.zeros(len(self.stale)), where=self.listed > 0)
        return Listing(self.county, self.by_cohort, moved)


def on_list_day(
    own: CountyCoverage, people: FloatArray, years: float, kept: float, *, has_stale: bool = True
) -> CohortCoverage:
    """Return who is on the lists some years after the census on which their coverage rests.

    People of each age at the census die as in the life table (:func:`~policy_sim.people.survival.aged`). Those alive
    are residents; those of 18 and over on the list's day are listed in the proportions of their age then, scaled to the
    active records of their county, at most all of them. Who died in the last ``kept`` years was listed as the living of
    the same age are, and the record is still there, as far as the county's other records go. What is left of these is
    of people who moved away, who have the ages of all the rest. So each county has the records that it had.

    Parameters
    ----------
    own : Who is on the lists by ages at the census; its records and classes of ages are taken.
    people : People of the census by county and year of age, >= 0; shape (counties, 120).
    years : From the census to the day of the list, >= 0.
    kept : Years for which the record of somebody who died stays, >= 0; deaths before the census are left out.
    has_stale : Whether there are records of people who died or moved away; else all are residents'.

    Returns
    -------
    The coverage; expected records, so that ``listed`` and ``stale`` are not whole. Nobody is born or moves in.

    Raises
    ------
    InputError : if a number of years is below 0.

    Source: MODEL.md sections 15 and 21.
    """
    alive, died = aged(years, kept).by_class(own.shape.starts)
    residents = people @ alive
    records = own.records.records.astype(np.float64)
    listed = np.minimum(np.minimum(own.active, records), residents.sum(axis=1))
    others = records - listed if has_stale else np.zeros_like(records)
    chance = scaled(residents, own.shape.rate, listed)
    gone = chance @ died.T
    of_dead = (people * gone).sum(axis=1)
    share = np.divide(others, of_dead, out=np.zeros_like(others), where=of_dead > 0).clip(0.0, 1.0)
    dead = np.minimum(share * of_dead, others)
    values: dict[str, Any] = {each.name: getattr(own, each.name) for each in fields(CountyCoverage)}
    values |= {"chance": chance, "listed": listed + dead, "stale": others - dead}
    by_cohort = (chance @ alive.T + share[:, None] * gone).clip(0.0, 1.0)
    return CohortCoverage(**values, dead=dead, by_cohort=by_cohort)


@dataclass(frozen=True)
class ListDayCoverage(RegisteredCoverage):
    """Who is on the voter lists on their day; made by :meth:`at`.

    ``day``: that of the list. ``kept``: years for which records of the dead stay. The others are those of
    :class:`~policy_sim.attackers.county_coverage.RegisteredCoverage`. Its ranges have :data:`KEPT_ENDS` too.
    """

    day: dt.date = field(kw_only=True)
    kept: float = field(default=KEPT, kw_only=True)

    @classmethod
    def at(cls, coverage: Coverage, day: dt.date | None = None, kept: float = KEPT) -> Coverage:
        """Return a coverage by the records of an election with the ages of a day; any other as it is.

        ``day``: by default that of the election.
        """
        if not isinstance(coverage, RegisteredCoverage) or coverage.year is None:
            return coverage
        values = {each.name: getattr(coverage, each.name) for each in fields(RegisteredCoverage)}
        return cls(**values, day=day or election_day(coverage.year), kept=kept)

    def years_in(self, population: AnyPopulation) -> float:
        """Return the years from the population's day to the list's; 0 where it has no day or a later one."""
        census = population.provenance.day
        return 0.0 if census is None else max(years_between(census, self.day), 0.0)

    def of(self, population: AnyPopulation) -> CountyCoverage | None:
        """Return who is on the lists of a population's counties, worked out once for each; None without counties."""
        own = super().of(population)
        if own is None:
            return None
        years, held = self.years_in(population), _COVERAGES.setdefault(own, {})
        if (years, self.kept) not in held:
            people = population if isinstance(population, Population) else population.county_population
            assert people is not None  # it has a coverage by county
            by_age = people_by_age(people, own.county)
            held[years, self.kept] = on_list_day(own, by_age, years, self.kept, has_stale=self.assumed != "no-stale")
        return held[years, self.kept]

    def ages_in(self, population: AnyPopulation) -> tuple[int, int | None]:
        """Return the ages on the population's day of those who are old enough to vote on the list's."""
        return max(0, VOTING_AGE - math.ceil(self.years_in(population))), None

    def alternatives(self, population: AnyPopulation, state: str) -> tuple[Coverage, ...]:
        """Return the ends of a range, and records of the dead that stay for less or more years."""
        own = self.of(population)
        if self.assumed or own is None:
            return ()
        rows = own.rows_of([state])
        kept = [replace(self, kept=years) for years in KEPT_ENDS]
        others = [each for each in kept if (counted := each.of(population)) and counted.differs(own, rows)]
        return *super().alternatives(population, state), *others

    def remarks(self, population: AnyPopulation, states: Iterable[str]) -> list[str]:
        """Say what to know of the numbers for these people in these states, one line each."""
        return [*super().remarks(population, states), self.note_on(population)]

    def note_on(self, population: AnyPopulation) -> str:
        """Say how people are moved from their day to that of the list."""
        years = self.years_in(population)
        if not years:
            return f"ages are those of the population's day ({population.provenance.date or 'no date'})"
        return (
            f"ages are those of {self.day}: each birth cohort is {years:.1f} years older than at the census, less "
            f"deaths by the life table of 2020; assumed: records of the dead stay for {self.kept:g} years, and nobody "
            "moves"
        )

    def files(self, population: AnyPopulation, states: Iterable[str]) -> list[str]:
        """Return the files of ``data/`` that hold the numbers."""
        return [*super().files(population, states), str(LIFE_TABLE)]


def people_by_age(people: Population, counties: Sequence[str]) -> FloatArray:
    """Return people by county and year of age, those of several years spread evenly; shape (counties, 120).

    Ages from 110 on are as the population has them: its open class is one year there.
    """
    table = ages_by_county(people.without_ethnicity)
    kinds = table.kinds.cells
    first = np.minimum(kinds["age"].to_numpy(np.int64), YEARS_OF_AGE - 1)
    last = np.minimum(first + np.maximum(kinds["age_width"].to_numpy(np.int64), 1), YEARS_OF_AGE)
    spread = np.zeros((YEARS_OF_AGE, len(kinds)))
    for kind, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        spread[low:high, kind] = 1 / (high - low)
    held = table.counties.get_indexer(pd.Index(list(counties)))
    by_age: FloatArray = (spread @ table.people[:, held]).T
    return by_age


_COVERAGES: WeakKeyDictionary[CountyCoverage, dict[tuple[float, float], CohortCoverage]] = WeakKeyDictionary()
