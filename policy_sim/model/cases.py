"""The cases of a study: each state under each policy by each attacker, and each key merged once.

Every case has a linkage key; cases that share a key are merged and measured together, state by state
(docs/architecture.md: merge first, then bin).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import Coverage, listed_shares
from policy_sim.attackers.linkage import FIELD_ENDS, Linkage
from policy_sim.attackers.stakes import SMALL_FILE, InFile, shares_in_file
from policy_sim.formulas.bins import occupied_bins, occupied_uneven_bins, people_g_distinct, people_g_distinct_uneven
from policy_sim.formulas.compared_groups import ComparedGroups
from policy_sim.formulas.groups import (
    AnyGroups,
    Chances,
    Groups,
    MeasuredGroups,
    g_distinct,
    g_distinct_variance,
    total_risk,
    total_risk_variance,
)
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, Bounds, Measure
from policy_sim.model.profile import RiskProfile
from policy_sim.model.shipped_figures import shipped_rows
from policy_sim.people.listing import Listing
from policy_sim.people.merge import DAYS_PER_YEAR, merge
from policy_sim.people.places import Split, able_to_show, by_ethnicity, small_place_names, split_people
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import ZIP_PLACES, PeopleByZip
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities, race_comparison
from policy_sim.words.states import unknown_state

if TYPE_CHECKING:
    from policy_sim.formulas.placed_groups import CountyPartGroups, PlacedGroups

DEFAULT_G = (1, 3, 5, 10)  # the group sizes of Benitez & Malin 2010, Results

# What is merged: the view that both sides share, the policy's conditions as far as it feels them, and
# who is on the attacker's lists.
Key: TypeAlias = tuple[Granularities, Conditions, Coverage | None]
# Groups and the chances of being listed and in the file, to one row of figures a unit.
Figures: TypeAlias = Callable[[AnyGroups, Chances], FloatArray]
Measured: TypeAlias = Mapping[tuple[Key, str], FloatArray]


@dataclass(frozen=True)
class Case:
    """One question of a study: this state, under this policy, by this attacker, on this key."""

    state: str
    policy: Policy
    attacker: Attacker
    linkage: Linkage

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
        return view, self.policy.conditions.on(view, listed=self.attacker.holds_file), coverage

    def label(self) -> str:
        """Write the linkage key, with the policy's conditions that it feels."""
        conditions = str(self.keys[-1][1]) if self.keys else ""
        return self.linkage.label() + (f" ({conditions})" if conditions else "")

    @property
    def facts(self) -> dict[str, Any]:
        """What every result says of the question it answers, besides the population."""
        why, left_out = self.linkage.reason, self.policy.left_out
        return {
            "state": self.state,
            "policy": self.policy.name,
            "attacker": self.attacker.name,
            "lists": self.attacker.vintage_in(self.state),
            "linkage_key": self.label(),
            "status": self.linkage.status,
            "reason": f"{why.rstrip('.')}; {left_out}".removeprefix("; ") if left_out else why,
        }


