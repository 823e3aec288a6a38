"""Attacks as tidy tables: one row per attack, and one per point of its curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from policy_sim.analyses.economics.attack_plan import AttackPlan, best_stop
from policy_sim.results.tidy_rows import kinds_of, tidy_rows

__all__ = ["STAKES_COLUMNS", "attack_curve_frame", "attack_plan_frame", "restriction_of", "stakes_of_row"]

_FACTS = ["state", "policy", "attacker", "unknown_fields"]
_PLAN = [
    *("records", "attacked", "matched", "precision", "least_chance", "profit_before_price_usd", "price_usd"),
    *("profit_usd", "verdict", "matched_if_all", "usd_per_match_if_all", "price_status", "price_date"),
    *("price_source", "restricted_to", "status", "reason", "linkage_key", "in_file"),
]
_CURVE = ["attacked", "matched", "precision", "profit_usd", "best"]
_TEXT = {
    *_FACTS,
    "verdict",
    "price_status",
    "price_date",
    "price_source",
    "restricted_to",
    "status",
    "reason",
    "linkage_key",
}
# What is assumed of the attacker's gains and costs: the fields of its stakes that every row repeats.
STAKES_COLUMNS = ("gain_usd", "cost_per_attempt_usd", "loss_per_wrong_usd", "penalty_usd", "chance_caught")


def attack_plan_frame(plans: Sequence[AttackPlan]) -> pd.DataFrame:
    """Return one row per attack.

    Returns
    -------
    ``records`` in the file, those of people who can be on no list among them;
    ``attacked`` and ``matched`` at the best stop, expected; ``precision`` and
    ``least_chance`` (0..1), of the records attacked and of the last of them; ``profit_before_price_usd``, then the
    price with its status, date and source, and ``profit_usd`` after it; ``matched_if_all`` and
    ``usd_per_match_if_all``, what a full attack gives and what ``cost`` prints; ``restricted_to``, who alone may have
    the list; last the assumptions on gains and costs (:data:`STAKES_COLUMNS`). A figure that does not exist is
    missing. ``unknown_fields`` tells the two ends apart where a field of the list is unknown, or how many people it
    has.
    """
    rows = []
    for plan in plans:
        levels, stop = plan.levels, plan.stop
        facts = (plan.case.state, plan.case.policy.name, plan.case.attacker.name, plan.end or None)
        price = (plan.price.usd, plan.profit_usd)
        about = (plan.price.status, plan.price_date or None, plan.price_source or None, restriction_of(plan))
        tail = (plan.case.linkage.status, plan.reason, plan.case.label(), plan.in_file, *stakes_of_row(plan))
        if levels is None or stop is None:
            rows.append(
                (*facts, plan.records, *[None] * 5, plan.price.usd, None, plan.verdict, None, None, *about, *tail)
            )
            continue
        usd_per_correct = None if plan.price.usd is None or not levels.correct else plan.price.usd / levels.correct
        least = (stop.precision, stop.least_chance)
        best = (plan.records, stop.attacked, stop.matched, *least, stop.profit_usd)
        rows.append((*facts, *best, *price, plan.verdict, levels.correct, usd_per_correct, *about, *tail))
    return _table(rows, [*_FACTS, *_PLAN, *STAKES_COLUMNS])


def restriction_of(plan: AttackPlan) -> str | None:
    """Return who alone may have the list of an attack, as text; None where the public may, or no source says."""
    return ", ".join(plan.restricted_to) or None


def stakes_of_row(plan: AttackPlan) -> tuple[float, ...]:
    """Return the assumptions on gains and costs, in the order of :data:`STAKES_COLUMNS`."""
    return tuple(float(getattr(plan.stakes, name)) for name in STAKES_COLUMNS)


def attack_curve_frame(plans: Sequence[AttackPlan], points: int = 200) -> pd.DataFrame:
    """Return one row per attack and number of records attacked, the surest first.

    Parameters
    ----------
    points : About how many rows for each attack: evenly spaced in the logarithm, from one record to all, and the
        best stop.

    Returns
    -------
    ``attacked`` and ``matched`` records, expected; ``precision`` (0..1); ``profit_usd`` before the price of the
    list; ``best`` is true at the best stop. An attacker without a list has no rows.
    """
    rows = []
    for plan in plans:
        levels = plan.levels
        if levels is None or not len(levels.records):
            continue
        facts = (plan.case.state, plan.case.policy.name, plan.case.attacker.name, plan.end or None)
        whole, stop = float(levels.attacked[-1]), best_stop(levels, plan.stakes).attacked
        even = np.geomspace(min(1.0, whole), whole, points)
        attacked = np.unique(np.append(even, stop) if stop else even)
        matched = levels.matched_after(attacked)
        profit = plan.stakes.profit(attacked, matched)
        columns = (attacked, matched, matched / attacked, profit, attacked == stop)
        rows += [(*facts, *row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    return _table(rows, [*_FACTS, *_CURVE])


def _table(rows: Sequence[tuple[object, ...]], names: Sequence[str]) -> pd.DataFrame:
    return tidy_rows(rows, kinds_of(names, text=_TEXT, flags=("best",)))
