"""Place the classes of a file in the cells of the census, with a reason for those that have no cell."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.errors import InputError
from policy_sim.records.census_groups import FileCells
from policy_sim.records.census_values import BIRTH_FIELDS, known_field, read_ages, read_field
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
    county_of: Callable[[str, str], str | None] | None = None,
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
    county_of : The code of a county in a state, by its name; None leaves names of counties without a cell.

    Raises
    ------
    InputError : no field shows the state, and not exactly one is given.
    """
    outside = np.full(classes.number, "", dtype=object)
    rows: dict[str, NDArray[np.object_]] = {}
    notes: list[str] = []
    unread: dict[str, int] = {}
    named = _named_counties(classes, values, mapping, states, county_of)
    for at, name in enumerate(classes.fields):
        reading = read_ages(name, mapping.column(name), values[name], mapping.reference_date or date)
        meanings = np.array([None, *reading.meanings], dtype=object)[classes.codes[:, at]]
        if known_field(name) == "county":
            meanings = np.where(meanings == None, named, meanings)  # noqa: E711 - elementwise
        reason = np.array([f"{name} is missing", *reading.reasons], dtype=object)[classes.codes[:, at]]
        _say(outside, meanings == None, reason)  # noqa: E711 - elementwise
        rows["age" if known_field(name) in BIRTH_FIELDS else known_field(name)] = meanings
        notes += reading.notes
        unread[name] = len(set(classes.codes[(meanings == None) & (classes.codes[:, at] > 0), at].tolist()))  # noqa: E711
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


def _named_counties(
    classes: Classes,
    values: Mapping[str, Sequence[str]],
    mapping: ColumnMapping,
    states: Sequence[str],
    county_of: Callable[[str, str], str | None] | None,
) -> NDArray[np.object_]:
    """Return the code of each class's county by its name, in the class's state or the one that is given."""
    codes = np.full(classes.number, None, dtype=object)
    place = {known_field(name): (at, name) for at, name in enumerate(classes.fields)}
    if county_of is None or "county" not in place:
        return codes
    at, name = place["county"]
    column = mapping.column(name)
    texts = np.array(["", *(column.codes.get(text, text) for text in values[name])], dtype=object)[classes.codes[:, at]]
    of_class = np.full(classes.number, states[0] if len(states) == 1 else None, dtype=object)
    if "state" in place:
        at, name = place["state"]
        meanings = read_field(name, mapping.column(name), values[name]).meanings
        of_class = np.array([None, *meanings], dtype=object)[classes.codes[:, at]]
    code_of: dict[tuple[str, str], str | None] = {}
    for row, pair in enumerate(zip(of_class, texts, strict=True)):
        if pair[0] is not None:
            if pair not in code_of:
                code_of[pair] = county_of(*pair)
            codes[row] = code_of[pair]
    return codes


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
