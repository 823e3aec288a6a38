"""Score a file of records against the census: the steps from its classes to its notes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.arrays import IntArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.errors import InputError
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import Population
from policy_sim.records.census_values import file_granularities, known_field
from policy_sim.records.classes import Classes
from policy_sim.records.column_mapping import ColumnMapping
from policy_sim.records.file_cells import file_cells
from policy_sim.records.mapped import looks_missing
from policy_sim.records.record_rows import score_rows
from policy_sim.records.score import FileScore, OutsideCells, attackers_scores, outside_cells, riskiest_groups

__all__ = ["ClassesInEngine", "ScoredFile", "date_of_ages", "outside_notes", "score_against_census"]

# The program looks for signs of a missing value only in fields with at most this many values.
_MOST_VALUES = 100_000
_SHOWN_ROWS = 10


class ClassesInEngine(Protocol):
    """The classes of a file inside the engine that counted them."""

    @property
    def name(self) -> str:
        """The name of the file in messages."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The key fields."""

    @property
    def values(self) -> tuple[int, ...]:
        """Number of values of each field."""

    def progress(self, step: str) -> None:
        """Report a step of the work."""

    def classes(self, most: int) -> Classes:
        """Return every class as codes and a size."""

    def values_of(self, field: str) -> list[str]:
        """Return the values of a field as text, in the order of their codes."""

    def rows(self, codes: NDArray[np.int32]) -> list[int]:
        """Return the row numbers (from 1) of the records in the given classes."""

    def class_of_rows(self, classes: Classes) -> IntArray:
        """Return the place of each record's class, in the order of the file."""


@dataclass(frozen=True, eq=False)
class ScoredFile:
    """A file scored against the census.

    Parameters
    ----------
    scores : One per attacker and state.
    placed : The file in the cells of the population, and its groups on the key that it shows.
    outside : Row number (from 1) and reason of each record without a cell.
    notes : How the program read the file, and how many records are outside.
    rows : Index of each record's class, -1 for a record that is left out; None unless records are listed.
    """

    scores: tuple[FileScore, ...]
    placed: OutsideCells
    outside: tuple[tuple[int, str], ...]
    notes: tuple[str, ...]
    rows: IntArray | None = None

    def riskiest(self, most: int, *, names: bool = False) -> pd.DataFrame:
        """Return the groups whose records the attacker is most likely to match."""
        return riskiest_groups(self.placed.groups, self.placed.cells, most, names=names)

    def record_frame(self) -> pd.DataFrame:
        """Return one row per record (:func:`~policy_sim.records.record_rows.score_rows`)."""
        assert self.rows is not None, "score with list_records=True"
        return score_rows(self.scores, self.placed.cells.outside, self.rows)

    def outside_frame(self) -> pd.DataFrame:
        """Return one row per record without a cell: its row number in the file, from 1, and the reason."""
        return pd.DataFrame(self.outside, columns=["row", "reason"])


def score_against_census(
    file: ClassesInEngine,
    mapping: ColumnMapping,
    people: Population,
    attackers: Sequence[Attacker],
    states: Sequence[str],
    *,
    most: int,
    complete: bool = False,
    buyer: str | None = None,
    days_per_year: float = DAYS_PER_YEAR,
    list_records: bool = False,
    county_of: Callable[[str, str], str | None] | None = None,
) -> ScoredFile:
    """Look up every class in the census, and score the file under each attacker.

    Parameters
    ----------
    file : The classes inside the engine, grouped with row numbers.
    mapping : What the file's columns and codes mean.
    people : The population.
    states : Postal codes of the states of the records; none if the file's fields show the state.
    most : Largest number of classes to hold in memory.
    complete : Leave out records that miss a key field.
    buyer : Class of buyer whose price applies.
    list_records : Also name the class of each record.
    county_of : The code of a county in a state, by its name.

    Raises
    ------
    InputError : fields that the census does not know, no state, or no record with a cell.
    NotEstimableError : more classes than ``most``.
    """
    granularities = file_granularities(file.fields, mapping.fields, bool(states))
    people_in_states = people.in_states(states) if states else people
    date = date_of_ages(people_in_states, file.fields, mapping.reference_date)
    classes = file.classes(most)
    values = {name: file.values_of(name) for name in file.fields}
    few = {name: values[name] for name, number in zip(file.fields, file.values, strict=True) if number <= _MOST_VALUES}
    hints = looks_missing(classes, few, mapping)
    rows = file.class_of_rows(classes) if list_records else None
    if complete:
        no_missing = (classes.codes > 0).all(axis=1)
        rows = None if rows is None else np.where(no_missing, np.cumsum(no_missing) - 1, -1)[rows]
        classes = classes.complete()
    file.progress("looking the classes up in the census")
    placed = outside_cells(
        file_cells(classes, values, mapping, states, date, county_of), people_in_states, granularities, days_per_year
    )
    _check_any_inside(file.name, classes.records, placed, complete=complete)
    outside = _outside_rows(file, classes.codes, placed.cells.outside)
    file.progress("linking the records under each attacker")
    scores = attackers_scores(
        placed, people_in_states, granularities, attackers, buyer=buyer, days_per_year=days_per_year, whole=people
    )
    notes = (
        f"the file shows {granularities}; {_when(date)}; {days_per_year:g} birthdays a year",
        *placed.cells.notes,
        *hints,
        *outside_notes(placed.records_by_reason, outside),
    )
    return ScoredFile(tuple(scores), placed, outside, notes, rows)


