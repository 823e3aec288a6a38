"""The screens of a file of records, from the file to the columns and the aim; ``releases.py`` has what follows."""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from policy_sim.app.jobs import Job
from policy_sim.app.named_files import path_of
from policy_sim.app.records_work import MAP, UNREAD, VALUES
from policy_sim.app.screens import Desk, Form, change, desk_of, page, screen, sent
from policy_sim.app.work_log import Noted, WorkLog
from policy_sim.words.errors import InputError, OutputError

if TYPE_CHECKING:
    from policy_sim.release.door import Release
    from policy_sim.release.project import Project

_PROJECT = "release.toml"
ABOUT = ("what", "recipient", "agreement", "period")
_AREAS = "sex+race+birth=year+geography=area:{size} (age<90)"


@dataclass(eq=False)
class Trip:
    """One project on its way: its file, a private folder for what screens show of it, and what they showed last.

    ``is_private``: the project itself is in the private folder, and gone with it. ``shown`` has by name what was
    computed for a screen, and the project file as it was then; ``made_of`` is the project file that was last run,
    and ``taken`` what was downloaded. ``by`` is who decides; ``read`` is the project file as it was read last, and
    what :attr:`now` is of it.
    """

    project: Path
    folder: Path
    seen: dict[str, Any] = field(default_factory=dict)
    is_private: bool = False
    by: str = ""
    read: tuple[str, bytes] = ("", b"")
    shown: dict[str, tuple[bytes, Any]] = field(default_factory=dict)
    result: dict[str, Any] | None = None
    made_of: bytes = b""
    taken: dict[str, Any] = field(default_factory=dict)
    paper: Path | None = None
    log: WorkLog = field(default_factory=WorkLog)

    @property
    def now(self) -> bytes:
        """The project file as it is, without what a run wrote into it."""
        from policy_sim.release.files import read_text, without_table

        text = read_text(self.project)
        if self.read[0] != text:  # of a wide file it takes seconds, and a screen asks for it several times
            self.read = text, without_table(text, "results").rstrip().encode()
        return self.read[1]

    @property
    def is_stale(self) -> bool:
        """Whether the project has changed since it was last run; words about the release do not count."""
        return self.result is not None and _decisions(self.made_of) != _decisions(self.now)

    @property
    def title(self) -> str:
        """What the release is called."""
        return str(tomllib.loads(self.now.decode()).get("title", self.project.stem))

    @property
    def unsaved(self) -> list[str]:
        """What is only in a private folder and was not downloaded as it is now."""
        if not self.project.is_file():
            return []
        lost, folder = [], self.taken.get("folder")
        if self.is_private and self.now not in (self.taken.get("project"), self.taken.get("folder's project")):
            lost.append("the project file, with every decision")
        if self.is_private and self.result is not None and folder is not self.result:
            lost.append("the folder to hand over")
        if self.paper is not None and not self.taken.get("paper"):
            lost.append("the paper")
        return [f"{self.title}: {what}" for what in lost]

    @property
    def columns_written(self) -> list[str]:
        """The columns of the file that the project as it is has released; none where it has not."""
        tried = self.result["tried"] if self.result and not self.is_stale else []
        return [row["column"] for row in tried[0]["columns"]] if tried else []

    def shown_now(self, name: str) -> Any:
        """Return what was computed last for a screen; None once the decisions of the project have changed."""
        at, found = self.shown.get(name, (b"", None))
        return found if at == self.now or (at and _decisions(at) == _decisions(self.now)) else None

    def release(self) -> Release:
        """Open the project."""
        from policy_sim.release.door import Release

        return Release(self.project)

    def noted(self) -> Noted:
        """Open the project to change it."""
        return Noted(self.release(), self.log, lambda: self.now)


def _decisions(project: bytes) -> dict[str, Any]:
    """Return what a project file says of the release, without who receives it."""
    return {name: value for name, value in tomllib.loads(project.decode()).items() if name != "about"}


