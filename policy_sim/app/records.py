"""The screens of a file of records, from the file to the folder of its release."""

from __future__ import annotations

from pathlib import Path

from starlette.routing import Route

from policy_sim.app.screens import Desk


def opened_project(desk: Desk, path: Path) -> str:
    """Open a project file; return its first screen."""
    return f"/records/{desk.put(path)}"


routes: list[Route] = []