def _when(date: dt.date) -> str:
    """Say on which day ages are taken; the earliest possible date stands for none."""
    return "ages are those of the file" if date == dt.date.min else f"ages are taken on {date}"


def _outside_rows(file: ClassesInEngine, codes: NDArray[np.int32], outside: np.ndarray) -> tuple[tuple[int, str], ...]:
    reasons = sorted(set(outside) - {""})
    return tuple(sorted((row, str(reason)) for reason in reasons for row in file.rows(codes[outside == reason])))


def date_of_ages(people: Population, fields: Sequence[str], stated_date: dt.date | None) -> dt.date:
    """Return the day on which ages are taken: the mapping's if it gives one, else the population's.

    Raises
    ------
    InputError : birth dates or years, and neither the mapping nor the population has a date.
    """
    if stated_date:
        return stated_date
    try:
        return dt.date.fromisoformat(people.provenance.date)
    except ValueError:
        if not {"birth_date", "birth_month", "birth_year"} & set(map(known_field, fields)):
            return dt.date.min  # ages are in the file
        raise InputError(
            f"population {people.name} has no date, so ages are unknown: give reference_date in the mapping."
        ) from None


def _check_any_inside(name: str, records: int, placed: OutsideCells, *, complete: bool) -> None:
    """Raise an error if no record of a file has a cell, and say what each field lacks, without a value.

    Parameters
    ----------
    name : What messages call the file.
    records : Records in the score.
    placed : The file in the cells of the population.
    complete : Whether records that miss a key field are left out.

    Raises
    ------
    InputError : no record, or none with a cell.
    """
    if not records:
        left = " without a missing key field" if complete else ""
        raise InputError(f"{name}: there is no record{left}.")
    if (placed.cells.outside == "").any():
        return
    unread = [
        f"{field}: {number:,} value{'s were' if number > 1 else ' was'} not understood; explain them in the mapping"
        for field, number in placed.cells.unread.items()
        if number
    ]
    counted = [
        f"{number:,}: {reason}"
        for reason, number in placed.records_by_reason.items()
        if not reason.endswith("is not understood")
    ]
    reasons = "; ".join([*unread, *counted])
    raise InputError(f"{name}: none of the {records:,} records has a cell in the population. {reasons}.")


def outside_notes(records: Mapping[str, int], outside: Sequence[tuple[int, str]]) -> list[str]:
    """Say how many records have no cell, why, and which (by row number)."""
    total = sum(records.values())
    if not total:
        return ["records outside the population's cells: none"]
    notes = [f"records outside the population's cells, not in the figures: {total:,}"]
    notes += [f"  {number:,}: {reason}" for reason, number in sorted(records.items(), key=lambda item: -item[1])]
    first = ", ".join(f"{row:,}" for row, _ in outside[:_SHOWN_ROWS])
    return [*notes, f"  rows (the header not counted): {first}{', ...' if len(outside) > _SHOWN_ROWS else ''}"]
