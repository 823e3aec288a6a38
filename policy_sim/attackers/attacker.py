"""Attackers: who holds which identified resources.

GENERAL holds the whole population at the policy's own granularity: the worst case. VOTER has the state's voter list.
(Benitez & Malin 2010, "Risk estimation"; MODEL.md section 1.) Any other attacker is a name and its resources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product
from pathlib import Path
from typing import Self

from policy_sim.attackers.adversary import Constraints
from policy_sim.attackers.coverage import OVERLAPS, Coverage, joint_coverage
from policy_sim.attackers.linkage import Held, Linkage
from policy_sim.attackers.resource import EVERYONE, Counted, Resource, StateVoterLists
from policy_sim.files.paths import kind_of
from policy_sim.voter_lists.price import Amount
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arguments import name_of, of_kind, one_place, one_state, text
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities


def parts_of(name: str) -> list[str]:
    """Return the attackers whose resources one name joins: itself, where it joins none.

    >>> parts_of("voter+texas-birth-index"), parts_of("general")
    (['voter', 'texas-birth-index'], ['general'])
    """
    return [name] if kind_of(Path(name)) == "file" else name.split("+")


# Several resources in one hand: what they show of a person is joined.


@dataclass(frozen=True)
class Joined(Resource):
    """Resources that an attacker links with one another by name, and with a release by what they show together.

    Of the people who are in all of them it has the join of what each shows, and only those people count: a
    person who is in one alone is left out. In a state that a resource does not cover, the others are held alone.

    ``parts``: two resources or more, each a list or a file. ``overlap``: how far the people of the parts are the same:
    ``least``, ``independent`` or ``most`` (:data:`~policy_sim.attackers.coverage.OVERLAPS`); empty: nobody knows, and
    every figure has two ends.
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

    def restricted_to(self, state: str) -> tuple[str, ...]:
        """Return who alone may have every part; empty where the public may, or no source says of one."""
        rules = [set(only) for part in self.held_in(state) if (only := part.restricted_to(state))]
        # Where no class may have every part, a buyer must belong to several.
        return tuple(sorted(set.intersection(*rules) or set.union(*rules))) if rules else ()

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
        """Refuse: nobody knows which part is meant."""
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


