"""How risk changed between two populations: the same states, policies and attackers, twice.

The populations may be two censuses, or one census with and without the noise its publisher added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from policy_sim.formulas.compared_groups import ComparedGroups
from policy_sim.formulas.groups import AnyGroups, Groups
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.model.compare import Comparison
from policy_sim.model.measure import Bounds, Measure, Shown, kinds_of, tidy_rows
from policy_sim.model.profile import RiskProfile
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import IncompatibleError, InputError
from policy_sim.words.status import Status

if TYPE_CHECKING:
    from policy_sim.formulas.placed_groups import CountyPartGroups, PlacedGroups


@dataclass(frozen=True, repr=False)
class RiskChange(Shown):
    """One measure of one state, policy and attacker, in an earlier and a later population.

    Differences are of shares (0..1) of each population's own inhabitants, later minus earlier. Their
    ends are the unknown fields of the list withheld (``low``) and released (``high``) in both.
    """

    before: RiskProfile
    after: RiskProfile
    measure: Measure

    def __post_init__(self) -> None:
        for fact in ("state", "policy", "attacker", "lists"):
            a, b = getattr(self.before, fact), getattr(self.after, fact)
            if a != b:
                raise IncompatibleError(f"a change compares two populations for the same {fact}, not {a!r} and {b!r}.")

    def to_frame(self) -> pd.DataFrame:
        """Return one row (:func:`change_frame`)."""
        return change_frame([self])

    @property
    def status(self) -> Status:
        """``ok``, ``interval``, or why there is no figure."""
        for profile in (self.before, self.after):
            if profile.people(self.measure) is None:
                return profile.status
        return Status.INTERVAL if Status.INTERVAL in (self.before.status, self.after.status) else Status.OK

    @property
    def reason(self) -> str:
        """What the status rests on."""
        return self.before.reason or self.after.reason

    @property
    def difference(self) -> Bounds | None:
        """Later minus earlier share, or None where either has no figure; ends are not ordered."""
        early, late = self.before.share(self.measure), self.after.share(self.measure)
        if early is None or late is None:
            return None
        return Bounds(late.low - early.low, late.high - early.high)


def changes(before: Comparison, after: Comparison) -> tuple[RiskChange, ...]:
    """Pair the profiles of two comparisons, in the order of the later one.

    States that only one population has are left out; measures are those that both have.
    """
    if before.population.name == after.population.name:
        raise IncompatibleError(f"both populations are called {after.population.name}: rename one file.")
    early = {(p.state, p.policy, p.attacker): p for p in before.profiles}
    measures = [measure for measure in after.measures if measure in before.measures]
    risk_changes = tuple(
        RiskChange(early[key], profile, measure)
        for profile in after.profiles
        if (key := (profile.state, profile.policy, profile.attacker)) in early
        for measure in measures
    )
    if not risk_changes:
        raise IncompatibleError(
            f"populations {before.population.name} and {after.population.name} have no state, policy and "
            "attacker in common."
        )
    return risk_changes


def change_frame(risk_changes: Iterable[RiskChange]) -> pd.DataFrame:
    """Return one row per change: both shares and their difference, missing next to status and reason."""
    rows = []
    for change in risk_changes:
        figures = [change.before.share(change.measure), change.after.share(change.measure), change.difference]
        rows.append(
            (
                change.after.state,
                change.after.policy,
                change.after.attacker,
                change.measure.name,
                change.measure.g,
                change.before.population,
                change.after.population,
                *(bounds and bounds.low for bounds in figures),
                *(bounds and bounds.high for bounds in figures),
                str(change.status),
                change.reason,
            )
        )
    texts = ["state", "policy", "attacker", "measure", "before", "after", "status", "reason"]
    numbers = ["share_before", "share_after", "difference"]
    columns = [*texts[:4], "g", *texts[4:6], *numbers, *(f"{name}_high" for name in numbers), *texts[6:]]
    return tidy_rows(rows, kinds_of(columns, text=texts, whole=("g",)))


def area_change_frame(before: pd.DataFrame, after: pd.DataFrame, areas: Mapping[str, str]) -> pd.DataFrame:
    """Return how the risk of each area changed, whatever happened to the counties in between.

    ``areas``: the area of each county, of the same borders in both populations
    (:meth:`policy_sim.people.places.CountyHistory.common_areas`); a county that is not named is its own area. Returns
    one row an area, policy, attacker and measure: ``counties`` of either population, people of the area (``members``),
    shares of them at risk, later minus earlier ``difference`` (``_high``: the unknown fields of a list released). Areas
    that only one population has are left out.
    """
    sides = [_by_area(rows, areas) for rows in (before, after)]
    merged = sides[0].merge(sides[1], on=_AREA_KEYS, suffixes=("_before", "_after"))
    if merged.empty:
        raise IncompatibleError("the populations have no county, policy and attacker in common.")
    held: dict[str, list[str]] = {}
    for county in sorted({*before["value"], *after["value"]}):
        held.setdefault(areas.get(county, county), []).append(county)
    merged["counties"] = [" ".join(held[area]) for area in merged["area"]]
    for end in ("", "_high"):
        for side in ("before", "after"):
            merged[f"share_{side}{end}"] = merged[f"people{end}_{side}"] / merged[f"members_{side}"]
        merged[f"difference{end}"] = merged[f"share_after{end}"] - merged[f"share_before{end}"]
    merged["status"] = merged["status_before"].where(merged["status_before"] != "ok", merged["status_after"])
    merged["reason"] = merged["reason_before"].fillna(merged["reason_after"])
    merged = merged.rename(columns={"population_before": "before", "population_after": "after"})
    shares = [f"{name}{end}" for end in ("", "_high") for name in ("share_before", "share_after", "difference")]
    numbers = ["before", "after", "members_before", "members_after", *shares]
    return merged[[*_AREA_KEYS[:2], "counties", *_AREA_KEYS[2:], *numbers, "status", "reason"]]


_AREA_KEYS = ["state", "area", "policy", "attacker", "measure", "g"]


def _by_area(rows: pd.DataFrame, areas: Mapping[str, str]) -> pd.DataFrame:
    """Add counties up to areas; people at risk and members add up, so that shares follow."""
    table = rows.assign(area=[areas.get(county, county) for county in rows["value"]])
    grouped = table.groupby(_AREA_KEYS, sort=False, dropna=False)
    sums = grouped[["members", "people", "people_high"]].sum(min_count=1)  # nobody known is not nobody
    return sums.join(grouped[["population", "status", "reason"]].first()).reset_index()


# How much of what a person is a release tells: its entropy, also where people are placed by chance.


def entropy_bits(groups: AnyGroups) -> FloatArray:
    """Return the entropy of what a release shows of a person drawn from each unit, in bits; shape (units,).

    ``log2 N - sum n log2(n / b) / N`` over the groups of n people: which group, and which of its ``b`` equally likely
    hidden values; 0 where everyone looks alike. For people placed by chance ``n`` are the people of each cell who are
    expected in each place.

    >>> entropy_bits(Groups.of([1, 1, 2])).tolist()
    [1.5]
    """
    if isinstance(groups, Groups | ListedGroups):
        return _of_groups(groups)
    if isinstance(groups, ComparedGroups):
        raise InputError("what a list and a release show of race is compared record by record and has no entropy.")
    from policy_sim.formulas.placed_groups import PlacedGroups

    bits = np.zeros(groups.units)
    for unit in np.unique(groups.unit).tolist():
        counties = np.flatnonzero(groups.unit == unit)
        expected = (_by_place if isinstance(groups, PlacedGroups) else _by_part)(groups, counties)
        whole = float(groups.people[counties].sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(expected > 0, expected * (np.log2(groups.bins) - np.log2(expected)), 0.0)
        bits[unit] = max(np.log2(whole) + terms.sum() / whole, 0.0) if whole else 0.0
    return bits


def _of_groups(groups: Groups | ListedGroups) -> FloatArray:
    n = np.asarray(groups.people, dtype=np.float64)
    whole = np.bincount(groups.unit, weights=n, minlength=groups.units)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(n > 0, n * (np.log2(groups.bins) - np.log2(n)), 0.0)
    bits = np.log2(whole) + np.bincount(groups.unit, weights=terms, minlength=groups.units) / whole
    return np.maximum(bits, 0.0)


def _by_part(groups: CountyPartGroups | PlacedGroups, counties: IntArray) -> FloatArray:
    """Expected people of each cell in each part of the counties; shape (parts, cells)."""
    in_state = np.isin(groups.county, counties)
    expected: FloatArray = groups.share[in_state, None] * groups.people[groups.county[in_state]]
    return expected


def _by_place(groups: CountyPartGroups | PlacedGroups, counties: IntArray) -> FloatArray:
    """Expected people of each cell in each place, parts of several counties together; shape (places, cells)."""
    in_state = np.isin(groups.county, counties)
    _, place = np.unique(groups.place[in_state], return_inverse=True)
    expected = np.zeros((int(place.max(initial=-1)) + 1, groups.people.shape[1]))
    np.add.at(expected, place, _by_part(groups, counties))
    return expected
