"""Remove user names, passwords and keys from a text that quotes an address."""

from __future__ import annotations

import re

__all__ = ["mask_credentials"]

# A scheme has two letters or more: C:/ is a drive. A password may contain /, @, : and, after the user's name, spaces.
# So everything up to the last @ is masked, but never part of the next address. A port is not a password.
_USER = re.compile(
    r"(?P<scheme>[A-Za-z][\w+.-]+:/+)"
    r"(?:[^\s/@:]*:(?!\d+(?:[/?#\s]|$))(?:(?!://)[^\n])*|(?:(?!://)\S)*)@"
)
# The same without a scheme, after a blank, a quote, a bracket or a folder's slash: user:password@host/name.
# C:/ is a drive here too. A blank is part of a password only where no sentence begins before the @.
_BARE = re.compile(
    r"(?:(?<![^\s'\"`(\[{<=,;/])|(?<=\A))(?![A-Za-z]:[/\\])"
    r"[^\s/@:'\"=(]*:(?!//|/*…)(?:\S*|(?!\d+(?:[/?#\s]|$))\S(?:(?!://|:\s)[^\n])*)@"
)
_ONLY_USER = re.compile(r"(?P<slashes>(?<![\w:/])//)(?!…@)[^\s/]+@")
_NAMED = r"(?:[?&;]|%3[BbFf]|%26)[^=&;\s]*(?:pass|pwd|secret|token|key|sig|cred|odbc_connect)[^=&;\s]*?(?:=|%3[Dd])"
_QUERY = re.compile(rf"(?i)(?P<name>{_NAMED})[^&;#\s]+")
# With an @ in such a value nobody can say where the host is: nothing but the scheme is shown.
_UNCLEAR = re.compile(rf"(?i)(?P<scheme>\b[A-Z][\w+.-]+:/+)?[^\s'\"]*{_NAMED}[^&;#\s]*@[^&;#\s]*")
_WORD = re.compile(r"(?i)(?P<name>\b(?:password|passwd|pwd)=)('[^']*'|\"[^\"]*\"|[^\s;&]+)")


def mask_credentials(text: str) -> str:
    """Return a text with ``…`` in place of everything before the ``@`` of an address, and of its keys.

    Parameters
    ----------
    text : A message or an address. In doubt, more is masked than necessary: a path that contains ``@`` loses
        everything before it.

    Examples
    --------
    >>> mask_credentials("postgres://me:hush@host/clinic: there is no such table.")
    'postgres://…@host/clinic: there is no such table.'
    >>> mask_credentials("https://api.census.gov/data?get=NAME&key=0123abc")
    'https://api.census.gov/data?get=NAME&key=…'
    >>> mask_credentials("me:hush@host:5432/clinic: no such file.")
    '…@host:5432/clinic: no such file.'
    >>> mask_credentials("visits.csv, by me@example.org")
    'visits.csv, by me@example.org'
    """
    text = _UNCLEAR.sub(lambda match: f"{match['scheme'] or ''}…", text)
    text = _BARE.sub("…@", _USER.sub(r"\g<scheme>…@", text))
    text = _ONLY_USER.sub(r"\g<slashes>…@", text)
    return _WORD.sub(r"\g<name>…", _QUERY.sub(r"\g<name>…", text))
