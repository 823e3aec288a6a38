"""What to look up next: unknown and old facts of voter lists, by the people whose risk hangs on them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from policy_sim.analyses.comparison import TOTAL_RISK, Comparison, compare
from policy_sim.attackers.attacker import Attacker
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import AnyPopulation
from policy_sim.voter_lists.amendments import change_list
from policy_sim.voter_lists.facts import newest_date
from policy_sim.voter_lists.freshness import MAX_AGE_MONTHS, is_old
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["look_up_next"]

_AS_IS = "as is"
_TEXTS = ("state", "field", "recorded", "why", "date", "otherwise")


def look_up_next(
    population: AnyPopulation,
    policy: Policy,
    attacker: Attacker,
    day: dt.date,
    *,
    months: int = MAX_AGE_MONTHS,
    states: Sequence[str] | None = None,
    days_per_year: float = DAYS_PER_YEAR,
) -> pd.DataFrame:
    """Rank the fields of the lists that are unknown, old or contested, by what they are worth in people.

    A fact is worth the largest difference that it makes to the state's total risk if it were otherwise: for a known
    field the list with it withheld, or shown more or less finely, against the list as it is; for an unknown one the
    largest against the least of all it may be. Other unknown fields are withheld or released, whichever gives more.

    Parameters
    ----------
    population, policy, states, days_per_year : As for :func:`~policy_sim.analyses.comparison.compare`.
    attacker : Holds the voter lists.
    day : On which age is judged.
    months : A fact is old when its newest source is older than this.

    Returns
    -------
    One row per state and field, the most people first: ``state``, ``field``, what is ``recorded``, ``why`` to look it
    up (unknown, conflict or old), the ``date`` of its newest source, ``otherwise`` (what would make the difference)
    and ``people``. Prices, buyers and uses decide dollars and not people, and have no row.
    """
    lists = attacker.voter_lists
    state_names = [state for state in states or population.states if lists.list_of(state).status == "available"]
    doubtful = {state: dict(_doubtful(lists.list_of(state), day, months)) for state in state_names}
    doubtful = {state: fields for state, fields in doubtful.items() if fields}
    names = sorted({field for fields in doubtful.values() for field in fields})
    changed = {(name, value): f"{name}={value}" for name in names for value in _values(name)}
    attackers = [_named(attacker, _AS_IS), *(_changed(attacker, list(doubtful), *change) for change in changed)]
    rows: list[tuple[object, ...]] = []
    if doubtful:
        comparison = compare(
            population, [policy], attackers, states=list(doubtful), g=(1,), days_per_year=days_per_year
        )
        rows = [
            (
                state,
                name,
                *_recorded(lists.list_of(state), name, why),
                *_worth(comparison, state, policy.name, name, why),
            )
            for state, fields in doubtful.items()
            for name, why in fields.items()
        ]
    table = pd.DataFrame(rows, columns=[*_TEXTS, "people"], dtype=object)
    table = table.astype(dict.fromkeys(_TEXTS, "string") | {"people": "Float64"})
    return table.sort_values("people", ascending=False, kind="stable").reset_index(drop=True)


def _doubtful(listed: VoterList, day: dt.date, months: int) -> Iterator[tuple[str, str]]:
    """Yield the linked fields of a list that are unknown, contested or old."""
    contested = {conflict.about.removeprefix("fields.") for conflict in listed.conflicts if not conflict.resolved}
    for name, field in RECORDED_FIELDS.items():
        if not field.finest:
            continue
        if listed.fields[name].availability == "unknown":
            yield name, "unknown"
        elif name in contested:
            yield name, "conflict"
        elif is_old(_date(listed, name), day, months):
            yield name, "old"


def _date(listed: VoterList, name: str) -> str:
    return newest_date(listed.sources[key] for key in listed.fields[name].evidence.sources)


def _values(name: str) -> tuple[str, ...]:
    return ("withheld", *(RECORDED_FIELDS[name].linked_as))


def _named(attacker: Attacker, name: str, lists: Mapping[str, VoterList] | None = None) -> Attacker:
    held = attacker.voter_lists
    return replace(attacker, name=name, resources=(held if lists is None else replace(held, lists=lists),))


def _changed(attacker: Attacker, states: Sequence[str], name: str, value: str) -> Attacker:
    """The attacker after every one of the states has made the same change."""
    lists = {state: change_list(attacker.voter_lists.list_of(state), {name: value}) for state in states}
    return _named(attacker, f"{name}={value}", lists)


def _recorded(listed: VoterList, name: str, why: str) -> tuple[str, str, str]:
    field = listed.fields[name]
    return field.granularity if field.availability == "included" else field.availability, why, _date(listed, name)


def _worth(comparison: Comparison, state: str, policy: str, name: str, why: str) -> tuple[str, float]:
    """Return what would make the largest difference, and how many people that is."""
    risks = {}
    for value in (_AS_IS, *_values(name)):
        people = comparison.profile(state, policy, value if value == _AS_IS else f"{name}={value}").people(TOTAL_RISK)
        if people is not None:
            risks[value] = (people.low, people.high)
    if why == "unknown":
        risks.pop(_AS_IS, None)
        spans = [max(end) - min(end) for end in zip(*risks.values(), strict=True)]
        return "held or withheld", max(spans, default=0.0)
    base = risks.pop(_AS_IS)
    far = {value: max(abs(a - b) for a, b in zip(ends, base, strict=True)) for value, ends in risks.items()}
    value = max(far, key=lambda item: far[item])
    return value, far[value]