def trip_of(request: Request) -> tuple[str, Trip]:
    """Return the project of a screen, with its key."""
    key: str = request.path_params["key"]
    trip: Trip = desk_of(request).get(key, Trip)
    return key, trip


def show(request: Request, template: str, here: str, **context: Any) -> Response:
    """Return a screen of a project, with the steps of the way."""
    key, trip = trip_of(request)
    return page(request, template, key=key, trip=trip, here=here, **context)


# Begin.


def opened_project(desk: Desk, path: Path) -> str:
    """Open a project file; return the screen that begins to look at its file."""
    from policy_sim.release.door import Release

    Release(path)  # a file that is none is refused here
    desk.jobs.may_write(path)
    return f"/records/{desk.put(Trip(path, desk.private('project')))}/open"


def _open(request: Request) -> Response:
    return show(request, "records_open.html", "file")


def _describe(request: Request, _: Form) -> Job:
    key, trip = trip_of(request)
    return _job(desk_of(request), key, trip, "describe", {}, "/")


def _new(request: Request) -> Response:
    from policy_sim.records.workbooks import sheets_with_values

    desk, key = desk_of(request), request.path_params["key"]
    file: Path = desk.get(key, Path)
    is_upload = file.is_relative_to(desk.folder)
    folder = "" if is_upload else str(file.parent / f"{file.name.split('.')[0]}-release")
    sheets = sheets_with_values(file)
    asked = {"key": key, "name": file.name, "is_upload": is_upload, "folder": folder, "sheets": sheets}
    return page(request, "records_new.html", **asked)


def _begin(request: Request, form: Form) -> Job:
    desk = desk_of(request)
    file: Path = desk.get(request.path_params["key"], Path)
    aim = form.text("aim")
    options = {"title": form.text("title"), "edition": form.text("edition") or "ipc-2016", "sheet": form.text("sheet")}
    options["policy"] = aim if aim != "risk" else ""
    trip = Trip(file, desk.private("project"))
    if form.text("folder"):
        trip.project = path_of(form.text("folder")) / _PROJECT
    else:
        trip.project, trip.is_private = file.parent / _PROJECT, True
    if trip.project.exists():
        raise OutputError(f"{trip.project} already exists. Open it, or choose another folder.")
    arguments = {"file": str(file), "options": options}
    return _job(desk, desk.put(trip), trip, "begin", arguments, f"/records/new/{request.path_params['key']}")


def _job(desk: Desk, key: str, trip: Trip, work: str, arguments: dict[str, Any], back: str) -> Job:
    """Start to read the file of a project; a project that is begun is gone again unless that comes to its end."""

    def then(seen: dict[str, Any]) -> str:
        trip.seen = seen
        if new is not None:
            trip.log.begin(arguments["options"], trip.now)
        return f"/records/{key}"

    every = {"project": str(trip.project), "folder": str(trip.folder), **arguments}
    new = trip.project if work == "begin" else None
    return desk.jobs.start(f"records_work:{work}", every, title="Reading the file", then=then, back=back, new=new)


# What it is.


def _what(request: Request) -> Response:
    _, trip = trip_of(request)
    if not trip.seen:
        return _open(request)
    states: dict[str, int] = {}
    for row in trip.seen["places"]:
        states[row["state"] or "unknown"] = states.get(row["state"] or "unknown", 0) + row["people"]
    opened = trip.release()
    person, looks, columns = opened.project.file.person, opened.project.looks, trip.seen["columns"]
    seen = trip.seen["rows"]
    if person in columns:
        seen = columns[person]["distinct"] + columns[person]["missing"]
    mapped = {
        row["name"]: sum(value in dict(looks[row["name"]].codes) for value, _ in row["values"]) for row in _unread(trip)
    }
    more = {
        "person": person,
        "people": seen,
        "by_name": "of people" in looks[person].text if person in looks else False,
    }
    return show(
        request, "records_what.html", "file", seen=trip.seen, states=states, names=opened.columns, mapped=mapped, **more
    )


