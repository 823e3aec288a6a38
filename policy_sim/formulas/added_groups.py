"""Groups by class of people: each class has groups and formulas of its kind, and their figures are added up.

Two things divide people into classes. People by age and race live in ZIP code areas with chances that depend on both
(:mod:`policy_sim.people.composed`): no two of these classes share people. A release and a list may ask race in two
ways, so that their keys do not divide the people: a record of a White person who is not Hispanic may be any White
person of a list with race alone, and a record of a Hispanic anyone. For each class of the release, the people whom its
records may be are groups, of which those of the class are the released part. A person is then a candidate of several
classes and released in one: expectations add up over the classes, and variances do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.groups import AnyGroups, Matches
from policy_sim.words.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class AddedGroups(AnyGroups):
    """The groups of each class of people.

    Attributes
    ----------
    classes : Groups of the same units, one or more classes in each.
    overlap : Whether two classes may share people, each of them released in one class.

    Examples
    --------
    A White person who is not Hispanic, a White Hispanic, and somebody of another race whose record is not counted here,
    on a list with race alone. The record of the first may be either of the two White people; the record of the Hispanic
    may be any of the three.

    >>> from policy_sim.formulas.groups import Groups
    >>> groups = AddedGroups((Groups.of([2], released=[1]), Groups.of([3], released=[1])), overlap=True)
    >>> groups.total_risk().round(4).tolist()
    [0.8333]

    References
    ----------
    docs/model-places-and-races.md, "Places below the county" and "Race asked in two ways".
    """

    classes: tuple[AnyGroups, ...]
    _: KW_ONLY
    overlap: bool = False

    @property
    def units(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.classes[0].units

    @property
    def by_class(self) -> tuple[AnyGroups, ...]:
        """The groups of each class of a release by themselves; themselves where everyone is released."""
        parts = [groups.by_class for groups in self.classes]
        is_whole = not self.overlap and all(len(of) == 1 for of in parts)
        return (self,) if is_whole else tuple(one for of in parts for one in of)

    @property
    def says_who_is_listed(self) -> bool:
        """Whether the groups know by themselves who of their people is on a list: those of all classes do, or none."""
        return self.classes[0].says_who_is_listed

    def without_stale(self) -> AddedGroups:
        """Return the same groups on a list without stale records: those of people who left look like candidates."""
        return replace(self, classes=tuple(groups.without_stale() for groups in self.classes))

    def matches(self, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> Matches:
        """Return the unit of each kind of group of each class, its records and its correct matches; all expected."""
        unit, records, correct = zip(*(groups.matches(coverage, in_file) for groups in self.classes), strict=True)
        return np.concatenate(unit), np.concatenate(records), np.concatenate(correct)

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        return self._added(lambda groups: groups.total_risk(coverage))

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        return self._added(lambda groups: groups.g_distinct(sizes.tolist(), coverage))

    def _claims(self, coverage: FloatArray) -> FloatArray:
        return self._added(lambda groups: groups.claims(coverage))

    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray:
        return self._added(lambda groups: groups.g_distinct_sweep(g_max, coverage))

    def _added(self, figures: Callable[[AnyGroups], FloatArray]) -> FloatArray:
        added: FloatArray = np.sum([figures(groups) for groups in self.classes], axis=0)
        return added
