"""A document as plain text, for a terminal."""

from __future__ import annotations

from policy_sim.show.document.blocks import (
    Block,
    Bullets,
    Document,
    DocumentTable,
    Heading,
    Notice,
    Paragraph,
    Verbatim,
    pieces,
)
from policy_sim.show.text_table import Column, layout, table_width, wrapped

__all__ = ["text_document"]


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
    return "\n".join(line for row in cells for line in _stacked(table.columns, row))


def _stacked(heads: tuple[str, ...], row: list[str]) -> list[str]:
    facts = [f"{head}: {cell}" for head, cell in zip(heads[2:], row[2:], strict=True) if cell]
    return wrapped([f"- {row[0]}: {'; '.join([*row[1:2], *facts])}"])
