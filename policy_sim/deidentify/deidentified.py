"""De-identify a table: draw a sample, search the key fields, mask identifiers, shift dates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from policy_sim.arrays import BoolArray, IntArray
from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.date_shift import days_of_people, shifted_dates
from policy_sim.deidentify.generalization import Generalization
from policy_sim.deidentify.key_cells import KeyCells
from policy_sim.deidentify.local_suppression import generalized, with_cells_suppressed
from policy_sim.deidentify.node_search import SearchResult, search_lattice
from policy_sim.deidentify.person_cells import PersonCells
from policy_sim.deidentify.pseudonyms import SecretKey, can_be_listed, pseudonym_column
from policy_sim.deidentify.risk_targets import RiskTarget
from policy_sim.deidentify.treatments import Variable
from policy_sim.errors import InputError

__all__ = ["Deidentified", "Treatment", "deidentify", "key_cells_of", "people_of_rows"]


@dataclass(frozen=True)
class Treatment:
    """How to treat a whole file.

    Parameters
    ----------
    variables : Every column of the file.
    target : The target of the released file; None releases every row at the levels that the variables allow.
    limit : Largest share of records to suppress, at least 0 and below 1.
    loss : How the losses of the fields combine.
    local : Suppress single cells instead of whole records where that is enough.
    person : The column that identifies the person of a row; empty if each row is a different person.
    shift_days : Largest shift of dates, in days.
    sample : Share of the people to draw, above 0 and at most 1.
    seed : Seed of the draw, >= 0.
    small_zip3 : ZIP code prefixes to write as 000.
    oldest_year : Births in this year and before are one class.
    """

    variables: tuple[Variable, ...]
    target: RiskTarget | None
    limit: float = 0.05
    loss: str = "geometric"
    local: bool = False
    person: str = ""
    shift_days: int = 180
    sample: float = 1.0
    seed: int = 0
    small_zip3: frozenset[str] = field(default=frozenset(), repr=False)
    oldest_year: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.sample <= 1:
            raise InputError(f"sample = {self.sample}: give the share of people that is drawn, above 0 and at most 1.")
        if self.local and self.person:
            raise InputError("single cells are suppressed only where each row is a person: leave out local or person.")
        if any(variable.treatment == "shift" for variable in self.variables) and not self.person:
            raise InputError("dates are shifted by person: name the column that identifies the person of a row.")

    @property
    def searched(self) -> tuple[Variable, ...]:
        """The key variables to generalize."""
        return tuple(variable for variable in self.variables if variable.is_searched)

    @property
    def needs_key(self) -> bool:
        """Whether the treatment needs a secret key."""
        return any(variable.treatment in ("pseudonym", "shift") for variable in self.variables)


@dataclass(frozen=True, eq=False)
class Deidentified:
    """A de-identified file.

    Parameters
    ----------
    table : The released rows and columns.
    rows : Which rows of the original file are released.
    drawn : Which rows are in the sample.
    generalization : Levels and suppression of the drawn rows; None if no field is generalized.
    search : The result of the search for the node; None without a search.
    cells : The drawn records by key, with their population.
    notes : What a reader should know, without any value.
    loss : Mean over the drawn records and the key fields, as released; None if no field is generalized.
    """

    table: CodedTable
    rows: BoolArray = field(repr=False)
    drawn: BoolArray = field(repr=False)
    generalization: Generalization | None
    search: SearchResult | None
    cells: KeyCells | None = field(repr=False)
    notes: tuple[str, ...] = ()
    loss: float | None = None


def deidentify(
    table: CodedTable,
    treatment: Treatment,
    key: SecretKey | None = None,
    population: tuple[CodedTable, IntArray] | None = None,
    progress: Callable[[str], object] = lambda _: None,
) -> Deidentified:
    """Return the de-identified file.

    Parameters
    ----------
    table : The file.
    treatment : How to treat it. Every column must be one of its variables.
    key : The secret key for pseudonyms and shifted dates.
    population : People by the key fields, as text in the file's own codes, and the number of people of each row. By
        default the original file is the population of its sample.
    progress : Called with each step of long work.

    Raises
    ------
    InputError : a column that is not classified, or a value that is not of its kind.
    NotEstimableError : no generalization meets the target.
    """
    _check_classified(table, treatment)
    people = people_of_rows(table, treatment.person)
    drawn = _drawn(people, treatment)
    part = table.take(drawn)
    if population is None and treatment.sample < 1:
        population = table, np.ones(table.rows, dtype=np.int64)
    result, cells, generalization, loss = None, None, None, None
    changed, released = part, np.ones(part.rows, dtype=np.bool_)
    if treatment.searched:
        cells, row_cell, levels = key_cells_of(part, treatment, people[drawn], population)
        result, generalization = _generalized(cells, row_cell, levels, treatment, progress)
        changed, released = generalization.apply(part), generalization.released
        loss = generalization.loss(part)
    progress("masking identifiers")
    changed, notes = _masked(changed, part.take(released), treatment, key)
    rows = drawn.copy()
    rows[drawn] = released
    return Deidentified(changed, rows, drawn, generalization, result, cells, notes, loss)


def people_of_rows(table: CodedTable, person: str) -> IntArray:
    """Return a number for the person of each row; a row without a person counts as a person of its own.

    Examples
    --------
    >>> people_of_rows(CodedTable({"mrn": CodedColumn.of(["7", "7", ""])}), "mrn").tolist()
    [0, 0, 3]
    """
    if not person:
        return np.arange(table.rows, dtype=np.int64)
    codes = table[person].codes.astype(np.int64)
    return np.where(codes > 0, codes - 1, len(table[person].values) + np.arange(table.rows))


def key_cells_of(
    table: CodedTable,
    treatment: Treatment,
    people: IntArray,
    population: tuple[CodedTable, IntArray] | None = None,
) -> tuple[KeyCells, IntArray, list[tuple[int, ...]]]:
    """Return the records by key with their population, the cell of each row, and the allowed levels.

    Raises
    ------
    InputError : values that are not of their variable's kind.
    """
    ladders, levels = [], []
    for variable in treatment.searched:
        values = set(table[variable.name].values)
        if population is not None:
            values |= set(population[0][variable.name].values)
        ladder = variable.ladder(sorted(values), treatment.small_zip3, treatment.oldest_year)
        ladders.append(ladder)
        levels.append(variable.allowed(ladder))
    several = len(np.unique(people)) < table.rows
    cells, row_cell = KeyCells.of_table(table, ladders)
    if several:
        cells = PersonCells.of_people(table, ladders, people)
    if population is not None:
        others, weights = population
        counted, of_row = KeyCells.of_table(others, ladders)
        cells = cells.with_population(counted.codes, np.bincount(of_row, weights=weights).astype(np.int64))
    return cells, row_cell, levels


def _generalized(
    cells: KeyCells,
    row_cell: IntArray,
    levels: Sequence[tuple[int, ...]],
    treatment: Treatment,
    progress: Callable[[str], object],
) -> tuple[SearchResult | None, Generalization]:
    target = treatment.target
    if target is None:  # the finest level that each variable allows
        return None, generalized(cells, tuple(choices[0] for choices in levels), None, row_cell)
    result = search_lattice(cells, target, treatment.limit, treatment.loss, levels, progress=progress)
    whole = generalized(cells, result.node, target, row_cell)
    return result, with_cells_suppressed(cells, whole, target, row_cell) if treatment.local else whole


def _check_classified(table: CodedTable, treatment: Treatment) -> None:
    named = [variable.name for variable in treatment.variables]
    unclassified = [name for name in table.names if name not in named]
    absent = [name for name in [*named, *filter(None, [treatment.person])] if name not in table.names]
    if unclassified:
        raise InputError(f"not classified: {', '.join(unclassified)}. Give each column a role and a reason.")
    if absent:
        raise InputError(f"the file has no column {', '.join(dict.fromkeys(absent))}. Correct the name or remove it.")


def _drawn(people: IntArray, treatment: Treatment) -> BoolArray:
    """Draw whole people, with a share as close as possible to that of the sample."""
    if treatment.sample == 1:
        return np.ones(len(people), dtype=np.bool_)
    every = np.unique(people)
    number = max(round(treatment.sample * len(every)), 1)
    rng = np.random.Generator(np.random.PCG64(treatment.seed))
    return np.isin(people, rng.choice(every, number, replace=False))


def _masked(
    changed: CodedTable, before: CodedTable, treatment: Treatment, key: SecretKey | None
) -> tuple[CodedTable, tuple[str, ...]]:
    """Drop, replace or shift the columns that are not generalized."""
    if treatment.needs_key and key is None:
        raise InputError("pseudonyms and shifted dates need a secret key. Name a file for it.")
    notes: list[str] = []
    new: dict[str, CodedColumn] = {}
    for variable in treatment.variables:
        column = before[variable.name]
        if variable.treatment == "pseudonym" and key is not None:
            new[variable.name] = pseudonym_column(column, key, variable.purpose or variable.name)
            if can_be_listed(column.values):
                notes.append(
                    f"warning: the values of {variable.name} can be listed one by one, so anyone with the key can "
                    "undo every pseudonym; guard the key like the identifiers, or drop the column"
                )
        elif variable.treatment == "shift" and key is not None:
            new[variable.name] = shifted_dates(variable.name, column, _days(before, treatment, key), variable.format)
    dropped = [variable.name for variable in treatment.variables if variable.treatment == "drop"]
    return changed.with_columns(new).without(dropped), tuple(notes)


def _days(table: CodedTable, treatment: Treatment, key: SecretKey) -> IntArray:
    """Return the shift of each row's person in days; each row without a person gets its own."""
    column = table[treatment.person]
    named = days_of_people(column.values, key, treatment.shift_days)
    if not column.missing:
        return named[column.codes - 1]
    alone = days_of_people([f"row {at}" for at in range(table.rows)], key, treatment.shift_days)
    return np.where(column.codes > 0, np.append(named, 0)[column.codes - 1], alone)
