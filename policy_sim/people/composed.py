"""Groups by ZIP code of people whose chance to live in an area depends on who they are.

People of a county fall into classes, and those of one class live in its parts with the same chances
(:mod:`policy_sim.people.composition`). So the people of a county and a class are to the formulas what the people of a
county are elsewhere: a *county of a class*. A cell of the key that holds people of several classes is put together of
several counties of a class, as a place that reaches into several counties is.

Classes that no cell of a key puts together have groups of their own, which are added up. The figures of a comparison
need none of these groups (:class:`~policy_sim.formulas.classed_groups.ClassedGroups`), which are made when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.classed_groups import ClassedGroups, OnList
from policy_sim.formulas.classed_people import ClassedPeople, Pieces
from policy_sim.formulas.groups import AnyGroups
from policy_sim.formulas.several_classes import connected_classes
from policy_sim.people.composition import CLASSES, AreaFactors, class_of, factors_of
from policy_sim.people.county_tables import CountyTable, added_up
from policy_sim.people.listed_cells import mean_by_cell
from policy_sim.people.merge import MergeKey, OtherList, cells_seen, people_seen
from policy_sim.people.places import Split
from policy_sim.people.population import Population
from policy_sim.people.zips import (
    COMPOSED,
    IN_A_COUNTY,
    CountedParts,
    PeopleByZip,
    ZipShares,
    groups_by_zip,
    shares_of,
    with_zip_codes,
)
from policy_sim.policies.policy import SmallPlaces
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.fields import Field, Granularities, race_comparison

_FIPS = 5  # digits; the code of a county of a class begins with them
_AT_ONCE = 20_000_000  # of a kind and a county of a class: bounds the memory


def by_class(
    people: PeopleByZip,
    merged_by: MergeKey,
    split: Split | None,
    groups_of: Callable[[PeopleByZip, Split | None], AnyGroups],
) -> AnyGroups:
    """Return the groups of people whose chances depend on their class, made of those of the classes by ``groups_of``.

    A key that shows the place alone, of everyone, needs no class: the people of every part are counted.
    """
    if people.zips.composition is None or _shows_nothing_else(people, merged_by):
        return groups_of(people, split)

    def of_pieces() -> tuple[AnyGroups, ...]:
        return tuple(groups_of(piece, of_piece) for piece, of_piece in _pieces(people.with_ethnicity, merged_by, split))

    if split is not None or race_comparison(merged_by.key) is not None:
        return AddedGroups(of_pieces())
    return ClassedGroups(*_rows(people.with_ethnicity, merged_by), of_pieces)


def _rows(people: PeopleByZip, merged_by: MergeKey) -> tuple[list[OnList], Pieces]:
    """Return people by cell and class on each list, and the pieces of the counties with the chances of the classes."""
    table, zips, listing = people.table, people.zips, merged_by.listing
    unit = table.units(merged_by.states)
    counties = np.flatnonzero(unit >= 0)
    cell, bins = cells_seen(table.kinds, merged_by)
    pair, of_kind = np.unique(cell * CLASSES + class_of(table.kinds.cells), return_inverse=True)
    of_kind = of_kind.reshape(-1)
    row_cell, row_class = np.divmod(pair, CLASSES)
    persons = table.people.take(counties, axis=1)
    seen = added_up(persons, of_kind, len(pair))
    row = np.full(len(unit), -1)
    row[counties] = np.arange(len(counties))
    county, place, chance = zips.chances(merged_by.place, merged_by.conditions.small_places)
    held = row[county] >= 0
    pieces = Pieces(
        row[county[held]],
        place[held],
        chance if held.all() else chance[held],
        zips.is_apart(merged_by.place),
        unit[counties],
        len(merged_by.states),
    )
    rows = ClassedPeople(seen, bins[row_cell], row_cell, row_class)
    if listing is None:
        return [OnList(rows, np.arange(len(merged_by.states)))], pieces
    names, lists = table.names(counties), []
    for of, states in [OtherList(listing, merged_by.states), *merged_by.others]:
        chance, age, stale = of.of_kinds(table.kinds.cells, names)
        listed = mean_by_cell(persons, chance, age, of_kind, seen)
        if of.in_file is None:
            on_list = replace(rows, listed=listed, stale=stale if stale.any() else None)
        else:
            in_file = of.file_of(names)
            on_list = replace(rows, listed=listed * in_file, in_file=in_file)
        lists.append(OnList(on_list, np.array([merged_by.states.index(state) for state in states])))
    return lists, pieces


def factors_of_parts(population: Population, parts: pd.DataFrame | None) -> AreaFactors | None:
    """Return the factors of parts of counties (``county``, ``zip5``), row by row.

    None: people of a county live in its parts alike, or there are no parts.
    """
    if parts is None or not population.name.endswith(COMPOSED):
        return None
    county, zip5 = (parts[name].to_numpy(dtype=str) for name in ("county", "zip5"))
    return factors_of(str(shares_of(population.name)), county, zip5)


def people_of_areas(population: Population) -> Population | PeopleByZip:
    """Return a population of :data:`~policy_sim.people.zips.COMPOSED` with its ZIP codes, and any other as it is."""
    if not population.name.endswith(COMPOSED):
        return population
    by_zip = with_zip_codes(population)
    return by_zip if isinstance(by_zip, PeopleByZip) else population


def _shows_nothing_else(people: PeopleByZip, merged_by: MergeKey) -> bool:
    alone = merged_by.key == Granularities(geography=merged_by.key[Field.GEOGRAPHY])
    return alone and bool((people.county_population.people_by_county == people.zips.residents).all())


def _pieces(
    people: PeopleByZip, merged_by: MergeKey, split: Split | None
) -> Iterator[tuple[PeopleByZip, Split | None]]:
    """Yield the people of the classes that the key's cells put together, as people of counties of a class."""
    table, zips = people.table, people.zips
    unit = table.units(merged_by.states)
    _, _, cell = people_seen(table, _without_race(merged_by), np.flatnonzero(unit >= 0))
    of_kind, of_counties = class_of(table.kinds.cells), dict[bytes, ZipShares]()
    for classes in connected_classes(of_kind, cell, CLASSES):
        rows = np.flatnonzero(np.isin(of_kind, classes))
        for counties in _blocks(unit, _AT_ONCE // (len(rows) * len(classes))):
            if not table.people[np.ix_(rows, counties)].any():
                continue
            if (block := counties.tobytes()) not in of_counties:  # the same for most classes
                of_counties[block] = zips.of_counties(counties)
            shares = _SharesOfClasses.of_classes(of_counties[block], classes)
            of_classes = _ClassTable.of_rows(table, rows, counties, of_kind[rows], classes)
            of_piece = split
            if split is not None and split.of_county is not None:
                of_piece = replace(split, of_county=np.repeat(split.of_county[counties], len(classes)))
            yield _PeopleOfClasses(people.county_population, shares, of_classes), of_piece


def _blocks(unit: IntArray, most: int) -> Iterator[IntArray]:
    """Yield the counties of whole states, as many as ``most`` or those of one state; ``unit``: -1 where it is none.

    >>> [block.tolist() for block in _blocks(np.array([0, 0, 1, -1, 2]), 3)]
    [[0, 1, 2], [4]]
    """
    many, block, held = np.bincount(unit[unit >= 0]).tolist(), list[int](), 0
    for counties in many:
        held = held + counties if block and held + counties <= most else counties
        block.append(block[-1] if held > counties else len(block))
    of_county = np.array([*block, -1])[unit]
    for number in dict.fromkeys(block):
        if (of_county == number).any():
            yield np.flatnonzero(of_county == number)


def _without_race(merged_by: MergeKey) -> MergeKey:
    """Return what puts cells together: a race that is compared puts those of all races together."""
    if race_comparison(merged_by.key) is None:
        return merged_by
    return merged_by._replace(key=merged_by.key.replace(race="none"))


class _ClassTable(CountyTable):
    """People by kind and county of a class: county after county, the classes of each side by side."""

    @classmethod
    def of_rows(
        cls, table: CountyTable, rows: IntArray, counties: IntArray, of_kind: IntArray, classes: IntArray
    ) -> _ClassTable:
        """Return some kinds and counties of a table, the kinds of the class ``of_kind`` each."""
        whole, many = table.people[np.ix_(rows, counties)], len(classes)
        by_class = np.zeros((len(rows), len(counties), many), dtype=whole.dtype)
        for place, each in enumerate(classes.tolist()):
            kinds = np.flatnonzero(of_kind == each)
            by_class[kinds, :, place] = whole[kinds]
        people = by_class.reshape(len(rows), -1)
        names = [f"{code}.{place}" for code in table.counties[counties].tolist() for place in range(many)]
        cells = table.kinds.cells.take(rows).reset_index(drop=True)
        cells["county"] = pd.Categorical.from_codes(np.zeros(len(rows), dtype=np.int64), pd.Index(names))
        states = np.where(people.any(axis=0), np.repeat(table.states[counties], many), -1)
        return cls(people, Population(cells, table.kinds.provenance), states)

    def names(self, counties: IntArray) -> list[str]:
        """Return the codes of the counties of some counties of a class."""
        return [name[:_FIPS] for name in super().names(counties)]


@dataclass(frozen=True, eq=False)
class _SharesOfClasses(ZipShares):
    """The parts of every county of a class: those of its county, with the chances of the class.

    ``whole``: the parts of counties; ``classes``: those side by side.
    """

    whole: ZipShares | None = None
    classes: tuple[int, ...] = ()

    @classmethod
    def of_classes(cls, zips: ZipShares, classes: IntArray) -> _SharesOfClasses:
        """Return the shares of some classes, which nobody counts by part."""
        residents = np.full(len(zips.residents) * len(classes), np.inf)
        return cls(zips.county, zips.zip5, zips.share, residents, zips.small, None, zips, tuple(classes.tolist()))

    def is_apart(self, geography: str) -> bool:
        """Whether each place lies in one county of a class."""
        return geography in IN_A_COUNTY and len(self.classes) == 1

    def places(self, geography: str, small: SmallPlaces | None) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the county of a class, place code and chance of each piece of every place."""
        assert self.whole is not None
        county, place, chance = self.whole.chances(geography, small)
        chance, many = chance[:, self.classes], len(self.classes)
        if geography in IN_A_COUNTY:
            place = county * (int(place.max(initial=0)) + 1) + place
        of_class = (county[:, None] * many + np.arange(many)).ravel()
        held = np.flatnonzero(chance.ravel() > 0)
        order = held[np.argsort(of_class[held], kind="stable")]
        return of_class[order], np.repeat(place, many)[order], chance.ravel()[order]


@dataclass(frozen=True, eq=False)
class _PeopleOfClasses(PeopleByZip):
    """People of counties of a class, who live in its parts with its chances."""

    of_classes: CountyTable | None = None

    @property
    def table(self) -> CountyTable:
        """The people by county of a class."""
        assert self.of_classes is not None
        return self.of_classes

    def merged(self, merged_by: MergeKey) -> CountedParts:
        """Return the groups of a linkage key by ZIP code that compares no race; no part of them is counted."""
        groups = groups_by_zip(self, merged_by)
        return CountedParts(groups, np.arange(len(groups.people)), np.ones(len(groups.people)))
