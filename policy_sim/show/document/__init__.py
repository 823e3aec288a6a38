"""A document for readers of paper: headings, sentences, tables and figures, as HTML, DOCX, PDF or Markdown."""

from policy_sim.show.document.blocks import (
    Block,
    Bullets,
    Document,
    DocumentTable,
    Heading,
    Notice,
    Paragraph,
    Picture,
    Verbatim,
)
from policy_sim.show.document.writing import DOCUMENT_FORMATS, check_format, document_bytes, write_document

__all__ = [
    "DOCUMENT_FORMATS",
    "Block",
    "Bullets",
    "Document",
    "DocumentTable",
    "Heading",
    "Notice",
    "Paragraph",
    "Picture",
    "Verbatim",
    "check_format",
    "document_bytes",
    "write_document",
]
