"""The states of the atlas of the tests, and a page of it taken apart."""

from __future__ import annotations

from html.parser import HTMLParser

STATES = ("OH", "DE", "HI")
LEFT_OUT = "MD"  # a neighbor of Delaware, which is compared and has no page


class ParsedPage(HTMLParser):
    """The links, keys, headings and tables of a page, and its text."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.keys, self.headings, self.tables, self.prose = [], [], [], {}, []
        self.text, self._open, self._rows, self._caption = "", [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.links += [given[key] for key in ("href", "src") if given.get(key)]
        self.keys += [given["id"]] if given.get("id") else []
        if tag in ("meta", "link", "input", "path", "rect"):
            return
        self._open.append(tag)
        if tag == "table":
            self._rows, self._caption = [], ""
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
        elif tag in ("h1", "h2", "h3"):
            self.headings.append((int(tag[1]), ""))
        elif tag in ("p", "li"):
            self.prose.append("")

    def handle_data(self, data):
        if "script" in self._open or "style" in self._open:
            return
        self.text += data
        if "caption" in self._open:
            self._caption += data
        elif {"td", "th"} & set(self._open):
            self._rows[-1][-1] += data
        elif self._open and self._open[-1] in ("h1", "h2", "h3"):
            level, words = self.headings[-1]
            self.headings[-1] = (level, words + data)
        elif {"p", "li"} & set(self._open):
            self.prose[-1] += data

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass
        if tag == "table":
            self.tables[self._caption] = self._rows
