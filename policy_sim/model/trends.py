"""What changes of people, of list law, of sources and of prices did to the risk of an attack and to its profit.

Where a later source tells more of a list, or less, the figures change and the list need not have: that is apart from
changes of law (:func:`~policy_sim.voter_lists.changes.causes_of`).

Between two times everything changes at once. What one change did depends on which others came first; its effect here
is the mean over every order (Shapley 1953), so that the effects add up to the whole change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, permutations, product
from typing import Any, TypeAlias

import pandas as pd

from policy_sim.attackers.adversary import Stakes
from policy_sim.attackers.attacker import Attacker
from policy_sim.model.cases import Cases
from policy_sim.model.measure import tidy_rows
from policy_sim.model.money.attack_plan import AttackPlan, attack_plans
from policy_sim.voter_lists.changes import CAUSES, RecordedCause, causes_of, difference_words, with_changes
from policy_sim.voter_lists.list_field import LINKED_FIELDS

_FACTORS = ("people", "law", "source", "price")
_LISTS = tuple((law, source) for law in (0, 1) for source in (0, 1))
_NO_LIST = "nobody can get a list, or no source says what it contains"
_TREND = (
    "moment state total_risk share price_usd price_status price_date price_source usd_per_match profit_usd verdict "
    "status reason"
)
_CHANGE = (
    "before after state risk_before risk_after risk_change risk_people risk_law risk_source profit_before_usd "
    "profit_after_usd profit_change_usd profit_people_usd profit_law_usd profit_source_usd profit_price_usd "
    "price_before_usd price_after_usd price_status_before price_status_after price_date_before price_date_after reason "
    "changed_law changed_source"
)


@dataclass(frozen=True)
class Moment:
    """People and voter lists of one time, such as ``us-2000 2008``."""

    name: str
    cases: Cases


def shares_of_change(value: Callable[[frozenset[str]], float], factors: Sequence[str] = _FACTORS) -> dict[str, float]:
    """Return what each factor contributes to a change: the mean over all orders in which they may come.

    Returns one number per factor; they add up to ``value(all) - value(none)``.

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
class _Lists:
    """The voter lists of two moments, and the causes of their differences by state and field."""

    before: Attacker
    after: Attacker
    causes: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, before: Attacker, after: Attacker, recorded: Sequence[RecordedCause]) -> _Lists:
        old, new = before.voter_lists, after.voter_lists
        return cls(before, after, {s: causes_of(old.list_of(s), new.list_of(s), recorded) for s in old.lists})

    def holder(self, law: int, source: int, place: int) -> Attacker:
        """Return the attacker with the lists of the first time after some changes; with all, those of the second.

        The lists hold the people whom they hold at one of the two times (``place``, 0 or 1).
        """
        causes_changed = {cause for cause, flag in zip(CAUSES, (law, source), strict=True) if flag}
        old, new = self.before.voter_lists, self.after.voter_lists
        if law and source:
            lists = new
        else:
            changed = {
                state: with_changes(old.list_of(state), new.list_of(state), self.named(state, causes_changed))
                for state in old.lists
            }
            lists = replace(old, lists=changed)
        held = lists.covering((old, new)[place].coverage)
        return replace(self.before, name=f"{self.before.name} {law}{source}", resources=(held,))

    def named(self, state: str, causes: Collection[str]) -> list[str]:
        """Return what changed for one of some causes."""
        return [name for name, cause in self.causes.get(state, {}).items() if cause in causes]

    def words(self, state: str, cause: str) -> str | None:
        """Say what changed for a cause, of the fields that can be linked; None where nothing did."""
        old, new = self.before.voter_list(state), self.after.voter_list(state)
        names = [name for name in self.named(state, {cause}) if name in ("status", *LINKED_FIELDS)]
        return difference_words(old, new, names) or None


# Plans by state, for the people of the first or the second moment and the lists with each kind of change made or not:
# people, law and source are 0 or 1.
_Plans: TypeAlias = Mapping[tuple[int, int, int], Mapping[str, AttackPlan]]


def _plans(
    moment: Moment, attackers: Mapping[tuple[int, int], Attacker], stakes: Stakes
) -> dict[tuple[int, int], dict[str, AttackPlan]]:
    """Plans by attacker and state, with the unknown fields of a list withheld."""
    holders = list(attackers.values())
    by_name: dict[str, dict[str, AttackPlan]] = {holder.name: {} for holder in holders}
    for plan in attack_plans(replace(moment.cases, attackers=holders), stakes):
        by_name[plan.case.attacker.name].setdefault(plan.case.state, plan)
    return {key: by_name[holder.name] for key, holder in attackers.items()}


def _risk(plans: _Plans, state: str, people: int, law: int, source: int) -> float | None:
    """Total risk as a share (0..1) of the file; None without a list."""
    plan = plans[people, law, source].get(state)
    return None if plan is None or plan.levels is None else plan.levels.correct / plan.records


