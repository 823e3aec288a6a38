"""What an attack is worth to whoever runs it: gain, costs, penalty."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError


@dataclass(frozen=True)
class Stakes:
    """Dollars that an attacker gains and pays, besides the price of its list.

    Parameters
    ----------
    gain_usd : For each record matched correctly.
    cost_per_attempt_usd : For each record attacked, right or wrong: checking, contact.
    loss_per_wrong_usd : For each record matched to a wrong person: what a wrong name costs.
    penalty_usd : Fine for each person named, where the attacker is caught.
    penalty_cap_usd : The most that all fines together come to; none: no limit.
    chance_caught : Chance (0..1) of being caught and fined.
    source : Where the amounts come from.

    Raises
    ------
    InputError : an amount that is not a number of 0 or more; a chance outside 0 to 1.

    Examples
    --------
    With the amounts of Wan et al. 2015, no record pays whose chance of a correct match is 4/300 or less:

    >>> WAN_2015.break_even_chance == 4 / 300
    True
    """

    gain_usd: float
    cost_per_attempt_usd: float = 0.0
    loss_per_wrong_usd: float = 0.0
    penalty_usd: float = 0.0
    penalty_cap_usd: float | None = None
    chance_caught: float = 0.0
    source: str = "assumed"

    def __post_init__(self) -> None:
        for name in ("gain_usd", "cost_per_attempt_usd", "loss_per_wrong_usd", "penalty_usd", "penalty_cap_usd"):
            amount = getattr(self, name)
            if amount is not None and not (isfinite(amount) and amount >= 0):
                raise InputError(f"{name} = {amount} must be a number of dollars of 0 or more.")
        if not 0 <= self.chance_caught <= 1:
            raise InputError(f"chance_caught = {self.chance_caught} must be a chance from 0 to 1.")

    @property
    def amounts(self) -> dict[str, float | None]:
        """The dollars and the chance by name, for a manifest: notes say where each comes from."""
        return {name: amount for name, amount in asdict(self).items() if name != "source"}

    @property
    def break_even_chance(self) -> float | None:
        """The chance of a correct match at which a record pays for its own attempt, without the capped part of a fine.

        None where no chance does: a gain of 0 with costs above 0, or a fine that takes the whole gain.
        """
        gain = self.gain_usd + self.loss_per_wrong_usd - self.chance_caught * self.penalty_usd
        cost = self.cost_per_attempt_usd + self.loss_per_wrong_usd
        if cost == 0:
            return 0.0 if gain >= 0 else None
        return cost / gain if gain > 0 and cost <= gain else None

    def profit(self, attacked: FloatArray, matched: FloatArray) -> FloatArray:
        """Return the dollars left before the price of the list, of ``n`` records attacked and ``m`` matched correctly.

        They are ``gain m - cost n - loss (n - m) - caught min(cap, fine m)``, for aligned arrays of both.
        """
        fines = self.penalty_usd * matched
        fines = fines if self.penalty_cap_usd is None else np.minimum(fines, self.penalty_cap_usd)
        spent = self.cost_per_attempt_usd * attacked + self.loss_per_wrong_usd * (attacked - matched)
        left: FloatArray = self.gain_usd * matched - spent - self.chance_caught * fines
        return left


WAN_2015 = Stakes(300.0, 4.0, source="Wan et al. 2015 (PLoS ONE 10(3): e0120592)")


# A dollar amount of the economics of an attack, with its date and source.


AMOUNT_KINDS = ("gains", "costs", "penalties", "publisher")
READINGS = ("document", "quoted", "excerpt")


@dataclass(frozen=True)
class DollarAmount:
    """What somebody gains, pays or loses, as one source says it.

    Parameters
    ----------
    name : In commands and tables.
    kind : One of :data:`AMOUNT_KINDS`.
    what : What is worth or costs so much.
    per : What it is counted by: a correct match, an attempt, a violation, a record, a resource, an attack.
    usd_low, usd_high : US dollars of the year of ``date``; None where no source gives an amount.
    cap_usd : The most in one year; None without one.
    date, source, address : When it held, and who says so.
    read : How the source was read: the ``document`` itself, ``quoted`` by another work, or an ``excerpt``.
    note : What limits its use.
    """

    name: str
    kind: str
    what: str
    per: str
    usd_low: float | None
    usd_high: float | None
    cap_usd: float | None
    date: str
    source: str
    address: str
    read: str
    note: str

    def cite(self) -> str:
        """Return the amount with its date and source, in one line.

        Examples
        --------
        >>> DollarAmount("a", "gains", "", "correct match", 1, 15, None, "2007", "Report", "", "quoted", "").cite()
        'a: $1 to $15 per correct match (2007; Report; quoted)'
        """
        ends = [f"${end:,.2f}".removesuffix(".00") for end in (self.usd_low, self.usd_high) if end is not None]
        amount = f"{' to '.join(dict.fromkeys(ends))} per {self.per}" if ends else "amount unknown"
        return f"{self.name}: {amount} ({self.date}; {self.source}; {self.read})"


# How many of a state's people are in the released file, for an attacker who knows that its target is.
#
# A hospital or a registry holds a part of the people, and a neighbor may know that the target is a patient. The
# attacker then compares the target with the people of the file only (docs/model.md).


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

        ``amount``: a share (0.01; 1 is everyone), or a whole number of records above 1 (11000).
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
        """Return the chance that one of a state's people is in the file."""
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
    """Return the chance of being in the file in each state, shape (states,); None without a file."""
    if file is None:
        return None
    return np.array([file.share_of(inhabitants[state], state) for state in states], dtype=np.float64)
