"""Which records an attacker attacks, and from which gain, price and file size on it pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.attackers.adversary import Stakes
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.formulas.match_levels import MatchLevels, match_levels
from policy_sim.model.cases import Case, Cases
from policy_sim.model.compare import prices_of
from policy_sim.model.measure import Row, tidy_rows
from policy_sim.voter_lists.price import Amount
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

SEEN = 150  # listed people with the same values that an attacker distinguishes


@dataclass(frozen=True)
class Stop:
    """A point of the attack at which it may end.

    Records are attacked the surest first; ``profit_usd`` is before the price of the list, and ``least_chance`` (0..1)
    that of the last record attacked, None where none is.
    """

    attacked: float
    matched: float
    profit_usd: float
    least_chance: float | None

    @property
    def precision(self) -> float | None:
        """Share (0..1) of the attacked records that are matched correctly; None where none is attacked."""
        return self.matched / self.attacked if self.attacked else None


def best_stop(levels: MatchLevels, stakes: Stakes) -> Stop:
    """Return where to stop so that the profit is largest; nothing attacked where every stop loses money.

    The profit is straight inside a level, and a cap on fines only bends it upward, so that the best stop is the end
    of a level. Among stops of the same profit it is the one with the fewest records.

    One record is sure, and 75 people look alike. With a gain of 300 dollars and 4 an attempt, the 75 are left alone:

    >>> from policy_sim.attackers.adversary import WAN_2015
    >>> best_stop(MatchLevels.of(records=[1.0, 75.0], correct=[1.0, 1.0]), WAN_2015)
    Stop(attacked=1.0, matched=1.0, profit_usd=296.0, least_chance=1.0)
    """
    attacked, matched = (np.concatenate([[0.0], values]) for values in (levels.attacked, levels.matched))
    profit = stakes.profit(attacked, matched)
    at = _first_best(profit, attacked, levels.chance, stakes)
    chance = float(levels.chance[at - 1]) if at else None
    return Stop(float(attacked[at]), float(matched[at]), float(profit[at]), chance)


def _first_best(profit: FloatArray, attacked: FloatArray, chance: FloatArray, stakes: Stakes) -> int:
    """Return the first place of the largest profit; levels that exactly break even are left out by their chance.

    Sums of many records differ in the last digits, so that a level without gain could seem to add some.
    """
    least = stakes.break_even_chance
    if least is not None and stakes.penalty_cap_usd is None:
        return int(np.searchsorted(-chance, -least, side="left"))  # the levels above the chance that breaks even
    slack = 1e-12 * (np.abs(profit).max(initial=0.0) + attacked[-1] * stakes.cost_per_attempt_usd)
    return int(np.flatnonzero(profit >= profit.max() - slack)[0])


# What is assumed of the attacker's gains and costs: the fields of its stakes that every row repeats.
STAKES_COLUMNS = ("gain_usd", "cost_per_attempt_usd", "loss_per_wrong_usd", "penalty_usd", "chance_caught")


@dataclass(frozen=True, eq=False, repr=False)
class AttackPlan(Row):
    """What one attacker does with one file: the curve of its attack, and where it stops.

    ``end``: ``withheld`` or ``released`` where a field of the list is unknown, ``fewest people`` or ``most people``
    where it is unknown how many the list has; empty where nothing is. ``levels``: None where the attacker has no list.
    ``in_file``: share (0..1) of the state's people. ``records``: those of people who can be on no list, such as
    children on a list of adults, are in no level. ``restricted_to``: empty where the public may have the list, or no
    source says.

    In the table ``attacked`` and ``matched`` are expected records at the best stop, ``precision`` and ``least_chance``
    (0..1) those of the records attacked and of the last of them; ``matched_if_all`` and ``usd_per_match_if_all`` are
    what a full attack gives and what ``econ cost`` prints.
    """

    columns = (
        "state policy attacker unknown_fields records attacked matched precision least_chance profit_before_price_usd "
        "price_usd profit_usd verdict matched_if_all usd_per_match_if_all price_status price_date price_source "
        "restricted_to status reason linkage_key in_file " + " ".join(STAKES_COLUMNS)
    )
    case: Case
    end: str
    levels: MatchLevels | None
    price: Amount
    stakes: Stakes
    in_file: float
    records: float
    price_date: str = ""
    price_source: str = ""
    restricted_to: tuple[str, ...] = ()

    @cached_property
    def stop(self) -> Stop | None:
        """The best stop once the list is bought; None without a list."""
        return None if self.levels is None else best_stop(self.levels, self.stakes)

    @property
    def profit_usd(self) -> float | None:
        """What the best attack leaves after the price of the list; None where the price is not known."""
        stop = self.stop
        if stop is None or self.price.usd is None:
            return None
        return stop.profit_usd - self.price.usd

    @property
    def verdict(self) -> str:
        """``pays``, ``does not pay``, ``depends on the price``, or ``no list``."""
        stop, profit = self.stop, self.profit_usd
        if stop is None:
            return "no list"
        if stop.profit_usd <= 0:
            return "does not pay"
        if profit is None or (profit > 0 and self.price.status == "at_least"):
            return "depends on the price"
        return "pays" if profit > 0 else "does not pay"

    @property
    def reason(self) -> str:
        """What the verdict rests on."""
        parts = [self.case.linkage.reason, self.price.reason]
        if self.restricted_to:
            parts.append(f"not for the public, only for {', '.join(self.restricted_to)}")
        return "; ".join(dict.fromkeys(part.rstrip(".") for part in parts if part))

    @property
    def name(self) -> tuple[str, str, str, str]:
        """Policy, attacker, state and end of what is unknown."""
        return (*self.case.name, self.end)

    @property
    def price_facts(self) -> dict[str, Any]:
        """The price of the list, and since when and from whom it is known, as columns."""
        price, date, source = self.price, self.price_date or None, self.price_source or None
        return {"price_usd": price.usd, "price_status": price.status, "price_date": date, "price_source": source}

    @property
    def facts(self) -> dict[str, Any]:
        """What every row about the attack says: whose, at what price, with what result, and what is assumed."""
        stakes = {name: float(getattr(self.stakes, name)) for name in STAKES_COLUMNS}
        return (
            self.price_facts
            | stakes
            | {
                "state": self.case.state,
                "policy": self.case.policy.name,
                "attacker": self.case.attacker.name,
                "unknown_fields": self.end or None,
                "profit_usd": self.profit_usd,
                "verdict": self.verdict,
                "restricted_to": ", ".join(self.restricted_to) or None,
                "status": self.case.linkage.status,
                "reason": self.reason,
                "in_file": self.in_file,
            }
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row: what is attacked at the best stop, and what a full attack gives."""
        row = self.facts | {"records": self.records, "linkage_key": self.case.label()}
        stop, levels, usd = self.stop, self.levels, self.price.usd
        if stop is not None and levels is not None:
            names = ("attacked", "matched", "precision", "least_chance")
            row |= {name: getattr(stop, name) for name in names} | {"profit_before_price_usd": stop.profit_usd}
            row |= {"matched_if_all": levels.correct}
            row |= {"usd_per_match_if_all": None if usd is None or not levels.correct else usd / levels.correct}
        yield row


