"""The assumptions of a study, and the studies in which one of them is another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from policy_sim.attackers.attacker import Attacker, covered
from policy_sim.attackers.county_coverage import RegisteredCoverage, load_coverage
from policy_sim.attackers.coverage import COVERAGES
from policy_sim.attackers.in_file import SMALL_FILE
from policy_sim.formulas.bins import (
    bins_of_size,
    occupied_bins,
    occupied_uneven_bins,
    people_g_distinct,
    people_g_distinct_uneven,
)
from policy_sim.formulas.groups import Groups
from policy_sim.model.cases import Case, Cases
from policy_sim.model.compare import Comparison, compare
from policy_sim.model.measure import Measure, Row
from policy_sim.model.model_error import largest_errors
from policy_sim.model.profile import RiskProfile
from policy_sim.model.undercount import as_estimated, coverage_of
from policy_sim.people.by_name import load_population
from policy_sim.people.facts import noise_effects
from policy_sim.people.merging import merge
from policy_sim.people.names import load_birthdays
from policy_sim.people.places import able_to_show, codes_of_key, has_place, visible_places
from policy_sim.people.population import AnyPopulation, Population
from policy_sim.people.zips import COMPOSED, PeopleByZip, with_zip_codes
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, Policy
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError, PolicySimError
from policy_sim.words.fields import Field, Granularities, race_comparison

_OLDEST = 90
_LEAP_YEAR_DAYS = 365.25


@dataclass(frozen=True)
class MeasuredError:
    """A relative error measured elsewhere, in either direction: of which measure and key, and where it comes from.

    It does not hold in the states ``not_in`` (postal codes).
    """

    name: str
    title: str
    key: Granularities
    measure: str
    relative: float
    not_in: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Form:
    """The study's policies in another form of the rules, in their order, and the people who show their places."""

    name: str
    title: str
    population: AnyPopulation
    policies: Sequence[Policy]


@dataclass(frozen=True, eq=False)
class Assumptions:
    """What is known of the assumptions, so that each can be changed.

    ``day_shares``, ``month_shares``: shares (0..1) of people born on each of the 366 days and in each of the 12 months.
    ``early``: share (0..1) of the year's people born from January 1 to census day. ``populations``: other populations,
    by what they are called. ``listed``: attackers whose lists hold other people, by the name of the attacker they stand
    for. ``errors``: errors measured elsewhere that apply to the population. ``form``: the policies in the other form of
    the rules; None where that changes nothing. ``estimated``: the people as the survey of the census's coverage
    estimates them, with a title; None where there is none.
    """

    day_shares: FloatArray
    month_shares: FloatArray
    early: float
    populations: Mapping[str, AnyPopulation]
    listed: Mapping[str, Sequence[Attacker]]
    errors: Sequence[MeasuredError] = ()
    form: Form | None = None
    estimated: tuple[str, AnyPopulation] | None = None


@dataclass(frozen=True)
class ChangedStudy:
    """A study with one assumption changed.

    ``policies`` and ``attackers`` say under which name a policy or an attacker stands there, where it is another.
    Where attackers are renamed, the change concerns them alone. ``ends_range``: the change is one of those that a range
    goes over, so that both ends of its own figures matter, unknown fields withheld and released.
    """

    name: str
    title: str
    comparison: Comparison
    policies: Mapping[str, str] = field(default_factory=dict)
    attackers: Mapping[str, str] = field(default_factory=dict)
    ends_range: bool = False


