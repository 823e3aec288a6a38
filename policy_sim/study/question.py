"""What a question says, and the people, lists and attackers that it is asked of."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from policy_sim.attackers import ATTACKERS, GENERAL, VOTER, Attacker, Constraints, covered, held_back, joined, voter
from policy_sim.attackers.attacker import parts_of
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.coverage import COVERAGES, list_records
from policy_sim.attackers.files import load_adversary
from policy_sim.attackers.in_file import InFile, InFileLike
from policy_sim.attackers.resource import AS_OF
from policy_sim.files.paths import DEFAULT_POPULATION, kind_of
from policy_sim.model.cases import DEFAULT_G, Cases
from policy_sim.model.measure import group_sizes
from policy_sim.people.by_name import load_population
from policy_sim.people.merge import DAYS_PER_YEAR
from policy_sim.people.names import ZIP3_LISTS, with_zip3_list
from policy_sim.people.places import as_counted, as_shown, has_place, is_by_zip
from policy_sim.people.population import AnyPopulation, Population, check_states, in_memory
from policy_sim.people.zips import PeopleByZip, with_zip_codes
from policy_sim.policies.files import RULES, in_rules, load_policy
from policy_sim.policies.policy import Policy, for_states, same_in_every_state
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.voter_lists.files import list_vintages, load_lists_held_on, load_voter_lists
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arguments import choice, day, name_of, number, of_kind, one_state, several, short
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Field
from policy_sim.words.states import State

if TYPE_CHECKING:
    from policy_sim.model.model_error import ModelErrors
    from policy_sim.records.engines.engine import Engine


_DATABASE = "POLICY_SIM_DATABASE"


def newest_vintage(vintages: tuple[str, ...]) -> str:
    """Return the newest year among vintages and scenarios."""
    return max(name for name in vintages if name.isdigit())


def vintage_name(argument: str, vintage: str | int) -> str:
    """Return the name of a vintage or scenario, of an argument from Python; a year may be a number."""
    year = str(vintage) if isinstance(vintage, int) and not isinstance(vintage, bool) else vintage
    return str(name_of(argument, year, "'2026'"))


def study_lists(
    vintage: str | None, database: str | None, as_of: dt.date | None = None
) -> tuple[str, dict[str, VoterList]]:
    """Return the vintage and its lists by state, or those of a day.

    ``vintage``: a year or scenario; the newest year by default. ``database``: a URL, or ``own`` for the user's own
    database with what was imported; none: the files, unless the environment names a database.
    """
    if database is None and not os.environ.get(_DATABASE):
        name = f"{AS_OF}{as_of}" if as_of else vintage or newest_vintage(list_vintages())
        return name, load_lists_held_on(as_of) if as_of else load_voter_lists(name)
    from policy_sim.voter_lists.sql.stored_lists import lists_in, open_lists, vintages_in

    engine = open_lists(database)
    name = f"{AS_OF}{as_of}" if as_of else vintage or newest_vintage(vintages_in(engine))
    return name, lists_in(engine, None if as_of else name, as_of)


def database_name(database: str | None) -> str:
    """Return how outputs name the database, without its password; empty where the files are read."""
    if database is None and not os.environ.get(_DATABASE):
        return ""
    from policy_sim.voter_lists.sql.database import given_url, read_address, shown_url

    url = given_url(database)
    return shown_url(read_address(url)) if url else "your own database"


# The settings of a study: a population, voter lists, and who has them.


_MOST_DAYS = 1_000_000


@dataclass(frozen=True, repr=False)
class Setting:
    """A population and the voter lists of one year, loaded when they are first needed: the fields of a ``Study``."""

    population: str | Path | Population | None = None
    lists: str | int | None = None
    days_per_year: float = DAYS_PER_YEAR
    zip3: str = "computed"
    adversary: str | Path | Constraints | None = None
    coverage: str = "registered"
    spread: bool = False
    database: str | None = None
    engine: str | Engine | None = None
    as_of: dt.date | str | None = None

    def __post_init__(self) -> None:
        """Convert every field to its standard form, or say what is allowed."""
        if self.population is not None and not isinstance(self.population, Population):
            allowed = "'us-2020' or a Population; compare(population=[...]) takes several"
            self._set("population", name_of("population", self.population, allowed))
        if self.lists is not None:
            self._set("lists", vintage_name("lists", self.lists))
        if self.as_of is not None:
            self._set("as_of", day("as_of", self.as_of))
        if self.lists is not None and self.as_of is not None:
            raise InputError("the year of the lists and the date (as of) both choose a time: use one of them.")
        self._set("days_per_year", number("days_per_year", self.days_per_year, 1, _MOST_DAYS))
        choice("zip3", self.zip3, ZIP3_LISTS)
        choice("coverage", self.coverage, COVERAGES)
        if self.adversary is not None and not isinstance(self.adversary, Constraints):
            self._set("adversary", name_of("adversary", self.adversary, "'academic'"))
        if not isinstance(self.spread, bool):
            raise InputError(f"spread = {short(self.spread)}: give True for intervals, or False.")
        if self.database is not None:
            name_of("database", self.database, "'own' or a URL")
        if not (self.engine is None or isinstance(self.engine, str) or _is_engine(self.engine)):
            raise InputError("engine: give 'duckdb', 'local', the URL of a Spark server, or an open engine.")
        if self.lists is not None and self.database is None and not self.database_name:
            self.unrestricted_voter  # noqa: B018  (a vintage that nobody has is an error at once)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Say whose people, which lists, and every setting that is not the default; no address with its password."""
        people = self.population or DEFAULT_POPULATION
        lists = f"as of {self.as_of}" if self.as_of else f"of {self.lists or newest_vintage(list_vintages())}"
        if self.database_name:  # printing asks no database
            lists = f"{lists if self.as_of or self.lists else ''} in {self.database_name}".strip()
        elsewhere = ("population", "lists", "as_of", "database", "engine")
        changed = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in elsewhere}
        defaults = {field.name: field.default for field in fields(self)}
        others = [f"{name}: {value}" for name, value in changed.items() if value != defaults[name]]
        if self.engine is not None:
            others.append("merged by an engine")
        return "; ".join([f"Study: people of {getattr(people, 'name', people)}", f"voter lists {lists}", *others])

    @property
    def database_name(self) -> str:
        """The database's address for outputs, without its password; empty if the lists come from files."""
        return database_name(self.database)

    @cached_property
    def counted(self) -> AnyPopulation:
        """The population, loaded once, or processed by the engine without loading."""
        if self.engine is None:
            if isinstance(self.population, Population):
                return self.population
            return load_population(self.population or DEFAULT_POPULATION)
        from policy_sim.records.engines.population import population_of_engine

        population = self.population if isinstance(self.population, Population | None) else str(self.population)
        return population_of_engine(population, self.engine)

    def with_intervals(self) -> Self:
        """Return the setting with ``spread``; what is read of people and lists is not read again."""
        other = replace(self, spread=True)
        by_zip = {name: value for name, value in vars(self).items() if name == "_counted_by_zip"}
        vars(other).update(counted=self.counted, unrestricted_voter=self.unrestricted_voter, **by_zip)
        return other

    @property
    def model_error(self) -> ModelErrors | None:
        """The measured errors of the population's fit, which intervals include; None if there are none."""
        if not self.spread:
            return None
        from policy_sim.model.model_error import errors_of

        return errors_of(self.counted.provenance)

    @property
    def people(self) -> Population:
        """The population in memory."""
        return in_memory(self.counted)

    @cached_property
    def voter(self) -> Attacker:
        """The attacker with each state's voter list, where the adversary can get it."""
        return self._within_reach(self.unrestricted_voter)

    @cached_property
    def unrestricted_voter(self) -> Attacker:
        """VOTER before an adversary profile limits which lists it can get; who is on them follows the coverage."""
        as_of = None if self.as_of is None else day("as_of", self.as_of)
        vintage, lists = study_lists(None if self.lists is None else str(self.lists), self.database, as_of)
        attacker = voter(lists, vintage)
        coverage = load_coverage(self.coverage, attacker.voter_lists.newest_vintage)
        if coverage is None:
            return attacker
        return replace(covered(attacker, coverage), name=attacker.name, title=attacker.title)

    def voter_of(self, vintage: str | int) -> Attacker:
        """Return VOTER with the lists of another vintage or scenario, which hold the people counted nearest to it."""
        name, lists = study_lists(vintage_name("vintage", vintage), self.database)
        held = voter(lists, name).voter_lists
        held = held.covering(load_coverage(self.coverage, held.newest_vintage))
        return self._within_reach(Attacker(f"voter-{name}", f"has the state's voter list of {name}", (held,)))

    def _within_reach(self, attacker: Attacker) -> Attacker:
        """Keep the lists that the study's adversary can get, each priced by the records it holds."""
        if self.adversary is None:
            return attacker
        who = self.adversary if isinstance(self.adversary, Constraints) else load_adversary(str(self.adversary))
        return held_back(attacker, who, list_records(self.counted, attacker.coverage), self.counted.counties_by_state())

    def _policies(self, question: Question) -> list[Policy]:
        """The policies of a question as the population that answers it shows them."""
        policies = [for_states(policy, question.states) for policy in question.loaded]
        people = self.people_for(question)
        named = {policy.name for policy in policies}
        measured = [as_counted(policy, people) for policy in policies]
        # what is measured without its ZIP codes may be another policy of the question: one row is enough
        policies = [
            new for old, new in zip(policies, measured, strict=True) if new.name == old.name or new.name not in named
        ]
        if isinstance(people, Population) and not has_place(people, "zip3"):
            return policies  # no list of small ZIP areas helps: merging says what is missing
        listed = [with_zip3_list(policy, self.zip3, people.provenance.date) for policy in policies]
        return [as_shown(policy, people) for policy in listed] if isinstance(people, Population) else listed

    def places_by_county(self, question: Question) -> bool:
        """Whether a policy of the question shows ZIP codes that the make-up of the counties answers for."""
        return self.people_for(question) is not self.counted

    def people_for(self, question: Question) -> AnyPopulation:
        """The population, which answers for ZIP codes by the make-up of its counties where a policy releases them."""
        of_kind("question", question, Question, "a question, such as Question.of('safe-harbor')")
        check_states(self.counted, question.states or ())
        if not any(is_by_zip(policy.releases[Field.GEOGRAPHY]) for policy in question.loaded):
            return self.counted
        return self._counted_by_zip

    def people_one_by_one(self, question: Question) -> Population | PeopleByZip:
        """As :meth:`people_for`, with the cells in memory."""
        people = self.people_for(question)
        return people if isinstance(people, PeopleByZip) else in_memory(people)

    @cached_property
    def _counted_by_zip(self) -> AnyPopulation:
        return with_zip_codes(self.counted)

    def attackers_of(self, question: Question) -> list[Attacker]:
        """Return the attackers of a question, in its order, each with what the study's adversary can get."""
        of_kind("question", question, Question, "a question, such as Question.of('safe-harbor')")
        attackers: list[Attacker] = []
        for attacker in question.attackers:
            if isinstance(attacker, Attacker):
                attackers.append(attacker)
                continue
            parts = [self._holder(part, question) for part in parts_of(attacker)]
            attackers.append(parts[0] if len(parts) == 1 else joined(parts))
        return attackers

    def _holder(self, name: str, question: Question) -> Attacker:
        """The attacker that one name stands for."""
        if name in question.resources:
            holder, listed = question.resources[name], self.unrestricted_voter.coverage
            parts = tuple(part.covering(listed) for part in holder.resources)
            return self._within_reach(replace(holder, resources=parts))
        return GENERAL if name == GENERAL.name else self.voter

    def _cases(self, question: Question, *, one_by_one: bool = False, one_policy: bool = False) -> Cases:
        """The question with its people, policies and lists: with the cells in memory, or with one policy alone."""
        who = self.attackers_of(question)
        people = self.people_one_by_one(question) if one_by_one else self.people_for(question)
        policies = [self._one_policy(question)] if one_policy else self._policies(question)
        return Cases(people, policies, who, question.states, question.g, self.days_per_year, question.in_file)

    def _one_policy(self, question: Question) -> Policy:
        policies = self._policies(question)
        if len(policies) != 1:
            raise InputError(f"policy: give one policy here, not {len(policies)}.")
        return same_in_every_state(policies[0])

    def _from(
        self, question: Question, analysis: str, remarks: Iterable[str] = (), /, **options: Any
    ) -> AnswerProvenance:
        return AnswerProvenance((self,), question, analysis, options, tuple(remarks))


