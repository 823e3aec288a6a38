"""How much of the people a voter list holds: everyone, adults, or those who are registered.

Benitez & Malin 2010 link everyone. A list holds people of 18 and over who registered; MODEL.md
section 7 takes them as listed at random with the probability ``c``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ADULTS", "COVERAGES", "VOTING_AGE", "Coverage"]

VOTING_AGE = 18
COVERAGES = ("everyone", "adults", "registered")


@dataclass(frozen=True)
class Coverage:
    """Who is on the lists, besides the rule that nobody under 18 is.

    Parameters
    ----------
    name : ``adults`` or ``registered``.
    title : What it is, with source and year.
    registered : Registered voters by state; none where every adult is listed.
    """

    name: str
    title: str
    registered: Mapping[str, int] | None = field(default=None, repr=False, compare=False)

    def knows(self, state: str) -> bool:
        """Whether the number of people on the state's list is known."""
        return self.registered is None or state in self.registered

    def share(self, state: str, adults: float) -> float:
        """Return the share (0..1) of a state's adults who are listed; never more than all of them."""
        if self.registered is None or not adults:
            return 1.0
        return min(1.0, self.registered[state] / adults)


ADULTS = Coverage("adults", f"everyone of {VOTING_AGE} and over")
