"""The cases of a study: each state under each policy by each attacker, and each key merged once.

Every case has a linkage key; cases that share a key are merged and measured together, state by state
(docs/architecture.md: merge first, then bin).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from threading import Lock
from typing import Any, TypeAlias, TypeVar

import numpy as np

from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.in_file import InFile
from policy_sim.attackers.linkage import FIELD_ENDS, Linkage
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.model.measuring import At, Figures, Job, Key, Measuring, counted_in, part_of
from policy_sim.people.file_chances import FileChances, FilePlaces
from policy_sim.people.merge import DAYS_PER_YEAR, FEW_STATES
from policy_sim.people.places import able_to_show
from policy_sim.people.population import AnyPopulation, Population
from policy_sim.people.zips import PeopleByZip, takes_other_lists
from policy_sim.policies.policy import Policy
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities, race_comparison
from policy_sim.words.states import unknown_state

DEFAULT_G = (1, 3, 5, 10)  # the group sizes of Benitez & Malin 2010, Results

Measured: TypeAlias = Mapping[At, FloatArray]
_Made = TypeVar("_Made")


# Counties whose groups take little memory: of keys with race, or of ZIP code areas whose people differ, and of others.
_COUNTIES_AT_ONCE, _WITHOUT_RACE_AT_ONCE = 800, 5000


@dataclass(frozen=True)
class Case:
    """One question of a study: this state, under this policy, by this attacker, on this key."""

    state: str
    policy: Policy
    attacker: Attacker
    linkage: Linkage

    @property
    def name(self) -> tuple[str, str, str]:
        """Policy, attacker and state."""
        return self.policy.name, self.attacker.name, self.state

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """The keys with unknown fields withheld and released, or none without a list.

        Where it is not known how many of the people are listed, the first has the fewest and the last the most.
        """
        ends = zip((self.linkage.low, self.linkage.high), (self._coverages[0], self._coverages[-1]), strict=True)
        return tuple(self._key(view, coverage) for view, coverage in ends if view is not None)

    @cached_property
    def combinations(self) -> tuple[Key, ...]:
        """The keys of every combination of unknown fields and coverage; none where nothing is unknown.

        Where it is not known how many of the people are listed, shares between the two ends are tried as well.
        """
        coverages = tuple(dict.fromkeys(self._coverages))
        views = self.linkage.combinations
        if len(coverages) > 1 and self.linkage.low is not None:
            views = views or (self.linkage.low,)
        return tuple(self._key(view, coverage) for coverage in coverages for view in views)

    def assuming(self, others: Iterable[Coverage]) -> dict[str, tuple[Key, Key]]:
        """Return the keys with unknown fields withheld and released under other coverages, by the name of each."""
        low, high = self.linkage.low, self.linkage.high
        if low is None or high is None:
            return {}
        return {other.name: (self._key(low, other), self._key(high, other)) for other in others}

    @property
    def listed_unknown(self) -> bool:
        """Whether it is not known how many of the people are listed."""
        return self.linkage.low is not None and self._coverages[0] != self._coverages[-1]

    @property
    def end_names(self) -> tuple[str, str]:
        """What is assumed for each of the two keys, such as ``withheld``; empty where nothing is unknown."""
        fields = FIELD_ENDS if self.linkage.low != self.linkage.high else ("", "")
        people = ("fewest people", "most people") if self.listed_unknown else ("", "")
        low, high = (", ".join(filter(None, words)) for words in zip(fields, people, strict=True))
        return low, high

    @cached_property
    def _coverages(self) -> tuple[Coverage | None, ...]:
        """Whom the resource holds, from the least to the greatest share of the people."""
        coverage = self.attacker.resource.coverage_in(self.state)
        if coverage is None:
            return (None, None)
        least, most = coverage.ends
        return (least, *reversed(coverage.between), most)

    def _key(self, view: Granularities, coverage: Coverage | None) -> Key:
        conditions = self.policy.conditions.on(view, listed=self.attacker.holds_file)
        return view, conditions, None if coverage is None else coverage.on_key(view)

    def label(self) -> str:
        """Write the linkage key, with the policy's conditions that it feels."""
        conditions = str(self.keys[-1][1]) if self.keys else ""
        return self.linkage.label() + (f" ({conditions})" if conditions else "")


