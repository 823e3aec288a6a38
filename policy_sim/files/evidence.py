"""How a fact about a voter list is known: sources, confidence, and conflicts between sources."""

from __future__ import annotations

from dataclasses import dataclass

# high: a direct statement, a statute of the right year, or two file layouts.
# medium: one source. low: carried over, contradicted, or from memory.
CONFIDENCES = ("high", "medium", "low")


@dataclass(frozen=True)
class Source:
    """A document, by the short name (``id``) with which the facts of one file cite it.

    ``date``: the newest at which the document vouches for what it says, such as ``2026-05`` or ``undated``. ``note``:
    how it was read or what it is worth. ``also``: further addresses of the same document.
    """

    id: str
    title: str
    url: str = ""
    date: str = "undated"
    note: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """What one value rests on; ``carried_from``: the vintage from which a scenario took the value, if any."""

    confidence: str = ""
    sources: tuple[str, ...] = ()
    carried_from: str = ""


NO_EVIDENCE = Evidence()


@dataclass(frozen=True)
class Conflict:
    """Sources disagree; not ``resolved`` where the choice is only the likelier one."""

    about: str
    chosen: str
    other: str
    why: str
    resolved: bool = False
    sources: tuple[str, ...] = ()
