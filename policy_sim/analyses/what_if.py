"""What if a state changed what its voter list holds, costs or allows: every measure before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from policy_sim.analyses.comparison import DEFAULT_G, TOTAL_RISK, Comparison, compare, costs
from policy_sim.attackers.attacker import Attacker
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import AnyPopulation
from policy_sim.results import Bounds
from policy_sim.results.tidy_rows import kinds_of, tidy_rows
from policy_sim.voter_lists.amendments import change_list, marginal_changes
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["marginal_effects", "what_if"]

_BEFORE, _AFTER = "before", "after"
_COLUMNS = "state policy measure g before after change before_high after_high status_before status_after"
_EFFECTS = "state policy field becomes before after change share_change status_before status_after"


def what_if(
    population: AnyPopulation,
    policies: Sequence[Policy],
    attacker: Attacker,
    state: str,
    changes: Mapping[str, str],
    *,
    g: Sequence[int] = DEFAULT_G,
    days_per_year: float = DAYS_PER_YEAR,
    reach: Callable[[Attacker], Attacker] = lambda attacker: attacker,
) -> pd.DataFrame:
    """Return every measure under the list as it is and under the list changed.

    Parameters
    ----------
    population, policies, g, days_per_year : As in :func:`policy_sim.analyses.comparison.compare`.
    attacker : Holds the voter lists as they are.
    state : Whose list is changed (postal code).
    reach : Leaves the attacker the lists that it can get (such as
        :func:`~policy_sim.attackers.attacker.held_back`); asked before and after the change.
    changes : By item, as :func:`policy_sim.voter_lists.amendments.change_list` takes them.

    Returns
    -------
    One row per policy and measure: expected people, or US dollars for ``price`` and
    ``usd-per-reidentification``. ``change`` is after less before, with unknown fields withheld; the
    ``_high`` columns have them released.
    """
    before = reach(replace(attacker, name=_BEFORE))
    after = reach(attacker.changed(_AFTER, state, changes))
    comparison = compare(population, policies, [before, after], states=[state], g=g, days_per_year=days_per_year)
    rows = [row for policy in policies for row in _measured(comparison, state, policy.name)]
    rows += _priced(comparison, population, before, after)
    return _frame(rows, _COLUMNS)


def _measured(comparison: Comparison, state: str, policy: str) -> list[tuple[object, ...]]:
    old, new = (comparison.profile(state, policy, name) for name in (_BEFORE, _AFTER))
    return [
        (
            *(state, policy, measure.name, measure.g),
            *_change(old.people(measure), new.people(measure)),
            *(old.status, new.status),
        )
        for measure in comparison.measures
    ]


def _priced(
    comparison: Comparison, population: AnyPopulation, before: Attacker, after: Attacker
) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for old, new in zip(*(costs(comparison, population, attacker) for attacker in (before, after)), strict=True):
        head, tail = (old.profile.state, old.profile.policy), (old.status, new.status)
        prices = (None if cost.price_usd is None else Bounds.exactly(cost.price_usd) for cost in (old, new))
        rows.append((*head, "price", None, *_change(*prices), old.price_status, new.price_status))
        attacker = (old.usd_per_reidentification, new.usd_per_reidentification)
        rows.append((*head, "usd-per-reidentification", None, *_change(*attacker), *tail))
    return rows


def marginal_effects(
    population: AnyPopulation,
    policy: Policy,
    attacker: Attacker,
    *,
    states: Sequence[str] | None = None,
    days_per_year: float = DAYS_PER_YEAR,
) -> pd.DataFrame:
    """Return what each single change of a field would do to the total risk, largest effect first.

    Parameters
    ----------
    population, policy, states, days_per_year : As in :func:`policy_sim.analyses.comparison.compare`.
    attacker : Holds the voter lists as they are.

    Returns
    -------
    One row per state and change: a field withheld that is there, or released that is not. Expected
    people before and after, with unknown fields withheld; a state without a list has no rows.
    """
    lists = attacker.voter_lists
    state_names = states or [name for name in population.states if name in lists.lists]
    as_is = {state: lists.list_of(state) for state in state_names}
    by_state = {
        state: list(marginal_changes(listed)) for state, listed in as_is.items() if listed.status == "available"
    }
    kinds = sorted({change for changes in by_state.values() for change in changes})
    attackers = [_with(attacker, _BEFORE, as_is), *(_changed(attacker, as_is, *kind) for kind in kinds)]
    comparison = compare(population, [policy], attackers, states=list(state_names), g=(1,), days_per_year=days_per_year)
    rows = [
        _effect(comparison, state, policy.name, *change)
        for state, changes_made in by_state.items()
        for change in changes_made
    ]
    table = _frame(rows, _EFFECTS)
    return table.sort_values("change", key=abs, ascending=False, kind="stable").reset_index(drop=True)


def _changed(attacker: Attacker, as_is: Mapping[str, VoterList], item: str, value: str) -> Attacker:
    """The attacker after every state has made the same change."""
    lists = {state: change_list(listed, {item: value}) for state, listed in as_is.items()}
    return _with(attacker, f"{item}={value}", lists)


def _with(attacker: Attacker, name: str, lists: Mapping[str, VoterList]) -> Attacker:
    """The attacker by another name, with these voter lists."""
    return replace(attacker, name=name, resources=(replace(attacker.voter_lists, lists=lists),))


def _effect(comparison: Comparison, state: str, policy: str, item: str, value: str) -> tuple[object, ...]:
    old = comparison.profile(state, policy, _BEFORE)
    new = comparison.profile(state, policy, f"{item}={value}")
    a, b, change, *_ = _change(old.people(TOTAL_RISK), new.people(TOTAL_RISK))
    share = None if change is None else change / old.inhabitants
    return (state, policy, item, value, a, b, change, share, old.status, new.status)


def _change(old: Bounds | None, new: Bounds | None) -> tuple[float | None, ...]:
    low = [None if end is None else end.low for end in (old, new)]
    high = [None if end is None else end.high for end in (old, new)]
    difference = None if low[0] is None or low[1] is None else low[1] - low[0]
    return (*low, difference, *high)


def _frame(rows: Sequence[tuple[object, ...]], names: str) -> pd.DataFrame:
    text = ("state", "policy", "measure", "field", "becomes", "status_before", "status_after")
    return tidy_rows(rows, kinds_of(names.split(), text=text, whole=("g",)))
