"""The attack on a file of several states as a whole: the best attack on each, added up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from policy_sim.model.measure import Row
from policy_sim.model.money.attack_plan import AttackPlan
from policy_sim.model.whole import by_state
from policy_sim.words.states import whole_name


@dataclass(frozen=True)
class WholeAttack(Row):
    """The attack on a file of several states: the best attack on each, with the lists of those where it pays.

    Its row has the columns of an :class:`~policy_sim.model.money.attack_plan.AttackPlan`.
    """

    columns = AttackPlan.columns
    plans: tuple[AttackPlan, ...]
    levels: None = None

    @property
    def name(self) -> tuple[str, str, str, str]:
        """Policy, attacker, states and end of what is unknown."""
        policy, attacker, _, end = self.plans[0].name
        return policy, attacker, whole_name(plan.case.state for plan in self.plans), end

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row: sums over the states where the attack pays, or may pay; precision is the ratio of sums."""
        first, used = self.plans[0], [plan for plan in self.plans if plan.verdict in _ATTACKED]
        stops = [plan.stop for plan in used if plan.stop is not None]
        attacked, matched, before = (sum(getattr(stop, name) for stop in stops) for name in _SUMS)
        prices = [plan.price.usd for plan in used]
        price = None if None in prices else float(sum(usd for usd in prices if usd is not None))
        verdicts = [plan.verdict for plan in self.plans]
        verdict = next((own for own in ("pays", "depends on the price", "does not pay") if own in verdicts), "no list")
        records = sum(plan.records for plan in self.plans)
        shares = [plan.records / plan.in_file for plan in self.plans if plan.in_file]
        chances = [stop.least_chance for stop in stops if stop.least_chance is not None]
        row = first.facts | {
            "state": self.name[2],
            "price_usd": price,
            "price_status": "ok" if price is not None else "unknown",
            "price_date": None,
            "price_source": None,
            "restricted_to": None,
            "in_file": records / sum(shares) if shares else 1.0,
            "records": records,
            "verdict": verdict,
            "profit_usd": None if price is None else before - price,
            "profit_before_price_usd": before,
            "attacked": attacked,
            "matched": matched,
            "precision": matched / attacked if attacked else None,
            "least_chance": min(chances, default=None),
            "linkage_key": by_state((plan.case.state, plan.case.label()) for plan in self.plans),
            "reason": by_state((plan.case.state, plan.verdict) for plan in self.plans),
        }
        levels = [plan.levels for plan in self.plans]
        if all(level is not None for level in levels):
            row["matched_if_all"] = sum(level.correct for level in levels if level is not None)
        yield row


_ATTACKED = ("pays", "depends on the price")
_SUMS = ("attacked", "matched", "profit_usd")


def with_whole_attacks(plans: Sequence[AttackPlan]) -> tuple[AttackPlan | WholeAttack, ...]:
    """Return the plans by state, followed by those of all states; a list with two ends is attacked at both."""
    by_case: dict[tuple[str, str], dict[str, list[AttackPlan]]] = {}
    for plan in plans:
        by_case.setdefault(plan.case.name[:2], {}).setdefault(plan.case.state, []).append(plan)
    wholes = []
    for states in by_case.values():
        ends = max(len(own) for own in states.values())
        for end in range(ends if len(states) > 1 else 0):
            chosen = tuple(own[min(end, len(own) - 1)] for own in states.values())
            wholes.append(WholeAttack(tuple(sorted(chosen, key=lambda plan: plan.end == "")) if end else chosen))
    return (*plans, *wholes)