def _profit(plans: _Plans, state: str, people: int, law: int, source: int, price: int) -> float | None:
    """What the best attack leaves; 0 where none pays, None without a list or a price."""
    plan, priced = plans[people, law, source].get(state), plans[people, price, price].get(state)
    if plan is None or plan.stop is None or priced is None or priced.price.usd is None:
        return None
    return None if priced.price.status == "at_least" else max(plan.stop.profit_usd - priced.price.usd, 0.0)


def trend_frame(moments: Sequence[Moment], stakes: Stakes, tell: Callable[[str], None] | None = None) -> pd.DataFrame:
    """Return one row per state and moment: risk, price and profit, with the unknown fields of lists withheld.

    ``moments``: in the order of time.
    """
    rows = []
    for moment in moments:
        if tell is not None:
            tell(f"measuring {moment.name}")
        plans = _plans(moment, {(0, 0): moment.cases.attacker}, stakes)
        for state, plan in plans[0, 0].items():
            usd = plan.price.usd
            right = None if plan.levels is None else plan.levels.correct
            rows.append(
                plan.price_facts
                | {
                    "moment": moment.name,
                    "state": state,
                    "total_risk": right,
                    "share": None if right is None or not plan.records else right / plan.records,
                    "usd_per_match": None if not right or usd is None else usd / right,
                    "profit_usd": None if plan.profit_usd is None else max(plan.profit_usd, 0.0),
                    "verdict": plan.verdict,
                    "status": plan.case.linkage.status,
                    "reason": plan.reason,
                }
            )
    return tidy_rows(rows, _TREND)


def change_frame(
    moments: Sequence[Moment],
    stakes: Stakes,
    *,
    recorded: Sequence[RecordedCause] = (),
    tell: Callable[[str], None] | None = None,
) -> pd.DataFrame:
    """Return one row per state and step from one moment to the next: what people, law, source and price did.

    Returns ``risk_change`` (of the share of the file that is matched correctly) is the sum of ``risk_people``,
    ``risk_law`` and ``risk_source``; ``profit_change_usd`` that of these and ``profit_price_usd``. ``changed_law`` and
    ``changed_source`` name the fields that differ. Where a list or a price is unknown at either time, the figures are
    missing and ``reason`` says why.
    """
    rows = []
    for before, after in pairwise(moments):
        if tell is not None:
            tell(f"changing people, lists and prices one by one from {before.name} to {after.name}")
        lists = _Lists.of(before.cases.attacker, after.cases.attacker, recorded)
        plans = {
            (place, *key): by_state
            for place, moment in enumerate((before, after))
            for key, by_state in _plans(moment, {key: lists.holder(*key, place) for key in _LISTS}, stakes).items()
        }
        both = [state for state in plans[0, 0, 0] if state in plans[1, 1, 1]]
        for state in both:
            row = {"before": before.name, "after": after.name, "state": state} | _change(plans, state)
            rows.append(row | {f"changed_{cause}": lists.words(state, cause) for cause in CAUSES})
    return tidy_rows(rows, _CHANGE)


def _change(plans: _Plans, state: str) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, unit, value, factors in (
        ("risk", "", partial(_risk, plans, state), _FACTORS[:3]),
        ("profit", "_usd", partial(_profit, plans, state), _FACTORS),
    ):
        parts, first, last = (_parts(value, factors), *(value(*[flag] * len(factors)) for flag in (0, 1)))
        both_known = parts is not None and first is not None and last is not None
        row |= {f"{name}_before{unit}": first, f"{name}_after{unit}": last}
        row |= {f"{name}_change{unit}": (last or 0.0) - (first or 0.0) if both_known else None}
        row |= {f"{name}_{factor}{unit}": parts and parts[factor] for factor in factors}
    for side, plan in (("before", plans[0, 0, 0][state]), ("after", plans[1, 1, 1][state])):
        row |= {f"price_{side}_usd": plan.price.usd, f"price_status_{side}": plan.price.status}
        row |= {f"price_date_{side}": plan.price_date}
    why = None
    if row["risk_people"] is None:
        why = f"{_NO_LIST} at {'the first' if row['risk_before'] is None else 'the second'} time"
    elif row["profit_people_usd"] is None:
        why = "a price is unknown"
    return row | {"reason": why}


def _parts(value: Callable[..., float | None], factors: Sequence[str]) -> dict[str, float] | None:
    """Return what each factor did; None where the figure is not known after some of the changes."""
    value_of_flags = {flags: value(*flags) for flags in product((0, 1), repeat=len(factors))}
    if any(figure is None for figure in value_of_flags.values()):
        return None

    def changed(names: frozenset[str]) -> float:
        figure = value_of_flags[tuple(int(name in names) for name in factors)]
        assert figure is not None
        return figure

    return shares_of_change(changed, factors)
