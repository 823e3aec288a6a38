"""A page of the atlas: its frame, its parts, the links between pages, and what the search finds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from itertools import groupby, pairwise
from typing import TypeAlias, cast

from policy_sim.briefs.evidence import NOT_A_DETERMINATION
from policy_sim.show.document.blocks import Block, DocumentTable, Heading, Paragraph
from policy_sim.show.document.markup import Address, document_style, filled, html_blocks, html_text
from policy_sim.show.numbers import plain

TITLE = "Atlas of re-identification risk"
_NAVIGATION = (
    ("index.html", "States"),
    ("policies.html", "Policies"),
    ("register.html", "Voter lists"),
    ("explorer.html", "Explorer"),
    ("method.html", "Method"),
)


class Markup(str):
    """A part of a page that is HTML already."""

    __slots__ = ()


Part: TypeAlias = Block | Markup


@dataclass(frozen=True)
class Page:
    """One page at a ``path`` such as ``states/oh.html``; the search says its ``kind`` and finds its ``words``."""

    path: str
    title: str
    subtitle: str
    parts: Sequence[Part]
    kind: str = "page"
    words: str = ""
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The way from the page to the folder of the atlas."""
        return "../" * self.path.count("/")

    def html(self, pages: Mapping[str, str], foot: str) -> bytes:
        """Return the page; ``pages`` has the place of each page by key, and a key of no page becomes plain text."""
        own = {part.key for part in self.parts if isinstance(part, Heading) and part.key}

        def address(key: str) -> str:
            place = f"{self.root}{pages[key]}" if key in pages else ""
            return f"#{key}" if key in own else self.links.get(key, place)

        heading = escape(plain(self.title))
        links = (
            f'<li><a href="{self.root}{path}"{" aria-current=page" if path == self.path else ""}>{words}</a></li>'
            for path, words in _NAVIGATION
        )
        return filled(
            files("policy_sim.atlas") / "page.html",
            root=self.root,
            atlas=TITLE,
            title=heading if self.title == TITLE else f"{heading} · {TITLE}",
            links="".join(links),
            heading=heading,
            subtitle=html_text(self.subtitle, address),
            body=_body(self.parts, address),
            limit=NOT_A_DETERMINATION,
            foot=html_text(foot, address),
        ).encode()

    def entries(self) -> Iterator[tuple[str, str, str, str]]:
        """Return title, kind, place and words of what the search finds: the page, and headings of one of no state."""
        yield self.title, self.kind, self.path, self.words
        for part, below in pairwise(self.parts):
            if self.kind == "page" and isinstance(part, Heading) and part.key:
                text = below.text if isinstance(below, Paragraph) else ""
                yield part.text, self.title, f"{self.path}#{part.key}", text


def _body(parts: Iterable[Part], address: Address) -> str:
    """Return the parts; neighboring blocks together, because a heading names the table below it."""
    bodies = []
    for is_markup, group in groupby(parts, key=lambda part: isinstance(part, Markup)):
        if is_markup:
            bodies.append("\n".join(cast("Iterable[Markup]", group)))
        else:
            bodies.append(html_blocks(list(cast("Iterable[Block]", group)), address))
    return "\n".join(bodies)


def sortable(table: DocumentTable, what: str) -> list[Part]:
    """Return a table that a reader can sort and filter; ``what`` are its rows."""
    return [Markup(f'<div class="sortable" data-rows="{escape(what)}">'), table, Markup("</div>")]


def script_of(pages: Iterable[Page]) -> bytes:
    """Return the index of the search as a script."""
    entries = sorted(entry for page in pages for entry in page.entries())
    rows = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    return f"const ATLAS = {rows};\n".encode()


def assets() -> dict[str, bytes]:
    """Return the style and the script of all pages."""
    folder = files("policy_sim.atlas")
    own = {name: (folder / name).read_bytes() for name in ("atlas.css", "atlas.js")}
    return own | {"atlas.css": document_style().encode() + own["atlas.css"]}
