"""What a file's columns and codes mean."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from policy_sim.errors import InputError, UnknownNameError

__all__ = ["ColumnMapping", "FieldColumn", "column_place"]


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
    ages are taken; None means the population's own date. ``sheet`` is the sheet of a workbook with several. ``person``
    is the column that identifies the person, where a person has several rows.
    """

    fields: Mapping[str, FieldColumn] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)
    separator: str | None = None
    reference_date: dt.date | None = None
    sheet: str = ""
    person: str = ""

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


def column_place(where: str, name: str, held: Sequence[str], *, names_shown: bool = True) -> int:
    """Return the place of a column among the names of a file: the exact name wins, otherwise case does not matter.

    Parameters
    ----------
    where : What messages call the file.
    name : The name that a command or mapping gives.
    held : The names in the file.
    names_shown : Whether a message may show the names in the file.

    Raises
    ------
    UnknownNameError : there is none.
    InputError : the name appears twice, or two names differ from it in case only.

    Examples
    --------
    >>> column_place("f.csv", "age", ["SEX", "Age"]), column_place("f.csv", "age", ["Age", "age"])
    (1, 1)
    """
    places = [at for at, held_name in enumerate(held) if held_name == name]
    if len(places) > 1:
        raise InputError(f"{where}: column {name!r} appears twice in the header: rename one.")
    places = places or [at for at, held_name in enumerate(held) if held_name.casefold() == name.casefold()]
    if not places:
        hidden = "" if names_shown else "The first line looks like a record, but it must name the columns."
        raise UnknownNameError(f"{where}: column", name, filter(None, held) if names_shown else (), allowed=hidden)
    if len(places) > 1:
        alike = " and ".join(repr(held[at]) for at in places)
        raise InputError(f"{where}: column {name!r} may be {alike}. Write the name exactly, or rename one.")
    return places[0]
