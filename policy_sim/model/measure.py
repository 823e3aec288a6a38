"""What is measured, and a figure of it: :class:`Measure` and :class:`Bounds`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import islice
from operator import index
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import pandas as pd

from policy_sim.words.arguments import number, short
from policy_sim.words.errors import InputError, OutputError, UnknownNameError
from policy_sim.words.states import STATES, is_whole, state_title

if TYPE_CHECKING:
    from pathlib import Path


LEVEL = 0.95
FEW_CLAIMS = 10.0  # expected claims: below, no share of them that is right and no dollars for each
NOBODY = 1e-9  # expected people: the last digits of the arithmetic
MOST_G = 1_000_000_000  # more than the people of any state
_MOST_SIZES = 100_000
_NAMES = ("total-risk", "g-distinct", "claims", "correct-claims", "precision")


def chance(level: float) -> float:
    """Return the chance that an interval holds a figure: above 0 and below 1."""
    probability = number("level", level, 0, 1, above=True)
    if probability == 1:
        raise InputError("level = 1: no interval is certain to contain a figure; give a number below 1, such as 0.95.")
    return probability


def reach(variance: float, level: float = LEVEL) -> float:
    """Return how far a normal interval reaches to either side."""
    return NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)


@dataclass(frozen=True, order=True)
class Measure:
    """What is measured: ``g-distinct`` with its g, or one of the others without.

    Parameters
    ----------
    name : ``total-risk`` (correct links, if the attacker guesses within equal groups), ``g-distinct`` (people
        with fewer than g others of their key), ``claims`` (records with whose values exactly one person is
        listed), ``correct-claims`` (those of them that are right) or ``precision`` (the right claims over all).
        All but precision, a share, count people.
    g : The group size of ``g-distinct``, 1 or more; none for the others.

    Raises
    ------
    UnknownNameError : a name that is not a measure; the message lists all.
    InputError : ``g-distinct`` without a group size, or another measure with one.

    Examples
    --------
    >>> Measure.of("total-risk"), Measure.of("5-distinct")
    (Measure('total-risk'), Measure('5-distinct'))
    >>> Measure.of("5-distinct") == Measure("g-distinct", 5) == Measure.distinct(5)
    True
    """

    name: str
    g: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.name not in _NAMES:
            raise UnknownNameError("measure", _word(self.name), _NAMES)
        if self.name == "g-distinct":
            (size,) = group_sizes((self.g,))
            object.__setattr__(self, "g", size)
        elif self.g is not None:
            raise InputError(f"{self.name} has no group size, and g = {self.g!r} was given: leave it out.")

    @classmethod
    def distinct(cls, g: int) -> Measure:
        """Return the measure g-distinct for one group size: people who share their key with fewer than g others."""
        return cls("g-distinct", g)

    @classmethod
    def of(cls, measure: str | Measure) -> Measure:
        """Return the measure with this name, such as ``total-risk`` or ``5-distinct``."""
        if isinstance(measure, Measure):
            return measure
        size, _, kind = _word(measure).partition("-")
        if kind == "distinct" and size.isdecimal() and len(size) <= len(str(MOST_G)):
            return cls("g-distinct", int(size))
        if isinstance(measure, str) and measure in _NAMES and measure != "g-distinct":
            return cls(measure)
        plain = [name for name in _NAMES if name != "g-distinct"]
        raise UnknownNameError("measure", _word(measure), [*plain, "1-distinct", "3-distinct", "5-distinct"])

    @property
    def columns(self) -> dict[str, Any]:
        """The measure as the columns of a table."""
        return {"measure": self.name, "g": self.g}

    def __str__(self) -> str:
        return self.name if self.g is None else f"{self.g}-distinct"

    def __repr__(self) -> str:
        return f"Measure({str(self)!r})"


TOTAL_RISK, CLAIMS, CORRECT_CLAIMS, PRECISION = (
    Measure(name) for name in ("total-risk", "claims", "correct-claims", "precision")
)


def _word(value: object) -> str:
    return value if isinstance(value, str) else short(value)


def group_sizes(g: object) -> tuple[int, ...]:
    """Return group sizes from one whole number or several, each 1 or more."""
    many = isinstance(g, Iterable) and not isinstance(g, str | bytes)
    items: tuple[Any, ...] = tuple(islice(g, _MOST_SIZES + 1)) if isinstance(g, Iterable) and many else (g,)
    try:
        sizes = tuple(index(size) for size in items if not isinstance(size, bool))
    except TypeError:
        sizes = ()
    if len(sizes) != len(items) or not 0 < len(sizes) <= _MOST_SIZES or not 1 <= min(sizes) <= max(sizes) <= MOST_G:
        raise InputError(f"g = {short(g)}: give whole numbers from 1 to {MOST_G:,}, such as 5 or [1, 3, 5].")
    return sizes


@dataclass(frozen=True)
class Bounds:
    """A figure with the unknown fields of a list withheld (``low``) and released (``high``).

    >>> Bounds(1.0, 2.0).per(4)
    Bounds(low=0.25, high=0.5)
    """

    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Self:
        """Return a figure in which nothing is unknown."""
        return cls(value, value)

    @classmethod
    def over(cls, figures: Iterable[Bounds]) -> Self:
        """Return the least and the greatest end of some figures.

        >>> Bounds.over([Bounds(2.0, 1.0), Bounds(3.0, 3.0)])
        Bounds(low=1.0, high=3.0)
        """
        ends = [end for figure in figures for end in (figure.low, figure.high)]
        return cls(min(ends), max(ends))

    def per(self, whole: float) -> Bounds:
        """Divide both ends."""
        return Bounds(self.low / whole, self.high / whole)

    def within(self, variance: Bounds, level: float = LEVEL) -> Bounds:
        """Return what holds both ends with chance ``level`` each, given their variances; never below 0."""
        lower, upper = min(self.low, self.high), max(self.low, self.high)
        at_lower, at_upper = (variance.low, variance.high) if self.low <= self.high else (variance.high, variance.low)
        return Bounds(max(lower - reach(at_lower, level), 0.0), upper + reach(at_upper, level))


def places_among(own: Bounds, others: Iterable[Bounds]) -> tuple[int, int]:
    """Return the best and the worst place that a figure may have among others, the largest first.

    >>> places_among(Bounds(0.5, 0.5), [Bounds(0.6, 0.7), Bounds(0.4, 0.55), Bounds(0.1, 0.1)])
    (2, 3)
    """
    ends = [(min(other.low, other.high), max(other.low, other.high)) for other in others]
    low, high = min(own.low, own.high), max(own.low, own.high)
    return 1 + sum(least > high for least, _ in ends), 1 + sum(most > low for _, most in ends)


class Extreme(NamedTuple):
    """The largest or smallest of some figures, as far as their ends tell: whose, its ends, and who may exceed it."""

    name: str
    figure: Bounds
    rivals: tuple[str, ...]


def largest(figures: Mapping[str, Bounds]) -> Extreme:
    """Return the figure that is the largest at its lower end, and those that may be larger.

    >>> largest({"VA": Bounds(0.681, 0.681), "AL": Bounds(0.684, 0.689), "KY": Bounds(0.55, 0.709)})
    Extreme(name='AL', figure=Bounds(low=0.684, high=0.689), rivals=('KY',))
    """
    name = max(figures, key=lambda place: min(figures[place].low, figures[place].high))
    least = min(figures[name].low, figures[name].high)
    rivals = (other for other, figure in figures.items() if other != name and max(figure.low, figure.high) > least)
    return Extreme(name, figures[name], tuple(rivals))


def smallest(figures: Mapping[str, Bounds]) -> Extreme:
    """Return the figure that is the smallest at its upper end, and those that may be smaller."""
    name, figure, rivals = largest({name: Bounds(-own.high, -own.low) for name, own in figures.items()})
    return Extreme(name, Bounds(-figure.high, -figure.low), rivals)


def ends_of_figure(name: str, figure: Bounds | None, low: str = "", high: str = "_high") -> dict[str, float | None]:
    """Return both ends of a figure under the names of their columns; None for each where there is no figure.

    >>> ends_of_figure("share", Bounds(0.25, 0.5))
    {'share': 0.25, 'share_high': 0.5}
    """
    ends = (None, None) if figure is None else (figure.low, figure.high)
    return dict(zip((name + low, name + high), ends, strict=True))


# Rows as a tidy table: a kind for every column, and a missing value that is missing and not NaN.

_TEXT = """
after assumed assumed_people assumption attacker baseline baseline_verdict basis becomes before by changed_law
changed_source claim_reason claim_status county date denominator_policy deterred_policy field id linkage_key list
lists measure moment notify numerator_policy otherwise paper penalty policy population price_date price_date_after
price_date_before price_source price_status price_status_after price_status_before printed reason recorded
restricted_to state status status_after status_before title unit unknown_fields value verdict what where why
"""
_KINDS = (
    dict.fromkeys(_TEXT.split(), "string")
    | dict.fromkeys(("break_even_records", "g", "letters", "members", "rank", "runs"), "Int64")
    | dict.fromkeys(("agrees", "best", "bought", "choice", "meets_needs", "secondary"), "boolean")
)


def tidy_rows(rows: Iterable[Mapping[str, Any]], columns: str, **kinds: str) -> pd.DataFrame:
    """Return rows as a table: texts, whole numbers and truths by the name of the column, and numbers elsewhere.

    ``columns``: names in their order; what only some rows have besides, such as the ends of an interval, comes last.
    ``kinds``: of columns that hold something else here than elsewhere, as pandas calls it.
    """
    values = list(rows)
    names = list(dict.fromkeys([*columns.split(), *(name for row in values for name in row)]))
    table = pd.DataFrame([[row.get(name) for name in names] for row in values], columns=names, dtype=object)
    return with_place(table.astype({name: (_KINDS | kinds).get(name, "Float64") for name in names}))


def with_place(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ``state_name`` and ``fips`` beside ``state``: the county's code where a row is a county.

    >>> with_place(pd.DataFrame({"state": ["OH", "US"]})).fillna("missing").to_numpy().tolist()
    [['OH', 'Ohio', '39'], ['US', 'missing', 'missing']]
    """
    if "state" not in rows:
        return rows
    states = rows["state"].astype("string")
    fips = states.map({postal: state.fips for postal, state in STATES.items()}).astype("string")
    if "by" in rows and "value" in rows:
        fips = fips.mask((rows["by"] == "county").fillna(False), rows["value"].astype("string"))
    if "county" in rows:
        fips = rows["county"].astype("string").fillna(fips)
    place = list(rows.columns).index("state")
    titles = {postal: state.name for postal, state in STATES.items()}
    titles |= {name: state_title(name) for name in states.dropna().unique() if is_whole(name)}
    names = states.map(titles).astype("string")
    for name, column in (("fips", fips), ("state_name", names)):
        rows.insert(place + 1, name, column)
    return rows


