"""What if a state changed what its voter list holds, costs or allows: every measure before and after."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from policy_sim.attackers.attacker import Attacker
from policy_sim.model.cases import Cases
from policy_sim.model.compare import Comparison, compare, costs
from policy_sim.model.measure import TOTAL_RISK, Bounds, ends_of_figure, tidy_rows
from policy_sim.voter_lists.changes import change_list, marginal_changes
from policy_sim.voter_lists.facts import MAX_AGE_MONTHS, is_old, newest_date
from policy_sim.voter_lists.list_field import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

_BEFORE, _AFTER = "before", "after"
_CHANGE = {"before": "Float64", "after": "Float64"}  # elsewhere these columns name populations


def what_if(
    cases: Cases, changes: Mapping[str, str], reach: Callable[[Attacker], Attacker] = lambda attacker: attacker
) -> pd.DataFrame:
    """Return every measure under the list as it is and under the list changed, in one state by one attacker.

    ``reach``: what the attacker can get of a list. Returns one row per policy and measure: expected people, or US
    dollars for ``price`` and ``usd-per-reidentification``. ``change`` is after less before, with unknown fields
    withheld; the ``_high`` columns have them released.
    """
    (state,) = cases.states or ()
    before = reach(replace(cases.attacker, name=_BEFORE))
    after = reach(cases.attacker.changed(_AFTER, state, changes))
    comparison = compare(replace(cases, attackers=[before, after]))
    rows: list[dict[str, Any]] = []
    for policy in cases.policies:
        old, new = (comparison.profile(state, policy.name, name) for name in (_BEFORE, _AFTER))
        head = {"state": state, "policy": policy.name}
        rows += [
            head | measure.columns | _changed_figure(old.people(measure), new.people(measure), old.status, new.status)
            for measure in comparison.measures
        ]
    for was, now in zip(*(costs(comparison, cases.population, attacker) for attacker in (before, after)), strict=True):
        head = {"state": was.profile.state, "policy": was.profile.policy}
        price, price_after = (None if cost.price_usd is None else Bounds.exactly(cost.price_usd) for cost in (was, now))
        row = _changed_figure(price, price_after, was.price_status, now.price_status)
        rows.append(head | {"measure": "price"} | row)
        row = _changed_figure(was.usd_per_reidentification, now.usd_per_reidentification, was.status, now.status)
        rows.append(head | {"measure": "usd-per-reidentification"} | row)
    columns = "state policy measure g before after change before_high after_high status_before status_after"
    return tidy_rows(rows, columns, **_CHANGE)


def _changed_figure(old: Bounds | None, new: Bounds | None, status: str, status_after: str) -> dict[str, Any]:
    """Return a figure before and after, and the change with unknown fields withheld."""
    change = None if old is None or new is None else new.low - old.low
    row = ends_of_figure("before", old) | ends_of_figure("after", new)
    return row | {"change": change, "status_before": status, "status_after": status_after}


def marginal_effects(cases: Cases) -> pd.DataFrame:
    """Return what each single change of a field would do to the total risk, largest effect first.

    Returns one row per state and change: a field withheld that is there, or released that is not. Expected people
    before and after, with unknown fields withheld; a state without a list has no rows.
    """
    as_is = _available_lists(cases)
    by_state = {state: list(marginal_changes(listed)) for state, listed in as_is.items()}
    kinds = sorted({change for changes in by_state.values() for change in changes})
    rows: list[dict[str, Any]] = []
    if as_is:
        comparison = _compared(cases, as_is, kinds)
        for state, (item, value) in ((state, change) for state, changes in by_state.items() for change in changes):
            names = (_BEFORE, f"{item}={value}")
            old, new = (comparison.profile(state, cases.policy.name, name) for name in names)
            row = _changed_figure(old.people(TOTAL_RISK), new.people(TOTAL_RISK), old.status, new.status)
            share = None if row["change"] is None else row["change"] / old.inhabitants
            head = {"state": state, "policy": cases.policy.name, "field": item, "becomes": value}
            rows.append(head | row | {"share_change": share})
    columns = "state policy field becomes before after change share_change status_before status_after"
    table = tidy_rows(rows, columns, **_CHANGE).drop(columns=["before_high", "after_high"], errors="ignore")
    return table.sort_values("change", key=abs, ascending=False, kind="stable").reset_index(drop=True)


def _available_lists(cases: Cases) -> dict[str, VoterList]:
    """Return the lists of the question's states that somebody can have."""
    lists = cases.attacker.voter_lists
    names = cases.states or [name for name in cases.population.states if name in lists.lists]
    by_state = {state: lists.list_of(state) for state in names}
    return {state: listed for state, listed in by_state.items() if listed.status == "available"}