def changed_studies(
    cases: Cases, assumptions: Assumptions, again: Callable[[Cases], Comparison]
) -> Iterator[ChangedStudy]:
    """Make the study again with each assumption changed that concerns everybody.

    Policies that a change cannot move are left out of it.
    """
    policies, in_file = cases.policies, cases.in_file

    def made(**changes: Any) -> Comparison:
        return again(replace(cases, **changes))

    leap = f"{_LEAP_YEAR_DAYS:g} equally likely birthdays per year, not 365"
    dated = [policy for policy in policies if policy.releases[Field.BIRTH] == "date"]
    if dated:
        yield ChangedStudy("leap-days", leap, made(days_per_year=_LEAP_YEAR_DAYS, policies=dated))
    topped = [
        replace(policy, conditions=replace(policy.conditions, top_age=_OLDEST))
        for policy in policies
        if policy.conditions.top_age != _OLDEST
    ]
    if topped:
        yield ChangedStudy("oldest", f"people aged {_OLDEST} and over in one class", made(policies=topped))
    if assumptions.form is not None:
        form = assumptions.form
        names = {ours.name: theirs.name for ours, theirs in zip(policies, form.policies, strict=True)}
        yield ChangedStudy(
            form.name, form.title, made(population=form.population, policies=form.policies), policies=names
        )
    file = SMALL_FILE if in_file is None else None
    title = f"a file of {file.title}; the attacker knows who is in it" if file else "everyone is released"
    yield ChangedStudy("in-file", title, made(in_file=file))
    for name, people in assumptions.populations.items():
        if set(cases.states or cases.population.states) <= set(people.states) and _can_show(people, policies):
            yield ChangedStudy(f"census-{name}", f"the people of {name}", made(population=people))
    if assumptions.estimated is not None:
        title, people = assumptions.estimated
        yield ChangedStudy("undercount", title, made(population=people))
    ends_by_attacker = {
        attacker.name: attacker.coverage.range_ends
        for attacker in cases.attackers
        if isinstance(attacker.coverage, RegisteredCoverage)
    }
    for attacker, others in assumptions.listed.items():
        for other in others:
            title = other.coverage.title if other.coverage else "everyone, children too"
            comparison, renamed = made(attackers=[other]), {attacker: other.name}
            ends_range = other.coverage in ends_by_attacker.get(attacker, ())
            yield ChangedStudy(
                f"listed-{other.name}",
                f"the list holds {title}",
                comparison,
                attackers=renamed,
                ends_range=ends_range,
            )


def _can_show(population: AnyPopulation, policies: Sequence[Policy]) -> bool:
    """Tell whether a population has every place that the policies name."""
    places = {policy.releases[Field.GEOGRAPHY] for policy in policies}
    places |= {policy.conditions.small_places.place for policy in policies if policy.conditions.small_places}
    return all(has_place(population, place) for place in places)


def changed_births(
    population: AnyPopulation, case: Case, assumptions: Assumptions, g: Sequence[int]
) -> Iterator[tuple[str, str, FloatArray]]:
    """Name, title and people with birthdays or years of birth as they are.

    Only for lists that hold everyone, and for places that the census counts.
    """
    key, conditions, coverage = case.keys[0]
    counted = population.county_population if isinstance(population, PeopleByZip) else population
    if coverage is not None or not isinstance(counted, Population) or not has_place(counted, key[Field.GEOGRAPHY]):
        return
    uneven = {"date": (assumptions.day_shares, 365.0), "month": (assumptions.month_shares, 12.0)}
    if key[Field.BIRTH] in uneven:
        shares, per_year = uneven[key[Field.BIRTH]]
        groups = merge(counted, key, [case.state], conditions=conditions)
        by_class = []
        for of_class in groups.by_class:
            assert isinstance(of_class, Groups)  # the cells are available
            by_class.append(with_uneven_birthdays(of_class, shares, g, per_year)[0])
        yield "birthdays", "real, uneven birthdays, with February 29", sum(by_class[1:], by_class[0])
    if key[Field.GEOGRAPHY] != "nation":
        years = by_year_of_birth(counted, key, case.state, assumptions.early, g, conditions)
        if years is not None:
            title = "age and birth year do not line up exactly: a birth year covers parts of two ages"
            yield "birth-years", title, years


# What each assumption is worth: one changed at a time, the figure made again, and the changes ranked.


_Change: TypeAlias = tuple[str, str, float, float]  # name and title of an assumption, both ends of the figure under it
_FELT = 1e-9  # of the figure; less is the last digits of the arithmetic


