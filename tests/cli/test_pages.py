"""Commands that write pages."""

from __future__ import annotations

import pytest
from small_people import run

# ``brief`` from the command line: a file of each format, and one clear line for what it does not take.


@pytest.mark.slow
def test_the_format_of_the_name(tmp_path):
    run("brief", "DE", "--in-file", "1,000", "--date", "2026-11-22", "--out", tmp_path / "de.pdf")
    assert (tmp_path / "de.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_a_bill_in_markdown(tmp_path):
    run("brief", "DE", "--bill", "birth=withheld", "--format", "md", "--out", tmp_path / "bill.md")
    assert "What a bill on the voter list would do: Delaware" in (tmp_path / "bill.md").read_text()


@pytest.mark.slow
def test_before_and_after_in_markdown(tmp_path):
    run("brief", "DE", "--before", "2008", "--out", tmp_path / "de.md")
    assert "The voter list of 2008 and of 2026: Delaware" in (tmp_path / "de.md").read_text()


@pytest.mark.slow
def test_the_page_is_written_whole(tmp_path):
    out = tmp_path / "explorer.html"
    done = run("explorer", "--population", "us-2020", "--out", str(out))
    assert out.stat().st_size < 4_000_000
    assert out.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert done.stdout == ""


# ``workbook`` from the command line.


def test_a_file_is_written(tmp_path):
    run("model", "workbook", "--state", "DE", "--hipaa", "paper", "--out", tmp_path / "de.xlsx")
    assert (tmp_path / "de.xlsx").read_bytes().startswith(b"PK")