def _compared(cases: Cases, as_is: Mapping[str, VoterList], kinds: Iterable[tuple[str, str]]) -> Comparison:
    """Compare the lists of some states as they are with those after every state has made each change."""
    attackers = [_named(cases.attacker, _BEFORE, as_is)]
    for item, value in kinds:
        lists = {state: change_list(listed, {item: value}) for state, listed in as_is.items()}
        attackers.append(_named(cases.attacker, f"{item}={value}", lists))
    return compare(replace(cases, attackers=attackers, states=list(as_is), g=(1,)))


def _named(attacker: Attacker, name: str, lists: Mapping[str, VoterList]) -> Attacker:
    return replace(attacker, name=name, resources=(replace(attacker.voter_lists, lists=lists),))


def look_up_next(cases: Cases, day: dt.date, months: int = MAX_AGE_MONTHS) -> pd.DataFrame:
    """Rank the fields of the lists that are unknown, old or contested, by what they are worth in people.

    A fact is worth the largest difference that it makes to the state's total risk if it were otherwise: for a known
    field the list with it withheld, or shown more or less finely, against the list as it is; for an unknown one the
    largest against the least of all it may be. Other unknown fields are withheld or released, whichever gives more.

    Returns one row per state and field, the most people first: ``state``, ``field``, what is ``recorded``, ``why`` to
    look it up (unknown, conflict or old), the ``date`` of its newest source, ``otherwise`` (what would make the
    difference) and ``people``. Prices, buyers and uses decide dollars and not people, and have no row.
    """
    doubtful = {
        state: (listed, fields)
        for state, listed in _available_lists(cases).items()
        if (fields := dict(_doubtful(listed, day, months)))
    }
    names = sorted({name for _, fields in doubtful.values() for name in fields})
    rows = []
    if doubtful:
        as_is = {state: listed for state, (listed, _) in doubtful.items()}
        comparison = _compared(cases, as_is, ((name, value) for name in names for value in _values(name)))
        for state, (listed, fields) in doubtful.items():
            for name, why in fields.items():
                field, date = listed.fields[name], _date(listed, name)
                recorded = field.granularity if field.availability == "included" else field.availability
                worth = _worth(comparison, state, cases.policy.name, name, why)
                rows.append((state, name, recorded, why, date, *worth))
    texts = ["state", "field", "recorded", "why", "date", "otherwise"]
    table = pd.DataFrame(rows, columns=[*texts, "people"], dtype=object)
    table = table.astype(dict.fromkeys(texts, "string") | {"people": "Float64"})
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


def _worth(comparison: Comparison, state: str, policy: str, name: str, why: str) -> tuple[str, float]:
    """Return what would make the largest difference, and how many people that is."""
    risks = {}
    for value in (_BEFORE, *_values(name)):
        people = comparison.profile(state, policy, value if value == _BEFORE else f"{name}={value}").people(TOTAL_RISK)
        if people is not None:
            risks[value] = (people.low, people.high)
    if why == "unknown":
        risks.pop(_BEFORE, None)
        spans = [max(end) - min(end) for end in zip(*risks.values(), strict=True)]
        return "held or withheld", max(spans, default=0.0)
    base = risks.pop(_BEFORE)
    far = {value: max(abs(a - b) for a, b in zip(ends, base, strict=True)) for value, ends in risks.items()}
    value = max(far, key=lambda item: far[item])
    return value, far[value]
