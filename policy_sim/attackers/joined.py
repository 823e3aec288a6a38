"""Several resources in one hand: what they show of a person is joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Self

from policy_sim.attackers.adversary import Constraints
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.joint_coverage import joint_coverage
from policy_sim.attackers.linkage import Held, Linkage
from policy_sim.attackers.resource import Counted, Resource
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.voter_lists.price import Amount

__all__ = ["Joined"]


@dataclass(frozen=True)
class Joined(Resource):
    """Resources that an attacker links with one another by name, and with a release by what they show together.

    Of the people who are in all of them it has the join of what each shows, and only those people count: a
    person who is in one alone is left out. In a state that a resource does not cover, the others are held alone.

    Parameters
    ----------
    parts : Two resources or more, each a list or a file.
    overlap : How far the people of the parts are the same: ``least``, ``independent`` or ``most``
        (:data:`~policy_sim.attackers.joint_coverage.OVERLAPS`); empty: nobody knows, and every figure has two ends.

    Raises
    ------
    InputError : fewer than two resources, or everyone, who has nothing to add to or to gain.
    """

    parts: tuple[Resource, ...]
    overlap: str = ""

    def __post_init__(self) -> None:
        if len(self.parts) < 2 or not all(part.is_file for part in self.parts):
            raise InputError("several resources are joined: give two or more, each a list or another file.")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of the parts."""
        return "+".join(part.name for part in self.parts)

    @property
    def title(self) -> str:  # type: ignore[override]
        """The titles of the parts."""
        return " with ".join(part.title for part in self.parts)

    @property
    def vintage(self) -> str:  # type: ignore[override]
        """The vintages of the parts."""
        return "+".join(dict.fromkeys(part.vintage for part in self.parts if part.vintage))

    @property
    def coverage(self) -> Coverage | None:  # type: ignore[override]
        """Who is in every part."""
        return joint_coverage([part.coverage for part in self.parts], self.overlap)

    def coverage_in(self, state: str) -> Coverage | None:
        """Return who is in every part that is held in a state."""
        return joint_coverage([part.coverage for part in self.held_in(state)], self.overlap)

    def held(self, state: str) -> Held:
        """Return the join of what the parts show, or why none is held."""
        parts = self.held_in(state)
        if not parts:
            whys = [part.linkage(Granularities(), state) for part in self.parts]
            return Held((), whys[0].status, "; ".join(dict.fromkeys(why.reason for why in whys)))
        together = product(*(part.held(state).views for part in parts))
        return Held(tuple(reduce(Granularities.join, views) for views in together), noun="one of the files")

    def linkage(self, policy: Granularities, state: str) -> Linkage:
        """Return the linkage key under a policy; the reason names the parts that are not held in the state."""
        linkage = super().linkage(policy, state)
        held = self.held_in(state)
        if linkage.low is None or len(held) == len(self.parts):
            return linkage
        without = "without " + ", ".join(part.title for part in self.parts if part not in held)
        return replace(linkage, reason="; ".join(filter(None, (linkage.reason, without))))

    def amount(
        self, state: str, records: float | None = None, counties: int | None = None, buyer: str | None = None
    ) -> Amount:
        """Return what the parts cost together, for as many records of each."""
        return _sum([part.amount(state, records, counties, buyer) for part in self.held_in(state) or self.parts])

    def amounts_for(
        self, state: str, counted: Counted, counties: int | None = None, buyer: str | None = None
    ) -> tuple[Amount, Amount]:
        """Return the least and the most that the parts cost together, each for the records that it holds."""
        part_amounts = [part.amounts_for(state, counted, counties, buyer) for part in self.held_in(state) or self.parts]
        return _sum([least for least, _ in part_amounts]), _sum([most for _, most in part_amounts])

    def price_evidence(self, state: str) -> tuple[str, str]:
        """Return when the prices of the parts were seen, and who says so of each part."""
        seen = [(part, *part.price_evidence(state)) for part in self.held_in(state)]
        dates = dict.fromkeys(date for _, date, _ in seen if date)
        cited = [f"{part.name}: {sources}" for part, _, sources in seen if sources]
        return " and ".join(dates), "; ".join(cited)

    def buyers_in(self, state: str) -> tuple[str, ...] | None:
        """Return who may have every part; None where the public may, or no source says of one."""
        rules = [set(only) for part in self.held_in(state) if (only := part.restricted_to(state))]
        # Where no class may have every part, a buyer must belong to several.
        return tuple(sorted(set.intersection(*rules) or set.union(*rules))) if rules else None

    def vintage_in(self, state: str) -> str:
        """Return the vintages of the parts in a state."""
        return "+".join(dict.fromkeys(filter(None, (part.vintage_in(state) for part in self.held_in(state)))))

    def describe(self) -> str:
        """Say which resources they are."""
        return " with ".join(part.describe() for part in self.parts)

    def covering(self, coverage: Coverage | None) -> Self:
        """Return the parts with only the people of a coverage of voter lists."""
        return self._each(lambda part: part.covering(coverage))

    def within_reach(self, who: Constraints, records: Mapping[str, float], counties: Mapping[str, int]) -> Self:
        """Return what an adversary can have of the parts."""
        return self._each(lambda part: part.within_reach(who, records, counties))

    def changed(self, state: str, changes: Mapping[str, str]) -> Self:  # noqa: ARG002
        """Refuse: nobody knows which part is meant.

        Raises
        ------
        InputError : always.
        """
        raise InputError(f"{self.name}: change one resource at a time, and name it alone.")

    def _each(self, change: Callable[[Resource], Resource]) -> Self:
        return replace(self, parts=tuple(change(part) for part in self.parts))

    def held_in(self, state: str) -> list[Resource]:
        """Return the parts that are held in a state (postal code)."""
        return [part for part in self.parts if part.linkage(Granularities(), state).low is not None]


def _sum(amounts: Sequence[Amount]) -> Amount:
    """Add amounts; one that is not known leaves the sum unknown, and a lower bound makes it one."""
    reasons = "; ".join(dict.fromkeys(amount.reason for amount in amounts if amount.reason))
    unknown = next((amount for amount in amounts if amount.usd is None), None)
    if unknown is not None:
        return Amount(None, unknown.status, reasons)
    total = sum(amount.usd for amount in amounts if amount.usd is not None)
    if any(amount.status == "at_least" for amount in amounts):
        return Amount(total, "at_least", reasons)
    return Amount(total, "ok" if total else "free", reasons)
