"""People of counties in ZIP code areas, of which a census counts the people, but not their age, sex and race.

By the make-up of their county: a person lives in one of its parts with the part's share of the county's people,
whatever the person's age, sex and race. :class:`PeopleByZip` answers with every mean over that chance; the populations
``us-2010-zip`` and ``us-2020-zip`` are one draw from it, which keeps every county cell and every part whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.files.area_tables import area_table
from policy_sim.files.parquet import read_frame
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import damaged_if_wrong
from policy_sim.people.composition import composition_of
from policy_sim.people.county_tables import CountyTable, county_table
from policy_sim.people.listed_cells import mean_by_cell, on_several_lists
from policy_sim.people.merge import MergeKey, people_seen
from policy_sim.people.places import Split, has_place, is_by_zip, split_people
from policy_sim.people.population import AnyPopulation, Population, Provenance
from policy_sim.people.regions import people_by_region, planning_regions
from policy_sim.people.store import list_populations
from policy_sim.policies.policy import SmallPlaces
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities, is_area, race_comparison

if TYPE_CHECKING:
    from policy_sim.formulas.county_part_groups import CountyPartGroups
    from policy_sim.formulas.placed_groups import PlacedGroups

# The rule of 45 CFR 164.514(b)(2)(i)(B): more people than this, or the prefix becomes 000.
ZIP3_MOST = 20_000


def small_zip3(zip5: Sequence[str], people: Sequence[int] | IntArray, most: int = ZIP3_MOST) -> dict[str, int]:
    """Return the three-digit ZIP areas of ``most`` people or fewer, with their people, sorted.

    ``zip5``: five-digit codes; one may be on several rows, whose people are added up.

    >>> small_zip3(["03601", "03602", "10001"], [12_000, 8_000, 20_001])
    {'036': 20000}
    """
    prefixes, prefix = np.unique(np.asarray(zip5, dtype="U3"), return_inverse=True)
    sums = np.bincount(prefix, weights=people).astype(np.int64)
    return {str(name): int(count) for name, count in zip(prefixes, sums, strict=True) if count <= most}


def share_out(whole: int, weights: IntArray | FloatArray) -> IntArray:
    """Share out ``whole`` people by weights: whole numbers that add up, by largest remainder.

    >>> share_out(10, np.array([1, 1, 1])).tolist()
    [4, 3, 3]
    """
    exact = whole * (weights / weights.sum())
    shares: IntArray = np.floor(exact).astype(np.int64)
    first = np.argsort(shares - exact, kind="stable")
    shares[first[: whole - int(shares.sum())]] += 1
    return shares


def deal_out(people: IntArray, room: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
    """Deal the people of cells out to places at random, until each place is full.

    Return cell, place and people (> 0) of each non-empty part. Sums over places are ``people``, over cells ``room``.
    """
    places = np.repeat(np.arange(len(room), dtype=np.min_scalar_type(len(room))), room)
    rng.shuffle(places)
    code = np.repeat(np.arange(len(people)) * len(room), people)
    code += places
    counts = np.bincount(code)
    held = np.flatnonzero(counts)
    cell, place = np.divmod(held, len(room))
    return cell, place, counts[held]


def in_zip_areas(population: Population, parts: pd.DataFrame, seed: int = 0) -> Population:
    """Return a county population with a column ``zip5``; its provenance is for the caller to complete.

    ``parts`` has ``county``, ``zip5`` and ``people`` of each part of a ZIP code area in a county. People of a county
    outside every part are shared out over its parts.
    """
    if "county" not in population.cells:
        raise InputError(f"population {population.name} has no county: ZIP codes are placed by county.")
    cells = population.cells
    codes, by_county = cells["county"].cat.codes.to_numpy(), cells["people"].to_numpy(np.int64)
    names = [str(name) for name in cells["county"].cat.categories]
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(names) + 1))
    zips = np.unique(parts["zip5"].to_numpy(dtype=str))
    held = parts[parts["people"] > 0].sort_values(["county", "zip5"], kind="stable", ignore_index=True)
    zip_code, weight = np.searchsorted(zips, held["zip5"].to_numpy(dtype=str)), held["people"].to_numpy(np.int64)
    rooms = {str(county): at for county, at in held.groupby("county", observed=True).indices.items()}
    rows, zip_codes, people = [], [], []
    for number, name in enumerate(names):
        row = order[ends[number] : ends[number + 1]]
        if not len(row):
            continue
        if name not in rooms:
            raise _no_part(name, population)
        parts_here = rooms[name]
        rng = np.random.default_rng([seed, int(name)])
        room = share_out(int(by_county[row].sum()), weight[parts_here])
        cell, place, count = deal_out(by_county[row], room, rng)
        rows.append(row[cell])
        zip_codes.append(zip_code[parts_here[place]])
        people.append(count)
    divided = cells.drop(columns="people").take(np.concatenate(rows)).reset_index(drop=True)
    divided["zip5"] = pd.Categorical.from_codes(np.concatenate(zip_codes), pd.Index(zips))
    divided["people"] = np.concatenate(people)
    whole = population.hispanic
    cell_of_part, in_part = (np.concatenate(values).astype(np.int32) for values in (rows, people))
    hispanic = None if whole is None else partial(_dealt, whole, cell_of_part, in_part, seed)
    return Population(divided, population.provenance, hispanic)


def _dealt(whole: Callable[[], IntArray], row: NDArray[np.int32], people: NDArray[np.int32], seed: int) -> IntArray:
    """Deal the Hispanics of cells out to the parts of each cell, every choice equally likely.

    ``row``: the cell of each part, the parts of a cell one after the other. ``people``: those of each part.
    """
    rng = np.random.default_rng([seed, 0])  # no county has the number 0
    first = np.flatnonzero(np.diff(row, prepend=-1))
    parts = np.diff(first, append=len(row))
    hispanic, left = whole()[row[first]], np.add.reduceat(people, first, dtype=np.int64)
    dealt = np.zeros(len(row), dtype=np.int64)
    for place in range(int(parts.max(initial=0))):
        on = np.flatnonzero(parts > place)
        part = first[on] + place
        dealt[part] = rng.hypergeometric(hispanic[on], left[on] - hispanic[on], people[part])
        hispanic[on] -= dealt[part]
        left[on] -= people[part]
    return dealt


def _no_part(county: str, population: Population) -> InputError:
    return InputError(
        f"county {county} of population {population.name} is in no part of a ZIP code area: its ZIP codes are unknown. "
        "Use a policy without ZIP codes, or a population with a column zip5 or zip3."
    )


# Every mean over the make-up of the counties.


_THREE_DIGITS = ("zip3", "county_zip3")
_MOST_MERGED = 16  # groups of one state that are kept
IN_A_COUNTY = ("county_zip3", "county_zip5")  # each place lies in one county


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
    composition : Chance that a person of each class lives in each part (:mod:`~policy_sim.people.composition`), shape
        (parts, classes); None: ``share``, whoever the person is.
    """

    county: IntArray
    zip5: NDArray[np.str_]
    share: FloatArray
    residents: FloatArray
    small: dict[str, int]
    composition: FloatArray | None = None

    @classmethod
    def of(cls, population: Population, parts: pd.DataFrame) -> ZipShares:
        """Match parts (``county``, ``zip5``, ``people``) to the counties of a population.

        People of a county who live in no area are taken to be spread like the others.
        """
        if "county" not in population.columns:
            raise InputError(f"population {population.name} has no county: ZIP codes are placed by county.")
        names = population.counties
        held = parts[parts["people"] > 0]
        county = names.get_indexer(pd.Index(held["county"].astype(str)))
        in_population = np.flatnonzero(county >= 0)
        zip5 = held["zip5"].to_numpy(dtype=str)
        order = in_population[np.lexsort((zip5[in_population], county[in_population]))]
        place, people = county[order].astype(np.int64), held["people"].to_numpy(np.float64)[order]
        whole = np.bincount(place, weights=people, minlength=len(names))
        occupied = population.people_by_county
        without = np.flatnonzero((occupied > 0) & (whole == 0))
        if len(without):
            raise _no_part(str(names[without[0]]), population)
        small = small_zip3(held["zip5"].astype(str).tolist(), held["people"].to_numpy(np.int64))
        return cls(place, zip5[order], people / whole[place], occupied, small)

    def places(self, geography: str, small: SmallPlaces | None) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the county, place code and share of each piece of every place at a granularity.

        Parts of a county that show the same place are one piece. Small places share the code 0.
        """
        county, place, piece = self.pieces_of(geography, small)
        # the last digit of a sum must not make more than everyone
        return county, place, np.minimum(np.bincount(piece, weights=self.share), 1.0)

    def chances(self, geography: str, small: SmallPlaces | None) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the same pieces, with the chance of each class, shape (pieces, classes); of one class by share."""
        if self.composition is None:
            return *self.pieces_of(geography, small)[:2], self.places(geography, small)[2][:, None]
        if (geography, small) not in self._chances:
            piece, chance = self.pieces_of(geography, small)[2], self.composition
            if not np.array_equal(piece, np.arange(len(piece))):
                order = np.argsort(piece, kind="stable")
                chance = np.add.reduceat(chance[order], np.searchsorted(piece[order], np.arange(piece.max() + 1)))
            self._chances[geography, small] = np.minimum(chance, 1.0)
        return *self.pieces_of(geography, small)[:2], self._chances[geography, small]

    @cached_property
    def _chances(self) -> dict[tuple[str, SmallPlaces | None], FloatArray]:
        """The chances of the pieces of a granularity."""
        return {}

    def is_apart(self, geography: str) -> bool:
        """Whether each place of a granularity lies in one county."""
        return geography in IN_A_COUNTY

    @cached_property
    def _pieces(self) -> dict[tuple[str, SmallPlaces | None], tuple[IntArray, IntArray, IntArray]]:
        """What was found of the places of a granularity: many keys ask for the same."""
        return {}

    def pieces_of(self, geography: str, small: SmallPlaces | None) -> tuple[IntArray, IntArray, IntArray]:
        """Return the county and place code of each piece, and the piece of each part; found once."""
        if (geography, small) not in self._pieces:
            self._pieces[geography, small] = self._found(geography, small)
        return self._pieces[geography, small]

    def _found(self, geography: str, small: SmallPlaces | None) -> tuple[IntArray, IntArray, IntArray]:
        if small is not None and small.place != "zip3":
            raise InputError(f"a rule on small places by {small.place} cannot be applied to ZIP code areas: use zip3.")
        code = np.unique(self.shown(geography), return_inverse=True)[1].reshape(-1) + 1
        if small is not None:
            hidden = small.listed if small.listed is not None else frozenset(self.small)
            code = np.where(np.isin(self.zip5.astype("U3"), sorted(hidden)), 0, code)
        pairs, piece = np.unique(self.county * (int(code.max()) + 1) + code, return_inverse=True)
        return *np.divmod(pairs, int(code.max()) + 1), piece.reshape(-1)

    def of_counties(self, held: IntArray) -> ZipShares:
        """Return the parts of some counties; ``held``: their positions, which are 0, 1, 2, ... in what is returned."""
        row = np.full(len(self.residents), -1)
        row[held] = np.arange(len(held))
        part = np.flatnonzero(row[self.county] >= 0)
        composition = None if self.composition is None else self.composition[part]
        by_part = row[self.county[part]], self.zip5[part], self.share[part]
        return ZipShares(*by_part, self.residents[held], self.small, composition)

    def name_of(self, geography: str, place: int) -> str:
        """Return the name of a place by the code that :meth:`places` gives it; small places are ``000``."""
        return "000" if place == 0 else str(np.unique(self.shown(geography))[place - 1])

    def shown(self, geography: str) -> NDArray[np.str_]:
        """Return what each part shows of its ZIP code: five digits, three, or its area; empty where it has none."""
        if is_area(geography):
            return area_table(geography).areas_of(self.zip5)
        return self.zip5.astype("U3") if geography in _THREE_DIGITS else self.zip5


