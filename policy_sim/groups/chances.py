"""With what chance a person is on the attacker's list, and in the file: every measure with both.

Without a file, everyone is released and the attacker links each record to somebody on its list. Where it knows who
is in the file, it links each record of the file to one of the listed people who are in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.groups.measures import MeasuredGroups, claims, g_distinct, g_distinct_sweep, total_risk

__all__ = ["Chances"]


@dataclass(frozen=True, eq=False)
class Chances:
    """The chances of each unit of groups (a state, or a part of its people).

    Parameters
    ----------
    listed : Chance ``c`` that a person is on the list, 0 to 1; shape (units,).
    in_file : Chance ``h`` that a person is in the file, where the attacker knows it of the people on its list;
        shape (units,). None: everyone is released, or the attacker knows no more than that.

    Examples
    --------
    Of 100 people with the same values, 10 are in the file, and the attacker knows who: of its guesses one is right.
    With 100 values in their place, 90% of the ten are alone with theirs.

    >>> from policy_sim.groups import Groups
    >>> known = Chances(np.ones(1), np.full(1, 0.1))
    >>> known.total_risk(Groups.of([100])).round(3).item()
    1.0
    >>> known.g_distinct(Groups.of([100], bins=[100]), [1]).round(2).item()
    9.06

    References
    ----------
    docs/model.md, "A target that is known to be in the file".
    """

    listed: FloatArray
    in_file: FloatArray | None = None

    def repeated(self, many: int) -> Chances:
        """Return the chances for units that each stand ``many`` times, one after the other."""
        in_file = None if self.in_file is None else np.repeat(self.in_file, many)
        return Chances(np.repeat(self.listed, many), in_file)

    @property
    def linkable(self) -> FloatArray:
        """Chance ``c h`` that a person is in the file and on the list: somebody a record can be linked to."""
        return self.listed if self.in_file is None else self.listed * self.in_file

    def total_risk(self, groups: MeasuredGroups) -> FloatArray:
        """Return the expected correct links of each unit, ``b (1 - (1 - c h/b)^n)`` a group; shape (units,)."""
        return total_risk(groups, self.linkable)

    def g_distinct(self, groups: MeasuredGroups, g: Sequence[int]) -> FloatArray:
        """Return the listed people of the file in bins of ``g`` or fewer of them; shape (units, len(g))."""
        return g_distinct(groups, g, self.linkable)

    def g_distinct_sweep(self, groups: MeasuredGroups, g_max: int) -> FloatArray:
        """Return :meth:`g_distinct` for every g = 1, 2, ..., ``g_max``; shape (units, g_max)."""
        return g_distinct_sweep(groups, g_max, self.linkable)

    def claims(self, groups: MeasuredGroups) -> FloatArray:
        """Return the records claimed, and those claimed rightly; shape (units, 2).

        A record of the file is claimed where exactly one listed person of the file has its values, and rightly if
        that person is its own. A wrong claim is a record of the file whose person is not listed: ``h (1 - c)`` of
        the people, where a release of everyone, linked by the same listed people, has ``1 - c h`` of them.
        """
        correct = self.g_distinct(groups, (1,))[:, 0]
        if bool((self.listed == 1).all()):
            return np.column_stack([correct, correct])
        held = np.ones_like(self.listed) if self.in_file is None else self.in_file
        missed = 1 - self.linkable
        unlisted = np.divide(held * (1 - self.listed), missed, out=np.zeros_like(missed), where=missed > 0)
        wrong = np.maximum(claims(groups, self.linkable) - correct, 0.0)
        return np.column_stack([correct + wrong * unlisted, correct])
