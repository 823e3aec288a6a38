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
    codes : The file's code for each of the population's, such as ``{"1": "M"}``.
    format : How dates are written, as in ``strptime``; other forms are read too where they are certain.
    width : Years that an age class holds, 1, 2, 3, 4, 5, 10, 15 or 20; the column begins with the lower bound.
    top : Age from which on all are in one class, such as 90.
    """

    column: str
    codes: Mapping[str, str] = field(default_factory=dict)
    format: str = "%Y-%m-%d"
    width: int = 1
    top: int | None = None


@dataclass(frozen=True)
class ColumnMapping:
    """A column mapping: what a file's columns and codes mean.

    ``missing`` are the codes for a missing value, in addition to a null. ``reference_date`` is the
    day on which ages are taken; the population's own date where it is None.
    """

    fields: Mapping[str, FieldColumn] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)
    separator: str | None = None
    reference_date: dt.date | None = None

    def column(self, name: str) -> FieldColumn:
        """Return where a field is found; without an entry, in the column of its own name.

        An entry's name is the field's without regard to case, where no entry has the very name.
        """
        entry = self.entry(name)
        return FieldColumn(name) if entry is None else entry

    def entry(self, name: str) -> FieldColumn | None:
        """Return what the mapping says of a field, or None where it says nothing."""
        folded = {field_name.casefold(): column for field_name, column in self.fields.items()}
        return self.fields.get(name, folded.get(name.casefold()))
