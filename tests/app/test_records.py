"""A file of records from the window to the folder, by keyboard alone; the commands write the same bytes."""

from __future__ import annotations

import shutil
import tomllib

import pytest
from small_people import run

from policy_sim import Release

from .conftest import serving, window

pytestmark = [pytest.mark.slow, pytest.mark.browser]

FOCUSED = """() => {
  const one = document.activeElement;
  const label = one.labels?.[0]?.innerText ?? one.getAttribute("aria-label") ?? "";
  return [label, one.innerText ?? ""].map((text) => text.trim());
}"""


def _go_to(page, name: str) -> None:
    """Press Tab until the focus is on what has this name, which a reader with a keyboard has to reach."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if name in page.evaluate(FOCUSED):
            return
    raise AssertionError(f"no Tab reaches {name!r} on {page.inner_text('main')[:400]}")


def _press(page, name: str, then: str) -> None:
    _go_to(page, name)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"text={then}")


def _files(folder) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_by_keyboard_from_a_messy_file_to_a_safe_harbor_folder(browser, root, tmp_path):
    shutil.copy(root / "data" / "examples" / "visits.csv", tmp_path)
    with serving(tmp_path / "temporary", tmp_path / "visits.csv") as served:
        page = window(browser, served)
        _press(page, "Records", "What should the release meet?")
        _press(page, "Read the file", "Where they live")
        assert page.locator(".tile").first.inner_text().split() == ["400", "rows"]
        _press(page, "Next: columns", "guesses to accept")
        _go_to(page, "Your name")
        page.keyboard.type("A. Officer")
        _press(page, "Accept them", "11 of 13 columns have a decision")
        _go_to(page, "Choose los")
        page.keyboard.press("Space")
        _go_to(page, "Decision")
        page.keyboard.type("Other: keep")
        _go_to(page, "Reason")
        page.keyboard.type("nobody is known by it")
        _press(page, "Decide", "12 of 13 columns have a decision")
        _press(page, "Next: rule or risk", "What should the release meet?")
        _press(page, "Use this", "What is left, and at what risk?")
        _press(page, "Measure", "Field by field")
        assert page.locator("tr:has(th:text-is('zip')) td").first.inner_text() == "released as three digits"

        project = tmp_path / "visits-release" / "release.toml"
        Release(project).set("settings", seed=7)  # an editor or a command may go on with the project at any time
        page.goto(page.url.replace("/left", "/result"))
        _press(page, "Make the release", "What was tried")
        assert page.locator(".notice strong").inner_text().startswith("MET")
        assert page.errors == []
        assert {address.split("/")[2] for address in page.requests} == {f"127.0.0.1:{served.port}"}

        ours = _files(project.parent / "released")
        run("release", "run", project, "--out", tmp_path / "again")
        theirs = _files(tmp_path / "again")
        assert [name for name in ours if ours[name] != theirs.get(name)] == []
        assert set(ours) == set(theirs)
        assert "send/release.csv" in ours
        assert tomllib.loads(project.read_text())["variables"]["los"]["role"] == "other"

        with page.expect_download() as started:
            page.get_by_role("link", name="Download send/ and keep/").click()
        assert started.value.suggested_filename == "release.zip"
        page.context.close()


def test_a_job_that_is_canceled_leaves_nothing(browser, root, tmp_path):
    """Cancel comes while the file is read: there is no project, no folder and no process of it."""
    rows = (root / "data" / "examples" / "visits.csv").read_text().splitlines()
    (tmp_path / "many.csv").write_text("\n".join([rows[0], *rows[1:] * 200, ""]))
    with serving(tmp_path / "temporary", tmp_path / "many.csv") as served:
        page = window(browser, served)
        page.get_by_role("link", name="Records").click()
        page.get_by_role("button", name="Read the file").click()
        page.get_by_role("button", name="Cancel").click()
        page.wait_for_url("**/records/new/*")
        assert not (tmp_path / "many-release").exists()
        page.context.close()
