"""The assumptions of a study, and the studies in which one of them is another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from policy_sim.analyses.birth_years import by_year_of_birth
from policy_sim.analyses.cases import Case
from policy_sim.analyses.comparison import Comparison
from policy_sim.analyses.uncertainty import with_uneven_birthdays
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.in_file import SMALL_FILE, InFile
from policy_sim.granularity import Field, Granularities
from policy_sim.groups import Groups
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import merge
from policy_sim.population.places import has_place
from policy_sim.population.population import AnyPopulation, Population
from policy_sim.population.zip_shares import PeopleByZip

__all__ = ["Assumptions", "ChangedStudy", "Form", "MeasuredError", "changed_births", "changed_studies"]

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

    Parameters
    ----------
    day_shares, month_shares : Shares (0..1) of people born on each of the 366 days and in each of the 12 months.
    early : Share (0..1) of the year's people born from January 1 to census day.
    populations : Other populations, by what they are called.
    listed : Attackers whose lists hold other people, by the name of the attacker they stand for.
    errors : Errors measured elsewhere that apply to the population.
    form : The policies in the other form of the rules; None where that changes nothing.
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
    policies: Sequence[Policy],
    states: Sequence[str],
    assumptions: Assumptions,
    in_file: InFile | None,
    again: Callable[..., Comparison],
) -> Iterator[ChangedStudy]:
    """Make the study again with each assumption changed that concerns everybody.

    Parameters
    ----------
    policies, states, in_file : Those of the study.
    again : Makes the study again, with what it is given in place of the study's own (``people``, ``days``,
        ``release``, ``who``, ``file``). Policies that a change cannot move are left out of it.
    """
    leap = f"{_LEAP_YEAR_DAYS:g} equally likely birthdays per year, not 365"
    dated = [policy for policy in policies if policy.releases[Field.BIRTH] == "date"]
    if dated:
        yield ChangedStudy("leap-days", leap, again(days=_LEAP_YEAR_DAYS, release=dated))
    topped = [
        replace(policy, conditions=replace(policy.conditions, top_age=_OLDEST))
        for policy in policies
        if policy.conditions.top_age != _OLDEST
    ]
    if topped:
        yield ChangedStudy("oldest", f"people aged {_OLDEST} and over in one class", again(release=topped))
    if assumptions.form is not None:
        form = assumptions.form
        names = {ours.name: theirs.name for ours, theirs in zip(policies, form.policies, strict=True)}
        yield ChangedStudy(form.name, form.title, again(people=form.population, release=form.policies), policies=names)
    file = SMALL_FILE if in_file is None else None
    title = f"a file of {file.title}; the attacker knows who is in it" if file else "everyone is released"
    yield ChangedStudy("in-file", title, again(file=file))
    for name, people in assumptions.populations.items():
        if set(states) <= set(people.states) and _can_show(people, policies):
            yield ChangedStudy(f"census-{name}", f"the people of {name}", again(people=people))
    for attacker, others in assumptions.listed.items():
        for other in others:
            title = other.coverage.title if other.coverage else "everyone, children too"
            renamed = {attacker: other.name}
            yield ChangedStudy(f"listed-{other.name}", f"the list holds {title}", again(who=[other]), attackers=renamed)


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
        assert isinstance(groups, Groups)  # the cells are available
        people = with_uneven_birthdays(groups, shares, g, per_year)[0]
        yield "birthdays", ("real, uneven birthdays, with February 29", people)
    if key[Field.GEOGRAPHY] != "nation":
        years = by_year_of_birth(counted, key, case.state, assumptions.early, g, conditions)
        if years is not None:
            title = "age and birth year do not line up exactly: a birth year covers parts of two ages"
            yield "birth-years", (title, years)
