"""Which lists to buy for a budget, or for a number of names: exactly, by integer programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.errors import InputError, NotEstimableError

__all__ = ["Offer", "Purchase", "best_purchase", "cheapest_purchase"]


@dataclass(frozen=True)
class Offer:
    """One list that can be bought.

    Parameters
    ----------
    name : What it is called, such as ``OH`` or ``AZ 04013``.
    state : Postal code. Of a state only one list is bought, or any number of its counties' lists: two lists of the
        same people would name some of them twice.
    price_usd : What it costs.
    correct_claims, claims : Expected records claimed rightly, and all that are claimed.
    county : Its county; empty for a list of the whole state.
    price_date, price_source : When the price was seen, and who says so.
    """

    name: str
    state: str
    price_usd: float
    correct_claims: float
    claims: float
    county: str = ""
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True)
class Purchase:
    """Lists bought together."""

    offers: tuple[Offer, ...]

    @property
    def price_usd(self) -> float:
        """What they cost together."""
        return sum(offer.price_usd for offer in self.offers)

    @property
    def correct_claims(self) -> float:
        """Expected records claimed rightly."""
        return sum(offer.correct_claims for offer in self.offers)

    @property
    def precision(self) -> float | None:
        """Share (0..1) of the claims that are right; None without a claim."""
        claims = sum(offer.claims for offer in self.offers)
        return self.correct_claims / claims if claims else None


def best_purchase(offers: Sequence[Offer], usd: float) -> Purchase:
    """Return the lists with the most expected correct claims for at most so much money.

    Parameters
    ----------
    offers : What can be bought.
    usd : The budget, US dollars, 0 or more.

    Returns
    -------
    Lists in the order of the offers; free lists are always among them where they give anything and do not stand
    in the way of a better one. Exact: a binary program, not the best ratio first.

    Raises
    ------
    InputError : the budget is not a number of 0 or more.

    Examples
    --------
    With 10 dollars, the list of 6 with the best ratio leaves room for nothing else; two of 5 are better.

    >>> offers = [Offer("A", "OH", 6, 60, 60), Offer("B", "TX", 5, 45, 45), Offer("C", "NC", 5, 45, 50)]
    >>> [offer.name for offer in best_purchase(offers, 10).offers]
    ['B', 'C']
    """
    if not 0 <= usd < np.inf:
        raise InputError(f"a budget of {usd:g} US dollars must be a number of 0 or more.")
    useful = [offer for offer in offers if offer.correct_claims > 0 and offer.price_usd <= usd]
    value = np.array([offer.correct_claims for offer in useful])
    price = np.array([offer.price_usd for offer in useful])
    return _solved(useful, -value, (price, -np.inf, usd))


def cheapest_purchase(offers: Sequence[Offer], target: float) -> Purchase:
    """Return the cheapest lists that together give this many expected correct claims; among equals the fewest lists.

    Parameters
    ----------
    offers : What can be bought.
    target : Expected correct claims, above 0.

    Raises
    ------
    InputError : the target is not above 0.
    NotEstimableError : all that can be bought gives less.

    Examples
    --------
    Of two free lists, one is enough:

    >>> offers = [Offer("A", "OH", 0, 60, 60), Offer("B", "TX", 0, 90, 90), Offer("C", "NC", 5, 99, 99)]
    >>> [offer.name for offer in cheapest_purchase(offers, 70).offers]
    ['B']
    """
    if not 0 < target < np.inf:
        raise InputError(f"a target of {target:g} correct claims must be a number above 0.")
    useful = [offer for offer in offers if offer.correct_claims > 0]
    value = np.array([offer.correct_claims for offer in useful])
    price = np.array([offer.price_usd for offer in useful])
    everything = _solved(useful, -value).correct_claims
    if everything < target:
        raise NotEstimableError(
            f"{target:,.0f} correct claims are more than the {everything:,.0f} from all lists that this buyer can get "
            f"at a known price."
        )
    enough = (value, target, np.inf)
    least = _solved(useful, price, enough).price_usd
    return _solved(useful, np.ones(len(useful)), enough, (price, -np.inf, least * (1 + 1e-9)))


def _solved(offers: Sequence[Offer], objective: FloatArray, *limits: tuple[FloatArray, float, float]) -> Purchase:
    """Minimize the objective over sets of offers with ``low <= row <= high`` for each limit, one list per state."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not offers:
        return Purchase(())
    constraints = []
    for row, low, high in limits:
        scale = max(float(np.abs(row).max()), 1.0)
        constraints.append(LinearConstraint(row[None, :] / scale, lb=low / scale, ub=high / scale))
    apart = _exclusions(offers)
    if len(apart):
        constraints.append(LinearConstraint(apart, ub=1.0))
    size = max(float(np.abs(objective).max()), 1.0)
    solution = milp(
        objective / size,
        integrality=np.ones(len(offers)),
        bounds=Bounds(0, 1),
        constraints=constraints,
        options={"mip_rel_gap": 0.0},
    )
    if solution.x is None:
        raise NotEstimableError(f"no set of lists was found: {solution.message}")
    return Purchase(tuple(offer for offer, taken in zip(offers, np.round(solution.x), strict=True) if taken))


def _exclusions(offers: Sequence[Offer]) -> FloatArray:
    """Return one row per set of lists of which at most one is bought."""
    rows = []
    for state in dict.fromkeys(offer.state for offer in offers):
        whole = np.array([offer.state == state and not offer.county for offer in offers], dtype=np.float64)
        counties = [place for place, offer in enumerate(offers) if offer.state == state and offer.county]
        if whole.any():
            for place in counties:
                row = whole.copy()
                row[place] = 1.0
                rows.append(row)
        if not counties and whole.sum() > 1:
            rows.append(whole)
        names = [offers[place].county for place in counties]
        rows += [
            np.array([float(offer.state == state and offer.county == name) for offer in offers])
            for name in dict.fromkeys(names)
            if names.count(name) > 1
        ]
    return np.array(rows) if rows else np.zeros((0, len(offers)))
