"""Behind one figure: how many groups the key makes of a state's people, and one of them worked through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.histogram import number_combinations
from policy_sim.formulas.parts import Places, distinct_in_places, occupied_in_places
from policy_sim.model.cases import Key
from policy_sim.people.merge import DAYS_PER_YEAR, people_of_age, seen_of_people
from policy_sim.people.places import able_to_show, visible_places
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import ZIP_PLACES, PeopleByZip
from policy_sim.policies.policy import SmallPlaces
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities, census_views


@dataclass(frozen=True)
class GroupCounts:
    """What a linkage key makes of a state's people.

    Attributes
    ----------
    groups : Groups that the census distinguishes and that hold anybody; by ZIP code, cells of a county in an area.
    people : Persons in them: those who may be on the attacker's list.
    middle : People in the group of the person in the middle, if all are put in a row by the size of their group.
    """

    groups: int
    people: int
    middle: float


@dataclass(frozen=True)
class PartOfGroup:
    """People of one county who may be in the group, and the chance that each lives in its place.

    ``county`` is a five-digit code, or empty where the key shows no county; ``residents`` are everyone in it.
    """

    county: str
    people: int
    share: float = 1.0
    residents: float = np.inf


@dataclass(frozen=True)
class WorkedGroup:
    """One group with everything that enters its figures.

    Attributes
    ----------
    values : What all its people share, by field, in words.
    parts : Where its people come from: one part, or one per county of a ZIP code area.
    bins : Equally likely values hidden inside the group.
    linked : Chance that one of them is on the list and in the file.
    correct, alone : Expected correct matches, and people alone with their values.
    """

    values: Mapping[str, str]
    parts: tuple[PartOfGroup, ...]
    bins: float
    linked: float
    correct: float
    alone: float

    @property
    def people(self) -> float:
        """Expected people of the group."""
        return sum(part.people * part.share for part in self.parts)


def explain_groups(
    population: AnyPopulation, state: str, key: Key, linked: float, *, days_per_year: float = DAYS_PER_YEAR
) -> tuple[GroupCounts, WorkedGroup]:
    """Return the groups of a key in one state, and the group of the person in the middle.

    ``population``: whose people, in memory, or with ZIP codes by the make-up of the counties. ``state``: postal code.
    ``linked``: chance that a person is on the list and in the file, 0 to 1.
    """
    view, conditions, coverage = key
    if view[Field.GEOGRAPHY] == "nation":
        raise InputError(
            "without the state, the linkage key forms groups across the nation. Choose a policy that shows the state."
        )
    population = able_to_show(population, [view])
    by_zip = population if isinstance(population, PeopleByZip) and view[Field.GEOGRAPHY] in ZIP_PLACES else None
    whole = population.county_population if isinstance(population, PeopleByZip) else in_memory(population)
    residents = whole.in_states([state])
    ages = (0, None) if coverage is None else coverage.ages_in(population)
    people = in_memory(people_of_age(residents, *ages))
    code, bins = seen_of_people(people, view, days_per_year=days_per_year, conditions=conditions)
    place = _places(people, view, conditions.small_places) if by_zip is None else _counties(people)
    group = number_combinations([place, code])
    sums = np.bincount(group, weights=people.cells["people"]).astype(np.int64)
    held = np.flatnonzero(sums)
    middle = held[_middle(sums[held])]
    cell = np.flatnonzero(group == middle)
    values = _shown(people, cell, view)
    if by_zip is None:
        n, b = int(sums[middle]), float(bins[cell[0]])
        figures = occupied_bins(n, b, linked).item(), people_g_distinct(n, b, 1, linked).item()
        county = _county_of(people, cell) if view[Field.GEOGRAPHY] in ("county", "tract") else ""
        parts = (PartOfGroup(county, n),)
        return GroupCounts(len(held), int(sums.sum()), n), WorkedGroup(values, parts, b, linked, *figures)
    worked = _in_place(
        by_zip, people, view, conditions.small_places, (code, place), cell[0], values, float(bins[cell[0]])
    )
    pieces = np.bincount(
        by_zip.zips.places(view[Field.GEOGRAPHY], conditions.small_places)[0], minlength=place.max() + 1
    )
    many = int(pieces[place[np.unique(group, return_index=True)[1]]].sum())
    return GroupCounts(many, int(sums.sum()), worked.people), _measured(worked, linked)


def _measured(worked: WorkedGroup, linked: float) -> WorkedGroup:
    """Return the group with its figures: a sum of binomials over counties."""
    n = np.array([[float(part.people)] for part in worked.parts])
    shares = sparse.csr_array([[part.share for part in worked.parts]])
    places = Places(shares, np.array([part.residents for part in worked.parts]))
    correct = occupied_in_places(places, n, worked.bins, linked).item()
    alone = distinct_in_places(places, n, worked.bins, 1, linked).item()
    return WorkedGroup(worked.values, worked.parts, worked.bins, linked, correct, alone)


def _in_place(
    by_zip: PeopleByZip,
    people: Population,
    view: Granularities,
    small: SmallPlaces | None,
    codes: tuple[IntArray, IntArray],
    cell: int,
    values: dict[str, str],
    bins: float,
) -> WorkedGroup:
    """Return the group of the cell's county in the place where the person in the middle of the county lives."""
    code, place = codes
    county, zip_place, share = by_zip.zips.places(view[Field.GEOGRAPHY], small)
    own = np.flatnonzero(county == place[cell])
    chosen = own[_middle_share(share[own])]
    in_a_county = view[Field.GEOGRAPHY].startswith("county")
    alike = [chosen] if in_a_county else np.flatnonzero(zip_place == zip_place[chosen]).tolist()
    counts = people.cells["people"].to_numpy()
    names = people.cells["county"].cat.categories
    parts = []
    for piece in alike:
        n = int(counts[(place == county[piece]) & (code == code[cell])].sum())
        if n:
            where = str(names[county[piece]])
            parts.append(PartOfGroup(where, n, float(share[piece]), float(by_zip.zips.residents[county[piece]])))
    text = {**values, "place": by_zip.zips.name_of(view[Field.GEOGRAPHY], int(zip_place[chosen]))}
    return WorkedGroup(text, tuple(parts), bins, 1.0, 0.0, 0.0)