@dataclass(frozen=True)
class Cases:
    """Every state under every policy by each attacker: a question with its people, policies and lists loaded.

    Iterates over its cases in the order states, policies, attackers; :meth:`measure` merges and measures them together.

    Parameters
    ----------
    population : The people by cell, or one whose cells lie elsewhere, which an engine merges.
    policies, attackers : What is released, and who attacks; no name twice.
    states : Postal codes; None for every state of the population.
    g : Group sizes of g-distinct, each 1 or more.
    days_per_year : Number of equally likely birthdays in a year.
    in_file : How many are in the file, where the attacker knows that its target is; None: everyone is released.
    """

    population: AnyPopulation
    policies: Sequence[Policy]
    attackers: Sequence[Attacker]
    states: Sequence[str] | None = None
    g: Sequence[int] = DEFAULT_G
    days_per_year: float = DAYS_PER_YEAR
    in_file: InFile | None = None

    def __post_init__(self) -> None:
        _once("policy", [policy.name for policy in self.policies])
        _once("attacker", [attacker.name for attacker in self.attackers])
        states_counted = self.population.states
        for state in self.states or ():
            if state not in states_counted:
                raise unknown_state(f"state in population {self.population.name}:", state, states_counted)

    @cached_property
    def measured_population(self) -> AnyPopulation:
        """The population as the keys need it: by ethnicity, where one shows it."""
        views = (view for case in self for view in (case.linkage.low, case.linkage.high) if view is not None)
        # a key that compares race record by record asks it of the people of some states, when it is merged
        return able_to_show(self.population, (view for view in views if race_comparison(view) is None))

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
        return _counted(self.measured_population)

    def measure(
        self,
        figures: Figures,
        by: str = "",
        *,
        among: Iterable[Case] | None = None,
        combinations: bool = False,
        between: bool = False,
    ) -> Measured:
        """Merge each key that any case needs once, for the states that need it, and measure the groups.

        Merging starts from those people who may be on the attacker's list: nobody under voting age is on a voter list
        whose coverage is given. Two keys are measured at once, each in a thread of its own, unless an engine merges.
        Figures that ship (:mod:`~policy_sim.model.shipped_figures`) are read.

        ``figures``: from groups and chances to figures; shape (units, ...). ``by``: parts of the people
        (:func:`~policy_sim.people.places.split_people`); none by default. ``among``: measure these cases only.
        ``combinations``: measure every combination of unknown fields too, not only the two ends. ``between``: where it
        is not known how many of the people are listed, measure shares between the two ends too. Returns for each key
        and state one row of figures, or with ``by`` one row per part, shape (parts, ...).
        """
        states_by_key: dict[Key, dict[str, None]] = {}
        for case in self if among is None else among:
            for key in case.keys + (case.combinations if combinations or (between and case.listed_unknown) else ()):
                states_by_key.setdefault(key, {})[case.state] = None
        shipped: Measured = {} if by or self.in_file else self._shipped(figures, states_by_key)
        states_by_key = {
            key: states for key, states in states_by_key.items() if (key, next(iter(states))) not in shipped
        }
        if not states_by_key:
            return shipped
        population = self.measured_population
        parts = split_people(self.counted, by) if by else None
        inhabitants = population.people_by_state() if self.in_file else {}
        of_race = {key: states for key, states in states_by_key.items() if race_comparison(key[0]) is not None}
        by_origin = _by_ethnicity(population, of_race) if of_race else population

        def rows(key: Key) -> dict[tuple[Key, str], FloatArray]:
            states = states_by_key[key]
            view, conditions, coverage = key
            people, split, counted = population, parts, self.counted if by else None
            if coverage is not None or key in of_race:
                conditions = _judged_on_everyone(conditions, population)
            if key in of_race:
                people, counted = by_origin, _counted(by_origin) if by else None
                split = split_people(counted, by) if counted else None
            if coverage is not None:
                ages = coverage.ages_in(population)
                people = people.of_age(*ages)
                split = _of_ages(split, counted, *ages) if split is not None and counted is not None else None
            listing = None if coverage is None else coverage.listing(population)
            groups = _merged(people, view, tuple(states), split, self.days_per_year, conditions, listing)
            # groups on a list by county and age say themselves who is on it
            on_list = _of_coverage(population, coverage)
            listed = listed_shares(on_list, None if listing else coverage, states, population)
            chances = Chances(listed, shares_in_file(self.in_file, inhabitants, states))
            table = _table(groups, figures, chances, split)
            return {(key, state): row for state, row in zip(states, table, strict=True)}

        if not isinstance(population, Population | PeopleByZip):  # an engine takes every processor by itself
            return {at: row for key in states_by_key for at, row in rows(key).items()}
        with ThreadPoolExecutor(max_workers=2) as pool:  # two keys at once need little memory here
            measured = {at: row for by_state in pool.map(rows, states_by_key) for at, row in by_state.items()}
        return {**shipped, **measured}

    def _shipped(
        self, figures: Figures, states_by_key: Mapping[Key, Iterable[str]]
    ) -> dict[tuple[Key, str], FloatArray]:
        """Return the rows of those keys whose figures ship for every state that needs them."""
        rows: dict[tuple[Key, str], FloatArray] = {}
        for key, states in states_by_key.items():
            by_state = shipped_rows(self.population, key, figures, self.days_per_year)
            if all(state in by_state for state in states):
                rows |= {(key, state): by_state[state] for state in states}
        return rows


