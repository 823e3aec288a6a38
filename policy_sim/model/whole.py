"""A file of several states as a whole: the sum of its states, each with its own list, law and price.

A release that shows the state keeps the states apart, so that what happens in the whole file is the sum of what happens
in each. Where a release does not show it, each state's figures are already of groups that span the states
(:meth:`policy_sim.model.cases.Cases.measure`), and add up as well. Shares are taken of the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

import numpy as np

from policy_sim.model.compare import Curve
from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Cost, Figure, OfCase, RiskProfile
from policy_sim.words.arrays import FloatArray
from policy_sim.words.states import STATES, whole_name
from policy_sim.words.status import Status

_Of = TypeVar("_Of", bound=OfCase)
_MOST_COMBINATIONS = 256  # of unknown fields of all lists; more are given as two ends


def with_whole(parts: Sequence[_Of], whole: Callable[[Sequence[_Of]], _Of]) -> tuple[_Of, ...]:
    """Return results by state, followed by those of all states together for each policy and attacker."""
    by_case: dict[tuple[str, str], list[_Of]] = {}
    for part in parts:
        by_case.setdefault((part.policy, part.attacker), []).append(part)
    return (*parts, *(whole(own) for own in by_case.values() if len(own) > 1))


def _facts(parts: Sequence[OfCase]) -> dict[str, Any]:
    """Return the facts of all states together: a figure only where each state has one."""
    first = parts[0]
    without = [part for part in parts if not part.status.has_figure]
    ranges = [part for part in parts if part.status is Status.INTERVAL]
    status = without[0].status if without else Status.INTERVAL if ranges else first.status
    keys = {part.linkage_key for part in parts}
    return {
        "state": whole_name(part.state for part in parts),
        "policy": first.policy,
        "attacker": first.attacker,
        "population": first.population,
        "lists": ", ".join(dict.fromkeys(part.lists for part in parts if part.lists)),
        "linkage_key": by_state((part.state, part.linkage_key) for part in parts) if len(keys) > 1 else keys.pop(),
        "status": status,
        "reason": by_state((part.state, part.reason) for part in without or parts if part.reason),
    }


def by_state(words: Iterable[tuple[str, str]]) -> str:
    """Return what is said of each state, with its name."""
    parts = (f"{STATES[state].name if state in STATES else state}: {text.rstrip('.')}" for state, text in words)
    return "; ".join(parts)


def whole_profile(parts: Sequence[RiskProfile]) -> RiskProfile:
    """Return the profile of a file of several states, of one policy and attacker.

    >>> from policy_sim.model.measure import TOTAL_RISK
    >>> facts = ("county", "general", "us", "", "birth=year", "ok", "", 1000)
    >>> ohio = RiskProfile("OH", *facts, {TOTAL_RISK: Figure(Bounds(30.0, 30.0))}, in_file=0.1)
    >>> michigan = RiskProfile("MI", *facts, {TOTAL_RISK: Figure(Bounds(20.0, 20.0))}, in_file=0.06)
    >>> whole = whole_profile([ohio, michigan])
    >>> whole.state, whole.records, whole.share("total-risk").low
    ('OH+MI', 160.0, 0.3125)
    """
    facts, inhabitants = _facts(parts), sum(part.inhabitants for part in parts)
    figures: dict[Measure, Figure] = {}
    if all(part.figures for part in parts):
        figures = {measure: _sum([part.figures[measure] for part in parts]) for measure in parts[0].figures}
    in_file = sum(part.records for part in parts) / inhabitants
    return RiskProfile(**facts, inhabitants=inhabitants, figures=figures, in_file=in_file)


def _sum(figures: Sequence[Figure]) -> Figure:
    """Add up a measure over states; each combination of one list's unknown fields meets each of another's."""
    people = _ends([figure.people for figure in figures])
    variance = None
    if all(figure.variance is not None for figure in figures):
        variance = _ends([figure.variance for figure in figures if figure.variance is not None])
    names = dict.fromkeys(name for figure in figures for name in figure.assumed)
    assumed = {name: _ends([figure.assumed.get(name, figure.people) for figure in figures]) for name in names}
    many = np.prod([len(figure.by_combination) for figure in figures])
    if many == 1 or many > _MOST_COMBINATIONS:
        return Figure(people, variance, assumed=assumed)
    combinations, variances = (
        tuple(sum(values) for values in product(*(getattr(figure, name) for figure in figures)))
        for name in ("by_combination", "variance_by_combination")
    )
    return Figure(people, variance, combinations, variances if variance is not None else (), assumed)


def _ends(parts: Sequence[Bounds]) -> Bounds:
    return Bounds(sum(part.low for part in parts), sum(part.high for part in parts))


def whole_curve(parts: Sequence[Curve]) -> Curve:
    """Return the curve of a file of several states: the mean of their shares, weighted with their people."""
    records, facts = sum(part.records for part in parts), _facts(parts)

    def mean(shares: Sequence[FloatArray | None]) -> FloatArray | None:
        weighted = [
            part.records / records * share for part, share in zip(parts, shares, strict=True) if share is not None
        ]
        return np.sum(weighted, axis=0) if len(weighted) == len(parts) else None

    low, high = mean([part.low for part in parts]), mean([part.high for part in parts])
    prices = [part.price_usd for part in parts if part.price_usd is not None]
    price = Bounds(sum(each.low for each in prices), sum(each.high for each in prices))
    whole = Curve(**facts, low=low, high=high, g=parts[0].g, records=records)
    statuses = {part.price_status for part in parts}
    status = statuses.pop() if len(statuses) == 1 else None
    return whole if len(prices) < len(parts) else replace(whole, price_usd=price, price_status=status)


def whole_cost(profile: RiskProfile, parts: Sequence[Cost]) -> Cost:
    """Return the cost of a file of several states, for whoever buys the list of each: the prices add up."""
    without = [part for part in parts if part.price_usd is None]
    reasons = by_state((part.profile.state, part.price_reason) for part in without or parts if part.price_reason)
    least = [part for part in parts if part.price_status is Status.AT_LEAST]
    free = all(part.price_status is Status.FREE for part in parts)
    status = without[0].price_status if without else Status.AT_LEAST if least else Status.FREE if free else Status.OK
    low, high = (
        None if without else float(sum(getattr(part, name) for part in parts))
        for name in ("price_usd", "price_usd_high")
    )
    only_for = tuple(dict.fromkeys(buyer for part in parts for buyer in part.restricted_to))
    return Cost(profile, low, status, reasons, only_for, high)
