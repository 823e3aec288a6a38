"""The answer to one question about a file of records: tables, notes, and their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from policy_sim.results.shown import Shown

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["FileResult"]

_Answer = TypeVar("_Answer", covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class FileResult(Shown, Generic[_Answer]):
    """The answer to one question about a file of records.

    A notebook and ``print`` show its main table; ``to_frame()`` returns that table. No table contains a value of a
    record, unless the question includes the names of groups.

    Parameters
    ----------
    question : ``profile``, ``score``, ``estimate`` or ``simulate``.
    answer : The figures as objects; the method of ``RecordFile`` that answers the question describes them.
    tables : Every table by name, the main one first. Shares are 0..1; a missing figure is ``pd.NA``.
    notes : How the program read the file, and what a reader of the figures should know.
    options : The options of the question, for a manifest.
    files : The files that the answer comes from, by the names that outputs give them; None for a file on another
        machine or a table of a database.

    Examples
    --------
    >>> import pandas as pd
    >>> FileResult("profile", None, {"figures": pd.DataFrame({"number": [4]})}).question
    'profile'
    """

    question: str
    answer: _Answer
    tables: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Path | None] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """Return the main table: one row per figure, attacker and state, estimator, or error.

        Returns
        -------
        The table; shares are 0..1.

        Examples
        --------
        >>> import pandas as pd
        >>> FileResult("profile", None, {"figures": pd.DataFrame({"number": [4]})}).to_frame()["number"].tolist()
        [4]
        """
        return next(iter(self.tables.values()))

    def _headline(self) -> str:
        rows = len(self.to_frame())
        more = list(self.tables)[1:]
        others = f"; more in .tables: {', '.join(more)}" if more else ""
        return f"{self.question} of {', '.join(self.files)}: {rows:,} row{'s' if rows != 1 else ''}{others}"
