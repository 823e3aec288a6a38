"""How results show themselves: a table, a CSV file, a short text, and HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Self, SupportsIndex, TypeVar, overload

from policy_sim.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["Results", "Rows", "Shown"]

_Item = TypeVar("_Item", covariant=True)
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
        """Write every row as CSV, as ``--format csv`` does: texts that a spreadsheet would run are quoted.

        Raises
        ------
        InputError : not the name of a file.
        OutputError : the file cannot be written.
        """
        from policy_sim.arguments import name_of
        from policy_sim.spreadsheet import with_safe_texts

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


class Results(tuple[_Item, ...], Shown):
    """Several results of one kind: a tuple that is a table too.

    Iterates, indexes and compares as a tuple; a slice is a collection again. Subclasses name the
    function that makes rows of their items.

    Examples
    --------
    >>> from policy_sim.results import Bounds, Costs
    >>> Costs(), len(Costs()), Costs()[:1] == ()
    (Costs: 0 rows, 0, True)
    """

    __slots__ = ()
    _kind: ClassVar[str] = ""

    def __new__(cls, items: Iterable[_Item] = (), **_more: Any) -> Self:
        """Hold the items in their order."""
        return super().__new__(cls, items)

    @overload
    def __getitem__(self, place: SupportsIndex) -> _Item: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_Item, ...]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> _Item | tuple[_Item, ...]:
        """Return one item, or the collection of a slice."""
        if isinstance(place, slice):
            return type(self)(super().__getitem__(place), **self._carried())
        return super().__getitem__(place)

    def _carried(self) -> dict[str, Any]:
        """What a part of the collection takes along."""
        return {}

    __repr__ = Shown.__repr__


@dataclass(frozen=True, repr=False, eq=False)
class Rows(Shown):
    """A result that is a table and nothing else.

    Parameters
    ----------
    rows : Tidy rows.
    title : What they are, in a few words.
    """

    rows: pd.DataFrame
    title: str = "Rows"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows.

        Returns
        -------
        The table.

        Examples
        --------
        >>> import pandas as pd
        >>> Rows(pd.DataFrame({"state": ["OH"]}), "Made").to_frame()["state"].tolist()
        ['OH']
        """
        return self.rows

    def __len__(self) -> int:
        return len(self.rows)

    def _headline(self) -> str:
        return f"{self.title}: {len(self.rows):,} row{'s' if len(self.rows) != 1 else ''}"
