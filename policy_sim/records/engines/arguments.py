"""The arguments of questions about a file of records, checked where they enter."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.mapping import load_mapping
from policy_sim.records.profile import Threshold
from policy_sim.words.arguments import name_of
from policy_sim.words.errors import InputError

_LONGEST = 1_000  # characters of a text


def check_text(name: str, value: Any) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        raise InputError(f"{name} must be a nonempty text of one line, not {_kind(value)}.")
    return value


def check_count(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return a whole number of at least ``least``, and at most ``most``."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        raise InputError(f"{name} must be a whole number of {least} or more, not {_kind(value)}.")
    if most is not None and number > most:
        raise InputError(f"{name} must be a whole number of at most {most:,}, not {_kind(value)}.")
    return number


def key_fields(value: Any) -> tuple[str, ...]:
    """Return the names of key fields; a text is split at commas."""
    names = value.split(",") if isinstance(value, str) else texts_of("fields", value)
    fields = tuple(name.strip() for name in names if name.strip())
    if not fields:
        raise InputError("fields must name at least one key field, such as age,sex,county.")
    return fields


def texts_of(name: str, value: Any) -> tuple[str, ...]:
    """Return texts as a tuple; one text stands for itself."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise InputError(f"{name} must be a list of texts, not {_kind(value)}.")
    texts = tuple(value)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} must be a list of texts, but one item is not a text.")
    return texts


def mapping_of(value: Any) -> ColumnMapping:
    """Return a column mapping as it is, or read it from its file."""
    if value is None:
        return ColumnMapping()
    if isinstance(value, ColumnMapping):
        return value
    return load_mapping(Path(name_of("mapping", value, "'map.toml', or a ColumnMapping")))


def threshold_of(name: str, value: Any) -> Threshold:
    """Return a threshold written as a risk or as ``k=``."""
    if isinstance(value, Threshold):
        return value
    if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) > _LONGEST:
        raise InputError(f"{name} must be a risk, such as 0.09 or '1/11' or 'k=11', not {_kind(value)}.")
    return Threshold.parse(str(value))


def shares_of(name: str, values: Any, *, single: bool = False) -> list[float]:
    """Return distinct shares above 0 and below 1; a ``single`` one may be 1."""
    rule = f"{name} must be {'a number above 0 and at most 1' if single else 'distinct numbers between 0 and 1'}"
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise InputError(f"{rule}, not {_kind(values)}.")
    shares = []
    for share in values:
        if isinstance(share, bool) or not isinstance(share, int | float) or not math.isfinite(share):
            raise InputError(f"{rule}, not {_kind(share)}.")
        if not (0 < share < 1 or (single and share == 1)):
            raise InputError(f"{rule}, not {share!r}.")
        shares.append(float(share))
    if len(set(shares)) < len(shares):
        raise InputError(f"{rule}: one of them appears twice.")
    return shares


def _kind(value: Any) -> str:
    """Return a number or a short text as it is written, and the type of anything else."""
    if value is None or isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str) and len(value) <= 40:
        return repr(value)
    return f"a {type(value).__name__}"
