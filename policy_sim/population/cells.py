"""The cells of a population: their columns and codes, and the check of a table that a user brings."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from policy_sim.errors import SchemaError

__all__ = ["COLUMNS", "NUMBERS", "OPTIONAL_COLUMNS", "RACES", "SEXES", "as_numbers", "check_cells"]

SEXES = ("M", "F")
# The seven races of census tables PCT12A to PCT12G, in that order.
RACES = ("white", "black", "aian", "asian", "nhpi", "other", "multiple")

# Least and most of each number; no census knows a person of a thousand years or a cell of ten thousand million.
NUMBERS = {"people": (0, 10**10), "age": (0, 999), "age_width": (1, 1000)}

# Required columns, then optional ones. Text columns are categorical in memory.
COLUMNS = ("state", "age", "age_width", "people")
OPTIONAL_COLUMNS = ("county", "tract", "zip3", "zip5", "sex", "race")


def check_cells(cells: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the cells with text columns categorical, or say everything that is wrong with them.

    Raises
    ------
    SchemaError : missing or unknown columns, negative or fractional people, duplicate cells, ages
        or widths out of range, codes that are not text or have blanks around them; all problems at once.
    """
    problems: list[str] = []
    missing = [name for name in COLUMNS if name not in cells.columns]
    if missing:
        problems.append(
            f"columns {', '.join(missing)} are missing; a population needs {', '.join(COLUMNS)} "
            f"and may have {', '.join(OPTIONAL_COLUMNS)}."
        )
        raise SchemaError(where, problems)
    extra = [str(name) for name in cells.columns if name not in COLUMNS + OPTIONAL_COLUMNS]
    if extra:
        problems.append(f"columns {', '.join(extra)} are not allowed; drop or rename them.")
    cells = cells[[name for name in cells.columns if name in COLUMNS + OPTIONAL_COLUMNS]].copy()
    numbers = _numbers(cells)
    keys = [name for name in cells.columns if name != "people"]
    texts = [name for name in keys if name not in NUMBERS]
    problems += [*_wrong_numbers(numbers), *_wrong_texts(cells[texts])]
    for name in NUMBERS:
        if not _outside(name, numbers[name]).any():
            cells[name] = numbers[name].astype("int64")
    for name in texts:
        cells[name] = _category(cells[name])
    if "sex" in cells and (strange := set(cells["sex"].cat.categories) - set(SEXES)):
        problems.append(f"sex {sorted(map(str, strange))[0]!r} is not one of {', '.join(SEXES)}.")
    twice = cells.assign(**numbers[["age", "age_width"]]).duplicated(subset=keys)
    if twice.any():
        problems.append(
            f"{int(twice.sum())} cells appear twice, the first in row {int(twice.to_numpy().argmax()) + 1}; add them "
            f"up."
        )
    if not problems and not cells["people"].sum():
        problems.append("the population is empty: all counts are 0.")
    if problems:
        raise SchemaError(where, problems)
    return cells[cells["people"] > 0].reset_index(drop=True)


def _numbers(cells: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({name: as_numbers(cells[name]) for name in NUMBERS})


def as_numbers(values: pd.Series) -> pd.Series:
    """Return people, ages or widths as numbers, missing where they are none; a date is no age.

    >>> as_numbers(pd.Series([2, "3", "many", 10**400], dtype=object)).tolist()
    [2.0, 3.0, nan, nan]
    """
    if values.dtype.kind in "bmM":
        return pd.Series(np.nan, values.index)
    values = values.astype(object)
    try:
        return pd.to_numeric(values, errors="coerce").astype("float64")
    except OverflowError:  # a whole number that no float holds
        fitting = [None if isinstance(value, int) and abs(value) > sys.float_info.max else value for value in values]
        return pd.to_numeric(pd.Series(fitting, values.index, dtype=object), errors="coerce").astype("float64")


def _outside(name: str, values: pd.Series) -> pd.Series:
    return ~values.between(*NUMBERS[name]) | (values % 1 != 0)


def _wrong_numbers(numbers: pd.DataFrame) -> list[str]:
    problems = []
    for name, (least, most) in NUMBERS.items():
        wrong = _outside(name, numbers[name])
        if wrong.any():
            problems.append(
                f"{int(wrong.sum())} rows have {name} that is not a whole number of {least} or more "
                f"(at most {most:,}), the first in row {int(wrong.to_numpy().argmax()) + 1}."
            )
    return problems


def _wrong_texts(texts: pd.DataFrame) -> list[str]:
    problems = []
    for name, values in texts.items():
        if values.isna().any():
            problems.append(f"{int(values.isna().sum())} rows have no {name}.")
        raw_texts = pd.Series(values.cat.categories) if isinstance(values.dtype, pd.CategoricalDtype) else values
        if pd.api.types.infer_dtype(raw_texts, skipna=True) not in ("string", "empty"):
            problems.append(f"{name} is not text. Write codes as text, so that 01001 keeps its leading zero.")
        elif len(blank := sorted({text for text in raw_texts.dropna().unique() if text != text.strip()})):
            problems.append(
                f"{name} {blank[0]!r} begins or ends with a blank, and would be another {name} than without."
            )
    return problems


def _category(values: pd.Series) -> pd.Series:
    """Return the values as categories; what cannot be one, such as a list, becomes its own text."""
    try:
        return values.astype("category")
    except TypeError:
        return values.astype(str).astype("category")
