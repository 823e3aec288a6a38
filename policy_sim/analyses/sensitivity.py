"""What each assumption is worth: one changed at a time, the figure made again, and the changes ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from policy_sim.analyses.birth_years import by_year_of_birth
from policy_sim.analyses.cases import Case, cases_of
from policy_sim.analyses.comparison import DEFAULT_G, Comparison, compare
from policy_sim.analyses.uncertainty import with_uneven_birthdays
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.granularity import Field, Granularities
from policy_sim.policies.policy import Policy
from policy_sim.policies.policy_by_state import same_in_every_state
from policy_sim.population.merge import DAYS_PER_YEAR, merge
from policy_sim.population.places import has_place
from policy_sim.population.population import Population
from policy_sim.results import Measure, Results, RiskProfile, Shown

__all__ = ["Assumptions", "MeasuredError", "Swing", "Swings", "sensitivity", "sensitivity_frame"]

_OLDEST = 90
_LEAP_YEAR_DAYS = 365.25
_FELT = 1e-9  # of the figure; less is the last digits of the arithmetic


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
class Assumptions:
    """What is known of the assumptions, so that each can be changed.

    Parameters
    ----------
    day_shares, month_shares : Shares (0..1) of people born on each of the 366 days and in each of the 12 months.
    early : Share (0..1) of the year's people born from 1 January to census day.
    populations : Other populations, by what they are called.
    listed : Attackers whose lists hold fewer than everyone, by the name of the attacker they stand for.
    errors : Errors measured elsewhere that apply to the population.
    """

    day_shares: FloatArray
    month_shares: FloatArray
    early: float
    populations: Mapping[str, Population]
    listed: Mapping[str, Sequence[Attacker]]
    errors: Sequence[MeasuredError] = ()


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


class Swings(Results[Swing]):
    """What each assumption is worth, the largest change of each figure first."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per figure and assumption (:func:`sensitivity_frame`)."""
        return sensitivity_frame(self)


def sensitivity(
    population: Population,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    state: str,
    assumptions: Assumptions,
    *,
    g: Sequence[int] = DEFAULT_G,
    days_per_year: float = DAYS_PER_YEAR,
) -> Swings:
    """Change one assumption at a time, and rank the changes of every figure.

    Returns
    -------
    For each policy, attacker and measure with a figure: one swing for each assumption that moves it, the
    largest first. The base of a figure known only as an interval is its lower end.
    """

    def again(
        people: Population = population,
        days: float = days_per_year,
        release: Sequence[Policy] = policies,
        who: Sequence[Attacker] = attackers,
    ) -> Comparison:
        return compare(people, release, who, states=[state], g=g, days_per_year=days)

    policies = [same_in_every_state(policy) for policy in policies]
    base = compare(population, policies, attackers, states=[state], g=g, days_per_year=days_per_year, spread=True)
    changed = list(_changed_studies(policies, state, assumptions, again))
    cases = {
        (case.policy.name, case.attacker.name): case for case in cases_of(population, policies, attackers, [state])
    }
    swings = []
    for profile in base:
        case = cases[profile.policy, profile.attacker]
        if not case.keys:
            continue
        key, columns = case.keys[0][0], dict(_changed_births(population, case, assumptions, g))
        for place, measure in enumerate(base.measures):
            found = [
                *_own(profile, measure),
                *_others(profile, measure, changed),
                *_births(profile, measure, place, columns),
                *_measured(profile, measure, key, assumptions.errors),
            ]
            felt = [swing for swing in found if swing.reach > _FELT]
            swings += sorted(felt, key=lambda swing: -swing.reach)
    return Swings(swings)


def _changed_studies(
    policies: Sequence[Policy], state: str, assumptions: Assumptions, again: Callable[..., Comparison]
) -> Iterator[tuple[str, str, Comparison, Mapping[str, str]]]:
    """Name, title, study, and under which name an attacker stands there where it is another."""
    yield "leap-days", f"{_LEAP_YEAR_DAYS:g} equally likely birthdays a year, not 365", again(days=_LEAP_YEAR_DAYS), {}
    topped = [replace(p, conditions=replace(p.conditions, top_age=_OLDEST)) for p in policies]
    yield "oldest", f"people of {_OLDEST} and over in one class", again(release=topped), {}
    for name, people in assumptions.populations.items():
        if state in people.states and _can_show(people, policies):
            yield f"census-{name}", f"the people of {name}", again(people), {}
    for attacker, others in assumptions.listed.items():
        for other in others:
            title = other.coverage.title if other.coverage else other.title
            yield f"listed-{other.name}", f"the list holds {title}", again(who=[other]), {attacker: other.name}


def _can_show(population: Population, policies: Sequence[Policy]) -> bool:
    """Tell whether a population has every place that the policies name."""
    places = {policy.releases[Field.GEOGRAPHY] for policy in policies}
    places |= {policy.conditions.small_places.place for policy in policies if policy.conditions.small_places}
    return all(has_place(population, place) for place in places)


def _changed_births(
    population: Population, case: Case, assumptions: Assumptions, g: Sequence[int]
) -> Iterator[tuple[str, tuple[str, FloatArray]]]:
    """Name, title and people with birthdays or years of birth as they are; for lists that hold everyone."""
    key, conditions, coverage = case.keys[0]
    if coverage is not None:
        return
    uneven = {"date": (assumptions.day_shares, 365.0), "month": (assumptions.month_shares, 12.0)}
    if key[Field.BIRTH] in uneven:
        shares, per_year = uneven[key[Field.BIRTH]]
        groups = merge(population, key, [case.state], conditions=conditions)
        people = with_uneven_birthdays(groups, shares, g, per_year)[0]
        yield "birthdays", ("birthdays as uneven as they are, 29 February among them", people)
    if key[Field.GEOGRAPHY] != "nation":
        years = by_year_of_birth(population, key, case.state, assumptions.early, g, conditions)
        if years is not None:
            yield "birth-years", ("years of birth made of ages: each holds part of two", years)


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
    yield _swing(profile, measure, "chance", "how people fall into birthdays, and picks, 95%", (ends.low, ends.high))
    if profile.status == "interval":
        both = people.per(everyone)
        yield _swing(profile, measure, "unknown-fields", f"{profile.reason}: released", (both.low, both.high))


def _others(
    profile: RiskProfile, measure: Measure, changed: Sequence[tuple[str, str, Comparison, Mapping[str, str]]]
) -> Iterator[Swing]:
    for name, title, study, other_names in changed:
        if other_names and profile.attacker not in other_names:
            continue
        other = study.profile(profile.state, profile.policy, other_names.get(profile.attacker, profile.attacker))
        share = other.share(measure)
        if share is not None:
            yield _swing(profile, measure, name, title, (share.low, share.low))


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
    rows, ranks = [], dict[tuple[str, str, Measure], int]()
    for swing in swings:
        figure = (swing.policy, swing.attacker, swing.measure)
        ranks[figure] = ranks.get(figure, 0) + 1
        changes = [(end - swing.base) / swing.base if swing.base else None for end in (swing.low, swing.high)]
        facts = (swing.state, swing.policy, swing.attacker, swing.measure.name, swing.measure.g, ranks[figure])
        rows.append((*facts, swing.assumption, swing.title, swing.base, swing.low, swing.high, *changes))
    table = pd.DataFrame(rows, columns=names, dtype=object)
    text = ("state", "policy", "attacker", "measure", "assumption", "title")
    whole = ("g", "rank")
    return table.astype({name: "string" if name in text else "Int64" if name in whole else "Float64" for name in names})
