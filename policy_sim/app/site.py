"""The application: the screens of all modules, and the guard in front of them."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from policy_sim.app import home, records, releases, states, table_batches, tables
from policy_sim.app.screens import Desk, page
from policy_sim.app.security import Guard
from policy_sim.app.worker import FAULT

_MODULES = (home, records, releases, table_batches, tables, states)


def application(desk: Desk, first: str = "/") -> Guard:
    """Return the application behind its guard; ``first`` is the screen that the token opens."""
    routes: list[Route | Mount] = [route for module in _MODULES for route in module.routes]
    routes.append(Mount("/static", StaticFiles(packages=[("policy_sim.app", "static")])))
    inner = Starlette(routes=routes, exception_handlers={404: _not_found, 405: _not_found, Exception: _failed})
    inner.state.desk = desk
    return Guard(inner, desk.keys, first)


def _not_found(request: Request, _: Exception) -> Response:
    return page(request, "error.html", 404, text="There is no such screen.", back="/", path="/")


def _failed(request: Request, error: Exception) -> Response:
    """Say that the program failed, and not what a message of a library quotes."""
    text = FAULT.format(kind=type(error).__name__)
    if request.method != "GET":
        return JSONResponse({"error": text}, 500)
    return page(request, "error.html", 500, text=text, back="/")


def first_screen(desk: Desk, file: Path | None) -> str:
    """Return the path of the screen that a file on the command line opens."""
    return "/" if file is None else home.door_of(desk, file)