def _middle(people: IntArray) -> int:
    """Return the place of the group that holds the person in the middle, groups in a row by their size."""
    order = np.argsort(people, kind="stable")
    upto = np.cumsum(people[order])
    return int(order[np.searchsorted(upto, upto[-1] / 2)])


def _middle_share(share: FloatArray) -> int:
    order = np.argsort(share, kind="stable")
    upto = np.cumsum(share[order])
    return int(order[np.searchsorted(upto, upto[-1] / 2)])


def _places(people: Population, view: Granularities, small: SmallPlaces | None) -> IntArray:
    if view[Field.GEOGRAPHY] == "state":
        return np.zeros(len(people.cells), dtype=np.int64)
    return visible_places(people, view[Field.GEOGRAPHY], small)


def _counties(people: Population) -> IntArray:
    codes: IntArray = people.cells["county"].cat.codes.to_numpy().astype(np.int64)
    return codes


def _county_of(people: Population, cell: IntArray) -> str:
    return str(people.cells["county"].iloc[cell[0]])


_WORDS = {"M": "male", "F": "female", "hispanic": "Hispanic", "not_hispanic": "not Hispanic"}


def _shown(people: Population, cell: IntArray, view: Granularities) -> dict[str, str]:
    """Return what the cells of a group share, by field, in words."""
    cells = people.cells.iloc[cell]
    values = {}
    for census_view in census_views(view).values():
        shared = sorted({str(value) for value in cells[census_view.column]})
        if census_view.apart and (cells[census_view.apart[0]] == census_view.apart[1]).all():
            shared = [census_view.apart[1]]  # of whatever race
        values[census_view.column] = " or ".join(_WORDS.get(value, value) for value in shared)
    if view[Field.BIRTH] != "none":
        low, high = int(cells["age"].min()), int((cells["age"] + cells["age_width"]).max()) - 1
        values["age"] = str(low) if low == high else f"{low} to {high}"
    if view[Field.GEOGRAPHY] in ("county", "tract"):
        values["county"] = _county_of(people, cell)
    return values