def groups_by_zip(people: PeopleByZip, merged_by: MergeKey) -> CountyPartGroups | PlacedGroups:
    """Return the groups of a linkage key that holds a ZIP code; the rest as in :func:`~.merge.merge`.

    A key by county and ZIP code has groups of one piece each, and those alike are counted once; any other
    puts together the pieces of all counties of the state that the place reaches into. On a list each cell of a
    county has the mean chance of its people to be listed, and the county's stale records for each who is.
    """
    from policy_sim.formulas.county_part_groups import CountyPartGroups
    from policy_sim.formulas.placed_groups import PlacedGroups

    table, zips, listing = people.table, people.zips, merged_by.listing
    unit = table.units(merged_by.states)
    counties = np.flatnonzero(unit >= 0)
    seen, bins, cell = people_seen(table, merged_by, counties)
    row = np.full(len(unit), -1)
    row[counties] = np.arange(len(counties))
    county, place, share = zips.places(merged_by.place, merged_by.conditions.small_places)
    in_states = row[county] >= 0
    kind = CountyPartGroups if zips.is_apart(merged_by.place) else PlacedGroups
    pieces = (row[county[in_states]], place[in_states], share[in_states])
    groups = kind(seen.T, bins, unit[counties], *pieces, len(merged_by.states))
    if listing is None:
        return groups
    names = table.names(counties)
    chance, age, stale = listing.of_kinds(table.kinds.cells, names)
    persons = table.people.take(counties, axis=1)
    listed = mean_by_cell(persons, chance, age, cell, seen).T
    if merged_by.others:
        lists = [(np.arange(len(counties)), unit[counties], listed, stale)]
        first = len(merged_by.states)
        for other, states in merged_by.others:
            own = table.units(states)[counties]
            rows = np.flatnonzero(own >= 0)
            chance, age, stale = other.of_kinds(table.kinds.cells, [names[row] for row in rows.tolist()])
            every = len(rows) == len(counties)
            of_rows = (persons, seen) if every else (persons.take(rows, axis=1), seen.take(rows, axis=1))
            held = mean_by_cell(of_rows[0], chance, age, cell, of_rows[1]).T
            lists.append((rows, first + own[rows], held, stale))
            first += len(states)
        return on_several_lists(groups, lists, merged_by.units)
    if listing.in_file is not None:
        in_file = listing.file_of(names)
        return replace(groups, listed=listed * in_file[:, None], in_file=in_file)
    return replace(groups, listed=listed, stale=stale)


