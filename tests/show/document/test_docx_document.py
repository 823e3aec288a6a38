"""DOCX: read back by the library, the same bytes, links with their bookmarks."""

import io
import re
import zipfile

import pytest

from policy_sim.show.document.docx_document import docx_document

docx = pytest.importorskip("docx", reason="python-docx is not installed")


def test_what_is_read_back(document):
    file = docx.Document(io.BytesIO(docx_document(document)))
    assert file.core_properties.title == "Who is <at> risk & why"
    assert [p.text for p in file.paragraphs if p.style.name == "Heading 1"] == ["Methods"]
    cells = [[cell.text for cell in row.cells] for row in file.tables[1].rows]
    assert cells == [["number", "what"], ["1,442", "people <b>"], ["3", "a|b"]]


def test_links_have_bookmarks_and_pictures_a_text(document):
    with zipfile.ZipFile(io.BytesIO(docx_document(document))) as archive:
        body = archive.read("word/document.xml").decode()
    assert set(re.findall(r'w:anchor="([^"]+)"', body)) <= set(re.findall(r'bookmarkStart[^>]*w:name="([^"]+)"', body))
    assert 'descr="a gray box"' in body


def test_the_same_bytes(document):
    assert docx_document(document) == docx_document(document)


def test_a_file_is_read_back_with_its_lines(document):
    file = docx.Document(io.BytesIO(docx_document(document)))
    assert "a = 1  # <mine> ``x``\n        b = 2\n" in [paragraph.text for paragraph in file.paragraphs]
