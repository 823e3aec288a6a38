"""A file of records from the window to the folder, by keyboard alone; the commands write the same bytes."""

from __future__ import annotations

import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
from small_people import run

from benchmarks.app_trips import CLAIMS, Hands, claims_workbook, files_in, messy_to_safe_harbor, workbook_to_class_size
from policy_sim import Release

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def _opened_by_path(page, served, path):
    """Begin at the first screen with the path of a file."""
    page.goto(served.home)
    page.focus("#records-path")
    page.keyboard.type(str(path))
    page.keyboard.press("Enter")
    page.get_by_text(f"Release {path.name}").wait_for()
    return Hands(page, "keyboard")


def _made_by_its_commands(page, project):
    """Move the project away, type the commands that the screen shows, and return the files of the folder."""
    project.rename(project.with_name("before.toml"))
    shutil.rmtree(project.parent / "released")
    for line in page.get_by_label("Commands").inner_text().splitlines():
        name, *words = shlex.split(line)
        assert name == "policy-sim"
        run(*words)
    return files_in(project.parent / "released")


def test_from_a_messy_file_to_a_safe_harbor_folder(opened, served, root, tmp_path):
    page = opened
    shutil.copy(root / "data" / "examples" / "visits.csv", tmp_path)
    hands = _opened_by_path(page, served, tmp_path / "visits.csv")
    messy_to_safe_harbor(hands)
    project = tmp_path / "visits-release" / "release.toml"
    hands.press("Make the release", "What was tried")
    assert page.locator(".notice strong").inner_text().startswith("MET")
    assert page.errors == []
    assert {address.split("/")[2] for address in page.requests} == {f"127.0.0.1:{served.port}"}
    with page.expect_download() as started:
        page.get_by_role("link", name="Download send/ and keep/").click()
    assert started.value.suggested_filename == "release.zip"
    ours = files_in(project.parent / "released")
    assert ours == _made_by_its_commands(page, project)
    assert "send/release.csv" in ours
    assert tomllib.loads(project.read_text())["variables"]["los"]["role"] == "other"

    Release(project).set("settings", limit=0.04)  # an editor or a command may go on with the project at any time
    page.reload()
    assert len(page.get_by_label("Commands").inner_text().splitlines()) == 1


def test_from_a_workbook_with_several_rows_per_person_to_a_class_size_with_a_pseudonym(opened, served, tmp_path):
    """By keyboard here, and by mouse in ``benchmarks/app_trips.py``; names of file and sheet and a code are hostile."""
    claims_workbook(tmp_path / CLAIMS)
    hands = _opened_by_path(opened, served, tmp_path / CLAIMS)
    workbook_to_class_size(hands)
    project = tmp_path / f"{Path(CLAIMS).stem}-release" / "release.toml"
    hands.press("Make the release", "What was tried")
    assert opened.locator(".notice strong").inner_text() == "MET: 5 of 5 columns attacked"
    ours = files_in(project.parent / "released")
    assert ours == _made_by_its_commands(opened, project)
    assert b"M100000" not in ours["send/release.csv"]
    assert opened.errors == []


def test_a_job_that_is_canceled_leaves_nothing(opened, served, root, tmp_path):
    """Cancel comes while the file is read: there is no project, no folder and no process of it."""
    rows = (root / "data" / "examples" / "visits.csv").read_text().splitlines()
    (tmp_path / "many.csv").write_text("\n".join([rows[0], *rows[1:] * 200, ""]))
    page = opened
    _opened_by_path(page, served, tmp_path / "many.csv")
    page.get_by_role("button", name="Read the file").click()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_url("**/records/new/*")
    assert not (tmp_path / "many-release").exists()
