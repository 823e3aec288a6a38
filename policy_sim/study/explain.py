"""How far to trust a figure: where it comes from, what each assumption is worth, what a simulation counts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.attackers import VOTER, Attacker
from policy_sim.attackers.attacker import ATTACKERS
from policy_sim.attackers.in_file import InFileLike, without_places
from policy_sim.model.measure import MOST_G, PRECISION, TOTAL_RISK, Shown
from policy_sim.model.profile import RiskProfile
from policy_sim.policies.files import RULES, in_other_form
from policy_sim.policies.policy import Policy
from policy_sim.study.provenance import AnswerProvenance
from policy_sim.study.question import (
    DEFAULT_RULES,
    POLICIES,
    Attackers,
    GroupSizes,
    Policies,
    Question,
    Setting,
    States,
)
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.list_field import LINKED_FIELDS
from policy_sim.words.arguments import day, number, one_state, whole_number
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field
from policy_sim.words.states import State

if TYPE_CHECKING:
    from policy_sim.model.cases import Case
    from policy_sim.model.explanation import GroupCounts, WorkedGroup
    from policy_sim.model.sensitivity import Form
    from policy_sim.model.simulation.linking import Attack
    from policy_sim.study.answers import Answer, SensitivityAnswer


def sensitivity(
    study: Setting,
    states: States = None,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    tell: Callable[[int], None] | None = None,
) -> SensitivityAnswer:
    """Change one assumption at a time, and rank how much each figure changes.

    Among the assumptions are the form of the rules, who is on the list, and how many are in the file. ``tell`` is
    called with the number of assumptions changed so far. Returns one row per state, figure and assumption that changes
    it, the largest first; shares (0..1) of the state's people, or of those in the file.

    >>> from policy_sim import Study
    >>> rows = Study("us-2010", 2026).sensitivity("DE", "county", "general", 1, rules="paper").to_frame()
    >>> set(rows["state"])
    {'DE'}
    """
    from policy_sim.model import sensitivity as model
    from policy_sim.study.answers import SensitivityAnswer

    if tell is not None and not callable(tell):
        raise InputError("tell: give a function that takes the number of assumptions changed.")
    question = Question.of(policies, attackers, states, g, rules, in_file)
    without_places(question.in_file, "the sensitivity of a figure")
    cases = study._cases(question)
    assumptions = model.load_assumptions(cases.population, cases.attackers, _other_form(study, question))
    swings = model.sensitivity(cases, assumptions, tell)
    return SensitivityAnswer(model.Swing.table, "Sensitivity", swings, provenance=study._from(question, "sensitivity"))


def _other_form(study: Setting, question: Question) -> Form | None:
    """The question's policies in the other form of the rules; None where none of them has two."""
    from policy_sim.model.sensitivity import Form

    rules = "paper" if question.rules == "regulation" else "regulation"
    names = tuple(
        policy if isinstance(policy, Policy) else in_other_form(policy, question.rules) for policy in question.policies
    )
    if names == question.policies:
        return None
    other = replace(question, policies=names, rules=rules)
    return Form(f"rules-{rules}", RULES[rules], study.people_for(other), study._policies(other))


# The question of where one figure comes from.


_CHANGES = 5  # of the assumptions, those that move the figure most
_SHOWN = (*LINKED_FIELDS, "price", "buyers")
_DAYS_A_YEAR = 365.25


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """Where a figure comes from: key, groups, the arithmetic for one group, inputs, and what would change it.

    ``linked``: for each field, what the release shows, what the attacker has, and what both have. ``counts`` and
    ``worked``: the groups of the key, and one of them; None where there is no figure. ``inputs``: each with its value,
    source, date and age in years. ``changes``: what changes the figure most, as shares (0..1), or ``no_changes`` why.

    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.explain("DE", "county", "general", on="2026-12-01").profile.state
    'DE'
    """

    profile: RiskProfile
    linked: tuple[Mapping[str, str], ...]
    counts: GroupCounts | None
    worked: WorkedGroup | None
    inputs: tuple[Mapping[str, Any], ...]
    changes: tuple[Mapping[str, Any], ...]
    no_changes: str = ""
    provenance: AnswerProvenance = field(kw_only=True, compare=False)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per input: ``item``, ``value``, ``source``, ``date``, ``age_years``, ``confidence``."""
        return pd.DataFrame(self.inputs)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as texts, numbers, lists and mappings, as the JSON of the command; shares are 0..1."""
        profile, worked = self.profile, self.worked
        figures = {
            str(measure): {"people": [people.low, people.high], "share": [share.low, share.high]}
            for measure, (people, *_) in profile.figures.items()
            for share in [people.per(profile.records)]
        }
        precision = profile.share(PRECISION)
        return {
            "state": profile.state,
            "policy": profile.policy,
            "attacker": profile.attacker,
            "population": profile.population,
            "linkage_key": profile.linkage_key,
            "status": str(profile.status),
            "reason": profile.reason,
            "people": profile.inhabitants,
            "in_file": profile.in_file,
            "figures": figures,
            "precision": None if precision is None else [precision.low, precision.high],
            "linked": [dict(row) for row in self.linked],
            "groups": None if self.counts is None else asdict(self.counts),
            "worked": None if worked is None else _worked(worked),
            "inputs": [dict(row) for row in self.inputs],
            "changes": [dict(row) for row in self.changes],
            "no_changes": self.no_changes,
            "notes": self.provenance.notes,
        }

    def html(self) -> str:
        """Return the explanation as one page of HTML."""
        from policy_sim.show.document import document_bytes
        from policy_sim.show.explanation_document import explanation_document

        return document_bytes(explanation_document(self.to_dict()), "html").decode()

    def text(self) -> str:
        """Return the explanation as text."""
        from policy_sim.show.document.markup import text_document
        from policy_sim.show.explanation_document import explanation_document

        return text_document(explanation_document(self.to_dict()))


