"""From a population to groups: cells that a linkage key sees alike are added up, and their ages become bins.

Merge first, then bin: cells that differ only in what the key lacks are added up before any formula sees them
(MODEL.md section 1; Benitez & Malin 2010, Process).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.groups import AnyGroups, Groups
from policy_sim.formulas.histogram import number_combinations
from policy_sim.formulas.listed_groups import GroupsInFile, ListedGroups, sums_in_file
from policy_sim.people.county_tables import CountyTable, Listing, added_up, county_table, is_laid_out
from policy_sim.people.places import (
    Split,
    codes_of_key,
    compared_classes,
    judged_on_everyone,
    small_place_names,
    visible_places,
)
from policy_sim.people.population import Population
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, Granularities, race_comparison

DAYS_PER_YEAR = 365.0  # as Benitez & Malin; 365.25 counts the leap day
FEW_STATES = 8  # of as many states, one is few
_BY_COUNTY = ("state", "county")  # places that are one county or several
_ALL = slice(None)


class OtherList(NamedTuple):
    """Another list that the same people may be on, with separate results for some of the states."""

    listing: Listing
    states: tuple[str, ...]


class MergeKey(NamedTuple):
    """What people are merged by: a linkage key, what its bins and places depend on, and who of them is on a list.

    ``others``: lists in place of ``listing`` by which the people are measured too.
    """

    key: Granularities
    states: tuple[str, ...]
    days_per_year: float = DAYS_PER_YEAR
    conditions: Conditions = NO_CONDITIONS
    listing: Listing | None = None
    others: tuple[OtherList, ...] = ()

    @property
    def units(self) -> int:
        """How many results there are: those of the states, and those of other lists after them."""
        return len(self.states) + sum(len(other.states) for other in self.others)

    @property
    def place(self) -> str:
        """How finely the key sees where people live."""
        return self.key[Field.GEOGRAPHY]


def merge_cells(population: Population, merged_by: MergeKey, by: Split | None = None) -> AnyGroups:
    """Do the same with people in memory, whose cells are by ethnicity where the key shows it."""
    if race_comparison(merged_by.key) is not None:
        return _merge_compared(population, merged_by, by)
    if merged_by.place != "nation" and by is None:
        population, merged_by = _residents(population, merged_by)
        found = _by_county(population, merged_by)
        if found is not None:
            return _merge_counties(*found, merged_by)
    return _merge_cells(population, merged_by, by)


def _by_county(population: Population, merged_by: MergeKey) -> tuple[CountyTable, Set[str]] | None:
    """Return the people by county, and the counties that show as one place of their state.

    None where the key shows another place, or there is no table.
    """
    small = merged_by.conditions.small_places if merged_by.place == "county" else None
    if merged_by.place not in _BY_COUNTY or (small is not None and small.place != "county"):
        return None
    table = county_table(population)
    return None if table is None else (table, small_place_names(population, small) if small else frozenset())


def _merge_cells(population: Population, merged_by: MergeKey, by: Split | None) -> Groups | ListedGroups:
    """Add up the cells of each state that share the part of the key that the census shows.

    A result may hold a part of a group: a state's people of the nation's, one part of a state's people.
    """
    national, states = merged_by.place == "nation", merged_by.states
    unit, rows = (_units(population, states), _ALL) if national else _kept(population, states)
    codes, bins = _seen(population, merged_by, rows)
    group = part = number_combinations(codes if national else [unit, *codes])
    cells = population.cells if isinstance(rows, slice) else population.cells.iloc[rows]
    many, result = 1, unit
    if by is not None:  # people of no part are in no result
        many = len(by.names)
        result = np.where((unit < 0) | (by.codes[rows] < 0), -1, unit * many + by.codes[rows])
    if national or by is not None:
        part = number_combinations([result + 1, group])
    row = _one_row_of(part)
    row = row[result[row] >= 0]
    where = result[row], len(states) * many
    entries = _entries(cells, merged_by.listing, bins)
    whole = [_sums_of(group, weights)[group[row]] for weights in entries]
    own = whole if part is group else [_sums_of(part, weights)[part[row]] for weights in entries]
    return _groups(where, bins[row], whole, own)


def _merge_counties(
    table: CountyTable, small: Set[str], merged_by: MergeKey, released: CountyTable | None = None
) -> Groups | ListedGroups:
    """Do the same with the kinds of people of each county, of which there are fewer.

    ``small``: counties that show as one place of their state. ``released``: those of the people who are; None: all.
    """
    unit = table.units(merged_by.states)
    counties = np.flatnonzero(unit >= 0)
    unit, units = unit[counties], len(merged_by.states)
    together = np.isin(table.names(counties), list(small)) if small else np.zeros(len(counties), dtype=bool)
    if merged_by.place == "state":
        together[:] = True
    inside = (unit[together, None] == np.arange(units)).astype(np.float64)  # sums of whole people are exact

    def added(people: CountyTable) -> tuple[list[FloatArray], FloatArray]:
        sums, bins = sums_seen(people, merged_by, counties)
        if not together.any():
            return sums, bins
        return [np.hstack([values[:, ~together], values[:, together] @ inside]) for values in sums], bins

    sums, bins = added(table)
    own = sums if released is None else added(released)[0]
    if together.any():
        unit = np.append(unit[~together], np.arange(units))
    held = own[0] > 0
    where = np.broadcast_to(unit, held.shape)[held]
    whole = [values[held] for values in sums]
    part = whole if released is None else [values[held] for values in own]
    return _groups((where, units), np.repeat(bins, held.sum(axis=1)), whole, part)


def people_seen(table: CountyTable, merged_by: MergeKey, counties: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the people of some counties by what a key shows of them, the bins (>= 1) of each, and where each kind is.

    Shapes (cells, counties), (cells,) and (kinds,). Whatever the key says of places, a column is a county.
    """
    cell, bins = cells_seen(table.kinds, merged_by)
    people = table.people if len(counties) == table.people.shape[1] else table.people.take(counties, axis=1)
    return added_up(people, cell, len(bins)), bins, cell


