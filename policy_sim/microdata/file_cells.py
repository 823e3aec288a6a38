"""The classes of a file put into the cells of the census, and why some have none."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.errors import InputError
from policy_sim.microdata.cells import ALIASES, BIRTH_FIELDS, reader
from policy_sim.microdata.census import FileCells
from policy_sim.microdata.classes import Classes
from policy_sim.microdata.mapping import ColumnMapping
from policy_sim.states import STATES

__all__ = ["file_cells"]

_BY_FIPS = {state.fips: postal for postal, state in STATES.items()}


def file_cells(
    classes: Classes,
    values: Mapping[str, Sequence[str]],
    mapping: ColumnMapping,
    states: Sequence[str],
    date: dt.date,
) -> FileCells:
    """Read every class of a file in the words of the census.

    Parameters
    ----------
    classes : The file's classes.
    values : For each field its values as text, in the order of their codes.
    mapping : What the file's codes mean.
    states : Postal codes of the states that are asked about; the one in which all records lie, where
        no field tells the state. None means any.
    date : The day on which ages are taken; the mapping's own goes before it.

    Raises
    ------
    InputError : no field tells the state and not exactly one is given.
    """
    outside = np.full(classes.number, "", dtype=object)
    rows: dict[str, NDArray[np.object_]] = {}
    for at, name in enumerate(classes.fields):
        read = reader(name, mapping.column(name), mapping.reference_date or date)
        meanings = np.array([None, *(read(text) for text in values[name])], dtype=object)
        found = meanings[classes.codes[:, at]]
        reason = np.where(classes.codes[:, at] == 0, f"{name} is missing", f"{name} is not understood")
        _say(outside, found == None, reason)  # noqa: E711 - elementwise
        rows["age" if name in BIRTH_FIELDS else ALIASES.get(name, name)] = found
    rows["state"] = _states(rows, outside, states, classes.number)
    if states:
        _say(outside, ~np.isin(rows["state"].astype(str), list(states)), "in a state that was not asked for")
    rows["records"] = classes.sizes.astype(object)
    table = pd.DataFrame(rows).astype({"records": np.int64})
    tops = [mapping.column(name).top for name in classes.fields if name in BIRTH_FIELDS]
    top = next((age for age in tops if age is not None), None)
    if top is not None and "age" in table:
        table["age"] = [age if age is None else min(age, top) for age in table["age"]]
    return FileCells(table, outside, top)


def _states(
    rows: Mapping[str, NDArray[np.object_]], outside: NDArray[np.object_], states: Sequence[str], number: int
) -> NDArray[np.object_]:
    """The state of each class: its own field's, its county's, or the one given."""
    place = rows.get("county", rows.get("tract"))
    if place is not None:
        of_place = np.array([_BY_FIPS.get(str(code)[:2]) for code in place], dtype=object)
        _say(outside, of_place == None, "the county is in no state")  # noqa: E711 - elementwise
        if "state" in rows:
            _say(outside, of_place != rows["state"], "the county lies in another state")
        return of_place
    if "state" in rows:
        return rows["state"]
    if len(states) != 1:
        raise InputError("no field tells the state: name one state with --state, or add state or county to --fields.")
    return np.full(number, states[0], dtype=object)


def _say(outside: NDArray[np.object_], where: NDArray[np.bool_], reason: NDArray[np.str_] | str) -> None:
    """Give a reason to classes that have none yet."""
    new = where & (outside == "")
    outside[new] = reason[new] if isinstance(reason, np.ndarray) else reason