def _worked(group: WorkedGroup) -> dict[str, Any]:
    """Return the group whose arithmetic is shown, as texts and numbers."""
    of_part = ("county", "people", "share", "linked", "stale", "classes")
    parts = [{name: getattr(part, name) for name in of_part} for part in group.parts]
    figures = ("linked", "stale", "trials", "correct", "alone", "released")
    counted = {"parts": parts, "people": group.people, "values": group.bins}
    return {"shown": dict(group.values), **counted, **{name: getattr(group, name) for name in figures}}


def explain(
    study: Setting,
    state: str | State,
    policy: str | Path | Policy = "limited-dataset",
    attacker: str | Attacker = VOTER,
    *,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    on: dt.date | str | None = None,
) -> Explanation:
    """Explain one figure: key, groups, the arithmetic for one group, inputs, and what would change it.

    ``on``: count the age of each fact to this date; today by default. Where a field of the list is unknown, the groups
    are those with the field released.

    >>> from policy_sim import Study
    >>> found = Study("us-2010", 2026).explain("OH", rules="paper")
    >>> found.profile.linkage_key, found.counts.groups, found.worked.values["county"]
    ('birth=date+geography=county', 7355, '39093')
    """
    from policy_sim.attackers.coverage import listed_shares
    from policy_sim.model.compare import compare
    from policy_sim.model.explanation import explain_groups

    question = Question.of(policy, attacker, one_state(state), None, rules, in_file)
    without_places(question.in_file, "an explanation")
    if len(question.policies) != 1 or len(question.attackers) != 1:
        raise InputError("one figure is explained at a time: give one policy and one attacker.")
    (place,), cases = question.states or (), study._cases(question)
    cases = replace(cases, attackers=cases.attackers[-1:])
    who, people = cases.attacker, cases.population
    profile = compare(cases).profiles[0]
    (case,) = cases
    counts, worked = None, None
    if case.keys:
        key = case.keys[-1]
        listing = None if key[2] is None else key[2].listing(people)
        share = float(listed_shares(people, key[2], [place])[0])
        in_file = None if question.in_file is None else profile.in_file
        listed = share if listing is None else listing
        counts, worked = explain_groups(people, place, key, listed, in_file, days_per_year=study.days_per_year)
    origin = study._from(question, "explain")
    today = dt.date.today() if on is None else day("on", on)
    changes, why_not = _changes(study, question, who, profile)
    inputs = tuple(_inputs(study, question, who, place, today))
    rows = tuple(_linked(case, who, place))
    return Explanation(profile, rows, counts, worked, inputs, changes, why_not, provenance=origin)


def _changes(
    study: Setting, question: Question, who: Attacker, profile: RiskProfile
) -> tuple[tuple[Mapping[str, Any], ...], str]:
    """Return what changes total risk most, or why that is unknown."""
    if profile.people(TOTAL_RISK) is None:
        return (), "there is no figure to change"
    try:
        swings = sensitivity(
            study, profile.state, question.policies, who, rules=question.rules, in_file=question.in_file
        )
    except InputError as error:
        return (), str(error)
    largest = [swing for swing in swings if swing.measure == TOTAL_RISK][:_CHANGES]
    rows = tuple({"title": swing.title, "share": swing.base, "low": swing.low, "high": swing.high} for swing in largest)
    return rows, "" if rows else "none of the tested assumptions changes it"


def _inputs(
    study: Setting, question: Question, who: Attacker, state: str, today: dt.date
) -> Iterator[Mapping[str, Any]]:
    """Return each input: the people, the policy, the attacker's list."""
    people = study.counted.provenance
    yield _input("people", f"{people.name}: {people.title}", people.publisher, people.date, today)
    (policy,) = question.loaded
    yield _input("policy", policy.title, policy.citation, "", today)
    if who.coverage is not None:
        yield _input("who is listed", who.coverage.title, "", "", today)
    if not who.holds_voter_lists:
        yield _input("attacker", who.resource.describe(), "", who.vintage_in(state), today)
        return
    listed = who.voter_list(state)
    for fact in facts_of(listed):
        if fact.item in _SHOWN:
            titles = "; ".join(listed.sources[name].title for name in fact.sources)
            value = f"{fact.value} ({fact.note})" if fact.note else fact.value
            yield _input(f"list: {fact.item}", value, titles, fact.date, today, fact.confidence)


