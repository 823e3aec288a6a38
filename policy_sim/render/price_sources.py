"""Prices with their dates and sources: a number in the row, and the whole title below the table."""

from __future__ import annotations

import pandas as pd

from policy_sim.render.text_table import Column

__all__ = ["source_columns", "source_lines", "source_numbers"]


def source_columns(rows: pd.DataFrame) -> list[Column]:
    """Return the columns of when each price was seen and of the number of its source.

    Parameters
    ----------
    rows : Rows with ``price_date`` and ``price_source``, which are missing where there is no price.
    """
    numbers = source_numbers(rows)
    dates = tuple("" if pd.isna(date) else str(date) for date in rows["price_date"])
    marks = tuple("" if pd.isna(source) else f"[{numbers[str(source)]}]" for source in rows["price_source"])
    return [Column(("price", "seen"), dates, right=False), Column(("price,", "source"), marks, right=False)]


def source_lines(rows: pd.DataFrame) -> list[str]:
    """Return one line per source of the prices, by its number."""
    return [f"[{number}] {source}" for source, number in source_numbers(rows).items()]


def source_numbers(rows: pd.DataFrame) -> dict[str, int]:
    """Return the number of each source, in the order of the rows."""
    sources = dict.fromkeys(str(source) for source in rows["price_source"] if not pd.isna(source))
    return {source: number for number, source in enumerate(sources, 1)}
