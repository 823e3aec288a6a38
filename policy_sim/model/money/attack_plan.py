"""Which records an attacker attacks, and from which gain, price and file size on it pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.attackers.adversary import Stakes
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import list_records
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.formulas.match_levels import MatchLevels, match_levels
from policy_sim.model.cases import Case, Cases, Key
from policy_sim.model.measure import kinds_of, tidy_rows
from policy_sim.people.population import AnyPopulation
from policy_sim.voter_lists.price import Amount
from policy_sim.words.arrays import BoolArray, FloatArray

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


@dataclass(frozen=True, eq=False)
class AttackPlan:
    """What one attacker does with one file: the curve of its attack, and where it stops.

    ``end``: ``withheld`` or ``released`` where a field of the list is unknown, ``fewest people`` or ``most people``
    where it is unknown how many the list has; empty where nothing is. ``levels``: None where the attacker has no list.
    ``in_file``: share (0..1) of the state's people. ``records``: those of people who can be on no list, such as
    children on a list of adults, are in no level. ``restricted_to``: empty where the public may have the list, or no
    source says.
    """

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

    @property
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
        stop = self.stop
        if stop is None:
            return "no list"
        if stop.profit_usd <= 0:
            return "does not pay"
        profit = self.profit_usd
        if profit is None:
            return "depends on the price"
        if self.price.status == "at_least":
            return "does not pay" if profit <= 0 else "depends on the price"
        return "pays" if profit > 0 else "does not pay"

    @property
    def reason(self) -> str:
        """What the verdict rests on."""
        parts = [self.case.linkage.reason, self.price.reason]
        if self.restricted_to:
            parts.append(f"not for the public, only for {', '.join(self.restricted_to)}")
        return "; ".join(dict.fromkeys(part.rstrip(".") for part in parts if part))


def attack_plans(cases: Cases, stakes: Stakes, *, sees_list: bool = False) -> tuple[AttackPlan, ...]:
    """Return the best attack of every state, policy and attacker.

    ``sees_list``: the attacker has the list before it picks its records, and sees how many of its people have the
    values of each; without it, it only knows the groups of the census. Returns one plan per state, policy and
    attacker; two where a field of a list is unknown, with the field withheld and released, or where it is unknown how
    many people a file has. The list is priced for the records it holds.
    """
    population = cases.population
    levels_of_key = _levels(cases, SEEN if sees_list else 0)
    people = population.people_by_state()
    sold_to = cases.measured_population  # who lives in other states changes no price here
    prices = {attacker.name: prices_of(sold_to, attacker) for attacker in cases.attackers}
    plans = []
    for case in cases:
        resource = case.attacker.resource
        date, source = resource.price_evidence(case.state)
        facts: dict[str, Any] = {"price": prices[case.attacker.name][case.state], "stakes": stakes}
        facts |= {"price_date": date, "price_source": source, "restricted_to": resource.restricted_to(case.state)}
        ends = zip(case.end_names, case.keys, strict=False)
        levels_by_end: list[tuple[str, MatchLevels | None]] = [
            (end, levels_of_key[key, case.state]) for end, key in ends
        ]
        if not levels_by_end:
            levels_by_end = [("", None)]
        elif case.keys[0] == case.keys[-1]:
            levels_by_end = [("", levels_by_end[0][1])]
        share = 1.0 if cases.in_file is None else cases.in_file.share_of(people[case.state])
        facts |= {"in_file": share, "records": share * people[case.state]}
        plans += [AttackPlan(case, end, levels, **facts) for end, levels in levels_by_end]
    return tuple(plans)


def prices_of(population: AnyPopulation, attacker: Attacker) -> dict[str, Amount]:
    """Return what its resource costs this attacker in each state, for the records it holds."""
    counties, counted = population.counties_by_state(), cache(partial(list_records, population))
    amounts_for = attacker.resource.amounts_for
    return {state: amounts_for(state, counted, counties.get(state))[0] for state in population.states}


def _levels(cases: Cases, seen: int) -> dict[tuple[Key, str], MatchLevels]:
    """Return the levels of each key and state."""
    levels: list[MatchLevels] = []
    one_at_a_time = Lock()

    def stored(groups: AnyGroups, chances: Chances) -> FloatArray:
        held = 1.0 if chances.in_file is None else chances.in_file
        new_levels = match_levels(chances.candidates(groups), chances.listed, held, seen=seen)
        with one_at_a_time:  # keys are measured side by side
            first = len(levels)
            levels.extend(new_levels)
        return np.arange(first, first + len(new_levels), dtype=np.float64)[:, None]

    places = cases.measure(stored)
    return {at: levels[int(place[0])] for at, place in places.items()}


# Attacks as tidy tables: one row per attack, and one per point of its curve.


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

    Returns ``records`` in the file, those of people who can be on no list among them; ``attacked`` and ``matched`` at
    the best stop, expected; ``precision`` and ``least_chance`` (0..1), of the records attacked and of the last of them;
    ``profit_before_price_usd``, then the price with its status, date and source, and ``profit_usd`` after it;
    ``matched_if_all`` and ``usd_per_match_if_all``, what a full attack gives and what ``cost`` prints;
    ``restricted_to``, who alone may have the list; last the assumptions on gains and costs (:data:`STAKES_COLUMNS`). A
    figure that does not exist is missing. ``unknown_fields`` tells the two ends apart where a field of the list is
    unknown, or how many people it has.
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

    ``points``: about how many rows for each attack: evenly spaced in the logarithm, from one record to all, and the
    best stop. Returns ``attacked`` and ``matched`` records, expected; ``precision`` (0..1); ``profit_usd`` before the
    price of the list; ``best`` is true at the best stop. An attacker without a list has no rows.
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


def smallest_files(cases: Cases, stakes: Stakes, prices: dict[str, float]) -> dict[tuple[str, str], int | None]:
    """Return the smallest file of which the attack pays, by state and end of the unknown fields.

    One policy and one attacker, who knows who is in the file. ``prices``: of the list in US dollars, by state.

    Returns whole records: the first that pays of 13 sizes from one record to everyone, then the fewest between it and
    the size before, exactly up to about 1,000 records and to 1 part in 500 above. None where no size up to everyone
    pays.
    """
    people = cases.population.people_by_state()
    if not prices:
        return {}
    cases = replace(cases, states=list(prices), in_file=None)
    merged: list[tuple[AnyGroups, Chances]] = []
    one_at_a_time = Lock()

    def stored(groups: AnyGroups, chances: Chances) -> FloatArray:
        with one_at_a_time:  # keys are measured side by side
            place = len(merged)
            merged.append((groups, chances))
        return np.array([[place, unit] for unit in range(groups.units)], dtype=np.float64)

    places = cases.measure(stored)
    units: dict[int, list[tuple[str, int]]] = {}
    for (_, state), (number, unit) in places.items():
        units.setdefault(int(number), []).append((state, int(unit)))
    sizes: dict[tuple[int, str], int | None] = {}
    for number, members in units.items():
        whole = np.array([people[state] for state, _ in members], dtype=np.float64)
        price = np.array([prices[state] for state, _ in members])
        first_sizes = _first_size(*merged[number], [unit for _, unit in members], whole, price, stakes)
        sizes |= {(number, state): size for (state, _), size in zip(members, first_sizes, strict=True)}
    return {
        (case.state, end): sizes[int(places[key, case.state][0]), case.state]
        for case in cases
        for end, key in zip(case.end_names, case.keys, strict=False)
    }


def _first_size(
    groups: AnyGroups,
    chances: Chances,
    rows: Sequence[int],
    people: FloatArray,
    price: FloatArray,
    stakes: Stakes,
) -> list[int | None]:
    """Search all units at once: a grid of sizes, then halvings of the step before the first that pays."""
    # the attacker knows who is in the file
    candidates = Chances(chances.listed, np.ones(groups.units)).candidates(groups)

    def pays(size: FloatArray) -> BoolArray:
        share = np.ones(groups.units)
        share[list(rows)] = np.minimum(size / people, 1.0)
        levels = match_levels(candidates, chances.listed, share)
        left = [best_stop(levels[row], stakes).profit_usd for row in rows]
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
    files: dict[tuple[str, str, str, str], int | None] = {}
    if sizes:
        files = _files(cases, plans, stakes)
    return tidy_rows((_row(plan, files) for plan in plans), _KINDS)


def _files(cases: Cases, plans: Sequence[AttackPlan], stakes: Stakes) -> dict[tuple[str, str, str, str], int | None]:
    sizes: dict[tuple[str, str, str, str], int | None] = {}
    for policy in cases.policies:
        for attacker in cases.attackers:
            mine = [plan for plan in plans if (plan.case.policy, plan.case.attacker) == (policy, attacker)]
            prices = {plan.case.state: plan.price.usd for plan in mine if plan.price.usd is not None and plan.levels}
            new_sizes = smallest_files(replace(cases, policies=[policy], attackers=[attacker]), stakes, prices)
            sizes |= {(state, policy.name, attacker.name, end): size for (state, end), size in new_sizes.items()}
    return sizes


_TEXT_KIND = "string"
_KINDS = {
    **dict.fromkeys(("state", "policy", "attacker", "unknown_fields", "verdict"), _TEXT_KIND),
    **dict.fromkeys(("precision", "profit_usd", "break_even_gain_usd", "precision_at_break_even"), "Float64"),
    "break_even_price_usd": "Float64",
    "break_even_records": "Int64",
    "price_usd": "Float64",
    **dict.fromkeys(("price_status", "price_date", "price_source", "restricted_to", "status", "reason"), _TEXT_KIND),
    **dict.fromkeys(("in_file", *STAKES_COLUMNS), "Float64"),
}


def _row(plan: AttackPlan, files: dict[tuple[str, str, str, str], int | None]) -> tuple[object, ...]:
    stop, price, case = plan.stop, plan.price.usd, plan.case
    facts = (case.state, case.policy.name, case.attacker.name, plan.end or None, plan.verdict)
    about = (price, plan.price.status, plan.price_date or None, plan.price_source or None, restriction_of(plan))
    tail = (*about, case.linkage.status, plan.reason, plan.in_file, *stakes_of_row(plan))
    if stop is None or plan.levels is None:
        return (*facts, *[None] * 6, *tail)
    even = None if price is None else least_gain(plan.levels, plan.stakes, price)
    gain = (None, None) if even is None else (even.gain_usd, even.matched / even.attacked)
    size = files.get((case.state, case.policy.name, case.attacker.name, plan.end))
    highest = stop.profit_usd if stop.profit_usd > 0 else None
    return (*facts, stop.precision, plan.profit_usd, *gain, highest, size, *tail)
