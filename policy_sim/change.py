"""How risk changed between two populations: the same states, policies and attackers, twice.

The populations may be two censuses, or one census with and without the noise its publisher added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from policy_sim.errors import IncompatibleError
from policy_sim.profile import Bounds, Measure, RiskProfile
from policy_sim.study import Comparison

__all__ = ["RiskChange", "change_frame", "changes"]


@dataclass(frozen=True)
class RiskChange:
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

    @property
    def status(self) -> str:
        """``ok``, ``interval``, or why there is no figure."""
        for profile in (self.before, self.after):
            if profile.people(self.measure) is None:
                return profile.status
        return "interval" if "interval" in (self.before.status, self.after.status) else "ok"

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

    Raises
    ------
    IncompatibleError : the comparisons share no profile.
    """
    early = {(p.state, p.policy, p.attacker): p for p in before.profiles}
    measures = [measure for measure in after.measures if measure in before.measures]
    found = tuple(
        RiskChange(early[key], profile, measure)
        for profile in after.profiles
        if (key := (profile.state, profile.policy, profile.attacker)) in early
        for measure in measures
    )
    if not found:
        raise IncompatibleError(
            f"populations {before.population.name} and {after.population.name} have no state, policy and "
            "attacker in common."
        )
    return found


def change_frame(found: Iterable[RiskChange]) -> pd.DataFrame:
    """Return one row a change: both shares and their difference, missing beside status and reason."""
    rows = []
    for change in found:
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
                change.status,
                change.reason,
            )
        )
    texts = ["state", "policy", "attacker", "measure", "before", "after", "status", "reason"]
    numbers = ["share_before", "share_after", "difference"]
    columns = [*texts[:4], "g", *texts[4:6], *numbers, *(f"{name}_high" for name in numbers), *texts[6:]]
    kinds = {name: "string" if name in texts else "Int64" if name == "g" else "Float64" for name in columns}
    return pd.DataFrame(rows, columns=columns, dtype=object).astype(kinds)
