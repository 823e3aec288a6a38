"""Whole trips through the app in real Chromium, by keyboard alone or by mouse; their folders equal those of commands.

``python -m benchmarks.app_trips [TRIP...]`` takes five trips, each once by keyboard alone and once by mouse: ``csv``, a
messy file to a folder under Safe Harbor; ``workbook``, one with several rows per person to a class size of 11 with a
pseudonym; ``ledger``, tables of two weeks; ``state``, to its paper;
``german``, a file with semicolons and decimal commas. It prints for each how many files there are, and
how many of them the commands wrote byte for byte: ``release run`` from the same project file, and the commands that
the screens show. ``LANG`` is that of the system, and ``--locale de-DE`` that of the browser.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.app import served

_FOCUSED = """() => {
  const one = document.activeElement;
  const label = one.labels?.[0]?.innerText ?? one.getAttribute("aria-label") ?? "";
  return [label, one.innerText ?? ""].map((text) => text.trim().split("\\n")[0]);
}"""
_CHECKED = """() => {
  const one = document.activeElement;
  return one.type === "radio" && one.checked ? one.labels[0].innerText.trim().split("\\n")[0] : "";
}"""
_MOST_KEYS = 150


class Hands:
    """A person in front of a window of the app, who has a keyboard alone, or a mouse too."""

    def __init__(self, page: Any, by: str) -> None:
        self.page, self.has_mouse = page, by == "mouse"

    def reach(self, name: str, *, starts: bool = False) -> None:
        """Press Tab until the focus is on what has this name, or one that starts with it."""
        for _ in range(_MOST_KEYS):
            self.page.keyboard.press("Tab")
            if any(text == name or (starts and text.startswith(name)) for text in self.page.evaluate(_FOCUSED)):
                return
        raise AssertionError(f"no Tab reaches {name!r} on {self.page.inner_text('main')[:400]}")

    def press(self, name: str, then: str) -> None:
        """Use a button or a link, and wait for a text of the next screen."""
        if self.has_mouse:
            button = self.page.get_by_role("button", name=name, exact=True)
            button.or_(self.page.get_by_role("link", name=name, exact=True)).first.click()
        else:
            self.reach(name)
            self.page.keyboard.press("Enter")
        self.page.get_by_text(then).first.wait_for()

    def write(self, name: str, text: str) -> None:
        """Write into a field, or choose what begins so in a list."""
        if not self.has_mouse:
            self.reach(name)
            if self.page.evaluate("document.activeElement.tagName") != "SELECT":
                self.page.keyboard.press("Control+a")
            self.page.keyboard.type(text)
            return
        field = self.page.get_by_label(name, exact=True).first
        if field.evaluate("field => field.tagName") != "SELECT":
            field.fill(text)
            return
        options = field.locator("option").all_inner_texts()
        field.select_option(label=next(option for option in options if option.startswith(text)))

    def take(self, name: str) -> Path:
        """Download by a link; return the file."""
        with self.page.expect_download() as started:
            if self.has_mouse:
                self.page.get_by_role("link", name=name).click()
            else:
                self.reach(name, starts=True)
                self.page.keyboard.press("Enter")
        return Path(started.value.path())

    def aim_at(self, name: str) -> None:
        """Choose a point of the picture, and wait until the project aims at it."""
        if self.has_mouse:
            self.page.get_by_role("button", name=f"Aim at {name}:").locator("circle.mark").click(force=True)
        else:
            self.reach(f"Aim at {name}:", starts=True)
            self.page.keyboard.press("Enter")
        self.page.locator("p:has-text('Aim:') strong", has_text=name).wait_for()

    def tick(self, name: str) -> None:
        """Tick a box."""
        if self.has_mouse:
            self.page.get_by_label(name, exact=True).check()
        else:
            self.reach(name)
            self.page.keyboard.press("Space")

    def choose(self, name: str, group: str) -> None:
        """Choose one of several that exclude each other; ``group`` is the name of their fields."""
        chosen = self.page.locator(f'input[name="{group}"]')
        if self.has_mouse:
            chosen.locator(f"xpath=ancestor::label[contains(., '{name}')]").click()
            return
        for _ in range(_MOST_KEYS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("document.activeElement.name") == group:
                break
        for _ in range(chosen.count()):
            if self.page.evaluate(_CHECKED) == name:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"no arrow reaches {name!r}")


CLAIMS = "claims <svg onload=alert(1)>.xlsx"  # no name, sheet or value may act on a page
_SHEET, _CODE = "Claims <b>", "<img src=x onerror=alert(2)>"


def claims_workbook(path: Path) -> None:
    """Write a workbook of 270 claims of 135 people, with a second sheet."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Codebook"
    book.active.append(["column", "meaning"])
    sheet = book.create_sheet(_SHEET)
    sheet.append(["mrn", "age", "sex", "state", "visit", "dx"])
    draw = random.Random(5)
    for person in range(135):
        sex = draw.choice("FM") if person else _CODE
        who = [f"M{100000 + person * 37}", draw.randrange(20, 90), sex, draw.choice(("OH", "IN", "MI"))]
        for _ in range(2):
            day = dt.date(2024, 1, 1) + dt.timedelta(days=draw.randrange(366))
            sheet.append([*who, day, draw.choice(("E11.9", "I10", "F32.9", "J45.909"))])
    book.save(path)


