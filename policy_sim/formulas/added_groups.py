"""Groups of different people side by side, each with formulas of its own kind, whose figures are added up."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.formulas.groups import AnyGroups, ComparedGroups


@dataclass(frozen=True, eq=False)
class AddedGroups(ComparedGroups):
    """Groups of the same units, no two of which share people: no bin holds people of two of them.

    People by age and race whose chance to live in a ZIP code area depends on both are such groups
    (:mod:`policy_sim.people.composed`).

    Examples
    --------
    >>> from policy_sim.formulas.groups import Groups
    >>> AddedGroups((Groups.of([2]), Groups.of([1, 1]))).total_risk().tolist()
    [3.0]
    """

    @property
    def by_class(self) -> tuple[AnyGroups, ...]:
        """The groups of each class of a release by themselves; themselves where everyone is released."""
        parts = [groups.by_class for groups in self.classes]
        return (self,) if all(len(of) == 1 for of in parts) else tuple(one for of in parts for one in of)
