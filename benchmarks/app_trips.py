"""Whole trips through the app in real Chromium, by keyboard alone or by mouse; their folders equal those of commands.

``python -m benchmarks.app_trips`` takes a workbook with several rows per person to a folder with a class size of 11
and a pseudonym, once by keyboard and once by mouse, and prints for each how many files the folder has, and how many
of them a command wrote byte for byte from the same project file.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import shutil
import subprocess
import sys
import tempfile
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


def claims_workbook(path: Path) -> None:
    """Write a workbook of 270 claims of 135 people, with a second sheet."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Codebook"
    book.active.append(["column", "meaning"])
    sheet = book.create_sheet("Claims")
    sheet.append(["mrn", "age", "sex", "state", "visit", "dx"])
    draw = random.Random(5)
    for person in range(135):
        sex = draw.choice("FM") if person else "Femle"
        who = [f"M{100000 + person * 37}", draw.randrange(20, 90), sex, draw.choice(("OH", "IN", "MI"))]
        for _ in range(2):
            day = dt.date(2024, 1, 1) + dt.timedelta(days=draw.randrange(366))
            sheet.append([*who, day, draw.choice(("E11.9", "I10", "F32.9", "J45.909"))])
    book.save(path)


def workbook_to_class_size(hands: Hands) -> None:
    """Lead a workbook, whose first question is open, to what is left at a class size of 11, with a pseudonym."""
    page = hands.page
    hands.write("Sheet with the records", "Claims")
    hands.choose("A class size or a level of risk", "aim")
    hands.press("Read the file", "people, by mrn")
    hands.press("Show them, and say what they mean", "Femle")
    hands.write("Meaning of Femle", "F")
    hands.press("Save the meanings of sex", "Saved: 1 of 1 has a meaning")
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


def _workbook(page: Any, own: str, folder: Path, by: str) -> dict[str, Any]:
    from policy_sim.release.door import Release

    claims_workbook(folder / "claims.xlsx")
    hands = Hands(page, by)
    page.goto(own)
    hands.write("Or give its path: a large file is read where it is", str(folder / "claims.xlsx"))
    page.keyboard.press("Enter")
    page.get_by_text("Release claims.xlsx").wait_for()
    workbook_to_class_size(hands)
    project = folder / "claims-release" / "release.toml"
    Release(project).set("settings", seed=7)
    hands.press("Make the release", "What was tried")
    command = [sys.executable, "-m", "policy_sim", "release", "run", str(project), "--out", str(folder / "again")]
    subprocess.run(command, check=True, capture_output=True)
    ours, theirs = files_in(project.parent / "released"), files_in(folder / "again")
    same = sum(ours[name] == theirs.get(name) for name in ours)
    return {"by": by, "verdict": page.locator(".notice strong").inner_text(), "files": len(ours), "the same": same}


def main() -> None:
    """Print one line for each trip."""
    from playwright.sync_api import sync_playwright

    folder = Path(tempfile.mkdtemp())
    try:
        with served(folder) as address, sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.set_default_timeout(60_000)
            page.goto(address)
            own = page.evaluate("location.origin + document.body.dataset.root") + "/"
            for by in ("keyboard", "mouse"):
                (folder / by).mkdir()
                print(json.dumps(_workbook(page, own, folder / by, by)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
