"""What a document is made of. Text may hold marks: ``**bold**``, and ``[[key|text]]`` for a link to a row or heading.

A row of a table, a heading and a verbatim text may have a key; the link leads there in every format. Nothing else is
marked up, so that any name of a policy or file can stand in a text; what a user wrote is put in with :func:`as_is`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from policy_sim.words.errors import InputError

_QUOTE = "\0"  # around a text whose marks are none; no text that anyone writes has this character
_QUOTED = rf"{_QUOTE}[^{_QUOTE}]*{_QUOTE}"
_MARK = re.compile(
    rf"(?P<quoted>{_QUOTED})|\[\[(?P<key>[\w-]+)\|(?P<text>.*?)\]\]|\*\*(?P<bold>(?:{_QUOTED}|[^{_QUOTE}])+?)\*\*",
    re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """A stretch of text: plain, bold, or a link to a key of the document."""

    text: str
    bold: bool = False
    key: str = ""


def link(key: str, text: str) -> str:
    """Return text that leads to a row or heading with this key.

    >>> link("n1", "1,442")
    '[[n1|1,442]]'
    """
    return f"[[{key}|{text}]]"


def as_is(text: str) -> str:
    """Return text in which nothing is a mark.

    >>> [piece.text for piece in pieces(as_is("2 ** 3 and [[n1|c]]"))]
    ['2 ** 3 and [[n1|c]]']
    """
    return _QUOTE + text.replace(_QUOTE, "") + _QUOTE if _MARK.search(text) else text


def pieces(text: str) -> Iterator[Piece]:
    """Take the marks of a text apart.

    >>> [(piece.text, piece.bold, piece.key) for piece in pieces("a **b** [[n1|c]]")]
    [('a ', False, ''), ('b', True, ''), (' ', False, ''), ('c', False, 'n1')]
    """
    at = 0
    for mark in _MARK.finditer(text):
        if mark.start() > at:
            yield Piece(text[at : mark.start()])
        if mark["quoted"]:
            yield Piece(mark["quoted"].strip(_QUOTE))
        elif mark["key"]:
            yield Piece(mark["text"], key=mark["key"])
        else:
            for inner in pieces(mark["bold"]):
                yield Piece(inner.text, True, inner.key)
        at = mark.end()
    if at < len(text):
        yield Piece(text[at:])


def marked(text: str, write: Callable[[str], str], link: Callable[[str, str], str], bold: str) -> str:
    """Return a text in some markup: each piece as ``write`` writes it, in ``link`` of key and text, or in ``bold``."""
    parts = []
    for piece in pieces(text):
        markup = link(piece.key, write(piece.text)) if piece.key else write(piece.text)
        parts.append(bold.format(markup) if piece.bold else markup)
    return "".join(parts)


@dataclass(frozen=True)
class Heading:
    """A heading of level 1 or 2; ``key`` makes it the end of a link, and ``new_page`` begins a page with it."""

    text: str
    level: int = 1
    key: str = ""
    new_page: bool = False


@dataclass(frozen=True)
class Paragraph:
    """Sentences. ``kind`` is ``normal``, ``lead`` for the answer in large letters, or ``small`` for a note."""

    text: str
    kind: str = "normal"


@dataclass(frozen=True)
class Bullets:
    """Short sentences, each on a line of its own."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Notice:
    """A box that a reader must not miss, such as a fact that is old."""

    title: str
    text: str


@dataclass(frozen=True)
class DocumentTable:
    """A table; a row with a key is the end of links, and ``numbers`` are places of columns that stand to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    keys: tuple[str, ...] = ()
    numbers: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise InputError(f"table {self.caption!r}: each row needs {len(self.columns)} texts.")
        if self.keys and len(self.keys) != len(self.rows):
            raise InputError(f"table {self.caption!r}: give a key for every row, or none.")

    def keyed_rows(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Return each row after its key, which may be empty."""
        return zip(self.keys or ("",) * len(self.rows), self.rows, strict=True)

    def widths(self) -> list[float]:
        """Share the page (1) among the columns by the letters that they hold; no word is broken where all fit."""
        longest, words_alone = [], []
        for place, head in enumerate(self.columns):
            cells = ["".join(piece.text for piece in pieces(row[place])) for row in self.rows]
            words = max((len(word) for text in (head, *cells) for word in text.split()), default=1)
            mean = sum(map(len, cells)) / max(len(cells), 1)
            words_alone.append(words * 1.15 + 1)
            longest.append(max(words_alone[-1], min(mean, 60.0), 4.0))
        shares = [width / sum(longest) for width in longest]
        least = [width / _LETTERS_OF_A_LINE for width in words_alone]
        spare = [max(share - low, 0.0) for share, low in zip(shares, least, strict=True)]
        lacking = sum(max(low - share, 0.0) for share, low in zip(shares, least, strict=True))
        if lacking >= sum(spare):
            return shares
        part = lacking / sum(spare)
        pairs = zip(shares, least, spare, strict=True)
        return [max(share, low) - part * own for share, low, own in pairs]


_LETTERS_OF_A_LINE = 110  # of a table across the page


@dataclass(frozen=True)
class Picture:
    """A figure as PNG. ``alternative`` is for those who do not see it; ``width`` is a share of the page (0..1)."""

    png: bytes = field(repr=False)
    alternative: str
    caption: str = ""
    width: float = 1.0


@dataclass(frozen=True)
class Verbatim:
    """A text shown letter by letter in letters of one width, such as a file; ``key`` makes it the end of a link."""

    text: str
    key: str = ""


Block: TypeAlias = Heading | Paragraph | Bullets | Notice | DocumentTable | Picture | Verbatim


@dataclass(frozen=True)
class Document:
    """A document of blocks that fills ``pages`` on paper, 0 for any; no key stands twice, each link leads to one."""

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    footer: str = ""
    pages: int = 0

    def __post_init__(self) -> None:
        keys: list[str] = []
        texts: list[str] = []
        for block in self.blocks:
            match block:
                case Heading(key=key) | Verbatim(key=key):
                    keys += [key] if key else []
                case DocumentTable():
                    keys += block.keys
                    texts += [block.caption, *(cell for row in block.rows for cell in row)]
                case Bullets():
                    texts += block.items
                case Picture():
                    texts.append(block.caption)
                case _:
                    texts.append(block.text)
        twice = sorted({key for key in keys if keys.count(key) > 1})
        lost = sorted({piece.key for text in texts for piece in pieces(text) if piece.key} - set(keys))
        if twice or lost:
            raise InputError(f"document {self.title!r}: keys used twice: {twice}; links to no key: {lost}.")
