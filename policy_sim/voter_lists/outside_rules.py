"""What reaches past a state's own rules: rulings and statutes that preempt them, and free mirrors."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from policy_sim.voter_lists.evidence import NO_EVIDENCE, Evidence

__all__ = ["PREEMPTABLE", "PREEMPTED_BY", "Mirror", "Preemption"]

PREEMPTABLE = ("buyers", "uses")
PREEMPTED_BY = ("federal_court", "federal_statute", "state_court", "state_statute")


@dataclass(frozen=True)
class Preemption:
    """A rule of a state that another law or a court sets aside from a day on.

    Parameters
    ----------
    rule : ``buyers`` or ``uses``.
    since : The first day on which the written rule no longer binds.
    by : One of :data:`PREEMPTED_BY`.
    written : What the state's own rule allows; None where no source says.
    allowed : What is allowed from ``since`` on.
    note : For whom, and how far the ruling reaches.
    """

    rule: str
    since: dt.date
    by: str
    written: tuple[str, ...] | None
    allowed: tuple[str, ...] | None
    note: str = ""
    evidence: Evidence = NO_EVIDENCE

    def words_on(self, day: dt.date) -> tuple[str, ...] | None:
        """Return who or what is allowed on a day: by the written rule before ``since``, without it after.

        Examples
        --------
        >>> ruling = Preemption("uses", dt.date(2024, 2, 2), "federal_court", ("political",), ("any",))
        >>> ruling.words_on(dt.date(2024, 2, 1)), ruling.words_on(dt.date(2024, 2, 2))
        (('political',), ('any',))
        """
        return self.allowed if day >= self.since else self.written


@dataclass(frozen=True)
class Mirror:
    """A copy of the list that a private site offers; its price and terms are not the state's.

    Parameters
    ----------
    source : The short name of the source that saw it.
    usd : What the mirror charges; 0 where it is free.
    covers : What the mirror gives, such as ``whole file`` or ``search by name``.
    """

    source: str
    usd: float = 0.0
    covers: str = "whole file"
