"""A document as HTML, DOCX, PDF, Markdown and text: the same blocks, whole and safe in each."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from policy_sim.show.document import DOCUMENT_FORMATS, check_format, document_bytes
from policy_sim.show.document.blocks import (
    Bullets,
    Document,
    DocumentTable,
    Heading,
    Notice,
    Paragraph,
    Picture,
    Verbatim,
    as_is,
    link,
    pieces,
)
from policy_sim.show.document.docx_document import docx_document
from policy_sim.show.document.markup import folder_page, html_blocks, html_document, markdown_document, text_document
from policy_sim.show.document.pdf_document import pdf_document
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.fixture
def document():
    png = io.BytesIO()
    Image.new("RGB", (40, 20), "gray").save(png, "PNG")
    return Document(
        "Who is <at> risk & why",
        "Ohio, 2020",
        (
            Paragraph("The answer is [[n1|1,442 people]] of **11,799,448**.", "lead"),
            Notice("Old fact.", "It is from 2017: see [[how|methods]]."),
            Heading("Methods", key="how"),
            Bullets(("One | two", "Three *stars*")),
            Picture(png.getvalue(), "a gray box", "A box"),
            DocumentTable(
                ("number", "what"), (("1,442", "people <b>"), ("3", "a|b")), "Appendix", ("n1", "n2"), frozenset({0})
            ),
            Paragraph("A note.", "small"),
            Verbatim("a = 1  # <mine> ``x``\n\tb = 2\n", "file"),
        ),
        "policy_sim",
    )


# The marks of texts, and what a document refuses.


def parted(text):
    return [(piece.text, piece.bold, piece.key) for piece in pieces(text)]


def test_marks_inside_marks_and_no_character_of_a_text_is_lost():
    nested = [("a ", False, ""), ("b ", True, ""), ("c", True, "k"), (" d", False, "")]
    assert parted(f"a **b {link('k', 'c')}** d") == nested
    for text in ("2 ** 3", "[[no link]]", "a|b", "**", "[[k|]]x"):
        assert "".join(piece.text for piece in pieces(text)) in (text, "x")


def test_keys_links_and_tables_that_do_not_fit_are_refused():
    assert Document("t", "s", (Paragraph("[[file|see the file]]"), Verbatim("**", "file")))
    for blocks, why in (
        ((Paragraph("[[n9|1]]"),), "links to no key: \\['n9'\\]"),
        ((DocumentTable(("a",), (("1",), ("2",)), keys=("k", "k")),), "used twice: \\['k'\\]"),
        ((Verbatim("a", "k"), Verbatim("b", "k")), "used twice"),
    ):
        with pytest.raises(InputError, match=why):
            Document("t", "s", blocks)
    for columns, keys, why in ((("a", "b"), (), "each row needs 2"), (("a",), ("x", "y"), "a key for every row")):
        with pytest.raises(InputError, match=why):
            DocumentTable(columns, (("1",),), keys=keys)


@pytest.mark.parametrize("text", ["**b**", "[[n9|1]]", "a ** b", "plain", "", "x **b** [[n|c]] y"])
def test_text_as_it_is_has_no_marks(text):
    found = list(pieces(as_is(text)))
    assert "".join(piece.text for piece in found) == text
    assert not any(piece.bold or piece.key for piece in found)
    assert Document("t", "s", (Paragraph(as_is(text)),))


def test_text_as_it_is_may_stand_among_marks():
    among = [("say ", True, ""), ("**x**", True, ""), (" ", False, ""), ("c", False, "k")]
    assert parted(f"**say {as_is('**x**')}** [[k|c]]") == among


# HTML: whole in one file, nothing run, every link ends somewhere.


def test_links_end_texts_are_escaped_and_nothing_is_fetched_or_run(document):
    page = html_document(document).decode()
    ends = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ends
    assert {"n1", "n2", "how"} <= ends
    assert "Who is &lt;at&gt; risk &amp; why" in page
    assert "people &lt;b&gt;" in page
    assert '<pre id="file">a = 1  # &lt;mine&gt; ``x``\n\tb = 2\n</pre>' in page
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#|data:)', page)


def test_a_part_of_a_page_links_to_addresses_and_a_key_without_one_is_text():
    part = html_blocks([Paragraph("[[oh|Ohio]] and [[pr|Puerto Rico]]")], {"oh": "oh.html?a&b", "pr": ""}.__getitem__)
    assert part == '<p><a href="oh.html?a&amp;b">Ohio</a> and Puerto Rico</p>'


def test_a_table_is_named_by_its_caption_or_its_heading():
    table = DocumentTable(("a",), (("1",),))
    page = html_document(Document("t", "s", (table, Heading("Above"), table, DocumentTable(("a",), (("1",),), "Mine"))))
    assert re.findall('aria-label="([^"]*)"', page.decode()) == ["table", "Above", "Mine"]


# DOCX: read back by the library, the same bytes, links with their bookmarks.


docx = pytest.importorskip("docx", reason="python-docx is not installed")


def test_what_is_read_back_from_word(document):
    content = docx_document(document)
    file = docx.Document(io.BytesIO(content))
    assert file.core_properties.title == "Who is <at> risk & why"
    assert [p.text for p in file.paragraphs if p.style.name == "Heading 1"] == ["Methods"]
    cells = [[cell.text for cell in row.cells] for row in file.tables[1].rows]
    assert cells == [["number", "what"], ["1,442", "people <b>"], ["3", "a|b"]]
    assert "a = 1  # <mine> ``x``\n        b = 2\n" in [paragraph.text for paragraph in file.paragraphs]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        body = archive.read("word/document.xml").decode()
        feet = [archive.read(name).decode() for name in archive.namelist() if "footer" in name]
    assert set(re.findall(r'w:anchor="([^"]+)"', body)) <= set(re.findall(r'bookmarkStart[^>]*w:name="([^"]+)"', body))
    assert 'descr="a gray box"' in body
    (foot,) = (foot for foot in feet if "policy_sim" in foot)  # in which Word counts the pages
    assert re.search(r'policy_sim · page .*<w:fldSimple w:instr="PAGE">.*<w:t>1</w:t>', foot)


# PDF: letters of every name, links, the same bytes; its text is read by Poppler.


pytest.importorskip("reportlab", reason="reportlab is not installed")


@pytest.fixture
def text_of(tmp_path):
    """What Poppler reads from the PDF of a document or of blocks."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (Poppler) is not installed")

    def read(*blocks):
        whole = blocks[0] if isinstance(blocks[0], Document) else Document("t", "s", blocks)
        (tmp_path / "d.pdf").write_bytes(pdf_document(whole))
        command = ["pdftotext", "-layout", str(tmp_path / "d.pdf"), "-"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return read


def table_of(rows, letters=30):
    return DocumentTable(("count", "text"), tuple((str(n), "x" * letters) for n in range(rows)), "a caption")


def test_what_is_read_back_in_pdf_document(document, text_of):
    text = text_of(document)
    for part in ("Who is <at> risk & why", "1,442 people of 11,799,448", "Methods", "page 1", "people <b>"):
        assert part in text
    assert "Doña Ana − ≤ F̂" in text_of(Paragraph("Doña Ana − ≤ F̂"))


def test_a_table_of_many_pages_repeats_its_head(text_of):
    assert text_of(table_of(200)).count("count") >= 3


def test_a_short_table_stays_on_one_page_with_its_heading(text_of):
    """Wherever on a page it begins, its head stands there once."""
    for lines in range(20, 60, 4):
        above = tuple(Paragraph("A line above.") for _ in range(lines))
        text = text_of(*above, Heading("The head"), table_of(8))
        assert text.count("count") == 1
        (page,) = (page for page in text.split("\f") if "The head" in page)
        assert "a caption" in page, lines


def test_a_file_keeps_its_lines_and_a_long_line_stays_on_the_page(text_of):
    text = text_of(Verbatim("first = 1\n    indented = 2\n" + "x" * 300))
    lines = [line for line in text.splitlines() if line.strip()]
    assert any("indented" in line and "first" not in line for line in lines)
    assert sum(line.count("x") for line in lines) == 300
    assert max(line.count("x") for line in lines) < 150


# Markdown: signs in names do not become markup.


def test_signs_links_and_fences_longer_than_those_of_a_file(document):
    text = markdown_document(document).decode()
    assert "[1,442 people](#n1) of **11,799,448**" in text
    assert '| <a id="n1"></a>1,442 | people \\<b\\> |' in text
    assert "a\\|b" in text
    assert "\\*stars\\*" in text
    assert '<a id="file"></a>\n\n```\na = 1  # <mine> ``x``\n\tb = 2\n```' in text
    fenced = markdown_document(Document("t", "s", (Verbatim("````\n"),))).decode()
    assert "`````\n````\n`````" in fenced


# A document as text: every kind of block, tables that fit and tables that do not.


def test_every_block():
    table = DocumentTable(("state", "people"), (("OH", "[[n1|1,442]]"),), numbers=frozenset({1}))
    blocks = (
        Heading("Why", key="n1"),
        Paragraph("Because **so**."),
        Bullets(("one", "two")),
        Notice("Old", "a fact of 2008"),
        table,
        Picture(b"", "a map"),
        Verbatim("a = 1\n  b = 2\n"),
    )
    text = text_document(Document("Ohio", "a line", blocks, "the end"))
    assert "\na = 1\n  b = 2\n" in text
    assert text.splitlines()[:5] == ["Ohio", "a line", "", "Why", "==="]
    assert "Because so." in text
    assert "- one\n- two" in text
    assert "Old: a fact of 2008" in text
    assert "OH      1,442" in text
    assert text.endswith("the end")
    assert "map" not in text


def test_a_table_too_wide_is_written_row_by_row(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    table = DocumentTable(("input", "value", "date"), (("people", "a long text " * 12, "2020"),))
    text = text_document(Document("t", "s", (table,)))
    assert "- people: a long text" in text
    assert "; date: 2020" in text
    assert max(map(len, text.splitlines())) <= 100


# A document goes to the format that its file's name says.


@pytest.mark.parametrize(("form", "start"), [("html", b"<!DOCTYPE"), ("docx", b"PK"), ("pdf", b"%PDF"), ("md", b"# ")])
def test_each_format_has_the_same_bytes_each_time(document, form, start):
    content = document_bytes(document, check_format(Path(f"d.{form.upper()}")))
    assert content.startswith(start)
    assert content == document_bytes(document, form)
    assert set(DOCUMENT_FORMATS) == {"html", "docx", "pdf", "md"}


def test_another_format_is_refused(document):
    with pytest.raises(UnknownNameError, match="html"):
        document_bytes(document, "rtf")
    with pytest.raises(InputError, match=r'out="d\.rtf": .* \.docx, \.pdf, \.md'):
        check_format(Path("d.rtf"))
    with pytest.raises(InputError, match='out="brief": the name must end'):
        check_format(Path("brief"))


# The page of a folder of results names each file once, shows each picture, and escapes what others wrote.


NAMES = ["cost.csv", "manifest.json", "map-cost-safe-harbor.png", "map-cost-safe-harbor.svg", "new.png", "summary.txt"]


def test_each_file_is_linked_and_each_picture_is_shown_in_words():
    page = folder_page("OH  <0.001", NAMES)
    listed = page.partition('id="files"')[2]
    assert re.findall(r'<li><a href="([^"]+)"', listed) == NAMES
    assert re.findall(r'<img src="([^"]+)"', page) == ["map-cost-safe-harbor.png", "new.png"]
    assert re.search('alt="Map: [^"]*, safe-harbor"', page)
    assert "OH  &lt;0.001" in page
    assert "http" not in page, "nothing is asked of another machine"
    assert "<b>" not in folder_page("", ["map-cost-<b>.png"]), "a name is never markup"


def test_a_narrow_column_has_room_for_its_longest_word():
    """Beside two columns of 60 letters, "period" had 5% of the page, in which it was broken."""
    heads, row = (
        ("file", "period", "recipient", "where"),
        ("records " * 9, "2025", "a university " * 4, "counties " * 9),
    )
    shares = DocumentTable(heads, (row,)).widths()
    assert sum(shares) == pytest.approx(1)
    assert shares[1] >= 0.07