def _person(request: Request, form: Form) -> str:
    """Write which column says whose rows are whose; none where each row is a person."""
    key, trip = trip_of(request)
    opened, place = trip.release(), form.text("person")
    person = (
        opened.columns[int(place)] if place.isascii() and place.isdigit() and int(place) < len(opened.columns) else ""
    )
    trip.noted().set("file", person=person)
    return f"/records/{key}"


def _codes(request: Request) -> Response:
    """Show the values that were not read, which somebody asked for, and what the project says they mean."""
    _, trip = trip_of(request)
    looks = trip.release().project.looks
    columns = [row | {"codes": dict(looks[row["name"]].codes)} for row in _unread(trip)]
    return show(request, "records_codes.html", "file", columns=columns)


def _unread(trip: Trip) -> list[dict[str, Any]]:
    if not (trip.folder / UNREAD).exists():
        raise InputError("The file was not read yet. Begin at its first screen.")
    rows: list[dict[str, Any]] = json.loads((trip.folder / UNREAD).read_text(encoding="utf-8"))
    return rows


def _map_codes(request: Request, form: Form) -> str:
    """Write what values mean, of every column of the screen, as far as it was said; a box says that one is missing."""
    key, trip = trip_of(request)
    meant: dict[str, dict[str, str]] = {}
    looks, asked = trip.release().project.looks, form.names
    for column, row in enumerate(_unread(trip)):
        known = dict(looks[row["name"]].codes)
        for at, (value, _) in enumerate(row["values"]):
            is_missing, meaning = form.text(f"missing:{column}:{at}"), form.text(f"meaning:{column}:{at}")
            if is_missing or meaning:
                meant.setdefault(row["name"], {})[value] = "" if is_missing else meaning
            elif value in known and f"meaning:{column}:{at}" in asked:
                meant.setdefault(row["name"], {})[value] = value  # taken back
    if not meant:
        raise InputError("Give a meaning of one value or more, or tick that it is missing.")
    for name, codes in meant.items():
        known = dict(looks[name].codes)
        if new := {value: meaning for value, meaning in codes.items() if known.get(value) != meaning}:
            trip.noted().map_codes(name, new)
    return f"/records/{key}/codes"


def _map(request: Request) -> Response:
    return sent(trip_of(request)[1].folder / MAP, kind="image/png")


# Columns.


def _columns(request: Request) -> Response:
    from policy_sim.release.column_groups import GROUPS
    from policy_sim.release.treatments import ROLES

    _, trip = trip_of(request)
    rows = list(_column_rows(trip))
    guesses = sum(row["is_open"] and bool(row["look"].guess) for row in rows)
    groups = {group: [row for row in rows if row["is_open"] and row["look"].group == group] for group in GROUPS}
    return show(
        request,
        "records_columns.html",
        "columns",
        rows=rows,
        roles=ROLES,
        guesses=guesses,
        groups={group: (GROUPS[group], found) for group, found in groups.items() if found},
        decided=sum(not row["is_open"] for row in rows),
    )


def _column_rows(trip: Trip) -> list[dict[str, Any]]:
    """Return one row per column: what the program believes, and what somebody decided."""
    project = trip.release().project
    decided = {variable.name: variable for variable in project.variables}
    pictures = trip.seen.get("columns", {})
    rows = []
    for at, (name, look) in enumerate(project.looks.items()):
        variable, picture = decided.get(name), pictures.get(name)
        believes, _, shapes = look.text.partition("; values look like ")
        rows.append(
            {
                "at": at,
                "name": name,
                "look": look,
                "believes": believes,
                "shapes": shapes,
                "picture": picture,
                "bars": _bars(picture["bars"]) if picture else [],
                "variable": variable,
                "is_open": variable is None,
                "by": project.classified.get(name, ""),
            }
        )
    return rows


