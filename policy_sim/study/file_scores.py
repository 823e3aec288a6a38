"""A file of records scored against a study's people and lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policy_sim.attackers import ATTACKERS
from policy_sim.people.names import county_code
from policy_sim.records.engines import arguments as check
from policy_sim.records.engines.readable_file import ReadableFile
from policy_sim.records.score import FileScore, score_against_census
from policy_sim.records.tables import FileResult, census_frame
from policy_sim.study.question import Attackers, Question
from policy_sim.study.setting import Setting
from policy_sim.voter_lists.list_field import BUYERS
from policy_sim.words.arguments import choice, switch
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_states


def scored(
    file: ReadableFile,
    study: Setting,
    postal: Sequence[str],
    attackers: Attackers | None,
    *,
    buyer: str | None,
    top: int,
    name_groups: bool,
    list_records: bool,
) -> FileResult[tuple[FileScore, ...]]:
    """Answer :meth:`policy_sim.study.record_file.RecordFile.score`; ``postal`` are the states, as they were given."""
    name_groups, list_records = switch("name_groups", name_groups), switch("list_records", list_records)
    if list_records:
        file._refuse_people("records cannot be listed one by one")
    check.check_count("top", top, 0)
    if buyer is not None:
        choice("buyer", buyer, BUYERS)
    question, places = _asked(attackers), [state.postal for state in find_states(postal)]
    with file.opened() as engine:
        census = score_against_census(
            engine.group(file.records, rows=True),
            file.records.mapping,
            study.people,
            study.attackers_of(question),
            places,
            most=file.most_classes,
            complete=file.complete,
            buyer=buyer,
            days_per_year=study.days_per_year,
            list_records=list_records,
            county_of=county_code,
        )
        remarks = tuple(engine.remarks)
    states = tuple(dict.fromkeys(score.state for score in census.scores if score.state))
    origin = study._from(replace(question, states=states or None), "score")
    notes = (
        *file.reading_notes(remarks),
        f"population: {study.people.provenance.describe(places)}",
        *origin.list_notes,
        *census.notes,
    )
    tables = {
        "scores": census_frame(census.scores),
        "groups": census.riskiest(top, names=name_groups),
        "outside": census.outside_frame(),
        **({"records": census.record_frame()} if list_records else {}),
    }
    options = {
        "population": study.people.name,
        "attackers": list(question.attacker_names),
        "lists": study.lists,
        "as_of": str(study.as_of) if study.as_of else None,
        "coverage": study.coverage if question.has_lists else None,
        "database": study.database_name or None,
        "states": list(postal),
        "buyer": buyer,
        "days_per_year": study.days_per_year,
    }
    result = file.result("score", census.scores, tables, notes, options)
    return replace(result, files={**result.files, **question.resource_files})


def _asked(attackers: Attackers | None) -> Question:
    """The question that the attackers make; none of them is an error."""
    if isinstance(attackers, Sequence) and not isinstance(attackers, str) and not attackers:
        raise InputError(f"attackers must be a list of names, such as {list(ATTACKERS)}.")
    return Question.of(attackers=attackers)