def _is_engine(value: object) -> bool:
    """Tell an open engine without importing one."""
    return not isinstance(value, type) and callable(getattr(value, "group", None))


def attacker_name(text: str | Path) -> str:
    """Return the name of an attacker in one form: a known name, the name of a resource file, or several with ``+``."""
    name = str(text).strip()
    if "+" in name and kind_of(Path(name)) != "file":
        return "+".join(attacker_name(part) for part in name.split("+"))
    if name.endswith(".toml"):
        return name
    if name.casefold() in ATTACKERS:
        return name.casefold()
    from policy_sim.attackers.files import list_resources

    names = (*ATTACKERS, *list_resources())
    if name.casefold() not in names:
        raise UnknownNameError("attacker", name, names)
    return name.casefold()


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
    """What a release shows, who attacks, where, and for which group sizes: what every verb of a study takes.

    Each part is one value or several; create one with :meth:`of`, which checks the names.

    Parameters
    ----------
    policies : Names of policies, files, or policies; ``safe-harbor`` and ``limited-dataset`` by default.
    attackers : ``general`` and ``voter`` (the default), names of resources (``texas-birth-index``), resource files, or
        attackers. A ``+`` combines resources of one attacker: ``voter+texas-birth-index``.
    states : Postal codes, FIPS codes or names in any case; none stands for every state of the population.
    g : Group sizes of g-distinct, each 1 or more; 1, 3, 5 and 10 by default.
    rules : ``regulation`` for the HIPAA rules as 45 CFR 164.514 states them, or ``paper`` for the form of
        Benitez & Malin 2010, without ZIP codes.
    in_file : The size of the file, if the attacker knows that its target is in it: a share of each state's people
        (0.01), a number of people (11000), or ``InFile.of(11000, "Allen,Lucas=0.4")`` for a file from some counties or
        three-digit ZIP codes of a state, or of several (``"OH: Lucas, Wood; MI: Monroe"``), whose states then need no
        other mention. None: everyone is in the file.

    Examples
    --------
    >>> Question.of("safe-harbor", "voter", "ohio", 5, "paper")
    Question(policies=('safe-harbor-paper',), attackers=('voter',), states=('OH',), g=(5,), rules='paper', in_file=None)
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
                object.__setattr__(self, "states", tuple(self.in_file.catchment.by_state(self.states)))

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
        """Return the question in standard form; None means the default, and ``states="US"`` every state.

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
        """Who holds a resource, by the name or the file that was given for it; each is read once."""
        named = (parts_of(attacker) for attacker in self.attackers if isinstance(attacker, str))
        files = [part for parts in named for part in parts if part not in ATTACKERS]
        if not files:
            return {}
        from policy_sim.attackers.files import load_resource, resource_holder

        held = {name: resource_holder(load_resource(name)) for name in files}
        for name, holder in held.items():
            if holder.name in ATTACKERS:
                raise InputError(f"{name}: a resource cannot be named {holder.name!r}. Choose another name.")
        return held

    @property
    def resource_files(self) -> dict[str, Path]:
        """The file of each resource, as ``resource births``."""
        from policy_sim.attackers.files import list_resources

        shipped = list_resources()
        return {f"resource {who.name}": shipped.get(key, Path(key)) for key, who in self.resources.items()}

    @property
    def holders(self) -> tuple[Attacker, ...]:
        """The attackers besides GENERAL and VOTER; of one that joins several resources, each with a file by itself."""
        attackers = [attacker for attacker in self.attackers if isinstance(attacker, Attacker)]
        return (*attackers, *self.resources.values())

    @property
    def attacker_names(self) -> tuple[str, ...]:
        """The names of the attackers: of their resources, and not of the files."""
        called = {name: holder.name for name, holder in self.resources.items()}
        return tuple(
            attacker.name
            if isinstance(attacker, Attacker)
            else "+".join(called.get(part, part) for part in parts_of(attacker))
            for attacker in self.attackers
        )


def _released(policy: str | Path | Policy, rules: str) -> str | Policy:
    if isinstance(policy, Policy):
        return policy
    return in_rules(name_of("policy", policy, "'safe-harbor' or 'ours.toml'"), rules)
