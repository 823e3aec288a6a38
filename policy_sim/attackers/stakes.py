"""What an attack is worth to whoever runs it: gain, costs, penalty."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite

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
