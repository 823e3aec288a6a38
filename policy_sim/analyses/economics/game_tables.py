"""The publisher's game as rows: every move, and the solution of each state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from policy_sim.analyses.economics.publisher_game import Move, best_move
from policy_sim.analyses.lattice_search.needs import Needs
from policy_sim.results.tidy_rows import kinds_of, tidy_rows

__all__ = ["SAFE_HARBOR", "moves_frame", "solution_frame"]

NO_NEEDS = Needs()
SAFE_HARBOR = ("safe-harbor", "safe-harbor-paper")
_TEXT = (
    *("state", "penalty", "policy", "verdict", "deterred_policy", "baseline", "baseline_verdict"),
    *("price_status", "price_date", "price_source", "reason"),
)
_MOVES = (
    *("state", "penalty", "policy", "utility", "records", "attacked", "matched", "precision", "payoff_usd", "verdict"),
    *("price_usd", "price_status", "price_date", "price_source", "reason", "meets_needs"),
)
_SOLUTION = (
    *("state", "penalty", "policy", "utility", "payoff_usd", "attacked", "matched", "precision", "verdict"),
    *("deterred_policy", "deterred_payoff_usd", "deterred_share", "baseline", "baseline_payoff_usd"),
    *("baseline_verdict", "gain_over_baseline_usd", "records", "price_usd", "price_status", "price_date"),
    *("price_source", "reason"),
)


def moves_frame(games: Mapping[str, Sequence[Move]], needs: Needs = NO_NEEDS) -> pd.DataFrame:
    """Return one row per state, penalty and policy.

    Parameters
    ----------
    games : The moves ``with`` and ``without`` a penalty.
    needs : What the publisher's release must show; ``meets_needs`` says which policies do.
    """
    rows = [
        (
            *(move.state, penalty, move.policy, move.utility, move.records, move.attacked, move.matched),
            *(move.precision, move.payoff_usd, move.verdict, *_price(move), _meets(move, needs)),
        )
        for penalty, every in games.items()
        for move in every
    ]
    return _table(rows, _MOVES)


def solution_frame(games: Mapping[str, Sequence[Move]], needs: Needs = NO_NEEDS) -> pd.DataFrame:
    """Return one row per state and penalty: the best policy, the best one that no attack answers, and Safe Harbor.

    Parameters
    ----------
    games : The moves ``with`` and ``without`` a penalty.
    needs : What the publisher's release must show: a policy that shows less is not chosen, but Safe Harbor is compared
        with in any case.

    Returns
    -------
    ``policy`` is missing where the publisher releases nothing, or where every choice depends on a price that no
    source gives (``reason`` says which). ``deterred_share`` (0..1) is the payoff of the best policy that no attack
    answers, as a share of the best payoff. ``gain_over_baseline_usd`` compares with always releasing Safe Harbor.
    """
    rows = [
        _solution(state, penalty, [move for move in every if move.state == state], needs)
        for penalty, every in games.items()
        for state in dict.fromkeys(move.state for move in every)
    ]
    return _table(rows, _SOLUTION)


def _meets(move: Move, needs: Needs) -> bool:
    return not needs.any or needs.met_by(move.plan.case.policy)


def _solution(state: str, penalty: str, choices: Sequence[Move], needs: Needs) -> tuple[object, ...]:
    eligible = [move for move in choices if _meets(move, needs)]
    best, deterred = best_move(eligible), best_move(eligible, deterred=True)
    baseline = next((move for name in SAFE_HARBOR for move in choices if move.policy == name), None)
    payoff = best.payoff_usd if best is not None else None
    head: tuple[object, ...] = (state, penalty, *[None] * 7)
    if best is not None:
        figures = (best.utility, best.payoff_usd, best.attacked, best.matched, best.precision)
        head = (state, penalty, best.policy, *figures, best.verdict)
    safe: tuple[object, ...] = (None, None, None)
    if deterred is not None and deterred.payoff_usd is not None:
        safe = (deterred.policy, deterred.payoff_usd, deterred.payoff_usd / payoff if payoff else None)
    always: tuple[object, ...] = (None, None, None, None)
    if baseline is not None:
        both_known = baseline.payoff_usd is not None and payoff is not None
        gain = (payoff or 0.0) - (baseline.payoff_usd or 0.0) if both_known else None
        always = (baseline.policy, baseline.payoff_usd, baseline.verdict, gain)
    first = choices[0]
    *price, reason = _price(first)
    unknown = [move.policy for move in eligible if move.payoff_usd is None]
    if unknown:
        why = f"left out, because their payoff depends on an unknown price: {', '.join(unknown)}"
        reason = "; ".join(part for part in (str(reason), why) if part)
    return (*head, *safe, *always, first.records, *price, reason)


def _price(move: Move) -> tuple[object, ...]:
    plan = move.plan
    return (plan.price.usd, plan.price.status, plan.price_date or None, plan.price_source or None, plan.reason)


def _table(rows: Sequence[tuple[object, ...]], names: Sequence[str]) -> pd.DataFrame:
    return tidy_rows(rows, kinds_of(names, text=_TEXT, flags=("meets_needs",)))
