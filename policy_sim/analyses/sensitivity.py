"""What each assumption is worth: one changed at a time, the figure made again, and the changes ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pandas as pd

from policy_sim.analyses.cases import cases_of
from policy_sim.analyses.changed_assumptions import (
    Assumptions,
    ChangedStudy,
    MeasuredError,
    changed_births,
    changed_studies,
)
from policy_sim.analyses.comparison import DEFAULT_G, Comparison, compare
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.in_file import InFile
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import AnyPopulation
from policy_sim.results import Measure, Results, RiskProfile, Shown
from policy_sim.results.tidy_rows import kinds_of, tidy_rows

__all__ = ["Assumptions", "MeasuredError", "Swing", "Swings", "sensitivity", "sensitivity_frame"]

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


class Swings(Results[Swing]):
    """What each assumption is worth, the largest change of each figure first."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per figure and assumption (:func:`sensitivity_frame`).

        Returns
        -------
        The rows; shares (0..1).

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> set(study.sensitivity("DE", "county", "general", 1, rules="paper").to_frame()["state"])
        {'DE'}
        """
        return sensitivity_frame(self)


def sensitivity(
    population: AnyPopulation,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    states: Sequence[str],
    assumptions: Assumptions,
    *,
    g: Sequence[int] = DEFAULT_G,
    days_per_year: float = DAYS_PER_YEAR,
    in_file: InFile | None = None,
    tell: Callable[[int], None] | None = None,
) -> Swings:
    """Change one assumption at a time, and rank the changes of every figure.

    Parameters
    ----------
    population, policies, attackers, states, g, days_per_year, in_file : As for
        :func:`policy_sim.analyses.comparison.compare`.
    assumptions : What each assumption may be instead.
    tell : Called with the number of assumptions changed, after each study made again.

    Returns
    -------
    For each state, policy, attacker and measure with a figure: one swing for each assumption that moves it, the
    largest first. The base of a figure known only as an interval is its lower end.
    """

    def again(
        people: AnyPopulation = population,
        days: float = days_per_year,
        release: Sequence[Policy] = policies,
        who: Sequence[Attacker] = attackers,
        file: InFile | None = in_file,
    ) -> Comparison:
        return compare(people, release, who, states=states, g=g, days_per_year=days, in_file=file)

    settings: dict[str, Any] = {"states": states, "g": g, "days_per_year": days_per_year}
    base = compare(population, policies, attackers, spread=True, in_file=in_file, **settings)
    changed = []
    for study in changed_studies(policies, states, assumptions, in_file, again):
        changed.append((study, {(p.state, p.policy, p.attacker): p for p in study.comparison}))
        if tell is not None:
            tell(len(changed))
    cases = {
        (case.state, case.policy.name, case.attacker.name): case
        for case in cases_of(population, policies, attackers, states)
    }
    swings: list[Swing] = []
    for profile in base:
        case = cases[profile.state, profile.policy, profile.attacker]
        if not case.keys:
            continue
        everyone = in_file is None  # what was measured elsewhere holds for a release of everyone
        key, columns = case.keys[0][0], dict(changed_births(population, case, assumptions, g)) if everyone else {}
        for place, measure in enumerate(base.measures):
            all_swings = [
                *_own(profile, measure),
                *_others(profile, measure, changed),
                *_births(profile, measure, place, columns),
                *_measured(profile, measure, key, assumptions.errors if everyone else ()),
            ]
            felt = [swing for swing in all_swings if swing.reach > _FELT]
            swings += sorted(felt, key=lambda swing: -swing.reach)
    return Swings(swings)


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
