"""A document as Markdown, for a wiki or a pull request; pictures are in it as data."""

from __future__ import annotations

import base64
import re

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

__all__ = ["markdown_document"]


def markdown_document(document: Document) -> bytes:
    """Return the document as Markdown; a link leads to an anchor in the row that it names."""
    parts = [f"# {_plain(document.title)}", f"*{_plain(document.subtitle)}*", *map(_block, document.blocks)]
    parts += [f"---\n\n{_text(document.footer)}"] if document.footer else []
    return ("\n\n".join(parts) + "\n").encode()


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", plain(text)).replace("\n", " ")


def _text(text: str) -> str:
    parts = []
    for piece in pieces(text):
        markup = _plain(piece.text)
        markup = f"[{markup}](#{piece.key})" if piece.key else markup
        parts.append(f"**{markup}**" if piece.bold else markup)
    return "".join(parts)


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        anchor = f'<a id="{block.key}"></a>' if block.key else ""
        return f"{'#' * (block.level + 1)} {anchor}{_plain(block.text)}"
    if isinstance(block, Paragraph):
        return _text(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_text(item)}" for item in block.items)
    if isinstance(block, Notice):
        return f"> **{_plain(block.title)}** {_text(block.text)}"
    if isinstance(block, Verbatim):
        return _verbatim(block)
    return _table(block) if isinstance(block, DocumentTable) else _picture(block)


def _verbatim(block: Verbatim) -> str:
    """Fence the text with one mark more than it has in a row."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", block.text)), 0)
    anchor = f'<a id="{block.key}"></a>\n\n' if block.key else ""
    return f"{anchor}{fence}\n{block.text.rstrip()}\n{fence}"


def _table(table: DocumentTable) -> str:
    keys = table.keys or ("",) * len(table.rows)
    rows = [
        f"| {f'<a id={chr(34)}{key}{chr(34)}></a>' if key else ''}{' | '.join(_text(cell) for cell in row)} |"
        for row, key in zip(table.rows, keys, strict=True)
    ]
    rule = "|".join("---:" if place in table.numbers else "---" for place in range(len(table.columns)))
    head = f"| {' | '.join(_plain(head) for head in table.columns)} |\n|{rule}|"
    caption = f"{_text(table.caption)}\n\n" if table.caption else ""
    return caption + "\n".join([head, *rows])


def _picture(picture: Picture) -> str:
    image = f"![{_plain(picture.alternative)}](data:image/png;base64,{base64.b64encode(picture.png).decode()})"
    return f"{image}\n\n*{_text(picture.caption)}*" if picture.caption else image