def takes_other_lists(people: AnyPopulation, view: Granularities) -> bool:
    """Tell whether people are measured on several lists at once: where the key has ZIP codes and compares no race."""
    return isinstance(people, PeopleByZip) and is_by_zip(view[Field.GEOGRAPHY]) and race_comparison(view) is None


class CountedParts(NamedTuple):
    """Groups by ZIP code, and of each of their counties which of the population's it is and with what share of it."""

    groups: CountyPartGroups | PlacedGroups
    county: IntArray
    share: FloatArray

    @classmethod
    def of(cls, groups: CountyPartGroups | PlacedGroups, residents: FloatArray) -> CountedParts:
        """Return the groups; where one cell holds all the people of a county, each of its parts becomes a county.

        Of such a cell, which shows the place alone, the people of each part are counted: nobody's place is chance.

        ``residents``: people of each county; infinite where they are not counted by part.
        """
        whole = (groups.people.max(axis=1, initial=0) == residents) & (residents > 0)
        every = np.arange(len(whole))
        if not whole.any():
            return cls(groups, every, np.ones(len(every)))
        counted = [
            share_out(round(float(residents[county] * shares.sum())), shares) / residents[county]
            for county in every[whole].tolist()
            if len(shares := groups.share[groups.county == county])
        ]
        is_known = whole[groups.county]
        county = np.concatenate([every[~whole], groups.county[is_known]])
        share = np.concatenate([np.ones(int((~whole).sum())), *counted])
        number = np.cumsum(~whole) - 1
        own = int((~whole).sum()) + np.arange(int(is_known.sum()))
        by_county: dict[str, Any] = {
            name: None if (values := getattr(groups, name)) is None else values[county]
            for name in ("unit", "listed", "stale", "in_file")
        }
        split = replace(
            groups,
            people=np.rint(groups.people[county] * share[:, None]),
            county=np.concatenate([number[groups.county[~is_known]], own]),
            place=np.concatenate([groups.place[~is_known], groups.place[is_known]]),
            share=np.concatenate([groups.share[~is_known], np.ones(len(own))]),
            parts_of=None,
            **by_county,
        )
        return cls(split, county, share)