def workbook_to_class_size(hands: Hands) -> None:
    """Lead a workbook, whose first question is open, to what is left at a class size of 11, with a pseudonym."""
    page = hands.page
    hands.write("Sheet with the records", _SHEET)
    hands.choose("A class size or a level of risk", "aim")
    hands.press("Read the file", "people, by mrn")
    hands.press("Show them, and say what they mean", _CODE)
    hands.write(f"Meaning of {_CODE} in sex", "F")
    hands.press("Save all meanings", "Saved: 1 of 1 has a meaning")
    hands.press("Next: columns", "guesses to accept")
    hands.write("Your name", "A. Officer")
    hands.press("Accept them", "6 of 6 columns have a decision")
    hands.tick("Choose mrn")
    hands.write("Decision", "Keyed pseudonym")
    hands.write("Reason", "joins the claims of a person")
    hands.press("Decide", "direct: pseudonym")
    hands.tick("Choose dx")
    hands.write("Decision", "Other: keep")
    hands.write("Reason", "the question is about it")
    hands.press("Decide", "the question is about it")
    hands.press("Next: rule or risk", "What should the release meet?")
    hands.choose("A class size", "aim")
    hands.write("Threshold, such as k=11 or 0.09", "k=5")
    hands.write("Recipient", "State University")
    hands.press("Use this", "What is left, and at what risk?")
    hands.press("Compare rules and class sizes", "What each choice keeps")
    hands.aim_at("k=11")
    hands.press("Measure", "Field by field")
    assert page.locator("tr:has(th:text-is('mrn')) td").first.inner_text() == "keyed pseudonym"
    smallest = page.locator("tr:has(th:text-is('smallest class')) td").all_inner_texts()
    assert smallest[0] == "1", smallest
    assert int(smallest[1]) >= 11, smallest
    hands.press("Next: the folder", "The folder to hand over")


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file of a folder, by name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def messy_to_safe_harbor(hands: Hands) -> None:
    """Lead the file of visits, whose first question is open, to its folder."""
    page = hands.page
    hands.press("Read the file", "Where they live")
    page.locator(".tile", has_text="400").filter(has_text="rows").first.wait_for()  # a page may be read half arrived
    hands.press("Next: columns", "guesses to accept")
    hands.write("Your name", "A. Officer")
    hands.press("Accept them", "11 of 13 columns have a decision")
    hands.tick("Choose los")
    hands.write("Decision", "Other: keep")
    hands.write("Reason", "nobody is known by it")
    hands.press("Decide", "12 of 13 columns have a decision")
    hands.press("Next: rule or risk", "What should the release meet?")
    hands.press("Use this", "What is left, and at what risk?")
    hands.press("Measure", "Field by field")
    assert page.locator("tr:has(th:text-is('zip')) td").first.inner_text() == "released as three digits"
    hands.press("Next: the folder", "The folder to hand over")


