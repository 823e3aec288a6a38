"""A real server, and a window of Chromium that it opened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the extra app is not installed")
pytest.importorskip("uvicorn", reason="the extra app is not installed")

from benchmarks.app_server import Served, serving

PATIENCE = 180_000  # milliseconds


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[Served]:
    """One server for all files of tests that need none to themselves; it is open."""
    with serving(tmp_path_factory.mktemp("temporary")) as started:
        started.open()
        yield started


@pytest.fixture(scope="module")
def opened(browser, served):
    """A window of the shared server, for a file of tests; ``page.requests`` and ``page.errors`` are what it had."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.requests, page.errors = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    name, _, value = served.cookie.partition("=")
    cookie = {"name": name, "value": value, "domain": "127.0.0.1", "path": f"{served.root}/"}
    context.add_cookies([cookie | {"httpOnly": True, "sameSite": "Strict"}])
    page.goto(served.home)
    yield page
    context.close()
