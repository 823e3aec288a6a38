"""Sources as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

from policy_sim.voter_lists.evidence import Source

__all__ = ["bibtex"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TO_ESCAPE = re.compile("|".join(map(re.escape, _SPECIAL)))
_UNDATED = "undated"


def bibtex(sources: Iterable[Source]) -> str:
    r"""Return one entry per source, in the order given, each key once.

    Parameters
    ----------
    sources : Documents; their short names are the keys.

    Examples
    --------
    >>> print(bibtex([Source("law-1", "Law & order", "https://example.org/a_b", "2026-05")]))
    @misc{law-1,
      title = {{Law \& order}},
      year = {2026},
      month = may,
      url = {https://example.org/a_b}
    }
    <BLANKLINE>
    """
    by_key = {source.id: source for source in sources}
    return "\n".join(_entry(source) for source in by_key.values())


def _entry(source: Source) -> str:
    facts = [f"title = {{{{{_escaped(source.title)}}}}}", *_date(source.date)]
    if source.url:
        facts.append(f"url = {{{_address(source.url)}}}")
    notes = [source.note, *(f"Also at {url}" for url in source.also)]
    if note := ". ".join(text.rstrip(".") for text in notes if text):
        facts.append(f"note = {{{_escaped(note)}}}")
    return f"@misc{{{source.id},\n  " + ",\n  ".join(facts) + "\n}\n"


def _date(date: str) -> list[str]:
    """Return year, month and day as far as they are known."""
    if date == _UNDATED or not date:
        return ["year = {n.d.}"]
    year, *rest = date.split("-")
    parts = [f"year = {{{year}}}"]
    if rest:
        parts.append(f"month = {_MONTHS[int(rest[0]) - 1]}")
    return parts + ([f"day = {{{int(rest[1])}}}"] if len(rest) > 1 else [])


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: _SPECIAL[match[0]], " ".join(text.split()))


def _address(url: str) -> str:
    """Return an address without what would end the entry; BibTeX takes the rest as it is."""
    return url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
