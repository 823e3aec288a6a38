"""From people to groups by a linkage key, whatever holds the people: cells, counties with ZIP codes, an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.formulas.groups import AnyGroups
from policy_sim.people.composed import by_class
from policy_sim.people.county_tables import Listing
from policy_sim.people.merge import DAYS_PER_YEAR, MergeKey, OtherList, merge_cells, people_seen
from policy_sim.people.places import Split, able_to_show, is_by_zip
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import PeopleByZip, parts_of_kinds
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.words.fields import Granularities, race_comparison

if TYPE_CHECKING:
    from policy_sim.formulas.parted_groups import PartedGroups


def merge(
    population: AnyPopulation,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
    by: Split | None = None,
    listing: Listing | None = None,
    others: tuple[OtherList, ...] = (),
) -> AnyGroups:
    """Return the groups of people who share the part of the key that the census shows, with one unit per state.

    The units are in the order of ``states``, by default all of the population's. A key without the state groups the
    people of the whole population, and each state's own people are the released part. With ``by`` there is one unit
    per state and part of its people, the parts of a state one after the other: groups stay whole, and those of a group
    who belong to one part are the released part there, so that the parts add up to the state. With ``listing``, groups
    know who of them is on a list (:class:`~policy_sim.formulas.listed_groups.ListedGroups`). ``others``: further lists
    of people by ZIP code (:func:`~policy_sim.people.zips.takes_other_lists`), whose units follow.
    """
    if by is None:
        population = able_to_show(population, [key])
    chosen = tuple(states) if states is not None else population.states
    merged_by = MergeKey(key, chosen, days_per_year, conditions, listing, others)
    if by is None and isinstance(population, PeopleByZip):
        return merge_by_zip(population, merged_by)
    if by is None and not isinstance(population, Population | PeopleByZip):
        return population.merge(merged_by)  # an engine has the cells
    return merge_cells(in_memory(population), merged_by, by)


def merge_by_zip(people: PeopleByZip, merged_by: MergeKey) -> AnyGroups:
    """Do it with people by county who live in its ZIP codes by chance."""
    if not is_by_zip(merged_by.place):
        return merge_cells(people.county_population, merged_by)
    return by_class(people, merged_by, None, lambda of, _: _merged_alike(of, merged_by))


def _merged_alike(people: PeopleByZip, merged_by: MergeKey) -> AnyGroups:
    """Do it with people who live in the parts of their county with the same chances."""
    if race_comparison(merged_by.key) is None:
        return people.merged(merged_by).groups
    from policy_sim.people.compared import compared_by_zip

    return compared_by_zip(people, merged_by)


def merge_parted(people: PeopleByZip, merged_by: MergeKey, split: Split) -> AnyGroups:
    """Return the groups of a linkage key by ZIP code, whose figures are parted among their people."""

    def parted(of: PeopleByZip, split: Split | None) -> AnyGroups:
        assert split is not None  # the parts of all people are those of each class
        return _parted_alike(of, merged_by, split)

    return by_class(people, merged_by, split, parted)


def _parted_alike(people: PeopleByZip, merged_by: MergeKey, split: Split) -> PartedGroups:
    """Do it with people who live in the parts of their county with the same chances."""
    from policy_sim.formulas.parted_groups import PartedGroups

    if race_comparison(merged_by.key) is not None:
        from policy_sim.people.compared import parted_by_zip

        return parted_by_zip(people, merged_by, split)
    table, listing = people.table, merged_by.listing
    counties = np.flatnonzero(table.units(merged_by.states) >= 0)
    groups, county, share = people.merged(merged_by)
    _, _, cell = people_seen(table, merged_by, counties)
    persons = table.people[:, counties[county]].T * share[:, None]
    part = parts_of_kinds(split, table.kinds, counties[county])
    if listing is None:
        return PartedGroups(groups, persons, cell, part, len(split.names))
    chance, age, _ = listing.of_kinds(table.kinds.cells, table.names(counties[county]))
    return PartedGroups(groups, persons, cell, part, len(split.names), chance[age].T)
