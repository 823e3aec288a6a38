"""With what chance a person is on the attacker's list, and in the file: every measure with both.

Without a file, everyone is released and the attacker links each record to somebody on the list. Where it knows
that its target is in the file, it picks one of the records that have the target's values; the target must be on
the list, for its values to be known, and everyone else in the file is as good a match whether listed or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.groups.measures import (
    AnyGroups,
    claims,
    g_distinct,
    g_distinct_sweep,
    total_risk,
)

__all__ = ["Chances"]


@dataclass(frozen=True, eq=False)
class Chances:
    """The chances of each unit of groups (a state, or a part of its people).

    Parameters
    ----------
    listed : Chance ``c`` that a person is on the list, 0 to 1; shape (units,).
    in_file : Chance ``h`` that a person is in the file, where the attacker knows it of its target; shape
        (units,). None: everyone is released and the attacker knows no more.

    Examples
    --------
    100 people share their values with nobody or with everyone (one bin). Of a file of 10 of them, a target
    known to be in it is right with chance 1/10 each, one in all; without that knowledge nothing changes.

    >>> everyone, half, tenth = np.ones(1), np.full(1, 0.5), np.full(1, 0.1)
    >>> Chances(everyone, tenth).total_risk(Groups.of([100])).round(3).item()
    1.0
    >>> Chances(half, tenth).total_risk(Groups.of([100])).round(3).item()
    0.5

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

    def total_risk(self, groups: AnyGroups) -> FloatArray:
        """Return the expected number of correct links of each unit, people; shape (units,).

        ``b (1 - (1 - c/b)^n)``; in a file ``c b (1 - (1 - h/b)^n)``.
        """
        return self._with_file(total_risk, groups)

    def g_distinct(self, groups: AnyGroups, g: Sequence[int]) -> FloatArray:
        """Return the expected number of listed people in bins of ``g`` or fewer; shape (units, len(g)).

        The bins count listed people; in a file they count the people of the file.
        """
        return self._with_file(lambda these, chance: g_distinct(these, g, chance), groups)

    def g_distinct_sweep(self, groups: AnyGroups, g_max: int) -> FloatArray:
        """Return :meth:`g_distinct` for every g = 1, 2, ..., ``g_max``; shape (units, g_max)."""
        return self._with_file(lambda these, chance: g_distinct_sweep(these, g_max, chance), groups)

    def claims(self, groups: AnyGroups) -> FloatArray:
        """Return the claims and the correct ones among them, records; shape (units, 2).

        A record is claimed where exactly one person is listed with its values, rightly if it is that person's. In
        a file, a target is claimed where exactly one record has its values: no such claim is wrong.
        """
        correct = self.g_distinct(groups, (1,))[:, 0]
        sure = self.in_file is not None or bool((self.listed == 1).all())
        return np.column_stack([correct if sure else claims(groups, self.listed), correct])

    def _with_file(self, measure: Callable[[AnyGroups, FloatArray], FloatArray], groups: AnyGroups) -> FloatArray:
        if self.in_file is None:
            return measure(groups, self.listed)
        values = measure(groups, self.in_file)
        return values * self.listed.reshape(-1, *[1] * (values.ndim - 1))