def _same(ours: dict[str, bytes], theirs: dict[str, bytes]) -> str:
    return f"{sum(ours[name] == theirs.get(name) for name in ours)} of {len(ours.keys() | theirs.keys())}"


def _run(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "policy_sim", *map(str, words)], check=True, capture_output=True)


def _records(hands: Hands, own: str, file: Path, lead: Callable[[Hands], None]) -> dict[str, str]:
    """Take a file of records to its folder; compare it with those of the commands, and of the project file alone."""
    page, project = hands.page, file.parent / f"{file.stem}-release" / "release.toml"
    page.goto(own)
    hands.write("Or give its path: a large file is read where it is", str(file))
    hands.press("Open", f"Release {file.name}")
    lead(hands)
    hands.press("Make the release", "What was tried")
    out, verdict = project.parent / "released", page.locator(".notice strong").inner_text()
    ours, lines = files_in(out), page.get_by_label("Commands").inner_text().splitlines()
    text = project.read_text(encoding="utf-8")
    project.unlink()
    shutil.rmtree(out)
    for line in lines:
        _run(*shlex.split(line)[1:])
    typed = _same(ours, files_in(out))
    seed = next(line for line in lines if "settings.seed=" in line)
    project.write_text(text, encoding="utf-8")
    _run(*shlex.split(seed)[1:])
    _run("release", "run", project, "--out", file.parent / "again")
    alone = _same(ours, files_in(file.parent / "again"))
    return {"verdict": verdict, "as its commands write": typed, "as release run writes": alone}


def _csv(hands: Hands, own: str, folder: Path) -> dict[str, str]:
    example = Path(__file__).resolve().parents[1] / "data" / "examples" / "visits.csv"
    return _records(hands, own, Path(shutil.copy(example, folder)), messy_to_safe_harbor)


def german_visits(path: Path) -> None:
    """Write 400 visits as a German Excel does: semicolons, decimal commas, days before months."""
    draw = random.Random(11)
    rows = ["nr;geburt;alter;sex;state;gewicht"]
    for number in range(400):
        day = dt.date(1940, 1, 1) + dt.timedelta(days=draw.randrange(25_000))
        kilos = f"{draw.gauss(75, 12):.1f}".replace(".", ",")
        rows.append(f"{70_000 + 13 * number};{day:%d.%m.%Y};{2024 - day.year};{draw.choice('FM')};OH;{kilos}")
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")


def german_to_threshold(hands: Hands) -> None:
    """Lead the German file to its folder, at a risk that is typed with a decimal comma."""
    hands.choose("A class size or a level of risk", "aim")
    hands.press("Read the file", "400")
    hands.press("Next: columns", "guesses to accept")
    hands.write("Your name", "A. Beamtin")
    hands.press("Accept them", "columns have a decision")
    for column, decision in (
        ("geburt", "Key field: others"),
        ("alter", "Key field: drop"),
        ("sex", "Key field: others"),
    ):
        hands.tick(f"Choose {column}")
        hands.write("Decision", decision)
        hands.write("Reason", f"decided on {column}")
        hands.press("Decide", f"decided on {column}")
    hands.tick("Choose gewicht")
    hands.write("Decision", "Other: keep")
    hands.write("Reason", "nobody is known by it")
    hands.press("Decide", "nobody is known by it")
    hands.press("Next: rule or risk", "What should the release meet?")
    hands.choose("A class size", "aim")
    hands.write("Threshold, such as k=11 or 0.09", "0,09")
    hands.press("Use this", "What is left, and at what risk?")
    hands.press("Measure", "Field by field")
    hands.press("Next: the folder", "The folder to hand over")


