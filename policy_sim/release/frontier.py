"""What a release loses at each threshold, and a project at one point of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from policy_sim.policies.files import load_policy
from policy_sim.records.formats import CodedTable
from policy_sim.records.profile import Threshold
from policy_sim.release.files import parse_project, with_keys
from policy_sim.release.project import Project
from policy_sim.release.run import Inputs, deidentified_of, read_inputs, read_records, risk_of_written
from policy_sim.release.search import RECODINGS
from policy_sim.release.treatments import left_out
from policy_sim.release.written import with_seed
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError

FRONTIER = (
    *("threshold", "recoding", "node", "levels", "loss", "weighted_loss", "mean_risk", "largest_risk", "suppressed"),
    "status",
)


def frontier_rows(
    project: Project,
    text: str,
    thresholds: Sequence[str],
    progress: Callable[[str], object] = lambda _: None,
    table: CodedTable | None = None,
) -> list[dict[str, object]]:
    """Return what one level per field and local recoding lose at each threshold, and the node of one level per field.

    A threshold at which no release meets the target has a ``status`` that says so, and no loss. Of a policy there is
    one row, in which a key field that it drops loses 1. ``table``: the file, where it is read already.
    """
    if project.target.aim == "policy":
        raise InputError(
            'a policy sets the levels, so there is no frontier. Under [target] in the project, write aim = "risk" and '
            'threshold = "k=11" instead of aim and policy.'
        )
    rows: list[dict[str, object]] = []
    project, text = with_seed(project, text)  # one sample for all points
    table = table or read_records(project)  # once for all points
    for threshold in thresholds:
        keys = [v.name for v in read_inputs(project, table).treatment.searched] if is_policy(threshold) else []
        for recoding in ("policy",) if is_policy(threshold) else RECODINGS:
            progress(f"{threshold}, {recoding}")
            at_point, _ = point_of(project, text, threshold, "" if recoding == "policy" else recoding)
            row: dict[str, object] = dict.fromkeys(FRONTIER) | {"threshold": threshold, "recoding": recoding}
            rows.append(row | _lost_at(at_point, read_inputs(at_point, table), recoding, keys))
    return rows


def _lost_at(project: Project, inputs: Inputs, recoding: str, keys: Sequence[str]) -> dict[str, object]:
    """Return the node, levels and loss of one point of the frontier; pseudonyms and dates change no class."""
    pairs = [(variable, variable.treatment in ("pseudonym", "shift")) for variable in inputs.treatment.variables]
    variables = tuple(
        left_out(variable.name, "not looked at") if is_masked else variable for variable, is_masked in pairs
    )
    inputs = replace(inputs, treatment=replace(inputs.treatment, variables=variables))
    try:
        inputs, _, result = deidentified_of(project, inputs, None)
    except NotEstimableError as error:
        return {"status": str(error)}
    levels, loss = result.generalization, result.losses.get("loss")
    risk = risk_of_written(inputs, result, result.table).measures(Threshold.parse("0.33"))
    is_local = levels is not None and levels.is_local
    level_names = {} if levels is None or is_local else levels.levels()
    node = "local" if is_local else "" if levels is None else "-".join(map(str, levels.nodes[0]))
    if recoding == "policy":
        of_levels = zip(level_names, levels.losses(inputs.table).tolist(), strict=True) if levels else ()
        lost = dict.fromkeys(result.table.names, 0.0) | dict(of_levels)
        node, loss = "", float(np.mean([lost.get(name, 1.0) for name in keys])) if keys else None
    return {
        "node": node,
        "levels": ", ".join(f"{field}: {level}" for field, level in level_names.items()),
        "loss": loss,
        "weighted_loss": result.losses.get("weighted_loss"),
        "mean_risk": risk["average"],
        "largest_risk": risk["maximum"],
        "suppressed": int(result.drawn.sum() - result.rows.sum()),
        "status": "one level loses no more" if recoding == "local" and not is_local else "ok",
    }


def is_policy(threshold: str) -> bool:
    """Tell a policy's name or file from a threshold of risk."""
    try:
        Threshold.parse(threshold)
    except InputError:
        with suppress(UnknownNameError):
            return bool(load_policy(threshold))
        raise
    return False


def point_of(
    project: Project, text: str, threshold: str = "", recoding: str = "", node: str = ""
) -> tuple[Project, str]:
    """Return a project and its file, with the threshold or policy, the recoding or the node of a point of the frontier.

    A node is the number of each key field's level, such as ``2-0-1``, or ``local``.
    """
    if threshold and is_policy(threshold):
        aim: dict[str, object] = {"aim": "policy", "policy": threshold}
        return _changed(project, text, {("settings",): {"recoding": "", "keep": []}, ("target",): aim})
    if threshold:
        among = "population" if project.value("attacker-knows") == "no" else "file"
        sizes = project.target.sizes if project.target.aim == "risk" else among
        aim = vars(project.target) | {"aim": "risk", "threshold": threshold, "sizes": sizes}
        project, text = _changed(project, text, {("target",): {name: value for name, value in aim.items() if value}})
    if recoding or node == "local":
        return _changed(project, text, {("settings",): {"recoding": recoding or "local"}})
    if not node:
        return project, text
    cells = read_inputs(project).cells
    numbers = [int(part) if part.isascii() and part.isdigit() else -1 for part in node.split("-")]
    if len(numbers) != len(cells.levels) or any(
        n not in allowed for n, allowed in zip(numbers, cells.levels, strict=True)
    ):
        fields = ", ".join(
            f"{ladder.field} {', '.join(map(str, allowed))}"
            for ladder, allowed in zip(cells.ladders, cells.levels, strict=True)
        )
        raise InputError(f"node {node!r}: give a level of each key field, joined by hyphens. Levels: {fields}.")
    levels = zip(cells.ladders, numbers, strict=True)
    changes: _Changes = {("variables", ladder.field): {"levels": [ladder.names[level]]} for ladder, level in levels}
    return _changed(project, text, changes | {("settings",): {"recoding": "one-level"}})


_Changes = dict[tuple[str, ...], dict[str, object]]


def _changed(project: Project, text: str, changes: _Changes) -> tuple[Project, str]:
    """Return the project, and its file, with some keys of its tables changed."""
    text = with_keys(text, changes)
    return replace(parse_project(text, str(project.folder), project.folder), records=project.records), text
