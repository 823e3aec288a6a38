"""Our docstrings as the site's reader of numpydoc takes them.

Types stand in our signatures, so a parameter is written ``name : meaning``. The reader takes what follows a
colon as the type; here the meaning moves to a line of its own, and what a function returns gets its type.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

import griffe

_SECTION = re.compile(r"^(Parameters|Raises|Returns|Yields)\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^([\w, *]+) : (.*)$", re.MULTILINE)


def in_numpydoc(text: str, returns: str) -> str:
    r"""Rewrite a docstring.

    Parameters
    ----------
    text : The docstring.
    returns : Type of what is returned.

    Examples
    --------
    >>> in_numpydoc("Add.\n\nParameters\n----------\na, b : Numbers.", "int").splitlines()[-2:]
    ['a, b', '    Numbers.']
    """
    return _SECTION.sub(lambda section: _section(section[1], section[2], returns), text)


def _section(name: str, body: str, returns: str) -> str:
    entries = _ENTRY.sub(lambda entry: f"{entry[1]}\n    {entry[2]}", body)
    if name in ("Returns", "Yields"):
        entries = f"{returns}\n{textwrap.indent(body, '    ')}"
    return f"{name}\n{'-' * len(name)}\n{entries}"


class OurDocstrings(griffe.Extension):
    """Rewrites every docstring before it is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Take one object of the package."""
        if obj.docstring is not None:
            returns = getattr(obj, "returns", None) or getattr(obj, "annotation", None) or "the value"
            obj.docstring.value = in_numpydoc(obj.docstring.value, str(returns))
