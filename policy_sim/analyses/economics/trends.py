"""What changes of people, of list law and of prices did to the risk of an attack and to its profit.

Between two times everything changes at once. What one change did depends on which others came first; its effect here
is the mean over every order (Shapley 1953), so that the effects add up to the whole change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

import pandas as pd

from policy_sim.analyses.economics.attack_plan import AttackPlan, attack_plans
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.in_file import InFile
from policy_sim.attackers.stakes import Stakes
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import AnyPopulation

__all__ = ["Moment", "change_frame", "shares_of_change", "trend_frame"]

_FACTORS = ("people", "law", "price")
_NO_LIST = "nobody can get a list, or no source says what it contains"


@dataclass(frozen=True)
class Moment:
    """People and voter lists of one time.

    Parameters
    ----------
    name : Such as ``us-2000 2008``.
    population, attacker : Whose people, and who holds the lists of which year.
    policy : What is released of these people.
    """

    name: str
    population: AnyPopulation
    attacker: Attacker
    policy: Policy


def shares_of_change(value: Callable[[frozenset[str]], float], factors: Sequence[str] = _FACTORS) -> dict[str, float]:
    """Return what each factor contributes to a change: the mean over all orders in which they may come.

    Parameters
    ----------
    value : The figure after the named factors have changed, the others as before.
    factors : Their names.

    Returns
    -------
    One number per factor; they add up to ``value(all) - value(none)``.

    Examples
    --------
    >>> shares_of_change(lambda changed: 2.0 ** len(changed), ("a", "b"))
    {'a': 1.5, 'b': 1.5}
    """
    total = dict.fromkeys(factors, 0.0)
    orders = list(permutations(factors))
    for order in orders:
        changed: frozenset[str] = frozenset()
        for factor in order:
            after = changed | {factor}
            total[factor] += value(after) - value(changed)
            changed = after
    return {factor: part / len(orders) for factor, part in total.items()}


@dataclass(frozen=True)
class _Setting:
    """Plans by state for every combination of people and lists of two moments; keys are places in time, 0 or 1."""

    plans: Mapping[tuple[int, int], Mapping[str, AttackPlan]]
    people: tuple[Mapping[str, int], Mapping[str, int]]

    def risk(self, state: str, people: int, law: int) -> float | None:
        """Total risk as a share (0..1) of the file; None without a list."""
        plan = self.plans[people, law].get(state)
        if plan is None or plan.levels is None:
            return None
        return plan.levels.correct / (self.people[people][state] * plan.in_file)

    def profit(self, state: str, people: int, law: int, price: int) -> float | None:
        """What the best attack leaves; 0 where none pays, None without a list or a price."""
        plan, priced = self.plans[people, law].get(state), self.plans[people, price].get(state)
        if plan is None or plan.stop is None or priced is None or priced.price.usd is None:
            return None
        return None if priced.price.status == "at_least" else max(plan.stop.profit_usd - priced.price.usd, 0.0)


def _plans(
    moment: Moment,
    attacker: Attacker,
    stakes: Stakes,
    in_file: InFile | None,
    states: Sequence[str] | None,
    days: float,
) -> dict[str, AttackPlan]:
    """Plans by state, with the unknown fields of a list withheld."""
    plans: dict[str, AttackPlan] = {}
    for plan in attack_plans(
        moment.population, [moment.policy], [attacker], stakes, states=states, in_file=in_file, days_per_year=days
    ):
        plans.setdefault(plan.case.state, plan)
    return plans


def trend_frame(
    moments: Sequence[Moment],
    stakes: Stakes,
    *,
    states: Sequence[str] | None = None,
    in_file: InFile | None = None,
    days_per_year: float = DAYS_PER_YEAR,
) -> pd.DataFrame:
    """Return one row per state and moment: risk, price and profit, with the unknown fields of lists withheld.

    Parameters
    ----------
    moments : In the order of time.
    stakes, states, in_file, days_per_year : As in
        :func:`~policy_sim.analyses.economics.attack_plan.attack_plans`.
    """
    rows = []
    for moment in moments:
        people = moment.population.people_by_state()
        for state, plan in _plans(moment, moment.attacker, stakes, in_file, states, days_per_year).items():
            levels, records = plan.levels, people[state] * plan.in_file
            right = None if levels is None else levels.correct
            risk = None if right is None or not records else right / records
            usd_per_correct = None if not right or plan.price.usd is None else plan.price.usd / right
            profit = None if plan.profit_usd is None else max(plan.profit_usd, 0.0)
            about = (plan.price.usd, plan.price.status, plan.price_date or None, plan.price_source or None)
            linkage = plan.case.linkage.status
            rows.append(
                (moment.name, state, right, risk, *about, usd_per_correct, profit, plan.verdict, linkage, plan.reason)
            )
    return pd.DataFrame(rows, columns=list(_TREND), dtype=object).astype(_TREND)


def change_frame(
    moments: Sequence[Moment],
    stakes: Stakes,
    *,
    states: Sequence[str] | None = None,
    in_file: InFile | None = None,
    days_per_year: float = DAYS_PER_YEAR,
) -> pd.DataFrame:
    """Return one row per state and step from one moment to the next: what people, law and price did.

    Returns
    -------
    ``risk_change`` (of the share of the file that is matched correctly) is the sum of ``risk_people`` and
    ``risk_law``; ``profit_change_usd`` that of ``profit_people_usd``, ``profit_law_usd`` and ``profit_price_usd``.
    Where a list or a price is unknown at either time, the figures are missing and ``reason`` says why.
    """
    rows = []
    for before, after in pairwise(moments):
        pair = (before, after)
        plans = {
            (place, law): _plans(
                pair[place],
                replace(pair[law].attacker, name=pair[place].attacker.name),
                stakes,
                in_file,
                states,
                days_per_year,
            )
            for place in (0, 1)
            for law in (0, 1)
        }
        setting = _Setting(plans, (before.population.people_by_state(), after.population.people_by_state()))
        both = [state for state in plans[0, 0] if state in plans[1, 1]]
        rows += [(before.name, after.name, state, *_change(setting, state)) for state in both]
    return pd.DataFrame(rows, columns=list(_CHANGE), dtype=object).astype(_CHANGE)


def _change(setting: _Setting, state: str) -> tuple[object, ...]:
    old, new = (setting.plans[place, place][state] for place in (0, 1))
    risks = {(p, law): setting.risk(state, p, law) for p in (0, 1) for law in (0, 1)}
    figures: list[object] = [risks[0, 0], risks[1, 1]]
    reasons = []
    risks_known = {key: value for key, value in risks.items() if value is not None}
    if len(risks_known) == 4:
        parts = shares_of_change(lambda changed: risks_known["people" in changed, "law" in changed], _FACTORS[:2])
        figures += [risks_known[1, 1] - risks_known[0, 0], parts["people"], parts["law"]]
    else:
        figures += [None] * 3
        reasons.append(f"{_NO_LIST} at {'the first' if risks[0, 0] is None else 'the second'} time")
    profits = {
        (p, law, price): setting.profit(state, p, law, price) for p in (0, 1) for law in (0, 1) for price in (0, 1)
    }
    figures += [profits[0, 0, 0], profits[1, 1, 1]]
    sure = {key: value for key, value in profits.items() if value is not None}
    if len(sure) == 8:
        money = shares_of_change(lambda changed: sure["people" in changed, "law" in changed, "price" in changed])
        figures += [sure[1, 1, 1] - sure[0, 0, 0], money["people"], money["law"], money["price"]]
    else:
        figures += [None] * 4
        if len(risks_known) == 4:
            reasons.append("a price is unknown")
    prices = (old.price.usd, new.price.usd, old.price.status, new.price.status, old.price_date, new.price_date)
    return (*figures, *prices, "; ".join(reasons) or None)


_TREND = {
    **dict.fromkeys(("moment", "state"), "string"),
    **dict.fromkeys(("total_risk", "share", "price_usd"), "Float64"),
    **dict.fromkeys(("price_status", "price_date", "price_source"), "string"),
    **dict.fromkeys(("usd_per_match", "profit_usd"), "Float64"),
    **dict.fromkeys(("verdict", "status", "reason"), "string"),
}
_CHANGE = {
    **dict.fromkeys(("before", "after", "state"), "string"),
    **dict.fromkeys(("risk_before", "risk_after", "risk_change", "risk_people", "risk_law"), "Float64"),
    **dict.fromkeys(("profit_before_usd", "profit_after_usd", "profit_change_usd"), "Float64"),
    **dict.fromkeys(("profit_people_usd", "profit_law_usd", "profit_price_usd"), "Float64"),
    **dict.fromkeys(("price_before_usd", "price_after_usd"), "Float64"),
    **dict.fromkeys(("price_status_before", "price_status_after", "price_date_before", "price_date_after"), "string"),
    "reason": "string",
}
