"""Behind one figure: how many groups the key makes of a state's people, and one of them worked through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse

from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.groups import g_distinct, total_risk
from policy_sim.formulas.histogram import number_combinations
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.formulas.parts import Places, distinct_in_places, occupied_in_places
from policy_sim.model.cases import Key
from policy_sim.people.listing import Listing
from policy_sim.people.merge import DAYS_PER_YEAR, people_of_age, seen_of_people
from policy_sim.people.places import able_to_show, compared_classes, visible_places
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import ZIP_PLACES, PeopleByZip
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

    ``county`` is a five-digit code, or empty where the key shows no county; ``residents`` are everyone in it.
    ``linked`` is the mean chance that one of them is on the list and in the file, ``stale`` how many records of people
    who left are expected on the list for each of them.
    """

    county: str
    people: int
    share: float = 1.0
    residents: float = np.inf
    linked: float = 1.0
    stale: float = 0.0


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
        by_zip = population.in_states([state]) if view[Field.GEOGRAPHY] in ZIP_PLACES else None
        whole = population.county_population
    residents = in_memory(whole).in_states([state])
    ages = (0, None) if coverage is None else coverage.ages_in(population)
    people = in_memory(people_of_age(residents, *ages))
    classes = list(_classes(people, view))
    view = view if race_comparison(view) is None else view.replace(race="none")
    by_class = [
        _Groups.of(class_, view, conditions, days_per_year, counties_only=by_zip is not None) for class_ in classes
    ]
    number, middle = _middle_of_all(by_class)
    class_, groups = classes[number], by_class[number]
    cell = np.flatnonzero(groups.group == middle)
    values = {**_shown(class_.people, cell, view), **class_.race}
    everyone = sum(int(part.released.sum()) for part in by_class)
    own = class_.released_of(cell, listed)
    if by_zip is None:
        n, b = int(groups.sums[middle]), float(groups.bins[cell[0]])
        county = _county_of(class_.people, cell) if view[Field.GEOGRAPHY] in ("county", "tract") else ""
        worked = _by_itself(class_.people.cells.iloc[cell], values, county, b, listed, in_file)
        counts = GroupCounts(sum(len(part.held) for part in by_class), everyone, n)
        return counts, replace(worked, released=own)
    codes, bins = (groups.code, groups.place), float(groups.bins[cell[0]])
    worked = _in_place(by_zip, class_.people, view, conditions.small_places, codes, cell[0], values, bins)
    alike = class_.people.cells[groups.code == groups.code[cell[0]]]
    parts = tuple(_with_list(part, alike, listed, in_file) for part in worked.parts)
    worked = _measured(replace(worked, parts=parts, released=own))
    pieces = np.bincount(
        by_zip.zips.places(view[Field.GEOGRAPHY], conditions.small_places)[0],
        minlength=max(int(part.place.max(initial=0)) for part in by_class) + 1,
    )
    many = sum(int(pieces[part.place[part.first[part.held]]].sum()) for part in by_class)
    return GroupCounts(many, everyone, worked.people), worked


