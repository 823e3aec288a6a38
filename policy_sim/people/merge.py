"""How finely ages are seen: the class of each cell that a granularity of birth shows, and the bins hidden inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.formulas.groups import AnyGroups, Groups
from policy_sim.formulas.histogram import number_combinations
from policy_sim.formulas.listed_groups import GroupsInFile, ListedGroups, sums_in_file
from policy_sim.people.county_tables import CountyTable
from policy_sim.people.listing import Listing
from policy_sim.people.places import (
    Split,
    able_to_show,
    codes_of_key,
    compared_classes,
    small_place_names,
    visible_places,
)
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, Granularities, race_comparison

if TYPE_CHECKING:
    from policy_sim.formulas.compared_groups import ComparedGroups

DAYS_PER_YEAR = 365.0  # as Benitez & Malin; 365.25 counts the leap day


def values_in_a_year(granularity: str, days_per_year: float = DAYS_PER_YEAR) -> float:
    """Return how many values of birth there are in a year of age, for a granularity finer than a year."""
    return {"quarter": 4.0, "month": 12.0, "date": days_per_year}[granularity]


def age_classes(
    age: IntArray,
    width: IntArray,
    granularity: str,
    days_per_year: float = DAYS_PER_YEAR,
    top_age: int | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return the lower bound of each cell's visible age class, and the bins (>= 1) that hide inside it.

    A cell begins at ``age`` and holds ``width`` years. A year of age has ``days_per_year`` bins for ``date``, 12 for
    ``month`` and 1 for ``year``. A cell wider than the granularity keeps its own class and is split into as many bins
    as it spans. A cell that reaches over ``top_age`` keeps its class too; its years from there on are one bin more.
    """
    if granularity == "none":
        return np.zeros_like(age), np.ones(len(age))
    if top_age is None:
        return _untopped(age, width, granularity, days_per_year)
    below: IntArray = np.clip(top_age - age, 0, width)
    lower, bins = _untopped(age, np.maximum(below, 1), granularity, days_per_year)
    top, over = below == 0, (below > 0) & (below < width)
    hidden: FloatArray = np.where(top, 1.0, bins + over)
    return np.where(top, top_age, np.where(over, age, lower)), hidden