@dataclass(frozen=True)
class Attacker:
    """Someone with an identified resource.

    ``name``, ``title``: in commands and tables, and in words. ``resources``: what it links a release with. Several are
    joined: of the people who are in all of them the attacker has what each shows
    (:class:`~policy_sim.attackers.attacker.Joined`).

    >>> GENERAL.linkage(Granularities(birth="year", geography="state"), "OH").label()
    'birth=year+geography=state'
    """

    name: str
    title: str
    resources: tuple[Resource, ...] = (EVERYONE,)

    def __post_init__(self) -> None:
        name_of("name", self.name, "'ours'")
        text("title", self.title)
        if not all(
            isinstance(resource, Resource) for resource in of_kind("resources", self.resources, tuple, "a tuple")
        ):
            raise InputError("resources: give a tuple of resources, such as (EVERYONE,).")
        if not self.resources:
            raise InputError(f"attacker {self.name!r} has no resource. Give at least one.")
        self.resource  # noqa: B018  (resources that cannot be joined are an error at once)

    @cached_property
    def resource(self) -> Resource:
        """What it links with. Linkage, coverage, price and buyers are asked of it."""
        return self.resources[0] if len(self.resources) == 1 else Joined(self.resources)

    def linkage(self, policy: Granularities, state: str) -> Linkage:
        """Return the field-by-field meet of the policy with what the attacker holds in the state.

        ``policy``: what is released, as a granularity of each field. ``state``: postal code, FIPS code or name. Returns
        what is surely linked on, and what is linked on at most.

        >>> str(GENERAL.linkage(Granularities(birth="year"), "OH").low)
        'birth=year'
        """
        granularities = of_kind(
            "policy", policy, Granularities, "what a policy releases, such as Granularities(birth='year')"
        )
        return self.resource.linkage(granularities, one_place(state))

    @property
    def holds_file(self) -> bool:
        """Whether it links with a list or another file, which holds some people and has a price."""
        return self.resource.is_file

    @property
    def coverage(self) -> Coverage | None:
        """Whom its resource holds; None: everyone."""
        return self.resource.coverage

    @property
    def vintage(self) -> str:
        """The vintage of its resource; empty where that has none."""
        return self.resource.vintage

    def vintage_in(self, state: str) -> str:
        """Return the vintage of its resource in a state (postal code, FIPS code or name); empty where it has none.

        >>> from policy_sim import Study
        >>> Study(lists=2026).voter.vintage_in("Ohio")
        '2026'
        """
        return self.resource.vintage_in(one_place(state))

    @property
    def holds_voter_lists(self) -> bool:
        """Whether a resource of it are the voter lists of the states."""
        return any(resource.is_state_list for resource in self.resources)

    @property
    def holds_state_list_alone(self) -> bool:
        """Whether what it holds in a state is that state's list and nothing besides."""
        return self.resource.is_state_list

    @property
    def voter_lists(self) -> StateVoterLists:
        """Its voter lists."""
        for resource in self.resources:
            if isinstance(resource, StateVoterLists):
                return resource
        raise InputError(f"attacker {self.name!r} has no voter lists, but this question is about them.")

    def voter_list(self, state: str) -> VoterList:
        """Return the voter list held for a state (postal code, FIPS code or name).

        It has the status ``unknown`` where none is described.

        >>> from policy_sim import Study
        >>> Study(lists=2026).voter.voter_list("OH").status
        'available'
        """
        return self.voter_lists.list_of(one_place(state))

    def changed(self, name: str, state: str, changes: Mapping[str, str]) -> Attacker:
        """Return the attacker by another name, after a change of what its resource is in one state.

        ``changes``: the item and what becomes of it, such as ``{"birth": "year"}``. This attacker stays as it is.

        >>> from policy_sim import Study
        >>> voter = Study(lists=2026).voter
        >>> voter.changed("after", "OH", {"birth": "withheld"}).name
        'after'
        """
        items = of_kind("changes", changes, Mapping, "items and what becomes of them, such as {'birth': 'date'}")
        if not items or not all(isinstance(word, str) for pair in items.items() for word in pair):
            raise InputError("changes: give the items and what becomes of them, such as {'birth': 'date'}.")
        return replace(self, name=name, resources=(self.resource.changed(one_state(state), items),))


GENERAL = Attacker("general", "knows everyone, as precisely as the policy shows them")
VOTER = "voter"
ATTACKERS = (GENERAL.name, VOTER)


def voter(lists: Mapping[str, VoterList], vintage: str = "") -> Attacker:
    """Return the attacker who holds each state's voter list."""
    vintages = sorted({listed.vintage for listed in lists.values()})
    held = StateVoterLists(lists, vintage or "+".join(vintages))
    return Attacker(VOTER, "has the state's voter list", (held,))


def joined(attackers: Sequence[Attacker]) -> Attacker:
    """Return the attacker who holds the resources of several, as ``voter+births``."""
    resources = tuple(resource for attacker in attackers for resource in attacker.resources)
    name, title = "+".join(part.name for part in attackers), " and ".join(part.title for part in attackers)
    return Attacker(name, title, resources)


def covered(attacker: Attacker, coverage: Coverage | None) -> Attacker:
    """Return the attacker whose lists hold those of the coverage, as ``voter-adults``; None: everyone."""
    listed, who = (coverage.name, coverage.title) if coverage else ("everyone", "everyone, including children")
    name, title = f"{attacker.name}-{listed}", f"{attacker.title}: {who}"
    return replace(attacker, name=name, title=title, resources=tuple(r.covering(coverage) for r in attacker.resources))


