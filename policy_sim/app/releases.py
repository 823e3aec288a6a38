"""The screens of a project after its aim: what is left, the run, and its folder, as a download and as commands."""

from __future__ import annotations

import math
import shlex
import zipfile
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from policy_sim.app.jobs import Job
from policy_sim.app.named_files import path_of
from policy_sim.app.records import ABOUT, Trip, missing_of, show, trip_of
from policy_sim.app.records_work import AIMS, MAPPING
from policy_sim.app.screens import Form, change, desk_of, screen, sent
from policy_sim.app.work_log import options, seed_of
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES

_FORMS = ("csv", "xlsx", "parquet")
_OPEN = "left out: a person must decide"


# What is left.


def _left(request: Request) -> Response:
    key, trip = trip_of(request)
    project, points, measured = trip.release().project, _points(trip), trip.shown_now("measure")
    return show(
        request,
        "records_left.html",
        "left",
        missing=missing_of(key, project),
        measured=measured,
        open=[row["name"] for row in measured["variables"] if row["done"].startswith(_OPEN)] if measured else [],
        compared=points,
        chart=_chart(points, measured),
        attackers=trip.shown_now("attackers"),
        states=[(state.postal, state.name) for state in STATES.values()],
        target=project.target,
        about=project.about,
        by_people=bool(measured) and measured["by_people"],
    )


def _points(trip: Trip) -> list[dict[str, Any]]:
    """Return one point per aim: that of the recoding that keeps most."""
    best: dict[str, dict[str, Any]] = {}
    for row in trip.shown_now("compare") or ():
        known = best.get(row["threshold"])
        if known is None or known["loss"] is None or (row["loss"] is not None and row["loss"] < known["loss"]):
            best[row["threshold"]] = row
    return [row | {"kept": None if row["loss"] is None else 1 - row["loss"]} for row in best.values()]


