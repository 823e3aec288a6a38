"""A dollar amount of the economics of an attack, with its date and source."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AMOUNT_KINDS", "READINGS", "DollarAmount"]

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
