"""How risk changed between two populations: the same states, policies and attackers, twice.

The populations may be two censuses, or one census with and without the noise its publisher added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from policy_sim.analyses.comparison import Comparison
from policy_sim.errors import IncompatibleError
from policy_sim.results import Bounds, Measure, Results, RiskProfile, Shown, Status
from policy_sim.results.tidy_rows import kinds_of, tidy_rows

__all__ = ["RiskChange", "RiskChanges", "area_change_frame", "change_frame", "changes"]


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


class RiskChanges(Results[RiskChange]):
    """Changes of risk between two populations."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per change (:func:`change_frame`)."""
        return change_frame(self)


def changes(before: Comparison, after: Comparison) -> RiskChanges:
    """Pair the profiles of two comparisons, in the order of the later one.

    States that only one population has are left out; measures are those that both have.

    Raises
    ------
    IncompatibleError : the comparisons share no profile, or their populations have one name.
    """
    if before.population.name == after.population.name:
        raise IncompatibleError(f"both populations are called {after.population.name}: rename one file.")
    early = {(p.state, p.policy, p.attacker): p for p in before.profiles}
    measures = [measure for measure in after.measures if measure in before.measures]
    risk_changes = RiskChanges(
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

    Parameters
    ----------
    before, after : Rows of :func:`policy_sim.analyses.breakdown.breakdown_frame` by county, one population each.
    areas : The area of each county, of the same borders in both populations
        (:meth:`policy_sim.population.counties.CountyHistory.common_areas`); a county that is not
        named is its own area.

    Returns
    -------
    One row an area, policy, attacker and measure: ``counties`` of either population, people of the area
    (``members``), shares of them at risk, later minus earlier ``difference`` (``_high``: the unknown
    fields of a list released). Areas that only one population has are left out.

    Raises
    ------
    IncompatibleError : the populations share no area.
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
