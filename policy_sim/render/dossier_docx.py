"""A dossier as a Word document; the same figures give the same bytes."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from policy_sim.errors import InputError
from policy_sim.render.dossier import Section

__all__ = ["dossier_docx"]

_DAY = (1980, 1, 1, 0, 0, 0)


def dossier_docx(title: str, sections: Sequence[Section]) -> bytes:
    """Return the document.

    Raises
    ------
    InputError : python-docx is not installed.
    """
    try:
        import docx
        from docx.shared import Pt
    except ImportError:
        raise InputError("a Word document needs python-docx: install policy-sim with the extra 'documents'.") from None
    document: Any = docx.Document()
    document.styles["Normal"].font.size = Pt(10)
    about = document.core_properties
    about.title, about.author, about.comments = title, "policy-sim", ""
    about.created = about.modified = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
    document.add_heading(title, level=0)
    for section in sections:
        _add(document, section)
    content = io.BytesIO()
    document.save(content)
    return _without_clock(content.getvalue())


def _add(document: Any, section: Section) -> None:
    from docx.shared import Pt

    document.add_heading(section.title, level=1)
    for text in section.paragraphs:
        document.add_paragraph(text)
    if section.head and section.rows:
        table = document.add_table(rows=1, cols=len(section.head), style="Table Grid")
        for cell, text in zip(table.rows[0].cells, section.head, strict=True):
            cell.paragraphs[0].add_run(text).bold = True
        for row in section.rows:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = _printable(text)
    for item in section.items:
        document.add_paragraph(item, style="List Bullet")
    if section.source:
        run = document.add_paragraph().add_run(_printable(section.source))
        run.font.name, run.font.size = "Courier New", Pt(8)


def _printable(text: str) -> str:
    """Return a text without the control characters that XML cannot hold."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n")


def _without_clock(content: bytes) -> bytes:
    """Pack the document's files again with one fixed time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            info = zipfile.ZipInfo(name, _DAY)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            after.writestr(info, before.read(name))
    return packed.getvalue()
