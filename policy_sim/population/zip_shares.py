"""People of counties by ZIP code without drawing them: every mean over the make-up of the county.

The census counts people by county, sex, age and race, and the people of each part of a ZIP code area in a
county. A person of a county lives in one of its parts with the part's share of the county's people, whatever
the person's age, sex and race: that is the assumption, stated with every figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.errors import InputError
from policy_sim.granularity import Field, Granularities
from policy_sim.groups import CountyPartGroups, Groups, PartedGroups, PlacedGroups
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.population.county_table import CountyTable
from policy_sim.population.merge import DAYS_PER_YEAR, merge
from policy_sim.population.partition import Split, split_people
from policy_sim.population.population import Population, Provenance
from policy_sim.population.zip_areas import small_zip3

__all__ = ["ZIP_PLACES", "PeopleByZip", "ZipShares", "groups_by_zip"]

ZIP_PLACES = ("zip3", "zip5", "county_zip3", "county_zip5")
_THREE_DIGITS = ("zip3", "county_zip3")
_IN_A_COUNTY = ("county_zip3", "county_zip5")  # each place lies in one county


@dataclass(frozen=True, eq=False)
class ZipShares:
    """The parts of every county by ZIP code area, as aligned arrays sorted by county.

    Attributes
    ----------
    county : Position of the part's county among the population's counties.
    zip5 : Five-digit code of the area.
    share : The part's people over those of all parts of its county, more than 0; adds up to 1 in a county.
    residents : People of each of the population's counties, whatever their age.
    small : Three-digit ZIP codes of 20,000 people or fewer, with their people.
    """

    county: IntArray
    zip5: NDArray[np.str_]
    share: FloatArray
    residents: FloatArray
    small: dict[str, int]

    @classmethod
    def of(cls, population: Population, parts: pd.DataFrame) -> ZipShares:
        """Match parts (``county``, ``zip5``, ``people``) to the counties of a population.

        People of a county who live in no area are taken to be spread like the others.

        Raises
        ------
        InputError : the population has no counties, or a county with people has no part.
        """
        if "county" not in population.cells:
            raise InputError(f"population {population.name} has no county: ZIP codes are placed by county.")
        names = pd.Index(population.cells["county"].cat.categories.astype(str))
        held = parts[parts["people"] > 0]
        county = names.get_indexer(held["county"].astype(str))
        in_population = np.flatnonzero(county >= 0)
        order = in_population[np.lexsort((held["zip5"].to_numpy(dtype=str)[in_population], county[in_population]))]
        place, people = county[order].astype(np.int64), held["people"].to_numpy(np.float64)[order]
        whole = np.bincount(place, weights=people, minlength=len(names))
        occupied = np.bincount(
            population.cells["county"].cat.codes.to_numpy(), weights=population.cells["people"], minlength=len(names)
        )
        without = np.flatnonzero((occupied > 0) & (whole == 0))
        if len(without):
            raise InputError(
                f"county {names[without[0]]} of population {population.name} is in no part of a ZIP code area: "
                "its counties are not those of the parts."
            )
        small = small_zip3(held["zip5"].astype(str).tolist(), held["people"].to_numpy(np.int64))
        return cls(
            place, held["zip5"].to_numpy(dtype=str)[order], people / whole[place], occupied.astype(np.float64), small
        )

    def places(self, geography: str, small: SmallPlaces | None) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the county, place code and share of each piece of every place at a granularity.

        Parts of a county that show the same place are one piece. Small places share the code 0.
        """
        if small is not None and small.place != "zip3":
            raise InputError(f"a rule on small places by {small.place} cannot be applied to ZIP code areas: use zip3.")
        prefixes = self.zip5.astype("U3") if geography in _THREE_DIGITS else self.zip5
        _, code = np.unique(prefixes, return_inverse=True)
        code = code.reshape(-1) + 1
        if small is not None:
            hidden = small.listed if small.listed is not None else frozenset(self.small)
            code = np.where(np.isin(self.zip5.astype("U3"), sorted(hidden)), 0, code)
        pair = self.county * (int(code.max()) + 1) + code
        pairs, piece = np.unique(pair, return_inverse=True)
        county, place = np.divmod(pairs, int(code.max()) + 1)
        # the last digit of a sum must not make more than everyone
        return county, place, np.minimum(np.bincount(piece.reshape(-1), weights=self.share), 1.0)

    def name_of(self, geography: str, place: int) -> str:
        """Return the name of a place by the code that :meth:`places` gives it; small places are ``000``."""
        prefixes = np.unique(self.zip5.astype("U3") if geography in _THREE_DIGITS else self.zip5)
        return "000" if place == 0 else str(prefixes[place - 1])


