"""Everything a run found, as plain values: what ``release.json`` holds and the dossier is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from policy_sim.files.writing import sha256_of
from policy_sim.policies.policy import AREA_RULE
from policy_sim.records.census_values import RACE_FIELDS
from policy_sim.records.formats import CodedTable, column_values
from policy_sim.records.profile import Threshold
from policy_sim.records.race_texts import race_text
from policy_sim.records.vocabularies import is_mark
from policy_sim.release.area_levels import shown_areas
from policy_sim.release.conditions import sensitive_risk
from policy_sim.release.identifiability import identifiability
from policy_sim.release.linkable import people_figures, people_text
from policy_sim.release.near_home import near_home, near_home_text
from policy_sim.release.people import county_codes, linkage_of
from policy_sim.release.project import Look, Project
from policy_sim.release.run import Run
from policy_sim.release.search import LOSSES, weights_text
from policy_sim.release.spread import risk_spread
from policy_sim.release.targets import class_of_rows
from policy_sim.release.total_rows import bare_rows_note
from policy_sim.release.treatments import DATE_KINDS, UNDECIDED, Variable
from policy_sim.release.use import (
    UserAnalysis,
    bits_and_classes,
    distance_of,
    entropy_loss,
    missingness,
    model_scores,
    moved_pairs,
)
from policy_sim.release.very_sensitive import sensitive_text, very_sensitive
from policy_sim.show.theme import policy_title
from policy_sim.words.errors import PolicySimError
from policy_sim.words.fields import Field, is_area

_NUMBERS = ("number", "age", "year")
# The figures of risk before and after, as a dossier calls them.
RISKS = {
    "records": "records (people)",
    "rows": "rows",
    "classes": "classes of the key fields",
    "smallest": "smallest class",
    "uniques": "records alone in their class",
    "maximum": "largest risk of a record",
    "average": "mean risk",
    "strict_average": "strict mean risk",
    "population_smallest": "smallest class in the population",
    "population_maximum": "largest risk among the population",
    "marketer": "marketer risk",
    "percentile_95": "95th percentile of the records' risks",
    "population_percentile_95": "the same among the population",
}
AMONG_PEOPLE = ("population_smallest", "population_maximum", "marketer", "population_percentile_95")
_ENOUGH_FOR_A_MEAN = 11
_SENTENCE = 4  # blanks in a text that may be one


def figures_of(project: Project, run: Run, project_text: str, output: Path) -> dict[str, Any]:
    """Return the figures of a run."""
    inputs, cutoff = run.inputs, Threshold.parse(project.value("cutoff") or "0.33")
    warned = _warned_of(project, run)
    return {
        "program": f"policy-sim {version('policy-sim')}",
        "title": project.title,
        "about": {name: text for name, text in vars(project.about).items() if text},
        "edition": {name: getattr(project.edition, name) for name in ("name", "title", "citation", "read", "also")},
        "input": _file(inputs.path, inputs.table),
        "output": _file(output, run.written),
        "sources": dict(inputs.sources),
        "population": inputs.population_title,
        "key": None if run.key is None else {"file": project.settings.key_file, "fingerprint": run.key.fingerprint},
        "answers": _answers(project),
        "variables": variables_of(project, run),
        "aim": aim_of(project, run),
        "areas": _shown_areas(project, run),
        "claim": run.claim.as_json(),
        **run.verdict.as_json(),
        "assessment": _assessment(project, run),
        "identifiability": _identifiability(project, run),
        "before": run.before.measures(cutoff),
        "after": run.after.measures(cutoff) | (dict.fromkeys(AMONG_PEOPLE) if people_unknown(run) else {}),
        "people": people_of(run),
        "spread": risk_spread(run),
        "search": search_of(project, run),
        "utility": _utility(run),
        "sensitive": _sensitive(run),
        **warned,
        "linkage": _linkage(project, run, output),
        "analyses": _analyses(project, run),
        "notes": [*_notes(run), *_warnings(project, warned)],
        "project": project_text,
    }


def _file(path: Path, table: CodedTable) -> dict[str, Any]:
    return {"name": path.name, "sha256": sha256_of(path), "rows": table.rows, "columns": len(table.names)}


def _answers(project: Project) -> list[dict[str, str]]:
    rows = []
    for question in project.edition.asked(project.answers):
        answer = project.answers.get(question.id)
        value = answer.value if answer else question.usual
        rows.append(
            {
                "question": question.id,
                "step": question.step,
                "asks": question.asks,
                "answer": value or "not answered",
                "meaning": question.choices.get(value, ""),
                "by": answer.by if answer else "",
                "on": answer.on.isoformat() if answer and answer.on else "",
                "evidence": answer.evidence if answer else ("the usual answer" if value else ""),
                "earlier": "; ".join(answer.earlier) if answer else "",
                "citation": question.citation,
            }
        )
    return rows


# Levels that a reader does not know by their names.
NOTHING_SHOWN = "not shown: every value is *"
_LEVEL_WORDS = {
    "generalized to value": "unchanged",
    "generalized to day": "unchanged",
    "generalized to nothing": NOTHING_SHOWN,
}
_RESPELLED = {
    "unchanged": "every value, each in one spelling",
    "released as the file has it": "every value is released, each in one spelling",
}


def variables_of(project: Project, run: Run) -> list[dict[str, str]]:
    """Return one row per column of the file: its role, what is done to it, why, and why it is in the release."""
    generalization = run.deidentified.generalization
    levels = generalization.levels() if generalization else {}
    mixed = generalization.at_several_levels if generalization else ()
    says = run.inputs.conformity.says if run.inputs.conformity else {}
    decided_by = {name.casefold(): who for name, who in project.classified.items()}
    rows = []
    for variable in run.inputs.treatment.variables:
        level = levels.get(variable.name, "")
        to_level = f"generalized {'by row ' if variable.name in mixed else ''}to {level}"
        wording = {"generalize": to_level, "keep": "unchanged", "drop": "dropped"}
        wording |= {
            "pseudonym": "keyed pseudonym",
            "shift": f"dates shifted by person, by up to {run.inputs.treatment.shift_days} days",
        }
        wording |= {"drop": f"left out: {variable.reason}"} if variable.role == UNDECIDED else {}
        text = (says.get(variable.name) if variable.role != UNDECIDED else "") or wording[variable.treatment]
        text = _LEVEL_WORDS.get(text, text)
        if variable.name in run.inputs.respelled:
            text = _RESPELLED.get(text.partition(",")[0], text) + "".join(text.partition(",")[1:])
        if variable.treatment in ("keep", "generalize") and text != NOTHING_SHOWN:
            text += _codes_words(variable, run)
        rows.append(
            {
                "name": variable.name,
                "standing": _standing(variable, run),
                "role": variable.role,
                "kind": variable.kind,
                "done": text + _oldest_words(variable, run),
                "reason": variable.reason,
                "by": decided_by.get(variable.name.casefold(), ""),
                "group": project.looks.get(variable.name, Look()).group,
                "doubt": project.looks.get(variable.name, Look()).doubt,
                "looks": ", ".join(column_values(variable.name, run.inputs.table[variable.name]).shapes),
            }
        )
    return rows


def _codes_words(variable: Variable, run: Run) -> str:
    """Say how many codes of a race stay beside the words for it, because nobody said what they mean."""
    if variable.kind not in RACE_FIELDS:
        return ""
    codes = dict(variable.codes)
    texts = [text for text in run.inputs.table[variable.name].values if text not in codes and not is_mark(text)]
    number = sum(race_text(text) is None for text in texts)
    if not number or number == len(texts):
        return ""
    several = "codes without a meaning stay as they are, and may say" if number > 1 else ""
    one = "code without a meaning stays as it is, and may say"
    return f"; {number:,} {several or one} what another value says"


def _oldest_words(variable: Variable, run: Run) -> str:
    """Say what a class such as ``1936 or before`` is, where a column has it; the rule for the oldest makes it."""
    if variable.kind not in (*DATE_KINDS, "year") or variable.name not in run.written.names:
        return ""
    column = run.written[variable.name]
    last = [text for text in column.values if text.endswith((" or before", " or less"))]
    is_of_rule = run.inputs.treatment.oldest_year is not None or variable.bottom is not None
    return f"; {last[0]!r} is one class, so that no age of 90 and over shows" if last and is_of_rule else ""


def _standing(variable: Variable, run: Run) -> str:
    """Say why a column is in the release: ``rule``, ``target``, ``person``; or ``left out``."""
    if variable.treatment == "drop":
        return "left out"
    if run.inputs.conformity is None:
        return "target" if variable.treatment == "generalize" else "person"
    return "rule" if variable.name in run.inputs.covered else "person"


def aim_of(project: Project, run: Run) -> str:
    """Say what the release has to meet."""
    if run.inputs.conformity is not None:
        is_shown = shown_areas(run.inputs.treatment.variables) is not None
        return f"conform to {project.target.policy}" + ("; it shows areas and is not Safe Harbor" * is_shown)
    target = run.inputs.treatment.target
    return target.describe() if target else "the levels that the variables allow"


def _shown_areas(project: Project, run: Run) -> dict[str, Any] | None:
    """Return which areas a release may show, and the rule that it is under then; None where it shows none."""
    areas = shown_areas(run.inputs.treatment.variables)
    if areas is None:
        return None
    name = areas.name if areas.is_shipped else areas.path.name
    facts = {"name": name, "title": areas.title, "shipped": areas.is_shipped, "sha256": areas.checksum}
    return facts | {"least_people": project.settings.least_people, "rule": AREA_RULE}


def _assessment(project: Project, run: Run) -> dict[str, Any] | None:
    """Return threshold, attacks and verdicts; None where the questions are not answered."""
    try:
        assessment = project.assessment
    except PolicySimError:
        return None
    known = run.inputs.treatment.known
    return {
        "model": assessment.model,
        "invasion": assessment.invasion,
        "threshold": assessment.threshold.text,
        "class": assessment.threshold.k,
        "measure": assessment.measure,
        "sizes": assessment.sizes,
        "raised_from": project.raised_from,
        "needs": replace(assessment.target, known=known).describe(),
        "context": assessment.context,
        "attacks": [vars(attack) for attack in assessment.attacks],
        "before": assessment.verdict(run.before, known),
        "after": assessment.verdict(run.after, known),
    }


def _identifiability(project: Project, run: Run) -> dict[str, Any] | None:
    """Return the level of the release and its risks by the formulas of the edition, if it has levels."""
    try:
        assessment = project.assessment
    except PolicySimError:
        assessment = None
    return identifiability(project, run, assessment, people_known=not people_unknown(run))


def _after_advice(run: Run) -> dict[str, Any]:
    """Return what the release loses where a reader brings the values of each field to one level."""
    generalization = run.deidentified.generalization
    if generalization is None or not generalization.at_several_levels:
        return {"advice_loss": None, "advice_levels": {}}
    levels, loss = generalization.brought_to_one_level(run.inputs.table.take(run.deidentified.drawn))
    mixed = generalization.at_several_levels
    return {"advice_loss": loss, "advice_levels": {name: levels[name] for name in mixed}}


def search_of(project: Project, run: Run) -> dict[str, Any] | None:
    """Return what the search chose, and what that loses; None where nothing was searched."""
    result, generalization = run.deidentified.search, run.deidentified.generalization
    if result is None or generalization is None:
        return None
    fields, rows = [ladder.field for ladder in generalization.ladders], run.deidentified.rows
    drawn, losses = run.deidentified.drawn, run.deidentified.losses
    kept_bits, classes = bits_and_classes(run.inputs.table.take(drawn), run.written, rows[drawn], fields)
    return {
        "loss": losses["loss"],
        "kept": kept_bits,
        "discernibility": classes,
        "objective": result.loss,
        "objective_is": _objective_text(run.inputs.treatment.loss, run.inputs.treatment.keep),
        "recoding": "local" if generalization.is_local else "one-level",
        **{name: losses[name] for name in ("file_loss", "one_level_loss", "local_loss", "weighted_loss")},
        **_after_advice(run),
        "uniform": project.edition.uniform,
        "levels": dict(generalization.levels()),
        "rows_by_level": {
            ladder.field: generalization.rows_by_level(at) for at, ladder in enumerate(generalization.ladders)
        },
        "ladders": _ladders(run),
        "at_several_levels": list(generalization.at_several_levels),
        "suppressed": int(run.deidentified.drawn.sum() - run.deidentified.rows.sum()),
        "blanked": generalization.rows_with_blanks,
        "drawn": int(run.deidentified.drawn.sum()),
        "limit": run.inputs.treatment.limit,
        "nodes": result.nodes,
        "measured": result.measured,
        "optimal": result.optimal,
    }


def _ladders(run: Run) -> dict[str, str]:
    """Say of each key field whether its values have an order, its levels from fine to coarse, and what they rest on."""
    generalization, ladders = run.deidentified.generalization, {}
    rests_on = {variable.name: variable.ladder_is for variable in run.inputs.treatment.searched}
    for ladder in generalization.ladders if generalization else ():
        order = "ordered" if ladder.ordered else "no order"
        reason = f" ({why})" if (why := rests_on.get(ladder.field, "")) else ""
        ladders[ladder.field] = f"{order}: {', '.join(ladder.names)}{reason}"
    return ladders


def _objective_text(loss: str, keep: Mapping[str, float]) -> str:
    weighed = f" (it counts {weights_text(keep)})" if keep else ""
    return LOSSES.get(loss, f"the change of the analysis {loss}, of the nodes with the least geometric loss") + weighed


def _linkage(project: Project, run: Run, output: Path) -> dict[str, Any] | None:
    """Link the file with the census where every row of a field is at one level, as a linkage key needs it."""
    generalization = run.deidentified.generalization
    if generalization is None:
        return None
    if generalization.is_local and project.population.source == "census":
        note = 'not linked: rows are at several levels. With recoding = "one-level" the program links the file'
        return {"rows": [], "left_out": [], "notes": [note]}
    inputs = run.inputs
    counties = county_codes(project, inputs.treatment.variables, inputs.table)
    return linkage_of(project, inputs.treatment.searched, generalization.levels(), output, counties=counties)


def _utility(run: Run) -> dict[str, Any]:
    table, rows, written = run.inputs.table, run.deidentified.rows, run.written
    variables = run.inputs.treatment.variables
    fields = [variable.name for variable in variables if variable.role == "key"]
    generalization = run.deidentified.generalization
    seen = generalization.without_blanks(written) if generalization else written
    pairs = moved_pairs(table, seen, rows, [variable.name for variable in run.inputs.treatment.searched])
    moved = {pair["one"]: pair["distance"] for pair in pairs if pair["one"] == pair["other"]}
    distances = []
    for variable in variables:
        if variable.treatment in ("pseudonym", "shift") or variable.name not in written.names:
            continue
        name, distance, means = variable.name, moved.get(variable.name), None
        if not variable.is_searched:
            distance, means = distance_of(table[name], written[name])
        row = {"field": name, "kind": "shares" if means is None else "numbers", "distance": distance}
        if table.rows - table[name].missing < _ENOUGH_FOR_A_MEAN:  # the mean of few values tells them
            means = None
        before, after = means or (None, None)
        distances.append(row | {"mean_before": before, "mean_after": after})
    return {
        "entropy_loss": entropy_loss(table.take(rows), seen, fields) if fields else None,
        "missingness": missingness(table, seen, rows, fields) if fields else None,
        "distances": distances,
        "pairs": pairs,
    }


def _sensitive(run: Run) -> list[dict[str, Any]]:
    group, _ = class_of_rows(run.written, [variable.name for variable in run.inputs.treatment.searched])
    ladders = run.inputs.treatment.hierarchies(run.inputs.table)
    whose = run.inputs.people[run.deidentified.rows] if run.inputs.treatment.person else None
    if run.after.known is not None and whose is not None and run.inputs.treatment.known == "all":
        group = run.after.known.group[np.unique(whose, return_inverse=True)[1]]
    rows = []
    for variable in run.inputs.treatment.variables:
        name = variable.name
        if variable.role == "sensitive" and name in run.written.names:
            ordered, ladder = variable.kind in _NUMBERS, ladders.get(name)
            risk = sensitive_risk(name, run.written[name], group, ordered=ordered, whose=whose, ladder=ladder)
            rows += [risk] if risk else []
    return rows


def _warned_of(project: Project, run: Run) -> dict[str, Any]:
    """Return the very sensitive kinds that are released, and the columns that tell about where people live."""
    variables, own = run.inputs.treatment.variables, run.inputs.table.take(run.deidentified.rows)
    kinds = very_sensitive(own, run.written, variables, project.file.day)
    return {"very_sensitive": kinds, "near_home": near_home(run.written, variables)}


def _warnings(project: Project, warned: Mapping[str, Any]) -> list[str]:
    answer = project.answers.get("invasion")
    texts = (
        sensitive_text(warned["very_sensitive"], answer.value if answer else ""),
        near_home_text(warned["near_home"]),
    )
    return [text for text in texts if text]


def _analyses(project: Project, run: Run) -> list[dict[str, Any]]:
    levels = run.deidentified.generalization
    labels = {name: levels.labels(name) for name in levels.levels()} if levels else {}
    mixed = levels.at_several_levels if levels else ()
    rows: list[dict[str, Any]] = []
    for analysis in project.analyses:
        named = {"analysis": analysis.name, "statistic": analysis.statistic}
        if analysis.statistic == "model":
            rows.append(named | _model(analysis, run))
            continue
        used = [name for name in (*analysis.by, analysis.of) if name in mixed]
        if used:  # values at one level and at another are not the same groups
            reason = f"rows are at several levels of {', '.join(used)}"
            rows.append({**named, "group": "all", "before": None, "after": None, "reason": reason})
            continue
        for group, before, after in analysis.rows(run.inputs.table, run.written, labels):
            by = ", ".join(f"{name}={text or 'missing'}" for name, text in zip(analysis.by, group, strict=True))
            rows.append({**named, "group": by or "all", "before": before, "after": after, "reason": ""})
    return rows


def _model(analysis: UserAnalysis, run: Run) -> dict[str, Any]:
    """Return what models of a declared outcome reach, trained on the file and on its release."""
    fields = analysis.by or [variable.name for variable in run.inputs.treatment.searched]
    table, rows = run.inputs.table, run.deidentified.rows
    analysis.check_released(table, run.written, [*fields, analysis.of])
    before, after, reason = model_scores(analysis, table, run.written, rows, fields)
    group = f"{analysis.of}={analysis.value} by {', '.join(fields)}"
    return {"group": group, "before": before, "after": after, "reason": reason}


def _notes(run: Run) -> list[str]:
    notes = [*run.inputs.notes, *run.deidentified.notes, *bare_rows_note(run.written)]
    if run.inputs.conformity is not None:
        notes.append(_policy_note(run))
    elif shown_areas(run.inputs.treatment.variables) is not None:
        notes.append(AREA_RULE)
    if run.inputs.uncounted and run.deidentified.search is not None:
        notes.append(
            f"the population has no {', '.join(run.inputs.uncounted)}. Where such a field is shown, a class counts the "
            "records of the file: and at least that many people have its values"
            + ("; us-2010-zip and us-2020-zip have ZIP codes" * _lacks_zip(run))
        )
    texts = [
        variable.name
        for variable in run.inputs.treatment.variables
        if variable.treatment == "keep"
        and any(text.count(" ") >= _SENTENCE for text in run.written[variable.name].values)
    ]
    if texts:
        notes.append(
            f"{', '.join(texts)}: texts of several words. The program looks in them for numbers, addresses and full "
            "names, and does not understand what a sentence tells. Read them before the file leaves"
        )
    if people := people_of(run):
        notes.append(people_text(people))
    if run.deidentified.search is not None and not run.deidentified.search.optimal:
        notes.append(
            "there are too many choices of one level per field to search them all. The chosen levels are the best "
            "within three single steps of one search path; another choice may lose less"
        )
    if people_unknown(run):
        notes.append(
            "the risk of the release among the population is unknown, because rows are at several levels: a coarse "
            "label shows that its row is not one of those at a finer level. Every verdict counts the records of the "
            "file instead, which are never more than the people"
        )
    return notes


def _lacks_zip(run: Run) -> bool:
    """Return whether a census counts the people, but not by the ZIP codes of the file."""
    kinds = {variable.kind for variable in run.inputs.treatment.searched if variable.name in run.inputs.uncounted}
    return run.inputs.population is not None and bool(kinds & {"zip", "zip3"})


def people_unknown(run: Run) -> bool:
    """Return whether there is a population, but nobody knows how many of its people fit a released row."""
    generalization = run.deidentified.generalization
    unknown = generalization is not None and generalization.is_local and generalization.of_cells is None
    return unknown and run.inputs.has_population


def _policy_note(run: Run) -> str:
    """Say what conforming to a policy does not mean, and what a limited data set needs."""
    assert run.inputs.conformity is not None
    policy, after = run.inputs.conformity.policy, run.after
    alone = f"{after.uniques:,} of {after.rows:,} rows are the only ones of the file with their key values"
    if after.known is not None:
        alone = f"{after.uniques:,} of {after.records:,} people are the only ones of the file with their key values"
    if is_area(policy.releases[Field.GEOGRAPHY]):
        return f"{AREA_RULE}. Conforming to a policy removes identifiers; it does not make records alike. {alone}"
    if "limited" in policy.name:
        return (
            "a limited data set is not de-identified: it may be sent only for research, public health or health care "
            f"operations, under a data use agreement with its recipient (45 CFR 164.514(e)(3) and (4)). {alone}"
        )
    return (
        f"{policy_title(policy.name)} removes identifiers; it does not make records alike. {alone}. Safe Harbor allows "
        "that, unless whoever releases the file knows that they could identify someone (45 CFR 164.514(b)(2)(ii))"
    )


def people_of(run: Run) -> dict[str, Any] | None:
    """Return what is known of several rows of a person, and what follows; None where each row is a person."""
    inputs, result = run.inputs, run.deidentified
    if not inputs.treatment.known:
        return None
    fields = [variable.name for variable in inputs.treatment.searched]
    least = inputs.treatment.target.least if inputs.treatment.target else 1
    return {
        "known": inputs.treatment.known,
        "why": inputs.known_because,
        "rows": run.after.rows,
        "people": run.after.records,
        "least": least,
        "drawn": len(np.unique(inputs.people[result.drawn])),
        "suppressed": len(np.unique(inputs.people[result.drawn & ~result.rows])),
        "before": people_figures(inputs.table, fields, inputs.people, least),
        "after": people_figures(run.written, fields, inputs.people[result.rows], least),
        "loss": result.losses.get("loss"),
        "one_row": result.one_row,
    }
