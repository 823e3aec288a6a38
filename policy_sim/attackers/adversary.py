"""What holds an attacker back, and the dollars that it gains and pays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Protocol

import numpy as np

from policy_sim.files.evidence import Source
from policy_sim.voter_lists.list_field import BUYERS, Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError

# What an attacker would truthfully say the list is for.
PURPOSES = ("scholarly", "commercial", "political", "journalistic", "personal")


@dataclass(frozen=True)
class Constraints:
    """An adversary: who it is, what it wants the list for, and how far it will go.

    Parameters
    ----------
    name, title : In commands and tables.
    buyer : The kinds of buyer that it truthfully is, of
        :data:`~policy_sim.voter_lists.list_field.BUYERS`.
    purpose : One of :data:`PURPOSES`.
    money_usd : The most it pays for one state's list; none: any price.
    days : The most time it spends on one state's list; none: any time.
    days_per_request : How long one request to an office takes; an assumption of the profile.
    misrepresents : It claims to be a kind of buyer that it is not.
    breaks_agreements, breaks_law : The form that the buyer signs and the law both limit the use of a list; it ignores
        the limit only if it breaks both.
    """

    name: str
    title: str
    buyer: tuple[str, ...]
    purpose: str
    money_usd: float | None = None
    days: float | None = None
    days_per_request: float = 1.0
    misrepresents: bool = False
    breaks_agreements: bool = False
    breaks_law: bool = False

    def __post_init__(self) -> None:
        if self.purpose not in PURPOSES:
            raise InputError(f"purpose {self.purpose!r} is not one of {', '.join(PURPOSES)}.")
        for name in self.buyer:
            if name not in BUYERS:
                raise InputError(f"buyer {name!r} is not one of {', '.join(BUYERS)}.")


def within_reach(
    listed: VoterList, who: Constraints, records: float | None = None, counties: int | None = None
) -> VoterList:
    """Return the list as it is for this attacker.

    A list that it cannot get has the status ``not_to_this_buyer`` or ``out_of_reach`` and a reason. A list that it can
    get costs what its kind of buyer pays. If no source says who may buy, for what or for how much, the list counts as
    within reach: the worse case for the people in the data.
    """
    if listed.status != "available":
        return listed
    reached = reach_of(listed, who, records, counties)
    if reached.status != "available":
        return replace(listed, status=reached.status, status_reason=reached.reason)
    return replace(listed, price=reached.price)


class Sold(Protocol):
    """The facts of a list or file that is sold: what can keep an adversary from it, and who says so."""

    @property
    def buyers(self) -> Allowed:
        """Who may have it."""

    @property
    def uses(self) -> Allowed:
        """What it may be used for."""

    @property
    def price(self) -> Price:
        """What it costs."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """The documents that its facts cite, by their short names."""

    @property
    def vintage(self) -> str:
        """Of when it is."""


@dataclass(frozen=True)
class Reach:
    """Whether an adversary can have a list: ``available`` at a price, or a status and a reason."""

    status: str
    reason: str
    price: Price


def reach_of(sold: Sold, who: Constraints, records: float | None = None, counties: int | None = None) -> Reach:
    """Return whether an adversary can have a list or file, and at what price, as :func:`within_reach` says."""
    kept_out = _not_sold_to(sold, who) or _not_for_this(sold, who)
    if kept_out:
        return Reach("not_to_this_buyer", kept_out, sold.price)
    price = _price_for(sold.price, who)
    too_much = _too_dear(price, who, records, counties) or _too_long(who)
    return Reach("out_of_reach" if too_much else "available", too_much, price)


def _not_sold_to(listed: Sold, who: Constraints) -> str:
    names = listed.buyers.names
    if names is None or "public" in names or who.misrepresents or set(names) & set(who.buyer):
        return ""
    return f"sold only to {', '.join(names) or 'nobody'}, and this attacker does not lie about who it is"


def _not_for_this(listed: Sold, who: Constraints) -> str:
    names = listed.uses.names
    if names is None or (who.breaks_agreements and who.breaks_law) or _allows(names, who.purpose):
        return ""
    return f"only for {', '.join(names).replace('_', '-')} use, and this attacker follows that rule"


def _allows(uses: tuple[str, ...], purpose: str) -> bool:
    return "any" in uses or purpose in uses or ("non_commercial" in uses and purpose != "commercial")


def _price_for(price: Price, who: Constraints) -> Price:
    """Return the price for the cheapest kind of buyer that the attacker is and that has its own price."""
    own: Mapping[str, float] = {name: price.usd_by_buyer[name] for name in who.buyer if name in price.usd_by_buyer}
    if not own:
        return price
    usd = min(own.values())
    return replace(price, kind="flat" if usd else "free", base_usd=usd, usd_by_buyer={})


def _too_dear(price: Price, who: Constraints, records: float | None, counties: int | None) -> str:
    amount = price.usd(records=records, counties=counties)
    if who.money_usd is None or amount.usd is None or amount.usd <= who.money_usd:
        return ""
    return f"costs ${amount.usd:,.2f}, more than the ${who.money_usd:,.2f} that this attacker will spend"


def _too_long(who: Constraints) -> str:
    if who.days is None or who.days_per_request <= who.days:
        return ""
    return f"a request takes {who.days_per_request:g} days, more than the {who.days:g} that this attacker will spend"


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

        >>> DollarAmount("a", "gains", "", "correct match", 1, 15, None, "2007", "Report", "", "quoted", "").cite()
        'a: $1 to $15 per correct match (2007; Report; quoted)'
        """
        ends = [f"${end:,.2f}".removesuffix(".00") for end in (self.usd_low, self.usd_high) if end is not None]
        amount = f"{' to '.join(dict.fromkeys(ends))} per {self.per}" if ends else "amount unknown"
        return f"{self.name}: {amount} ({self.date}; {self.source}; {self.read})"
