"""The screens of a state."""

from __future__ import annotations

from starlette.routing import Route

routes: list[Route] = []
