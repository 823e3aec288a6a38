"""A table of counts in a window of Chromium, start to finish: its files are those that the commands write."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from small_people import invoke

pytestmark = pytest.mark.slow

WEEK10 = "county,this week,to date\nAdams,3,15\nBrown,0,4\nClark,12,40\nDover,21,60\nTotal,36,119\n"
WEEK11 = "county,this week,to date\nAdams,2,17\nBrown,1,5\nClark,14,54\nDover,16,76\nTotal,33,152\n"
HOSTILE = "<img src=x onerror=alert(1)>"
COUNTS = f"""Deaths of 2025,,,
county,under 15,{HOSTILE},Total
Allen,3,40,43
"{HOSTILE}",14,60,74
Total,17,100,117
"""


def _written(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _home(page, served):
    page.goto(served.home)


def test_a_table_is_drawn_checked_protected_and_taken(opened, served, tmp_path):
    """By mouse; what the file says is shown as text, and the folder is the one that the command writes."""
    page, path = opened, _file(tmp_path, "counts.csv", COUNTS)
    _home(page, served)
    page.set_input_files("#table-file", str(path))
    page.wait_for_url("**/tables/*")
    assert page.locator("th.left-out, p.left-out").count() == 1  # the title
    assert page.get_by_role("columnheader", name=HOSTILE).is_visible()
    assert page.locator("td.total").count() == 5
    page.select_option("#rule", "cms-11")
    page.get_by_text("How strict").click()
    page.check("input[name=criterion][value=E]")
    page.fill("#seconds", "20")
    page.get_by_role("button", name="Check it").click()
    page.wait_for_url("**/check")
    assert page.get_by_role("link", name="The table", exact=True).get_attribute("href").startswith(f"{served.root}/")
    says = page.get_by_role("status").inner_text()
    assert re.match("NOT READY: .* 1 count that rule cms-11 hides", says)
    assert page.locator("td.follows").inner_text().split() == ["3", "follows:", "3"]
    page.get_by_role("button", name="Hide what is needed").click()
    page.wait_for_url("**/protected")
    assert re.match("READY: rule cms-11 .* 1 cell, .* 3 further cells", page.get_by_role("status").inner_text())
    assert page.get_by_text("Criterion E: Two values stay possible.").is_visible()
    assert page.locator("td.hid b").all_inner_texts() == ["*"] * 4
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    page.fill("#folder", str(tmp_path / "saved"))
    page.get_by_role("button", name="Write").click()
    page.get_by_text("Written to").wait_for()
    command = page.locator("pre").inner_text().split()
    assert command[:4] == ["policy-sim", "table", "protect", "counts.csv"]
    options = command[4 : command.index("--out")]
    done = invoke(*command[1:3], path, *options, "--out", tmp_path / "by-command")
    assert done.exit_code == 0, done.output
    expected = _written(tmp_path / "by-command")
    assert _written(tmp_path / "saved") == expected
    with zipfile.ZipFile(download.value.path()) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == expected
    assert page.errors == []


def test_weekly_tables_go_into_a_ledger(opened, served, tmp_path):
    """The first week is one of the command, the second is published here, by keyboard alone, as the command does it."""
    page, ledger = opened, tmp_path / "measles"
    for week, text in (("10", WEEK10), ("11", WEEK11)):
        path = _file(tmp_path, f"cases-2025-W{week}.csv", text)
        words = ("--rule", "cms-11", "--week", f"2025-W{week}", "--ledger", tmp_path / "by-command")
        done = invoke("table", "protect", path, *words)
        assert done.exit_code == 0, done.output
        if week == "10":
            shutil.copytree(tmp_path / "by-command", ledger)
            continue
        _home(page, served)
        page.focus("#ledger-path")
        page.keyboard.type(str(ledger))
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="The next table").wait_for()
        assert page.locator("tbody tr").count() == int(week) - 10
        assert page.get_by_text("criterion R (Every value that the rule").is_visible()
        page.focus("#next-path")
        page.keyboard.type(str(path))
        page.keyboard.press("Enter")
        page.get_by_label("Rule of your agency").wait_for()
        page.focus("#rule")
        page.keyboard.type("Centers for Medicare & Medicaid")
        page.focus("#week")
        page.keyboard.type(f"2025-W{week}")
        page.focus("button[value=protect]")
        page.keyboard.press("Space")
        page.get_by_role("button", name="Publish into the ledger").wait_for()
        page.focus("text=Publish into the ledger")
        page.keyboard.press("Enter")
        page.get_by_text("Published into").wait_for()
    assert _written(ledger) == _written(tmp_path / "by-command")
    assert (ledger / "keep/proof.json").stat().st_mode & 0o777 == 0o600

    _home(page, served)  # both weeks at once, in any order, by mouse; a file that is no table stays behind
    unclear = _file(tmp_path, "unclear.csv", "county,a,b,c\nAdams,-,40,20\nBrown,21,33,50\n")
    page.set_input_files("#table-file", [*sorted(tmp_path.glob("cases-*.csv"), reverse=True), unclear])
    page.get_by_role("heading", name="3 tables").wait_for()
    says = page.locator("tbody tr").all_inner_texts()
    assert "not clear: " in says[2]
    assert page.locator("tbody input").evaluate_all("all => all.map(one => one.value)") == ["2025-W10", "2025-W11"]
    page.fill("#ledger", str(tmp_path / "at once"))
    page.select_option("#rule", "cms-11")
    page.get_by_role("button", name="Publish them, one after the other").click()
    page.get_by_role("heading", name="The same as commands").wait_for()
    assert page.locator("tbody td strong").all_inner_texts() == ["yes", "yes"]
    assert _written(tmp_path / "at once") == _written(tmp_path / "by-command")
    assert page.errors == []


def test_an_unclear_table_asks_in_the_words_of_the_screen(opened, served, tmp_path):
    page = opened
    _home(page, served)
    page.fill("#table-path", str(_file(tmp_path, "unclear.csv", "county,a,b,c\nAdams,-,40,20\nBrown,21,33,50\n")))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The table is not clear yet").wait_for()
    assert "such as Marks: -=zero" in page.locator("p.notice").inner_text()
    page.select_option("#dash", "zero")
    page.get_by_role("button", name="Read it again").click()
    page.get_by_role("heading", name="Which rule?").wait_for()
    assert page.locator("td.zero").inner_text() == "-"
    assert page.errors == []


def test_nothing_is_published_of_several_sheets_while_one_has_no_week(served, tmp_path):
    book = Workbook()
    for name, text in (("First", WEEK10), ("Second", WEEK11)):
        sheet = book.create_sheet(name)
        for line in text.splitlines():
            sheet.append([int(cell) if cell.isdigit() else cell for cell in line.split(",")])
    del book["Sheet"]
    book.save(tmp_path / "weeks.xlsx")
    table = served.job("/tables/open", path=tmp_path / "weeks.xlsx")["go"]
    several = served.job(f"{table}/sheets")["go"]
    own = {"rule": "cms-11", "criterion": "E", "ledger": tmp_path / "out", "week:0": "2025-W10"}
    refused = served.post(f"{several}/publish", **own)
    assert "its week, such as 2025-W10" in refused["error"]
    assert refused["error"].rstrip(".").endswith(": weeks.xlsx, sheet Second")
    assert not (tmp_path / "out").exists()
    served.job(f"{several}/publish", **own | {"week:1": "2025-W11"})
    assert invoke("table", "verify", tmp_path / "out").stdout.startswith("READY")
