"""How many of a state's people are in the released file, for an attacker who knows that its target is.

A hospital or a registry holds a part of the people, and a neighbor may know that the target is a patient. The
attacker then compares the target with the people of the file only (docs/model.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.errors import InputError

__all__ = ["SMALL_FILE", "InFile", "InFileLike", "shares_in_file"]

_MOST = 1_000_000_000  # more than the people of any state


@dataclass(frozen=True)
class InFile:
    """A file of a share of each state's people, or of a number of them. Make one with :meth:`of`.

    Parameters
    ----------
    share : Chance, above 0 and up to 1, that a person of the state is in the file; none where a number is given.
    records : People in the file of each state, 2 or more; none where a share is given.

    Raises
    ------
    InputError : both, neither, or a value outside its range.

    Examples
    --------
    >>> InFile.of(0.01).share_of(1_000_000), InFile.of(11_000).share_of(1_000_000)
    (0.01, 0.011)
    """

    share: float | None = None
    records: int | None = None

    def __post_init__(self) -> None:
        if (self.share is None) == (self.records is None):
            raise InputError("give the size of a file as a share of the people or as a number, not both.")
        if self.share is not None and not 0 < self.share <= 1:
            raise InputError(f"in the file = {self.share:g}: give a share above 0 and up to 1, such as 0.01.")
        if self.records is not None and not 1 < self.records <= _MOST:
            raise InputError(f"in the file = {self.records:,}: give 2 to {_MOST:,} records, or a share up to 1.")

    @classmethod
    def of(cls, amount: InFileLike) -> InFile | None:
        """Return the file that is meant; None for None, which is everyone without such knowledge.

        Parameters
        ----------
        amount : A share (0.01; 1 is everyone), or a whole number of records above 1 (11000).

        Raises
        ------
        InputError : no number, a number outside its range, or records that are not whole.
        """
        if amount is None or isinstance(amount, InFile):
            return amount
        what = "give a share of the people above 0 and up to 1, such as 0.01, or a whole number of records, such as"
        if isinstance(amount, bool) or not isinstance(amount, Real) or not math.isfinite(amount) or amount <= 0:
            value_text = amount if isinstance(amount, Real) else type(amount).__name__
            raise InputError(f"in the file = {value_text}: {what} 11000.")
        value = float(amount)
        if value <= 1:
            return cls(share=value)
        if value % 1:
            raise InputError(f"in the file = {value:g}: {what} {math.floor(value)}.")
        return cls(records=int(value))

    def share_of(self, people: float, place: str = "the state") -> float:
        """Return the chance that one of a state's people is in the file.

        Raises
        ------
        InputError : the file has more people than the state.
        """
        if self.records is None:
            return float(self.share or 0.0)
        if self.records > people:
            raise InputError(
                f"a file of {self.records:,} people is more than the {people:,.0f} people of {place}: give a smaller "
                "number, or a share such as 0.01."
            )
        return self.records / people

    @property
    def title(self) -> str:
        """The file in words.

        >>> InFile.of(0.01).title, InFile.of(11000).title
        ("1% of each state's people", '11,000 people of each state')
        """
        if self.records is not None:
            return f"{self.records:,} people of each state"
        return f"{100 * (self.share or 0.0):.6g}% of each state's people"

    @property
    def value(self) -> float | int:
        """The number that makes the same file again with :meth:`of`."""
        return self.records if self.records is not None else float(self.share or 0.0)


InFileLike: TypeAlias = float | InFile | Any | None
# The file of the comparison's first table, next to everyone.
SMALL_FILE = InFile(share=0.01)


def shares_in_file(file: InFile | None, inhabitants: Mapping[str, int], states: Iterable[str]) -> FloatArray | None:
    """Return the chance of being in the file in each state, shape (states,); None without a file.

    Raises
    ------
    InputError : the file has more people than one of the states.
    """
    if file is None:
        return None
    return np.array([file.share_of(inhabitants[state], state) for state in states], dtype=np.float64)