def _untopped(age: IntArray, width: IntArray, granularity: str, days_per_year: float) -> tuple[IntArray, FloatArray]:
    if granularity in YEARS_IN_A_CLASS:
        span = YEARS_IN_A_CLASS[granularity]
        wide = width > span
        return np.where(wide, age, age // span * span), np.where(wide, width / span, 1.0)
    return age, (width * values_in_a_year(granularity, days_per_year)).astype(np.float64, copy=False)


# Cells merged by a linkage key: from a population to groups.
#
# Merge first, then bin: cells that differ only in what the key lacks are added up before any formula
# sees them (MODEL.md section 1; Benitez & Malin 2010, Process).


def people_of_age(population: AnyPopulation, least_age: int, most_age: int | None = None) -> AnyPopulation:
    """Return the part of a population that is ``least_age`` years old or older, and at most ``most_age``.

    A cell counts by its lower age: one that reaches over the lower limit from below stays out.
    """
    return population.of_age(least_age, most_age)


FEW_STATES = 8  # of as many states, one is few
_BY_COUNTY = ("state", "county")  # places that are one county or several


@overload
def merge(
    population: Population,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = ...,
    conditions: Conditions = ...,
    by: Split | None = None,
    listing: None = None,
) -> Groups: ...


@overload
def merge(
    population: AnyPopulation,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = ...,
    conditions: Conditions = ...,
    by: Split | None = None,
    listing: Listing | None = None,
) -> AnyGroups: ...


def merge(
    population: AnyPopulation,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
    by: Split | None = None,
    listing: Listing | None = None,
) -> AnyGroups:
    """Return the groups of people who share the part of the key that the census shows, with one unit per state.

    The units are in the order of ``states``, by default all of the population's. A key without the state groups the
    people of the whole population, and each state's own people are the released part. With ``by`` there is one unit
    per state and part of its people, the parts of a state one after the other: groups stay whole, and those of a group
    who belong to one part are the released part there, so that the parts add up to the state. With ``listing``, groups
    know who of them is on a list (:class:`~policy_sim.formulas.listed_groups.ListedGroups`).
    """
    if by is None:
        population = able_to_show(population, [key])
    if by is None and not isinstance(population, Population):
        return population.merge(key, states, days_per_year=days_per_year, conditions=conditions, listing=listing)
    population = in_memory(population)
    chosen = tuple(states) if states is not None else population.states
    if race_comparison(key) is not None:
        return _merge_compared(population, key, chosen, days_per_year, conditions, by, listing)
    if key[Field.GEOGRAPHY] == "nation" or by is not None:
        return _merge_parts(population, key, chosen, days_per_year, conditions, by, listing)
    population, conditions = _residents(population, chosen, key, conditions)
    whole = key[Field.GEOGRAPHY] == "state" or conditions.small_places is None  # no county is a part of a place
    table = population.by_county if key[Field.GEOGRAPHY] in _BY_COUNTY and whole else None
    if table is None:
        return _merge_cells(population, key, chosen, days_per_year, conditions, listing)
    return _merge_counties(table, key, chosen, days_per_year, conditions, listing)


def _merge_cells(
    population: Population,
    key: Granularities,
    states: Sequence[str],
    days_per_year: float,
    conditions: Conditions,
    listing: Listing | None,
) -> Groups | ListedGroups:
    """Add up the cells of each state that share the part of the key that the census shows."""
    unit, rows = _kept(population, states)
    codes, bins = _seen(population, key, rows, days_per_year, conditions)
    group = number_combinations([unit, *codes])
    cells = population.cells if isinstance(rows, slice) else population.cells.iloc[rows]
    people, row = _sum_by(group, cells["people"].to_numpy())
    if listing is None:
        return Groups.of(people, bins[row], unit=unit[row], units=len(states))
    sums = [_sums_of(group, weights)[group[row]] for weights in _entries(cells, listing, bins)]
    return _listed_groups(unit[row], bins[row], sums, sums, len(states))


def _merge_counties(
    table: CountyTable,
    key: Granularities,
    states: Sequence[str],
    days_per_year: float,
    conditions: Conditions,
    listing: Listing | None,
) -> Groups | ListedGroups:
    """Do the same with the kinds of people of each county, of which there are fewer."""
    unit = table.units(states)
    by_state = key[Field.GEOGRAPHY] == "state"
    counties = np.flatnonzero(unit >= 0)
    # one column per state: sums of whole people are exact
    inside = (unit[counties, None] == np.arange(len(states))).astype(np.float64) if by_state else None
    if listing is None:
        if inside is not None:
            table, unit = replace(table, people=table.people[:, counties] @ inside), np.arange(len(states))
            counties = unit
        people, bins = people_seen(table, key, counties, days_per_year, conditions)
        sums = [people]
    else:
        sums, bins = entries_seen(table, key, counties, listing, days_per_year, conditions)
        if inside is not None:
            sums, unit = [values @ inside for values in sums], np.arange(len(states))
    held = sums[0] > 0
    where = np.broadcast_to(unit if inside is not None else unit[counties], held.shape)[held]
    bins = np.repeat(bins, held.sum(axis=1))
    sums = [values[held] for values in sums]
    if listing is None:
        number = sums[0].astype(np.int64)
        return Groups(where, number, bins, number, len(states))
    return _listed_groups(where, bins, sums, sums, len(states))


def people_seen(
    table: CountyTable,
    key: Granularities,
    counties: IntArray,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
) -> tuple[FloatArray, FloatArray]:
    """Return the people of some counties by what a key shows of them, and the bins (>= 1) hidden in each of these.

    Shapes (cells, counties) and (cells,). Whatever the key says of places, a column is a county.
    """
    code, bins = seen_of_people(table.kinds, key, days_per_year=days_per_year, conditions=conditions)
    _, first, cell = np.unique(code, return_index=True, return_inverse=True)
    people = table.people if len(counties) == table.people.shape[1] else table.people[:, counties]
    if len(first) == len(code):
        return people, bins
    seen = np.zeros((len(first), people.shape[1]))
    for row, kind in zip(cell.reshape(-1).tolist(), people, strict=True):
        seen[row] += kind
    return seen, bins[first]


def entries_seen(
    table: CountyTable,
    key: Granularities,
    counties: IntArray,
    listing: Listing,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
) -> tuple[list[FloatArray], FloatArray]:
    """Return what adds up in a group on a list: people, listed people, squares of chances, stale records; and the bins.

    Of some counties by what a key shows of their people, as :func:`people_seen`: four of shape (cells, counties).
    """
    code, bins = seen_of_people(table.kinds, key, days_per_year=days_per_year, conditions=conditions)
    _, first, cell = np.unique(code, return_index=True, return_inverse=True)
    names = table.kinds.cells["county"].cat.categories[counties].astype(str).tolist()
    chance, age, stale = listing.of_kinds(table.kinds.cells, names)
    if listing.in_file is not None:
        return _in_file_seen(table, counties, (cell.reshape(-1), bins[first]), chance[age], listing.file_of(names))
    people, listed, squared = (np.zeros((len(first), len(counties))) for _ in range(3))
    everywhere = len(counties) == table.people.shape[1]
    for row, number, kind in zip(cell.reshape(-1).tolist(), age.tolist(), table.people, strict=True):
        ours = kind if everywhere else kind[counties]
        people[row] += ours
        ours = ours * chance[number]
        listed[row] += ours
        ours *= chance[number]
        squared[row] += ours
    return [people, listed, squared, listed * stale], bins[first]


def _in_file_seen(
    table: CountyTable, counties: IntArray, seen: tuple[IntArray, FloatArray], chance: FloatArray, in_file: FloatArray
) -> tuple[list[FloatArray], FloatArray]:
    """Return people and the sums of :func:`~.listed_groups.sums_in_file` by what is seen and county; and the bins."""
    cell, bins = seen
    people = table.people[:, counties]
    sums = people[..., None] * sums_in_file(chance, in_file[None], bins[cell][:, None])
    added = np.zeros((len(bins), *people.shape[1:], 1 + sums.shape[-1]))
    np.add.at(added, cell, np.concatenate([people[..., None], sums], axis=-1))
    return list(np.moveaxis(added, -1, 0)), bins


def kinds_seen(
    table: CountyTable,
    key: Granularities,
    counties: IntArray,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
) -> tuple[FloatArray, IntArray]:
    """Return the people of some counties by kind, and the cell of :func:`people_seen` that each kind is in.

    Shapes (kinds, counties) and (kinds,).
    """
    code, _ = seen_of_people(table.kinds, key, days_per_year=days_per_year, conditions=conditions)
    seen, cell = np.unique(code, return_inverse=True)
    place = np.arange(len(code)) if len(seen) == len(code) else cell.reshape(-1)
    return table.people if len(counties) == table.people.shape[1] else table.people[:, counties], place


def seen_of_people(
    population: Population,
    key: Granularities,
    *,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
) -> tuple[IntArray, FloatArray]:
    """Return what a key shows of the people of each cell besides the place, and the bins (>= 1) hidden inside.

    Cells whose people look alike have the same code, >= 0.
    """
    age, bins_of_age = _age_codes(population, key, slice(None), days_per_year, conditions)
    return number_combinations([*codes_of_key(population, key), age]), bins_of_age[age]


def cell_groups(
    population: Population,
    key: Granularities,
    state: str,
    *,
    days_per_year: float = DAYS_PER_YEAR,
    conditions: Conditions = NO_CONDITIONS,
) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the group that each cell of one state is in under a key that shows the state.

    Aligned with the state's cells: number of the group, bins hidden inside it, and people of the cell.
    """
    population, conditions = _residents(population, [state], key, conditions)
    _, rows = _kept(population, [state])
    codes, bins = _seen(population, key, rows, days_per_year, conditions)
    return number_combinations(codes), bins, population.cells["people"].to_numpy(np.int64)[rows]


def _merge_parts(
    population: Population,
    key: Granularities,
    states: Sequence[str],
    days_per_year: float,
    conditions: Conditions,
    by: Split | None,
    listing: Listing | None,
) -> Groups | ListedGroups:
    """Return groups of which a result holds a part: a state of the nation's, a part of a state's people."""
    national = key[Field.GEOGRAPHY] == "nation"
    unit, rows = (_units(population, states), slice(None)) if national else _kept(population, states)
    codes, bins = _seen(population, key, rows, days_per_year, conditions)
    group = number_combinations(codes if national else [unit, *codes])
    cells = population.cells if isinstance(rows, slice) else population.cells.iloc[rows]
    many = 1 if by is None else len(by.names)
    result = unit
    if by is not None:  # people of no part are in no result
        result = np.where((unit < 0) | (by.codes[rows] < 0), -1, unit * many + by.codes[rows])
    part = number_combinations([result + 1, group])
    own, row = _sum_by(part, cells["people"].to_numpy())
    inside = result[row] >= 0
    own, row = own[inside], row[inside]
    units = len(states) * many
    if listing is None:
        sums = _sums_of(group, cells["people"].to_numpy()).astype(np.int64)
        return Groups.of(sums[group[row]], bins[row], released=own, unit=result[row], units=units)
    entries = _entries(cells, listing, bins)
    whole, of_part = ([_sums_of(code, weights)[code[row]] for weights in entries] for code in (group, part))
    return _listed_groups(result[row], bins[row], whole, of_part, units)


_ENTRIES = ("people", "listed", "squared", "stale")  # what adds up where nobody says who is in the file


def _entries(cells: pd.DataFrame, listing: Listing, bins: FloatArray) -> list[FloatArray]:
    """Return of each cell what adds up in a group: people, listed people, squares of chances, stale records.

    Where the listing says who is in the file: people, and the sums of :func:`~.listed_groups.sums_in_file`.
    """
    people = cells["people"].to_numpy(np.float64)
    chance, stale = listing.of_cells(cells)
    if listing.in_file is not None:
        names = cells[listing.place].astype(str) if listing.place in cells else cells["zip5"].astype(str).str[:3]
        return [people, *(people * sums_in_file(chance, listing.file_of(names.tolist()), bins).T)]
    return [people, people * chance, people * chance**2, people * chance * stale]


def _listed_groups(
    unit: IntArray, bins: FloatArray, sums: Sequence[FloatArray], released: Sequence[FloatArray], units: int
) -> ListedGroups:
    """Return groups of the sums of their people, and of those who are released."""
    if len(sums) > len(_ENTRIES):
        return GroupsInFile.of(unit, bins, sums[0], sums[1:], released[1:], units)
    people, listed, squared, stale = sums
    return ListedGroups(unit, people, bins, listed, squared, stale, released[0], released[1], units)


def _merge_compared(
    population: Population,
    key: Granularities,
    states: Sequence[str],
    days_per_year: float,
    conditions: Conditions,
    by: Split | None,
    listing: Listing | None,
) -> ComparedGroups:
    """Return, for each class of a release of race that the list asks in another way, its candidates and its people."""
    from policy_sim.formulas.compared_groups import ComparedGroups

    small = conditions.small_places
    if small is not None and key[Field.GEOGRAPHY] not in ("nation", "state"):  # judged on everyone, not on candidates
        conditions = replace(conditions, small_places=replace(small, listed=small_place_names(population, small)))
    if by is None and key[Field.GEOGRAPHY] != "nation":
        population, conditions = _residents(population, states, key, conditions)
    without_race = key.replace(race="none")
    return ComparedGroups(
        tuple(
            _merge_parts(
                population.of_cells(compared.candidates),
                without_race,
                states,
                days_per_year,
                conditions,
                compared.part(by),
                listing,
            )
            for compared in compared_classes(population, key)
        )
    )


def _residents(
    population: Population, states: Sequence[str], key: Granularities, conditions: Conditions
) -> tuple[Population, Conditions]:
    """Return the people of the states alone where these are a few of many, so that other cells take no time.

    Small places are then those that the whole population counts few people in: a ZIP code may reach into another
    state.
    """
    if population.is_laid_out or len(states) * FEW_STATES > len(population.states):
        return population, conditions
    small = conditions.small_places
    if small is not None and small.place in ("zip3", "zip5") and key[Field.GEOGRAPHY] not in ("nation", "state"):
        conditions = replace(conditions, small_places=replace(small, listed=small_place_names(population, small)))
    return population.in_states([state for state in states if state in population.states]), conditions


def _kept(population: Population, states: Sequence[str]) -> tuple[IntArray, slice | IntArray]:
    """Return the unit of each cell of the states, and which cells those are."""
    unit = _units(population, states)
    rows = slice(None) if (unit >= 0).all() else np.flatnonzero(unit >= 0)
    return unit[rows], rows


def _units(population: Population, states: Sequence[str]) -> IntArray:
    """For each cell the position of its state among ``states``, or -1."""
    column = population.cells["state"].cat
    position = {state: unit for unit, state in enumerate(states)}
    by_code = np.array([position.get(str(name), -1) for name in column.categories], dtype=np.int64)
    return by_code[column.codes.to_numpy()]


def _seen(
    population: Population,
    key: Granularities,
    rows: slice | IntArray,
    days_per_year: float,
    conditions: Conditions,
) -> tuple[list[IntArray], FloatArray]:
    """Return what the key shows of some cells as codes (place inside the state, sex, race, age), and their bins."""
    age, bins_of_age = _age_codes(population, key, rows, days_per_year, conditions)
    place = key[Field.GEOGRAPHY]
    inside = [] if place in ("nation", "state") else [visible_places(population, place, conditions.small_places)]
    return [*(code[rows] for code in (*inside, *codes_of_key(population, key))), age], bins_of_age[age]


def _age_codes(
    population: Population,
    key: Granularities,
    rows: slice | IntArray,
    days_per_year: float,
    conditions: Conditions,
) -> tuple[IntArray, FloatArray]:
    """Each cell's visible age class as a code, and the bins hidden in each class.

    One lower bound may stand for classes of two widths, whose bins must not be mixed.
    """
    age, width = (population.cells[name].to_numpy(np.int64)[rows] for name in ("age", "age_width"))
    widest = int(width.max(initial=0)) + 1
    kind = age * widest + width
    kinds = np.flatnonzero(np.bincount(kind))  # a hundred or so, however many cells
    seen = age_classes(*np.divmod(kinds, widest), key[Field.BIRTH], days_per_year, conditions.top_age)
    classes, code_of_kind = np.unique(np.column_stack(seen), axis=0, return_inverse=True)
    code = np.zeros(int(kinds.max(initial=0)) + 1, dtype=np.int64)
    code[kinds] = code_of_kind.reshape(-1)
    return code[kind], classes[:, 1].astype(np.float64)


def _sum_by(code: IntArray, people: IntArray) -> tuple[IntArray, IntArray]:
    """People of each combination of the codes, and one row that has it."""
    sums = _sums_of(code, people)
    row = np.zeros(len(sums), dtype=np.int64)
    row[code] = np.arange(len(code))
    held = np.flatnonzero(sums)
    return sums[held].astype(np.int64), row[held]


def _sums_of(code: IntArray, weights: IntArray | FloatArray) -> FloatArray:
    """Return the sum of the weights of each code; float64 adds whole people exactly up to 2**53."""
    return np.bincount(code, weights=weights).astype(np.float64, copy=False)


# Ages: the classes of the census tables and the ages of a shipped population.


# The 23 age classes of tables P12 and P12A to P12I (Census 2000 and 2010): first age of each.
CLASS_STARTS = np.array([0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85])
# The last class, 85 and over, is open.
OPEN_AGE = 85
# Years that an open class is taken to hold, its people equally likely in each: 85 to 99. PCT12 separates 26 years,
# but few people are older than 99. In Texas (tables PCT12 of 2000, 2010 and 2020, the class folded into one), 15 years
# put total risk by county and birth year 0.1% to 1.8% too high and 26 years 3.7% to 6.4% (docs/populations.md).
OPEN_ENDED_WIDTH = 15
# The 103 ages of tables PCT12A to PCT12G: 0 to 99, 100-104, 105-109, 110 and over.
AGES = np.array([*range(100), 100, 105, 110])
AGE_WIDTHS = np.array([1] * 100 + [5, 5, 1])


def class_of_age(ages: NDArray[np.integer], starts: NDArray[np.integer] = CLASS_STARTS) -> NDArray[np.intp]:
    """Return the number of the class (counted from 0) that each age falls in."""
    return np.searchsorted(starts, ages, side="right") - 1


# Positions in AGES of the ages of each class.
CLASS_AGES = tuple(np.flatnonzero(class_of_age(AGES) == number) for number in range(len(CLASS_STARTS)))