@dataclass(frozen=True)
class Cases:
    """Every state under every policy by each attacker: a question with its people, policies and lists loaded.

    Iterates over its cases in the order states, policies, attackers; :meth:`measure` merges and measures them together.

    No policy or attacker has a name twice. ``states``: postal codes; None for every state of the population.
    ``in_file``: how many are in the file, where the attacker knows that its target is; None: everyone is released.
    ``places``: how likely the people of each place are in it, where it comes from some places; made here.
    """

    population: AnyPopulation
    policies: Sequence[Policy]
    attackers: Sequence[Attacker]
    states: Sequence[str] | None = None
    g: Sequence[int] = DEFAULT_G
    days_per_year: float = DAYS_PER_YEAR
    in_file: InFile | None = None
    places: FilePlaces | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        _once("policy", [policy.name for policy in self.policies])
        _once("attacker", [attacker.name for attacker in self.attackers])
        states_counted = self.population.states
        for state in self.states or ():
            if state not in states_counted:
                raise unknown_state(f"state in population {self.population.name}:", state, states_counted)
        if self.in_file is not None:
            in_file, places = self.in_file.settled(self.population, self.states or ())
            object.__setattr__(self, "in_file", in_file)
            object.__setattr__(self, "places", places)
            if places is not None:
                object.__setattr__(self, "states", places.states)

    @property
    def chances(self) -> FileChances | None:
        """The places of a file of one state; of a file of several, an InputError."""
        return None if self.places is None else self.places.only

    @cached_property
    def measured_population(self) -> AnyPopulation:
        """The population as the keys need it: of the states in question, and by ethnicity where a key shows it."""
        views = (view for case in self for view in (case.linkage.low, case.linkage.high) if view is not None)
        keys = (key for case in self for key in (*case.keys, *case.combinations))
        people = self.population
        states = self.states or people.states
        if len(states) * FEW_STATES <= len(people.states) and not any(map(_of_other_states, keys)):
            people = part_of(people, states)  # the others take no time
        # a key that compares race record by record asks it of the people of some states, when it is merged
        return able_to_show(people, (view for view in views if race_comparison(view) is None))

    @cached_property
    def _every(self) -> tuple[Case, ...]:
        cases = (
            _case(state, policy, attacker)
            for state in self.states or self.population.states
            for policy in self.policies
            for attacker in self.attackers
        )
        if "ethnicity" in self.population.columns:
            return tuple(cases)
        name = self.population.name
        return tuple(replace(case, linkage=case.linkage.without_ethnicity(name)) for case in cases)

    def __iter__(self) -> Iterator[Case]:
        return iter(self._every)

    def facts(self, case: Case) -> dict[str, Any]:
        """Return what every result says of the case that it answers."""
        why, left_out = case.linkage.reason, case.policy.left_out
        return {
            "state": case.state,
            "policy": case.policy.name,
            "attacker": case.attacker.name,
            "population": self.population.name,
            "lists": case.attacker.vintage_in(case.state),
            "linkage_key": case.label(),
            "status": case.linkage.status,
            "reason": f"{why.rstrip('.')}; {left_out}".removeprefix("; ") if left_out else why,
        }

    def share_in_file(self, people: float, state: str) -> float:
        """Return the share of some people of a state who are in the file: 1 where everyone is released."""
        if self.places is not None:
            return self.places.people_of(state) / people
        return 1.0 if self.in_file is None else self.in_file.share_of(people, state)

    @property
    def policy(self) -> Policy:
        """The only policy of a question about one."""
        (policy,) = self.policies
        return policy

    @property
    def attacker(self) -> Attacker:
        """The only attacker of a question about one."""
        (attacker,) = self.attackers
        return attacker

    @property
    def has_ratios(self) -> bool:
        """Whether there are trust differentials: one policy alone has none."""
        return len(self.policies) > 1

    @property
    def counted(self) -> Population:
        """The population by county, whose cells are available."""
        return counted_in(self.measured_population)

    def measure(
        self,
        figures: Figures,
        by: str = "",
        *,
        among: Iterable[Case] | None = None,
        combinations: bool = False,
        between: bool = False,
        assumed: bool = False,
        at_once: bool = True,
    ) -> Measured:
        """Merge each key that any case needs once, for the states that need it, and measure the groups.

        Merging starts from those people who may be on the attacker's list: nobody under voting age is on a voter list
        whose coverage is given.

        ``figures``: from groups and chances to figures; shape (units, ...). ``by``: parts of the people
        (:func:`~policy_sim.people.places.split_people`); none by default. ``among``: measure these cases only.
        ``combinations``: measure every combination of unknown fields too, not only the two ends. ``between``: where it
        is not known how many of the people are listed, measure shares between the two ends too. ``assumed``: measure
        the keys of :meth:`assumed` too, by figures that count people alone; ``at_once`` with the keys that they are
        in place of, where that is possible. Returns for each key and state one row of figures, or with ``by`` one row
        per part, shape (parts, ...).
        """
        keys = (
            (key, case.state)
            for case in (self if among is None else among)
            for key in case.keys + (case.combinations if combinations or (between and case.listed_unknown) else ())
        )
        return self._measured(keys, figures, by, self._assumed_for() if assumed else {}, at_once)

    def _assumed_for(self) -> Mapping[Key, Mapping[Key, Mapping[str, None]]]:
        """The other keys for which the people of a key are measured too, each with its states."""
        found: dict[Key, dict[Key, dict[str, None]]] = {}
        for case in self:
            for ends in self.assumed(case).values():
                for key, other in zip(case.keys, ends, strict=True):
                    found.setdefault(key, {}).setdefault(other, {})[case.state] = None
        return found

    def assumed(self, case: Case) -> dict[str, tuple[Key, Key]]:
        """Return the keys of a case under each alternative to what is assumed of its list, by the name of that.

        The ends of each: unknown fields withheld and released
        (:meth:`~policy_sim.attackers.coverage.Coverage.alternatives`).
        """
        coverage = case.attacker.resource.coverage_in(case.state)
        return {} if coverage is None else case.assuming(self._alternatives(coverage, case.state))

    @cached_property
    def _alternatives(self) -> Callable[[Coverage, str], tuple[Coverage, ...]]:
        """The alternatives to a coverage in a state, for the people who are measured; found once."""
        people = self.measured_population
        return cache(lambda coverage, state: coverage.alternatives(people, state))

    def _measured(
        self,
        keys: Iterable[At],
        figures: Figures,
        by: str,
        assumed: Mapping[Key, Mapping[Key, Mapping[str, None]]],
        at_once: bool,
    ) -> Measured:
        states_by_key: dict[Key, dict[str, None]] = {}
        for key, state in keys:
            states_by_key.setdefault(key, {})[state] = None
        if not states_by_key:
            return {}
        population = self.measured_population
        compared = {key: states for key, states in states_by_key.items() if race_comparison(key[0]) is not None}
        steps = Measuring(population, figures, by, self.days_per_year, self.in_file, compared)
        whole = (self._on_lists(job, assumed.get(job.key, {})) for job in self._jobs(states_by_key, assumed))
        jobs = (part for job in whole for part in ([job] if at_once and self._takes_others(job) else job.apart))
        return {at: row for job in jobs for at, row in steps.rows(job).items()}

    def _takes_others(self, job: Job) -> bool:
        return job.file is None and takes_other_lists(self.measured_population, job.key[0])

    def _on_lists(self, job: Job, assumed: Mapping[Key, Mapping[str, None]]) -> Job:
        """Return the job with the same people on other lists."""
        held = ((key, tuple(state for state in job.states if state in states)) for key, states in assumed.items())
        return job._replace(others=tuple((key, states) for key, states in held if states))

    def _jobs(
        self, states_by_key: Mapping[Key, Iterable[str]], assumed: Mapping[Key, Mapping[Key, Any]]
    ) -> Iterator[Job]:
        """Yield what is merged together: states that share a key; with places, each state whose key shows it."""
        for key, states in states_by_key.items():
            if self.places is None:
                for some in (
                    [tuple(states)]
                    if _of_other_states(key)
                    else self._few_counties(key[0], states, 1 + len(assumed.get(key, {})))
                ):
                    yield Job(key, some, None)
            elif key[0][Field.GEOGRAPHY] == "nation":
                yield Job(key, tuple(states), self.places.together(self.population))
            else:
                yield from (Job(key, (state,), self.places.by_state[state]) for state in states)

    def _few_counties(self, view: Granularities, states: Iterable[str], lists: int) -> Iterator[tuple[str, ...]]:
        """Yield the states in parts of so many counties that their groups, on so many lists, take little memory."""
        counties, held, some = self.population.counties_by_state(), 0, list[str]()
        is_mixed = isinstance(self.population, PeopleByZip) and self.population.zips.composition is not None
        shows_race = view[Field.RACE] != "none" or view[Field.ETHNICITY] != "none"
        at_once = _COUNTIES_AT_ONCE if is_mixed or shows_race else _WITHOUT_RACE_AT_ONCE
        if not is_mixed:  # mixed people are there once for all lists
            at_once //= lists
        for state in states:
            if some and held + counties.get(state, 0) > at_once:
                yield tuple(some)
                held, some = 0, []
            some.append(state)
            held += counties.get(state, 0)
        yield tuple(some)

    def one_each(self, make: Callable[[AnyGroups, Chances], Sequence[_Made]], **options: Any) -> dict[At, _Made]:
        """Return what is made of the groups of each key and state, where that is no row of figures.

        ``make``: returns one object per unit. ``options``: as for :meth:`measure`.
        """
        objects: list[_Made] = []
        one_at_a_time = Lock()

        def stored(groups: AnyGroups, chances: Chances) -> FloatArray:
            new_objects = make(groups, chances)
            with one_at_a_time:  # keys are measured side by side
                first = len(objects)
                objects.extend(new_objects)
            return np.arange(first, first + len(new_objects), dtype=np.float64)[:, None]

        return {at: objects[int(place[0])] for at, place in self.measure(stored, **options).items()}


