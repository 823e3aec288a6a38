"""Which records a rational attacker attacks: those with the best chances, as long as they pay (docs/attack.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import Any

import numpy as np

from policy_sim.analyses.cases import Case, Key, cases_of, measure_cases
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import listed_people
from policy_sim.attackers.in_file import InFile
from policy_sim.attackers.stakes import Stakes
from policy_sim.groups import AnyGroups, Chances, MatchLevels, match_levels
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import AnyPopulation
from policy_sim.results.shown import Results
from policy_sim.voter_lists.price import Amount

__all__ = ["AttackPlan", "AttackPlans", "Stop", "attack_plans", "best_stop", "prices_of"]

SEEN = 150  # listed people with the same values that an attacker distinguishes


@dataclass(frozen=True)
class Stop:
    """A point of the attack at which it may end.

    Attributes
    ----------
    attacked : Records attacked, the surest first.
    matched : Expected correct matches among them.
    profit_usd : Gain less costs, before the price of the list.
    least_chance : The chance (0..1) of a correct match of the last record attacked; None where none is.
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

    Examples
    --------
    One record is sure, and 75 people look alike. With a gain of 300 dollars and 4 an attempt, the 75 are left alone:

    >>> from policy_sim.attackers.stakes import WAN_2015
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

    Attributes
    ----------
    case : State, policy, attacker and linkage key.
    end : ``withheld`` or ``released`` where a field of the list is unknown, ``fewest people`` or ``most people`` where
        it is unknown how many the list has; empty where nothing is.
    levels : The records by their chance of a correct match; None where the attacker has no list.
    price : What its list costs, or why there is no price.
    stakes : What else it gains and pays.
    in_file : Share (0..1) of the state's people who are in the file.
    records : Records in the file. Those of people who can be on no list, such as children on a list of adults, are in
        no level: their chance is 0.
    price_date, price_source : When the price was seen, and who says so.
    restricted_to : Classes of buyers who alone may have the list; empty where the public may, or no source says.
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


class AttackPlans(Results[AttackPlan]):
    """Attacks by state, policy and attacker."""

    __slots__ = ()


def attack_plans(
    population: AnyPopulation,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    stakes: Stakes,
    *,
    states: Sequence[str] | None = None,
    in_file: InFile | None = None,
    sees_list: bool = False,
    days_per_year: float = DAYS_PER_YEAR,
) -> AttackPlans:
    """Return the best attack of every state, policy and attacker.

    Parameters
    ----------
    population, policies, attackers, states, days_per_year : As in :func:`policy_sim.analyses.comparison.compare`.
    stakes : What the attackers gain and pay besides the price of a list.
    in_file : How many are in the file, and known to the attacker; None: everyone is released.
    sees_list : The attacker has the list before it picks its records, and sees how many of its people have the values
        of each; without it, it only knows the groups of the census.

    Returns
    -------
    One plan per state, policy and attacker; two where a field of a list is unknown, with the field withheld and
    released, or where it is unknown how many people a file has. The list is priced for the records it holds.
    """
    cases = cases_of(population, policies, attackers, states)
    levels_of_key = _levels(population, cases, in_file, days_per_year, SEEN if sees_list else 0)
    people = population.people_by_state()
    prices = {attacker.name: prices_of(population, attacker) for attacker in attackers}
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
        share = _share(in_file, people[case.state])
        facts |= {"in_file": share, "records": share * people[case.state]}
        plans += [AttackPlan(case, end, levels, **facts) for end, levels in levels_by_end]
    return AttackPlans(plans)


def prices_of(population: AnyPopulation, attacker: Attacker) -> dict[str, Amount]:
    """Return what its resource costs this attacker in each state, for the records it holds."""
    counties, counted = population.counties_by_state(), cache(partial(listed_people, population))
    amounts_for = attacker.resource.amounts_for
    return {state: amounts_for(state, counted, counties.get(state))[0] for state in population.states}


def _share(in_file: InFile | None, people: int) -> float:
    return 1.0 if in_file is None else in_file.share_of(people)


def _levels(
    population: AnyPopulation, cases: Sequence[Case], in_file: InFile | None, days_per_year: float, seen: int
) -> dict[tuple[Key, str], MatchLevels]:
    """Return the levels of each key and state."""
    levels: list[MatchLevels] = []
    one_at_a_time = Lock()

    def stored(groups: AnyGroups, chances: Chances) -> FloatArray:
        held = 1.0 if chances.in_file is None else chances.in_file
        new_levels = match_levels(groups, chances.listed, held, seen=seen)
        with one_at_a_time:  # keys are measured side by side
            first = len(levels)
            levels.extend(new_levels)
        return np.arange(first, first + len(new_levels), dtype=np.float64)[:, None]

    places = measure_cases(population, cases, stored, days_per_year, in_file=in_file)
    return {at: levels[int(place[0])] for at, place in places.items()}