def _by_ethnicity(population: AnyPopulation, states_by_key: Mapping[Key, Iterable[str]]) -> AnyPopulation:
    """Return the people of all states that some keys ask for, by ethnicity; of everywhere where one lacks the state."""
    if any(view[Field.GEOGRAPHY] == "nation" for view, _, _ in states_by_key):
        return by_ethnicity(population)
    states = list(dict.fromkeys(state for states in states_by_key.values() for state in states))
    if isinstance(population, PeopleByZip):
        return by_ethnicity(PeopleByZip(population.county_population.in_states(states), population.zips))
    return by_ethnicity(population.in_states(states) if isinstance(population, Population) else population)


def _counted(population: AnyPopulation) -> Population:
    return population.county_population if isinstance(population, PeopleByZip) else in_memory(population)


def _of_coverage(population: AnyPopulation, coverage: Coverage | None) -> AnyPopulation:
    """Return those who may be on a list."""
    return population if coverage is None else population.of_age(*coverage.ages_in(population))


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


def _merged(
    people: AnyPopulation,
    view: Granularities,
    states: Sequence[str],
    split: Split | None,
    days_per_year: float,
    conditions: Conditions,
    listing: Listing | None,
) -> AnyGroups:
    """Merge by a key; with parts of the people, each unit once per part."""
    if split is not None and isinstance(people, PeopleByZip):
        if view[Field.GEOGRAPHY] in ZIP_PLACES:
            parted = people.merge_parted(
                view, states, split, days_per_year=days_per_year, conditions=conditions, listing=listing
            )
            return cast(AnyGroups, parted)  # whoever asks for parts measures them
        people = people.county_population
    return merge(people, view, states, days_per_year=days_per_year, conditions=conditions, by=split, listing=listing)


def _judged_on_everyone(conditions: Conditions, population: AnyPopulation) -> Conditions:
    """Name the small places by everyone who lives there: a policy hides them whoever holds a list."""
    small = conditions.small_places
    if small is None or not isinstance(population, Population):
        return conditions
    return replace(conditions, small_places=replace(small, listed=small_place_names(population, small)))


def _of_ages(split: Split, population: Population, least_age: int, most_age: int | None) -> Split:
    """The same parts, made of everyone, for the cells that ``of_age`` keeps."""
    age = population.cells["age"].to_numpy()
    return replace(
        split, codes=split.codes[(age >= least_age) & (age <= (age.max() if most_age is None else most_age))]
    )


def _table(groups: AnyGroups, measure: Figures, chances: Chances, split: Split | None) -> FloatArray:
    """Measure, and fold the parts of each state into one row of the result."""
    if split is None:
        return measure(groups, chances)
    many = len(split.names)
    table = measure(groups, chances.repeated(many))
    return table.reshape(-1, many, *table.shape[1:])


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


# How sure a figure is: its variance over unseen birthdays and the attacker's guesses, and uneven birthdays.


_TOLD_APART = 10  # people in a bin, up to whom each size is told apart


