"""The long jobs of the screens of a file of records; each runs in a separate process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.words.errors import InputError, PolicySimError

if TYPE_CHECKING:
    from policy_sim.release.project import Project

Progress = Callable[..., object]
VALUES, UNREAD, MAPPING, MAP = "values.json", "unread.json", "mapping.toml", "map.png"
_ROWS = 20
_ONE_PERSON = "name the column of the person above, so that each person counts once"
_NO_STATE = (
    "The file does not say in which state most of its people live. Choose it in the field State where the people live."
)
_HARBOR, _LIMITED = "safe-harbor", "limited-dataset"
AIMS = (_HARBOR, _LIMITED, "k=5", "k=11", "k=20")


def begin(file: str, project: str, folder: str, options: Mapping[str, str], *, progress: Progress) -> dict[str, Any]:
    """Write a new project for a file, and describe the file."""
    from policy_sim.release.door import Release

    progress("reading the file, and looking at every column")
    Release.new(file, project, **options)
    return describe(project, folder, progress=progress)


def describe(project: str, folder: str, *, progress: Progress) -> dict[str, Any]:
    """Say what the file of a project is; its values go into the private ``folder``, for when they are asked for."""
    from policy_sim.records.check import mapping_text
    from policy_sim.records.column_pictures import column_pictures, frequent_values
    from policy_sim.records.formats import header_of, read_coded
    from policy_sim.release.door import Release
    from policy_sim.release.unread import unread_columns
    from policy_sim.study.record_file import RecordFile

    opened = Release(project).project
    settings = opened.file
    progress("reading the file")
    table = read_coded(opened.path, settings.missing, settings.separator, settings.sheet)
    pictures = {name: asdict(picture) for name, picture in column_pictures(table).items()}
    _keep(Path(folder) / VALUES, {name: frequent_values(table[name]) for name in table.names})
    unread = [asdict(column) for column in unread_columns(opened, table)]
    _keep(Path(folder) / UNREAD, unread)
    person = settings.person if settings.person in table.names else ""
    people = pictures[person]["distinct"] + pictures[person]["missing"] if person else table.rows
    rows = table.rows
    blank = len(header_of(opened.path, settings.separator, settings.sheet).blank)
    del table
    checked = RecordFile.check(opened.path, sheet=settings.sheet, progress=progress)
    (Path(folder) / MAPPING).write_text(mapping_text(checked.answer, settings.sheet), encoding="utf-8")
    progress("counting where people live")
    return {
        "file": opened.path.name,
        "rows": rows,
        "blank": blank,
        "person": person,
        "people": people,
        "columns": pictures,
        "problems": _to_look_at(checked.tables["findings"].to_dict("records"), person),
        "unread": [{name: column[name] for name in ("name", "kind", "number", "records")} for column in unread],
        "missing": [code for code in settings.missing if code],
        **_places(opened.path, Path(folder)),
    }


def _to_look_at(findings: Sequence[Mapping[Any, Any]], person: str) -> list[dict[str, Any]]:
    """Return what to look at in a file, without what the project reads by itself or has a screen of this window for."""
    rows = []
    for row in findings:
        remedy = str(row["remedy"])
        if "same code" in remedy:
            rows.append({**row, "remedy": "if they are one value, correct them in the file"})
        elif "mapping" not in remedy or ("of one person" in str(row["problem"]) and not person):
            rows.append({**row, "remedy": _ONE_PERSON if "of one person" in str(row["problem"]) else remedy})
    return rows


def _keep(path: Path, content: Any) -> None:
    path.touch(0o600)
    path.write_text(json.dumps(content), encoding="utf-8")


def _places(file: Path, folder: Path) -> dict[str, Any]:
    """Say where the people of a file live, and draw a map of counties; nothing where no column says it."""
    from policy_sim.people.names import county_names
    from policy_sim.records.engines.file_questions import counted_places
    from policy_sim.show.maps.figure import people_map
    from policy_sim.show.save import png_bytes

    try:
        places, kind = counted_places(file, folder / MAPPING)
    except PolicySimError as error:
        text = str(error) if "no column" not in str(error) else "No column of the file says where people live."
        return {"places": [], "places_are": "", "no_places": text, "has_map": False}
    known: dict[str, int] = {}
    for state, place, people in places:
        if name := place if kind == "county" else state:
            known[name] = known.get(name, 0) + people
    has_map = False
    if known:
        with suppress(PolicySimError):
            (folder / MAP).write_bytes(png_bytes(people_map(known, "records")))
            has_map = True
    names: dict[str, str] = {}
    for state in {state for state, _, _ in places} - {""}:
        names |= county_names(state)
    rows = [
        {"state": state, "title": names.get(place, place) or "not understood or blank", "people": people}
        for state, place, people in places
    ]
    return {"places": rows, "places_are": kind, "no_places": "", "has_map": has_map}


def measure(project: str, *, progress: Progress) -> dict[str, Any]:
    """Say what the project would release now."""
    from policy_sim.release.costs import costs_of
    from policy_sim.release.door import Release
    from policy_sim.release.linkable import counted_text
    from policy_sim.release.preview import preview

    opened = Release(project).project
    found = preview(opened, _ROWS, progress)
    target = opened.risk_target
    by_people = target is not None and target.needs_population
    costs = costs_of(found["search"], found["variables"], found["people"])
    return found | {"costs": costs, "counted": counted_text(found["people"]), "by_people": by_people}


def compare(project: str, aims: Sequence[str], *, progress: Progress) -> list[dict[str, Any]]:
    """Say what each aim would lose."""
    from policy_sim.release.door import Release
    from policy_sim.release.files import read_text
    from policy_sim.release.preview import choices

    return choices(Release(project).project, read_text(Path(project)), aims, progress)


def attackers(project: str, *, progress: Progress) -> dict[str, Any]:
    """Say how many people two attackers could name, now and after the release."""
    from policy_sim.release.attackers_left import attackers_left
    from policy_sim.release.door import Release

    opened = Release(project).project
    try:
        return attackers_left(opened, rows=_ROWS, progress=progress)
    except InputError as error:
        raise _on_screens(error, opened) from None


def _on_screens(error: InputError, project: Project) -> InputError:
    """Say what is missing by the names of columns and screens, not as a command would."""
    from policy_sim.records.formats import read_coded
    from policy_sim.release.unread import uncounted_text

    text, settings = str(error), project.file
    if "not understood" in text or "has a cell" in text:
        codes = uncounted_text(project, read_coded(project.path, settings.missing, settings.separator, settings.sheet))
        if codes:
            return InputError(
                f"These records cannot be counted. {codes}. Give them one on the screen The file, under Codes to map."
            )
    if "shows the state" in text or "says where people live" in text or "their state" in text or "state is" in text:
        return InputError(_NO_STATE)
    return InputError(text.removeprefix("file.parquet: "))


def run(project: str, out: str, form: str, *, progress: Progress) -> dict[str, Any]:
    """Make the release; its folder has all of its figures, so the answer is the verdict alone."""
    from policy_sim.release.costs import costs_of
    from policy_sim.release.door import Release
    from policy_sim.release.linkable import counted_text

    opened = Release(project)
    rule = _rule(opened.project)
    result = opened.run(out, form=form, progress=progress)
    costs = costs_of(result["search"], result["variables"], result["people"])
    under = result["people"]["after"]["under"]["all"] if result["people"] else 0
    warns = result.verdict.is_met and bool(result.verdict.warnings or under)
    said = {"rule": rule, "costs": costs, "counted": counted_text(result["people"]), "warns": warns}
    return {"out": out, "is_met": result.verdict.is_met, **said, **result.verdict.as_json()}


def _rule(project: Project) -> str:
    """Return what a release is made to, as a title."""
    target = project.target
    if target.aim == "policy":
        return {_HARBOR: "Safe Harbor", _LIMITED: "Limited data set"}.get(target.policy, target.policy)
    if target.aim == "risk":
        return f"{'Class size' if target.threshold.startswith('k') else 'Level of risk'}, {target.threshold}"
    return f"The threshold of the guidelines: {project.edition.title}"


def paper(
    project: str,
    mapping: str,
    out: str,
    stated: Mapping[str, str],
    *,
    progress: Progress,
    written: Sequence[str] = (),
) -> str:
    """Write the paper about a file and the rule of its project, in two or three pages with an annex.

    ``written``: the columns of the released file, where it is already made.
    """
    from policy_sim.release.door import Release
    from policy_sim.release.paper import paper_of_project
    from policy_sim.study.study import Study

    of = Release(project).project
    try:
        pages = paper_of_project(of, Study(), stated=stated, written=written, mapping=Path(mapping), progress=progress)
    except InputError as error:
        raise _on_screens(error, of) from None
    progress("writing the paper")
    pages.write(Path(out))
    return out
