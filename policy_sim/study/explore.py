"""Which policies are better: a search over all of them, and release checks of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import GENERAL
from policy_sim.attackers.in_file import InFileLike
from policy_sim.model.measure import Measure
from policy_sim.people.names import small_prefixes
from policy_sim.people.places import has_place
from policy_sim.policies.policy import Policy
from policy_sim.study.question import DEFAULT_RULES, GroupSizes, Question, States
from policy_sim.study.setting import Setting
from policy_sim.words.arguments import name_of, several, switch
from policy_sim.words.errors import InputError
from policy_sim.words.fields import shows_ethnicity

if TYPE_CHECKING:
    from policy_sim.model.explore.axes import FieldWeights
    from policy_sim.rules.release_check import Checked
    from policy_sim.study.answers import Answer
    from policy_sim.study.exploration import ExplorationAnswer


def explore(
    study: Setting,
    states: States = None,
    than: str | Path | Policy = "safe-harbor",
    risk: str | Measure = "total_risk",
    g: GroupSizes | None = None,
    *,
    rules: str = DEFAULT_RULES,
    keep: str | Iterable[str] = (),
    weights: FieldWeights | str | Path | None = None,
    age_classes: bool = False,
    in_file: InFileLike = None,
) -> ExplorationAnswer:
    """Measure every policy and compare it with one.

    Parameters
    ----------
    states, g, in_file : As for :meth:`compare`.
    than : The policy to beat: more detail at no more risk.
    rules : The form of ``than``, as for :meth:`compare`. A population without ZIP codes of its own answers for
        those of ``than`` by the make-up of its counties; its lattice shows states and counties.
    risk : ``total_risk``, ``distinct_<g>``, or a Measure.
    keep : Fields that a policy must release at least this finely: ``"sex"``, ``"race=broad"``,
        ``"geography=county"``; policies that do not are left out.
    weights : The weight of a bit of information in each field, as weights or a TOML file; by default utility is the
        entropy of the release.
    age_classes : Also consider every division of ages, and finer dates of birth where many people live: for each
        choice of sex, race and place, find the best way to show ages, if it is better than ``than``.

    Returns
    -------
    One row per state and policy; ``baseline`` has the policy ``than``, and ``baseline_policy`` is it.

    Raises
    ------
    UnknownNameError : a state, policy or measure that is not known.
    InputError : a policy that the population cannot be measured under.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.explore("DE").baseline["state"].tolist()
    ['DE']
    """
    from policy_sim.model.explore.age_classes import free_age_rows
    from policy_sim.model.explore.axes import FieldWeights
    from policy_sim.model.explore.frontier import judged
    from policy_sim.model.explore.search import Needs, explore, lattice_of, measured_alone
    from policy_sim.records.mapping import load_field_weights
    from policy_sim.study.exploration import ExplorationAnswer, ExplorationProvenance

    if switch("age_classes", age_classes) and in_file is not None:
        raise InputError("free age classes need a release of everyone: leave out age classes, or the file.")
    needs = Needs.of(() if isinstance(keep, list | tuple) and not keep else several("keep", keep, str, "'sex'"))
    worth = weights
    if worth is not None and not isinstance(worth, FieldWeights):
        worth = load_field_weights(Path(name_of("weights", worth, "'weights.toml'")))
    question = Question.of(than, GENERAL.name, states, g, rules, in_file)
    baseline, measure = study._one_policy(question), _risk_measure(risk)
    sizes = question.g if measure.g is None or measure.g in question.g else (*question.g, measure.g)
    column = "total_risk" if measure.g is None else f"distinct_{measure.g}"
    small = small_prefixes(study.zip3, study.people.provenance.date) if has_place(study.people, "zip3") else None
    ethnicity = any(map(shows_ethnicity, (needs.releases, baseline.releases)))
    lattice = lattice_of(study.people, small, ethnicity=ethnicity)
    places = None if question.states is None else list(question.states)
    shared: dict[str, Any] = {"g": sizes, "days_per_year": study.days_per_year, "in_file": question.in_file}
    searched = explore(study.people, places, lattice=lattice, **shared)
    named = list(dict.fromkeys(searched.rows["state"]))
    beside = study.people_one_by_one(question)
    alone = measured_alone(beside, baseline, named, **shared)
    if worth is not None:
        searched = searched.weighted(study.people, worth, study.days_per_year)
        alone["utility_bits"] = worth.bits_of(beside, [baseline], named, study.days_per_year)[0]
    searched = searched.meeting(needs)
    many = len(searched.policies)
    if age_classes:
        free_age = free_age_rows(
            study.people,
            lattice,
            alone,
            risk=column,
            g=sizes,
            needs=needs,
            weights=worth,
            days_per_year=study.days_per_year,
        )
        searched = searched.with_rows(free_age)
    verdict = judged(searched, study.people, baseline, risk=column, alone=alone)
    options = {
        "risk": column,
        "than": baseline.name,
        "keep": str(needs.releases) if needs.any else None,
        "weights": None if worth is None else str(worth),
        "age_classes": age_classes,
    }
    origin = ExplorationProvenance((study,), question, "explore", options, (), many)
    held = {entry.name: getattr(verdict, entry.name) for entry in fields(verdict)}
    return ExplorationAnswer(**held, baseline_policy=baseline, all_rows=verdict.rows, provenance=origin)


def check_release(study: Setting, policy: str | Path | Policy, states: States = None) -> Answer[Checked]:
    """Return which cells and people every release check would withhold under a policy.

    Parameters
    ----------
    policy : One policy that shows the state or places inside it.
    states : As for :meth:`compare`.

    Returns
    -------
    One result per state and check; expected cells and people.

    Raises
    ------
    InputError : a policy that does not show the state; more than one policy.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.check_release("county", "DE").to_frame()["state"].unique().tolist()
    ['DE']
    """
    from policy_sim.rules.release_check import check_release, checked_frame, list_release_checks, load_release_check
    from policy_sim.study.answers import Answer

    question = Question.of(policy, GENERAL.name, states)
    chosen = study._one_policy(question)
    checks = [
        checked
        for name in list_release_checks()
        for checked in check_release(
            study.people, chosen, load_release_check(name), question.states, days_per_year=study.days_per_year
        )
    ]
    return Answer(checked_frame, "Release checks", tuple(checks), provenance=study._from(question, "policy check"))


def _risk_measure(risk: str | Measure) -> Measure:
    """Return the measure of a column of risk."""
    if isinstance(risk, str) and risk.startswith("distinct_"):
        return Measure.of(f"{risk.removeprefix('distinct_')}-distinct")
    return Measure.of("total-risk" if isinstance(risk, str) and risk == "total_risk" else risk)
