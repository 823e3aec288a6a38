"""What a project would release, before anything is written: risk, columns, some rows, and what each aim would lose."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from policy_sim.records.formats import CodedTable
from policy_sim.records.profile import Threshold
from policy_sim.release.attack.report import AttackReport
from policy_sim.release.claims import claim_of
from policy_sim.release.deidentified import KEY_BYTES, SecretKey
from policy_sim.release.figures import AMONG_PEOPLE, aim_of, people_of, people_unknown, search_of, variables_of
from policy_sim.release.frontier import FRONTIER, frontier_rows, is_policy, point_of
from policy_sim.release.project import Project
from policy_sim.release.run import Run, check_written, deidentified_of, read_inputs, read_records, without_found
from policy_sim.release.spread import risk_spread
from policy_sim.release.targets import class_of_rows
from policy_sim.release.written import with_seed
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.telling import each, telling

_TELLING = 0.1  # of the rows
_NOT_WRITTEN = "nothing was written"


def preview(project: Project, rows: int = 20, progress: Callable[[str], object] = lambda _: None) -> dict[str, Any]:
    """Return what a run would release now; nothing is written, and nothing attacked.

    Returns
    -------
    The figures ``before``, ``after``, ``spread``, ``variables``, ``search``, ``people`` and ``aim``, as in
    ``release.json``; ``distinct`` has the different values of each released column before and after. ``rows`` are the
    first of the file, each with its ``number`` from 1 and the texts of ``columns`` before and after; ``after`` is None
    where the row is suppressed. ``alone`` has, by column that leaves as it is, how many rows have a value that nobody
    else of the release has, where these are one in ten or more. ``riskiest`` are numbers of rows in the smallest
    classes of the original, one for each person, with the people of the class.

    Raises
    ------
    InputError : the project is not ready, or a value is not what it must be.
    NotEstimableError : no release meets the target.
    """
    run = unwritten(project, progress)
    cutoff, table, released = Threshold.parse(project.value("cutoff") or "0.33"), run.inputs.table, run.written
    left = [name for name in table.names if name in released.names]
    with telling(progress):
        alone = _alone(run)
    return {
        "aim": aim_of(project, run),
        "before": run.before.measures(cutoff),
        "after": run.after.measures(cutoff) | (dict.fromkeys(AMONG_PEOPLE) if people_unknown(run) else {}),
        "variables": variables_of(project, run),
        "search": search_of(project, run),
        "people": people_of(run),
        "columns": left,
        "distinct": {name: [_different(table, name), _different(released, name)] for name in left},
        "rows": _first_rows(run, left, min(rows, table.rows)),
        "riskiest": _riskiest(run, rows),
        "alone": alone,
        "spread": risk_spread(run),
        "notes": list(run.inputs.notes),
    }


def choices(
    project: Project, text: str, aims: Sequence[str], progress: Callable[[str], object] = lambda _: None
) -> list[dict[str, object]]:
    """Return what each of some policies and thresholds would lose, whatever the project aims at now.

    The rows are those of :func:`~policy_sim.release.frontier.frontier_rows`; ``text`` is the file of the project. An
    aim that the project cannot have, such as a policy beside a pseudonym, has a ``status`` that says why.
    """
    if project.target.aim == "policy":
        threshold = next((aim for aim in aims if not is_policy(aim)), "k=11")
        project, text = point_of(project, text, threshold)
    project, text = with_seed(project, text)  # one sample for all
    progress("reading the file")
    with telling(progress):
        table, rows = read_records(project), list[dict[str, object]]()
    for aim in aims:
        try:
            rows += frontier_rows(project, text, [aim], progress, table)
        except (InputError, NotEstimableError) as error:
            rows.append(dict.fromkeys(FRONTIER) | {"threshold": aim, "status": str(error)})
    return rows


def unwritten(project: Project, progress: Callable[[str], object]) -> Run:
    """Return a run that writes nothing; its pseudonyms are of a key that nobody keeps."""
    project.check_ready()
    progress("reading the file")
    with telling(progress):
        inputs = without_found(project, read_inputs(project))
    key = SecretKey(secrets.token_bytes(KEY_BYTES)) if inputs.treatment.needs_key else None
    inputs, before, result = deidentified_of(project, inputs, key, progress)
    progress("measuring what is left")
    after = check_written(inputs, result, result.table)
    claim = claim_of(project, inputs.treatment, inputs.conformity, {}, {})
    return Run(inputs, result, result.table, before, after, None, claim, AttackReport(broken=_NOT_WRITTEN))


def _different(table: CodedTable, name: str) -> int:
    return int((np.bincount(table[name].codes, minlength=1)[1:] > 0).sum())


def _first_rows(run: Run, columns: Sequence[str], rows: int) -> list[dict[str, Any]]:
    """Return the first rows of the file, with what becomes of each."""
    is_left = run.deidentified.rows[:rows]
    table, at = run.inputs.table.take(np.arange(rows)), np.flatnonzero(is_left)
    before = {name: table[name].texts().tolist() for name in columns}
    released = run.written.take(np.arange(len(at)))
    after = {name: released[name].texts().tolist() for name in columns}
    place = {int(row): number for number, row in enumerate(at)}
    return [
        {
            "number": row + 1,
            "before": [before[name][row] for name in columns],
            "after": [after[name][place[row]] for name in columns] if row in place else None,
        }
        for row in range(rows)
    ]


def _alone(run: Run) -> dict[str, int]:
    """Return how many rows have a value of one person alone, by column that leaves as it is, such as exact charges."""
    found, people = dict[str, int](), np.unique(run.inputs.people[run.deidentified.rows], return_inverse=True)[1]
    width = int(people.max(initial=0)) + 1
    for variable in each(run.inputs.treatment.variables, "counting values of one person"):
        if variable.treatment != "keep" or variable.name not in run.written.names:
            continue
        codes = run.written[variable.name].codes
        of_people = codes if width == len(codes) else np.unique(codes.astype(np.int64) * width + people) // width
        rows = int(((np.bincount(of_people, minlength=1)[codes] == 1) & (codes > 0)).sum())
        if rows and rows >= _TELLING * len(codes):
            found[variable.name] = rows
    return found


def _riskiest(run: Run, most: int) -> list[list[int]]:
    """Return rows with the fewest people alike in the original, one row of each person."""
    fields = [variable.name for variable in run.inputs.treatment.searched]
    if not fields:
        return []
    classes, number = class_of_rows(run.inputs.table, fields)
    people = run.inputs.people
    in_class = np.unique(np.stack([classes, people]), axis=1)[0]
    size = np.bincount(in_class, minlength=number)[classes]
    order = np.argsort(size, kind="stable")
    first = np.sort(np.unique(people[order], return_index=True)[1])[:most]
    return [[int(row) + 1, int(size[row])] for row in order[first]]
