"""Behind one figure: how many groups the key makes of a state's people, and one of them worked through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.groups import g_distinct, total_risk
from policy_sim.formulas.histogram import number_combinations
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.formulas.parts import PlacedCells, distinct_in_places, occupied_in_places
from policy_sim.model.measuring import Key
from policy_sim.people.composition import class_of
from policy_sim.people.county_tables import Listing
from policy_sim.people.merge import DAYS_PER_YEAR, MergeKey, seen_of_people
from policy_sim.people.places import able_to_show, compared_classes, is_by_zip, visible_places
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import PeopleByZip
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import CensusView, Field, Granularities, census_views, race_comparison


@dataclass(frozen=True)
class GroupCounts:
    """What a linkage key makes of a state's people.

    ``groups`` are those that hold anybody; by ZIP code, cells of a county in an area. ``people`` may be on the
    attacker's list. ``middle``: people in the group of the person in the middle, all in a row by the size of it.
    """

    groups: int
    people: int
    middle: float


@dataclass(frozen=True)
class PartOfGroup:
    """People of one county who may be in the group, and the chance that each lives in its place.

    ``county`` is a five-digit code, or empty where the key shows no county. ``share`` is a mean where it depends on who
    they are. ``linked`` is the mean chance that one of them is on the list and in the file, ``stale`` how many records
    of people who left are expected on the list for each of them. ``classes``: how many classes of people with different
    chances are in the part; 0 where everyone of a county has the same.
    """

    county: str
    people: int
    share: float = 1.0
    linked: float = 1.0
    stale: float = 0.0
    classes: int = 0


@dataclass(frozen=True)
class WorkedGroup:
    """One group with everything that enters its figures.

    ``values`` are in words, by field; ``parts`` are one, or one per county of a ZIP code area. ``trials``: people with
    one chance who stand for those of the group, where their chances differ; else its people. ``released``: share (0..1)
    of the linked people whose records are compared with the group: all, but where race is asked in two ways; in a group
    of several counties, of the county of the person in the middle.
    """

    values: Mapping[str, str]
    parts: tuple[PartOfGroup, ...]
    bins: float
    correct: float
    alone: float
    trials: float
    released: float = 1.0

    @property
    def people(self) -> float:
        """Expected people of the group."""
        return sum(part.people * part.share for part in self.parts)

    @property
    def linked(self) -> float:
        """Mean chance that one of them is on the list and in the file."""
        return sum(part.people * part.share * part.linked for part in self.parts) / self.people

    @property
    def stale(self) -> float:
        """Expected records of people who left that look like them."""
        return sum(part.people * part.share * part.stale for part in self.parts)


def explain_groups(
    population: AnyPopulation,
    state: str,
    key: Key,
    listed: Listing | float,
    in_file: float | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
) -> tuple[GroupCounts, WorkedGroup]:
    """Return the groups of a key in one state, and the group of the person in the middle.

    ``population``: whose people, in memory, or with ZIP codes by the make-up of the counties. ``state``: postal code.
    ``listed``: chance that a person is on the list, 0 to 1; one of all, or by county and age. ``in_file``: share of the
    people in the file, where the attacker knows who they are; None: everyone is released.
    """
    view, conditions, coverage = key
    if view[Field.GEOGRAPHY] == "nation":
        raise InputError(
            "without the state, the linkage key forms groups across the nation. Choose a policy that shows the state."
        )
    population = able_to_show(population, [view])
    by_zip, whole = None, population
    if isinstance(population, PeopleByZip):
        if is_by_zip(view[Field.GEOGRAPHY]):
            population = population.with_ethnicity if population.zips.composition is not None else population
            by_zip = population.in_states([state])
        whole = population.county_population
    residents = in_memory(whole).in_states([state])
    ages = (0, None) if coverage is None else coverage.ages_in(population)
    people = in_memory(residents.of_age(*ages))
    plain = view if race_comparison(view) is None else view.replace(race="none")
    classes = [
        _Class.of(*class_, plain, conditions, days_per_year, by_zip is not None) for class_ in _classes(people, view)
    ]
    number = np.concatenate([np.full(len(class_.held), place) for place, class_ in enumerate(classes)])
    by_class = ((class_.held, class_.sums[class_.held], class_.released[class_.held]) for class_ in classes)
    group, size, released = (np.concatenate(arrays) for arrays in zip(*by_class, strict=True))
    middle = _middle(size, released)
    chosen, linked = classes[number[middle]], _Linked(listed, in_file)
    cell = np.flatnonzero(chosen.group == group[middle])
    everyone = sum(int(class_.released.sum()) for class_ in classes)
    if by_zip is None:
        worked = chosen.by_itself(cell, plain, linked)
        return GroupCounts(len(group), everyone, int(size[middle])), worked
    worked = chosen.in_place(cell, plain, linked, by_zip, conditions.small_places)
    most = max(int(class_.place.max(initial=0)) for class_ in classes)
    places = by_zip.zips.places(view[Field.GEOGRAPHY], conditions.small_places)[0]
    pieces = np.bincount(places, minlength=most + 1)
    many = sum(int(pieces[class_.place[class_.first[class_.held]]].sum()) for class_ in classes)
    return GroupCounts(many, everyone, worked.people), worked


def _middle(size: FloatArray | IntArray, people: FloatArray | IntArray) -> int:
    """Return the place of the group of the person in the middle, groups in a row by their size."""
    order = np.argsort(size, kind="stable")
    upto = np.cumsum(people[order])
    return int(order[np.searchsorted(upto, upto[-1] / 2)])


@dataclass(frozen=True)
class _Linked:
    """Who is on the list (a chance of all, or by county and age) and in the file, where the attacker knows who is."""

    listed: Listing | float
    in_file: float | None

    def of(self, cells: pd.DataFrame) -> tuple[float, float, float, float]:
        """Return people, those expected on the list and in the file, squares of their chances, and stale records."""
        people, share = cells["people"].to_numpy(np.float64), 1.0 if self.in_file is None else self.in_file
        if isinstance(self.listed, Listing):
            chance, left = self.listed.of_cells(cells)
            stale = float((people * chance * left).sum()) if self.in_file is None else 0.0  # none who left is in a file
        else:
            chance, stale = np.full(len(people), self.listed), 0.0
        linked = chance * share
        return float(people.sum()), float((people * linked).sum()), float((people * linked**2).sum()), stale


@dataclass(frozen=True, eq=False)
class _Class:
    """People whom the key compares with each other, and their groups.

    ``is_released``: which of their cells are released; all, but where race is asked in two ways. These are then the
    candidates of one class of the release, and ``race`` says which. Of each cell ``place``, ``code`` (what else is seen
    of it), ``bins`` and ``group``; of each group ``sums`` and ``released``, people, and ``first``, one of its cells.
    ``held`` are the groups of which anybody is released.
    """

    people: Population
    is_released: BoolArray
    race: dict[str, str]
    place: IntArray
    code: IntArray
    bins: FloatArray
    group: IntArray
    sums: IntArray
    released: IntArray
    first: IntArray
    held: IntArray

    @classmethod
    def of(
        cls,
        people: Population,
        is_released: BoolArray,
        race: dict[str, str],
        view: Granularities,
        conditions: Conditions,
        days_per_year: float,
        counties_only: bool,
    ) -> _Class:
        code, bins = seen_of_people(people, MergeKey(view, (), days_per_year, conditions))
        place: IntArray = np.zeros(len(people.cells), dtype=np.int64)
        if counties_only:
            place = people.cells["county"].cat.codes.to_numpy().astype(np.int64)
        elif view[Field.GEOGRAPHY] != "state":
            place = visible_places(people, view[Field.GEOGRAPHY], conditions.small_places)
        group, persons = number_combinations([place, code]), people.cells["people"].to_numpy(np.float64)
        sums, released = (np.bincount(group, weights=weights) for weights in (persons, persons * is_released))
        first = np.zeros(len(sums), dtype=np.int64)
        first[group[::-1]] = np.arange(len(group))[::-1]
        whole = (sums.astype(np.int64), released.astype(np.int64))
        return cls(people, is_released, race, place, code, bins, group, *whole, first, np.flatnonzero(released))

    def by_itself(self, cell: IntArray, view: Granularities, listed: _Linked) -> WorkedGroup:
        """Return the group of some cells with its figures."""
        n, linked, squared, stale = listed.of(self.people.cells.iloc[cell])
        bins, values = float(self.bins[cell[0]]), self._shown(cell, view)
        county = str(self.people.cells["county"].iloc[cell[0]]) if "county" in values else ""
        part = PartOfGroup(county, int(n), linked=linked / n, stale=stale / n)
        trials, released = n, self._released_of(cell, listed)
        if isinstance(listed.listed, Listing):
            people, hidden, likely, squares, left = (np.array([value]) for value in (n, bins, linked, squared, stale))
            group = ListedGroups(np.zeros(1, dtype=np.int64), people, hidden, likely, squares, left, people, likely, 1)
            if squared and not np.isclose(linked**2, n * squared, rtol=1e-9):
                trials = linked**2 / squared
            figures = total_risk(group).item(), g_distinct(group, [1]).item()
        else:
            figures = occupied_bins(n, bins, part.linked).item(), people_g_distinct(n, bins, 1, part.linked).item()
        return WorkedGroup(values, (part,), bins, *figures, trials, released)

    def in_place(
        self, cell: IntArray, view: Granularities, listed: _Linked, by_zip: PeopleByZip, small: SmallPlaces | None
    ) -> WorkedGroup:
        """Return the group of the cell's county in the place where the person in the middle of these people lives.

        It is a sum of binomials over the counties, and over the classes whose people live in the place with chances of
        their own.
        """
        cells, bins = self.people.cells, float(self.bins[cell[0]])
        county, zip_place, chance = by_zip.zips.chances(view[Field.GEOGRAPHY], small)
        of_cell = _classes_of(by_zip, cells)
        own = np.flatnonzero(county == self.place[cell[0]])
        people_of = np.bincount(of_cell[cell], weights=cells["people"].to_numpy()[cell], minlength=chance.shape[1])
        living_there = chance[own] @ people_of
        chosen = own[_middle(living_there, living_there)]
        in_a_county = view[Field.GEOGRAPHY].startswith("county")
        alike, parts = self.code == self.code[cell[0]], []
        share = by_zip.zips.places(view[Field.GEOGRAPHY], small)[2]
        by_share = chance.shape[1] == 1 or view == Granularities(geography=view[Field.GEOGRAPHY])
        for piece in [chosen] if in_a_county else np.flatnonzero(zip_place == zip_place[chosen]).tolist():
            where = str(cells["county"].cat.categories[county[piece]])
            of_county = np.flatnonzero(alike & (self.place == county[piece]))
            many, on_list, _, left = listed.of(cells.iloc[of_county])
            if by_share and many == by_zip.zips.residents[county[piece]]:  # everyone: how many live here is counted
                here = round(many * float(share[piece]))
                parts.append(PartOfGroup(where, here, 1.0, on_list / many, left / many))
                continue
            for class_ in np.unique(of_cell[of_county]).tolist():
                many, on_list, _, left = listed.of(cells.iloc[of_county[of_cell[of_county] == class_]])
                if many and chance[piece, class_]:
                    means = int(many), float(chance[piece, class_]), on_list / many, left / many
                    parts.append(PartOfGroup(where, *means, classes=int(chance.shape[1] > 1)))
        n, linked, stale = (
            np.array([getattr(part, name) for part in parts], dtype=np.float64)
            for name in ("people", "linked", "stale")
        )
        shares = sparse.csr_array([[part.share for part in parts]])
        placed = PlacedCells(shares, n[:, None], bins, linked, stale)
        correct, alone = occupied_in_places(placed).item(), distinct_in_places(placed, 1).item()
        place_name = by_zip.zips.name_of(view[Field.GEOGRAPHY], int(zip_place[chosen]))
        values = self._shown(cell, view) | {"place": place_name}
        by_county = tuple(_of_county(parts))
        return WorkedGroup(values, by_county, bins, correct, alone, 0.0, self._released_of(cell, listed))

    def _released_of(self, cell: IntArray, listed: _Linked) -> float:
        """Return the share of the listed people of some cells who are released."""
        rows = (cell, cell[self.is_released[cell]])
        whole, released = (_Linked(listed.listed, None).of(self.people.cells.iloc[at]) for at in rows)
        return released[1] / whole[1] if whole[1] else released[0] / whole[0]

    def _shown(self, cell: IntArray, view: Granularities) -> dict[str, str]:
        """Return what the cells of a group share, by field, in words."""
        cells = self.people.cells.iloc[cell]
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
            values["county"] = str(cells["county"].iloc[0])
        return values | self.race


def _classes_of(people: PeopleByZip, cells: pd.DataFrame) -> IntArray:
    """Return the class of each cell that says where its people live; one class where all of a county live alike."""
    return np.zeros(len(cells), dtype=np.int64) if people.zips.composition is None else class_of(cells)


def _of_county(parts: Sequence[PartOfGroup]) -> Iterator[PartOfGroup]:
    """Yield the parts of each county as one, with means over the people who are expected in the place."""
    for county in dict.fromkeys(part.county for part in parts):
        own = [part for part in parts if part.county == county]
        if len(own) == 1:
            yield own[0]
            continue
        people = sum(part.people for part in own)
        here = [part.people * part.share for part in own]
        linked, stale = (
            sum(many * value for many, value in zip(here, values, strict=True)) / sum(here)
            for values in ([part.linked for part in own], [part.stale for part in own])
        )
        yield PartOfGroup(county, people, sum(here) / people, linked, stale, len(own))


_WORDS = {"M": "male", "F": "female", "hispanic": "Hispanic", "not_hispanic": "not Hispanic"}


def _classes(people: Population, key: Granularities) -> Iterator[tuple[Population, BoolArray, dict[str, str]]]:
    """Yield people whom a key compares with each other, which of their cells are released, and their race in words."""
    comparison = race_comparison(key)
    if comparison is None:
        yield people, np.ones(len(people.cells), dtype=np.bool_), {}
        return
    released, listed = comparison.views
    for compared in compared_classes(people, key):
        candidates = people.of_cells(compared.candidates)
        own = ", ".join(sorted(_race_words(people, compared.released, released)))
        others = ", ".join(sorted(_race_words(people, compared.candidates, listed)))
        yield candidates, compared.released[compared.candidates], {"race": f"{own} (listed as {others})"}


def _race_words(people: Population, cells: BoolArray, view: CensusView) -> set[str]:
    """Return the values of race that a view shows of some cells."""
    table = people.cells[cells]
    race = table["race"].astype(str)
    together = {name: " or ".join(names) for names in view.classes for name in names}
    words = race.map(together).fillna("other") if together else race
    if view.apart:
        words = words.where(table[view.apart[0]] != view.apart[1], "Hispanic")
    return set(words)
