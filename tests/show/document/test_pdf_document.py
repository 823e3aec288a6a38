"""PDF: letters of every name, links, the same bytes; its text is read by Poppler."""

import shutil
import subprocess

import pytest

from policy_sim.show.document.blocks import Document, DocumentTable, Paragraph, Verbatim
from policy_sim.show.document.pdf_document import pdf_document

pytest.importorskip("reportlab", reason="reportlab is not installed")


def text_of(content, tmp_path):
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (Poppler) is not installed")
    path = tmp_path / "d.pdf"
    path.write_bytes(content)
    done = subprocess.run(["pdftotext", "-layout", str(path), "-"], capture_output=True, text=True, check=True)
    return done.stdout


def test_what_is_read_back(document, tmp_path):
    text = text_of(pdf_document(document), tmp_path)
    for part in ("Who is <at> risk & why", "1,442 people of 11,799,448", "Methods", "page 1", "people <b>"):
        assert part in text


def test_a_table_of_many_pages_repeats_its_head(tmp_path):
    rows = tuple((str(n), "x" * 30) for n in range(200))
    text = text_of(pdf_document(Document("t", "s", (DocumentTable(("count", "text"), rows),))), tmp_path)
    assert text.count("count") >= 3


def test_a_short_table_stays_on_one_page(tmp_path):
    """Wherever on a page it begins, its head stands there once."""
    table = DocumentTable(("count", "text"), tuple((str(n), "x" * 30) for n in range(8)))
    for lines in range(20, 60, 4):
        above = tuple(Paragraph("A line above.") for _ in range(lines))
        assert text_of(pdf_document(Document("t", "s", (*above, table))), tmp_path).count("count") == 1


def test_letters_beyond_ascii(tmp_path):
    assert "Doña Ana − ≤ F̂" in text_of(pdf_document(Document("t", "s", (Paragraph("Doña Ana − ≤ F̂"),))), tmp_path)


def test_the_same_bytes(document):
    assert pdf_document(document) == pdf_document(document)


def test_a_file_keeps_its_lines_and_a_long_line_stays_on_the_page(tmp_path):
    file = Verbatim("first = 1\n    indented = 2\n" + "x" * 300)
    text = text_of(pdf_document(Document("t", "s", (file,))), tmp_path)
    lines = [line for line in text.splitlines() if line.strip()]
    assert any("indented" in line and "first" not in line for line in lines)
    assert sum(line.count("x") for line in lines) == 300
    assert max(line.count("x") for line in lines) < 150