def _chart(points: list[dict[str, Any]], measured: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return where the picture has each aim: detail kept from left to right, mean risk upward by powers of ten."""
    drawn = [row for row in points if row["kept"] is not None and row["mean_risk"]]
    if not drawn:
        return None
    marks = [(row["threshold"], row["kept"], row["mean_risk"], True) for row in drawn]
    if measured and measured["before"]["average"]:
        marks.append(("the file as it is", 1.0, measured["before"]["average"], False))
    lowest = min(-1, *(math.floor(math.log10(risk)) for _, _, risk, _ in marks))
    left: float = min(0.75, *(math.floor(4 * kept) / 4 for _, kept, _, _ in marks))
    shares = [left + quarter / 4 for quarter in range(round(4 * (1 - left)) + 1)]

    def place(kept: float) -> int:
        return 62 + round(360 * (kept - left) / (1 - left))

    rows: list[dict[str, Any]] = []
    for name, kept, risk, is_choice in sorted(marks, key=lambda mark: -mark[2]):
        x, y = place(kept), 36 + round(244 * math.log10(risk) / lowest)
        to_left = x > 270
        beside = [row["label"] for row in rows if row["to_left"] == to_left and abs(row["x"] - x) < 130]
        label = max([y + 4, *(other + 15 for other in beside)])
        more = {"kept": kept, "risk": risk, "is_choice": is_choice, "label": label, "to_left": to_left}
        rows.append({"name": name, "x": x, "y": y, **more})
    for row in rows:
        row["text_x"] = _clear_of(row, rows)
    ticks = [(36 + round(244 * power / lowest), 10.0**power) for power in range(0, lowest - 1, -1)]
    return {
        "marks": rows,
        "ticks": ticks,
        "shares": [(place(share), share) for share in shares],
        "height": max(330, max(row["label"] for row in rows) + 20),
    }


def _clear_of(row: dict[str, Any], rows: list[dict[str, Any]]) -> int:
    """Return where the name of a mark begins, or ends to the left, so that it covers no mark."""
    side = -1 if row["to_left"] else 1
    x: int = row["x"] + 12 * side
    for other in sorted(rows, key=lambda other: side * int(other["x"])):
        beside = side * (other["x"] - x)
        if abs(other["y"] - row["label"] + 4) < 14 and -6 < beside < 130:
            x = other["x"] + 12 * side
    return x


def _job(request: Request, work: str, title: str, **arguments: Any) -> Job:
    """Start what a screen shows of the project as it is now."""
    key, trip = trip_of(request)
    now, here = trip.now, f"/records/{key}/left"

    def then(found: Any) -> str:
        trip.shown[work] = now, found
        return here

    asked = {"project": str(trip.project), **arguments}
    return desk_of(request).jobs.start(f"records_work:{work}", asked, title=title, then=then, back=here)


def _measure(request: Request, _: Form) -> Job:
    return _job(request, "measure", "Measuring what is left")


def _compare(request: Request, form: Form) -> Job:
    aims = [aim for aim in (*AIMS, form.text("more")) if aim]
    return _job(request, "compare", "Comparing rules and class sizes", aims=list(dict.fromkeys(aims)))


def _attackers(request: Request, form: Form) -> Job:
    trip_of(request)[1].noted().set("about", state=form.text("state"))
    return _job(request, "attackers", "Linking with the census and voter lists")


def _choose(request: Request, form: Form) -> str:
    """Aim at a point of the picture."""
    key, trip = trip_of(request)
    aim, opened = form.needed("aim", "Choose a rule or a class size."), trip.noted()
    if aim.startswith("k="):
        opened.set("target", aim="risk", threshold=aim, policy="", sizes="file")
    else:
        opened.set("target", aim="policy", policy=aim, threshold="")
    return f"/records/{key}/left"


# The run and its folder.


def out_of(trip: Trip) -> Path:
    """Return the folder that a run writes: the last one, or ``released`` next to the project."""
    return Path(trip.result["out"]) if trip.result else trip.project.parent / "released"


def _result(request: Request) -> Response:
    key, trip = trip_of(request)
    opened = trip.release()
    out = out_of(trip)
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) if trip.result else []
    return show(
        request,
        "records_result.html",
        "result",
        missing=missing_of(key, opened.project),
        out=str(out),
        files=files,
        project=opened.project,
        about=opened.project.about,
        project_text=trip.project.read_text(encoding="utf-8"),
        paper_command=_paper_command(trip),
        commands=_commands(trip, opened.project, out),
        is_whole=trip.log.is_at(trip.now),
        has_key=any(variable.treatment == "pseudonym" for variable in opened.project.variables),
        key_file=str(trip.project.parent / opened.project.settings.key_file),
        forms=_FORMS,
        needs_state=not any(row["state"] for row in trip.seen.get("places", ())),
        states=[(state.postal, state.name) for state in STATES.values()],
    )


def _commands(trip: Trip, project: Any, out: Path) -> list[str]:
    """Return the commands that make the project and its folder; the run alone, if the window did not do all of it."""
    file = project.path.name if trip.is_private else str(project.path)
    name = trip.project.name if trip.is_private else str(trip.project)
    commands: list[list[str]] = []
    if trip.log.is_at(trip.now):
        commands += trip.log.commands(file, name)
        seed = seed_of(out) if trip.result and project.settings.seed is None else None
        if seed is not None:
            commands.append(["policy-sim", "release", "step", name, *options([("set", f"settings.seed={seed}")])])
    written = {"out": out.name if trip.is_private else str(out), "as": trip.result["form"] if trip.result else ""}
    commands.append(["policy-sim", "release", "run", name, *options(written.items())])
    return [shlex.join(words) for words in commands]


def _paper_command(trip: Trip) -> str:
    """Return the command that writes the paper of a project."""
    project, out = trip.project, trip.project.with_name("paper.pdf")
    names = (project.name, out.name) if trip.is_private else (str(project), str(out))
    return shlex.join(["policy-sim", "brief", *options(zip(("project", "out"), names, strict=True))])


def _run(request: Request, form: Form) -> Job:
    key, trip = trip_of(request)
    trip.release().project.check_ready()
    out = path_of(form.text("folder")) if form.text("folder") and not trip.is_private else out_of(trip)
    written = form.text("form")
    if written not in ("", *_FORMS):
        raise InputError("Choose a format of the list.")
    here = f"/records/{key}/result"

    now = trip.now

    def then(result: dict[str, Any]) -> str:
        trip.result, trip.made_of = result | {"form": written}, now
        return here

    arguments = {"project": str(trip.project), "out": str(out), "form": written}
    return desk_of(request).jobs.start(
        "records_work:run", arguments, title="Making the release", then=then, back=here, outs=(out,)
    )


def _download(request: Request) -> Response:
    """Send ``send/`` and ``keep/`` of the last run as one file."""
    _, trip = trip_of(request)
    if trip.result is None:
        raise InputError("Nothing was made yet. Make the release first.")
    out, path = out_of(trip), trip.folder / "release.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(out.rglob("*")):
            if file.is_file():
                packed.write(file, file.relative_to(out).as_posix())
    trip.taken |= {"folder": trip.result, "folder's project": trip.made_of}
    return sent(path, "release.zip", "application/zip")


def _project_file(request: Request) -> Response:
    _, trip = trip_of(request)
    trip.taken["project"] = trip.now
    return sent(trip.project, "release.toml", "application/toml")


def _dossier(request: Request) -> Response:
    _, trip = trip_of(request)
    if trip.result is None:
        raise InputError("Nothing was made yet. Make the release first.")
    return sent(out_of(trip) / "keep" / "dossier.docx", "dossier.docx")


def _paper(request: Request, form: Form) -> Job:
    """Write the paper about the file and what it is released under."""
    key, trip = trip_of(request)
    here, out = f"/records/{key}/result", trip.folder / "paper.pdf"
    trip.noted().set("about", **{name: form.text(name) for name in (*ABOUT, "state")})
    about = trip.release().project.about
    stated = {name: getattr(about, name) for name in ("what", "period", "recipient") if getattr(about, name)}

    def then(path: str) -> str:
        trip.paper, trip.taken["paper"] = Path(path), False
        return here

    arguments = {
        "project": str(trip.project),
        "written": trip.columns_written,
        "mapping": str(trip.folder / MAPPING),
        "out": str(out),
        "stated": stated,
    }
    return desk_of(request).jobs.start("records_work:paper", arguments, title="Writing the paper", then=then, back=here)


def _paper_file(request: Request) -> Response:
    _, trip = trip_of(request)
    if trip.paper is None:
        raise InputError("The paper was not written yet.")
    trip.taken["paper"] = True
    return sent(trip.paper, "paper.pdf", "application/pdf")


routes = [
    screen("/records/{key}/left", _left),
    change("/records/{key}/left", _measure),
    change("/records/{key}/compare", _compare),
    change("/records/{key}/attackers", _attackers),
    change("/records/{key}/choose", _choose),
    screen("/records/{key}/result", _result),
    change("/records/{key}/result", _run),
    screen("/records/{key}/download", _download),
    screen("/records/{key}/project", _project_file),
    screen("/records/{key}/dossier", _dossier),
    change("/records/{key}/paper", _paper),
    screen("/records/{key}/paper", _paper_file),
]
