"""A document as PDF on letter pages, with links and page numbers."""

from __future__ import annotations

import io
from bisect import bisect_left
from functools import cache, partial
from html import escape
from pathlib import Path
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
    marked,
)
from policy_sim.show.numbers import plain

_MARGIN = 45.0  # points
_WIDTH = 612.0 - 2 * _MARGIN
_FONT = "DejaVuSans"
_COLORS = {"ink": "#1c1c1e", "soft": "#55555c", "line": "#c9c9cf", "link": "#0b57a4", "box": "#fff6df"}
_SHORT = 14  # rows of a table that is not parted between two pages
_SCALES = (1.0, 0.97, 0.94, 0.91, 0.88, 0.85, 0.82, 0.79)  # of the letters, until the pages are as many as asked for


def pdf_document(document: Document) -> bytes:
    """Return the document as PDF; the same document gives the same bytes."""
    if not document.pages:
        return _written(document, 1.0)[0]
    tried = cache(partial(_written, document))
    fitting = bisect_left(_SCALES[:-1], True, key=lambda scale: tried(scale)[1] <= document.pages)
    return tried(_SCALES[fitting])[0]


def _written(document: Document, scale: float) -> tuple[bytes, int]:
    """Return the PDF in letters of a size, and its number of pages."""
    from reportlab import rl_config
    from reportlab.platypus import KeepTogether, PageBreak, SimpleDocTemplate

    rl_config.useA85 = 0  # pictures as bytes: as text they take a fourth more, and most of the time
    _register_fonts()
    styles = _styles(scale)
    written = io.BytesIO()
    pages = SimpleDocTemplate(
        written,
        pagesize=(612, 792),
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN + 6,
        title=plain(document.title),
        subject=plain(document.subtitle),
        author="policy_sim",
        lang="en-US",
        invariant=1,
    )
    story: list[Any] = [_paragraph(document.title, styles["title"]), _paragraph(document.subtitle, styles["subtitle"])]
    for block, before in zip(document.blocks, (None, *document.blocks), strict=False):
        parts = _flowables(block, styles)
        if isinstance(block, Picture) or (isinstance(block, DocumentTable) and len(block.rows) <= _SHORT):
            # its heading too: what keeps together does not stay with what stands before it
            heading = [story.pop()] if isinstance(before, Heading) else []
            parts = [KeepTogether([*heading, *parts])]
        story += [PageBreak(), *parts] if isinstance(block, Heading) and block.new_page else parts
    foot = partial(_draw_foot, text=plain(document.footer))
    pages.build(story, onFirstPage=foot, onLaterPages=foot)
    return written.getvalue(), pages.page


def _register_fonts() -> None:
    """DejaVu travels with matplotlib and has every letter that outputs use."""
    from matplotlib import get_data_path
    from reportlab.lib.fonts import addMapping
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    if _FONT in pdfmetrics.getRegisteredFontNames():
        return
    folder = Path(get_data_path()) / "fonts" / "ttf"
    pdfmetrics.registerFont(TTFont(_FONT, folder / "DejaVuSans.ttf"))
    pdfmetrics.registerFont(TTFont(f"{_FONT}-Bold", folder / "DejaVuSans-Bold.ttf"))
    pdfmetrics.registerFont(TTFont(f"{_FONT}Mono", folder / "DejaVuSansMono.ttf"))
    for bold in (0, 1):
        for italic in (0, 1):
            addMapping(_FONT, bold, italic, f"{_FONT}-Bold" if bold else _FONT)


def _styles(scale: float) -> dict[str, Any]:
    from reportlab.lib.colors import HexColor
    from reportlab.lib.enums import TA_RIGHT
    from reportlab.lib.styles import ParagraphStyle

    normal = ParagraphStyle(
        "normal", fontName=_FONT, fontSize=9.2, leading=13, textColor=HexColor(_COLORS["ink"]), spaceAfter=5
    )
    soft = HexColor(_COLORS["soft"])
    small = ParagraphStyle("small", normal, fontSize=7.4, leading=10, textColor=soft)
    cell = ParagraphStyle("cell", normal, fontSize=7.2, leading=9.2, spaceAfter=0)
    styles = {
        "normal": normal,
        "item": ParagraphStyle("item", normal, spaceAfter=2),
        "small": small,
        "cell": cell,
        "number": ParagraphStyle("number", cell, alignment=TA_RIGHT),
        "verbatim": ParagraphStyle("verbatim", cell, fontName=f"{_FONT}Mono", splitLongWords=1),
        "lead": ParagraphStyle("lead", normal, fontSize=11.5, leading=16, spaceBefore=6, spaceAfter=8),
        "title": ParagraphStyle("title", normal, fontName=f"{_FONT}-Bold", fontSize=17, leading=21, spaceAfter=2),
        "subtitle": ParagraphStyle("subtitle", normal, textColor=soft, spaceAfter=8),
        "heading1": ParagraphStyle(
            "heading1", normal, fontName=f"{_FONT}-Bold", fontSize=12, leading=15, spaceBefore=10, keepWithNext=1
        ),
        "heading2": ParagraphStyle(
            "heading2", normal, fontName=f"{_FONT}-Bold", fontSize=9.6, leading=13, spaceBefore=6, keepWithNext=1
        ),
    }
    for style in styles.values():
        for length in ("fontSize", "leading", "spaceBefore", "spaceAfter"):
            setattr(style, length, scale * getattr(style, length))
    return styles


