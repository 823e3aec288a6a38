"""What a file's columns and codes mean."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ColumnMapping", "FieldColumn"]


@dataclass(frozen=True)
class FieldColumn:
    """Which column holds a field, and how to read it against a population.

    Parameters
    ----------
    column : The file's column; the field's own name by default.
    codes : What each code of the file means, such as ``{"1": "M"}``.
    format : How dates are written, as in ``strptime``; the program also reads other forms if they are unambiguous.
    width : Years in an age class: 1, 2, 3, 4, 5, 10, 15 or 20. Values begin with the lower bound of the class.
    top : Age from which everyone is in one class, such as 90.
    """

    column: str
    codes: Mapping[str, str] = field(default_factory=dict)
    format: str = "%Y-%m-%d"
    width: int = 1
    top: int | None = None


@dataclass(frozen=True)
class ColumnMapping:
    """A column mapping: what a file's columns and codes mean.

    ``missing`` lists the codes for a missing value, in addition to a null. ``reference_date`` is the day on which
    ages are taken; None means the population's own date.
    """

    fields: Mapping[str, FieldColumn] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)
    separator: str | None = None
    reference_date: dt.date | None = None

    def column(self, name: str) -> FieldColumn:
        """Return the column of a field; without an entry, the column with the field's name.

        If no entry has exactly the field's name, case does not matter.
        """
        entry = self.entry(name)
        return FieldColumn(name) if entry is None else entry

    def entry(self, name: str) -> FieldColumn | None:
        """Return the entry of a field in the mapping, or None if it has none."""
        folded = {field_name.casefold(): column for field_name, column in self.fields.items()}
        return self.fields.get(name, folded.get(name.casefold()))
