"""The paper about the file of a project: its people, where they live, and the rule that it is released under."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.records.census_values import BIRTH_FIELDS, known_field
from policy_sim.records.formats import read_coded
from policy_sim.release.files import read_text, without_table
from policy_sim.release.linkable import people_of_rows
from policy_sim.release.project import Look, Project
from policy_sim.release.run import columns_sent
from policy_sim.release.treatments import AGE_KINDS, PLACE_KINDS
from policy_sim.release.written import PROJECT, ReleaseFolder, read_figures
from policy_sim.words.errors import InputError, SourceError

if TYPE_CHECKING:
    from policy_sim.attackers.in_file import InFile
    from policy_sim.briefs import Brief
    from policy_sim.records.census_values import ColumnMapping
    from policy_sim.study.study import Study

_HARBOR, _LIMITED = "safe-harbor", "limited-dataset"
# The rows of the paper's table, with the kinds of columns that show each.
_ROWS = {
    "sex": ("sex",),
    "race": ("race", "race_ethnicity"),
    "ethnicity": ("ethnicity", "race_ethnicity"),
    "birth": (*BIRTH_FIELDS, *AGE_KINDS),
    "place": PLACE_KINDS,
}


def paper_of_project(
    project: Project,
    study: Study,
    *,
    stated: Mapping[str, str] | None = None,
    written: Sequence[str] = (),
    mapping: Path | None = None,
    state: str = "",
    progress: Callable[[str], object] = lambda _: None,
) -> Brief:
    """Return the paper about the file of a project and the rule of its release.

    Parameters
    ----------
    project : The project: its file, person, decisions and aim.
    study : Whose population and lists are asked.
    stated : Any of ``what``, ``period`` and ``recipient``, where the project does not say it.
    written : The columns of the released file, where it is already made; by default those that the project would send.
    mapping : What the columns of the file are, as ``dataset check`` writes it; by default the file is looked at again.
    state : Where the people live, if no column says it: the paper is then of a file of this state. By default what the
        project says.
    progress : Called with each step of long work.

    Raises
    ------
    InputError, SourceError : the file cannot be read, or no column says where people live.
    """
    from policy_sim import briefs
    from policy_sim.records.check import mapping_text
    from policy_sim.study.record_file import RecordFile

    about = {name: text for name in ("what", "period", "recipient") if (text := getattr(project.about, name))}
    state = state or project.about.state
    progress("counting the people of the file")
    with tempfile.TemporaryDirectory() as folder:
        if mapping is None:
            mapping, sheet = Path(folder) / "mapping.toml", project.file.sheet
            checked = RecordFile.check(project.path, sheet=sheet, progress=progress).answer
            mapping.write_text(mapping_text(checked, sheet), encoding="utf-8")
        asked = paper_asked(project, study, str(mapping), about | dict(stated or {}), written, state)
    progress("computing every state")
    return briefs.state_brief(study, state or None, **asked)


def paper_asked(
    opened: Project,
    study: Study,
    mapping: str,
    stated: Mapping[str, str],
    written: Sequence[str] = (),
    state: str = "",
) -> dict[str, Any]:
    """Return what the paper of a project is asked: its people, the proposal, and the rules, the proposed one last."""
    from policy_sim import briefs
    from policy_sim.records.engines.sent_fields import sent_fields
    from policy_sim.records.mapping import load_mapping

    read = _with_codes(replace(load_mapping(Path(mapping)), person=opened.file.person), opened)
    in_file, measured = _counted(opened, study, read, state)
    sent = {name: how for name, how in columns_sent(opened).items() if not written or name in written}
    policies, unmeasured = _compared(opened)
    fields = None
    if policies[-1] == _LIMITED:
        as_recorded = [name for name, how in sent.items() if how != "pseudonym"]
        fields = sent_fields(opened.path, read, as_recorded)
    proposal = briefs.Proposal(
        **stated,
        counted=measured,
        sent=fields,
        columns=tuple(sent),
        unmeasured=unmeasured,
        not_sent=() if unmeasured else _not_sent(opened, sent),
    )
    return {"in_file": in_file, "proposal": proposal, "policies": policies}


def _with_codes(mapping: ColumnMapping, project: Project) -> ColumnMapping:
    """Return a mapping with what the project says that values mean."""
    fields = {
        name: replace(field, codes={**field.codes, **dict(project.looks.get(field.column, Look()).codes)})
        for name, field in mapping.fields.items()
    }
    return replace(mapping, fields=fields)


def _counted(project: Project, study: Study, read: ColumnMapping, state: str) -> tuple[InFile, str]:
    """Return the people of a file and where they live, with what was counted; all over a state, if no column says."""
    from policy_sim.attackers.in_file import InFile
    from policy_sim.records.engines.file_questions import counted_file

    try:
        counted = counted_file(project.path, state or None, study.counted, read)
    except InputError:
        if not state:
            raise
        settings = project.file
        table = read_coded(project.path, settings.missing, settings.separator, settings.sheet)
        return InFile(people=len(np.unique(people_of_rows(table, settings.person, released=False)))), ""
    return counted.in_file, counted.measured


def _not_sent(project: Project, sent: Collection[str]) -> tuple[str, ...]:
    """Return the rows of the paper's table that no column shows which is sent: the rule allows more than it is given.

    A column of whatever kind counts as what its name says, too.
    """
    kinds = {variable.name: variable.kind for variable in project.variables}
    shown = {kinds.get(name, project.looks.get(name, Look()).kind) for name in sent} | set(map(known_field, sent))
    return tuple(row for row, of in _ROWS.items() if not shown & set(of)) if sent else ()


def _compared(project: Project) -> tuple[list[str], str]:
    """Return the rules of a paper, the proposed one last; and the aim of the release where it is none of them."""
    target = project.target
    if target.aim == "policy" and "area:" not in target.policy:
        return [_LIMITED if target.policy != _LIMITED else _HARBOR, target.policy], ""
    aims = {
        "policy": "areas of a minimum population",
        "risk": f"a class size or a level of risk, {target.threshold}",
        "threshold": f"the threshold of the guidelines ({project.edition.title})",
    }
    return [_LIMITED, _HARBOR], aims[target.aim]


def columns_released(path: Path) -> tuple[str, ...]:
    """Return the columns of the release of a project file, in ``released`` or where its last run is.

    None where it was not made, is elsewhere, or was made before the last decision.
    """
    with suppress(SourceError, KeyError, OSError, ValueError):
        text = read_text(path)
        results = tomllib.loads(text).get("results", {})
        folder = ReleaseFolder.find(path.parent / str(results.get("folder", "released")))
        if _decisions(read_text(folder.keep / PROJECT)) == _decisions(without_table(text, "results")):
            rows = read_figures(folder.root)["variables"]
            return tuple(row["name"] for row in rows if row["standing"] != "left out")
    return ()


def _decisions(text: str) -> dict[str, Any]:
    """Return what a project file says of a release, without who receives it and the order of its rows."""
    said = {name: value for name, value in tomllib.loads(text).items() if name != "about"}
    return said | {"settings": {name: value for name, value in said.get("settings", {}).items() if name != "seed"}}
