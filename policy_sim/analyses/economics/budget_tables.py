"""A purchase as rows: what is bought, what is not, and what is left out."""

from __future__ import annotations

import pandas as pd

from policy_sim.analyses.economics.budget import Purchase
from policy_sim.analyses.economics.offers import Market
from policy_sim.results.tidy_rows import tidy_rows

__all__ = ["budget_frame"]

_KINDS = {
    "list": "string",
    "state": "string",
    "county": "string",
    "bought": "boolean",
    "price_usd": "Float64",
    "correct_claims": "Float64",
    "claims": "Float64",
    "precision": "Float64",
    "usd_per_correct_claim": "Float64",
    "price_date": "string",
    "price_source": "string",
    "reason": "string",
}


def budget_frame(offered: Market, bought: Purchase) -> pd.DataFrame:
    """Return one row per list: those bought, then the other offers, then those left out with their reason.

    A list that is left out has no price and no claims here.
    """
    rows: list[tuple[object, ...]] = []
    for taken in (True, False):
        for offer in offered.offers:
            if (offer in bought.offers) is taken:
                precision = offer.correct_claims / offer.claims if offer.claims else None
                usd_per_claim = offer.price_usd / offer.correct_claims if offer.correct_claims else None
                head = (offer.name, offer.state, offer.county or None, taken, offer.price_usd)
                tail = (offer.price_date or None, offer.price_source or None, None)
                rows.append((*head, offer.correct_claims, offer.claims, precision, usd_per_claim, *tail))
    rows += [(left.name, left.state, None, False, *[None] * 7, left.reason) for left in offered.left_out]
    return tidy_rows(rows, _KINDS)
