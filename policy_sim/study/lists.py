"""Questions about the voter lists of a study: changes of a list, lists bought by county, and who is on them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import GENERAL, VOTER, Attacker
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.list_day import KEPT, RANGE_NOTE, ListDayCoverage
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import sha256_of
from policy_sim.model.compare import compare
from policy_sim.model.profile import RiskProfile
from policy_sim.people.population import AnyPopulation
from policy_sim.policies.policy import Policy
from policy_sim.study.answers import Answer, ListedAnswer
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.study.question import (
    DEFAULT_RULES,
    POLICIES,
    GroupSizes,
    Policies,
    Question,
    Setting,
    States,
    study_lists,
    vintage_name,
)
from policy_sim.voter_lists.changes import parse_changes
from policy_sim.voter_lists.facts import MAX_AGE_MONTHS
from policy_sim.voter_lists.price import Price
from policy_sim.words.arguments import choice, number, one_state, whole_number
from policy_sim.words.arguments import day as a_day
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.states import State

if TYPE_CHECKING:
    from policy_sim.voter_lists.publication import PublishedTable

_MOST_MONTHS = 10**12
_MOST_YEARS = 20


def list_changes(study: Setting, before: str | int, states: States = None) -> Answer[Any]:
    """Return what differs between the lists of an earlier vintage and those of the study, records too, and why.

    Returns one row per state and item: the facts ``before`` and ``after``; ``change`` (changed, became known or became
    unknown); ``cause`` (``law``, ``source`` where the sources tell more or less, or ``count`` of records at the
    elections nearest to both); ``why``, where it is recorded.

    >>> from policy_sim import Study
    >>> rows = Study("us-2020", lists=2026).list_changes(2008, "OH").to_frame()
    >>> rows.loc[rows["item"] == "birth", ["before", "after", "cause"]].values.tolist()
    [['included (year)', 'included (date)', 'law']]
    """
    from policy_sim.voter_lists.facts import differences
    from policy_sim.voter_lists.files import load_list_changes

    question = Question.of(POLICIES, VOTER, states)
    vintage = vintage_name("before", before)
    _, old = study_lists(vintage, study.database)
    new = study.unrestricted_voter.voter_lists.lists
    chosen = question.states or tuple(new)
    before_lists, after_lists = ({state: lists[state] for state in chosen if state in lists} for lists in (old, new))
    vintages = vintage, study.unrestricted_voter.voter_lists.newest_vintage
    rows, remarks = differences(before_lists, after_lists, vintages, load_list_changes())
    origin = study._from(question, "list-changes", remarks, before=vintage)
    return Answer(rows, f"Changes of voter lists since {vintage}", provenance=origin)


def what_if(
    study: Setting,
    state: str | State,
    changes: Mapping[str, str],
    policies: Policies = POLICIES,
    g: GroupSizes | None = None,
    *,
    attacker: str | Path | Attacker = VOTER,
    rules: str = DEFAULT_RULES,
) -> Answer[Any]:
    """Return every measure before and after a change of one state's list, or of another resource.

    The study's adversary is applied again after the change: a list may come within its reach or leave it. ``changes``:
    the items and their new values, such as ``{"birth": "date"}``; of a file besides voter lists also the ``share`` of
    people that it holds. ``attacker``: whose resource changes, ``voter`` by default. Returns one row per policy and
    measure: people ``before`` and ``after``, and the ``change``.

    >>> from policy_sim import Study
    >>> rows = Study("us-2010", 2026).what_if("OH", {"birth": "withheld"}, "county", 1).to_frame()
    >>> rows["measure"].tolist()[:2]
    ['total-risk', 'g-distinct']
    """
    from policy_sim.model.what_if import what_if

    texts = [text for pair in changes.items() for text in pair] if isinstance(changes, Mapping) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InputError("changes: give the items of the list and their new values, such as {'birth': 'date'}.")
    changes = parse_changes(f"{item}={value}" for item, value in changes.items())
    question = Question.of(policies, attacker, one_state(state), g, rules)
    (place,) = question.states or ()
    (holder,) = question.holders or (GENERAL if GENERAL.name in question.attackers else study.unrestricted_voter,)
    cases = replace(study._cases(question), attackers=[holder])
    rows = what_if(cases, changes, study._within_reach)
    return Answer(rows, f"What if in {place}", provenance=study._from(question, "what-if", changes=dict(changes)))


def marginal_effects(
    study: Setting,
    policy: str | Path | Policy = "limited-dataset",
    states: States = None,
    *,
    rules: str = DEFAULT_RULES,
) -> Answer[Any]:
    """Rank how much total risk would change if each state's list gained or lost one field, under one policy.

    Returns one row per state and change of a field, the largest effect first; expected people.

    >>> from policy_sim import Study
    >>> Study("us-2010", 2026).marginal_effects("county", "DE").to_frame()["state"].unique().tolist()
    ['DE']
    """
    from policy_sim.model.what_if import marginal_effects

    question = Question.of(policy, VOTER, states, rules=rules)
    rows = marginal_effects(study._cases(question, one_policy=True))
    return Answer(rows, "Effects of single fields", provenance=study._from(question, "what-if"))


def look_up_next(
    study: Setting,
    policy: str | Path | Policy = "limited-dataset",
    states: States = None,
    *,
    day: dt.date | str | None = None,
    months: int = MAX_AGE_MONTHS,
    rules: str = DEFAULT_RULES,
) -> Answer[Any]:
    """Rank the unknown, disputed and old facts of the lists by the number of people whose risk depends on them.

    A fact is old when its newest source is more than ``months`` older than ``day``, by default today. Returns one row
    per state and field, the most people first (:func:`~policy_sim.model.what_if.look_up_next`).

    >>> from policy_sim import Study
    >>> "people" in Study("us-2010", 2026).look_up_next("county", "OH", day="2026-12-01").to_frame()
    True
    """
    from policy_sim.model.what_if import look_up_next

    question = Question.of(policy, VOTER, states, rules=rules)
    cases = replace(study._cases(question, one_policy=True), attackers=[study.unrestricted_voter])
    today = dt.datetime.now(dt.UTC).date() if day is None else a_day("day", day)
    rows = look_up_next(cases, today, whole_number("months", months, 0, _MOST_MONTHS))
    return Answer(rows, "What to look up next", provenance=study._from(question, "look-up-next"))


def county_costs(
    study: Setting,
    state: str | State,
    policy: str | Path | Policy = "limited-dataset",
    county_price: Price | None = None,
) -> Answer[Any]:
    """Return the risk, price and cost of each county's list, for states where only counties sell.

    ``county_price``: the price of one county's list; by default from the list's file. Returns one row per county, the
    cheapest re-identifications first; US dollars.

    >>> from policy_sim import Study
    >>> price = Price("schedule", usd_per_county=50)
    >>> len(Study("us-2010", 2026).county_costs("DE", "county", price).to_frame())
    3
    """
    from policy_sim.model.money.budget import county_costs, unpriced_notes

    if county_price is not None and not isinstance(county_price, Price):
        raise InputError("county_price: give a Price, such as Price('schedule', usd_per_county=50).")
    question = Question.of(policy, VOTER, one_state(state))
    (place,) = question.states or ()
    rows = county_costs(study._cases(question, one_by_one=True, one_policy=True), county_price)
    return Answer(rows, f"Counties of {place}", provenance=study._from(question, "counties", unpriced_notes(rows)))


def listed_by_age(study: Setting, states: States = None, *, year: int | None = None) -> ListedAnswer:
    """Return who is on the voter lists by year of age, 18 to 119: residents, and records of people who left.

    >>> from policy_sim import Study
    >>> Study("us-2020").listed_by_age("DE").to_frame().iloc[0].to_dict()
    {'age': 18, 'people': 13038, 'listed': 5320, 'stale': 360, 'records': 5680}
    """
    return listed_by(study, "age", states, year=year)


def listed_by(study: Setting, by: str, states: States = None, *, year: int | None = None) -> ListedAnswer:
    """Return who is on the voter lists: residents, and records of people who moved away or died.

    Counted by the election offices, county by county, and not by a survey of people; the comparison of states takes the
    survey (``coverage``). What is assumed stands in the notes of the answer. ``by``: what has a row: ``age``,
    ``age-class``, ``county``, ``state``, or ``flag`` for the counties whose numbers are particular. ``year``: the
    election whose records are taken; by default the one nearest to the year of the lists.

    >>> from policy_sim import Study
    >>> Study("us-2020").listed_by("county", "DE").to_frame()["listed"].tolist()
    [133534, 411360, 193862]
    """
    from policy_sim.attackers.county_coverage import county_coverage
    from policy_sim.model.breakdown import LISTED_BY

    choice("table of listed people by", by, LISTED_BY)
    question = Question.of(None, VOTER, states)
    people = study.people if question.states is None else study.people.in_states(question.states)
    election = _election(study) if year is None else year
    coverage = county_coverage(people, election)
    origin = CoverageProvenance(
        (study,), question, "lists coverage", {"by": by, "year": election}, tuple(coverage.notes())
    )
    title = f"Who is on the voter lists by {by}"
    return ListedAnswer(LISTED_BY[by](coverage), title, coverage=coverage, provenance=origin)


def list_dates(
    study: Setting, states: States = None, *, day: dt.date | str | None = None, years_kept: float = KEPT
) -> Answer[Any]:
    """Return how many records of each list are the only ones with their date of birth, and how many dates few share.

    Birth cohorts are moved from the census to the list's day
    (:func:`~policy_sim.attackers.list_day.on_list_day`). Returns one row per state: ``records`` of its list; of them
    ``alone``, the only ones with their date of birth; ``dates``, dates of birth of 20 records or fewer; both expected,
    with the least and most over what is assumed of the list (``_low``, ``_high``), which are no intervals of chance.

    Parameters
    ----------
    states : Whose lists; by default those of all states whose records were counted.
    day : When the lists were taken; by default the day of the election whose records are taken.
    years_kept : Years for which the record of somebody who died stays on a list, from 0 to 20.

    >>> from policy_sim import Study
    >>> row = Study("us-2020").list_dates("DE").to_frame().iloc[0]
    >>> int(row["records"]), round(row["alone"]), round(row["dates"])
    (788441, 1111, 8228)
    """
    from policy_sim.model.measuring import part_of
    from policy_sim.records.list_counts import expected_range
    from policy_sim.words.fields import Granularities

    kept = number("years_kept", years_kept, 0, _MOST_YEARS)
    question = Question.of(None, VOTER, states)
    people, coverage = list_coverage(study, states, day, kept)
    named = question.states or tuple(state for state in people.states if coverage.knows(state))
    if unknown := [state for state in named if not coverage.knows(state)]:
        raise InputError(f"no records of voters were counted in {', '.join(unknown)}: leave it out.")
    rows = []
    for state in named:
        own = part_of(people, [state])
        key = Granularities(birth="date", geography="state")
        ends = expected_range(own, state, key, coverage, study.days_per_year)
        row: dict[str, Any] = {"state": state, "records": coverage.records(own)[state]}
        for name, place in (("alone", 0), ("dates", 2)):
            row |= {f"{name}{end}": each[place] for end, each in zip(("", "_low", "_high"), ends, strict=True)}
        rows.append(row)
    options = {"day": str(day) if day else None, "years_kept": kept}
    remarks = (f"records: {coverage.title}", *notes_on_day(people, coverage), RANGE_NOTE)
    origin = CoverageProvenance((study,), question, "lists dates", options, remarks)
    return Answer(_dates_frame(rows), "Dates of birth that few records of a list share", provenance=origin)


def _dates_frame(rows: list[dict[str, Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame(rows).astype({"state": "string", "records": "int64"})


def list_coverage(
    study: Setting, states: States, day: dt.date | str | None, years_kept: float = KEPT
) -> tuple[AnyPopulation, Coverage]:
    """Return the people of some states, and who of them is on the lists on a day."""
    cases = study._cases(Question.of("limited-dataset", VOTER, states))
    coverage = cases.attacker.coverage or load_coverage("registered", study.voter.voter_lists.newest_vintage)
    assert coverage is not None  # registered is never everyone
    when = None if day is None else a_day("day", day)
    census = cases.population.provenance.day
    if when is not None and census is not None and when < census:
        raise InputError(
            f"{ask('day', str(when))}: the people of {study.people.name} are those of {census}. Give a later day."
        )
    return cases.population, ListDayCoverage.at(coverage, when, years_kept)


def notes_on_day(people: AnyPopulation, coverage: Coverage) -> tuple[str, ...]:
    """Say how people are moved to the day of a list, where they are."""
    return (coverage.note_on(people),) if isinstance(coverage, ListDayCoverage) else ()


def published_coverage(study: Setting) -> tuple[PublishedTable, ...]:
    """Return who is on the lists of a study, by county and by age, as tables of the published lists."""
    from policy_sim.attackers.county_coverage import county_coverage
    from policy_sim.model import breakdown

    return breakdown.published_coverage(county_coverage(study.people, _election(study)), study.people.provenance)


def _election(study: Setting) -> int:
    """Return the election that is nearest to the year of the study's lists."""
    from policy_sim.voter_lists.registration import load_registration

    return load_registration().nearest(int(study.unrestricted_voter.voter_lists.newest_vintage[:4]))


