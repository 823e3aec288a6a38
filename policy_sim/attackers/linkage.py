"""What an attacker can link on: one key, an interval of two, or none and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from policy_sim.fields import Granularities

__all__ = ["LINKAGE_STATUSES", "Linkage"]

LINKAGE_STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "ok": "the linkage key is known",
        "interval": "a field of the list is unknown: the key lies between two",
        "county_only": "no statewide list; only counties or towns sell theirs",
        "not_sold": "nobody can have a list",
        "not_to_this_buyer": "there is a list, but it is not sold to this attacker",
        "out_of_reach": "there is a list, but its price or rules hold this attacker back",
        "unknown": "no source says what list there was",
    }
)


@dataclass(frozen=True)
class Linkage:
    """The linkage key of an attacker under a policy in one state.

    ``low`` and ``high`` are the keys with every unknown field withheld and released. They are equal
    where the status is ``ok`` and both missing where there is no list; ``reason`` then says why.
    """

    low: Granularities | None
    high: Granularities | None
    status: str = "ok"
    reason: str = ""

    @classmethod
    def between(cls, low: Granularities, high: Granularities, reason: str = "") -> Linkage:
        """Make a linkage of its two ends; ``reason`` names what is unknown."""
        return cls(low, high, "ok") if low == high else cls(low, high, "interval", reason)

    def label(self) -> str:
        """Write the key; what only the upper end holds stands in brackets; empty without a list.

        >>> low = Granularities(birth="year", geography="state")
        >>> Linkage.between(low, low.replace(gender="value", geography="county")).label()
        'birth=year+geography=state[+gender][+geography=county]'
        """
        if self.low is None or self.high is None:
            return ""
        extra = [
            f"[+{field.value}{'' if name == 'value' else f'={name}'}]"
            for field, name in self.high.items()
            if name != self.low[field]
        ]
        return str(self.low) + "".join(extra)
