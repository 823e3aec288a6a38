"""Weekly sheets of a workbook: what is written below a table, which sheets nobody checked, and a week left blank."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial

import openpyxl
import pytest
from small_people import invoke

from policy_sim.records.published import note_counts
from policy_sim.rules.files import find_rule, list_rules
from policy_sim.tables.files import Layout, read_counts
from policy_sim.tables.verdict import OTHERS
from policy_sim.tables.verify import verified
from policy_sim.tables.written import notes_below

HOSTILE = "<b>Smith"
ROWS = (("Adams", 3, 15), ("Brown", 0, 4), ("Clark", 12, 40), ("Dover", 21, 60), ("Total", 36, 119))
LATER = (("Adams", 2, 17), ("Brown", 5, 9), ("Clark", 15, 55), ("Dover", 30, 90), ("Total", 52, 171))

_table = partial(invoke, "table")


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    for name, rows in (("Week 10", ROWS), (HOSTILE, LATER)):
        sheet = made.create_sheet(name)
        sheet.append(("Measles, Ohio 2025",))
        sheet.append(("3 of them in Adams",))
        sheet.append(("county", "this week", "to date"))
        for row in rows:
            sheet.append(row)
    del made["Sheet"]
    made.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def _publish(book, sheet, *more):
    out = ("--ledger", book.with_name("out"), "--rule", "cms", "--criterion", "E")
    return _table("protect", book, "--sheet", sheet, *out, *more)


def test_a_sheet_says_below_what_it_is_and_the_verdict_what_was_not_tried(book):
    outcome = _publish(book, "Week 10", "--week", "2025-W10")
    words = " ".join(outcome.stdout.split())
    assert (outcome.exit_code, words[:6]) == (0, "READY:")
    assert f"Not tried: another sheet of the workbook ('{HOSTILE}')." in words
    assert "Criterion E: two values stay possible." in words
    send = book.with_name("out") / "send"
    sheet = openpyxl.load_workbook(send / "001-2025-W10/table.xlsx")["Table"]
    below = [str(row[0]) for row in sheet.iter_rows(values_only=True)][len(ROWS) + 1 :]
    assert below[0] == "Week: 2025-W10, 03/02/2025 to 03/08/2025 (MMWR)"  # a title is not attacked, so it stays here
    assert re.match(r"\* Hidden: .* rule cms-11 .*1 to 10", below[1])
    certificate = json.loads((send / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["not_tried"] == ["another sheet of the workbook"]
    verdict = verified(book.with_name("out"))
    assert (verdict.word, verdict.not_tried) == ("READY", (OTHERS, f"another sheet of the workbook ('{HOSTILE}')"))
    assert verified(shutil.copytree(send, book.with_name("alone"))).word == "READY"
    check = " ".join(_table("check", book, "--sheet", "Week 10", "--rule", "cms").stdout.split())
    assert f"; another sheet of the workbook ('{HOSTILE}')." in check  # after the weeks before, without a ledger


def test_a_sheet_that_is_published_later_is_checked_and_a_week_may_not_be_left_blank(book):
    assert _publish(book, "Week 10", "--week", "2025-W10").exit_code == 0
    before = {path: path.read_bytes() for path in book.with_name("out").rglob("*") if path.is_file()}
    book_of_one = openpyxl.load_workbook(book)
    for sheet in book_of_one:
        sheet.delete_cols(3)  # a table without running totals, which need a week anyhow
    book_of_one.save(book.with_name("other.xlsx"))
    blank = _publish(book.with_name("other.xlsx"), HOSTILE)
    assert (blank.exit_code, blank.stderr.count("\n")) == (2, 1)
    assert "Add its week (--week 2025-W10)" in blank.stderr
    assert before == {path: path.read_bytes() for path in book.with_name("out").rglob("*") if path.is_file()}
    assert "another sheet" not in _publish(book, HOSTILE, "--week", "2025-W11").stdout
    assert verified(book.with_name("out")).not_tried == (OTHERS,)


@pytest.mark.parametrize("how", ["--ledger", "--out"])
def test_a_total_of_some_columns_is_known_where_its_counts_are_hidden(tmp_path, how):
    """A total of ages beside running totals: what is shown no longer tells that it is not the sum of all columns."""
    for week, new in (("2025-W10", (3, 2, 14)), ("2025-W11", (2, 0, 19))):
        lines = [("Adams", *new), ("Brown", 12, 11, 22), ("Clark", 4, 6, 13), ("Dover", 13, 25, 17)]
        before = 0 if week == "2025-W10" else {"Adams": 19, "Brown": 45, "Clark": 23, "Dover": 55}
        rows = [(*of, sum(of[1:]), 70 + sum(of[1:]) + (before and before[of[0]])) for of in lines]
        rows.append(("Total", *map(sum, zip(*(row[1:] for row in rows), strict=True))))
        text = "county,<5,5-17,18+,Total,Year to date\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        more = (*(("--week", week) if how == "--ledger" else ()), how, tmp_path / "out")
        outcome = _table("protect", tmp_path / "t.csv", "--rule", "cms", "--criterion", "E", *more)
        assert outcome.exit_code == 0, outcome.output
        assert _table("verify", tmp_path / "out").stdout.startswith("READY")


def test_a_proof_and_a_certificate_of_before_still_agree(book):
    """Those of tables that knew nothing of other sheets."""
    assert _publish(book, "Week 10", "--week", "2025-W10").exit_code == 0
    out = book.with_name("out")
    proof, certificate = (
        json.loads((out / name).read_text(encoding="utf-8")) for name in ("keep/proof.json", "send/certificate.json")
    )
    for of in proof["published"]:
        del of["sheet"], of["other_sheets"]
    certificate["not_tried"] = []
    (out / "keep/proof.json").write_text(json.dumps(proof), encoding="utf-8")
    (out / "send/certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    assert verified(out).word == "READY"


def test_no_line_below_a_sheet_states_a_count(book):
    file = read_counts(book, Layout(sheet="Week 10"))
    for name in list_rules():
        below = notes_below(file, find_rule(name), "2025-W10", set(file.cells))
        assert not any(map(note_counts, below)), below


@pytest.mark.parametrize(
    ("upper", "merged", "names"),
    [
        (["County", "Age", None, "Total", "To date"], ["A2:A3", "B2:C2", "D2:D3", "E2:E3"], ["<18", "18+", "Total"]),
        (["County", "Age", None, "Total", "To date"], ["B2:C2"], ["<18", "18+", "Total"]),  # one name, a blank below
        (["County", "Age", None, "Sex", None, "All"], ["A2:A3", "F2:F3"], ["Age, <18", "Age, 18+", "Sex, F", "Sex, M"]),
    ],
)
def test_heads_of_two_rows_with_columns_that_have_one(tmp_path, upper, merged, names):
    """A title over all columns, and heads that a workbook merges across and down."""
    lower = {"Age": "<18", "Sex": "F"}
    below = [lower.get(name) if name else "18+" if at == 2 else "M" for at, name in enumerate(upper)]
    made = openpyxl.Workbook()
    sheet = made.active
    for row in (["Cases by county, 2025"], upper, below):
        sheet.append(row)
    sheet.merge_cells("A1:E1")
    for area in merged:
        sheet.merge_cells(area)
    for name, least in (("Adams", 12), ("Brown", 30), ("Total", 42)):
        sheet.append([name, *(least * (at + 1) for at in range(len(upper) - 1))])
    made.save(tmp_path / "book.xlsx")
    assert read_counts(tmp_path / "book.xlsx").counts[: len(names)] == tuple(names)
