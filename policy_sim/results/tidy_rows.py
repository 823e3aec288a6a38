"""Rows as a tidy table: a kind for every column, and a missing value that is missing and not NaN."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

__all__ = ["kinds_of", "tidy_rows"]


def tidy_rows(rows: Iterable[Sequence[Any]], kinds: Mapping[str, str]) -> pd.DataFrame:
    """Return rows as a table.

    Parameters
    ----------
    rows : As many values in each as there are columns; None where there is no value.
    kinds : Names of the columns in their order, and the kind of each, as pandas calls it.

    Examples
    --------
    >>> tidy_rows([("OH", None)], {"state": "string", "people": "Int64"}).dtypes.astype(str).tolist()
    ['string', 'Int64']
    """
    return pd.DataFrame([*rows], columns=list(kinds), dtype=object).astype(dict(kinds))


def kinds_of(
    names: Iterable[str],
    *,
    text: Collection[str] = (),
    whole: Collection[str] = (),
    flags: Collection[str] = (),
) -> dict[str, str]:
    """Return the kind of each column: a text, a whole number or a truth where it is named, and a number elsewhere.

    >>> kinds_of(["state", "g", "best", "share"], text=["state"], whole=["g"], flags=["best"])
    {'state': 'string', 'g': 'Int64', 'best': 'boolean', 'share': 'Float64'}
    """
    named = dict.fromkeys(text, "string") | dict.fromkeys(whole, "Int64") | dict.fromkeys(flags, "boolean")
    return {name: named.get(name, "Float64") for name in names}