def sums_seen(table: CountyTable, merged_by: MergeKey, counties: IntArray) -> tuple[list[FloatArray], FloatArray]:
    """Return what adds up in a group, as :func:`_entries`, by what a key shows and county; and the bins."""
    listing = merged_by.listing
    if listing is None:
        people, bins, _ = people_seen(table, merged_by, counties)
        return [people], bins
    cell, bins = cells_seen(table.kinds, merged_by)
    names = table.names(counties)
    chance, age, stale = listing.of_kinds(table.kinds.cells, names)
    if listing.in_file is not None:
        people = table.in_counties(counties)
        sums = people[..., None] * sums_in_file(chance[age], listing.file_of(names)[None], bins[cell][:, None])
        added = np.zeros((len(bins), len(counties), 1 + sums.shape[-1]))
        np.add.at(added, cell, np.concatenate([people[..., None], sums], axis=-1))
        return list(np.moveaxis(added, -1, 0)), bins
    entries = np.zeros((3, len(bins), len(counties)))
    for row, number, kind in zip(cell.tolist(), age.tolist(), table.people, strict=True):
        ours = kind[counties]
        for entry in entries:
            entry[row] += ours
            ours = ours * chance[number]
    people, listed, squared = entries
    return [people, listed, squared, listed * stale], bins


def cells_seen(kinds: Population, merged_by: MergeKey) -> tuple[IntArray, FloatArray]:
    """Return the cell of a key, counted from 0, that each kind of people is in, and the bins (>= 1) of each cell."""
    codes, bins = _people_seen(kinds, merged_by)
    code = number_combinations(codes)
    _, first, cell = np.unique(code, return_index=True, return_inverse=True)
    return (np.arange(len(code)), bins) if len(first) == len(code) else (cell.reshape(-1), bins[first])


def seen_of_people(population: Population, merged_by: MergeKey) -> tuple[IntArray, FloatArray]:
    """Return what a key shows of the people of each cell besides the place, and the bins (>= 1) hidden inside.

    Cells whose people look alike have the same code, >= 0.
    """
    codes, bins = _people_seen(population, merged_by)
    return number_combinations(codes), bins