@dataclass(frozen=True, repr=False)
class Swing(Row):
    """One figure with one assumption changed.

    ``base``, ``low`` and ``high`` are shares (0..1) of the state's people; ``low`` and ``high`` are the
    figure's ends under the change, equal where the change gives one figure. ``rank``: 1 for the largest change of the
    figure. In the table ``change_low`` and ``change_high`` are relative to the base, missing where it is 0.
    """

    columns = "state policy attacker measure g rank assumption title share share_low share_high change_low change_high"
    state: str
    policy: str
    attacker: str
    measure: Measure
    assumption: str
    title: str
    base: float
    low: float
    high: float
    rank: int = 1

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row."""
        names = ("state", "policy", "attacker", "assumption", "title", "rank")
        row = {name: getattr(self, name) for name in names} | self.measure.columns
        row |= {"share": self.base, "share_low": self.low, "share_high": self.high}
        for name, end in (("change_low", self.low), ("change_high", self.high)):
            row[name] = (end - self.base) / self.base if self.base else None
        yield row

    @property
    def reach(self) -> float:
        """How far the further end is from the base, relative to it; infinite for a base of 0."""
        furthest = max(abs(self.low - self.base), abs(self.high - self.base))
        return furthest / self.base if self.base else float("inf") if furthest else 0.0


def sensitivity(cases: Cases, assumptions: Assumptions, tell: Callable[[int], None] | None = None) -> tuple[Swing, ...]:
    """Change one assumption at a time, and rank the changes of every figure.

    Returns for each state, policy, attacker and measure with a figure: one swing for each assumption that moves it,
    the largest first. The base of a figure known only as an interval is its lower end.
    """
    base = compare(cases, spread=True)
    changed = []
    for study in changed_studies(cases, assumptions, compare):
        changed.append((study, {(p.state, p.policy, p.attacker): p for p in study.comparison}))
        if tell is not None:
            tell(len(changed))
    swings: list[Swing] = []
    for case, profile in zip(cases, base, strict=True):
        if not case.keys:
            continue
        everyone = cases.in_file is None  # what was measured elsewhere holds for a release of everyone
        births = list(changed_births(cases.population, case, assumptions, cases.g)) if everyone else []
        for place, measure in enumerate(base.measures):
            people = profile.people(measure)
            share = people.low / profile.records if people else 0.0
            moved = [*_own(profile, measure), *_others(profile, measure, changed)]
            for name, title, counted in births:
                other = float(counted[place]) / profile.records
                moved.append((name, title, other, other))
            if everyone:
                moved += _measured(profile, measure, case.keys[0][0], share, assumptions.errors)
            facts = (profile.state, profile.policy, profile.attacker, measure)
            every = [Swing(*facts, name, title, share, min(ends), max(ends)) for name, title, *ends in moved]
            felt = sorted((swing for swing in every if swing.reach > _FELT), key=lambda swing: -swing.reach)
            swings += [replace(swing, rank=rank) for rank, swing in enumerate(felt, 1)]
    return tuple(swings)


def _own(profile: RiskProfile, measure: Measure) -> Iterator[_Change]:
    """What the study itself leaves open: the scatter of birthdays, and fields of the list that are not known."""
    figure, everyone = profile.figures.get(measure), profile.records
    if figure is None or figure.variance is None:
        return
    people, variance = figure.people, figure.variance
    ends = replace(people, high=people.low).within(replace(variance, high=variance.low)).per(everyone)
    yield "chance", "chance of birthdays and random picks, 95%", ends.low, ends.high
    if profile.status == "interval":
        both = people.per(everyone)
        yield "unknown-fields", f"{profile.reason}: released", both.low, both.high


def _others(
    profile: RiskProfile,
    measure: Measure,
    changed: Sequence[tuple[ChangedStudy, Mapping[tuple[str, str, str], RiskProfile]]],
) -> Iterator[_Change]:
    for study, profiles in changed:
        if study.attackers and profile.attacker not in study.attackers:
            continue
        policy = study.policies.get(profile.policy, profile.policy)
        attacker = study.attackers.get(profile.attacker, profile.attacker)
        other = profiles.get((profile.state, policy, attacker))
        share = None if other is None else other.share(measure)
        if share is not None:
            yield study.name, study.title, share.low, share.high if study.ends_range else share.low


def _measured(
    profile: RiskProfile, measure: Measure, key: Granularities, share: float, errors: Sequence[MeasuredError]
) -> Iterator[_Change]:
    for error in errors:
        if profile.state not in error.not_in and (error.key, error.measure) == (key, str(measure)):
            far = abs(error.relative)
            yield error.name, error.title, share * (1 - far), share * (1 + far)


_CENSUS_DAY = (4, 1)
_CENSUSES = ("us-2000", "us-2010", "us-2020")
_NOISY = "2020"


def load_assumptions(population: AnyPopulation, attackers: Sequence[Attacker], form: Form | None = None) -> Assumptions:
    """Return how each assumption can be changed for a population and the attackers who hold lists."""
    birthdays = load_birthdays()
    others = {
        name: with_zip_codes(load_population(name))
        for name in _CENSUSES
        if name != population.name.removesuffix(COMPOSED)
    }
    return Assumptions(
        day_shares=birthdays.shares,
        month_shares=birthdays.monthly,
        early=birthdays.until(*_CENSUS_DAY),
        populations=others,
        listed={attacker.name: tuple(_listed(attacker)) for attacker in attackers if attacker.holds_voter_lists},
        errors=tuple(_errors(population)),
        form=form,
        estimated=_estimated(population),
    )


def _estimated(population: AnyPopulation) -> tuple[str, AnyPopulation] | None:
    coverage = coverage_of(population)
    people = None if coverage is None else as_estimated(population, coverage)
    return None if coverage is None or people is None else (coverage.title, people)


def _listed(attacker: Attacker) -> Iterator[Attacker]:
    """The attacker whose lists hold everyone, adults alone, or the registered, by what else is assumed of them."""
    own = attacker.coverage.name if attacker.coverage else "everyone"
    for name in COVERAGES:
        if name == own:
            continue
        try:
            coverage = load_coverage(name, attacker.voter_lists.newest_vintage)
        except PolicySimError:
            continue  # no figures of that year
        yield covered(attacker, coverage)
    if isinstance(attacker.coverage, RegisteredCoverage):
        yield from (covered(attacker, other) for other in attacker.coverage.others)


def _errors(population: AnyPopulation) -> Iterator[MeasuredError]:
    for error in largest_errors(population.name.removesuffix(COMPOSED)):
        title = f"error of the modeled population, in both directions ({error.measured})"
        counted = population.provenance.counted_ages
        yield MeasuredError("fit", title, error.releases, error.measure, error.relative, counted)
    if population.provenance.date.startswith(_NOISY):
        for effect in noise_effects():
            title = "noise of the census of 2020, in both directions (Kentucky, demonstration data of July 2020)"
            yield MeasuredError("noise", title, effect.releases, effect.measure, effect.noised / effect.counted - 1)


# Birthdays as they are: some days of the year have more of them.


def with_uneven_birthdays(groups: Groups, shares: FloatArray, g: Sequence[int], per_year: float = 365.0) -> FloatArray:
    """Return total risk and g-distinct where birthdays are as likely as ``shares`` says.

    Groups that hide ``per_year`` bins in each of one or more years of age get those of ``shares`` in each;
    other groups, in which the key shows no birthday, stay as they are.

    ``groups``: who can be distinguished, and how, merged with ``per_year`` equally likely values in a year of age.
    ``g``: group sizes, each >= 1.
    """
    sizes = groups.distinct
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


# Years of birth made of ages: who was counted at an age on census day was born in one of two years.
#
# On April 1 a person of age ``a`` was born in the year ``Y - a`` with the chance ``q`` of a birthday from
# January 1 to April 1, and in ``Y - a - 1`` otherwise. A year of birth thus holds part of two ages, where
# Benitez & Malin 2010 let the age stand for it.


def year_chances(age: IntArray, width: IntArray, early: float) -> FloatArray:
    """Return the chance that a person of each class of age was born this many years before the census.

    ``age``, ``width``: lowest age of each class and the years it holds, all equally likely. ``early``: share (0..1) of
    the year's people born from January 1 to census day. Returns the shape (classes, years): column
    ``k`` is the year ``k`` before that of the census. Rows add up to 1.

    >>> year_chances(np.array([0, 1]), np.array([1, 2]), 0.25).tolist()
    [[0.25, 0.75, 0.0, 0.0], [0.0, 0.125, 0.5, 0.375]]
    """
    years = int((age + width).max(initial=0)) + 1
    chances = np.zeros((len(age), years))
    for row, (low, many) in enumerate(zip(age.tolist(), width.tolist(), strict=True)):
        chances[row, low : low + many] += early / many
        chances[row, low + 1 : low + many + 1] += (1 - early) / many
    return chances


def years_of_birth(people: IntArray, chances: FloatArray, g: Sequence[int]) -> FloatArray:
    """Return total risk and g-distinct of people who fall into years of birth by chance.

    ``people``: by group and class of age, shape (groups, classes). ``chances``: as :func:`year_chances`, shape
    (classes, years). ``g``: group sizes, each >= 1. Returns people, shape (1 + len(g),): the expected number of years
    that hold anyone, and of people who share their year with fewer than g others; summed over groups.
    """
    missed = people @ np.log1p(-chances)
    figures = [float(-np.expm1(missed).sum())]
    sizes = np.arange(max(g) + 1)
    held = np.zeros((chances.shape[1], max(g) + 1))
    for year, column in enumerate(chances.T):
        held[year] = _sizes(people, column, max(g)).sum(axis=0)
    figures += [float((held * sizes)[:, : size + 1].sum()) for size in g]
    return np.array(figures)


def _sizes(people: IntArray, chance: FloatArray, most: int) -> FloatArray:
    """Chance that each group has 0, 1, ..., ``most`` people in one year; shape (groups, most + 1)."""
    chances = np.zeros((len(people), most + 1))
    chances[:, 0] = 1.0
    for place in np.flatnonzero(chance):
        p = float(chance[place])
        of_place = bins_of_size(people[:, place][:, None], 1 / p, np.arange(most + 1)) * p
        chances = np.stack(
            [(chances[:, : size + 1] * of_place[:, size::-1]).sum(axis=1) for size in range(most + 1)], axis=1
        )
    return chances


def by_year_of_birth(
    population: Population,
    key: Granularities,
    state: str,
    early: float,
    g: Sequence[int],
    conditions: Conditions = NO_CONDITIONS,
) -> FloatArray | None:
    """Return total risk and g-distinct of a state on a key by year of birth; None where the key has another.

    ``early``: share (0..1) of the year's people born from January 1 to census day. ``conditions``: what the policy
    shows less finely. Who is of the top age or older on census day is in its class, whatever the year of birth.
    """
    if key[Field.BIRTH] != "year" or race_comparison(key) is not None:
        return None
    if key[Field.GEOGRAPHY] == "nation":
        raise InputError("years of birth are computed state by state: use a key with the state.")
    population = able_to_show(population, [key])
    in_state = (population.cells["state"] == state).to_numpy()
    cells = population.cells[in_state]
    parts = [np.zeros(len(cells), dtype=np.int64)]
    if key[Field.GEOGRAPHY] != "state":
        parts.append(visible_places(population, key[Field.GEOGRAPHY], conditions.small_places)[in_state])
    parts += [codes[in_state] for codes in codes_of_key(population, key)]
    group = np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1].reshape(-1)
    ages, kind = np.unique(cells[["age", "age_width"]].to_numpy(np.int64), axis=0, return_inverse=True)
    table = np.zeros((int(group.max()) + 1, len(ages)), dtype=np.int64)
    np.add.at(table, (group, kind.reshape(-1)), cells["people"].to_numpy())
    old = ages[:, 0] >= (conditions.top_age or np.iinfo(np.int64).max)
    young = years_of_birth(table[:, ~old], year_chances(ages[~old, 0], ages[~old, 1], early), g)
    top = table[:, old].sum(axis=1)
    oldest: FloatArray = np.array([(top > 0).sum(), *(top[top <= size].sum() for size in g)], dtype=np.float64)
    return young + oldest
