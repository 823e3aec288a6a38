"""How a message names an argument: as a keyword in Python, as an option on the command line, as a field of a page.

One message serves all. What starts a command wraps it in :func:`as_options`, what works for a page in
:func:`as_fields`; everything else is Python.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_on_command_line = False  # of the whole process: a thread that a command starts names options, too
_fields: Mapping[str, str] = {}  # what a page calls each argument; none where no page is shown


@contextmanager
def as_options() -> Iterator[None]:
    """Name arguments as options of the command line while the block lasts."""
    global _on_command_line
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before


@contextmanager
def as_fields(labels: Mapping[str, str]) -> Iterator[None]:
    """Name arguments as the fields of a page while the block lasts; ``labels``: what the page calls each."""
    global _fields
    before, _fields = _fields, labels
    try:
        yield
    finally:
        _fields = before


def ask(argument: str, *values: str, option: str = "") -> str:
    """Return what a reader types to give an argument, for a message.

    ``argument``: the keyword in Python. ``values``: what to give; none names the argument alone. ``option``: the option
    of the command line where it is not the keyword with hyphens, such as ``--state`` for ``states``.

    >>> print(f"add {ask('total', 'Ohio Total')}")
    add total="Ohio Total"
    >>> ask("key", "Region", "County")
    'key=["Region", "County"]'
    >>> with as_options():
    ...     print(ask("total", "Ohio Total"), ask("key", "Region", "County"), ask("states", option="--state"))
    --total "Ohio Total" --key Region --key County --state
    >>> with as_fields({"key": "Columns of labels"}):
    ...     print(ask("key", "Region", "County"))
    Columns of labels: Region, County
    """
    values = tuple(value if value.isprintable() else repr(value)[1:-1] for value in values)
    if argument in _fields:
        return f"{_fields[argument]}: {', '.join(values)}" if values else _fields[argument]
    if _on_command_line:
        name = option or f"--{argument.replace('_', '-')}"
        return " ".join(f"{name} {_shell(value)}" for value in values) or name
    quoted = [f'"{value}"' if '"' not in value else repr(value) for value in values]
    if not quoted:
        return argument
    return f"{argument}={quoted[0]}" if len(quoted) == 1 else f"{argument}=[{', '.join(quoted)}]"


def _shell(value: str) -> str:
    """Quote a value for a shell; double quotes, which Windows knows too, where they suffice."""
    plain = shlex.quote(value)
    return plain if plain == value or any(mark in value for mark in '"$`\\!') else f'"{value}"'