@dataclass(frozen=True, eq=False)
class _Class:
    """People whom the key compares with each other, and which of their cells are released; all, but in one case.

    Where race is asked in two ways, the candidates of one class of the release; ``race`` says which.
    """

    people: Population
    released: BoolArray
    race: Mapping[str, str]

    def released_of(self, cell: IntArray, listed: Listing | float) -> float:
        """Return the share of the listed people of some cells who are released."""
        rows = (cell, cell[self.released[cell]])
        whole, released = (_entries(self.people.cells.iloc[at], listed, None) for at in rows)
        return released[1] / whole[1] if whole[1] else released[0] / whole[0]


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of a class: of each cell its place, what else is seen of it, bins and group; of each group its people.

    ``first`` is a cell of each group, ``held`` the groups of which anybody is released.
    """

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
        cls, class_: _Class, view: Granularities, conditions: Conditions, days_per_year: float, *, counties_only: bool
    ) -> _Groups:
        people = class_.people
        code, bins = seen_of_people(people, view, days_per_year=days_per_year, conditions=conditions)
        place = _counties(people) if counties_only else _places(people, view, conditions.small_places)
        group, persons = number_combinations([place, code]), people.cells["people"].to_numpy(np.float64)
        sums, released = (np.bincount(group, weights=weights) for weights in (persons, persons * class_.released))
        first = np.zeros(len(sums), dtype=np.int64)
        first[group[::-1]] = np.arange(len(group))[::-1]
        held = np.flatnonzero(released)
        return cls(place, code, bins, group, sums.astype(np.int64), released.astype(np.int64), first, held)


def _classes(people: Population, key: Granularities) -> Iterator[_Class]:
    comparison = race_comparison(key)
    if comparison is None:
        yield _Class(people, np.ones(len(people.cells), dtype=np.bool_), {})
        return
    released, listed = comparison.views
    for compared in compared_classes(people, key):
        candidates = people.of_cells(compared.candidates)
        own = ", ".join(sorted(_race_words(people, compared.released, released)))
        others = ", ".join(sorted(_race_words(people, compared.candidates, listed)))
        yield _Class(candidates, compared.released[compared.candidates], {"race": f"{own} (listed as {others})"})


def _race_words(people: Population, cells: BoolArray, view: CensusView) -> set[str]:
    """Return the values of race that a view shows of some cells."""
    table = people.cells[cells]
    race = table["race"].astype(str)
    together = {name: " or ".join(names) for names in view.classes for name in names}
    words = race.map(together).fillna("other") if together else race
    if view.apart:
        words = words.where(table[view.apart[0]] != view.apart[1], "Hispanic")
    return set(words)


def _middle_of_all(by_class: Sequence[_Groups]) -> tuple[int, int]:
    """Return the class and the group of the person in the middle, groups in a row by their size."""
    number = np.concatenate([np.full(len(part.held), place) for place, part in enumerate(by_class)])
    group = np.concatenate([part.held for part in by_class])
    size = np.concatenate([part.sums[part.held] for part in by_class])
    released = np.concatenate([part.released[part.held] for part in by_class])
    order = np.argsort(size, kind="stable")
    upto = np.cumsum(released[order])
    middle = order[np.searchsorted(upto, upto[-1] / 2)]
    return int(number[middle]), int(group[middle])


def _by_itself(
    cells: pd.DataFrame,
    values: Mapping[str, str],
    county: str,
    bins: float,
    listed: Listing | float,
    in_file: float | None,
) -> WorkedGroup:
    """Return the group of some cells with its figures."""
    n, linked, squared, stale = _entries(cells, listed, in_file)
    part = PartOfGroup(county, int(n), linked=linked / n, stale=stale / n)
    if not isinstance(listed, Listing):
        figures = occupied_bins(n, bins, part.linked).item(), people_g_distinct(n, bins, 1, part.linked).item()
        return WorkedGroup(values, (part,), bins, *figures, n)
    people, hidden, likely, squares, left = (np.array([value]) for value in (n, bins, linked, squared, stale))
    group = ListedGroups(np.zeros(1, dtype=np.int64), people, hidden, likely, squares, left, people, likely, 1)
    trials = linked**2 / squared if squared and not np.isclose(linked**2, n * squared, rtol=1e-9) else n
    return WorkedGroup(values, (part,), bins, total_risk(group).item(), g_distinct(group, [1]).item(), trials)


def _entries(cells: pd.DataFrame, listed: Listing | float, in_file: float | None) -> tuple[float, float, float, float]:
    """Return people, those expected on the list and in the file, squares of their chances, and stale records."""
    people, share = cells["people"].to_numpy(np.float64), 1.0 if in_file is None else in_file
    if isinstance(listed, Listing):
        chance, left = listed.of_cells(cells)
        stale = float((people * chance * left).sum()) if in_file is None else 0.0  # nobody who left is in a file
    else:
        chance, stale = np.full(len(people), listed), 0.0
    linked = chance * share
    return float(people.sum()), float((people * linked).sum()), float((people * linked**2).sum()), stale


def _with_list(part: PartOfGroup, alike: pd.DataFrame, listed: Listing | float, in_file: float | None) -> PartOfGroup:
    """Return a part of a group with how its people are listed; ``alike``: cells of these people in all counties."""
    n, linked, _, stale = _entries(alike[alike["county"] == part.county], listed, in_file)
    return replace(part, linked=linked / n, stale=stale / n)


def _measured(worked: WorkedGroup) -> WorkedGroup:
    """Return the group with its figures: a sum of binomials over counties."""
    parts = worked.parts
    n, linked, stale, residents = (
        np.array([getattr(part, name) for part in parts], dtype=np.float64)
        for name in ("people", "linked", "stale", "residents")
    )
    places = Places(sparse.csr_array([[part.share for part in parts]]), residents)
    correct = occupied_in_places(places, n[:, None], worked.bins, linked, stale).item()
    alone = float(distinct_in_places(places, n[:, None], worked.bins, 1, linked, stale).item())
    return replace(worked, correct=correct, alone=alone)


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
    return WorkedGroup(text, tuple(parts), bins, 0.0, 0.0, 0.0)


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
