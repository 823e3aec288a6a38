"""Attackers by name: GENERAL, VOTER, and whoever holds a resource that ships or that a file describes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from policy_sim.attackers import ATTACKERS, VOTER, Attacker
from policy_sim.attackers.in_file import InFile, InFileLike, one_state_of
from policy_sim.files.paths import kind_of
from policy_sim.model.cases import DEFAULT_G
from policy_sim.model.measure import group_sizes
from policy_sim.policies.files import RULES, in_rules, load_policy
from policy_sim.policies.policy import Policy
from policy_sim.words.arguments import choice, name_of, of_kind, one_state, several
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import State


def attacker_name(text: str | Path) -> str:
    """Return the name of an attacker in one form: a known name, the name of a resource file, or several with ``+``."""
    name = str(text).strip()
    if "+" in name and kind_of(Path(name)) != "file":
        return "+".join(attacker_name(part) for part in name.split("+"))
    if name.endswith(".toml"):
        return name
    if name.casefold() in ATTACKERS:
        return name.casefold()
    from policy_sim.attackers.resource_files import list_resources

    names = (*ATTACKERS, *list_resources())
    if name.casefold() not in names:
        raise UnknownNameError("attacker", name, names)
    return name.casefold()


def parts_of(name: str) -> list[str]:
    """Return the attackers whose resources one name joins: itself, where it joins none.

    >>> parts_of("voter+texas-birth-index"), parts_of("general")
    (['voter', 'texas-birth-index'], ['general'])
    """
    return [name] if kind_of(Path(name)) == "file" else name.split("+")


def resource_holders(names: Iterable[str | Attacker]) -> dict[str, Attacker]:
    """Return the attackers who hold a resource, by the name or file that was given for each."""
    file_names = [part for name in names if isinstance(name, str) for part in parts_of(name) if part not in ATTACKERS]
    if not file_names:
        return {}
    from policy_sim.attackers.resource_files import load_resource, resource_holder

    held = {name: resource_holder(load_resource(name)) for name in file_names}
    for name, attacker in held.items():
        if attacker.name in ATTACKERS:
            raise InputError(f"{name}: a resource cannot be named {attacker.name!r}. Choose another name.")
    return held


def joined_name(name: str, held: Mapping[str, Attacker]) -> str:
    """Return what an attacker is called: the names of its resources, and not of their files."""
    return "+".join(held[part].name if part in held else part for part in parts_of(name))


# One question about states, in one standard form.


POLICIES = ("safe-harbor", "limited-dataset")
DEFAULT_RULES = "regulation"
NATION = "US"

# How each part of a question may be written: one, or several.
Policies: TypeAlias = str | Path | Policy | Iterable[str | Path | Policy]
Attackers: TypeAlias = str | Path | Attacker | Iterable[str | Path | Attacker]
States: TypeAlias = str | State | Iterable[str | State] | None
GroupSizes: TypeAlias = int | Iterable[int]


@dataclass(frozen=True)
class Question:
    """What a release shows, who attacks, where, and for which group sizes. Create one with :meth:`of`.

    Parameters
    ----------
    policies : Names of policies, files, or policies; ``safe-harbor`` and ``limited-dataset`` by default.
    attackers : ``general`` and ``voter`` (the default), names of resources, resource files, or attackers. A ``+``
        combines resources of one attacker: ``voter+texas-birth-index``.
    states : Postal codes; none stands for every state of the population.
    g : Group sizes of g-distinct, each 1 or more.
    rules : ``regulation`` for the HIPAA rules as 45 CFR 164.514 states them, or ``paper`` for the form of
        Benitez & Malin 2010, without ZIP codes.
    in_file : The size of the file, if the attacker knows that its target is in it: a share of each state's people
        (0.01), a number of people (11000), or ``InFile.of(11000, "Allen,Lucas=0.4")`` for a file from some counties or
        three-digit ZIP codes of one state. None: everyone is in the file.

    Examples
    --------
    >>> Question.of("safe-harbor", "voter", "ohio", 5, "paper")
    Question(policies=('safe-harbor-paper',), attackers=('voter',), states=('OH',), g=(5,), rules='paper', in_file=None)
    >>> Question.of("safe-harbor").policies
    ('safe-harbor',)
    >>> Question.of(states=["OH", "39", "Texas"]).states
    ('OH', 'TX')
    """

    policies: tuple[str | Policy, ...] = POLICIES
    attackers: tuple[str | Attacker, ...] = ATTACKERS
    states: tuple[str, ...] | None = None
    g: tuple[int, ...] = DEFAULT_G
    rules: str = DEFAULT_RULES
    in_file: InFile | None = None

    def __post_init__(self) -> None:
        several("policies", self.policies, (str, Policy), "'safe-harbor'")
        several("attackers", self.attackers, (str, Attacker), repr(VOTER))
        if self.states is not None:
            several("states", self.states, str, "'OH' or ['OH', 'TX']")
        group_sizes(self.g)
        choice("rules", self.rules, RULES)
        if self.in_file is not None:
            of_kind("in_file", self.in_file, InFile, "a file, such as InFile.of(0.01)")
            if self.in_file.catchment is not None:
                one_state_of(self.states)

    @classmethod
    def of(
        cls,
        policies: Policies | None = None,
        attackers: Attackers | None = None,
        states: States = None,
        g: GroupSizes | None = None,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> Question:
        """Return the question in standard form; None means the default.

        Parameters
        ----------
        policies, attackers, g, rules, in_file : As the class says; one value, or several.
        states : Postal codes, FIPS codes or names in any case; one, several, or None or ``"US"`` for all.

        Returns
        -------
        The question, with its names checked.

        Raises
        ------
        InputError : a part that is empty or of another kind.
        UnknownNameError : a policy, attacker, state or form of the rules that is not known.

        Examples
        --------
        >>> Question.of("safe-harbor", "general", "ohio", 5, "paper").states
        ('OH',)
        """
        choice("rules", rules, RULES)
        policy_list = several(
            "policies", POLICIES if policies is None else policies, (str, Path, Policy), "'safe-harbor'"
        )
        who = several("attackers", ATTACKERS if attackers is None else attackers, (str, Path, Attacker), repr(VOTER))
        everywhere = states is None or (isinstance(states, str) and states.strip().upper() == NATION)
        places = None if everywhere else several("states", states, (str, State), "'OH' or ['OH', 'TX']")
        return cls(
            tuple(_released(policy, rules) for policy in policy_list),
            tuple(attacker if isinstance(attacker, Attacker) else attacker_name(attacker) for attacker in who),
            None if places is None else tuple(dict.fromkeys(one_state(place) for place in places)),
            DEFAULT_G if g is None else group_sizes(g),
            rules,
            InFile.of(in_file),
        )

    @cached_property
    def loaded(self) -> tuple[Policy, ...]:
        """The policies; each file is read once."""
        return tuple(policy if isinstance(policy, Policy) else load_policy(policy) for policy in self.policies)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the policies, including those from files."""
        return tuple(policy.name for policy in self.loaded)

    @property
    def has_lists(self) -> bool:
        """Whether an attacker holds voter lists."""
        return any(
            attacker.holds_voter_lists if isinstance(attacker, Attacker) else VOTER in parts_of(attacker)
            for attacker in self.attackers
        )

    @property
    def has_files(self) -> bool:
        """Whether an attacker holds a list or another file, which has a price."""
        return self.has_lists or any(attacker.holds_file for attacker in self.holders)

    @cached_property
    def resources(self) -> dict[str, Attacker]:
        """The attackers that were given as the name or the file of a resource; each is read once."""
        return resource_holders(self.attackers)

    @property
    def resource_files(self) -> dict[str, Path]:
        """The file of each resource, as ``resource births``."""
        from policy_sim.attackers.resource_files import list_resources

        shipped = list_resources()
        return {f"resource {who.name}": shipped.get(key, Path(key)) for key, who in self.resources.items()}

    @property
    def holders(self) -> tuple[Attacker, ...]:
        """The attackers besides GENERAL and VOTER; of one that joins several resources, each with a file by itself."""
        attackers = [attacker for attacker in self.attackers if isinstance(attacker, Attacker)]
        return (*attackers, *self.resources.values())

    @property
    def attacker_names(self) -> tuple[str, ...]:
        """The names of the attackers."""
        return tuple(
            attacker.name if isinstance(attacker, Attacker) else joined_name(attacker, self.resources)
            for attacker in self.attackers
        )


def _released(policy: str | Path | Policy, rules: str) -> str | Policy:
    if isinstance(policy, Policy):
        return policy
    return in_rules(name_of("policy", policy, "'safe-harbor' or 'ours.toml'"), rules)
