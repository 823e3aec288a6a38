"""One page for all tests of the explorer, and one opening of it for those that change no view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from small_people import run

from policy_sim.study.study import Study


@pytest.fixture(scope="session")
def study() -> Study:
    return Study("us-2020")


@pytest.fixture(scope="session")
def page_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    assert run("explorer", "--population", "us-2020", "--out", path).stdout == ""
    return path


# States that a test of the page as people use it asks about: each opening computes a fifth of what the nation takes.
SOME = ("DE", "HI", "IN", "MI", "NV", "OH", "OR", "RI", "TX", "UT", "VT", "WA", "WY")


@pytest.fixture(scope="session")
def some_file(study, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("some") / "explorer.html"
    path.write_text(Study(study.people.in_states(SOME)).explorer(), encoding="utf-8")
    return path


PATIENCE = 180_000  # milliseconds: the page computes the nation, on a machine that runs other tests


@contextmanager
def _opening(browser: Any, page_file: Path) -> Iterator[Callable[..., Any]]:
    """Open the page at a size and fragment; its requests and errors are in ``page.requests`` and ``page.errors``."""
    with ExitStack() as contexts:

        def at(fragment: str = "", width: int = 1440, height: int = 900, **options: Any) -> Any:
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            contexts.callback(context.close)
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.requests, page.errors = [], []
            page.on("request", lambda request: page.requests.append(request.url))
            page.on("pageerror", lambda error: page.errors.append(str(error)))
            page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
            page.goto(page_file.as_uri() + fragment)
            page.wait_for_selector("html[data-ready]")
            return page

        yield at


@pytest.fixture
def opened_some(browser, some_file):
    with _opening(browser, some_file) as at:
        yield at


@pytest.fixture(scope="module")
def first(browser, page_file):
    """The page as it opens, for tests that ask its model and leave the view as it is."""
    with _opening(browser, page_file) as at:
        yield at()


@pytest.fixture(scope="module")
def first_some(browser, some_file):
    """The same with some states."""
    with _opening(browser, some_file) as at:
        yield at()


@pytest.fixture
def without_ohio(browser, study, tmp_path):
    """A page of two states, neither of which is the one that the whole page begins with."""
    path = tmp_path / "explorer.html"
    path.write_text(Study(study.people.in_states(["DE", "VT"])).explorer(), encoding="utf-8")
    with _opening(browser, path) as at:
        yield at()


@pytest.fixture(scope="module")
def _going(browser, some_file):
    with _opening(browser, some_file) as at:
        yield at()


# The page is ready when its table is; the curves come when they are known, and until then the old ones stand there.
CURVES_DRAWN = """() => {
  const {app} = explorer;
  const asked = app.chosenStates().flatMap((state) => app.releases().map((name) => [state.code, app.view[name]]));
  const drawn = JSON.parse(app.curvesOf?.asked ?? "[]").map((line) => [line.code, line.policy]);
  return JSON.stringify(asked) === JSON.stringify(drawn);
}"""


@pytest.fixture
def at_address(_going):
    """One page for all tests that begin at an address: all of its view is in the address."""

    def at(fragment: str) -> Any:
        _going.evaluate(
            """(fragment) => {
              if (location.hash === fragment) return;
              delete document.documentElement.dataset.ready;
              location.hash = fragment;
            }""",
            fragment,
        )
        _going.wait_for_selector("html[data-ready]")
        _going.wait_for_function(CURVES_DRAWN)
        return _going

    return at
