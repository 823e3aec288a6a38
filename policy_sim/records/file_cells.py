"""Place the classes of a file in the cells of the census, with a reason for those that have no cell."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.errors import InputError
from policy_sim.records.census_groups import FileCells
from policy_sim.records.census_values import BIRTH_FIELDS, known_field, read_ages
from policy_sim.records.classes import Classes
from policy_sim.records.column_mapping import ColumnMapping
from policy_sim.states import POSTAL_OF_FIPS

__all__ = ["file_cells"]


def file_cells(
    classes: Classes,
    values: Mapping[str, Sequence[str]],
    mapping: ColumnMapping,
    states: Sequence[str],
    date: dt.date,
) -> FileCells:
    """Place every class of a file in a census cell.

    Parameters
    ----------
    classes : The file's classes.
    values : The values of each field as text, in the order of their codes.
    mapping : What the file's codes mean.
    states : Postal codes of the states to score. If no field shows the state, give the one state of all records. None
        means any state.
    date : The day on which ages are taken, unless the mapping gives one.

    Raises
    ------
    InputError : no field shows the state, and not exactly one is given.
    """
    outside = np.full(classes.number, "", dtype=object)
    rows: dict[str, NDArray[np.object_]] = {}
    notes: list[str] = []
    unread: dict[str, int] = {}
    for at, name in enumerate(classes.fields):
        reading = read_ages(name, mapping.column(name), values[name], mapping.reference_date or date)
        meanings = np.array([None, *reading.meanings], dtype=object)[classes.codes[:, at]]
        reason = np.array([f"{name} is missing", *reading.reasons], dtype=object)[classes.codes[:, at]]
        _say(outside, meanings == None, reason)  # noqa: E711 - elementwise
        rows["age" if known_field(name) in BIRTH_FIELDS else known_field(name)] = meanings
        notes += reading.notes
        unread[name] = reading.unread
    rows["state"] = _states(rows, outside, states, classes.number)
    if states:
        _say(outside, ~np.isin(rows["state"].astype(str), list(states)), "in another state than those named")
    rows["records"] = classes.sizes.astype(object)
    table = pd.DataFrame(rows).astype({"records": np.int64})
    tops = [mapping.column(name).top for name in classes.fields if known_field(name) in BIRTH_FIELDS]
    top = next((age for age in tops if age is not None), None)
    if top is not None and "age" in table:
        # Objects, because a list of numbers and None would become numbers and NaN.
        table["age"] = pd.Series([age if age is None else min(age, top) for age in table["age"]], dtype=object)
    return FileCells(table, outside, top, tuple(notes), unread)


def _states(
    rows: Mapping[str, NDArray[np.object_]], outside: NDArray[np.object_], states: Sequence[str], number: int
) -> NDArray[np.object_]:
    """Return the state of each class: that of its own field, that of its county, or the given one."""
    place = rows.get("county", rows.get("tract"))
    if place is not None:
        of_place = np.array([POSTAL_OF_FIPS.get(str(code)[:2]) for code in place], dtype=object)
        _say(outside, of_place == None, "the county is in no state")  # noqa: E711 - elementwise
        if "state" in rows:
            _say(outside, of_place != rows["state"], "the county lies in another state")
        return of_place
    if "state" in rows:
        return rows["state"]
    if len(states) != 1:
        raise InputError("no field shows the state: name one state, or add state or county to the fields.")
    return np.full(number, states[0], dtype=object)


def _say(outside: NDArray[np.object_], where: NDArray[np.bool_], reason: NDArray[np.object_] | str) -> None:
    """Set the reason of classes that have none yet."""
    new = where & (outside == "")
    outside[new] = reason[new] if isinstance(reason, np.ndarray) else reason
