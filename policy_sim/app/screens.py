"""What every screen is made of: its template, its form, its errors, and the job that a form starts."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from policy_sim.show.numbers import attacker_words, bare, people, percent
from policy_sim.words.errors import InputError, PolicySimError

if TYPE_CHECKING:
    from policy_sim.app.jobs import Job, Jobs
    from policy_sim.app.security import Keys

_MOST_OF_A_FORM = 16_000_000  # bytes


@dataclass(eq=False)
class Desk:
    """What the server has open: its private ``folder``, its jobs, and by key whatever a screen is about.

    A key is drawn, so that no address names a file.
    """

    folder: Path
    jobs: Jobs
    keys: Keys
    stop: Callable[[], None] = lambda: None
    _open: dict[str, Any] = field(default_factory=dict)

    def put(self, thing: Any) -> str:
        """Keep what screens are about; return its key."""
        key = secrets.token_urlsafe(9)
        self._open[key] = thing
        return key

    def get(self, key: str, kind: type[Any] = object) -> Any:
        """Return what has a key; it is of this kind, or there is no such screen."""
        thing = self._open.get(key)
        if thing is None or not isinstance(thing, kind):
            raise InputError("This window is of an earlier run of the program. Begin at the first screen.")
        return thing

    def all(self, kind: type[Any]) -> dict[str, Any]:
        """Return what is open of a kind, by key."""
        return {key: thing for key, thing in self._open.copy().items() if isinstance(thing, kind)}

    def unsaved(self) -> list[str]:
        """Say what is gone when the program ends: what no download and no folder has yet, and what still runs."""
        lost = [line for thing in self.all(object).values() for line in getattr(thing, "unsaved", ())]
        return [*lost, *(f"{title}: it is still running" for title in self.jobs.running)]

    def private(self, prefix: str) -> Path:
        """Make a new folder among the private ones, which are gone when the program ends."""
        folder = self.folder / f"{prefix}-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        return folder


def desk_of(request: Request) -> Desk:
    """Return what the server has open."""
    desk: Desk = request.app.state.desk
    return desk


class Form:
    """The fields of a form that was sent: one text or several by name."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self._fields = fields

    def text(self, name: str, default: str = "") -> str:
        """Return a field without blanks around it; the first where there are several."""
        return next(iter(self.all(name)), default).strip()

    def all(self, name: str) -> list[str]:
        """Return every text of a name."""
        return list(self._fields.get(name, ()))

    @property
    def names(self) -> list[str]:
        """The names of the fields."""
        return list(self._fields)

    def needed(self, name: str, what: str) -> str:
        """Return a field that must not be empty; ``what`` says how to fill it."""
        if not self.text(name):
            raise InputError(what)
        return self.text(name)


class _Rooted(Extension):
    """Lets a template name a screen by its path alone: ``="/states"`` becomes ``="{{ root }}/states"``."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """Return the text of a template with the root in front of each path."""
        return re.sub(r'="(?=/|\{\{ (?:job\.)?back \}\})', '="{{ root }}', source)


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("policy_sim.app", "templates"),
        autoescape=True,
        extensions=[_Rooted],
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "count": "{:,}".format,
        "percent": percent,
        "bare": bare,
        "people": people,
        "attacker": attacker_words,
    }
    return templates


def page(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page of a template; every text in it is escaped."""
    path = request.url.path if status == 200 else ""  # of a screen; nothing else of a request is repeated
    keys = desk_of(request).keys
    known = {"page_token": keys.page_token(), "path": path, "root": keys.root}
    shown = _templates().get_template(template).render(known | context)
    return HTMLResponse(shown, status)


def error_page(text: str, back: str = "") -> str:
    """Return a page that says what is wrong; it names no address of this server."""
    return _templates().get_template("error.html").render(text=text, back=back, page_token="", path="", root="")


def screen(path: str, show: Callable[[Request], Response]) -> Route:
    """Return the route of a page that changes nothing; ``show`` runs in a thread, and may raise our errors."""

    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(show, request)
        except PolicySimError as error:
            return page(request, "error.html", 422, text=str(error), back="/")

    return Route(path, endpoint, methods=["GET"])


def change(path: str, act: Callable[[Request, Form], str | Job | dict[str, Any]]) -> Route:
    """Return the route of a form that changes something.

    ``act`` runs in a thread. It returns the path of the next screen, a job, whose page comes next, or a table for the
    script of the page; our errors are shown in the form.
    """

    async def endpoint(request: Request) -> Response:
        try:
            form = await _form_of(request)
            done = await run_in_threadpool(act, request, form)
        except PolicySimError as error:
            return JSONResponse({"error": str(error)}, 422)
        if isinstance(done, dict):
            return JSONResponse(done)
        return JSONResponse({"go": rooted(request, done if isinstance(done, str) else f"/jobs/{done.key}")})

    return Route(path, endpoint, methods=["POST"])


async def _form_of(request: Request) -> Form:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST_OF_A_FORM:
            raise InputError("The form is too large.")
    try:
        fields = json.loads(bytes(body) or b"{}")
        return Form({str(name): list(map(str, texts)) for name, texts in fields.items()})
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise InputError("The form cannot be read. Reload the page.") from None


def sent(path: Path, name: str = "", kind: str = "application/octet-stream") -> Response:
    """Send a file, as a download of this name if it has one; it may be gone by now."""
    if not path.is_file():
        raise InputError("There is no such file. It may have been moved or deleted: make it again.")
    return FileResponse(path, filename=name or None, media_type=kind)


def rooted(request: Request, path: str) -> str:
    """Return the address of a screen from its path."""
    return f"{desk_of(request).keys.root}{path}"


def see(request: Request, path: str) -> Response:
    """Send the reader from one screen to another."""
    return RedirectResponse(rooted(request, path), status_code=303)