class CoverageProvenance(AnswerProvenance):
    """Where an answer on listed people comes from: counts of records, and no attack."""

    @property
    def notes(self) -> list[str]:
        """The people, and what is counted and assumed, one line each."""
        return [f"population: {self.study.counted.provenance.describe(self.question.states or ())}", *self.remarks]

    @property
    def short_notes(self) -> list[str]:
        """Of :attr:`notes`, for below a table: what is counted and assumed, and last the people."""
        people, *others = self.notes
        return [*others, people]

    @property
    def figure_notes(self) -> list[str]:
        """The foot of a figure: a line with the sources, then :attr:`notes`."""
        from policy_sim.voter_lists.registration import load_registration

        people = self.study.counted.provenance.publisher
        return [f"source: {people}; {load_registration().publisher}; policy_sim {version('policy-sim')}", *self.notes]

    @property
    def inputs(self) -> dict[str, str]:
        """The sha256 of the people and of the counts of records."""
        paths = [*sorted((data_dir() / "registration").iterdir()), data_dir() / "registered_voters.toml"]
        files = {path.name: sha256_of(path) for path in paths}
        return {**self.study.counted.provenance.checksums(ethnicity=False), **files}


# Questions about what a state itself releases.


def own_release(study: Setting, state: str | State, g: GroupSizes | None = None) -> tuple[Policy, RiskProfile]:
    """Return what a state's own newest file shows, and its risk for an attacker who knows everyone.

    Returns the policy, with its terms as remarks, and the profile: expected people, and shares (0..1) of the state's
    people. The profile of a state without a recorded release has the status ``unknown`` and no figure.

    >>> from policy_sim import Study
    >>> policy, profile = Study("us-2010").own_release("NC", 1)
    >>> policy.title, round(profile.share("total-risk").low, 3)
    ('North Carolina, inpatient file of 2020', 0.316)
    """
    question = Question.of("release:newest", GENERAL.name, one_state(state), g)
    cases = study._cases(question)
    (profile,) = compare(cases).profiles
    ends = cases.policy.in_state(profile.state)
    return (cases.policy if ends is None else ends[1]), profile


class ListVerbs:
    """What a study says about voter lists, and about what a state itself releases."""

    list_changes = list_changes
    what_if = what_if
    marginal_effects = marginal_effects
    look_up_next = look_up_next
    county_costs = county_costs
    listed_by_age = listed_by_age
    listed_by = listed_by
    list_dates = list_dates
    own_release = own_release