def parts_of_kinds(split: Split, kinds: Population, counties: IntArray) -> IntArray:
    """Return the part of each kind: shape (1, kinds), or (counties, 1) where whole counties are parts."""
    if split.of_county is not None:
        return split.of_county[counties][:, None]
    return split_people(kinds, split.field).codes[None]


@dataclass(frozen=True, eq=False)
class PeopleByZip:
    """A population by county that also answers for ZIP codes; everything else is the county population's own."""

    county_population: Population
    zips: ZipShares

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

    @cached_property
    def with_ethnicity(self) -> PeopleByZip:
        """The same people by ethnicity too, in the same shares of their county; itself where that is not known."""
        people = self.county_population.with_ethnicity
        return self if people is self.county_population else PeopleByZip(people, self.zips)

    def in_states(self, states: Sequence[str]) -> PeopleByZip:
        """Return the part that lives in the named states (postal codes); made once, itself where all are named."""
        people = self.county_population.in_states(states)
        if people is self.county_population:
            return self
        return self._parts.get(people) or self._parts.setdefault(people, self.of_counties(people))

    def of_counties(self, people: Population) -> PeopleByZip:
        """Return some of the people, who live in the same shares of their counties."""
        names, held = self.county_population.counties, people.counties
        return PeopleByZip(people, self.zips.of_counties(names.get_indexer(held)))

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""
        return self.county_population.people_by_state()

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state."""
        return self.county_population.counties_by_state()

    def of_age(self, least_age: int, most_age: int | None = None) -> PeopleByZip:
        """Return those of ``least_age`` years up to ``most_age``; they live in the same shares of their counties."""
        people = self.county_population.of_age(least_age, most_age)
        return self._parts.setdefault(people, replace(self, county_population=people))

    @cached_property
    def _parts(self) -> dict[Population, PeopleByZip]:
        """The people of some states or ages, once they were made."""
        return {}

    def merged(self, merged_by: MergeKey) -> CountedParts:
        """Return the groups of a linkage key by ZIP code that compares no race."""
        if merged_by in self._merged:
            return self._merged[merged_by]
        counties = np.flatnonzero(self.table.units(merged_by.states) >= 0)
        groups, residents = groups_by_zip(self, merged_by), self.zips.residents[counties]
        if merged_by.others:
            lists = [merged_by.states, *(other.states for other in merged_by.others)]
            unit = self.table.units
            residents = np.concatenate([residents[unit(states)[counties] >= 0] for states in lists])
        counted = CountedParts.of(groups, residents)
        if len(merged_by.states) == 1:
            if len(self._merged) >= _MOST_MERGED:
                self._merged.clear()
            self._merged[merged_by] = counted
        return counted

    @cached_property
    def _merged(self) -> dict[MergeKey, CountedParts]:
        """The groups of one state that were merged last: questions about it ask for the same ones."""
        return {}

    @property
    def table(self) -> CountyTable:
        """The people by county."""
        table = county_table(self.county_population)
        assert table is not None  # ZIP codes are placed by the counties of a census
        return table


# Populations by ZIP code that need no network.


SUFFIX = "-zip"
COMPOSED = "-zcta"  # of the population whose ZIP code areas have people of each age and group as they are counted
_BASES = ("us-2010", "us-2020")  # whose people by part of a county in a ZIP code area ship
ZIP_POPULATIONS = tuple(f"{base}{SUFFIX}" for base in _BASES)


def shares_of(name: str) -> str | None:
    """Return the population whose parts a population's counties take: its own, else of the shipped the last before."""
    name = name.removesuffix(COMPOSED)
    if name in _BASES:
        return name
    shipped = list_populations()
    earlier = shipped[: shipped.index(name)] if name in shipped else ()
    return next((base for base in reversed(earlier) if base in _BASES), None)