@cache
def _flowing() -> Any:
    """Return a paragraph that breaks its lines once for a width: tables and pages ask several times how high it is."""
    from reportlab.platypus import Paragraph as Flowing

    class Broken(Flowing):  # type: ignore[misc]  # reportlab has no types
        """A paragraph that remembers its size."""

        wrapped: tuple[float, tuple[float, float]] = (-1.0, (0.0, 0.0))

        def wrap(self, availWidth: float, availHeight: float) -> tuple[float, float]:  # noqa: N803
            """Return the size, of which the height follows from the width."""
            if self.wrapped[0] != availWidth or not hasattr(self, "blPara"):  # parting it deletes its lines
                self.wrapped = (availWidth, super().wrap(availWidth, availHeight))
            return self.wrapped[1]

    return Broken


def _paragraph(text: str, style: Any, key: str = "") -> Any:
    return _flowing()(_anchor(key) + _marked(text), style)


def _anchor(key: str) -> str:
    return f'<a name="{escape(key)}"/>' if key else ""


def _marked(text: str) -> str:
    def link(key: str, words: str) -> str:
        return f'<a href="#{escape(key)}" color="{_COLORS["link"]}">{words}</a>'

    return marked(text, lambda words: escape(plain(words)), link, "<b>{}</b>")


def _flowables(block: Block, styles: dict[str, Any]) -> list[Any]:
    from reportlab.platypus import ListFlowable, ListItem

    if isinstance(block, Heading):
        return [_paragraph(block.text, styles[f"heading{block.level}"], block.key)]
    if isinstance(block, Paragraph):
        return [_paragraph(block.text, styles[block.kind])]
    if isinstance(block, Bullets):
        items = [ListItem(_paragraph(item, styles["item"]), leftIndent=12) for item in block.items]
        return [ListFlowable(items, bulletType="bullet", bulletFontSize=6, bulletOffsetY=-2, leftIndent=12)]
    if isinstance(block, Notice):
        return _notice(block, styles)
    if isinstance(block, Verbatim):  # line ends and spaces stay; a line too long for the page goes on below
        lines = (escape(line).replace(" ", "\u00a0") for line in plain(block.text.expandtabs()).rstrip().split("\n"))
        return [_flowing()(_anchor(block.key) + "<br/>".join(lines), styles["verbatim"])]
    return _table(block, styles) if isinstance(block, DocumentTable) else _picture(block, styles)


def _notice(block: Notice, styles: dict[str, Any]) -> list[Any]:
    from reportlab.lib.colors import HexColor
    from reportlab.platypus import Spacer, Table

    text = _paragraph(f"**{block.title}** {block.text}", styles["normal"])
    look = [
        ("BACKGROUND", (0, 0), (-1, -1), HexColor(_COLORS["box"])),
        ("LINEBEFORE", (0, 0), (0, -1), 3, HexColor("#b26a00")),
    ]
    return [Table([[text]], colWidths=[_WIDTH], style=look), Spacer(1, 6)]


def _table(block: DocumentTable, styles: dict[str, Any]) -> list[Any]:
    from reportlab.lib.colors import HexColor
    from reportlab.platypus import Spacer, Table

    side = [styles["number" if place in block.numbers else "cell"] for place in range(len(block.columns))]
    rows = [[_paragraph(f"**{head}**", look) for head, look in zip(block.columns, side, strict=True)]]
    for key, row in block.keyed_rows():
        anchors = (key, *[""] * (len(row) - 1))
        rows.append([_paragraph(*cell) for cell in zip(row, side, anchors, strict=True)])
    look_of_table = [
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, HexColor(_COLORS["line"])),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 2),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
    ]
    caption = [_paragraph(block.caption, styles["small"])] if block.caption else []
    return [
        *caption,
        Table(rows, colWidths=[_WIDTH * share for share in block.widths()], style=look_of_table, repeatRows=1),
        Spacer(1, 6),
    ]


def _picture(block: Picture, styles: dict[str, Any]) -> list[Any]:
    from reportlab.platypus import Image

    image = Image(io.BytesIO(block.png))
    scale = _WIDTH * block.width / image.imageWidth
    image.drawWidth, image.drawHeight = image.imageWidth * scale, image.imageHeight * scale
    caption = [_paragraph(block.caption, styles["small"])] if block.caption else []
    return [image, *caption]


def _draw_foot(canvas: Any, pages: Any, *, text: str) -> None:
    canvas.saveState()
    canvas.setFont(_FONT, 6.6)
    canvas.setFillColor(_COLORS["soft"])
    canvas.drawString(_MARGIN, 30, text[:150])
    canvas.drawRightString(612 - _MARGIN, 30, f"page {pages.page}")
    canvas.restoreState()
