"""A real server, and a window of Chromium that it opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra app is not installed")
pytest.importorskip("uvicorn", reason="the extra app is not installed")

from benchmarks.app_server import Served, serving

PATIENCE = 180_000  # milliseconds


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    """One server for the tests of a file."""
    with serving(tmp_path_factory.mktemp("temporary")) as started:
        yield started


def window(browser: Any, served: Served, width: int = 1280, **options: Any) -> Any:
    """Open the one window of a server; its requests and errors are in ``page.requests`` and ``page.errors``."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.requests, page.errors = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    page.goto(served.address)
    served.root = page.evaluate("document.body.dataset.root")
    return page


@pytest.fixture(scope="module")
def opened(browser, served):
    """The window of the server of a file of tests."""
    page = window(browser, served)
    yield page
    page.context.close()
