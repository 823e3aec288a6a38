"""What every test may ask for."""

from __future__ import annotations

import gc
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import worker_order
from hypothesis import settings
from pinned import pinned

if TYPE_CHECKING:
    from policy_sim.people.store import ShippedPopulation

# How long an example takes says nothing about the code: the machine may be busy.
settings.register_profile("no-deadline", deadline=None, max_examples=pinned(40, 100))
settings.load_profile("no-deadline")

ROOT = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files that take longest first."""
    worker_order.longest_first(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep the tests of a file in one process, and those of a folder that share a setup."""
    return worker_order.scheduler(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    """Every test and module lives to the end of the run: the garbage collector need not look through them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(autouse=True)
def _width_of_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are as wide as in a pipe, however wide the terminal is that the tests run in."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory):
    """Nothing that a test keeps goes into the data folder of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLICY_SIM_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _shipped_people():
    """The same file gives the same people, which nobody changes: a command of a test need not read them again.

    Tests of reading take ``store.load_shipped`` itself.
    """
    from policy_sim.people import by_name, facts

    kept: dict[str, ShippedPopulation] = {}
    load = by_name.load_shipped

    def read_once(name: str) -> ShippedPopulation:
        if name not in kept:
            kept[name] = load(name)
        return kept[name]

    with pytest.MonkeyPatch.context() as patch:
        for module in (by_name, facts):
            patch.setattr(module, "load_shipped", read_once)
        yield kept


@pytest.fixture(scope="session", autouse=True)
def _no_helpers():
    """A command in the process of a test draws alone: a helper imports for seconds what this process has already.

    Processes that a test starts have theirs, and tests of helpers ask for a number of them.
    """
    from policy_sim.words import workers

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "_processors", lambda: 1)
        yield


@pytest.fixture(scope="module", autouse=True)
def _parts_of_people_end_with_a_file(_shipped_people):
    """What tests of one file made of the people, such as those of a state, would fill the memory of a worker."""
    yield
    if _shipped_people:
        from small_people import read_again

        _shipped_people |= {name: read_again(people) for name, people in _shipped_people.items()}


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of official tables and reference figures beside the checkout; skipped where absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder 'shared' with official tables and reference figures is not beside the checkout")
    return folder


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, one per module: while a driver runs, its event loop keeps others from starting."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()