def groups_by_zip(
    table: CountyTable,
    zips: ZipShares,
    key: Granularities,
    states: Sequence[str],
    *,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
) -> CountyPartGroups | PlacedGroups:
    """Return the groups of a linkage key that holds a ZIP code; the rest as in :func:`~.merge.merge`.

    A key by county and ZIP code has groups of one piece each, and those alike are counted once; any other
    puts together the pieces of all counties of the state that the place reaches into.
    """
    unit = table.units(states)
    counties = np.flatnonzero(unit >= 0)
    people, bins = table.seen(key, counties, days_per_year=days_per_year, conditions=conditions)
    row = np.full(len(unit), -1)
    row[counties] = np.arange(len(counties))
    county, place, share = zips.places(key[Field.GEOGRAPHY], conditions.small_places)
    in_states = row[county] >= 0
    kind = CountyPartGroups if key[Field.GEOGRAPHY] in _IN_A_COUNTY else PlacedGroups
    residents = zips.residents[counties]
    return kind(
        people, bins, unit[counties], row[county[in_states]], place[in_states], share[in_states], residents, len(states)
    )


@dataclass(frozen=True, eq=False)
class PeopleByZip:
    """A population by county that also answers for ZIP codes, by the make-up of the county.

    Everything but groups by ZIP code is the county population's own.

    Attributes
    ----------
    county_population : The people by county.
    zips : In which ZIP codes the people of each county live.
    whole : The table of everyone, where these are the people of some ages alone.
    """

    county_population: Population
    zips: ZipShares
    whole: CountyTable | None = None

    @property
    def name(self) -> str:
        """Name of the population, such as ``us-2020``."""
        return self.county_population.name

    @property
    def provenance(self) -> Provenance:
        """Where the population comes from."""
        return self.county_population.provenance

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""
        return self.county_population.states

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish, and ZIP codes."""
        return *self.county_population.columns, "zip5"

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""
        return self.county_population.people_by_state()

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state."""
        return self.county_population.counties_by_state()

    def of_age(self, least_age: int, most_age: int | None = None) -> PeopleByZip:
        """Return those of ``least_age`` years up to ``most_age``; they live in the same shares of their counties."""
        ages = least_age, most_age
        if ages not in self._of_ages:
            self._of_ages[ages] = PeopleByZip(self.county_population.of_age(*ages), self.zips, self._table)
        return self._of_ages[ages]

    @cached_property
    def _of_ages(self) -> dict[tuple[int, int | None], PeopleByZip]:
        """The people of the ages asked for before: one study asks for its adults again and again."""
        return {}

    def merge(
        self, key: Granularities, states: Sequence[str] | None, *, days_per_year: float, conditions: Conditions
    ) -> Groups | CountyPartGroups | PlacedGroups:
        """Return the groups of a linkage key, by ZIP code or not."""
        state_names = tuple(states) if states is not None else self.states
        if key[Field.GEOGRAPHY] not in ZIP_PLACES:
            return merge(self.county_population, key, state_names, days_per_year=days_per_year, conditions=conditions)
        return groups_by_zip(
            self._table, self.zips, key, state_names, days_per_year=days_per_year, conditions=conditions
        )

    def merge_parted(
        self,
        key: Granularities,
        states: Sequence[str],
        split: Split,
        *,
        days_per_year: float,
        conditions: Conditions,
    ) -> PartedGroups:
        """Return the groups of a linkage key by ZIP code, whose figures are parted among their people.

        Parameters
        ----------
        key, states, days_per_year, conditions : As for :func:`~.merge.merge`.
        split : The parts of everyone, of whom these people may be some ages.
        """
        table = self._table
        counties = np.flatnonzero(table.units(states) >= 0)
        groups = groups_by_zip(table, self.zips, key, states, days_per_year=days_per_year, conditions=conditions)
        people, cell, kinds = table.kinds_seen(key, counties, days_per_year=days_per_year, conditions=conditions)
        if split.of_county is not None:
            part = split.of_county[counties][:, None]
        else:
            part = split_people(kinds, split.field).codes[None]
        return PartedGroups(groups, people, cell, part, len(split.names))

    @cached_property
    def _table(self) -> CountyTable:
        return CountyTable(self.county_population, self.whole)