def held_back(
    attacker: Attacker, who: Constraints, records: Mapping[str, float], counties: Mapping[str, int]
) -> Attacker:
    """Return the attacker with what such an adversary can have of its resource."""
    reached = tuple(resource.within_reach(who, records, counties) for resource in attacker.resources)
    return replace(attacker, title=f"{attacker.title} ({who.title})", resources=reached)


# Attackers in words, from their names: in tables and figures a name is all that is known of an attacker.


# What an attacker holds, as the end of a sentence about it, and the attacker in the middle of one.
_WORDS = {
    GENERAL.name: ("knows everyone", "an attacker who knows everyone"),
    VOTER: ("has the voter list", "an attacker with the voter list"),
}


def words_of(name: str) -> str:
    """Return an attacker in words, for the middle of a sentence; an empty text for another than GENERAL and VOTER.

    >>> words_of("voter"), words_of("voter-adults")
    ('an attacker with the voter list', '')
    """
    return _WORDS.get(name, ("", ""))[1]


def holding_of(name: str) -> str:
    """Return what an attacker holds, for the head of a column; its name for another than GENERAL and VOTER.

    >>> holding_of("general"), holding_of("voter"), holding_of("texas-birth-index")
    ('knows everyone', 'has the voter list', 'texas-birth-index')
    """
    return _WORDS.get(name, (name, ""))[0]


def bought_by(names: Iterable[str]) -> str:
    """Return what attackers of these names buy, for the middle of a sentence.

    >>> bought_by(["voter", "voter-adults"]), bought_by(["texas-birth-index"]), bought_by(["voter", "ours"])
    ('voter list', 'file', 'voter list or file')
    """
    kinds = {"voter list" if name.split("-")[0] == VOTER else "file" for name in names}
    return " or ".join(sorted(kinds, reverse=True)) or "voter list"


# Attackers with an assumption in place of what nobody knows of whom their resources hold.


ASSUMED_PEOPLE = (
    "assumed people: no source says who is in a file, so each person who may be in it is taken to be with the same "
    "chance. independent: being in one file does not depend on another; least and most overlap: the fewest and the "
    "most people in all files that their shares allow. The truth lies between the ends"
)

_ENDS = ("fewest people", "most people")


@dataclass(frozen=True)
class Settled:
    """An attacker of whose resources it is known how many of the people they hold, because it is assumed.

    ``assumption`` says what is assumed, such as ``independent``; it is empty where nothing is.
    """

    assumption: str
    attacker: Attacker


def settlements(attacker: Attacker, state: str) -> tuple[Settled, ...]:
    """Return an attacker under each assumption on whom its resources hold in a state; itself where all is known.

    A file of whose people nobody knows the share holds the fewest of them, or the most. Of several files as few people
    are in all as can be, as many as can be, or as many as if each file were drawn for itself.
    """
    coverage = attacker.resource.coverage_in(state)
    if coverage is None or coverage.is_known:
        return (Settled("", attacker),)
    return tuple(
        Settled(words, replace(attacker, name=f"{attacker.name} ({words})", resources=(resource,)))
        for words, resource in _resources(attacker.resource, state)
    )


def _resources(resource: Resource, state: str) -> Iterator[tuple[str, Resource]]:
    parts = resource.held_in(state) if isinstance(resource, Joined) else [resource]
    limited = [part for part in parts if part.coverage_in(state) is not None]
    all_known = all(part.coverage.is_known for part in limited if part.coverage is not None)
    for end in (1,) if all_known else (0, 1):
        settled = tuple(part.settled(end) for part in parts)
        name = "" if all_known else _ENDS[end]
        if len(limited) < 2:
            yield name, settled[0] if len(settled) == 1 else Joined(settled)
            continue
        # the fewest people with the least overlap, the most with the most: the ends of all that can be
        overlaps = OVERLAPS if all_known else (OVERLAPS[:2], OVERLAPS[1:])[end]
        for overlap in overlaps:
            words = overlap if overlap == "independent" else f"{overlap} overlap"
            yield ", ".join(filter(None, (name, words))), Joined(settled, overlap)