def _bars(rows: list[int]) -> list[tuple[int, int]]:
    """Return the top and height of each bar of a small picture, of 24 units."""
    most = max(rows, default=0)
    heights = [max(24 * number // most, 1) if number else 0 for number in rows] if most else []
    return [(24 - height, height) for height in heights]


def _names(form: Form, columns: tuple[str, ...]) -> list[str]:
    """Return the columns that were chosen, by their places."""
    places = [int(text) for text in form.all("column") if text.isascii() and text.isdigit()]
    if not places or max(places) >= len(columns):
        raise InputError("Choose one column or more in the table first.")
    return [columns[at] for at in places]


def _decide(request: Request, form: Form) -> str:
    key, trip = trip_of(request)
    trip.by = form.needed("by", "Give your name: the dossier says who decided.")
    today, decision = dt.date.today(), form.needed("decision", "Choose a decision.")
    if decision == "guess":
        trip.noted().accept_guesses(trip.by, today)
        return f"/records/{key}/columns"
    names = _names(form, trip.release().columns)
    reason = form.needed("reason", "Give a reason in a few words: the dossier repeats it.")
    if decision == "pseudonym":
        for name in names:
            trip.noted().pseudonym(name, reason, trip.by, today)
    else:
        role, _, treatment = decision.partition(":")
        trip.noted().classify(names, role, reason, trip.by, today, **({"treatment": treatment} if treatment else {}))
    one = form.text("here")  # the screen of one column
    return f"/records/{key}/columns/{int(one)}" if one.isascii() and one.isdigit() else f"/records/{key}/columns"


def _values(request: Request, form: Form) -> dict[str, Any]:
    """Return the most frequent values of a column, which somebody asked for."""
    _, trip = trip_of(request)
    (name,) = _names(form, trip.release().columns)
    values = json.loads((trip.folder / VALUES).read_text(encoding="utf-8"))
    return {"values": values.get(name, [])}


def _column(request: Request) -> Response:
    from policy_sim.release.treatments import KINDS, ROLES

    _, trip = trip_of(request)
    rows, at = _column_rows(trip), request.path_params["at"]
    if at >= len(rows):
        raise InputError("There is no such column.")
    return show(request, "records_column.html", "columns", row=rows[at], kinds=KINDS, roles=ROLES)


def _state(request: Request, form: Form) -> str:
    """Write what only one column at a time is asked: its kind, the youngest age at its dates, what it is not."""
    key, trip = trip_of(request)
    opened = trip.release()
    (name,) = _names(form, opened.columns)
    trip.by = form.needed("by", "Give your name: the dossier says who decided.")
    reason, today = form.needed("reason", "Give a reason in a few words."), dt.date.today()
    what = form.text("what")
    if what == "youngest":
        age = form.text("youngest")
        if not (age.isascii() and age.isdigit()):
            raise InputError("Give an age in whole years, such as 65.")
        trip.noted().state_youngest(name, int(age), reason, trip.by, today)
    elif what == "is_not":
        trip.noted().state_is_not(name, form.text("is_not"), reason, trip.by, today)
    else:
        role = opened.project.role_of(name)
        if role == "undecided":
            raise InputError("Decide on the column first: what it is read as counts only for one that has a decision.")
        read_as = {"kind": form.text("kind"), "format": form.text("form")}
        trip.noted().classify(
            [name], role, reason, trip.by, today, **{key: text for key, text in read_as.items() if text}
        )
    return f"/records/{key}/columns/{request.path_params['at']}"


# The rule, or how much risk.


def _aim(request: Request) -> Response:
    from policy_sim.policies.files import list_policies

    key, trip = trip_of(request)
    project = trip.release().project
    asked = project.edition.asked(project.answers)
    steps = [(step, [q for q in asked if q.step == step.id]) for step in project.edition.steps]
    others = [name for name in list_policies() if name not in ("safe-harbor", "limited-dataset")]
    return show(
        request,
        "records_aim.html",
        "aim",
        project=project,
        missing=missing_of(key, project) if project.target.aim == "threshold" else [],
        needed=project.open_for_assessment() if project.target.aim == "threshold" else [],
        others=others,
        steps=[(step, questions) for step, questions in steps if questions],
    )


def missing_of(key: str, project: Project) -> list[dict[str, str]]:
    """Return what a run still needs, each with the screen and the field where it is given."""
    asked = project.open_for_assessment() if project.target.aim == "threshold" else []
    here, rows = f"/records/{key}", list[dict[str, str]]()
    if project.nothing_to_release:
        rows.append({"text": "decide on a column that may leave", "where": f"{here}/columns"})
    for name in asked:
        question = project.edition.question(name)
        rows.append({"text": f"answer “{question.asks}”", "where": f"{here}/aim#answer-{name}"})
    if not rows and project.missing_for_run:
        rows = [{"text": text, "where": f"{here}/aim"} for text in project.missing_for_run]
    return rows


def _set_aim(request: Request, form: Form) -> str:
    from policy_sim.policies.files import load_policy

    key, trip = trip_of(request)
    opened, aim = trip.noted(), form.text("aim")
    if aim == "risk":
        opened.set("target", aim="risk", threshold=form.text("threshold").replace(",", "."), policy="", sizes="file")
    elif aim == "threshold":
        opened.set("target", aim="threshold", policy="", threshold="")
    else:
        policies = {"areas": _AREAS.format(size=form.text("areas")), "other": form.text("policy")}
        policy = policies.get(aim, aim)
        load_policy(policy)  # an unknown one is refused here
        opened.set("target", aim="policy", policy=policy, threshold="")
    opened.set("about", **{name: form.text(name) for name in ABOUT})
    return f"/records/{key}/aim" if aim == "threshold" else f"/records/{key}/left"


def _set_search(request: Request, form: Form) -> str:
    """Write how the search may go: how many rows it may suppress, how it recodes, and what an attacker knows."""
    key, trip = trip_of(request)
    opened, limit = trip.noted(), form.text("limit").removesuffix("%").strip().replace(",", ".")
    try:
        share = float(limit) / 100
    except ValueError:
        raise InputError("Give a percentage of the rows, such as 5.") from None
    if not 0 <= share <= 1:
        raise InputError("Give a percentage of the rows from 0 to 100.")
    opened.set("settings", limit=share, recoding=form.text("recoding"))
    opened.set("target", known=form.text("known"))
    return f"/records/{key}/left"


def _answer(request: Request, form: Form) -> str:
    """Write the answers of the edition that were given or changed."""
    key, trip = trip_of(request)
    opened = trip.release()
    trip.by = form.needed("by", "Give your name: the dossier says who answered.")
    before = dict(opened.project.answers)
    for question in opened.project.edition.questions:
        value, evidence = form.text(f"answer:{question.id}"), form.text(f"evidence:{question.id}")
        known = before.get(question.id)
        if value and (known is None or (known.value, known.evidence) != (value, evidence)):
            try:
                trip.noted().answer(question.id, value, evidence, trip.by, dt.date.today())
            except InputError as error:
                raise InputError(str(error).replace(question.id, f"“{question.asks}”:", 1)) from None
    return f"/records/{key}/aim"


routes = [
    screen("/records/new/{key}", _new),
    change("/records/new/{key}", _begin),
    screen("/records/{key}/open", _open),
    change("/records/{key}/open", _describe),
    screen("/records/{key}", _what),
    change("/records/{key}/person", _person),
    screen("/records/{key}/map", _map),
    screen("/records/{key}/codes", _codes),
    change("/records/{key}/codes", _map_codes),
    screen("/records/{key}/columns", _columns),
    change("/records/{key}/columns", _decide),
    change("/records/{key}/values", _values),
    screen("/records/{key}/columns/{at:int}", _column),
    change("/records/{key}/columns/{at:int}", _state),
    screen("/records/{key}/aim", _aim),
    change("/records/{key}/aim", _set_aim),
    change("/records/{key}/search", _set_search),
    change("/records/{key}/answers", _answer),
]
