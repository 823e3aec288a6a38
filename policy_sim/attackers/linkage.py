"""The linkage key of an attacker under a policy in one state: one key, two ends, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.words.fields import RACE_ALONE, Field, Granularities, field_word, race_comparison

# What a linkage can be (:class:`~policy_sim.words.status.Status` says what each means).
LINKAGE_STATUSES = (
    "ok",
    "interval",
    "not_covered",
    "county_only",
    "not_sold",
    "not_to_this_buyer",
    "out_of_reach",
    "unknown",
)

FIELD_ENDS = ("withheld", "released")  # what is assumed of the unknown fields at the two ends


@dataclass(frozen=True)
class Linkage:
    """The linkage key of an attacker under a policy in one state.

    ``low`` and ``high`` are the keys with every unknown field withheld and released. They are equal
    where the status is ``ok`` and both missing where there is no list; ``reason`` then says why.
    ``combinations`` has the key for every combination of how the unknown fields of the list may be held,
    from ``low`` to ``high``, in an order that is the same under every policy: what a list holds, it holds
    under all policies. It is empty where the status is not ``interval``.
    """

    low: Granularities | None
    high: Granularities | None
    status: str = "ok"
    reason: str = ""
    combinations: tuple[Granularities, ...] = ()

    @classmethod
    def between(
        cls,
        low: Granularities,
        high: Granularities,
        reason: str = "",
        combinations: tuple[Granularities, ...] = (),
    ) -> Linkage:
        """Make a linkage of its two ends; ``reason`` names what is unknown."""
        if low == high:
            return cls(low, high, "ok")
        return cls(low, high, "interval", reason, combinations or (low, high))

    def without_ethnicity(self, population: str) -> Linkage:
        """Return two keys in the place of each that compares race record by record, for people without ethnicity.

        Whoever may be the person of a record has as much in common with it as a key without race, and no more than one
        by race. Other keys stand twice, so that there are as many under every policy.
        """
        keys = self.combinations or tuple(key for key in (self.low,) if key is not None)
        comparisons = [race_comparison(key) for key in keys]
        if not self.combinations and not any(comparisons):
            return self
        lows, highs = list(keys), list(keys)
        for place, comparison in enumerate(comparisons):
            if comparison is not None:
                races = RACE_ALONE.get(comparison.released, comparison.released)
                lows[place], highs[place] = (keys[place].replace(race=race) for race in ("none", races))
        why = (
            f"population {population} has no ethnicity, and only one of release and list asks race with Hispanic "
            "as one of the answers: the risk lies between that without race and that by race"
        )
        reasons = (self.reason, why if any(comparisons) else "")
        return Linkage.between(lows[0], highs[-1], "; ".join(filter(None, reasons)), (*lows, *highs))

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

    ``views``: one for each combination of how the unknown fields may be held: the first has every unknown field
    withheld, the last released. Empty where there is nothing to link with. ``status``, ``reason``: why there is nothing
    to link with; one of :data:`LINKAGE_STATUSES`. ``noun``: what the resource is called where a field of it is not
    known: ``the list``.
    """

    views: tuple[Granularities, ...] = ()
    status: str = "ok"
    reason: str = ""
    noun: str = "the list"


def linkage_of(held: Held, policy: Granularities) -> Linkage:
    """Return the meet, field by field, of a policy with what a resource shows.

    Race that the two ask in different ways is compared record by record
    (:meth:`~policy_sim.words.fields.Granularities.compared`).
    """
    if not held.views:
        return Linkage(None, None, held.status, held.reason)
    keys = tuple(policy.compared(view) for view in held.views)
    unknown = [field_word(name) for name in Field if keys[0][name] != keys[-1][name]]
    reason = f"it is unknown whether {held.noun} has {', '.join(unknown)}"
    return Linkage.between(keys[0], keys[-1], reason, keys)
