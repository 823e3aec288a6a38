"""The level of identifiability of a release, and its risks by the formulas of an edition that has levels.

Record risk is ``1 / f`` where an attacker knows who is in the file (case A) and ``1 / F`` where not (case B).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from policy_sim.records.profile import Threshold
from policy_sim.release.project import NOT_RUN, Assessment, Project
from policy_sim.release.run import Run
from policy_sim.release.targets import ReleaseRisk, recounted
from policy_sim.show.numbers import bare

_CASES = {"A": "file", "B": "population"}  # an attacker knows who is in the file, or does not
_FORMULAS = {"maximum": "R_b", "average": "R_c"}
_TARGETS = ("", "reversible", "irreversible", "anonymous")  # answers to target-level, in the order of the levels
_NOT_ENFORCED = "released records enforce no epsilon: it is for queries on the original file that are answered with it"


def identifiability(
    project: Project, run: Run, assessment: Assessment | None, *, people_known: bool
) -> dict[str, Any] | None:
    """Return the level before and after, the risks by formula, and epsilon; None for an edition without levels.

    ``people_known``: whether the people of the population with the released values are known.
    """
    levels = project.edition.levels
    if not levels:
        return None
    gate = _after(levels, run, assessment, with_key=True)
    keyless = _after(levels, run, assessment, with_key=False) if run.key is not None and run.verdict.is_met else None
    target = project.value("target-level")
    reached = levels.index(gate["level"]) >= _TARGETS.index(target) if target and gate["level"] else None
    return {
        "levels": list(levels),
        "before": _before(levels, run, assessment),
        "after": gate,
        "conditions": list(run.verdict.conditions) if run.verdict.is_met else [],
        "open_steps": [state.step.title for state in project.states if set(state.missing) - {NOT_RUN}],
        "steps": len(project.edition.steps),
        "without_key": keyless,
        "target": levels[_TARGETS.index(target)] if target else None,
        "reached": reached,
        "formulas": list(_formulas(run, assessment, people_known=people_known)),
        "epsilon": _epsilon(run, assessment),
    }


def _before(levels: tuple[str, ...], run: Run, assessment: Assessment | None) -> dict[str, Any]:
    """Return the level of the original file."""
    direct = [variable.name for variable in run.inputs.treatment.variables if variable.role == "direct"]
    if direct:
        return {"level": levels[0], "why": f"direct identifiers: {', '.join(direct)}"}
    keys = [variable.name for variable in run.inputs.treatment.variables if variable.role == "key"]
    return _by_risk(levels, keys, run.before, run, assessment)


def _after(levels: tuple[str, ...], run: Run, assessment: Assessment | None, *, with_key: bool) -> dict[str, Any]:
    """Return the level of the written file by the gates in their order: identifiers, a key, key fields, risk."""
    if run.verdict.report.findings:
        found = run.verdict.report.findings[0]
        return {"level": levels[0], "why": f"the attack on the written file found: {found}"}
    if not run.verdict.is_met:
        return {"level": None, "why": f"unknown: {run.verdict}"}
    against = run.verdict.report.against
    if direct := [name for name, guess in against.items() if guess.startswith("direct")]:
        why = f"unknown: by the program's guess an identifier, and on somebody's word not: {', '.join(direct)}"
        return {"level": None, "why": why}
    if with_key and run.key is not None:
        undone = "pseudonyms and shifted dates can be undone with the secret key"
        return {"level": levels[1], "why": f"{undone} of fingerprint {run.key.fingerprint}"}
    keys = [
        variable.name
        for variable in run.inputs.treatment.variables
        if variable.role == "key"
        and variable.treatment != "drop"
        and variable.name in run.written.names
        and set(run.written[variable.name].values) - {"*"}
    ]
    if not keys or not against:
        return _by_risk(levels, keys, run.after, run, assessment)
    risk = _with_guessed_keys(run, list(against))
    level = _by_risk(levels, [*keys, *against], risk, run, assessment, attacked=against)
    return level | {"why": f"{level['why']}; counted as key fields too, by the program's guess: {', '.join(against)}"}


def _with_guessed_keys(run: Run, names: list[str]) -> ReleaseRisk:
    """Return the risk of the written file where columns that somebody took for no key field are key fields too.

    Classes count the file: a population does not have these columns.
    """
    treatment = run.inputs.treatment
    fields = [*(variable.name for variable in treatment.searched), *names]
    whose = run.inputs.people[run.deidentified.rows] if treatment.person else None
    return recounted(run.written, fields, whose, known=treatment.known)


def _by_risk(
    levels: tuple[str, ...],
    keys: list[str],
    risk: ReleaseRisk,
    run: Run,
    assessment: Assessment | None,
    attacked: Collection[str] = (),
) -> dict[str, Any]:
    """Return the level of a file without identifiers and without a key: by its key fields, or else by its risk.

    ``attacked`` are columns of another role that the risk counts too.
    """
    others = [
        variable.name
        for variable in run.inputs.treatment.variables
        if variable.role in ("sensitive", "other") and variable.treatment != "drop" and variable.name not in attacked
    ]
    if not keys and others:
        return {"level": None, "why": f"unknown: someone classified every column as no key field: {', '.join(others)}"}
    if not keys:
        return {"level": levels[3], "why": "it shows no key field (indirect identifier)"}
    if assessment is None:
        return {"level": None, "why": "unknown: questions on the risk are open"}
    verdict = assessment.verdict(risk, run.inputs.treatment.known)
    if verdict["data_risk"] is None:
        return {"level": None, "why": f"unknown: {verdict['why']}"}
    named = ", ".join(others)
    aside = f"; only if others cannot know what someone classified as no key field: {named}" if others else ""
    return {"level": levels[3 if verdict["passes"] else 2], "why": verdict["why"] + aside}


def _formulas(run: Run, assessment: Assessment | None, *, people_known: bool) -> Iterator[dict[str, Any]]:
    """Yield each measure of the data, R_a, R_b and R_c, in each case: before, after, and after times the context."""
    limits = [] if assessment is None else [assessment.threshold]
    if assessment is not None and assessment.measure != "maximum":
        limits.append(Threshold.parse(assessment.cutoff))
    cutoff = Threshold.parse("0.33" if assessment is None else assessment.cutoff)
    measured = [risk.measures(cutoff) for risk in (run.before, run.after)]
    names = {"A": ("maximum", "average"), "B": ("population_maximum", "marketer")}
    for case, sizes in _CASES.items():
        if case == "B" and not (run.inputs.has_population and people_known):
            continue
        rows: list[tuple[str, str | None, list[float | None]]] = [
            ("R_a", limit.text, [risk.share_above(limit, sizes) for risk in (run.before, run.after)])
            for limit in limits
        ]
        rows += [
            (formula, None, [figures[name] for figures in measured])
            for formula, name in zip(_FORMULAS.values(), names[case], strict=True)
        ]
        for formula, tau, (before, after) in rows:
            overall = None if assessment is None or after is None else after * assessment.context
            yield {"formula": formula, "case": case, "tau": tau, "before": before, "after": after, "overall": overall}


def _epsilon(run: Run, assessment: Assessment | None) -> dict[str, Any]:
    """Return the largest epsilon of queries on the original file with which its smallest class meets the threshold."""
    if assessment is None:
        return {"largest": None, "why": "questions on the risk are open", "note": _NOT_ENFORCED}
    if not assessment.context:
        return {"largest": None, "why": "no attack is possible by the answers", "note": _NOT_ENFORCED}
    smallest = run.before.measures(Threshold.parse("0.33"))["population_smallest"]
    if smallest is None:
        return {"largest": None, "why": "the file has no record", "note": _NOT_ENFORCED}
    limit = min(assessment.threshold.risk / assessment.context, 1.0)
    largest = largest_epsilon(limit, int(smallest))
    whose = "people of the population" if run.inputs.has_population else "records of the file"
    why = f"fewest {whose} with the same values: {int(smallest):,}; threshold divided by context: {bare(limit, 4)}"
    if largest is None:
        why += "; without any answer the chance is already as large" if limit < 1 else ", which no epsilon exceeds"
    return {"largest": largest, "why": why, "note": _NOT_ENFORCED}


def largest_epsilon(limit: float, people: int) -> float | None:
    """Return the largest epsilon with which an attacker picks one of ``people`` at most with a chance.

    An answer that keeps ``epsilon`` changes the odds between any two of them by at most ``e**epsilon``, so that the
    chance of one is at most ``1 / (1 + (people - 1) * e**-epsilon)``.

    Parameters
    ----------
    limit : The largest acceptable chance (0..1).
    people : How many people the attacker cannot tell apart before, 1 or more.

    Returns
    -------
    ``log((people - 1) * limit / (1 - limit))``; None where the chance is above the limit without any answer, and where
    the limit is 1, which is never exceeded.

    Examples
    --------
    Twenty people and 0.5: the odds may grow from 1 to 19 up to 1 to 1.

    >>> round(largest_epsilon(0.5, 20), 4), round(math.log(19), 4), largest_epsilon(0.05, 10)
    (2.9444, 2.9444, None)

    References
    ----------
    Lee and Clifton (2011), How much is enough? Choosing epsilon for differential privacy, ISC 2011, LNCS 7001, with
    sensitivity equal to the largest difference.
    """
    if limit >= 1 or people * limit <= 1:
        return None
    return math.log((people - 1) * limit / (1 - limit))


def level_line(found: Mapping[str, Any]) -> str:
    """Say the level of the written file, and whether it is the one aimed at.

    >>> level_line({"after": {"level": None, "why": "unknown: not tested"}, "target": None, "without_key": None})
    'level: unknown: not tested'
    """
    after, keyless = found["after"], found["without_key"]
    parts = [f"level: {after['level']} ({after['why']})" if after["level"] else f"level: {after['why']}"]
    if keyless is not None and keyless["level"]:
        parts.append(f"once the key is destroyed: {keyless['level']} ({keyless['why']})")
    if after["level"]:
        parts += found.get("conditions", ())
    if left := found.get("open_steps"):
        steps = f"{len(left)} of {found['steps']} steps of the handbook are open"
        parts.append(f"{steps} ({', '.join(left)}): see release status")
    if found["target"]:
        word = {True: "is reached", False: "is not reached", None: "is unknown"}[found["reached"]]
        parts.append(f"the level aimed at, {found['target']}, {word}")
    return "; ".join(parts)
