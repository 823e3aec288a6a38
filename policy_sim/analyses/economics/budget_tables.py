"""A purchase as rows: what is bought, what is not, and what is left out."""

from __future__ import annotations

import pandas as pd

from policy_sim.analyses.economics.budget import Purchase
from policy_sim.analyses.economics.offers import Market
from policy_sim.results.measure import FEW_CLAIMS
from policy_sim.results.tidy_rows import tidy_rows
from policy_sim.status import Status

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
    "claim_status": "string",
    "price_date": "string",
    "price_source": "string",
    "reason": "string",
}


def budget_frame(offered: Market, bought: Purchase) -> pd.DataFrame:
    """Return one row per list: those bought, then the other offers, then those left out with their reason.

    A list that is left out has no price and no claims here. ``claim_status`` is ``few_claims`` where fewer than ten
    claims are expected: then there is no ``precision`` and no ``usd_per_correct_claim``.
    """
    rows: list[tuple[object, ...]] = []
    for taken in (True, False):
        for offer in offered.offers:
            if (offer in bought.offers) is taken:
                few = offer.claims < FEW_CLAIMS or not offer.correct_claims
                precision = None if few else offer.correct_claims / offer.claims
                usd_per_claim = None if few else offer.price_usd / offer.correct_claims
                status = str(Status.FEW_CLAIMS if few else Status.OK)
                head = (offer.name, offer.state, offer.county or None, taken, offer.price_usd)
                tail = (offer.price_date or None, offer.price_source or None, None)
                rows.append((*head, offer.correct_claims, offer.claims, precision, usd_per_claim, status, *tail))
    rows += [(left.name, left.state, None, False, *[None] * 8, left.reason) for left in offered.left_out]
    return tidy_rows(rows, _KINDS)
