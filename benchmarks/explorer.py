"""How much a change of a control of the explorer takes until its figures, and until the ends of their ranges.

``python -m benchmarks.explorer [PAGE]`` opens the page (``reports/explorer.html`` by default) at Ohio in Chromium and
makes 31 changes, one after the other. It prints the milliseconds of processor time of the page's own thread until the
figures of the chosen state are drawn, and of that thread and the one that finds the ends until these are drawn too. On
a machine that does nothing else, a reader waits as long. Linux only: threads are read from ``/proc``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CHANGES: tuple[Mapping[str, Any], ...] = (
    *({"h": size} for size in (0.01, 1, 18000, 1)),
    *({"a": policy} for policy in ("county", "limited-dataset", "zip3", "limited-dataset")),
    *({"b": policy} for policy in ("safe-harbor-without-zip", "safe-harbor", "", "safe-harbor")),
    *({"who": who} for who in ("everyone", "list")),
    *({"cov": coverage} for coverage in ("adults", "registered", 0.6, "registered")),
    *({"g": size} for size in (2, 11, 5)),
    *({"birth": word} for word in ("year", "")),
    *({"gender": word} for word in ("withheld", "")),
    *({"m": measure} for measure in ("cost", "distinct", "risk")),
    *({"s2": "IN"}, {"s": "CA"}, {"s": "DE"}),
)
_POINT = """changes => new Promise((done) => {
  explorer.set(changes);  // takes the next frame, in which what follows is asked for too
  requestAnimationFrame(() => done(true));
})"""
_ENDS = "() => document.documentElement.dataset.ranged === String(explorer.app.run)"
_READY = "() => document.documentElement.dataset.ready === String(explorer.app.run)"
_REST = 0.5  # seconds between two changes


def _threads(process: int) -> tuple[str, list[str]]:
    """Return the main thread of a process, and those of its workers, the oldest first."""
    workers = []
    for thread in sorted((each.name for each in Path(f"/proc/{process}/task").iterdir()), key=int):
        name = Path(f"/proc/{process}/task/{thread}/comm").read_text(encoding="utf-8").strip()
        if name.startswith("DedicatedWorker"):
            workers.append(thread)
    return str(process), workers


def _milliseconds(process: int, thread: str) -> float:
    return int(Path(f"/proc/{process}/task/{thread}/schedstat").read_text(encoding="utf-8").split()[0]) / 1e6


def _page_process() -> int:
    """Return the process of the page: of all that this one started, the one with workers."""
    parents = {}
    for each in filter(str.isdigit, (each.name for each in Path("/proc").iterdir())):
        try:
            parents[int(each)] = int(
                Path(f"/proc/{each}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1]
            )
        except (FileNotFoundError, ProcessLookupError):
            continue

    def is_own(process: int) -> bool:
        return process == os.getpid() or (process in parents and is_own(parents[process]))

    return next(each for each in parents if each != os.getpid() and is_own(each) and _threads(each)[1])


def measured(page_file: Path) -> list[tuple[Mapping[str, Any], float, float]]:
    """Return each change with the milliseconds until its figures, and until the ends."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(180_000)
        page.goto(f"{page_file.resolve().as_uri()}#s=OH")
        page.wait_for_function(_READY)
        page.wait_for_function(_ENDS)
        process = _page_process()
        main, workers = _threads(process)
        of_ends = workers[-1]  # the last that is started (explorer/pool.js)
        for change in CHANGES:
            page.wait_for_function(_READY)
            time.sleep(_REST)
            own, other = _milliseconds(process, main), _milliseconds(process, of_ends)
            page.evaluate(_POINT, change)
            point = _milliseconds(process, main) - own
            page.wait_for_function(_ENDS)
            ends = _milliseconds(process, main) - own + _milliseconds(process, of_ends) - other
            found.append((change, point, ends))
        browser.close()
    return found


def main(arguments: list[str]) -> None:
    rows = measured(Path(arguments[0] if arguments else "reports/explorer.html"))
    for change, point, ends in rows:
        print(f"{change!s:40}{point:8.0f}{ends:8.0f}")
    points, all_ends = ([row[place] for row in rows] for place in (1, 2))
    print(
        f"{len(rows)} changes: {sum(ms < 100 for ms in points)} under 100 ms to the figures (most {max(points):.0f}), "
        f"{sum(ms < 400 for ms in all_ends)} under 400 ms to the ends (most {max(all_ends):.0f})"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
