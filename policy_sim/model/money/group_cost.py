"""The price of a list over the people in groups of ``g`` or fewer, instead of over the expected re-identifications."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from policy_sim.attackers.attacker import Attacker
from policy_sim.model.compare import Curve, prices_of
from policy_sim.model.measure import NOBODY, TOTAL_RISK, Bounds, Measure, Row
from policy_sim.model.measuring import part_of
from policy_sim.model.profile import Cost, Figure
from policy_sim.people.population import AnyPopulation


@dataclass(frozen=True, repr=False)
class GroupCost(Row):
    """Price of the list over the people who are g-distinct, in US dollars per person.

    C / R of Benitez and Malin 2010, where R is the number of people who share their linkage key with fewer than ``g``
    others. They are not names that are right: at ``g`` = 5 a guess is right with chance 1/5 or more. In the table the
    columns of a :class:`~policy_sim.model.profile.Cost` keep their meaning, except that ``status`` and ``reason`` are
    those of ``usd_per_g_distinct``: ``undefined`` where nobody is g-distinct.
    """

    columns = (
        "state policy attacker g g_distinct price_usd usd_per_g_distinct status reason g_distinct_high "
        "usd_per_g_distinct_high g_distinct_low usd_per_g_distinct_low total_risk population linkage_key lists "
        "restricted_to price_usd_high"
    )
    cost: Cost
    g: int

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row: people who are g-distinct, price, and dollars for each."""
        (own,) = self._over_people().rows()
        kept = ("state", "policy", "attacker", "price_usd", "status", "population", "linkage_key", "lists")
        row = {name: own[name] for name in (*kept, "restricted_to", "price_usd_high")} | {"g": self.g}
        row["reason"] = own["reason"].replace("re-identification", f"{self.g}-distinct person")
        for end in ("", "_low", "_high"):
            row[f"g_distinct{end}"] = own[f"total_risk{end}"]
            row[f"usd_per_g_distinct{end}"] = own[f"usd_per_reidentification{end}"]
        risk = self.cost.total_risk
        row["total_risk"] = risk and risk.low
        if "usd_from" in own:
            row |= {name: own[name] for name in ("usd_from", "usd_to")}
        yield row

    @property
    def usd_per_g_distinct(self) -> Bounds | None:
        """Dollars per person who is g-distinct: unknown fields withheld (``low``) and released (``high``)."""
        return self._over_people().usd_per_reidentification

    def _over_people(self) -> Cost:
        """Return the cost whose people are those who are g-distinct."""
        profile = self.cost.profile
        figures = {TOTAL_RISK: _without_dust(profile.figures[Measure.distinct(self.g)])} if profile.figures else {}
        return replace(self.cost, profile=replace(profile, figures=figures))


def _without_dust(figure: Figure) -> Figure:
    """Return a figure in which the last digits of the arithmetic are nobody."""

    def clean(people: Bounds) -> Bounds:
        low, high = (0.0 if end < NOBODY else end for end in (people.low, people.high))
        return Bounds(low, high)

    assumed = {name: clean(people) for name, people in figure.assumed.items()}
    return figure._replace(people=clean(figure.people), assumed=assumed)


def group_costs(costs: Iterable[Cost], sizes: Sequence[int]) -> tuple[GroupCost, ...]:
    """Return the cost of every case at every group size."""
    return tuple(GroupCost(cost, g) for cost in costs for g in sizes)


def priced_curves(
    curves: Sequence[Curve], population: AnyPopulation, attackers: Sequence[Attacker]
) -> tuple[Curve, ...]:
    """Return the curves with what the attacker's list costs; without a price where there is none or no file."""
    counted = part_of(population, list(dict.fromkeys(curve.state for curve in curves)))
    prices = {attacker.name: prices_of(counted, attacker) for attacker in attackers if attacker.holds_file}

    def priced(curve: Curve) -> Curve:
        if curve.attacker not in prices:
            return curve
        low, high = prices[curve.attacker](curve.state)
        price = None if low.usd is None or high.usd is None else Bounds(low.usd, high.usd)
        return replace(curve, price_usd=price, price_status=str(low.status))

    return tuple(priced(curve) for curve in curves)