def _german(hands: Hands, own: str, folder: Path) -> dict[str, str]:
    german_visits(folder / "besuche.csv")
    return _records(hands, own, folder / "besuche.csv", german_to_threshold)


def _workbook(hands: Hands, own: str, folder: Path) -> dict[str, str]:
    claims_workbook(folder / CLAIMS)
    return _records(hands, own, folder / CLAIMS, workbook_to_class_size)


WEEKS = {
    "2025-W10": "county,this week,to date\nAdams,3,15\nBrown,0,4\nClark,12,40\nDover,21,60\nTotal,36,119\n",
    "2025-W11": "county,this week,to date\nAdams,2,17\nBrown,1,5\nClark,14,54\nDover,16,76\nTotal,33,152\n",
}


def _ledger(hands: Hands, own: str, folder: Path) -> dict[str, str]:
    page, ledger = hands.page, folder / "measles"
    page.goto(own)
    hands.write("A table each week? Give the folder of what was published before, or a new one", str(ledger))
    hands.press("Open the folder", "Nothing is in this folder yet")
    for week, text in WEEKS.items():
        (folder / f"{week}.csv").write_text(text, encoding="utf-8")
        hands.write("Or give its path", str(folder / f"{week}.csv"))
        hands.press("Open", "Which rule?")
        hands.write("Rule of your agency or state", "Centers for Medicare & Medicaid")
        hands.write("Week", week)
        hands.press("Hide what is needed", "Publish into the ledger")
        assert page.get_by_role("status").inner_text().startswith("READY")
        hands.press("Publish into the ledger", "Published into")
        rule = ("--rule", "cms-11", "--week", week, "--ledger", folder / "by-command")
        _run("table", "protect", folder / f"{week}.csv", *rule)
        hands.press("The ledger, and the next table", "Or give its path")
    hands.press("Check everything in it again", "READY")
    verdict = page.get_by_role("status").first.inner_text().split(":")[0]
    return {"verdict": verdict, "as its commands write": _same(files_in(ledger), files_in(folder / "by-command"))}


def _state(hands: Hands, own: str, folder: Path) -> dict[str, str]:
    page = hands.page
    page.goto(own)
    hands.press("Choose a state", "A paper for those who decide")
    hands.write("State", "Ohio")
    hands.write("People in the file", "18000")
    hands.write("Where they live, if not in the whole state", "Allen,Lucas=40%")
    hands.write("What the file contains", "discharge records")
    hands.write("Format", "Word")
    hands.press("Write the paper", "The paper on a release in Ohio")
    ours = {"brief-oh.docx": hands.take("Download the paper").read_bytes()}
    ours["brief-oh-annex.docx"] = hands.take("Download the annex").read_bytes()
    words = shlex.split(page.locator("pre").inner_text())[1:]
    _run(*words[:-1], folder / words[-1])
    return {"verdict": "-", "as its commands write": _same(ours, files_in(folder))}


TRIPS = {"csv": _csv, "workbook": _workbook, "ledger": _ledger, "state": _state, "german": _german}


def main() -> None:
    """Print one line for each trip."""
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("trips", nargs="*", default=[*TRIPS])
    options.add_argument("--locale", default="en-US")
    chosen = options.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        with served(folder) as address, sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_context(viewport={"width": 1280, "height": 900}, locale=chosen.locale).new_page()
            page.set_default_timeout(300_000)
            page.goto(address)
            own = page.evaluate("location.origin + document.body.dataset.root") + "/"
            for trip in chosen.trips:
                for by in ("keyboard", "mouse"):
                    (folder / trip / by).mkdir(parents=True)
                    done = TRIPS[trip](Hands(page, by), own, folder / trip / by)
                    print(json.dumps({"trip": trip, "by": by} | done), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
