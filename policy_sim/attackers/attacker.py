"""Attackers: who holds which identified resources.

GENERAL holds the whole population at the policy's own granularity: the worst case. VOTER has the state's voter list.
(Benitez & Malin 2010, "Risk estimation"; MODEL.md section 1.) Any other attacker is a name and its resources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from policy_sim.arguments import name_of, of_kind, one_place, one_state, text
from policy_sim.attackers.adversary import Constraints
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.joined import Joined
from policy_sim.attackers.linkage import Linkage
from policy_sim.attackers.resource import EVERYONE, Resource
from policy_sim.attackers.state_lists import StateVoterLists
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.voter_lists.voter_list import VoterList

__all__ = [
    "ATTACKERS",
    "GENERAL",
    "VOTER",
    "Attacker",
    "covered",
    "held_back",
    "joined",
    "voter",
]


@dataclass(frozen=True)
class Attacker:
    """Someone with an identified resource.

    Parameters
    ----------
    name, title : In commands and tables, and in words.
    resources : What it links a release with. Several are joined: of the people who are in all of them the attacker
        has what each shows (:class:`~policy_sim.attackers.joined.Joined`).

    Raises
    ------
    InputError : no resource, or everyone next to another.

    Examples
    --------
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

        Parameters
        ----------
        policy : What is released, as a granularity of each field.
        state : Postal code, FIPS code or name.

        Returns
        -------
        What is surely linked on, and what is linked on at most.

        Raises
        ------
        InputError : not a policy's granularities.
        UnknownNameError : a state that is not known.

        Examples
        --------
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
        """Return the vintage of its resource in a state (postal code); empty where that has none.

        Parameters
        ----------
        state : Postal code, FIPS code or name.

        Returns
        -------
        The vintage, such as ``2026``; an empty text where the resource has none.

        Raises
        ------
        UnknownNameError : a state that is not known.
        InputError : another kind of value.

        Examples
        --------
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
        """Its voter lists.

        Raises
        ------
        InputError : it holds none.
        """
        for resource in self.resources:
            if isinstance(resource, StateVoterLists):
                return resource
        raise InputError(f"attacker {self.name!r} has no voter lists, but this question is about them.")

    def voter_list(self, state: str) -> VoterList:
        """Return the voter list held for a state (postal code); one of status ``unknown`` if none is described.

        Parameters
        ----------
        state : Postal code, FIPS code or name.

        Returns
        -------
        The voter list; one of status ``unknown`` where none is described.

        Raises
        ------
        InputError : the attacker holds no voter lists.
        UnknownNameError : a state that is not known.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study(lists=2026).voter.voter_list("OH").status
        'available'
        """
        return self.voter_lists.list_of(one_place(state))

    def changed(self, name: str, state: str, changes: Mapping[str, str]) -> Attacker:
        """Return the attacker by another name, after a change of what its resource is in one state.

        Parameters
        ----------
        name : The name of the new attacker.
        state : Postal code, FIPS code or name.
        changes : The item and what becomes of it, such as ``{"birth": "year"}``.

        Returns
        -------
        The new attacker; this one stays as it is.

        Raises
        ------
        InputError : a resource of which nothing can be changed.

        Examples
        --------
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
    """Return the attacker who holds the resources of several, as ``voter+births``.

    Raises
    ------
    InputError : one of them is GENERAL, who holds everyone already.
    """
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
    """Return the attacker with what such an adversary can have of its resource.

    Parameters
    ----------
    attacker : Holds voter lists.
    who : What holds it back.
    records, counties : How much each state's list holds, by which its price is reckoned.
    """
    reached = tuple(resource.within_reach(who, records, counties) for resource in attacker.resources)
    return replace(attacker, title=f"{attacker.title} ({who.title})", resources=reached)
