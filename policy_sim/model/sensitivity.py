"""The assumptions of a study, and the studies in which one of them is another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import pandas as pd

from policy_sim.attackers.attacker import Attacker, covered
from policy_sim.attackers.county_coverage import RegisteredCoverage, load_coverage
from policy_sim.attackers.coverage import COVERAGES
from policy_sim.attackers.in_file import SMALL_FILE
from policy_sim.formulas.compared_groups import ComparedGroups
from policy_sim.formulas.groups import Groups
from policy_sim.model.breakdown import by_year_of_birth
from policy_sim.model.cases import Case, Cases
from policy_sim.model.compare import Comparison, compare
from policy_sim.model.measure import Measure, Shown, kinds_of, tidy_rows
from policy_sim.model.model_error import largest_errors
from policy_sim.model.profile import RiskProfile
from policy_sim.model.profile_figures import with_uneven_birthdays
from policy_sim.people.by_name import load_population
from policy_sim.people.facts import noise_effects
from policy_sim.people.merge import merge
from policy_sim.people.names import load_birthdays
from policy_sim.people.places import has_place
from policy_sim.people.population import AnyPopulation, Population
from policy_sim.people.zips import PeopleByZip, with_zip_codes
from policy_sim.policies.policy import Policy
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import PolicySimError
from policy_sim.words.fields import Field, Granularities

_OLDEST = 90
_LEAP_YEAR_DAYS = 365.25


@dataclass(frozen=True)
class MeasuredError:
    """A relative error measured elsewhere: of which measure and key, its ends, and where it comes from.

    It does not hold in the states ``not_in`` (postal codes).
    """

    name: str
    title: str
    key: Granularities
    measure: str
    low: float
    high: float
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
    the rules; None where that changes nothing.
    """

    day_shares: FloatArray
    month_shares: FloatArray
    early: float
    populations: Mapping[str, AnyPopulation]
    listed: Mapping[str, Sequence[Attacker]]
    errors: Sequence[MeasuredError] = ()
    form: Form | None = None


@dataclass(frozen=True)
class ChangedStudy:
    """A study with one assumption changed.

    ``policies`` and ``attackers`` say under which name a policy or an attacker stands there, where it is another.
    Where attackers are renamed, the change concerns them alone.
    """

    name: str
    title: str
    comparison: Comparison
    policies: Mapping[str, str] = field(default_factory=dict)
    attackers: Mapping[str, str] = field(default_factory=dict)


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
    for attacker, others in assumptions.listed.items():
        for other in others:
            title = other.coverage.title if other.coverage else "everyone, children too"
            renamed = {attacker: other.name}
            yield ChangedStudy(
                f"listed-{other.name}", f"the list holds {title}", made(attackers=[other]), attackers=renamed
            )


def _can_show(population: AnyPopulation, policies: Sequence[Policy]) -> bool:
    """Tell whether a population has every place that the policies name."""
    places = {policy.releases[Field.GEOGRAPHY] for policy in policies}
    places |= {policy.conditions.small_places.place for policy in policies if policy.conditions.small_places}
    return all(has_place(population, place) for place in places)


def changed_births(
    population: AnyPopulation, case: Case, assumptions: Assumptions, g: Sequence[int]
) -> Iterator[tuple[str, tuple[str, FloatArray]]]:
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
        classes = groups.classes if isinstance(groups, ComparedGroups) else (groups,)
        by_class = []
        for of_class in classes:
            assert isinstance(of_class, Groups)  # the cells are available
            by_class.append(with_uneven_birthdays(of_class, shares, g, per_year)[0])
        people = sum(by_class[1:], by_class[0])
        yield "birthdays", ("real, uneven birthdays, with February 29", people)
    if key[Field.GEOGRAPHY] != "nation":
        years = by_year_of_birth(counted, key, case.state, assumptions.early, g, conditions)
        if years is not None:
            title = "age and birth year do not line up exactly: a birth year covers parts of two ages"
            yield "birth-years", (title, years)


# What each assumption is worth: one changed at a time, the figure made again, and the changes ranked.


_Name: TypeAlias = tuple[str, str, str]  # state, policy, attacker
_FELT = 1e-9  # of the figure; less is the last digits of the arithmetic


