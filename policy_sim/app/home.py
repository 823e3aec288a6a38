"""The first screen with its doors, folders of projects, uploads, the page of a job, and the end."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from policy_sim.app.named_files import file_of, path_of
from policy_sim.app.screens import Desk, Form, change, desk_of, page, rooted, screen, see
from policy_sim.words.errors import InputError, PolicySimError, SourceError

MOST_UPLOADED = 512_000_000  # bytes; a larger file is named by its path, and not copied
RECORD_ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".xlsx", ".xlsm", ".parquet", ".pq", ".sas7bdat", ".dta", ".sav")
_MOST_LISTED = 200
_RECORDS = "/records/new"  # what asks first about a file of records
_LONGEST_NAME = 120  # bytes of the name of a file that is dropped


def door_of(desk: Desk, file: Path, ask: str = "/file") -> str:
    """Return the screen that opens a file: a project goes on, and ``ask`` is what comes first for any other file."""
    file = file.absolute()
    if file.suffix.casefold() == ".toml":
        from policy_sim.app.records import opened_project

        return opened_project(desk, file)
    return f"{ask}/{desk.put(file)}"


def _home(request: Request) -> Response:
    return page(request, "home.html", most=MOST_UPLOADED, releases=_releases(desk_of(request)))


def _releases(desk: Desk) -> list[dict[str, str]]:
    """Return the releases that are open in this window, the latest first; of a project opened twice, the latest."""
    from policy_sim.app.records import Trip

    found = {trip.project: (key, trip) for key, trip in desk.all(Trip).items() if trip.project.is_file()}
    return [
        {"title": trip.title, "place": "" if trip.is_private else str(trip.project), "go": f"/records/{key}"}
        for key, trip in reversed(found.values())
    ]


def _open(request: Request, form: Form) -> str:
    ask = _RECORDS if form.text("door") == "records" else "/file"
    return door_of(desk_of(request), file_of(form.needed("path", "Give the path of a file.")), ask)


def _file(request: Request) -> Response:
    file: Path = desk_of(request).get(request.path_params["key"], Path)
    return page(request, "file.html", name=file.name, key=request.path_params["key"])


def upload(path: str, door: Callable[[Request, Desk, Path], str]) -> Route:
    """Return the route of a drop zone; ``door`` returns the screen that opens the file."""

    async def endpoint(request: Request) -> Response:
        return await _upload(request, door)

    return Route(path, endpoint, methods=["PUT"])


async def _upload(request: Request, door: Callable[[Request, Desk, Path], str]) -> Response:
    """Write a file that was dropped on a page into a private folder, with the name that it has."""
    desk = desk_of(request)
    name = Path(unquote(request.headers.get("x-file-name", "")).replace("\\", "/")).name.replace("\0", "")
    name = "".join(letter if letter.isprintable() else "_" for letter in name)
    name = os.fsencode(name)[-_LONGEST_NAME:].decode(errors="ignore").lstrip(".") or "file.csv"
    path = desk.private("upload") / name
    size = 0
    try:
        with path.open("xb") as file:
            async for part in request.stream():
                size += len(part)
                if size > MOST_UPLOADED:
                    raise InputError("The file is too large to drop. Give its path instead: it is then not copied.")
                file.write(part)
        if not size:
            raise InputError("The file is empty. Choose a file with content.")
        return JSONResponse({"go": rooted(request, await run_in_threadpool(door, request, desk, path))})
    except (PolicySimError, OSError) as error:
        path.unlink(missing_ok=True)
        text = str(error) if isinstance(error, PolicySimError) else "The file cannot be kept: is the disk full?"
        return JSONResponse({"error": text}, 422)


# Projects and files of a folder.


def _choose_folder(request: Request, form: Form) -> str:
    folder = path_of(form.needed("folder", "Give the path of a folder."))
    if not _is_folder(folder):
        raise SourceError("There is no such folder. Give its whole path, as your file manager shows it.")
    return f"/folder/{desk_of(request).put(folder)}"


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that is too long, or a folder that may not be read
        return False


def _folder(request: Request) -> Response:
    folder: Path = desk_of(request).get(request.path_params["key"], Path)
    return page(request, "folder.html", folder=str(folder), projects=list(_projects(folder)), files=_files(folder))


def _projects(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the release projects of a folder, and of the folders in it, the latest first."""
    found = [*_listed(folder, "*.toml"), *_listed(folder, "*/*.toml")]
    for path in found[:_MOST_LISTED]:
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if "variables" in table and "file" in table:
            verdict = str(table.get("results", {}).get("verdict", ""))
            place = path.relative_to(folder).as_posix()
            yield {"title": str(table.get("title", path.stem)), "path": str(path), "place": place, "verdict": verdict}


def _files(folder: Path) -> list[dict[str, str]]:
    found = [path for path in _listed(folder, "*") if path.suffix.casefold() in RECORD_ENDINGS]
    return [{"name": path.name, "path": str(path)} for path in found[:_MOST_LISTED]]


def _listed(folder: Path, pattern: str) -> list[Path]:
    try:
        found = [path for path in folder.glob(pattern) if path.is_file() and not path.name.startswith(".")]
        return sorted(found, key=lambda path: -path.stat().st_mtime)
    except OSError:
        return []


# Jobs, and the end.


def _job(request: Request) -> Response:
    job = desk_of(request).jobs[request.path_params["key"]]
    if job.state == "done":
        return see(request, job.go)
    return page(request, "job.html", job=job, key=job.key)


def _job_now(request: Request) -> Response:
    now = desk_of(request).jobs[request.path_params["key"]].as_json()
    return JSONResponse(now | {"go": rooted(request, now["go"])})


def _cancel(request: Request, _: Form) -> str:
    jobs = desk_of(request).jobs
    job = jobs[request.path_params["key"]]
    jobs.cancel(job)
    return job.back


def _ask_stop(request: Request) -> Response:
    return page(request, "stop.html", unsaved=desk_of(request).unsaved())


def _stop(request: Request, _: Form) -> dict[str, Any]:
    desk_of(request).stop()
    return {"stopped": True}


def _here(_: Request) -> Response:
    """Answer a page that somebody still looks at."""
    return JSONResponse({})


routes = [
    screen("/", _home),
    change("/open", _open),
    screen("/file/{key}", _file),
    upload("/upload", lambda _, desk, path: door_of(desk, path, _RECORDS)),
    change("/folder", _choose_folder),
    screen("/folder/{key}", _folder),
    screen("/jobs/{key}", _job),
    screen("/jobs/{key}/now", _job_now),
    change("/jobs/{key}/cancel", _cancel),
    screen("/stop", _ask_stop),
    change("/stop", _stop),
    screen("/here", _here),
]
