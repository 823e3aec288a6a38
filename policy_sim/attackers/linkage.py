"""The linkage key of an attacker under a policy in one state: one key, two ends, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from policy_sim.words.fields import Field, Granularities, field_word

LINKAGE_STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "ok": "the linkage key is known",
        "interval": "a field of the list or its people are unknown, or race is asked in two ways: a range of figures",
        "not_covered": "the file has nobody from this state",
        "county_only": "no statewide list; only counties or towns sell their own",
        "not_sold": "nobody can get a list",
        "not_to_this_buyer": "there is a list, but it is not sold to this attacker",
        "out_of_reach": "there is a list, but its price or rules stop this attacker",
        "unknown": "no source describes the list",
    }
)


_ENDS = ("withheld", "released")


@dataclass(frozen=True)
class Linkage:
    """The linkage key of an attacker under a policy in one state.

    ``low`` and ``high`` are the keys with every unknown field withheld and released. They are equal
    where the status is ``ok`` and both missing where there is no list; ``reason`` then says why.
    ``combinations`` has the key for every combination of how the unknown fields of the list may be held,
    from ``low`` to ``high``, in an order that is the same under every policy: what a list holds, it holds
    under all policies. It is empty where the status is not ``interval``. ``end_names`` say what each end assumes.
    """

    low: Granularities | None
    high: Granularities | None
    status: str = "ok"
    reason: str = ""
    combinations: tuple[Granularities, ...] = ()
    end_names: tuple[str, str] = _ENDS

    @classmethod
    def between(
        cls,
        low: Granularities,
        high: Granularities,
        reason: str = "",
        combinations: tuple[Granularities, ...] = (),
        end_names: tuple[str, str] = _ENDS,
    ) -> Linkage:
        """Make a linkage of its two ends; ``reason`` names what is unknown."""
        if low == high:
            return cls(low, high, "ok")
        return cls(low, high, "interval", reason, combinations or (low, high), end_names)

    def label(self) -> str:
        """Write the key; what only the upper end holds is in brackets; empty without a list.

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


@dataclass(frozen=True)
class Held:
    """What a resource shows of the people of one state.

    Parameters
    ----------
    views : One for each combination of how the unknown fields may be held: the first has every unknown field
        withheld, the last released. Empty where there is nothing to link with.
    status, reason : Why there is nothing to link with; one of :data:`LINKAGE_STATUSES`.
    noun : What the resource is called where a field of it is not known: ``the list``.
    """

    views: tuple[Granularities, ...] = ()
    status: str = "ok"
    reason: str = ""
    noun: str = "the list"


def linkage_of(held: Held, policy: Granularities) -> Linkage:
    """Return the meet, field by field, of a policy with what a resource shows.

    Two ends where a field of the resource is unknown, and where race is asked in two ways that have no common classes
    (:meth:`~policy_sim.words.fields.Granularities.compared`).
    """
    if not held.views:
        return Linkage(None, None, held.status, held.reason)
    lows, highs = zip(*(policy.compared(view) for view in held.views), strict=True)
    unknown = [field_word(name) for name in Field if any(ends[0][name] != ends[-1][name] for ends in (lows, highs))]
    reasons = [f"it is unknown whether {held.noun} has {', '.join(unknown)}"] if unknown else []
    names = [_ENDS] if unknown else []
    if lows != highs:
        names.append(("without race", "by race"))
        reasons.append(
            f"only one of the release and {held.noun} asks race with Hispanic as one of the answers: the risk lies "
            "between that without race and that by race"
        )
    # as many under every policy, also under one for which it does not matter how the race was asked
    has_race = any(view[Field.RACE] != "none" for view in held.views)
    keys = (*lows, *highs) if has_race else lows
    least, most = (", ".join(words) for words in zip(*names, strict=True)) if names else _ENDS
    return Linkage.between(keys[0], keys[-1], "; ".join(reasons), keys, (least, most))
