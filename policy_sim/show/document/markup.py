"""A document as one HTML page, as Markdown and as text for a terminal; the page that leads through a folder."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

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
    pieces,
)
from policy_sim.show.numbers import plain
from policy_sim.show.text_table import Column, layout, table_width, wrapped
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
        parts.append(_html_block(block, above, address))
    return "\n".join(parts)


def html_text(text: str, address: Address = _on_this_page) -> str:
    """Return a text with its marks."""

    def link(key: str, words: str) -> str:
        return f'<a href="{escape(place)}">{words}</a>' if (place := address(key)) else words

    return marked(text, _plain, link, "<strong>{}</strong>")


def _plain(text: str) -> str:
    return escape(plain(text))


def _html_block(block: Block, above: str, address: Address) -> str:
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
    return _html_table(block, above, address) if isinstance(block, DocumentTable) else _html_picture(block, address)


def _id(key: str) -> str:
    return f' id="{escape(key)}"' if key else ""


def _html_table(table: DocumentTable, above: str, address: Address) -> str:
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


def _html_picture(picture: Picture, address: Address) -> str:
    data = base64.b64encode(picture.png).decode()
    caption = f"<figcaption>{html_text(picture.caption, address)}</figcaption>" if picture.caption else ""
    width = f' style="width:{100 * picture.width:g}%"' if picture.width < 1 else ""
    image = f'<img src="data:image/png;base64,{data}" alt="{_plain(picture.alternative)}"{width}>'
    return f"<figure>{image}{caption}</figure>"


_FILES: Mapping[str, str] = TEXTS["files"]
_FIRST_MAPS = r"map-total-risk-.*-voter\.png"


def folder_page(
    table: str,
    names: Sequence[str],
    lead: Sequence[str] = (),
    states: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """Return ``index.html`` of a folder with these files: sentences, two pictures, a choice of state, then the rest.

    ``table`` is shown letter by letter. ``lead``: what the page says first. ``states``: what it says of each, by name.

    >>> page = folder_page("OH 43.8%", ["map-cost-p.png", "map-cost-p.svg", "cost.csv"])
    >>> 'src="map-cost-p.png"' in page, 'href="cost.csv"' in page
    (True, True)
    """
    pictures = [name for name in names if name.endswith(".png")]
    first = ([name for name in pictures if re.fullmatch(_FIRST_MAPS, name)] or pictures)[:2]
    more = _figures([name for name in pictures if name not in first])
    listed = "\n".join(
        f'<li><a href="{escape(name)}">{escape(name)}</a>: {escape(_words(name))}</li>' for name in names
    )
    template = files("policy_sim.show.document") / "folder.html"
    main = filled(
        template,
        lead="\n".join(f'<p class="lead">{escape(plain(text))}</p>' for text in lead),
        choose='<a href="#states">Choose your state</a> · ' if states else "",
        first=_figures(first),
        states=_choice(states),
        more=f'<h2 id="maps">More pictures</h2>\n{more}' if more else "",
        table=escape(plain(table)),
        files=listed,
    )
    return _page("Comparison by policy_sim", main)


def _figures(names: Sequence[str]) -> str:
    return "\n".join(
        f'<figure><a href="{escape(name)}"><img src="{escape(name)}" alt="{escape(_words(name))}" loading="lazy"></a>'
        f"<figcaption>{escape(_words(name))} ({escape(name)})</figcaption></figure>"
        for name in names
    )


def _choice(states: Mapping[str, Sequence[str]]) -> str:
    """Return a link for each state, and its sentences, which appear when it is chosen."""
    if not states:
        return ""
    links = " · ".join(f'<a href="#{_state_anchor(name)}">{escape(name)}</a>' for name in states)
    chosen = "\n".join(
        f'<section class="state" id="{_state_anchor(name)}"><h3>{escape(name)}</h3>'
        + "".join(f"<p>{escape(plain(text))}</p>" for text in texts)
        + "</section>"
        for name, texts in states.items()
    )
    return f'<h2 id="states">Choose your state</h2>\n<p>{links}</p>\n{chosen}'


def _state_anchor(name: str) -> str:
    return f"state-{name.lower().replace(' ', '-')}"


def _words(name: str) -> str:
    """Return what a file is, with the policy and the attacker that its name ends in."""
    start = next((start for start in _FILES if name.startswith(start)), "")
    if not start:
        return name.rpartition(".")[0]
    rest = name.removeprefix(start).rpartition(".")[0] if start.endswith("-") else ""
    return f"{_FILES[start]}, {rest}" if rest else _FILES[start]


# Plain text for a terminal.


_MARKS = {1: "=", 2: "-"}


def text_document(document: Document) -> str:
    """Return the document as text as wide as the terminal; pictures are left out."""
    parts = ["\n".join([document.title, *wrapped([document.subtitle])])]
    for block in document.blocks:
        text = _text_block(block)
        if text and parts and isinstance(block, Heading):
            parts.append("")
        parts += [text] if text else []
    parts += ["", *wrapped([document.footer])] if document.footer else []
    return "\n".join(parts)


def _text(text: str) -> str:
    return "".join(piece.text for piece in pieces(text))


def _text_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{block.text}\n{_MARKS.get(block.level, '-') * len(block.text)}"
    if isinstance(block, Paragraph):
        return "\n".join(wrapped([_text(block.text)]))
    if isinstance(block, Bullets):
        return "\n".join(line for item in block.items for line in wrapped([f"- {_text(item)}"]))
    if isinstance(block, Notice):
        return "\n".join(wrapped([f"{block.title}: {_text(block.text)}"]))
    if isinstance(block, Verbatim):
        return block.text.rstrip()
    return _text_table(block) if isinstance(block, DocumentTable) else ""


def _text_table(table: DocumentTable) -> str:
    """Write a table; where it is too wide, each row is an item: its first two cells, and the others by their heads."""
    cells = [[_text(cell) for cell in row] for row in table.rows]
    widths = [max(len(cell) for cell in column) for column in zip(table.columns, *cells, strict=True)]
    if sum(widths) + 2 * len(widths) <= table_width():
        columns = [
            Column((head,), tuple(row[place] for row in cells), right=place in table.numbers)
            for place, head in enumerate(table.columns)
        ]
        return layout(columns[:1], columns[1:])
    lines = []
    for row in cells:
        facts = [f"{head}: {cell}" for head, cell in zip(table.columns[2:], row[2:], strict=True) if cell]
        lines += wrapped([f"- {row[0]}: {'; '.join([*row[1:2], *facts])}"])
    return "\n".join(lines)


# Markdown for a wiki or a pull request.


def markdown_document(document: Document) -> bytes:
    """Return the document as Markdown; a link leads to an anchor in the row that it names, and pictures are data."""
    parts = [f"# {_escaped(document.title)}", f"*{_escaped(document.subtitle)}*", *map(_markdown, document.blocks)]
    parts += [f"---\n\n{_marked(document.footer)}"] if document.footer else []
    return ("\n\n".join(parts) + "\n").encode()


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", plain(text)).replace("\n", " ")


def _marked(text: str) -> str:
    return marked(text, _escaped, "[{1}](#{0})".format, "**{}**")


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * (block.level + 1)} {_anchor(block.key)}{_escaped(block.text)}"
    if isinstance(block, Paragraph):
        return _marked(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_marked(item)}" for item in block.items)
    if isinstance(block, Notice):
        return f"> **{_escaped(block.title)}** {_marked(block.text)}"
    if isinstance(block, Verbatim):
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", block.text)), 0)  # more than are in a row
        return _anchor(block.key) + "\n\n" * bool(block.key) + f"{fence}\n{block.text.rstrip()}\n{fence}"
    if isinstance(block, DocumentTable):
        rows = [f"| {_anchor(key)}{' | '.join(map(_marked, row))} |" for key, row in block.keyed_rows()]
        rule = "|".join("---:" if place in block.numbers else "---" for place in range(len(block.columns)))
        head = f"| {' | '.join(map(_escaped, block.columns))} |\n|{rule}|"
        return (f"{_marked(block.caption)}\n\n" if block.caption else "") + "\n".join([head, *rows])
    data = base64.b64encode(block.png).decode()
    image = f"![{_escaped(block.alternative)}](data:image/png;base64,{data})"
    return f"{image}\n\n*{_marked(block.caption)}*" if block.caption else image


def _anchor(key: str) -> str:
    return f'<a id="{key}"></a>' if key else ""
