"""A document as DOCX, with real headings, tables, bookmarks and alternative texts."""

from __future__ import annotations

import io
import zipfile
from typing import Any

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
    pieces,
)
from policy_sim.show.numbers import plain

_TEXT_WIDTH = 6.5  # inches of a letter page between margins of one inch
_LEAD = 11.0  # points
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can name
_TINT = "FFF6DF"
_FOOT = 7.5  # points
# Points of letters, and of the space before and after, in a document of so many pages; a wider font fits too.
_DENSE = (
    ("Normal", 8.5, 0, 3),
    ("Title", 15, 0, 2),
    ("Subtitle", 8.5, 0, 3),
    ("Heading 1", 10.5, 4, 1),
    ("List Bullet", 8.5, 0, 1),
)


def docx_document(document: Document) -> bytes:
    """Return the document as DOCX; the same document gives the same bytes."""
    import docx

    file = docx.Document()
    _set_up(file, document)
    file.add_heading(plain(document.title), level=0)
    file.add_paragraph(plain(document.subtitle), style="Subtitle")
    small = _small(file)
    for block in document.blocks:
        _add(file, block, small)
    if document.footer:
        foot, field = file.sections[0].footer.paragraphs[0], _element("fldSimple", instr="PAGE")
        _fill(foot, f"{document.footer} · page ", size=_FOOT)
        foot._p.append(field)  # in which Word counts the pages
        _fill(foot, "1", size=_FOOT)
        field.append(foot.runs[-1]._r)
    written = io.BytesIO()
    file.save(written)
    return _without_dates(written.getvalue())


def _set_up(file: Any, document: Document) -> None:
    from datetime import UTC, datetime

    from docx.oxml.ns import qn
    from docx.shared import Inches, Pt

    section = file.sections[0]
    section.page_width, section.page_height = Inches(8.5), Inches(11)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Inches(0.5 if document.pages else 1))
    file.styles["Normal"].font.name = "Calibri"
    file.styles["Normal"].font.size = Pt(10.5)
    if document.pages:  # what Word makes of the letters is not known here: small enough for the pages it must fill
        for name, size, before, after in _DENSE:
            style = file.styles[name]
            style.font.size = Pt(size)
            style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(after)
            style.paragraph_format.line_spacing = 1.0
        # letters as close as in any line: Word's own subtitle spreads them, and a date falls onto a second line
        letters = file.styles["Subtitle"].element.rPr
        for spacing in letters.findall(qn("w:spacing")):
            letters.remove(spacing)
    facts = file.core_properties
    facts.title, facts.author, facts.subject = plain(document.title), "policy_sim", plain(document.subtitle)
    facts.created = facts.modified = datetime(1980, 1, 1, tzinfo=UTC)
    facts.last_modified_by = "policy_sim"


def _add(file: Any, block: Block, small: float) -> None:
    from docx.shared import Pt

    if isinstance(block, Heading):
        heading = file.add_heading(plain(block.text), level=block.level)
        heading.paragraph_format.page_break_before = block.new_page or None
        if block.key:
            _bookmark(heading, block.key)
    elif isinstance(block, Paragraph):
        size = {"small": small, "lead": _LEAD}.get(block.kind)
        _fill(file.add_paragraph(), block.text, size=size)
    elif isinstance(block, Bullets):
        for item in block.items:
            _fill(file.add_paragraph(style="List Bullet"), item)
    elif isinstance(block, Notice):
        table = file.add_table(rows=1, cols=1)
        table.style = "Table Grid"
        cell = table.cell(0, 0)
        cell._tc.get_or_add_tcPr().append(_element("shd", val="clear", fill=_TINT))
        _fill(cell.paragraphs[0], f"**{block.title}** {block.text}")
    elif isinstance(block, DocumentTable):
        _add_table(file, block, small)
    elif isinstance(block, Verbatim):
        paragraph = file.add_paragraph()
        run = paragraph.add_run(plain(block.text.expandtabs()))
        run.font.name, run.font.size = "Courier New", Pt(8)
        if block.key:
            _bookmark(paragraph, block.key)
    else:
        _add_picture(file, block, small)


def _add_table(file: Any, block: DocumentTable, small: float) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt

    if block.caption:
        _fill(file.add_paragraph(), block.caption, size=small)
    table = file.add_table(rows=1, cols=len(block.columns))
    table.style = "Light Grid Accent 1"
    table.autofit = False
    for cell, head in zip(table.rows[0].cells, block.columns, strict=True):
        _fill(cell.paragraphs[0], head, size=small)
    table.rows[0]._tr.get_or_add_trPr().append(_element("tblHeader", val="true"))
    for key, row in block.keyed_rows():
        cells = table.add_row().cells
        for place, (cell, text) in enumerate(zip(cells, row, strict=True)):
            _fill(cell.paragraphs[0], text, size=small)
            if place in block.numbers:
                cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT
        if key:
            _bookmark(cells[0].paragraphs[0], key)
    section = file.sections[0]
    text = section.page_width - section.left_margin - section.right_margin
    for column, share in zip(table.columns, block.widths(), strict=True):
        column.width = int(share * text)
        for cell in column.cells:
            cell.width, cell.paragraphs[0].paragraph_format.space_after = column.width, 0
    file.add_paragraph().paragraph_format.line_spacing = Pt(6)


def _add_picture(file: Any, block: Picture, small: float) -> None:
    from docx.shared import Inches

    picture = file.add_picture(io.BytesIO(block.png), width=Inches(_TEXT_WIDTH * block.width))
    picture._inline.docPr.set("descr", plain(block.alternative))
    if block.caption:
        _fill(file.add_paragraph(), block.caption, size=small)


def _small(file: Any) -> float:
    """Return the points of small letters: one less than those of the text, 8 at most."""
    return min(8.0, float(file.styles["Normal"].font.size.pt) - 1)


def _fill(paragraph: Any, text: str, size: float | None = None) -> None:
    """Write the pieces of a text; a link leads to the bookmark of its key."""
    from docx.shared import Pt, RGBColor

    for piece in pieces(text):
        run = paragraph.add_run(plain(piece.text))
        run.bold = piece.bold or None
        if size is not None:
            run.font.size = Pt(size)
        if piece.key:
            run.font.color.rgb = RGBColor(0x0B, 0x57, 0xA4)
            element = _element("hyperlink", anchor=piece.key)
            paragraph._p.append(element)
            element.append(run._r)


def _element(tag: str, **attributes: str) -> Any:
    """Return an element of a document's XML with its attributes."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(f"w:{tag}")
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), value)
    return element


def _bookmark(paragraph: Any, key: str) -> None:
    from docx.oxml.ns import qn

    number = str(sum(1 for _ in paragraph.part.element.iter(qn("w:bookmarkStart"))))
    paragraph._p.insert(0, _element("bookmarkStart", id=number, name=key))
    paragraph._p.append(_element("bookmarkEnd", id=number))


def _without_dates(content: bytes) -> bytes:
    """Write the parts again with one date: a zip file names the minute at which it was made."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            new.writestr(zipfile.ZipInfo(part.filename, _FIRST_DAY), old.read(part), zipfile.ZIP_DEFLATED)
    return written.getvalue()
