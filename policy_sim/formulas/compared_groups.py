"""Groups that overlap: a record of each class of a release is compared with its own candidates.

Where a release and a list ask race in two ways, their keys do not divide the people: a record of a White person who is
not Hispanic may be any White person of a list with race alone, and a record of a Hispanic anyone. For each class of the
release, the people whom its records may be are groups like any others, of which those of the class are the released
part. A person is then a candidate of several classes and released in one, so that whatever is expected adds up over
the classes. What scatters does not: the groups of two classes share people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.groups import Groups, MeasuredGroups, claims, g_distinct, g_distinct_sweep, total_risk
from policy_sim.words.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class ComparedGroups:
    """The groups of each class of a release: the candidates, of whom the people of the class are released.

    Attributes
    ----------
    classes : Groups of the same units, one or more classes in each. Of two classes they may share people.

    Examples
    --------
    Two White people and one Hispanic. A list of races has all three, and two as White: a record of a White person who
    is not Hispanic may be either of the two, the record of the Hispanic, who is White, any of the three.

    >>> from policy_sim.formulas.groups import Groups
    >>> groups = ComparedGroups((Groups.of([2], released=[1]), Groups.of([3], released=[1])))
    >>> groups.total_risk().round(4).tolist()
    [0.8333]

    References
    ----------
    docs/model.md, "Race asked in two ways".
    """

    classes: tuple[MeasuredGroups, ...]

    @property
    def units(self) -> int:
        """Number of results."""
        return self.classes[0].units

    @property
    def by_class(self) -> tuple[MeasuredGroups, ...]:
        """The groups of each class by themselves: those of one class are of different people."""
        from policy_sim.formulas.released_groups import ReleasedInParts, ReleasedInPlaces

        by_class: list[MeasuredGroups] = []
        for groups in self.classes:
            by_class += groups.by_class if isinstance(groups, ReleasedInParts | ReleasedInPlaces) else [groups]
        return tuple(by_class)

    @property
    def listed(self) -> FloatArray | None:
        """Who of the candidates of the first class is on a list, where groups know it themselves: those of all do."""
        return getattr(self.classes[0], "listed", None)

    def without_stale(self) -> ComparedGroups:
        """Return the same groups on a list without stale records: those of people who left look like candidates."""
        classes = tuple(groups if isinstance(groups, Groups) else groups.without_stale() for groups in self.classes)
        return ComparedGroups(classes)

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications of each unit; shape (units,)."""
        return self._added([total_risk(groups, coverage) for groups in self.classes])

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected released people with ``g`` or fewer listed candidates; shape (units, len(g))."""
        return self._added([g_distinct(groups, g, coverage) for groups in self.classes])

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of records with exactly one listed candidate; shape (units,)."""
        return self._added([claims(groups, coverage) for groups in self.classes])

    def g_distinct_sweep(self, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return :meth:`g_distinct` for every g = 1, 2, ..., ``g_max``; shape (units, g_max)."""
        return self._added([g_distinct_sweep(groups, g_max, coverage) for groups in self.classes])

    @staticmethod
    def _added(figures: Sequence[FloatArray]) -> FloatArray:
        added: FloatArray = np.sum(figures, axis=0)
        return added
