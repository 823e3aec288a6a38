"""What can go wrong, as one tree.

::

    PolicySimError            anything the user can correct; printed as one line, exit status 2
    ├── InputError            a value, option or file is wrong
    │   ├── UnknownNameError  a name is unknown (the message suggests a similar one)
    │   ├── MissingPackageError  an optional package is not installed; says which extra has it
    │   └── SchemaError       a file breaks its schema; lists every problem at once
    ├── IncompatibleError     two things must not be compared
    ├── NotEstimableError     a model has no answer for these data; carries the reason
    ├── SourceError           something outside failed: network, database, damaged file
    └── OutputError           the result could not be written; no partial file is left

A message names the place, the problem, what is allowed and what to do. Errors outside this tree are
bugs: Python code sees them as they are, and the command line prints one line that explains how to report
them and how to see the traceback (``cli/main.py``).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from policy_sim.words.text import mask_credentials

_SHOWN = 200  # characters of a name that a message repeats
_LINES = 4  # of a message: a reader corrects the first problems first


class PolicySimError(Exception):
    """Base of every error that a user can correct; its message never contains a password or key of an address."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(mask_credentials(arg) if isinstance(arg, str) else arg for arg in args))


class InputError(PolicySimError):
    """A value, option or file is wrong."""


class UnknownNameError(InputError):
    """A name is unknown.

    Parameters
    ----------
    kind : The kind of thing named, in the user's words: ``"state"``, ``"population"``.
    text : The name that is unknown.
    choices : Every valid name.
    also : Other names for the same things, such as the states' full names; the message shows only a similar one.
    allowed : What to write, as a sentence; replaces the list of every valid name where that list is long.
    advice : What else to do, as a sentence after that.

    Examples
    --------
    >>> print(UnknownNameError("state", "Ohioo", ["OH", "TX"], also=["Ohio", "Texas"]))
    state 'Ohioo' is not known. Did you mean 'Ohio'? Known: OH, TX.
    """

    def __init__(
        self,
        kind: str,
        text: str,
        choices: Iterable[str],
        also: Iterable[str] = (),
        *,
        allowed: str = "",
        advice: str = "",
    ) -> None:
        text = text if isinstance(text, str) else str(text)
        names = sorted(choices)
        folded = {name.casefold(): name for name in [*also, *names]}
        near = _nearest(text[:_SHOWN].casefold(), list(folded))
        hint = f" Did you mean {folded[near]!r}?" if near else ""
        listed = ", ".join(names[:60]) + (", ..." if len(names) > 60 else "")
        allowed = allowed or f"Known: {listed or 'none'}."
        excerpt = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
        super().__init__(f"{kind} {excerpt!r} is not known.{hint} {allowed} {advice}".rstrip())
        self.kind, self.text, self.choices = kind, mask_credentials(text), tuple(names)


def missing_package(what: str, package: str, extra: str) -> str:
    """Return what to install: ``what`` needs ``package``, which the extra ``extra`` of this program has.

    >>> print(missing_package("a model", "scikit-learn", "scholar"))
    a model needs the package scikit-learn. Install it: pip install 'policy-sim[scholar]'
    """
    return f"{what} needs the package {package}. Install it: pip install 'policy-sim[{extra}]'"


class MissingPackageError(InputError):
    """An optional package is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(missing_package(what, package, extra))


def _nearest(text: str, names: list[str]) -> str:
    """Return the name that is meant: one with a slip, one with a word too many, or one somewhat alike; or nothing."""
    slip = difflib.get_close_matches(text, names, n=1, cutoff=0.85)
    longer = sorted((name for name in names if text.startswith(f"{name}-")), key=len)
    alike = difflib.get_close_matches(text, names, n=1, cutoff=0.6)
    return next(iter([*slip, *longer[-1:], *alike]), "")


class SchemaError(InputError):
    """A file or table breaks its schema.

    ``where``: the file or table. ``problems``: every problem, one line each: what is wrong, what is allowed, what to
    do. The message has the first, and says how many more there are; ``lines`` has them all, with their places.

    >>> print(SchemaError("ours.toml", ["a is missing.", "b is no text."]))
    ours.toml: a is missing.
    ours.toml: b is no text.
    """

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where, self.problems = mask_credentials(where), tuple(map(mask_credentials, problems))
        self.lines = tuple(f"{self.where}: {problem}" for problem in self.problems)
        super().__init__(_first_lines(self.lines, self.where))

    @classmethod
    def together(cls, problems: Mapping[str, Sequence[str]]) -> SchemaError:
        """Join the problems of several files into one error; each line names its file."""
        error = cls(", ".join(problems), [text for texts in problems.values() for text in texts])
        error.lines = tuple(line for where, texts in problems.items() for line in cls(where, texts).lines)
        error.args = (_first_lines(error.lines, "all files"),)
        return error


def _first_lines(lines: Sequence[str], where: str) -> str:
    """Return the first lines of a message, and how many problems it leaves out."""
    first_lines = lines if len(lines) <= _LINES else lines[: _LINES - 1]
    left = len(lines) - len(first_lines)
    return "\n".join([*first_lines, *([f"{where}: {left:,} more problems."] if left else [])])


class IncompatibleError(PolicySimError):
    """Two things must not be compared."""


class NotEstimableError(PolicySimError):
    """A model has no answer for these data; the message is the reason."""


class SourceError(PolicySimError):
    """Something outside failed: a service, a database, a damaged file."""


class OutputError(PolicySimError):
    """A result could not be written; no partial file is left."""