def parts_file(name: str) -> Path:
    """Return the file of the parts at a census, such as that of ``us-2020``."""
    return data_dir() / "zip" / f"zcta_county_{name[-4:]}.parquet"


def zip_parts(name: str = "us-2010") -> pd.DataFrame:
    """Return the people of each part of a ZIP code area in a county: ``county``, ``zip5``, ``people``."""
    if name not in _BASES:
        raise InputError(
            f"population {name}{SUFFIX}: counts of people by ZIP code area and county are not available for {name}, "
            f"only for {', '.join(_BASES)}. Use {', '.join(ZIP_POPULATIONS)}, or give your own file with a column zip5 "
            f"or zip3."
        )
    path = parts_file(name)
    with damaged_if_wrong(path):
        return read_frame(path)


def with_zip_codes(population: AnyPopulation) -> AnyPopulation:
    """Return the population so that it answers for ZIP codes, where it can: not one that has some of its own."""
    if not isinstance(population, Population) or has_place(population, "zip3") or not shares_of(population.name):
        return population
    shares = ZipShares.of(population, parts_of(population))
    if not population.name.endswith(COMPOSED):
        return PeopleByZip(population, shares)
    counties = population.counties[shares.county].to_numpy(dtype=str)
    factors = composition_of(str(shares_of(population.name)), counties, shares.zip5)
    return PeopleByZip(population, replace(shares, composition=factors.chances(shares.county, shares.share)))