# How results show themselves: a table, a CSV file, a short text, and HTML in a notebook.


_LINES, _ROWS, _COLUMNS, _WIDEST = 6, 20, 10, 24


class Shown:
    """A result that is a table: ``to_frame()`` has every row, its text and its HTML show the first ones.

    Subclasses give :meth:`to_frame`; rows are tidy, and a missing figure is next to its status.
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the result as tidy rows."""
        raise NotImplementedError

    def to_csv(self, path: str | Path) -> None:
        """Write every row as CSV, as ``--format csv`` does: texts that a spreadsheet would run are quoted."""
        from policy_sim.words.arguments import name_of
        from policy_sim.words.text import with_safe_texts

        file = name_of("path", path, "'rows.csv'")
        try:
            with_safe_texts(self.to_frame()).to_csv(file, index=False)
        except (OSError, ValueError) as error:  # no such folder, no room, a name that no file can have
            raise OutputError(f"{file}: {error}. Name a file in a folder that exists.") from error

    def _headline(self) -> str:
        rows = len(self.to_frame())
        return f"{type(self).__name__}: {rows:,} row{'s' if rows != 1 else ''}"

    def __repr__(self) -> str:
        frame = self.to_frame()
        more = "" if len(frame) <= _LINES else " (.to_frame() has every row)"
        if frame.empty:
            return self._headline()
        rows = frame.head(_LINES).dropna(axis=1, how="all").iloc[:, :_COLUMNS]
        table = rows.to_string(
            index=False, max_colwidth=_WIDEST, line_width=10_000, na_rep="-", float_format="{:.6g}".format
        )
        return f"{self._headline()}{more}\n{table}"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first rows and how many there are."""
        frame = self.to_frame()
        table = frame.head(_ROWS).dropna(axis=1, how="all").to_html(index=False, border=0, na_rep="")
        more = "" if len(frame) <= _ROWS else f" The first {_ROWS} are shown; <code>.to_frame()</code> has every row."
        return f"<p>{escape(self._headline())}.{more}</p>\n{table}"


class Row(Shown):
    """A result with its place in a table: ``columns`` are those of the table of many, in their order."""

    __slots__ = ()
    columns: ClassVar[str]

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """Return the rows of this result: values by column; a figure that does not exist is None."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return the rows of this result alone."""
        return self.table([self])

    @classmethod
    def table(cls, results: Iterable[Self]) -> pd.DataFrame:
        """Return the rows of many results, in their order."""
        return tidy_rows((row for result in results for row in result.rows()), cls.columns)
