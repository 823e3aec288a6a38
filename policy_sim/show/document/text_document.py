"""A document as plain text for a terminal, and as Markdown for a wiki or a pull request."""

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
    Verbatim,
    marked,
    pieces,
)
from policy_sim.show.numbers import plain
from policy_sim.show.text_table import Column, layout, table_width, wrapped

_MARKS = {1: "=", 2: "-"}


def text_document(document: Document) -> str:
    """Return the document as text as wide as the terminal; pictures are left out."""
    parts = ["\n".join([document.title, *wrapped([document.subtitle])])]
    for block in document.blocks:
        text = _block(block)
        if text and parts and isinstance(block, Heading):
            parts.append("")
        parts += [text] if text else []
    parts += ["", *wrapped([document.footer])] if document.footer else []
    return "\n".join(parts)


def _text(text: str) -> str:
    return "".join(piece.text for piece in pieces(text))


def _block(block: Block) -> str:
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
    return _table(block) if isinstance(block, DocumentTable) else ""


def _table(table: DocumentTable) -> str:
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
