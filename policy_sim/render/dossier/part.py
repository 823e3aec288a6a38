"""A part of a dossier: a heading, sentences, a table and a list, each text as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from policy_sim.render.document.blocks import Block, Bullets, DocumentTable, Heading, Paragraph, as_is

__all__ = ["Figures", "figure", "part", "share"]

# What ``release.json`` holds.
Figures: TypeAlias = Mapping[str, Any]


def part(
    title: str,
    paragraphs: Sequence[str] = (),
    head: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
    items: Sequence[str] = (),
    numbers: Sequence[int] = (),
) -> list[Block]:
    """Return the blocks of a part; a table without rows is left out, and ``numbers`` are its columns of numbers.

    Texts come from a project and its answers: what looks like a mark of a document stays as it was written.

    >>> [type(block).__name__ for block in part("Risk", ["As measured."], ["", "after"], [["largest", "0.1"]])]
    ['Heading', 'Paragraph', 'DocumentTable']
    """
    blocks: list[Block] = [Heading(title), *(Paragraph(as_is(text)) for text in paragraphs)]
    if rows:
        blocks.append(
            DocumentTable(tuple(head), tuple(tuple(map(as_is, row)) for row in rows), numbers=frozenset(numbers))
        )
    if items:
        blocks.append(Bullets(tuple(map(as_is, items))))
    return blocks


def figure(value: float | None) -> str:
    """Write a count or a measure; a dash where there is none.

    >>> figure(1442), figure(0.04), figure(None)
    ('1,442', '0.04', '-')
    """
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def share(value: float | None) -> str:
    """Write a share (0..1); a dash where there is none.

    >>> share(0.015), share(None)
    ('1.5%', '-')
    """
    return "-" if value is None else f"{value:.1%}"
