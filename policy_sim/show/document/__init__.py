"""A document for readers of paper: headings, sentences, tables and figures, as HTML, DOCX, PDF or Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from policy_sim.show.document.blocks import Document
from policy_sim.show.document.docx_document import docx_document
from policy_sim.show.document.markup import html_document, markdown_document
from policy_sim.show.document.pdf_document import pdf_document
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, UnknownNameError

DOCUMENT_FORMATS: Mapping[str, Callable[[Document], bytes]] = MappingProxyType(
    {"html": html_document, "docx": docx_document, "pdf": pdf_document, "md": markdown_document}
)


def document_bytes(document: Document, form: str) -> bytes:
    """Return the document in a format: ``html``, ``docx``, ``pdf`` or ``md``."""
    if form not in DOCUMENT_FORMATS:
        raise UnknownNameError("format of documents", form, DOCUMENT_FORMATS)
    return DOCUMENT_FORMATS[form](document)


def check_format(path: Path) -> str:
    """Return the format that the ending of a name says."""
    form = path.suffix.removeprefix(".").casefold()
    if form not in DOCUMENT_FORMATS:
        endings = ", ".join(f".{name}" for name in DOCUMENT_FORMATS)
        raise InputError(f"{ask('out', path.name)}: the name must end in one of {endings}.")
    return form
