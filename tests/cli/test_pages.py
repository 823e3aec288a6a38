"""Commands that write pages."""

from __future__ import annotations

import pytest
from small_people import run, written

# ``brief`` from the command line: a file of each format, and one clear line for what it does not take.

BRIEF = ("brief", "OH", "--population")


@pytest.mark.slow
def test_the_format_of_the_name(tmp_path):
    run(*BRIEF, written(tmp_path), "--in-file", "5", "--date", "2026-11-22", "--out", tmp_path / "oh.pdf")
    assert (tmp_path / "oh.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_a_bill_in_markdown(tmp_path):
    run(*BRIEF, written(tmp_path), "--bill", "birth=withheld", "--format", "md", "--out", tmp_path / "bill.md")
    title = (tmp_path / "bill.md").read_text().splitlines()[0]
    assert "bill" in title
    assert "Ohio" in title


@pytest.mark.slow
def test_before_and_after_in_markdown(tmp_path):
    run(*BRIEF, written(tmp_path), "--before", "2008", "--out", tmp_path / "oh.md")
    assert "2008 and of 2026: Ohio" in (tmp_path / "oh.md").read_text()


# ``workbook`` from the command line.


def test_a_file_is_written(tmp_path):
    run("model", "workbook", "--state", "DE", "--hipaa", "paper", "--out", tmp_path / "de.xlsx")
    assert (tmp_path / "de.xlsx").read_bytes().startswith(b"PK")
