"""Small files of records in memory."""

from __future__ import annotations

from collections.abc import Iterable

from policy_sim.records.formats import CodedColumn, CodedTable


def coded(columns: dict[str, Iterable[str]] | None = None, **more: Iterable[str]) -> CodedTable:
    """Return a file of these columns of texts."""
    return CodedTable({name: CodedColumn.of(list(texts)) for name, texts in ((columns or {}) | more).items()})


def coded_rows(names: Iterable[str], rows: Iterable[Iterable[str]]) -> CodedTable:
    """Return a file of these rows of texts."""
    return coded(dict(zip(names, zip(*rows, strict=True), strict=True)))
