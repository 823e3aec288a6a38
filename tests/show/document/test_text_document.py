"""A document as text: every kind of block, tables that fit and tables that do not."""

from __future__ import annotations

from policy_sim.show.document.blocks import (
    Bullets,
    Document,
    DocumentTable,
    Heading,
    Notice,
    Paragraph,
    Picture,
    Verbatim,
)
from policy_sim.show.document.text_document import text_document


def test_every_block():
    table = DocumentTable(("state", "people"), (("OH", "[[n1|1,442]]"),), numbers=frozenset({1}))
    blocks = (
        Heading("Why", key="n1"),
        Paragraph("Because **so**."),
        Bullets(("one", "two")),
        Notice("Old", "a fact of 2008"),
        table,
        Picture(b"", "a map"),
    )
    text = text_document(Document("Ohio", "a line", blocks, "the end"))
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


def test_a_file_keeps_its_lines():
    assert text_document(Document("t", "s", (Verbatim("a = 1\n  b = 2\n"),))).endswith("a = 1\n  b = 2")
