"""A document as one HTML file: no script, no request, print and dark colors included."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files

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

Address = Callable[[str], str]  # where the link to a key leads; empty for a text without a link


def _on_this_page(key: str) -> str:
    return f"#{key}"


def html_document(document: Document) -> bytes:
    """Return the document as an HTML page that needs nothing next to it."""
    body = html_blocks(document.blocks)
    foot = f"\n<footer>{html_text(document.footer)}</footer>" if document.footer else ""
    page = (
        '<!DOCTYPE html>\n<html lang="en-US">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_plain(document.title)}</title>\n<style>{document_style()}</style>\n</head>\n<body>\n<main>\n"
        f'<header><h1>{_plain(document.title)}</h1>\n<p class="subtitle">{_plain(document.subtitle)}</p></header>\n'
        f"{body}\n</main>{foot}\n</body>\n</html>\n"
    )
    return page.encode()


def document_style() -> str:
    """Return the style of a page."""
    return (files("policy_sim.show.document") / "document.css").read_text(encoding="utf-8")


def html_blocks(blocks: Sequence[Block], address: Address = _on_this_page) -> str:
    """Return blocks as a part of a page."""
    return "\n".join(_block(block, above, address) for block, above in _below_headings(blocks))


def html_text(text: str, address: Address = _on_this_page) -> str:
    """Return a text with its marks."""
    parts = []
    for piece in pieces(text):
        markup = _plain(piece.text)
        if piece.key and (place := address(piece.key)):
            markup = f'<a href="{escape(place)}">{markup}</a>'
        parts.append(f"<strong>{markup}</strong>" if piece.bold else markup)
    return "".join(parts)


def _plain(text: str) -> str:
    return escape(plain(text))


def _below_headings(blocks: Sequence[Block]) -> Iterator[tuple[Block, str]]:
    """Give each block with the heading above it, which names a table that has no caption."""
    above = ""
    for block in blocks:
        above = block.text if isinstance(block, Heading) else above
        yield block, above


def _block(block: Block, above: str, address: Address) -> str:
    if isinstance(block, Heading):
        key = f' id="{escape(block.key)}"' if block.key else ""
        key += ' class="new-page"' if block.new_page else ""
        return f"<h{block.level + 1}{key}>{_plain(block.text)}</h{block.level + 1}>"
    if isinstance(block, Paragraph):
        kind = "" if block.kind == "normal" else f' class="{escape(block.kind)}"'
        return f"<p{kind}>{html_text(block.text, address)}</p>"
    if isinstance(block, Bullets):
        return "<ul>\n" + "\n".join(f"<li>{html_text(item, address)}</li>" for item in block.items) + "\n</ul>"
    if isinstance(block, Notice):
        title = f"<strong>{_plain(block.title)}</strong> "
        return f'<div class="notice" role="note"><p>{title}{html_text(block.text, address)}</p></div>'
    if isinstance(block, Verbatim):
        key = f' id="{escape(block.key)}"' if block.key else ""
        return f"<pre{key}>{escape(block.text)}</pre>"
    return _table(block, above, address) if isinstance(block, DocumentTable) else _picture(block, address)


def _table(table: DocumentTable, above: str, address: Address) -> str:
    right = [' class="number"' if place in table.numbers else "" for place in range(len(table.columns))]
    heads = "".join(
        f'<th scope="col"{side}>{_plain(head)}</th>' for head, side in zip(table.columns, right, strict=True)
    )
    keys = table.keys or ("",) * len(table.rows)
    rows = []
    for row, key in zip(table.rows, keys, strict=True):
        cells = "".join(f"<td{side}>{html_text(cell, address)}</td>" for cell, side in zip(row, right, strict=True))
        rows.append(f'<tr id="{escape(key)}">{cells}</tr>' if key else f"<tr>{cells}</tr>")
    caption = f"<caption>{html_text(table.caption, address)}</caption>" if table.caption else ""
    body = "\n".join(rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{_plain(table.caption or above or "table")}">'
        f"<table>{caption}<thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _picture(picture: Picture, address: Address) -> str:
    data = base64.b64encode(picture.png).decode()
    caption = f"<figcaption>{html_text(picture.caption, address)}</figcaption>" if picture.caption else ""
    width = f' style="width:{100 * picture.width:g}%"' if picture.width < 1 else ""
    image = f'<img src="data:image/png;base64,{data}" alt="{_plain(picture.alternative)}"{width}>'
    return f"<figure>{image}{caption}</figure>"
