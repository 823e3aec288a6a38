"""A document as one HTML page, and the page that leads through a folder."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

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
from policy_sim.show.theme import TEXTS

Address = Callable[[str], str]  # where the link to a key leads; empty for a text without a link


def _on_this_page(key: str) -> str:
    return f"#{key}"


def html_document(document: Document) -> bytes:
    """Return the document as an HTML page that needs nothing next to it."""
    header = f'<header><h1>{_plain(document.title)}</h1>\n<p class="subtitle">{_plain(document.subtitle)}</p></header>'
    foot = f"\n<footer>{html_text(document.footer)}</footer>" if document.footer else ""
    return _page(_plain(document.title), f"{header}\n{html_blocks(document.blocks)}", foot).encode()


def _page(title: str, main: str, foot: str = "") -> str:
    template = files("policy_sim.show.document") / "document.html"
    return filled(template, title=title, style=document_style(), main=main, foot=foot)


def filled(template: Traversable, **parts: str) -> str:
    """Return a page of HTML with each part in the place of its name, such as ``{{title}}``."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template.read_text(encoding="utf-8"))


def document_style() -> str:
    """Return the style of a page."""
    return (files("policy_sim.show.document") / "document.css").read_text(encoding="utf-8")


def html_blocks(blocks: Sequence[Block], address: Address = _on_this_page) -> str:
    """Return blocks as a part of a page; the heading above a table names it, if it has no caption."""
    parts, above = [], ""
    for block in blocks:
        above = block.text if isinstance(block, Heading) else above
        parts.append(_block(block, above, address))
    return "\n".join(parts)


def html_text(text: str, address: Address = _on_this_page) -> str:
    """Return a text with its marks."""

    def link(key: str, words: str) -> str:
        return f'<a href="{escape(place)}">{words}</a>' if (place := address(key)) else words

    return marked(text, _plain, link, "<strong>{}</strong>")


def _plain(text: str) -> str:
    return escape(plain(text))


def _block(block: Block, above: str, address: Address) -> str:
    if isinstance(block, Heading):
        key = _id(block.key) + (' class="new-page"' if block.new_page else "")
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
        return f"<pre{_id(block.key)}>{escape(block.text)}</pre>"
    return _table(block, above, address) if isinstance(block, DocumentTable) else _picture(block, address)


def _id(key: str) -> str:
    return f' id="{escape(key)}"' if key else ""


def _table(table: DocumentTable, above: str, address: Address) -> str:
    right = [' class="number"' if place in table.numbers else "" for place in range(len(table.columns))]
    heads = "".join(
        f'<th scope="col"{side}>{_plain(head)}</th>' for head, side in zip(table.columns, right, strict=True)
    )
    rows = []
    for key, row in table.keyed_rows():
        cells = "".join(f"<td{side}>{html_text(cell, address)}</td>" for cell, side in zip(row, right, strict=True))
        rows.append(f"<tr{_id(key)}>{cells}</tr>")
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


_FILES: Mapping[str, str] = TEXTS["files"]


def folder_page(table: str, names: Sequence[str]) -> str:
    """Return ``index.html`` of a folder with these files; ``table`` is shown letter by letter.

    >>> page = folder_page("OH 43.8%", ["map-cost-p.png", "map-cost-p.svg", "cost.csv"])
    >>> 'src="map-cost-p.png"' in page, 'href="cost.csv"' in page
    (True, True)
    """
    pictures = [name for name in names if name.endswith(".png")]
    figures = "\n".join(
        f'<figure><a href="{escape(name)}"><img src="{escape(name)}" alt="{escape(_words(name))}" loading="lazy"></a>'
        f"<figcaption>{escape(_words(name))} ({escape(name)})</figcaption></figure>"
        for name in pictures
    )
    listed = "\n".join(
        f'<li><a href="{escape(name)}">{escape(name)}</a>: {escape(_words(name))}</li>' for name in names
    )
    template = files("policy_sim.show.document") / "folder.html"
    main = filled(template, table=escape(plain(table)), figures=figures, files=listed)
    return _page("Comparison by policy_sim", main)


def _words(name: str) -> str:
    """Return what a file is, with the policy and the attacker that its name ends in."""
    start = next((start for start in _FILES if name.startswith(start)), "")
    if not start:
        return name.rpartition(".")[0]
    rest = name.removeprefix(start).rpartition(".")[0] if start.endswith("-") else ""
    return f"{_FILES[start]}, {rest}" if rest else _FILES[start]
