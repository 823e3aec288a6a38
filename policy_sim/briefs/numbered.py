"""The numbers of a brief: each is in a sentence as a link to its row in the appendix."""

from __future__ import annotations

from dataclasses import dataclass, field

from policy_sim.model.measure import Bounds
from policy_sim.show.document.blocks import DocumentTable, link
from policy_sim.show.numbers import Formatter, interval

__all__ = ["Numbers"]


@dataclass
class Numbers:
    """Collects the numbers of a brief in the order in which they appear.

    Examples
    --------
    >>> numbers = Numbers()
    >>> numbers.put("1,442", "people matched", "section 4", "us-2020")
    '[[n1|1,442]]'
    >>> numbers.appendix().rows
    (('1,442', 'people matched', 'section 4', 'us-2020'),)
    """

    _rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def put(self, text: str, what: str, formula: str, source: str) -> str:
        """Take a number and return it as a link to its row; the same number with the same meaning has one row."""
        row = (text, what, formula, source)
        if row not in self._rows:
            self._rows.append(row)
        return link(f"n{self._rows.index(row) + 1}", text)

    def between(self, figure: Bounds, write: Formatter, what: str, formula: str, source: str) -> str:
        """Take a figure with two ends; one number where they are written alike."""
        return self.put(interval(figure.low, figure.high, write), what, formula, source)

    def appendix(self) -> DocumentTable:
        """Return every number with what it counts, how it is computed, and from what."""
        return DocumentTable(
            ("number", "what it is", "how it is computed", "from"),
            tuple(self._rows),
            "Every number of this brief. Section numbers are those of docs/model.md.",
            tuple(f"n{place}" for place in range(1, len(self._rows) + 1)),
            frozenset({0}),
        )