def _input(item: str, value: str, source: str, date: str, today: dt.date, confidence: str = "") -> Mapping[str, Any]:
    dated = {"date": date, "age_years": _age(date, today), "confidence": confidence}
    return {"item": item, "value": value, "source": source, **dated}


def _age(date: str, today: dt.date) -> float | None:
    """Return the years since a date such as ``2017``, ``2017-07`` or ``2017-07-05``; None where it has none."""
    parts = date.split("-")
    if not all(part.isdecimal() for part in parts):
        return None
    year, month, last = (int(part) for part in [*parts, *("7", "1")[len(parts) - 1 :]][:3])
    try:
        return round(max((today - dt.date(year, month, last)).days, 0) / _DAYS_A_YEAR, 1)
    except ValueError:
        return None


def _linked(case: Case, who: Attacker, state: str) -> Iterator[Mapping[str, str]]:
    """Return for each field what the release shows, what the attacker has, and what both have."""
    views = who.resource.held(state).views
    for name in Field:
        granularities = {case.policy.releases[name], *(view[name] for view in views)}
        if name is Field.ETHNICITY and granularities == {"none"}:
            continue  # most files have none, or have it as an answer to race
        released = case.policy.releases[name]
        seen = " or ".join(dict.fromkeys(view[name] for view in views)) or "-"
        held = seen if who.holds_file else "everything released"
        ends = dict.fromkeys(view[name] for view in (case.linkage.low, case.linkage.high) if view is not None)
        yield {"field": name.value, "released": released, "held": held, "linked": " or ".join(ends) or "-"}


# Synthetic people of a state, and an attack on them in place of the formulas.


_MOST_RUNS = 100_000
_MOST_SEED = 2**63 - 1
_OLDEST_AGE = 125  # nobody is made older than this; dates begin with the year 1


def simulate(
    study: Setting,
    state: str | State,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    *,
    runs: int = 20,
    release: float = 1.0,
    seed: int = 1,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    tell: Callable[[int], None] | None = None,
) -> Answer[Attack]:
    """Check the formulas by simulation in one state.

    Creates synthetic people, links them at random within matching groups, and counts correct links. ``runs``: the
    number of simulated attacks, 2 or more. ``release``: share of the people who are in the release, above 0 and up to
    1. The same ``seed`` gives the same people and links. ``tell`` is called after each run with its number. Returns one
    attack per policy, attacker, key and measure.

    >>> from policy_sim import Study
    >>> attacks = Study("us-2010", 2026).simulate("DE", "county", "general", runs=2)
    >>> attacks.to_frame()["state"].unique().tolist()
    ['DE']
    """
    from policy_sim.model.simulation.linking import Attack, simulate
    from policy_sim.study.answers import Answer

    question = Question.of(policies, attackers, one_state(state), rules=rules, in_file=in_file)
    chosen: dict[str, Any] = {
        "runs": whole_number("runs", runs, 2, _MOST_RUNS),
        "release": number("release", release, 0, 1, above=True),
        "seed": whole_number("seed", seed, 0, _MOST_SEED),
    }
    if tell is not None and not callable(tell):
        raise InputError("tell: give a function that takes the number of a run.")
    attacks = simulate(study._cases(question, one_by_one=True), **chosen, tell=tell)
    return Answer(Attack.table, "Simulated attacks", attacks, provenance=study._from(question, "simulate", **chosen))


def synthesize(
    study: Setting,
    state: str | State,
    *,
    people: int | None = None,
    seed: int = 1,
    census_day: dt.date | str | None = None,
) -> pd.DataFrame:
    """Return synthetic people of one state, one row per person: ``people`` of them drawn at random, or everyone.

    The same ``seed`` gives the same people. Everyone has their census age on ``census_day``, by default that of the
    population.

    >>> from policy_sim import Study
    >>> len(Study("us-2010", 2026).synthesize("DE", people=5, seed=1))
    5
    """
    import numpy as np

    from policy_sim.model.simulation.people import synthesize

    place = one_state(state)
    many = None if people is None else whole_number("people", people, 1, MOST_G)
    rng = np.random.default_rng(whole_number("seed", seed, 0, _MOST_SEED))
    moment = study.people.provenance.day if census_day is None else day("census_day", census_day)
    if moment is None:
        raise InputError(f"population {study.people.name} has no census date. Give one, such as 2020-04-01.")
    if moment.year <= _OLDEST_AGE:
        raise InputError(f"census day {moment}: the oldest people would be born before the year 1; give a later day.")
    population = study.people.in_states([place])
    return synthesize(population, rng, moment, people=many, days_per_year=study.days_per_year)


class CheckVerbs:
    """How a study says how far to trust a figure."""

    sensitivity = sensitivity
    explain = explain
    simulate = simulate
    synthesize = synthesize