def _of_other_states(key: Key) -> bool:
    """Whether the groups of a key depend on who lives in other states: they have members there, or reach into them."""
    view, conditions, _ = key
    small = conditions.small_places
    reaches = small is not None and small.listed is None and small.place in ("zip3", "zip5")
    return reaches or view[Field.GEOGRAPHY] == "nation"


def _case(state: str, policy: Policy, attacker: Attacker) -> Case:
    """Return the case of a state: its own policy where policies differ by state, with two ends where one is unknown."""
    ends = policy.in_state(state)
    if ends is None:
        return Case(state, policy, attacker, Linkage(None, None, "unknown", getattr(policy, "why_not", "")))
    low, high = ends
    linkage = attacker.linkage(high.releases, state)
    if low == high or linkage.low is None:
        return Case(state, high, attacker, linkage)
    least = attacker.linkage(low.releases, state)
    assert least.low is not None  # the attacker has a list, whatever is released
    assert linkage.high is not None
    keys = [view for end in (least, linkage) for view in end.combinations or (end.low,) if view is not None]
    unknown = ", ".join(name.value for name in low.releases if low.releases[name] != high.releases[name])
    reason = "; ".join(filter(None, [f"it is unknown how the release shows {unknown}", linkage.reason]))
    return Case(state, high, attacker, Linkage.between(least.low, linkage.high, reason, tuple(keys)))


def ends_of(case: Case, measured: Measured) -> tuple[FloatArray, FloatArray] | None:
    """Return the figures of a case with unknown fields withheld and released, or None without a list.

    Where it is not known how many of the people are listed, the least and the greatest figure of all the shares that
    were measured.
    """
    if not case.keys:
        return None
    low, high = (measured[key, case.state] for key in case.keys)
    if not case.listed_unknown:
        return low, high
    # More people listed may leave fewer alone with their values: the ends of the share need not be those of the figure.
    inner = [measured[key, case.state] for key in case.combinations if (key, case.state) in measured]
    return np.minimum.reduce([low, high, *inner]), np.maximum.reduce([low, high, *inner])


def _once(kind: str, names: Sequence[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"{kind} {twice[0]!r} is named twice. Name each once.")