def parts_of(population: Population) -> pd.DataFrame:
    """Return the parts whose shares a county population takes: ``county``, ``zip5``, ``people``.

    Estimates take the shares of the last census, and the planning regions of Connecticut those of their towns.
    """
    parts = zip_parts(shares_of(population.name) or population.name)
    return in_regions(parts, population.counties)


def counties_without_parts(name: str, counties: Collection[str]) -> list[str]:
    """Return those counties of a shipped population that no ZIP code area reaches; none where it has no ZIP codes.

    >>> counties_without_parts("us-2020", ["39001", "72001"]), counties_without_parts("us-2000", ["72001"])
    (['72001'], [])
    """
    base = shares_of(name)
    return sorted(set(counties) - set(in_regions(zip_parts(base), counties)["county"])) if base else []


def by_region(parts: pd.DataFrame) -> pd.DataFrame:
    """Return the parts of Connecticut's old counties, each with the planning region of its area's town, ``region``."""
    region_of = {
        area: region.code for region in planning_regions() for areas in region.towns.values() for area in areas
    }
    of_state = parts[parts["county"].isin({county for county, _ in people_by_region()})]
    return of_state.assign(region=of_state["zip5"].map(region_of))


def in_regions(parts: pd.DataFrame, counties: Collection[str]) -> pd.DataFrame:
    """Return parts of ZIP code areas by the counties of a population that has Connecticut's planning regions.

    Each area of the state goes whole to the region of its town, and the people of every old county and region are
    those counted by town. Parts are as they were where ``counties`` has no planning region.

    >>> parts = pd.DataFrame([("39001", "45618", 10), ("09001", "06484", 9)], columns=["county", "zip5", "people"])
    >>> in_regions(parts, {"39001", "09140"}).values.tolist()
    [['39001', '45618', 10], ['09140', '06484', 40869]]
    """
    if not {region.code for region in planning_regions()} & set(counties):
        return parts
    old, fitted = by_region(parts), []
    for pair, whole in people_by_region().items():
        held = old[(old["county"] == pair[0]) & (old["region"] == pair[1])]
        if len(held):
            fitted.append(held.assign(people=share_out(whole, held["people"].to_numpy())))
    moved = pd.concat(fitted).drop(columns="county").rename(columns={"region": "county"})
    together: pd.DataFrame = moved.groupby(["county", "zip5"], as_index=False).sum()
    return pd.concat([parts.drop(index=old.index), together], ignore_index=True)


def zip_note(name: str, states: Sequence[str] = ()) -> str:
    """Say what the ZIP codes of a population rest on besides its own census; nothing where it is that alone.

    ``states``: postal codes of the states in question; none: all.

    >>> zip_note("us-2022", ["OH"])
    "ZIP codes of us-2022: each county's shares are those of us-2020"
    >>> zip_note("us-2020")
    ''
    """
    base = shares_of(name)
    if base in (None, name.removesuffix(COMPOSED)):
        return ""
    regions = ". A ZIP code area of Connecticut is taken to lie wholly in the planning region of its town"
    shares = f"ZIP codes of {name}: each county's shares are those of {base}"
    return f"{shares}{regions if not states or 'CT' in states else ''}"


def regions_note(name: str) -> str:
    """Say of a population that has planning regions in Connecticut why its counties are not those before 2022.

    >>> regions_note("us-2020")
    ''
    """
    if shares_of(name) in (None, name.removesuffix(COMPOSED)):
        return ""
    return (
        f"counties of Connecticut in {name}: nine planning regions, more even in size than the eight counties of "
        "earlier populations, so that figures by county do not compare with theirs"
    )
