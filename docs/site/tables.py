"""Wide tables scroll inside a region of their own, which a keyboard reaches, so that a phone shows whole words."""

from __future__ import annotations

import re
from typing import Any

_WIDE = 4  # columns from which on a phone cannot show a table as it is
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)


def on_page_content(html: str, **_: Any) -> str:
    """Put every wide table of a page into a region.

    Parameters
    ----------
    html : The page, as MkDocs gives it to a hook.

    Examples
    --------
    >>> on_page_content("<table><tr><th>a</th></tr></table>")
    '<table><tr><th>a</th></tr></table>'
    >>> on_page_content("<table><tr>" + "<th>a</th>" * 4 + "</tr></table>")[:65]
    '<div class="wide" role="region" aria-label="Table" tabindex="0"><'
    """
    return _TABLE.sub(lambda table: _region(table[0]), html)


def _region(table: str) -> str:
    head = table.partition("</tr>")[0]
    if len(re.findall(r"<th\b", head)) < _WIDE:
        return table
    return f'<div class="wide" role="region" aria-label="Table" tabindex="0">{table}</div>'