def cell_groups(population: Population, merged_by: MergeKey) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the group that each cell of one state is in under a key that shows the state.

    Aligned with the state's cells: number of the group, bins hidden inside it, and people of the cell.
    """
    population, merged_by = _residents(population, merged_by)
    _, rows = _kept(population, merged_by.states)
    codes, bins = _seen(population, merged_by, rows)
    return number_combinations(codes), bins, population.cells["people"].to_numpy(np.int64)[rows]


_ENTRIES = ("people", "listed", "squared", "stale")  # what adds up where nobody says who is in the file


def _entries(cells: pd.DataFrame, listing: Listing | None, bins: FloatArray) -> list[FloatArray]:
    """Return of each cell what adds up in a group: people; on a list also those of :data:`_ENTRIES`.

    Where the listing says who is in the file: people, and the sums of :func:`~.listed_groups.sums_in_file`.
    """
    people = cells["people"].to_numpy(np.float64)
    if listing is None:
        return [people]
    chance, stale = listing.of_cells(cells)
    if listing.in_file is not None:
        names = cells[listing.place].astype(str) if listing.place in cells else cells["zip5"].astype(str).str[:3]
        return [people, *(people * sums_in_file(chance, listing.file_of(names.tolist()), bins).T)]
    return [people, people * chance, people * chance**2, people * chance * stale]


def _groups(
    where: tuple[IntArray, int], bins: FloatArray, sums: Sequence[FloatArray], released: Sequence[FloatArray]
) -> Groups | ListedGroups:
    """Return groups of the sums of their people, and of those who are released; ``where``: unit of each, and units."""
    unit, units = where
    if len(sums) == 1:
        people, own = (side[0].astype(np.int64) for side in (sums, released))
        return Groups(unit, people, bins, people if released is sums else own, units)
    if len(sums) > len(_ENTRIES):
        return GroupsInFile.of(unit, bins, sums[0], sums[1:], released[1:], units)
    everyone, listed, squared, stale = sums
    return ListedGroups(unit, everyone, bins, listed, squared, stale, released[0], released[1], units)


def _merge_compared(population: Population, merged_by: MergeKey, by: Split | None) -> AddedGroups:
    """Return, for each class of a release of race that the list asks in another way, its candidates and its people."""
    if merged_by.place not in ("nation", "state"):  # judged on everyone, not on candidates
        merged_by = merged_by._replace(conditions=judged_on_everyone(merged_by.conditions, population))
    if by is None and merged_by.place != "nation":
        population, merged_by = _residents(population, merged_by)
    without_race = merged_by._replace(key=merged_by.key.replace(race="none"))
    found = _by_county(population, merged_by) if by is None else None
    if found is not None:
        table, small = found
        return AddedGroups(
            tuple(
                _merge_counties(
                    table.of_kinds(of.candidates), small, without_race, table.of_kinds(of.candidates, of.released)
                )
                for of in compared_classes(table.kinds, merged_by.key)
            ),
            overlap=True,
        )
    return AddedGroups(
        tuple(
            _merge_cells(population.of_cells(compared.candidates), without_race, compared.part(by))
            for compared in compared_classes(population, merged_by.key)
        ),
        overlap=True,
    )


def _residents(population: Population, merged_by: MergeKey) -> tuple[Population, MergeKey]:
    """Return the people of the states alone where these are a few of many, so that other cells take no time.

    Small places are then those that the whole population counts few people in: a ZIP code may reach into another
    state.
    """
    if is_laid_out(population) or len(merged_by.states) * FEW_STATES > len(population.states):
        return population, merged_by
    small = merged_by.conditions.small_places
    if small is not None and small.place in ("zip3", "zip5") and merged_by.place not in ("nation", "state"):
        merged_by = merged_by._replace(conditions=judged_on_everyone(merged_by.conditions, population))
    return population.in_states([state for state in merged_by.states if state in population.states]), merged_by


def _kept(population: Population, states: Sequence[str]) -> tuple[IntArray, slice | IntArray]:
    """Return the unit of each cell of the states, and which cells those are."""
    unit = _units(population, states)
    rows = _ALL if (unit >= 0).all() else np.flatnonzero(unit >= 0)
    return unit[rows], rows


def _units(population: Population, states: Sequence[str]) -> IntArray:
    """For each cell the position of its state among ``states``, or -1."""
    column = population.cells["state"].cat
    position = {state: unit for unit, state in enumerate(states)}
    by_code = np.array([position.get(str(name), -1) for name in column.categories], dtype=np.int64)
    return by_code[column.codes.to_numpy()]


def _seen(population: Population, merged_by: MergeKey, rows: slice | IntArray) -> tuple[list[IntArray], FloatArray]:
    """Return what the key shows of some cells as codes (place inside the state, sex, race, age), and their bins."""
    codes, bins = _people_seen(population, merged_by, rows)
    if merged_by.place in ("nation", "state"):
        return codes, bins
    return [visible_places(population, merged_by.place, merged_by.conditions.small_places)[rows], *codes], bins


def _people_seen(
    population: Population, merged_by: MergeKey, rows: slice | IntArray = _ALL
) -> tuple[list[IntArray], FloatArray]:
    """Do the same without the place.

    One lower bound of age may stand for classes of two widths, whose bins must not be mixed.
    """
    age, width = (population.cells[name].to_numpy(np.int64)[rows] for name in ("age", "age_width"))
    widest = int(width.max(initial=0)) + 1
    kind = age * widest + width
    kinds = np.flatnonzero(np.bincount(kind))  # a hundred or so, however many cells
    birth, conditions = merged_by.key[Field.BIRTH], merged_by.conditions
    ages, days = np.divmod(kinds, widest), merged_by.days_per_year
    seen = age_classes(*ages, birth, days, conditions.top_age, conditions.shift_days)
    classes, code_of_kind = np.unique(np.column_stack(seen), axis=0, return_inverse=True)
    code = np.zeros(int(kinds.max(initial=0)) + 1, dtype=np.int64)
    code[kinds] = code_of_kind.reshape(-1)
    age_code = code[kind]
    codes = [of_cell[rows] for of_cell in codes_of_key(population, merged_by.key)]
    return [*codes, age_code], classes[:, 1].astype(np.float64)[age_code]


def _one_row_of(code: IntArray) -> IntArray:
    """Return one row that has it for each code that occurs, in the order of the codes."""
    row = np.full(int(code.max(initial=-1)) + 1, -1)
    row[code] = np.arange(len(code))
    return row[row >= 0]


def _sums_of(code: IntArray, weights: FloatArray) -> FloatArray:
    """Return the sum of the weights of each code; float64 adds whole people exactly up to 2**53."""
    return np.bincount(code, weights=weights).astype(np.float64, copy=False)


# How finely ages are seen: the class that a granularity of birth shows, and the bins hidden inside.


def values_in_a_year(granularity: str, days_per_year: float = DAYS_PER_YEAR) -> float:
    """Return how many values of birth there are in a year of age, for a granularity finer than a year."""
    return {"quarter": 4.0, "month": 12.0, "date": days_per_year}[granularity]


def age_classes(
    age: IntArray,
    width: IntArray,
    granularity: str,
    days_per_year: float = DAYS_PER_YEAR,
    top_age: int | None = None,
    shift_days: int | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return the lower bound of each cell's visible age class, and the bins (>= 1) that hide inside it.

    A cell begins at ``age`` and holds ``width`` years. A year of age has ``days_per_year`` bins for ``date``, 12 for
    ``month`` and 1 for ``year``. A cell wider than the granularity keeps its own class and is split into as many bins
    as it spans. A cell that reaches over ``top_age`` keeps its class too; its years from there on are one bin more.
    Dates shifted by up to ``shift_days`` in either direction have a bin for each window of that many days.
    """
    if granularity == "none":
        return np.zeros_like(age), np.ones(len(age))
    below: IntArray = width if top_age is None else np.clip(top_age - age, 0, width)
    years = np.maximum(below, 1)
    if granularity in YEARS_IN_A_CLASS:
        span = YEARS_IN_A_CLASS[granularity]
        wide = years > span
        lower, bins = np.where(wide, age, age // span * span), np.where(wide, years / span, 1.0)
    else:
        values = values_in_a_year(granularity, days_per_year)
        if shift_days is not None:
            values = max(min(values, days_per_year / (2 * shift_days + 1)), 1.0)
        lower, bins = age, (years * values).astype(np.float64, copy=False)
    if top_age is None:
        return lower, bins
    top, over = below == 0, (below > 0) & (below < width)
    hidden: FloatArray = np.where(top, 1.0, bins + over)
    return np.where(top, top_age, np.where(over, age, lower)), hidden


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