def attack_plans(cases: Cases, stakes: Stakes, *, sees_list: bool = False) -> tuple[AttackPlan, ...]:
    """Return the best attack of every state, policy and attacker.

    ``sees_list``: the attacker has the list before it picks its records, and sees how many of its people have the
    values of each; without it, it only knows the groups of the census. Returns one plan per state, policy and
    attacker; two where a field of a list is unknown, with the field withheld and released, or where it is unknown how
    many people a file has. The list is priced for the records it holds.
    """
    seen = SEEN if sees_list else 0

    def levels_of(groups: AnyGroups, chances: Chances) -> Sequence[MatchLevels]:
        held = 1.0 if chances.in_file is None else chances.in_file
        return match_levels(chances.candidates(groups), chances.listed, held, seen=seen)

    levels_of_key = cases.one_each(levels_of)
    people = cases.population.people_by_state()
    sold_to = cases.measured_population  # who lives in other states changes no price here
    prices = {attacker.name: prices_of(sold_to, attacker) for attacker in cases.attackers}
    plans = []
    for case in cases:
        resource, share = case.attacker.resource, cases.share_in_file(people[case.state], case.state)
        price = prices[case.attacker.name](case.state)[0]
        bought = price, stakes, share, share * people[case.state], *resource.price_evidence(case.state)
        ends = [(end, levels_of_key[key, case.state]) for end, key in zip(case.end_names, case.keys, strict=False)]
        levels_by_end: list[tuple[str, MatchLevels | None]] = [*ends] or [("", None)]
        if case.keys and case.keys[0] == case.keys[-1]:
            levels_by_end = [("", ends[0][1])]
        only_for = resource.restricted_to(case.state)
        plans += [AttackPlan(case, end, levels, *bought, only_for) for end, levels in levels_by_end]
    return tuple(plans)


