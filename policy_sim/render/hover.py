"""Words that an SVG shows where the pointer rests on an area.

matplotlib writes no titles but links: an area gets a link that leads nowhere, and the finished file has a
title in the place of each.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape

__all__ = ["as_url", "with_titles"]

_SCHEME = "title:"
_LINK = re.compile(rf'<a xlink:href="{_SCHEME}([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)


def as_url(title: str) -> str:
    """Return the link that becomes this title.

    >>> as_url("Franklin, Ohio: 1%")
    'title:Franklin%2C%20Ohio%3A%201%25'
    """
    return _SCHEME + quote(title, safe="")


def with_titles(svg: str) -> str:
    """Turn the links of :func:`as_url` into titles.

    >>> with_titles('<a xlink:href="title:A%20%26%20B" target="_blank"><path/></a>')
    '<g><title>A &amp; B</title><path/></g>'
    """
    return _LINK.sub(_title, svg)


def _title(link: re.Match[str]) -> str:
    title = escape(unquote(link[1]))
    return f"<g><title>{title}</title>{link[2]}</g>" if title else link[2]
