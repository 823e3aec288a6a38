"""Why two vintages of a state's list differ: the list changed, or a later source tells more of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from policy_sim.voter_lists.recorded_fields import LIST_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["CAUSES", "RecordedCause", "causes_of", "difference_words", "with_changes"]

CAUSES = ("law", "source")


@dataclass(frozen=True)
class RecordedCause:
    """What is recorded of why some fields of a state's list differ between two vintages.

    Parameters
    ----------
    state : Postal code.
    before, after : The vintages.
    fields : Of :data:`~policy_sim.voter_lists.recorded_fields.LIST_FIELDS`, or ``status``.
    cause : One of :data:`CAUSES`.
    why : In a sentence.
    """

    state: str
    before: str
    after: str
    fields: tuple[str, ...]
    cause: str
    why: str


def causes_of(before: VoterList, after: VoterList, recorded: Sequence[RecordedCause] = ()) -> Mapping[str, str]:
    """Return the cause of each difference between two vintages of one state's list, by field or ``status``.

    Parameters
    ----------
    before, after : The list at two times.
    recorded : What is recorded of differences; those of other states and times do not matter.

    Returns
    -------
    ``source`` where a value was or became unknown: the sources tell more or less, and nobody knows whether the list
    changed. ``law`` where both values are known: the state changed what its list shows or who sells it, by law, rule
    or practice. What is recorded comes first.

    Examples
    --------
    >>> from policy_sim.voter_lists.list_field import ListField
    >>> old = VoterList("OH", "2008", "available", fields={"birth": ListField("included", "year")})
    >>> new = VoterList("OH", "2020", "available", fields={"birth": ListField("included", "date")})
    >>> dict(causes_of(old, new))
    {'birth': 'law'}
    """
    cause_by_item = {
        name: entry.cause
        for entry in recorded
        if entry.state == before.state and before.vintage <= entry.before and entry.after <= after.vintage
        for name in entry.fields
    }
    causes = {}
    for name in ("status", *LIST_FIELDS):
        old, new = _value(before, name), _value(after, name)
        if old != new:
            unknown = "unknown" in (old[0], new[0])
            causes[name] = "source" if unknown else cause_by_item.get(name, "law")
    return causes


def with_changes(before: VoterList, after: VoterList, names: Iterable[str]) -> VoterList:
    """Return a list with some fields, or its ``status``, as at a later time."""
    changed = set(names)
    fields = {name: (after if name in changed else before).fields[name] for name in LIST_FIELDS}
    status = after if "status" in changed else before
    return replace(before, fields=fields, status=status.status, status_reason=status.status_reason)


def difference_words(before: VoterList, after: VoterList, names: Iterable[str]) -> str:
    """Say in what fields, or in the ``status``, two vintages differ: ``birth: year to date``."""
    return "; ".join(f"{name}: {_words(before, name)} to {_words(after, name)}" for name in names)


def _value(listed: VoterList, name: str) -> tuple[str, str]:
    if name == "status":
        return listed.status, ""
    field = listed.fields[name]
    return field.availability, field.granularity


def _words(listed: VoterList, name: str) -> str:
    value, granularity = _value(listed, name)
    return (granularity if granularity not in ("", "value") else value).replace("_", " ")