def variances(groups: MeasuredGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of total risk and of g-distinct for each g.

    Both are over how people fall into the bins that the census does not show, total risk also over which of
    the equals the attacker picks for each record; the cells, the key and the list are taken as they are.
    Groups of between one and two bins, of which two at a time have no meaning, are taken with two. Of people placed
    in ZIP codes by chance the variances are upper bounds (:func:`_bounds_of_placed`), and so are those of groups that
    overlap.

    ``g``: group sizes, each >= 1. Returns people squared, shape (units, 1 + len(g)).
    """
    if isinstance(groups, ComparedGroups):
        # however two classes depend on each other, a sum scatters by no more than all of them together
        deviations = [np.sqrt(variances(of_class, g, coverage)) for of_class in groups.by_class]
        added: FloatArray = np.sum(deviations, axis=0) ** 2
        return added
    if not isinstance(groups, Groups | ListedGroups):
        from policy_sim.formulas.placed_groups import PartedGroups
        from policy_sim.formulas.released_groups import (
            ReleasedByPart,
            ReleasedInParts,
            ReleasedInPlaces,
            bounds_of_released,
        )

        assert not isinstance(groups, PartedGroups | ReleasedByPart)  # variances are of whole units
        if isinstance(groups, ReleasedInParts | ReleasedInPlaces):
            return bounds_of_released(groups, g, coverage)
        return _bounds_of_placed(groups, g, coverage)
    if bool(((groups.bins > 1) & (groups.bins < 2)).any()):
        groups = replace(groups, bins=np.where(groups.bins > 1, np.maximum(groups.bins, 2.0), groups.bins))
    columns = [total_risk_variance(groups, coverage), *(g_distinct_variance(groups, size, coverage) for size in g)]
    return np.column_stack(columns)


def _bounds_of_placed(groups: CountyPartGroups | PlacedGroups, g: Sequence[int], coverage: ArrayLike) -> FloatArray:
    """Return upper bounds of the variances, from expected figures alone.

    That each person is in one bin only makes the numbers in two bins move against each other, so that the variance of a
    sum over bins of what grows with the number in each is at most that of independent bins. Of occupied bins it is
    ``sum q (1 - q)``; where everyone is listed they are also everyone less ``i - 1`` in each bin of ``i``, and
    the lesser of both bounds holds. A bin of ``i`` people adds ``1 - 1/i`` for the guess. People in bins of ``g`` or
    fewer scatter as those in larger ones, where everyone is listed: of each bin at most the mean square, ``i^2``, of
    either.
    """
    from policy_sim.formulas.placed_groups import independent_occupied_variance, squared_bin_sizes

    sizes = np.arange(1, max(_TOLD_APART, *g) + 1)
    risk, people = total_risk(groups, coverage), g_distinct(groups, sizes.tolist(), coverage)
    squares = np.cumsum(np.diff(people, axis=1, prepend=0.0) * sizes, axis=1)
    bins = np.diff(people, axis=1, prepend=0.0) / sizes
    occupied = independent_occupied_variance(groups, coverage)
    # a list by county and age is not of everyone, whatever share of its people is in the file
    holds_everyone = np.asarray(coverage, dtype=np.float64) == 1 if groups.listed is None else False
    everyone = np.broadcast_to(holds_everyone, groups.units)
    whole, listed = squared_bin_sizes(groups, coverage), np.zeros(groups.units)
    np.add.at(listed, groups.unit, groups.people.sum(axis=1))
    crowded = np.maximum(whole - 2 * listed + risk, 0.0)
    filled = np.where(everyone, np.minimum(occupied, crowded), occupied)
    # of the bins beyond those told apart, each guess adds at most 1
    guess = bins @ (1 - 1 / sizes) + np.maximum(risk - bins.sum(axis=1), 0.0)
    large = np.where(everyone[:, None], np.maximum(whole[:, None] - squares, 0.0), np.inf)
    distinct = np.minimum(squares, large)
    return np.column_stack([filled + guess, *(distinct[:, int(size) - 1] for size in g)])


def with_uneven_birthdays(groups: Groups, shares: FloatArray, g: Sequence[int], per_year: float = 365.0) -> FloatArray:
    """Return total risk and g-distinct where birthdays are as likely as ``shares`` says.

    Groups that hide ``per_year`` bins in each of one or more years of age get those of ``shares`` in each;
    other groups, in which the key shows no birthday, stay as they are.

    ``groups``: who can be distinguished, and how, merged with ``per_year`` equally likely values in a year of age.
    ``g``: group sizes, each >= 1.
    """
    sizes = groups.distinct()
    years = sizes.bins / per_year
    hidden = (years >= 1) & (years == np.round(years))
    table = np.empty((len(sizes.people), 1 + len(g)))
    even = ~hidden
    n, b = sizes.people[even].astype(np.float64), sizes.bins[even]
    table[even, 0] = occupied_bins(n, b)
    for column, size in enumerate(g, 1):
        table[even, column] = people_g_distinct(n, b, size)
    for many in np.unique(years[hidden]):
        of_width = hidden & (years == many)
        spread = np.tile(shares / many, int(many))
        kinds, place = np.unique(sizes.people[of_width], return_inverse=True)
        figures = [occupied_uneven_bins(kinds, spread)]
        figures += [people_g_distinct_uneven(kinds, spread, size) for size in g]
        table[of_width] = np.column_stack(figures)[place]
    sums = np.zeros((groups.units, 1 + len(g)))
    np.add.at(sums, sizes.unit, table * sizes.weight[:, None])
    return sums


# What a risk profile holds: the figures of every group, side by side, and what each column is.


# Linkage key, state and measure, to the relative error (>= 0) of a figure of a modeled population.
RelativeError: TypeAlias = Callable[[Granularities, str, Measure], float]
_SMALL = SMALL_FILE.share_of(1)


@dataclass(frozen=True)
class ProfileFigures:
    """The columns of a profile: total risk, g-distinct, claims, a small file, and variances where asked for.

    Parameters
    ----------
    g : Group sizes of g-distinct.
    spread : Give total risk and g-distinct their variances too.
    model_error : Relative error of the population's fit, which enters the variances as one standard error; None:
        the population is taken as it is.
    """

    g: tuple[int, ...]
    spread: bool = False
    model_error: RelativeError | None = None

    @cached_property
    def risks(self) -> tuple[Measure, ...]:
        """Total risk, then g-distinct for each g: what is compared, and has variances."""
        return TOTAL_RISK, *(Measure("g-distinct", size) for size in self.g)

    @cached_property
    def counts(self) -> tuple[Measure, ...]:
        """Everything that counts people."""
        return *self.risks, CLAIMS, CORRECT_CLAIMS

    def __call__(self, groups: AnyGroups, chances: Chances) -> FloatArray:
        """Return one row of figures per unit: :attr:`counts`, the small file, variances."""
        columns = [chances.total_risk(groups), chances.g_distinct(groups, self.g), chances.claims(groups)]
        units = len(chances.listed)
        small = replace(chances, in_file=np.full(units, _SMALL))
        # a file that was asked for has its share in the other columns
        columns.append(small.total_risk(groups) if chances.in_file is None else np.zeros(units))
        return np.column_stack(
            [*columns, variances(chances.candidates(groups), self.g, chances.linkable)] if self.spread else columns
        )

    def profiles(self, cases: Cases, measured: Measured) -> tuple[RiskProfile, ...]:
        """Return the profile of each case from the measured rows, as shares of the people or of the file."""
        inhabitants = cases.population.people_by_state()
        return tuple(
            self._profile(
                case,
                measured,
                case.combinations if cases.has_ratios or case.listed_unknown else (),
                cases.population.name,
                inhabitants,
                cases.in_file,
            )
            for case in cases
        )

    def _profile(
        self,
        case: Case,
        measured: Measured,
        combined: Sequence[Key],
        population: str,
        inhabitants: dict[str, int],
        in_file: InFile | None,
    ) -> RiskProfile:
        everyone = inhabitants[case.state]
        share = in_file.share_of(everyone, case.state) if in_file else 1.0
        ends = ends_of(case, measured)
        bare = RiskProfile(**case.facts, population=population, inhabitants=everyone, in_file=share)
        if ends is None:
            return bare
        pairs = [Bounds(float(low), float(high)) for low, high in zip(*ends, strict=True)]
        combinations = list(zip(*(measured[key, case.state].tolist() for key in combined), strict=True))
        many, scattered = len(self.counts), len(self.counts) + 1
        values = dict(zip(self.counts, pairs[:many], strict=True))
        together = dict(zip(self.counts, combinations[:many], strict=False))
        spread = dict(zip(self.risks, pairs[scattered:], strict=False))
        spread_together = dict(zip(self.risks, combinations[scattered:], strict=False))
        for measure in spread:
            low, high = (self._added(case, view[0], measure) for view in (case.keys[0], case.keys[-1]))
            at, chance = values[measure], spread[measure]
            spread[measure] = Bounds(chance.low + (low * at.low) ** 2, chance.high + (high * at.high) ** 2)
        for measure, chances in spread_together.items():
            spread_together[measure] = tuple(
                chance + (self._added(case, key[0], measure) * people) ** 2
                for chance, people, key in zip(chances, together[measure], combined, strict=True)
            )
        return replace(
            bare,
            values=values,
            small_file_share=None if in_file else pairs[many].per(everyone * _SMALL),
            variances=spread,
            combinations=together,
            combination_variances=spread_together,
        )

    def _added(self, case: Case, key: Granularities, measure: Measure) -> float:
        """Return the relative error of a figure by a key, 0 where none is asked for."""
        return 0.0 if self.model_error is None else self.model_error(key, case.state, measure)
