"""HTML: whole in one file, nothing run, every link ends somewhere."""

import re

from policy_sim.show.document.blocks import Document, DocumentTable, Heading
from policy_sim.show.document.html_document import html_document


def test_links_end_and_texts_are_escaped(document):
    page = html_document(document).decode()
    ends = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ends
    assert {"n1", "n2", "how"} <= ends
    assert "Who is &lt;at&gt; risk &amp; why" in page
    assert "people &lt;b&gt;" in page


def test_nothing_is_fetched_or_run(document):
    page = html_document(document).decode()
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#|data:)', page)


def test_the_same_bytes(document):
    assert html_document(document) == html_document(document)


def test_a_file_is_shown_letter_by_letter(document):
    page = html_document(document).decode()
    assert '<pre id="file">a = 1  # &lt;mine&gt; ``x``\n\tb = 2\n</pre>' in page


def test_a_table_is_named_by_its_caption_or_its_heading():
    table = DocumentTable(("a",), (("1",),))
    page = html_document(Document("t", "s", (table, Heading("Above"), table, DocumentTable(("a",), (("1",),), "Mine"))))
    assert re.findall('aria-label="([^"]*)"', page.decode()) == ["table", "Above", "Mine"]
