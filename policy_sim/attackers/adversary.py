"""What limits an attacker, and which lists it can get.

Dankar et al. 2012 (BMC Med Inform Decis Mak 12:66, "Step 1") distinguish adversaries by money, time,
and willingness to lie about who they are, to break an agreement and to break the law. Together with who may buy a
state's list and for what, that decides which voter lists an attacker can get.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from policy_sim.voter_lists.list_field import BUYERS, Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList
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
    """The facts of a list or file that can keep an adversary from it."""

    @property
    def buyers(self) -> Allowed:
        """Who may have it."""

    @property
    def uses(self) -> Allowed:
        """What it may be used for."""

    @property
    def price(self) -> Price:
        """What it costs."""


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