@dataclass(frozen=True, repr=False)
class Swing(Shown):
    """One figure with one assumption changed.

    ``base``, ``low`` and ``high`` are shares (0..1) of the state's people; ``low`` and ``high`` are the
    figure's ends under the change, equal where the change gives one figure.
    """

    state: str
    policy: str
    attacker: str
    measure: Measure
    assumption: str
    title: str
    base: float
    low: float
    high: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row (:func:`sensitivity_frame`)."""
        return sensitivity_frame([self])

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
    by_name = {(case.state, case.policy.name, case.attacker.name): case for case in cases}
    swings: list[Swing] = []
    for profile in base:
        case = by_name[profile.state, profile.policy, profile.attacker]
        if not case.keys:
            continue
        everyone = cases.in_file is None  # what was measured elsewhere holds for a release of everyone
        key = case.keys[0][0]
        columns = dict(changed_births(cases.population, case, assumptions, cases.g)) if everyone else {}
        for place, measure in enumerate(base.measures):
            all_swings = [
                *_own(profile, measure),
                *_others(profile, measure, changed),
                *_births(profile, measure, place, columns),
                *_measured(profile, measure, key, assumptions.errors if everyone else ()),
            ]
            felt = [swing for swing in all_swings if swing.reach > _FELT]
            swings += sorted(felt, key=lambda swing: -swing.reach)
    return tuple(swings)


def _swing(profile: RiskProfile, measure: Measure, name: str, title: str, ends: tuple[float, float]) -> Swing:
    people = profile.people(measure)
    base = people.low / profile.records if people else 0.0
    facts = (profile.state, profile.policy, profile.attacker, measure, name, title)
    return Swing(*facts, base, min(ends), max(ends))


def _own(profile: RiskProfile, measure: Measure) -> Iterator[Swing]:
    """What the study itself leaves open: the scatter of birthdays, and fields of the list that are not known."""
    people, variance = profile.people(measure), profile.variances.get(measure)
    if people is None or variance is None:
        return
    everyone = profile.records
    ends = replace(people, high=people.low).within(replace(variance, high=variance.low)).per(everyone)
    yield _swing(profile, measure, "chance", "chance of birthdays and random picks, 95%", (ends.low, ends.high))
    if profile.status == "interval":
        both = people.per(everyone)
        yield _swing(profile, measure, "unknown-fields", f"{profile.reason}: released", (both.low, both.high))


def _others(
    profile: RiskProfile, measure: Measure, changed: Sequence[tuple[ChangedStudy, Mapping[_Name, RiskProfile]]]
) -> Iterator[Swing]:
    for study, profiles in changed:
        if study.attackers and profile.attacker not in study.attackers:
            continue
        policy = study.policies.get(profile.policy, profile.policy)
        attacker = study.attackers.get(profile.attacker, profile.attacker)
        other = profiles.get((profile.state, policy, attacker))
        share = None if other is None else other.share(measure)
        if share is not None:
            yield _swing(profile, measure, study.name, study.title, (share.low, share.low))


def _births(
    profile: RiskProfile, measure: Measure, place: int, columns: Mapping[str, tuple[str, FloatArray]]
) -> Iterator[Swing]:
    for name, (title, people) in columns.items():
        share = float(people[place]) / profile.records
        yield _swing(profile, measure, name, title, (share, share))


def _measured(
    profile: RiskProfile, measure: Measure, key: Granularities, errors: Sequence[MeasuredError]
) -> Iterator[Swing]:
    people = profile.people(measure)
    for error in errors:
        felt = profile.state not in error.not_in and (error.key, error.measure) == (key, str(measure))
        if people is not None and felt:
            share = people.low / profile.records
            yield _swing(profile, measure, error.name, error.title, (share * (1 + error.low), share * (1 + error.high)))


def sensitivity_frame(swings: Sequence[Swing]) -> pd.DataFrame:
    """Return one row per figure and assumption, the largest change of each figure first.

    ``share`` is the figure (0..1), ``share_low`` and ``share_high`` its ends under the change, ``change_low``
    and ``change_high`` the same relative to the figure; missing where it is 0.
    """
    names = ["state", "policy", "attacker", "measure", "g", "rank", "assumption", "title", "share"]
    names += ["share_low", "share_high", "change_low", "change_high"]
    rows, ranks = [], dict[tuple[str, str, str, Measure], int]()
    for swing in swings:
        figure = (swing.state, swing.policy, swing.attacker, swing.measure)
        ranks[figure] = ranks.get(figure, 0) + 1
        changes = [(end - swing.base) / swing.base if swing.base else None for end in (swing.low, swing.high)]
        facts = (swing.state, swing.policy, swing.attacker, swing.measure.name, swing.measure.g, ranks[figure])
        rows.append((*facts, swing.assumption, swing.title, swing.base, swing.low, swing.high, *changes))
    text = ("state", "policy", "attacker", "measure", "assumption", "title")
    return tidy_rows(rows, kinds_of(names, text=text, whole=("g", "rank")))


# What the shipped facts say of the model's assumptions, for changing one at a time.


_CENSUS_DAY = (4, 1)
_CENSUSES = ("us-2000", "us-2010", "us-2020")
_NOISY = "2020"


def load_assumptions(population: AnyPopulation, attackers: Sequence[Attacker], form: Form | None = None) -> Assumptions:
    """Return how each assumption can be changed for a population and the attackers who hold lists."""
    birthdays = load_birthdays()
    others = {name: with_zip_codes(load_population(name)) for name in _CENSUSES if name != population.name}
    return Assumptions(
        day_shares=birthdays.shares,
        month_shares=birthdays.monthly,
        early=birthdays.until(*_CENSUS_DAY),
        populations=others,
        listed={attacker.name: tuple(_listed(attacker)) for attacker in attackers if attacker.holds_voter_lists},
        errors=tuple(_errors(population)),
        form=form,
    )


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
    for error in largest_errors(population.name):
        ends = (-abs(error.relative), abs(error.relative))
        title = f"error of the modeled population, in both directions ({error.measured})"
        counted = population.provenance.counted_ages
        yield MeasuredError("fit", title, error.releases, error.measure, *ends, counted)
    if population.provenance.date.startswith(_NOISY):
        for effect in noise_effects():
            relative = effect.noised / effect.counted - 1
            ends = (-abs(relative), abs(relative))
            title = "noise of the census of 2020, in both directions (Kentucky, demonstration data of July 2020)"
            yield MeasuredError("noise", title, effect.releases, effect.measure, *ends)
