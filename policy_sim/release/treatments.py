"""The role and treatment of each variable of a file: each has a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policy_sim.files.area_tables import area_table
from policy_sim.records.census_values import RACE_FIELDS
from policy_sim.records.dates import ISO
from policy_sim.release.ladders import (
    Hierarchy,
    age_ladder,
    area_ladder,
    code_ladder,
    date_ladder,
    flat_ladder,
    given_hierarchy,
    number_ladder,
    zip_ladder,
)
from policy_sim.release.schemes import check_scheme, limits_ladder, order_of_words, scheme_ladder
from policy_sim.words.errors import InputError, UnknownNameError

UNDECIDED = "undecided"

ROLES = {
    "direct": "identifies a person by itself: a name, a number, an address",
    "key": "may be known to someone who looks for a person, and narrows down who it is",
    "sensitive": "is not known to others and would harm the person if it were",
    "other": "neither known to others nor sensitive",
}
# The treatments for a variable of each role; the first is the default.
TREATMENTS: Mapping[str, tuple[str, ...]] = {
    UNDECIDED: ("drop",),
    "direct": ("drop", "pseudonym"),
    "key": ("generalize", "drop"),
    "sensitive": ("keep", "drop", "shift"),
    "other": ("keep", "drop", "shift"),
}
AGE_KINDS = ("age", "age_months", "age_days")
DATE_KINDS = ("birth_date", "date")
PLACE_KINDS = ("zip", "zip3", "place", "town", "county", "state")
_OTHERS = ("clinical", "code", "table", "identifier", "text", "flag")
KINDS = ("category", *AGE_KINDS, "number", "year", *DATE_KINDS, *PLACE_KINDS, "sex", *RACE_FIELDS, *_OTHERS)
_WIDTHS = dict.fromkeys(AGE_KINDS, (5, 10, 20)) | {"number": (5, 10, 50, 100), "year": (2, 10, 20)}
_OLDEST = 89  # years; older people are one class
_LENGTHS = {"code": (3, 1), "county": (2,)}


@dataclass(frozen=True)
class Variable:
    """One column of a file, as someone classified it; docs/release-project.md explains the keys.

    ``scheme`` is a vocabulary, or ``common values``; ``limits`` part numbers into classes, the finest list first. A
    value that is none of the kind is left blank where ``unread`` is ``blank``; otherwise it stops the run. ``rows`` are
    the hierarchy of the kind ``table``: a value and one label per level. ``codes`` are the file's codes with their
    meanings in the census, such as ``("1", "M")``. Of an ``accepted`` guess nobody decided about this column itself;
    ``may_be`` is what its values may be, as the person read it who decided, and ``is_not`` what somebody said that they
    are not; at the event of a column of dates or years everybody is at least of the ``youngest`` age. ``areas`` are a
    level between ZIP code or county and nothing, as a policy names them: a size or a file.
    """

    name: str
    role: str
    reason: str
    kind: str = "category"
    treatment: str = ""
    levels: tuple[str, ...] = ()
    widths: tuple[int, ...] = ()
    lengths: tuple[int, ...] = ()
    top: int | None = None
    bottom: int | None = None
    rows: tuple[tuple[str, ...], ...] = ()
    format: str = ISO
    purpose: str = ""
    codes: tuple[tuple[str, str], ...] = ()
    accepted: bool = False
    may_be: tuple[str, ...] = ()
    is_not: tuple[str, ...] = ()
    scheme: str = ""
    limits: tuple[tuple[float, ...], ...] = ()
    unread: str = ""
    ladder_is: str = ""
    youngest: int | None = None
    areas: str = ""

    def __post_init__(self) -> None:
        if self.role not in TREATMENTS:
            raise UnknownNameError("role of a variable", self.role, ROLES)
        if self.kind not in KINDS:
            raise UnknownNameError("kind of a variable", self.kind, KINDS)
        if not self.reason.strip():
            raise InputError(f"variable {self.name} has no reason for its role {self.role}: write one sentence.")
        if not self.treatment:
            object.__setattr__(self, "treatment", TREATMENTS[self.role][0])
        if self.treatment not in TREATMENTS[self.role]:
            raise InputError(
                f"variable {self.name} has the role {self.role} and cannot be treated by {self.treatment!r}: choose "
                f"{' or '.join(TREATMENTS[self.role])}, or another role."
            )
        self._check_settings()

    def _check_settings(self) -> None:
        check_scheme(self.scheme)
        if self.unread not in ("", "blank"):
            raise InputError(
                f'variable {self.name}: unread = "blank" leaves unreadable values blank; leave it out else.'
            )
        if self.areas and self.kind not in ("zip", "county"):
            raise InputError(f"variable {self.name}: areas are for columns of the kind zip or county.")
        if (self.kind == "table") != bool(self.rows) and self.role == "key":
            raise InputError(f"variable {self.name}: the kind table needs a hierarchy, and no other kind has one.")
        is_dated = self.kind in (*DATE_KINDS, "year")
        if self.youngest is not None and not (is_dated and 0 <= self.youngest <= _OLDEST):
            raise InputError(
                f"variable {self.name}: youngest is the age of people at a date or year, from 0 to {_OLDEST}. Give it "
                "to a column of the kind date, birth_date or year."
            )
        if self.treatment == "shift" and self.kind not in DATE_KINDS:
            raise InputError(f"variable {self.name}: only dates are shifted. Give the kind date, or keep it.")
        numbers = (*AGE_KINDS, "number", "year")
        if (self.top is not None or self.bottom is not None or self.widths) and self.kind not in numbers:
            raise InputError(f"variable {self.name}: widths, top and bottom are for {', '.join(numbers)}.")

    @property
    def is_yearly(self) -> bool:
        """Whether nothing finer than the year of a date is released."""
        return bool(self.levels) and not {"day", "week", "month", "quarter"} & set(self.levels)

    @property
    def is_searched(self) -> bool:
        """Whether the search chooses its level."""
        return self.treatment == "generalize"

    def ladder(
        self,
        values: Sequence[str],
        small_zip3: frozenset[str] = frozenset(),
        oldest_year: int | None = None,
        records: Mapping[str, int] | None = None,
    ) -> Hierarchy:
        """Return the variable's hierarchy over the values of a file, with the ``records`` of each.

        ZIP code prefixes in ``small_zip3`` become 000; births in the ``oldest_year`` and before are one class.
        """
        if self.kind == "table":
            return given_hierarchy(self.name, self.rows, order=order_of_words([row[0] for row in self.rows]))
        if self.scheme:
            return scheme_ladder(self.name, values, self.scheme, records or {})
        if self.limits and self.top is None and self.bottom is None:
            return limits_ladder(self.name, values, self.limits)
        if self.kind in DATE_KINDS:
            last = None if oldest_year is None else oldest_year + (self.youngest or 0)
            return date_ladder(self.name, values, self.format, oldest_year=last, yearly=self.is_yearly)
        widths = self.widths or _WIDTHS.get(self.kind, ())
        if self.kind in AGE_KINDS:
            return age_ladder(self.name, values, widths, top=self.top, unit=self.kind)
        if self.kind in _WIDTHS:
            return number_ladder(self.name, values, widths, top=self.top, bottom=self.bottom)
        if self.areas:
            return area_ladder(self.name, values, area_table(f"area:{self.areas}"), self.kind)
        if self.kind in ("zip", "zip3"):
            return zip_ladder(self.name, values, small_zip3, 5 if self.kind == "zip" else 3)
        if self.kind in _LENGTHS:
            digits = 5 if self.kind == "county" else None
            if digits and not all(value.strip()[:4].isdecimal() for value in values):  # names of counties
                return flat_ladder(self.name, values)
            return code_ladder(self.name, values, self.lengths or _LENGTHS[self.kind], digits=digits)
        return flat_ladder(self.name, values)

    def allowed(self, ladder: Hierarchy) -> tuple[int, ...]:
        """Return the levels of a ladder that the variable allows."""
        if not self.levels:
            return tuple(range(ladder.height + 1))
        for name in self.levels:
            if name not in ladder.names:
                raise UnknownNameError(f"level of {self.name}", name, ladder.names)
        return tuple(sorted(ladder.names.index(name) for name in self.levels))


def left_out(name: str, why: str, kind: str = "category") -> Variable:
    """Return a column that a release leaves out, because nobody has decided on it."""
    return Variable(name, UNDECIDED, why, kind)
