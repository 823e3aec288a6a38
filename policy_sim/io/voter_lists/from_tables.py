"""From the checked tables of a file to nouns: evidence, fields, rules, and whatever has equal names."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any, TypeVar

from pydantic import BaseModel

from policy_sim.io.voter_lists.schema import AllowedTable
from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.evidence import Evidence
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS

__all__ = ["allowed_of", "evidence_of", "field_of", "names_of", "noun_of"]

_Noun = TypeVar("_Noun")


def noun_of(kind: type[_Noun], table: BaseModel, **more: Any) -> _Noun:
    """Return a noun made of a table: equal names go over, confidence and sources become evidence."""
    values = dict(more)
    for field in dataclass_fields(kind):  # type: ignore[arg-type]
        if field.name == "evidence" and field.name not in more:
            values["evidence"] = evidence_of(table)
        elif field.name not in values and field.name in type(table).model_fields:
            value = getattr(table, field.name)
            values[field.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def evidence_of(table: Any) -> Evidence:
    """Return what a table rests on."""
    return Evidence(table.confidence, tuple(table.sources))


def names_of(names: list[str] | None) -> tuple[str, ...] | None:
    """Return words as a tuple; None where no source says."""
    return None if names is None else tuple(names)


def allowed_of(table: AllowedTable) -> Allowed:
    """Return who or what a table allows."""
    return Allowed(names_of(table.allowed), evidence_of(table))


def field_of(name: str, table: Any) -> ListField:
    """Return whether a list shows the field of that name, and how finely."""
    field = RECORDED_FIELDS[name]
    availability = table.availability
    granularity = getattr(table, "granularity", "")
    if availability == "included" and field.graded and not granularity:
        availability = "unknown"  # the value was refused
    elif availability == "included" and not field.graded:
        granularity = field.finest
    return ListField(availability, granularity, table.wording, evidence_of(table))
