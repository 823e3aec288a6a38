"""What can go wrong, as one tree.

::

    PolicySimError            anything the user can mend; printed as one line, exit status 2
    ├── InputError            a value, option or file is not what it must be
    │   ├── UnknownNameError  a name is not among those known (says which are near)
    │   └── SchemaError       a file breaks its schema; lists every problem at once
    ├── IncompatibleError     two things were put together that must not be compared
    ├── NotEstimableError     a model has no answer for these data; carries the reason
    ├── SourceError           the world outside failed: network, database, damaged file
    └── OutputError           the result could not be written; nothing half written is left

A message says where, what, what was allowed and what to do. Errors that are not in this tree are
bugs and keep their traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "IncompatibleError",
    "InputError",
    "NotEstimableError",
    "OutputError",
    "PolicySimError",
    "SchemaError",
    "SourceError",
    "UnknownNameError",
]


class PolicySimError(Exception):
    """Base of every error that a user can mend."""


class InputError(PolicySimError):
    """A value, option or file is not what it must be."""


class UnknownNameError(InputError):
    """A name is not among those that are known.

    Parameters
    ----------
    kind : What was named, in the user's words: ``"state"``, ``"population"``.
    given : The name as given.
    known : Every name that would have been understood.
    also : Other names for the same things, such as the states' full names; only the near one is told.
    """

    def __init__(self, kind: str, given: str, known: Iterable[str], also: Iterable[str] = ()) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(given, [*names, *also], n=1, cutoff=0.6)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        shown = ", ".join(names[:60]) + (", ..." if len(names) > 60 else "")
        super().__init__(f"{kind} {given!r} is not known.{hint} Known: {shown or 'none'}.")
        self.kind, self.given, self.known = kind, given, tuple(names)


class SchemaError(InputError):
    """A file or table breaks its schema.

    Parameters
    ----------
    where : The file or table.
    problems : Every problem found, each one line that says what, what was allowed, what to do.
    """

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where, self.problems = where, tuple(problems)
        super().__init__("\n".join(f"{where}: {problem}" for problem in problems))

    @classmethod
    def together(cls, problems: Mapping[str, Sequence[str]]) -> SchemaError:
        """Make one error of the problems of several files, by file; each line names its own."""
        error = cls(", ".join(problems), [text for found in problems.values() for text in found])
        error.args = ("\n".join(str(cls(where, found)) for where, found in problems.items()),)
        return error


class IncompatibleError(PolicySimError):
    """Two things were put together that must not be compared."""


class NotEstimableError(PolicySimError):
    """A model has no answer for these data; the message is the reason."""


class SourceError(PolicySimError):
    """The world outside failed: a service, a database, a damaged file."""


class OutputError(PolicySimError):
    """A result could not be written; nothing half written is left behind."""
