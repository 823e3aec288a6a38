"""The screens of a file of records attacked and read by a machine, in real Chromium.

``python -m benchmarks.app_records [--names N]`` takes thirty hostile texts through every screen of a file of records:
as names of columns, values, codes, labels of SPSS, names of files and of sheets, and as what somebody types. It prints
what ran (nothing), what stood in a source as it was, barriers of axe on each screen at three widths, and connections to
anywhere else, counted at the sockets of the server and of the browser.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

from benchmarks.app import HOSTILE, Seen, hostile_names, served

_ROWS = 240
_LOUD = " ".join(HOSTILE[:6])  # what somebody types


def hostile_table() -> pd.DataFrame:
    """Return records with each text as the name of a column, as a value, and as a code."""
    texts = [HOSTILE[at % len(HOSTILE)] for at in range(_ROWS)]
    table = pd.DataFrame(
        {
            "age": [str(20 + at % 60) for at in range(_ROWS)],
            "sex": [text if at % 8 == 7 else "FM"[at % 2] for at, text in enumerate(texts)],
            "race": [text if at % 3 == 2 else "White" for at, text in enumerate(texts)],
            "county": [text if at % 8 == 5 else ("Lucas", "Wood")[at % 2] for at, text in enumerate(texts)],
            "state": [text if at % 40 == 9 else "OH" for at, text in enumerate(texts)],
            "zip": [text if at % 8 == 3 else f"436{at % 30:02}" for at, text in enumerate(texts)],
            "dx": texts,
        }
    )
    others = {name: [text for text in HOSTILE if text != name] for name in HOSTILE}  # else the names look like a record
    return table.assign(**{name: (own * (_ROWS // len(own) + 1))[:_ROWS] for name, own in others.items()})


def hostile_files(folder: Path) -> Iterator[Path]:
    """Write the records as CSV, and as SPSS with each text as a label of a column and of a value."""
    table = hostile_table()
    table.to_csv(folder / "records.csv", index=False)
    yield folder / "records.csv"
    coded = table.iloc[:, :7].assign(
        sex=[float(at % 30) for at in range(_ROWS)], **{f"v{at}": float(at) for at in range(30)}
    )
    labels = [_LOUD[:200]] * 7 + list(HOSTILE)
    values = {"sex": dict(enumerate(text[:60] for text in HOSTILE))}
    pyreadstat.write_sav(coded, folder / "labels.sav", column_labels=labels, variable_value_labels=values)
    yield folder / "labels.sav"


def _button(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def _new(seen: Seen, path: Path) -> bool:
    """Choose a file and begin; return whether it was read."""
    page = seen.page
    page.goto(seen.own)
    page.set_input_files("#records-file", str(path))
    page.wait_for_url("**/records/new/*")
    seen.look(f"new: {path.name[:20]}", axe=path.stem == "records")
    _button(page, "Read the file")
    page.locator(".tiles").or_(page.locator("[data-failed]:not([hidden])")).first.wait_for()
    return page.locator(".tiles").count() > 0


def _trip(seen: Seen, path: Path) -> None:
    page, axe = seen.page, path.stem == "records"
    assert _new(seen, path), path.name
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.look(f"{path.name}: what it is", axe=axe)
    root = page.url
    page.goto(f"{root}/codes")
    seen.look(f"{path.name}: codes", axe=axe)
    page.goto(f"{root}/columns")
    seen.look("columns", axe=axe)
    page.fill("#by-guess", _LOUD)
    with page.expect_navigation():
        _button(page, "Accept them")
    page.locator("[data-all=columns]").check()
    page.select_option("#decision", "other")
    page.fill("#reason", _LOUD)
    page.fill("#by", _LOUD)
    for at in range(7):
        page.locator(f"input[name=column][value='{at}']").uncheck()
    with page.expect_navigation():
        _button(page, "Decide")
    page.get_by_text(" columns have a decision").wait_for()
    seen.look("columns decided", axe=axe)
    for at in range(page.locator("#columns tbody tr").count()):
        page.goto(f"{root}/columns/{at}")
        _button(page, "Show the most frequent values")
        page.locator("[data-values] .scroll:not([hidden])").wait_for()
        seen.look(f"column {at}", axe=axe and at in (1, 9))
    page.goto(f"{root}/aim")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for field in page.locator("input[name^='answer:'][type=text], input[name^='evidence:']").all():
        field.fill(_LOUD)
    page.locator("form[action$='/answers'] #by").fill(_LOUD)
    with page.expect_navigation():
        _button(page, "Save the answers")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.look("aim", axe=axe)
    _left(seen, root, axe)


def _left(seen: Seen, root: str, axe: bool) -> None:
    page = seen.page
    page.goto(f"{root}/left")
    seen.look("left, not measured", axe=axe)
    for button in ("Measure", "Compare rules and class sizes", "Count"):
        _button(page, button)
        page.wait_for_url("**/jobs/*")
        page.locator("#main h1:text-is('What is left, and at what risk?')").or_(
            page.locator("[data-failed]:not([hidden])")
        ).first.wait_for()
        page.goto(f"{root}/left")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.look("left", axe=axe)
    page.goto(f"{root}/result")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.look("result, not made", axe=axe)
    if page.get_by_role("button", name="Make the release").count():
        _button(page, "Make the release")
        page.get_by_text("What was tried").or_(page.locator("[data-failed]:not([hidden])")).first.wait_for()
        page.goto(f"{root}/result")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen.made += page.get_by_text("What was tried").count()
    for name in ("what", "period", "recipient"):
        page.fill(f"#about-{name}", _LOUD)
    seen.look("result", axe=axe)


def sockets_of_browser(log: Path) -> list[str]:
    """Return where the browser's sockets went, but for this machine, from its own log: also what no page asked for."""
    found = re.findall(r'"destination":"([^"]+)"', log.read_text(encoding="utf-8"))
    return sorted({place for place in found if not place.startswith("http://127.0.0.1")})


def main(arguments: list[str]) -> None:
    """Print what was counted; ``--names N`` takes N names of files."""
    from playwright.sync_api import sync_playwright

    names = int(arguments[arguments.index("--names") + 1]) if "--names" in arguments else len(HOSTILE)
    folder = Path(tempfile.mkdtemp())
    try:
        log = folder / "network.json"
        with served(folder) as address, sync_playwright() as engine:
            own = "AutofillServerCommunication,OptimizationHints,MediaRouter,Translate"  # what Chromium asks by itself
            words = ["--no-sandbox", f"--log-net-log={log}", f"--disable-features={own}", "--disable-component-update"]
            browser = engine.chromium.launch(executable_path=shutil.which("chromium"), args=words)
            seen = Seen(browser, address)
            (folder / "files").mkdir()
            for path in hostile_files(folder / "files"):
                _trip(seen, path)
            read = sum(_new(seen, path) for path in [*hostile_names(folder / "files")][:names])
            browser.close()
            counted = {"screens": seen.screens, "releases made": seen.made, "names of files": names, "read": read}
            print(json.dumps(counted | {"ran": seen.ran}))
            print(json.dumps({"barriers": seen.barriers, "errors": seen.errors, "elsewhere": seen.elsewhere}, indent=1))
            connections = (folder / "connections").read_text(encoding="utf-8").splitlines()
            print(json.dumps({"connections of the server": connections, "of the browser": sockets_of_browser(log)}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
