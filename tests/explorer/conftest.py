"""One page and one browser for all tests of the explorer."""

from __future__ import annotations

from pathlib import Path

import pytest

from policy_sim.study.study import Study


@pytest.fixture(scope="session")
def study() -> Study:
    return Study("us-2020")


@pytest.fixture(scope="session")
def page_file(study, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(study.explorer(), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, page_file):
    """Open the page at a size and fragment; its requests and errors are in ``page.requests`` and ``page.errors``."""
    contexts = []

    def at(fragment: str = "", width: int = 1440, height: int = 900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.requests, page.errors = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
        page.goto(page_file.as_uri() + fragment)
        page.wait_for_selector("html[data-ready]")
        return page

    yield at
    for context in contexts:
        context.close()