def attack_curve_frame(plans: Sequence[AttackPlan], points: int = 200) -> pd.DataFrame:
    """Return one row per attack and number of records attacked, the surest first.

    ``points``: about how many rows for each attack: evenly spaced in the logarithm, from one record to all, and the
    best stop. Returns ``attacked`` and ``matched`` records, expected; ``precision`` (0..1); ``profit_usd`` before the
    price of the list; ``best`` is true at the best stop. An attacker without a list has no rows.
    """
    rows: list[dict[str, Any]] = []
    for plan in plans:
        levels = plan.levels
        if levels is None or not len(levels.records):
            continue
        policy, attacker, state, end = plan.name
        facts = {"state": state, "policy": policy, "attacker": attacker, "unknown_fields": end or None}
        whole, stop = float(levels.attacked[-1]), best_stop(levels, plan.stakes).attacked
        even = np.geomspace(min(1.0, whole), whole, points)
        attacked = np.unique(np.append(even, stop) if stop else even)
        matched = levels.matched_after(attacked)
        profit = plan.stakes.profit(attacked, matched)
        names = ("attacked", "matched", "precision", "profit_usd", "best")
        columns = (values.tolist() for values in (attacked, matched, matched / attacked, profit, attacked == stop))
        rows += [facts | dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return tidy_rows(rows, "state policy attacker unknown_fields attacked matched precision profit_usd best")


_SIZES = 13  # files tried first, from 1 record to everyone
_HALVINGS = 10  # of the step between two of them


@dataclass(frozen=True)
class BreakEven:
    """The least gain per correct match at which an attack pays, and what it attacks there."""

    gain_usd: float
    attacked: float
    matched: float


def least_gain(levels: MatchLevels, stakes: Stakes, price_usd: float) -> BreakEven | None:
    """Return the gain at which the best attack just pays for the list, the attempts and the wrong names.

    ``levels``: the records by their chance of a correct match. Returns the least of (price + costs) / matches over
    the stops of the attack: between two of them it is larger than at one end. None where no match is expected.

    One sure record and 75 alike, a list of 50 dollars and 4 an attempt: the sure record alone would cost 54.

    >>> from policy_sim.attackers.adversary import WAN_2015
    >>> least_gain(MatchLevels.of(records=[1.0, 75.0], correct=[1.0, 1.0]), WAN_2015, 50.0)
    BreakEven(gain_usd=54.0, attacked=1.0, matched=1.0)
    """
    attacked, matched = levels.attacked, levels.matched
    if not len(matched) or matched[-1] <= 0:
        return None
    costs = price_usd - stakes.profit(attacked, matched) + stakes.gain_usd * matched
    gains = costs / matched
    place = int(np.argmin(gains))
    return BreakEven(float(gains[place]), float(attacked[place]), float(matched[place]))


def smallest_files(
    cases: Cases, stakes: Stakes, prices: Mapping[tuple[str, str, str], float]
) -> dict[tuple[str, str, str, str], int | None]:
    """Return the smallest file of which the attack pays, by policy, attacker, state and end of the unknown fields.

    The attacker knows who is in the file. ``prices``: of the list in US dollars, by policy, attacker and state; others
    are left out.

    Returns whole records: the first that pays of 13 sizes from one record to everyone, then the fewest between it and
    the size before, exactly up to about 1,000 records and to 1 part in 500 above. None where no size up to everyone
    pays.
    """
    cases, people = replace(cases, in_file=None), cases.population.people_by_state()
    bought = [case for case in cases if case.name in prices]
    merged = cases.one_each(
        lambda groups, chances: [(groups, chances, unit) for unit in range(groups.units)], among=bought
    )
    together: dict[tuple[int, str, str], dict[tuple[str, str, str, str], tuple[int, float, float]]] = {}
    groups_of: dict[tuple[int, str, str], tuple[AnyGroups, Chances]] = {}
    for case in bought:
        for end, key in zip(case.end_names, case.keys, strict=False):
            groups, chances, unit = merged[key, case.state]
            search = (id(groups), *case.name[:2])
            groups_of[search] = groups, chances
            together.setdefault(search, {})[*case.name, end] = unit, float(people[case.state]), prices[case.name]
    sizes: dict[tuple[str, str, str, str], int | None] = {}
    for search, members in together.items():
        units, whole, price = (np.array(column) for column in zip(*members.values(), strict=True))
        sizes |= dict(zip(members, _first_size(*groups_of[search], units, whole, price, stakes), strict=True))
    return sizes


def _first_size(
    groups: AnyGroups,
    chances: Chances,
    rows: IntArray,
    people: FloatArray,
    price: FloatArray,
    stakes: Stakes,
) -> list[int | None]:
    """Search all units at once: a grid of sizes, then halvings of the step before the first that pays."""
    # the attacker knows who is in the file
    candidates = Chances(chances.listed, np.ones(groups.units)).candidates(groups)

    def pays(size: FloatArray) -> BoolArray:
        share = np.ones(groups.units)
        share[rows] = np.minimum(size / people, 1.0)
        levels = match_levels(candidates, chances.listed, share)
        left = [best_stop(levels[row], stakes).profit_usd for row in rows.tolist()]
        better: BoolArray = np.array(left) > price
        return better

    least = np.ones(len(rows))
    low, high = least.copy(), np.full(len(rows), np.nan)
    for step in np.round(np.geomspace(least, people, _SIZES)):
        new = np.isnan(high) & pays(step)
        high[new] = step[new]
        low = np.where(np.isnan(high), step, low)
    has_size = ~np.isnan(high)
    for _ in range(_HALVINGS):
        open_step = has_size & (
            high - low > 1
        )  # whole records lie between one size that does not pay and one that does
        if not open_step.any():
            break
        middle = np.where(open_step, np.clip(np.round(np.sqrt(low * high)), low + 1, high - 1), low)
        good = open_step & pays(middle)
        high = np.where(good, middle, high)
        low = np.where(open_step & ~good, middle, low)
    return [int(size) if is_known else None for size, is_known in zip(high.tolist(), has_size.tolist(), strict=True)]


def break_even_frame(cases: Cases, stakes: Stakes, *, sizes: bool = True) -> pd.DataFrame:
    """Return one row per state, policy and attacker: whether the attack pays, and where it would begin to.

    Returns ``break_even_gain_usd``, ``break_even_price_usd`` (the highest price at which the attack pays; missing
    where it loses money even with a free list), ``break_even_records`` (the smallest file), and ``precision`` at the
    best stop; ``precision_at_break_even`` at the break-even gain. The price is shown with its status, date and source,
    and with who alone may have the list; last the share of the people in the file and the gains and costs assumed.
    """
    plans = attack_plans(cases, stakes)
    prices = {plan.case.name: plan.price.usd for plan in plans if plan.price.usd is not None and plan.levels}
    files = smallest_files(cases, stakes, prices) if sizes else {}
    rows = []
    for plan in plans:
        row, usd = plan.facts, plan.price.usd
        if plan.stop is not None and plan.levels is not None:
            even = None if usd is None else least_gain(plan.levels, plan.stakes, usd)
            row |= {"precision": plan.stop.precision, "break_even_gain_usd": even and even.gain_usd}
            row |= {"precision_at_break_even": even and even.matched / even.attacked}
            row |= {"break_even_price_usd": plan.stop.profit_usd if plan.stop.profit_usd > 0 else None}
            row |= {"break_even_records": files.get(plan.name)}
        rows.append(row)
    columns = (
        "state policy attacker unknown_fields verdict precision profit_usd break_even_gain_usd precision_at_break_even "
        "break_even_price_usd break_even_records price_usd price_status price_date price_source restricted_to status "
        "reason in_file " + " ".join(STAKES_COLUMNS)
    )
    return tidy_rows(rows, columns)
