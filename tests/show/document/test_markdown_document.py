"""Markdown: signs in names do not become markup."""

from policy_sim.show.document.blocks import Document, Verbatim
from policy_sim.show.document.text_document import markdown_document


def test_signs_and_links(document):
    text = markdown_document(document).decode()
    assert "[1,442 people](#n1) of **11,799,448**" in text
    assert '| <a id="n1"></a>1,442 | people \\<b\\> |' in text
    assert "a\\|b" in text
    assert "\\*stars\\*" in text


def test_a_file_stands_between_fences_longer_than_its_own(document):
    text = markdown_document(document).decode()
    assert '<a id="file"></a>\n\n```\na = 1  # <mine> ``x``\n\tb = 2\n```' in text
    fenced = markdown_document(Document("t", "s", (Verbatim("````\n"),))).decode()
    assert "`````\n````\n`````" in fenced
