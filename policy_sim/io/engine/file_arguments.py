"""The arguments of questions about a file of records, checked where they enter."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.column_mapping_files import load_mapping
from policy_sim.records.column_mapping import ColumnMapping
from policy_sim.records.prosecutor import Threshold

__all__ = [
    "check_choice",
    "check_count",
    "check_text",
    "key_fields",
    "mapping_of",
    "shares_of",
    "texts_of",
    "threshold_of",
]


def check_choice(kind: str, given: Any, known: Iterable[str]) -> None:
    """Refuse a name that is not known.

    Raises
    ------
    UnknownNameError : says which names are known.
    """
    names = list(known)
    if not isinstance(given, str) or given not in names:
        raise UnknownNameError(kind, str(given), names)


def check_text(name: str, given: Any) -> str:
    """Return a text that is not empty.

    Raises
    ------
    InputError : it is empty, or not a text.
    """
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"{name} must be a text that is not empty, not {_kind(given)}.")
    return given


def check_count(name: str, given: Any, least: int = 1) -> int:
    """Return a whole number of at least ``least``.

    Raises
    ------
    InputError : it is not one.
    """
    try:
        number = operator.index(given)
    except TypeError:
        number = None
    if number is None or isinstance(given, bool) or number < least:
        raise InputError(f"{name} must be a whole number of {least} or more, not {_kind(given)}.")
    return number


def key_fields(given: Any) -> tuple[str, ...]:
    """Return the names of key fields; a text is split at commas.

    Raises
    ------
    InputError : no name, or one that is not a text.
    """
    names = given.split(",") if isinstance(given, str) else texts_of("fields", given)
    fields = tuple(name.strip() for name in names if name.strip())
    if not fields:
        raise InputError("fields must name at least one key field, such as age,sex,county.")
    return fields


def texts_of(name: str, given: Any) -> tuple[str, ...]:
    """Return texts as a tuple; one text stands for itself.

    Raises
    ------
    InputError : not texts.
    """
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise InputError(f"{name} must be a list of texts, not {_kind(given)}.")
    texts = tuple(given)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} must be a list of texts, and one of them is not a text.")
    return texts


def mapping_of(given: Any) -> ColumnMapping:
    """Return a column mapping as it is, or read it from its file.

    Raises
    ------
    InputError : neither a mapping nor the name of a file.
    SchemaError : the file is not a mapping.
    """
    if given is None:
        return ColumnMapping()
    if isinstance(given, ColumnMapping):
        return given
    if not isinstance(given, str | Path) or not str(given):
        raise InputError(f"mapping must be a TOML file or a ColumnMapping, not {_kind(given)}.")
    return load_mapping(Path(given))


def threshold_of(name: str, given: Any) -> Threshold:
    """Return a threshold written as a risk or as ``k=``.

    Raises
    ------
    InputError : not a risk above 0 and up to 1.
    """
    if isinstance(given, Threshold):
        return given
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise InputError(f"{name} must be a risk, such as 0.09 or '1/11' or 'k=11', not {_kind(given)}.")
    return Threshold.parse(str(given))


def shares_of(name: str, given: Any, *, one: bool = False) -> list[float]:
    """Return distinct shares above 0 and below 1.

    Parameters
    ----------
    one : A share of 1 is allowed too.

    Raises
    ------
    InputError : no shares, or one out of range.
    """
    rule = f"{name} must be {'a number above 0 and at most 1' if one else 'distinct numbers between 0 and 1'}"
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise InputError(f"{rule}, not {_kind(given)}.")
    shares = []
    for each in given:
        if isinstance(each, bool) or not isinstance(each, int | float) or not math.isfinite(each):
            raise InputError(f"{rule}, not {_kind(each)}.")
        if not (0 < each < 1 or (one and each == 1)):
            raise InputError(f"{rule}, not {each!r}.")
        shares.append(float(each))
    if len(set(shares)) < len(shares):
        raise InputError(f"{rule}: one is given twice.")
    return shares


def _kind(given: Any) -> str:
    """Return a number or a short text as it is written, and the type of anything else."""
    if given is None or isinstance(given, int | float):
        return repr(given)
    if isinstance(given, str) and len(given) <= 40:
        return repr(given)
    return f"a {type(given).__name__}"
