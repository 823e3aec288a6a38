"""How several processes divide the tests: the longest files come first, and what shares a setup stays together."""

from __future__ import annotations

from typing import Any

import pytest

# Each of these takes a processor half a minute or more: one that came last would leave the others idle.
LONGEST = (
    "tests/records/engines/test_spark_engine.py",
    "tests/test_how_to.py",
    "tests/explorer/",
    "tests/atlas/",
    "tests/release/test_planted.py",
    "tests/test_hostile_calls.py",
    "tests/release/test_strangers.py",
    "tests/release/test_door.py",
    "tests/app/",
    "tests/test_page_figures.py",
    "tests/test_install.py",
    "tests/voter_lists/sql/test_stored_lists.py",
    "tests/words/test_workers.py",
    "tests/test_site.py",
    "tests/cli/test_fuzz.py",
    "tests/release/test_run.py",
    "tests/cli/test_secrets.py",
    "tests/test_other_systems.py",
    "tests/briefs/",
    "tests/model/",
    "tests/release/",
    "tests/areas/",
    "tests/building/",
    "tests/people/",
    "tests/cli/",
    "tests/tables/",
    "tests/records/",
)
# Folders whose tests share a setup of many seconds: one process makes it, and runs all of them.
TOGETHER = ("tests/app/", "tests/atlas/")


def longest_first(items: list[pytest.Item]) -> None:
    """Order tests by the place of their file among the longest; the others follow in their order."""

    def place(item: pytest.Item) -> int:
        starts = (at for at, start in enumerate(LONGEST) if item.nodeid.startswith(start))
        return next(starts, len(LONGEST))

    items.sort(key=place)


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process whole files of tests, or whole folders where their files share a setup."""
    from xdist.scheduler import LoadFileScheduling

    class _Scheduler(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return next((folder for folder in TOGETHER if nodeid.startswith(folder)), file)

    return _Scheduler(config, log)
